#include "isolation.hpp"

#include <harness/isolate/process_tree.hpp>
#include <sstream>
#include <thread>

namespace relapse {

using Clock = std::chrono::steady_clock;

IsolatorOptions test_options(SpawnMode mode) {
  IsolatorOptions options;
  options.worker = RELAPSE_CHILD_WORKER;
  options.spawn = mode;
  // Under a sanitizer a crash must stay a signal.
  options.zygote_environment = {
      {"ASAN_OPTIONS",
       "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:"
       "allocator_may_return_null=1"}};
  return options;
}

Isolator make_isolator(SpawnMode mode) {
  return std::move(Isolator::create(test_options(mode)).value());
}

Request request_for(const std::string& misbehaviour, std::vector<std::string> checks) {
  Request request;
  request.nonce = "8c1f";
  request.case_id = "a/case";
  request.device = "cpu";
  request.checks = std::move(checks);
  request.text = misbehaviour;
  return request;
}

void finish(Isolator& isolator, AttemptId id, Seen& seen) {
  auto until = Clock::now() + std::chrono::minutes(1);
  while (auto event = isolator.next(until)) {
    if (auto* started = std::get_if<AttemptStarted>(&*event)) {
      seen.order += 's';
      if (started->attempt == id) seen.pid = started->pid;
    } else if (auto* line = std::get_if<AttemptLine>(&*event)) {
      seen.order += 'l';
      if (line->attempt == id) seen.lines.push_back(std::move(*line));
    } else if (auto* lost = std::get_if<SpawnerLost>(&*event)) {
      seen.order += 'x';
      seen.lost.push_back(lost->why);
    } else if (auto* ended = std::get_if<AttemptEnded>(&*event)) {
      seen.order += 'e';
      if (ended->attempt != id) continue;
      seen.ended = true;
      seen.ending = std::move(ended->ending);
      return;
    }
  }
}

Seen run(Isolator& isolator, const Request& request, const AttemptLimits& limits) {
  Seen seen;
  auto id = isolator.start(request, limits);
  if (!id)
    seen.why_not_started = id.error().message;
  else
    finish(isolator, *id, seen);
  return seen;
}

std::vector<int> numbers_after(const std::string& word, const std::string& text) {
  std::vector<int> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(word + " ", 0) == 0) out.push_back(std::stoi(line.substr(word.size() + 1)));
  return out;
}

bool is_gone(int pid) {
  auto until = Clock::now() + std::chrono::seconds(15);
  for (;;) {
    auto facts = facts_of(pid);
    if (!facts || !facts->alive()) return true;
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

AttemptLimits limits_of(int timeout_ms, int grace_ms) {
  AttemptLimits limits;
  limits.timeout = std::chrono::milliseconds(timeout_ms);
  limits.grace = std::chrono::milliseconds(grace_ms);
  return limits;
}

}  // namespace relapse
