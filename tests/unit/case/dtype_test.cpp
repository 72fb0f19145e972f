#include <gtest/gtest.h>

#include <harness/case/dtype.hpp>

namespace relapse {
namespace {

TEST(DType, HasTheNamesThatTorchGives) {
  for (const std::string& name : dtype_names()) EXPECT_EQ(to_string(dtype_from(name).value()), name);
  EXPECT_EQ(dtype_from("bool"), DType::boolean);
  EXPECT_EQ(dtype_from("float"), std::nullopt);
}

TEST(DType, KnowsSizesAndFamilies) {
  EXPECT_EQ(element_size(DType::complex128), 16);
  EXPECT_EQ(element_size(DType::bfloat16), 2);
  EXPECT_TRUE(is_floating(DType::float8_e5m2));
  EXPECT_TRUE(is_complex(DType::complex64));
  EXPECT_TRUE(is_integral(DType::uint16));
  EXPECT_FALSE(is_integral(DType::boolean));
}

TEST(MemoryFormat, TakesTorchsShortForms) {
  EXPECT_EQ(memory_format_from("contiguous"), MemoryFormat::contiguous);
  EXPECT_EQ(memory_format_from("contiguous_format"), MemoryFormat::contiguous);
  EXPECT_EQ(to_string(MemoryFormat::channels_last_3d), "channels_last_3d");
}

TEST(ReservedNames, AreThoseOfTheFormat) {
  for (const char* name :
       {"where", "log", "old", "guard", "seed", "zeros", "nan", "float16", "channels_last", "sparse_coo"}) {
    EXPECT_TRUE(is_reserved_name(name)) << name;
  }
  for (const char* name : {"inputs", "labels", "target", "values"})
    EXPECT_FALSE(is_reserved_name(name)) << name;
  EXPECT_TRUE(is_reserved_for_dims("needs"));
  EXPECT_TRUE(is_reserved_for_results("python"));
}

}  // namespace
}  // namespace relapse
