#include <harness/plan/check.hpp>
#include <harness/schedule/looks.hpp>

namespace relapse {
namespace {

const std::string kSanitizer(to_string(Mode::sanitizer));

}  // namespace

bool is_sanitizer(const std::string& mode) {
  return mode == kSanitizer || mode.rfind(kSanitizer + ":", 0) == 0;
}

std::vector<std::string> wrapper_for(const std::string& mode, const std::string& compute_sanitizer) {
  if (!is_sanitizer(mode)) return {};
  const std::string tool = mode == kSanitizer ? "memcheck" : mode.substr(kSanitizer.size() + 1);
  // Its own limit is 10,000 reports; a kernel that is wrong is wrong in every thread.
  return {compute_sanitizer, "--tool", tool, "--print-limit", "100"};
}

std::vector<std::string> looks_at(const Verdict& verdict, bool has_sanitizer) {
  if (!is_red(verdict.kind) || verdict.kind == VerdictKind::case_error ||
      verdict.kind == VerdictKind::infrastructure)
    return {};
  std::vector<std::string> looks;
  if (verdict.fault || !verdict.error.empty()) looks.emplace_back(look::kTraces);
  if (verdict.fault && *verdict.fault != FaultKind::hang) looks.emplace_back(look::kCoreDump);
  if (has_sanitizer) {
    looks.emplace_back(look::kMemcheck);
    looks.emplace_back(look::kRacecheck);
  }
  return looks;
}

std::string mode_of(const std::string& look) {
  return is_sanitizer(look) ? look : std::string(to_string(Mode::blocking));
}

std::vector<std::pair<std::string, std::string>> environment_of(const std::string& look,
                                                                const std::string& dump) {
  if (look == look::kTraces) return {{"TORCH_SHOW_CPP_STACKTRACES", "1"}};
  // CUDA-GDB documentation, "GPU core dump support".
  if (look == look::kCoreDump)
    return {{"CUDA_ENABLE_COREDUMP_ON_EXCEPTION", "1"}, {"CUDA_COREDUMP_FILE", dump}};
  return {};
}

}  // namespace relapse
