#include <fmt/format.h>

#include <array>
#include <charconv>
#include <harness/plan/shard.hpp>
#include <harness/support/text.hpp>
#include <tuple>

namespace relapse {
namespace {

constexpr int kMostShards = 1'000'000;

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Two variables that say index (from 0) and count.
struct Protocol {
  const char* name;
  const char* index;
  const char* count;
  const char* status;  ///< names a file to touch; empty: none
};
constexpr Protocol kProtocols[] = {
    {"relapse", "RELAPSE_SHARD_INDEX", "RELAPSE_SHARD_COUNT", ""},
    {"Bazel", "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", "TEST_SHARD_STATUS_FILE"},
    {"GoogleTest", "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", "GTEST_SHARD_STATUS_FILE"},
};

Result<std::optional<int>> read_number(const char* name, const Lookup& environment) {
  const std::optional<std::string> text = environment(name);
  if (!text || text->empty()) return std::optional<int>();
  const std::optional<int> value = number(*text);
  if (!value || *value < 0 || *value > kMostShards) {
    return fail(ErrorKind::usage,
                fmt::format("{}={}: expected a whole number from 0 to {}", name, *text, kMostShards));
  }
  return value;
}

/// Nothing when the protocol's variables are not set.
Result<std::optional<Shard>> read_protocol(const Protocol& protocol, const Lookup& environment) {
  const Result<std::optional<int>> index = read_number(protocol.index, environment);
  if (!index) return tl::make_unexpected(index.error());
  const Result<std::optional<int>> count = read_number(protocol.count, environment);
  if (!count) return tl::make_unexpected(count.error());
  // Bazel says 0 shards where a test is not divided.
  if (count->has_value() && **count == 0) return std::optional<Shard>();
  if (index->has_value() != count->has_value()) {
    const char* set = index->has_value() ? protocol.index : protocol.count;
    const char* unset = index->has_value() ? protocol.count : protocol.index;
    return fail(ErrorKind::usage,
                fmt::format("{} is set but {} is not: which part of the cases to run is not "
                            "known; set both, or give --shard k/n or --shard none",
                            set, unset));
  }
  if (!index->has_value()) return std::optional<Shard>();
  if (**index >= **count) {
    return fail(ErrorKind::usage, fmt::format("{}={} counts from 0 and must be below {}={}", protocol.index,
                                              **index, protocol.count, **count));
  }
  return std::optional<Shard>(Shard{**index + 1, **count, protocol.name});
}

/// An array may be for something else than sharding, so this is only read where it is asked for.
Result<std::optional<Shard>> read_slurm(const Lookup& environment) {
  constexpr const char *kId = "SLURM_ARRAY_TASK_ID", *kMin = "SLURM_ARRAY_TASK_MIN",
                       *kMax = "SLURM_ARRAY_TASK_MAX", *kCount = "SLURM_ARRAY_TASK_COUNT";
  std::optional<int> values[4];
  for (int i = 0; i < 4; ++i) {
    const Result<std::optional<int>> value =
        read_number(std::array{kId, kMin, kMax, kCount}[static_cast<std::size_t>(i)], environment);
    if (!value) return tl::make_unexpected(value.error());
    values[i] = *value;
  }
  const auto [id, min, max, count] = std::tie(values[0], values[1], values[2], values[3]);
  if (!id) return std::optional<Shard>();
  if (!min || !max || !count) {
    return fail(ErrorKind::usage, fmt::format("{} is set but not all of {}, {} and {}: set them, or give "
                                              "--shard k/n",
                                              kId, kMin, kMax, kCount));
  }
  const int range = *max - *min;
  const int step = *count > 1 ? range / (*count - 1) : 1;
  const bool regular = *count >= 1 && range >= 0 && step >= 1 && step * (*count - 1) == range &&
                       *id >= *min && *id <= *max && (*id - *min) % step == 0;
  if (!regular) {
    return fail(ErrorKind::usage,
                fmt::format("{}={} of {} tasks from {} to {}: the tasks of the array must lie at equal steps "
                            "to stand for shards; give --shard k/n",
                            kId, *id, *count, *min, *max));
  }
  return std::optional<Shard>(Shard{(*id - *min) / step + 1, *count, "Slurm"});
}

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::optional<int> index = number(std::string_view(text).substr(0, slash));
  const std::optional<int> count =
      slash == std::string::npos ? std::nullopt : number(std::string_view(text).substr(slash + 1));
  if (!index || !count) {
    return fail(ErrorKind::usage,
                fmt::format("--shard: expected k/n such as 2/5, auto or none, got {}", quoted(text)));
  }
  if (*count < 1 || *count > kMostShards || *index < 1 || *index > *count) {
    return fail(ErrorKind::usage,
                fmt::format("--shard {}: shards count from 1, so 1/{} is the first and {}/{} the last", text,
                            std::max(*count, 1), std::max(*count, 1), std::max(*count, 1)));
  }
  return Shard{*index, *count, "--shard"};
}

Result<ShardChoice> choose_shard(const std::string& option, const Lookup& environment) {
  ShardChoice choice;
  if (option == "none") return choice;
  if (!option.empty() && option != "auto") {
    Result<Shard> shard = parse_shard(option);
    if (!shard) return tl::make_unexpected(shard.error());
    choice.shard = std::move(*shard);
    return choice;
  }
  std::vector<Shard> said;
  for (const Protocol& protocol : kProtocols) {
    Result<std::optional<Shard>> shard = read_protocol(protocol, environment);
    if (!shard) return tl::make_unexpected(shard.error());
    if (!*shard) continue;
    said.push_back(**shard);
    if (choice.status_file.empty() && *protocol.status != 0)
      choice.status_file = environment(protocol.status).value_or("");
  }
  if (option == "auto") {
    Result<std::optional<Shard>> slurm = read_slurm(environment);
    if (!slurm) return tl::make_unexpected(slurm.error());
    if (*slurm) said.push_back(**slurm);
    if (said.empty()) {
      return fail(ErrorKind::usage,
                  "--shard auto: no scheduler says which part this is; RELAPSE_SHARD_INDEX (from 0) and "
                  "RELAPSE_SHARD_COUNT do, a Slurm array, Bazel's TEST_SHARD_INDEX and TEST_TOTAL_SHARDS, or "
                  "GoogleTest's GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS");
    }
  } else if (said.empty() && environment("SLURM_ARRAY_TASK_ID")) {
    choice.hint = "this is a task of a Slurm array, which runs all cases: --shard auto would divide them";
  }
  for (const Shard& shard : said) {
    if (shard.index == said.front().index && shard.count == said.front().count) continue;
    return fail(ErrorKind::usage,
                fmt::format("the environment contradicts itself: {} says shard {}/{}, {} says {}/{}; give "
                            "--shard k/n or --shard none",
                            said.front().from, said.front().index, said.front().count, shard.from,
                            shard.index, shard.count));
  }
  if (!said.empty()) choice.shard = said.front();
  return choice;
}

}  // namespace relapse
