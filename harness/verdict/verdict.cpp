#include <array>
#include <harness/verdict/verdict.hpp>

namespace relapse {
namespace {

constexpr std::array<std::pair<VerdictKind, std::string_view>, 13> kNames{{
    {VerdictKind::held, "held"},
    {VerdictKind::broken, "broken"},
    {VerdictKind::relapsed, "relapsed"},
    {VerdictKind::faulted, "faulted"},
    {VerdictKind::timed_out, "timed_out"},
    {VerdictKind::no_verdict, "no_verdict"},
    {VerdictKind::case_error, "case_error"},
    {VerdictKind::unstable, "unstable"},
    {VerdictKind::skipped, "skipped"},
    {VerdictKind::infrastructure, "infrastructure"},
    {VerdictKind::not_run, "not_run"},
    {VerdictKind::quarantined, "quarantined"},
    {VerdictKind::left_out, "left_out"},
}};

}  // namespace

std::string_view to_string(VerdictKind kind) {
  for (const auto& [value, name] : kNames) {
    if (value == kind) return name;
  }
  return "";
}

std::optional<VerdictKind> verdict_kind_from(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) return value;
  }
  return std::nullopt;
}

bool is_red(VerdictKind kind) {
  return kind != VerdictKind::held && kind != VerdictKind::skipped && kind != VerdictKind::not_run &&
         kind != VerdictKind::quarantined && kind != VerdictKind::left_out;
}

}  // namespace relapse
