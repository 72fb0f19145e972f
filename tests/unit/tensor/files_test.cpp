#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <harness/support/text.hpp>
#include <harness/tensor/npy.hpp>
#include <harness/tensor/safetensors.hpp>

#include "builders.hpp"

namespace relapse {
namespace {

using namespace test;

std::string safetensors(const std::string& header, const std::string& data) {
  std::string file(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(file.data(), &length, sizeof length);
  return file + header + data;
}
std::string problem(const std::string& file) {
  const auto tensors = read_safetensors(file);
  return tensors ? "none" : tensors.error();
}
std::string floats(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
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
  EXPECT_EQ((*tensors)[1].dtype, at::kFloat);
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

std::string npy(const std::string& dict, const std::string& data, char major = 1) {
  std::string file = std::string("\x93NUMPY") + major + '\0';
  file += static_cast<char>(dict.size() & 255);
  file += static_cast<char>(dict.size() >> 8);
  if (major > 1) file += std::string(2, '\0');
  return file + dict + data;
}
std::string npy_problem(const std::string& file) {
  const auto array = read_npy(file);
  return array ? "none" : array.error();
}

TEST(Npy, ReadsEveryVersion) {
  for (const char major : {'\1', '\2', '\3'}) {
    const std::string file =
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }      \n", floats({1, 2}), major);
    const auto array = read_npy(file);
    ASSERT_TRUE(array) << array.error();
    EXPECT_EQ(array->dtype, at::kFloat);
    EXPECT_EQ(array->shape, std::vector<std::int64_t>{2});
    EXPECT_EQ(array->bytes, floats({1, 2}));
  }
  EXPECT_EQ(npy_problem(npy("{'shape': (), 'fortran_order': True, 'descr': '|u1'}", "x")), "none");
  EXPECT_EQ(npy_problem(npy("{'shape': (1, 0), 'fortran_order': True, 'descr': '|u1'}", "")), "none");
}

TEST(Npy, BelievesNothing) {
  EXPECT_EQ(npy_problem("abc"), "it does not begin as a .npy file");
  EXPECT_EQ(npy_problem(npy("{}", "", '\4')), "its version 4 is unknown");
  EXPECT_EQ(npy_problem(npy("{}", "")), "its header lacks descr, fortran_order or shape");
  EXPECT_EQ(npy_problem(std::string("\x93NUMPY\1\0\xff\xff{}", 12)), "it ends within its header");
  EXPECT_EQ(npy_problem(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "xxxx")),
            "its numbers are big-endian; save them little-endian");
  EXPECT_EQ(npy_problem(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "x")),
            "its dtype \"|O\" is not one that can be read");
  EXPECT_EQ(npy_problem(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "x")),
            "its descr is no plain dtype (structured arrays are not read)");
  EXPECT_EQ(npy_problem(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "x")),
            "its shape is no tuple of extents");
  EXPECT_EQ(npy_problem(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "xxxx")),
            "its data has another size than its shape and dtype need");
  EXPECT_EQ(
      npy_problem(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", "")),
      "its data has another size than its shape and dtype need");
}

class FileForm : public testing::Test {
 protected:
  FileForm() {
    folder_ = std::filesystem::temp_directory_path() /
              ("relapse-files-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  ~FileForm() override { std::filesystem::remove_all(folder_); }
  InputForm file(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    InputForm form = form_of(InputSource::file);
    form.file = name;
    return form;
  }
  std::filesystem::path folder_;
};

TEST_F(FileForm, ReadsTheNamedTensor) {
  Context context;
  context.form.folder = folder_.string();
  InputForm form = file(
      "bad.safetensors",
      safetensors(
          R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"y":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}})",
          floats({0.5, -1}) + "\x07"));
  EXPECT_EQ(error_of(form, context.form),
            "x: \"bad.safetensors\" holds 2 tensors; say which with `tensor`: x or y");
  form.tensor = "x";
  EXPECT_EQ(text_of(made(form, context.form)), "0.5 -1");
  form.tensor = "z";
  EXPECT_EQ(error_of(form, context.form), "x: \"bad.safetensors\" holds no tensor \"z\"");
  form.tensor = "y";
  EXPECT_EQ(text_of(made(with_dtype(form, DType::float16), context.form)), "7");
  form.tensor = "x";
  EXPECT_EQ(
      error_of(with_dtype(form, DType::int64), context.form),
      "x: \"bad.safetensors\" holds float32; element [0] = 0.5 does not fit int64; give the form a dtype");
  EXPECT_EQ(error_of(with_shape(form, {"3"}), context.form),
            "x: \"bad.safetensors\" holds shape [2], but `shape` says [3]");
}

TEST_F(FileForm, ChecksTheHash) {
  Context context;
  context.form.folder = folder_.string();
  const std::string bytes = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", floats({1, 2}));
  InputForm form = file("bad.npy", bytes);
  form.sha256 = sha256_hex(bytes);
  EXPECT_EQ(text_of(made(form, context.form)), "1 2");
  form.sha256 = std::string(64, '0');
  EXPECT_EQ(error_of(form, context.form), "x: \"bad.npy\" is not the file of this case: its sha256 is " +
                                              sha256_hex(bytes) + ", expected " + std::string(64, '0'));
}

TEST_F(FileForm, TurnsColumnMajorArrays) {
  Context context;
  context.form.folder = folder_.string();
  const InputForm form = file(
      "f.npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", floats({1, 4, 2, 5, 3, 6})));
  const at::Tensor tensor = made(form, context.form);
  EXPECT_EQ(text_of(tensor), "1 2 3 4 5 6");
  EXPECT_TRUE(tensor.is_contiguous());
}

TEST_F(FileForm, RefusesOtherKindsOfFiles) {
  Context context;
  context.form.folder = folder_.string();
  EXPECT_EQ(error_of(file("x.pt", "PK"), context.form),
            "x: \"x.pt\" is neither .safetensors nor .npy; save the tensor as one of these");
}

}  // namespace
}  // namespace relapse
