#include <fmt/format.h>

#include <algorithm>
#include <harness/isolate/protocol_check.hpp>
#include <harness/support/text.hpp>

namespace relapse {

ProtocolCheck::ProtocolCheck(const Request& request) : kind_(request.kind), nonce_(request.nonce) {
  for (const std::string& check : request.checks) checks_.emplace(check, Stage::asked);
}

bool ProtocolCheck::accept(const Message& message) {
  if (!error_.empty()) return false;
  if (done_) {
    error_ = std::holds_alternative<Done>(message) ? "`done` came twice" : "a line after `done`";
  } else if (!greeted_ && !std::holds_alternative<Hello>(message)) {
    error_ = "the first line is not `hello`";
  } else {
    std::visit([this](const auto& one) { see(one); }, message);
  }
  return error_.empty();
}

void ProtocolCheck::refuse(std::string why) {
  if (!error_.empty()) return;
  error_ = (done_ ? "a line after `done`: " : "a line that is no message: ") + std::move(why);
}

void ProtocolCheck::end(const std::string& rest) {
  if (!rest.empty() && error_.empty()) error_ = fmt::format("half a line at the end: {}", quoted(rest, 80));
}

void ProtocolCheck::see(const Hello& hello) {
  if (greeted_)
    error_ = "`hello` came twice";
  else if (hello.protocol != kProtocolVersion)
    error_ = fmt::format("protocol {}, expected {}: relapse and relapse-worker are of different versions",
                         hello.protocol, kProtocolVersion);
  else if (hello.nonce != nonce_)
    error_ = "`hello` with a wrong nonce";
  greeted_ = true;
}

void ProtocolCheck::see(const Loading&) {
  for (const auto& [name, stage] : checks_)
    if (stage != Stage::asked) error_ = "`loading` after a check has started";
}

void ProtocolCheck::see(const CheckStarted& started) {
  auto check = checks_.find(started.check);
  if (check == checks_.end())
    error_ = fmt::format("`check_started` of {}, which was not asked", quoted(started.check, 80));
  else if (check->second != Stage::asked)
    error_ = fmt::format("`check_started` of {} came twice", quoted(started.check, 80));
  else
    check->second = Stage::started;
}

void ProtocolCheck::see(const StepStarted& started) {
  auto check = checks_.find(started.check);
  if (check == checks_.end() || check->second != Stage::started)
    error_ = fmt::format("`step_started` of {}, which is not running", quoted(started.check, 80));
}

void ProtocolCheck::see(const Observed& observed) {
  const std::string& name = observed.observation.check;
  auto check = checks_.find(name);
  if (check == checks_.end())
    error_ = fmt::format("`observation` of {}, which was not asked", quoted(name, 80));
  else if (check->second == Stage::asked)
    error_ = fmt::format("`observation` of {}, which was not started", quoted(name, 80));
  else if (check->second == Stage::answered)
    error_ = fmt::format("`observation` of {} came twice", quoted(name, 80));
  else
    check->second = Stage::answered;
}

void ProtocolCheck::see(const Answer&) {
  if (kind_ == RequestKind::attempt) error_ = "`answer`, which was not asked";
}

void ProtocolCheck::see(const Done& done) {
  auto answered =
      std::count_if(checks_.begin(), checks_.end(), [](auto& one) { return one.second == Stage::answered; });
  if (done.nonce != nonce_)
    error_ = "`done` with a wrong nonce";
  else if (done.checks != answered)
    error_ = fmt::format("`done` counts {} checks, {} were answered", done.checks, answered);
  done_ = true;
}

}  // namespace relapse
