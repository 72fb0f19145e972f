#include <algorithm>
#include <harness/support/text.hpp>
#include <harness/tensor/generator.hpp>
#include <unordered_set>
#include <utility>

namespace relapse {

namespace {

__extension__ using Wide = unsigned __int128;

// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC11): multipliers and Weyl constants.
constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

constexpr std::uint32_t kDistinctDraw = 1;
constexpr std::uint32_t kNormalDraws[] = {16, 17, 18};
/// Up to here a range is drawn from by ordering all of it; beyond, by drawing until there are enough.
constexpr std::uint64_t kOrderedRange = std::uint64_t(1) << 22;

/// floor(word * n / 2^64); n is 2^64 where it is written as 0.
std::uint64_t scaled(std::uint64_t word, std::uint64_t n) {
  if (n == 0) return word;
  return static_cast<std::uint64_t>((Wide(word) * n) >> 64);
}

/// high - low + 1; 2^64 becomes 0.
std::uint64_t width(std::int64_t low, std::int64_t high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
}

std::int64_t shifted(std::int64_t low, std::uint64_t by) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + by);
}

/// The first `count` positions of the stable order of W0 over [0, n).
std::vector<std::uint64_t> first_of_order(PhiloxKey key, std::uint64_t count, std::uint64_t n,
                                          std::uint32_t draw) {
  // The position as second member makes an unstable sort stable.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> order(n);
  for (std::uint64_t i = 0; i < n; ++i) order[i] = {words(key, i, draw).w0, i};
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(count);
  if (count == n) {
    std::sort(order.begin(), order.end());
  } else {
    std::partial_sort(order.begin(), middle, order.end());
  }
  std::vector<std::uint64_t> positions(count);
  for (std::uint64_t i = 0; i < count; ++i) positions[i] = order[i].second;
  return positions;
}

}  // namespace

PhiloxKey philox_key(std::uint64_t seed, std::string_view name) {
  const std::uint64_t key = seed ^ fnv1a64(name);
  return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

std::array<std::uint32_t, 4> philox(PhiloxKey key, std::uint64_t index, std::uint32_t draw) {
  std::uint32_t c0 = static_cast<std::uint32_t>(index), c1 = static_cast<std::uint32_t>(index >> 32);
  std::uint32_t c2 = draw, c3 = 0;
  std::uint32_t k0 = key.low, k1 = key.high;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t p0 = std::uint64_t(kMultiplier0) * c0;
    const std::uint64_t p1 = std::uint64_t(kMultiplier1) * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  return {c0, c1, c2, c3};
}

Words words(PhiloxKey key, std::uint64_t index, std::uint32_t draw) {
  const std::array<std::uint32_t, 4> c = philox(key, index, draw);
  return {std::uint64_t(c[0]) << 32 | c[1], std::uint64_t(c[2]) << 32 | c[3]};
}

double unit(std::uint64_t word) {
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
}

double uniform_at(PhiloxKey key, std::uint64_t index, double low, double high) {
  return low + (high - low) * unit(words(key, index, 0).w0);
}

double normal_at(PhiloxKey key, std::uint64_t index) {
  std::uint64_t sum = 0;
  for (const std::uint32_t draw : kNormalDraws) {
    for (const std::uint32_t word : philox(key, index, draw)) sum += word;
  }
  // At most 36 bits: everything up to the product is exact.
  return static_cast<double>(sum + 6) * 0x1p-32 - 6.0;
}

double normal_at(PhiloxKey key, std::uint64_t index, double mean, double std) {
  return mean + std * normal_at(key, index);
}

std::int64_t integer_at(PhiloxKey key, std::uint64_t index, std::int64_t low, std::int64_t high,
                        std::uint32_t draw) {
  return shifted(low, scaled(words(key, index, draw).w0, width(low, high)));
}

bool bernoulli_at(PhiloxKey key, std::uint64_t index, double p) {
  return unit(words(key, index, 0).w0) < p;
}

std::optional<std::size_t> exception_at(PhiloxKey key, std::uint64_t index, std::size_t count) {
  const std::uint64_t w1 = words(key, index, 0).w1;
  if (count == 0 || w1 >> 61 != 0) return std::nullopt;
  return static_cast<std::size_t>(scaled(w1 << 3, count));
}

std::vector<std::int64_t> permutation(PhiloxKey key, std::int64_t n) {
  const std::uint64_t count = static_cast<std::uint64_t>(n);
  std::vector<std::int64_t> result(count);
  const std::vector<std::uint64_t> order = first_of_order(key, count, count, 0);
  for (std::uint64_t i = 0; i < count; ++i) result[i] = static_cast<std::int64_t>(order[i]);
  return result;
}

std::vector<std::int64_t> distinct(PhiloxKey key, std::int64_t count, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(count));
  const std::uint64_t n = width(low, high);
  if (n != 0 && n <= kOrderedRange) {
    for (const std::uint64_t position :
         first_of_order(key, static_cast<std::uint64_t>(count), n, kDistinctDraw)) {
      result.push_back(shifted(low, position));
    }
    return result;
  }
  std::unordered_set<std::int64_t> seen;
  for (std::uint64_t index = 0; static_cast<std::int64_t>(result.size()) < count; ++index) {
    const std::int64_t value = integer_at(key, index, low, high, kDistinctDraw);
    if (seen.insert(value).second) result.push_back(value);
  }
  return result;
}

}  // namespace relapse
