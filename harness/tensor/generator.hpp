#pragma once

// The format's generator: Philox4x32-10 keyed by seed and name, so that every machine and version makes the
// same bits. Numbers only; what range a tensor has is form.hpp's. No LibTorch, no libm, no fused operations:
// this file's sources are compiled with -ffp-contract=off. A change here would alter every case:
// tests/data/generator-vectors.json holds it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace relapse {

struct PhiloxKey {
  std::uint32_t low = 0, high = 0;
};
/// seed XOR FNV-1a-64(name), low half first.
PhiloxKey philox_key(std::uint64_t seed, std::string_view name);

/// The four words of a counter (index low, index high, draw, 0).
std::array<std::uint32_t, 4> philox(PhiloxKey key, std::uint64_t index, std::uint32_t draw);

struct Words {
  std::uint64_t w0 = 0, w1 = 0;
};
Words words(PhiloxKey key, std::uint64_t index, std::uint32_t draw);

double unit(std::uint64_t word);  ///< ((word >> 11) + 0.5) * 2^-53, in (0, 1]
double uniform_at(PhiloxKey key, std::uint64_t index, double low, double high);
double normal_at(PhiloxKey key, std::uint64_t index);  ///< twelve words of draws 16 to 18, no libm
double normal_at(PhiloxKey key, std::uint64_t index, double mean, double std);
std::int64_t integer_at(PhiloxKey key, std::uint64_t index, std::int64_t low, std::int64_t high,
                        std::uint32_t draw = 0);
bool bernoulli_at(PhiloxKey key, std::uint64_t index, double p);
/// Where one of the `count` values of `except` replaces the element (one element in eight), its position.
std::optional<std::size_t> exception_at(PhiloxKey key, std::uint64_t index, std::size_t count);
std::vector<std::int64_t> permutation(PhiloxKey key, std::int64_t n);
/// `count` values of [low, high] without a repeat, in drawing order. Needs high - low + 1 >= count.
std::vector<std::int64_t> distinct(PhiloxKey key, std::int64_t count, std::int64_t low, std::int64_t high);

}  // namespace relapse
