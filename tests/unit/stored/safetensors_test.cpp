#include <gtest/gtest.h>

#include <harness/stored/safetensors.hpp>

#include "stored_files.hpp"

namespace relapse {
namespace {

using namespace test;

std::string problem(const std::string& file) {
  const auto tensors = read_safetensors(file);
  return tensors ? "none" : tensors.error();
}

TEST(Safetensors, ReadsTensorsInTheOrderOfTheirData) {
  const std::string file = safetensors(
      R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[2,10]},"a":{"dtype":"U8","shape":[2,1],"data_offsets":[0,2]},)"
      R"("__metadata__":{"by":"me"}}   )",
      std::string("\x01\x02", 2) + floats({0.5, -1}));
  const auto tensors = read_safetensors(file);
  ASSERT_TRUE(tensors) << tensors.error();
  ASSERT_EQ(tensors->size(), 2u);
  EXPECT_EQ((*tensors)[0].name, "a");
  EXPECT_EQ((*tensors)[0].shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ((*tensors)[1].dtype, DType::float32);
  EXPECT_EQ((*tensors)[1].bytes, floats({0.5, -1}));
}

TEST(Safetensors, ReadsScalarsAndEmptyTensors) {
  const auto tensors = read_safetensors(safetensors(
      R"({"e":{"dtype":"I64","shape":[0,3],"data_offsets":[0,0]},"s":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}})",
      std::string(1, '\1')));
  ASSERT_TRUE(tensors) << tensors.error();
  EXPECT_EQ(tensors->size(), 2u);
}

TEST(Safetensors, BelievesNothing) {
  EXPECT_EQ(problem("abc"), "it is shorter than the 8 bytes of its header's length");
  EXPECT_EQ(problem(std::string(8, '\xff')), "its header claims 18446744073709551615 bytes, too many");
  EXPECT_EQ(problem(std::string("\x09\0\0\0\0\0\0\0{}", 10)),
            "its header claims 9 bytes, more than the file has");
  EXPECT_EQ(problem(safetensors(" {}", "")), "its header does not start with {");
  EXPECT_EQ(problem(safetensors("{]", "")), "its header is no JSON object");
  EXPECT_EQ(problem(safetensors("{\"\xff\":1}", "")), "its header is no JSON object");
  const std::string one = R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_EQ(problem(safetensors("{" + one + "," + one + "}", "x")), "its header has the key \"a\" twice");
  EXPECT_EQ(problem(safetensors("{" + one + "}", "xy")), "it goes on after the data of its last tensor");
  EXPECT_EQ(problem(safetensors("{" + one + "}", "")), "the data of its tensor \"a\" ends beyond the file");
  EXPECT_EQ(problem(safetensors(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "xy")),
            "the data of its tensor \"a\" does not begin where the one before ends");
  EXPECT_EQ(problem(safetensors(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,1]}})", "x")),
            "the data of its tensor \"a\" has another size than shape and dtype need");
  EXPECT_EQ(problem(safetensors(
                R"({"a":{"dtype":"I64","shape":[4294967296,4294967296,8],"data_offsets":[0,0]}})", "")),
            "the data of its tensor \"a\" has another size than shape and dtype need");
  EXPECT_EQ(problem(safetensors(R"({"a":{"dtype":"F4","shape":[1],"data_offsets":[0,1]}})", "x")),
            "the data of its tensor \"a\" has another size than shape and dtype need");
  EXPECT_EQ(problem(safetensors(R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,1]}})", "x")),
            "its tensor \"a\" has the unknown dtype \"F99\"");
  EXPECT_EQ(problem(safetensors(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "x")),
            "its tensor \"a\" has a shape that is no list of extents");
  EXPECT_EQ(problem(safetensors(R"({"a":{"dtype":"U8","shape":[1]}})", "x")),
            "its tensor \"a\" does not have exactly dtype, shape and data_offsets");
  EXPECT_EQ(problem(safetensors(R"({"__metadata__":{"n":1}})", "")), "its __metadata__ is no map of texts");
}

}  // namespace
}  // namespace relapse
