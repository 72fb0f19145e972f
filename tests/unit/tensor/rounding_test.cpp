#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <harness/tensor/elements.hpp>
#include <harness/tensor/form.hpp>
#include <harness/tensor/generator.hpp>
#include <harness/tensor/ulp.hpp>
#include <limits>

namespace relapse {
namespace {

using c10::ScalarType;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr ScalarType kSmall[] = {
    ScalarType::Half,          ScalarType::BFloat16,        ScalarType::Float8_e5m2,
    ScalarType::Float8_e4m3fn, ScalarType::Float8_e5m2fnuz, ScalarType::Float8_e4m3fnuz};

TEST(Rounding, GivesEveryPatternBack) {
  for (const ScalarType type : kSmall) {
    const SmallFloat& format = *small_float_of(type);
    const int width = 8 * static_cast<int>(c10::elementSize(type));
    for (std::uint32_t bits = 0; bits < (1u << width); ++bits) {
      const double value = decode_small(static_cast<std::uint16_t>(bits), format);
      if (std::isnan(value)) continue;
      ASSERT_EQ(encode_small(value, format), bits) << c10::toString(type);
    }
  }
}

/// Where a float32 is rounded, c10 rounds once as well, so both must agree on every bit.
template <class T>
void agrees_with_c10(const char* name) {
  const SmallFloat& format = *small_float_of(c10::CppTypeToScalarType<T>::value);
  const PhiloxKey key = philox_key(1, name);
  for (int i = 0; i < 200000; ++i) {
    const std::uint32_t word = philox(key, static_cast<std::uint64_t>(i), 0)[0];
    const float value = std::bit_cast<float>(word);
    if (std::isnan(value)) continue;
    ASSERT_EQ(encode_small(value, format), T(value).x) << name << " of " << value;
    ASSERT_EQ(decode_small(T(value).x, format), static_cast<double>(static_cast<float>(T(value)))) << name;
  }
}

TEST(Rounding, AgreesWithLibTorchOnFloat32) {
  agrees_with_c10<c10::Half>("float16");
  agrees_with_c10<c10::BFloat16>("bfloat16");
}

TEST(Rounding, DecodesFloat8AsLibTorchDoes) {
  for (int bits = 0; bits < 256; ++bits) {
    const auto check = [&](auto value) {
      value.x = static_cast<std::uint8_t>(bits);
      using T = decltype(value);
      const double ours = decode_small(value.x, *small_float_of(c10::CppTypeToScalarType<T>::value));
      const double theirs = static_cast<float>(value);
      EXPECT_TRUE(ours == theirs || (std::isnan(ours) && std::isnan(theirs))) << bits;
    };
    check(c10::Float8_e4m3fn());
    check(c10::Float8_e5m2());
    check(c10::Float8_e4m3fnuz());
    check(c10::Float8_e5m2fnuz());
  }
}

TEST(Rounding, RoundsFloat64OnceAndNotThroughFloat32) {
  // Just above the middle of 1 and its neighbour; float32 would put it on the middle, and even wins there.
  const double value = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(round_to_dtype(value, ScalarType::Half), 1 + 0x1p-10);
  EXPECT_EQ(static_cast<float>(c10::Half(static_cast<float>(value))), 1.0f);
}

TEST(Rounding, RoundsLargeIntegersOnce) {
  // 2^56 + 2^48 is the middle of two bfloat16 values; one more decides, and float64 would lose that one.
  const std::uint64_t value = (std::uint64_t(1) << 56) + (std::uint64_t(1) << 48) + 1;
  const SmallFloat& format = *small_float_of(ScalarType::BFloat16);
  EXPECT_EQ(decode_small(encode_small(false, value, 0, format), format), 0x1p56 + 0x1p49);
}

TEST(Rounding, OverflowsToInfinityOrToNaNWhereThereIsNone) {
  EXPECT_EQ(round_to_dtype(65519, ScalarType::Half), 65504);
  EXPECT_EQ(round_to_dtype(65520, ScalarType::Half), kInfinity);
  EXPECT_EQ(round_to_dtype(-1e300, ScalarType::BFloat16), -kInfinity);
  EXPECT_EQ(round_to_dtype(464, ScalarType::Float8_e4m3fn), 448);
  EXPECT_TRUE(std::isnan(round_to_dtype(465, ScalarType::Float8_e4m3fn)));
  EXPECT_EQ(round_to_dtype(1e300, ScalarType::Float8_e5m2), kInfinity);
  EXPECT_EQ(round_to_dtype(1e-300, ScalarType::Half), 0);
  EXPECT_TRUE(std::signbit(round_to_dtype(-1e-300, ScalarType::Half)));
  EXPECT_FALSE(std::signbit(round_to_dtype(-1e-300, ScalarType::Float8_e4m3fnuz)));
}

TEST(Rounding, KnowsTheNextValueOfEachDtype) {
  EXPECT_EQ(next_value(1, true, ScalarType::Half), 1 + 0x1p-10);
  EXPECT_EQ(next_value(1, false, ScalarType::Half), 1 - 0x1p-11);
  EXPECT_EQ(next_value(0, true, ScalarType::Half), 0x1p-24);
  EXPECT_EQ(next_value(0, false, ScalarType::BFloat16), -0x1p-133);
  EXPECT_EQ(next_value(65504, true, ScalarType::Half), kInfinity);
  EXPECT_EQ(next_value(kInfinity, false, ScalarType::Half), 65504);
  EXPECT_EQ(next_value(448, true, ScalarType::Float8_e4m3fn), kInfinity);
  EXPECT_EQ(next_value(1, true, ScalarType::Float), 1 + 0x1p-23);
  EXPECT_EQ(next_value(1, false, ScalarType::Double), 1 - 0x1p-53);
  EXPECT_EQ(next_value(5, true, ScalarType::Long), 6);
  EXPECT_EQ(next_value(5, false, ScalarType::Byte), 4);
}

TEST(Rounding, CountsUnitsInTheLastPlace) {
  EXPECT_EQ(ulp_distance(1.0f, std::nextafterf(1.0f, 2.0f)), 1u);
  EXPECT_EQ(ulp_distance(-0.0, 0.0), 0u);
  EXPECT_EQ(ulp_distance(-0x1p-1074, 0x1p-1074), 2u);
  EXPECT_EQ(ulp_distance(c10::Half(65504.f), c10::Half(61440.f)), 127u);
  EXPECT_EQ(ulp_distance(c10::BFloat16(-1.f), c10::BFloat16(1.f)), 2u * 0x3f80);
  EXPECT_EQ(ulp_distance(std::numeric_limits<double>::max(), -std::numeric_limits<double>::max()),
            2 * std::uint64_t(0x7fefffffffffffff));
}

}  // namespace
}  // namespace relapse
