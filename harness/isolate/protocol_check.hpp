#pragma once

// Is what a child says an answer to what it was asked? Sees every message in order and finds the first that
// cannot be. A child that broke the protocol once is not believed any more. Knows no processes.

#include <harness/isolate/request.hpp>
#include <harness/isolate/wire.hpp>
#include <map>
#include <string>

namespace relapse {

class ProtocolCheck {
 public:
  explicit ProtocolCheck(const Request& request);

  /// False: the message breaks the protocol, `error()` says how.
  bool accept(const Message& message);
  /// The line is no message at all.
  void refuse(std::string why);
  /// Nothing comes any more; `rest` is what stood after the last line end.
  void end(const std::string& rest);

  const std::string& error() const { return error_; }
  /// The token came, and nothing spoke against it.
  bool done() const { return done_ && error_.empty(); }

 private:
  enum class Stage : std::uint8_t { asked, started, answered };

  void see(const Hello& hello);
  void see(const Loading& loading);
  void see(const CheckStarted& started);
  void see(const StepStarted& started);
  void see(const Observed& observed);
  void see(const Answer& answer);
  void see(const Done& done);

  RequestKind kind_;
  std::string nonce_;
  std::map<std::string, Stage, std::less<>> checks_;
  bool greeted_ = false, done_ = false;
  std::string error_;
};

}  // namespace relapse
