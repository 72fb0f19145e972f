#include <fmt/format.h>

#include <harness/schedule/canary.hpp>
#include <harness/support/text.hpp>
#include <harness/verdict/signals.hpp>

namespace relapse {
namespace {

/// A context on a cold machine takes seconds; a device that does not add 64 numbers in this time does not
/// work.
constexpr std::chrono::seconds kCanaryTime{30};

}  // namespace

Request canary_request(const DeviceKind& kind, const DeviceSlot& slot, std::string nonce) {
  Request request;
  request.kind = RequestKind::canary;
  request.nonce = std::move(nonce);
  request.device = kind.kind;
  request.libraries = kind.libraries;
  request.environment = device_environment(
      "blocking", slot.visible.empty() ? std::vector<std::string>{} : std::vector<std::string>{slot.visible});
  return request;
}

AttemptLimits canary_limits() {
  AttemptLimits limits;
  limits.timeout = kCanaryTime;
  return limits;
}

void CanaryAnswer::take(const Message& message) {
  if (const auto* loading = std::get_if<Loading>(&message)) loading_ = loading->library;
  const auto* answer = std::get_if<Answer>(&message);
  if (!answer) return;
  answered_ = true;
  well_ = answer->body.value("well", false);
  why_ = answer->body.value("why", "");
}

std::string CanaryAnswer::why_sick(const Ending& ending) const {
  if (answered_ && well_ && ending.done && ending.protocol_error.empty()) return {};
  if (answered_ && !well_) return why_.empty() ? "it gave a wrong answer" : why_;
  if (ending.cause == EndCause::deadline) return fmt::format("no answer after {:.0f} s", ending.seconds);
  std::string end = ending.signal != 0
                        ? "it died by " + signal_name(ending.signal)
                        : fmt::format("it ended with exit status {} and gave no answer", ending.exit_status);
  if (!answered_ && !loading_.empty()) end += fmt::format(" while {} was loaded", loading_);
  const std::string_view last = last_line(ending.err.text);
  return last.empty() ? end : fmt::format("{}: {}", end, last);
}

}  // namespace relapse
