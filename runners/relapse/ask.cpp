#include <fmt/format.h>

#include <harness/support/text.hpp>
#include <runners/relapse/ask.hpp>

namespace relapse {

Result<nlohmann::json> ask(Isolator& isolator, Request request) {
  request.nonce = "question";
  AttemptLimits limits;
  limits.timeout = std::chrono::seconds(30);
  const Result<AttemptId> id = isolator.start(request, limits);
  if (!id) return tl::make_unexpected(id.error());
  std::optional<nlohmann::json> body;
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (std::optional<IsolateEvent> event = isolator.next(until)) {
    if (const auto* line = std::get_if<AttemptLine>(&*event)) {
      if (const auto* answer = std::get_if<Answer>(&line->message)) body = answer->body;
    } else if (const auto* ended = std::get_if<AttemptEnded>(&*event)) {
      if (body && ended->ending.done) return *body;
      return fail(ErrorKind::infrastructure,
                  fmt::format("the worker gave no answer: exit status {}, signal {}{}",
                              ended->ending.exit_status, ended->ending.signal,
                              ended->ending.err.text.empty()
                                  ? ""
                                  : "; it printed " + relapse::quoted(ended->ending.err.text)));
    } else if (std::get_if<Interrupted>(&*event)) {
      return fail(ErrorKind::infrastructure, "interrupted");
    }
  }
  return fail(ErrorKind::infrastructure, "the worker gave no answer in time");
}

}  // namespace relapse
