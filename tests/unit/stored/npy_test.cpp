#include <gtest/gtest.h>

#include <harness/stored/npy.hpp>

#include "stored_files.hpp"

namespace relapse {
namespace {

using namespace test;

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
    EXPECT_EQ(array->dtype, DType::float32);
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

}  // namespace
}  // namespace relapse
