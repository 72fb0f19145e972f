#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>

#include <harness/schedule/attempt_request.hpp>
#include <harness/schedule/looks.hpp>

namespace relapse {
namespace {

constexpr double kCpuTimeout = 60;
constexpr double kDeviceTimeout = 120;
/// compute-sanitizer instruments every access.
constexpr double kSanitizerFactor = 10;
constexpr std::uint64_t kDefaultMemory = std::uint64_t{4} << 30;
/// Above the data limit a child may hold its libraries and stacks; the resident set is only the second line
/// of defence.
constexpr std::uint64_t kResidentSlack = std::uint64_t{1} << 30;

/// A stranger's case may ask for less than the usual limits, not for more.
std::uint64_t memory_of(const Job& job) {
  const std::uint64_t own = job.kase->limits.memory.value_or(kDefaultMemory);
  return job.data_only ? std::min(own, kDefaultMemory) : own;
}

}  // namespace

std::string random_nonce() {
  unsigned char bytes[16] = {};
  if (getrandom(bytes, sizeof(bytes), 0) != static_cast<ssize_t>(sizeof(bytes))) return {};
  std::string nonce;
  for (const unsigned char byte : bytes) nonce += fmt::format("{:02x}", byte);
  return nonce;
}

Request attempt_request(const Job& job, const std::vector<std::string>& checks, const std::string& look,
                        const std::string& compute_sanitizer) {
  Request request;
  request.kind = RequestKind::attempt;
  request.nonce = random_nonce();
  request.case_file = job.file;
  request.case_id = job.kase->id;
  request.case_hash = job.hash;
  request.device = job.device;
  request.mode = look.empty() ? job.mode : mode_of(look);
  request.wrapper = wrapper_for(request.mode, compute_sanitizer);
  request.role = job.role;
  request.checks = checks;
  request.threads = 1;
  if (job.data_only) {
    request.data_only = true;
    request.cpu_seconds = static_cast<unsigned>(attempt_limits(job, {}, false).timeout.count() / 1000) + 1;
  }
  // A device maps huge address ranges, so only the CPU has a limit on data.
  if (job.device == "cpu") request.memory_limit = memory_of(job);
  return request;
}

AttemptLimits attempt_limits(const Job& job, std::optional<double> timeout, bool sanitized) {
  AttemptLimits limits;
  const double standard = job.device == "cpu" ? kCpuTimeout : kDeviceTimeout;
  const double factor = sanitized ? kSanitizerFactor : 1;
  double own = job.kase->limits.timeout.value_or(standard);
  if (job.data_only) own = std::min(own, standard);
  const double seconds = factor * timeout.value_or(own);
  limits.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  limits.resident_memory = memory_of(job) + kResidentSlack;
  if (sanitized) limits.resident_memory *= static_cast<std::uint64_t>(kSanitizerFactor);
  const std::uint64_t output = job.kase->limits.output.value_or(limits.output);
  limits.output = job.data_only ? std::min(output, limits.output) : output;
  return limits;
}

}  // namespace relapse
