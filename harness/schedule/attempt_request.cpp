#include <fmt/format.h>
#include <sys/random.h>

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
  // A device maps huge address ranges, so only the CPU has a limit on data.
  if (job.device == "cpu") request.memory_limit = job.kase->limits.memory.value_or(kDefaultMemory);
  return request;
}

AttemptLimits attempt_limits(const Job& job, std::optional<double> timeout, bool sanitized) {
  AttemptLimits limits;
  const double standard = job.device == "cpu" ? kCpuTimeout : kDeviceTimeout;
  const double factor = sanitized ? kSanitizerFactor : 1;
  const double seconds = factor * timeout.value_or(job.kase->limits.timeout.value_or(standard));
  limits.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  limits.resident_memory = job.kase->limits.memory.value_or(kDefaultMemory) + kResidentSlack;
  if (sanitized) limits.resident_memory *= static_cast<std::uint64_t>(kSanitizerFactor);
  limits.output = job.kase->limits.output.value_or(limits.output);
  return limits;
}

}  // namespace relapse
