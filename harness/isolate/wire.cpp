// The writing half: values to JSON, JSON to one line on a descriptor. Members that hold their default are
// left out.

#include <poll.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <harness/isolate/json_members.hpp>
#include <harness/isolate/wire.hpp>
#include <harness/support/text.hpp>

namespace relapse {

using nlohmann::json;

namespace {

void put(json& out, const char* name, const std::string& text) {
  if (!text.empty()) out[name] = to_valid_utf8(text);
}

void put(json& out, const char* name, SourcePos pos) {
  if (pos != SourcePos{}) out[name] = {pos.line, pos.column};
}

void put(json& out, const char* name, std::int64_t value, std::int64_t absent) {
  if (value != absent) out[name] = value;
}

json to_json(const Raised& raised) {
  json out{{"error", std::string(to_string(raised.error))}};
  put(out, "type", raised.type);
  put(out, "text", raised.text);
  if (raised.code) out["code"] = *raised.code;
  return out;
}

json to_json(const DeviceState& state) {
  json out = json::object();
  if (state.code) out["code"] = *state.code;
  put(out, "text", state.text);
  if (state.sticky) out["sticky"] = true;
  return out;
}

json to_json(const ResultDigest& digest) {
  return {{"facts", to_json(digest.facts)}, {"hash", to_valid_utf8(digest.hash)}};
}

template <class T>
void put_list(json& out, const char* name, const std::vector<T>& list) {
  if (list.empty()) return;
  json& array = out[name] = json::array();
  for (const T& item : list) array.push_back(to_json(item));
}

json event(const Hello& hello) {
  return {{"event", "hello"},
          {"protocol", hello.protocol},
          {"nonce", to_valid_utf8(hello.nonce)},
          {"worker_version", to_valid_utf8(hello.worker_version)},
          {"torch_version", to_valid_utf8(hello.torch_version)},
          {"device", to_valid_utf8(hello.device)},
          {"environment", json_pairs(hello.environment)},
          {"settings", json_pairs(hello.settings)}};
}
json event(const Loading& loading) {
  return {{"event", "loading"}, {"library", to_valid_utf8(loading.library)}};
}

json event(const CheckStarted& started) {
  return {{"event", "check_started"}, {"check", to_valid_utf8(started.check)}};
}
json event(const StepStarted& started) {
  return {
      {"event", "step_started"}, {"check", to_valid_utf8(started.check)}, {"step", to_json(started.step)}};
}
json event(const Observed& observed) {
  return {{"event", "observation"}, {"observation", to_json(observed.observation)}};
}
json event(const Answer& answer) {
  return {{"event", "answer"}, {"body", answer.body}};
}
json event(const Done& done) {
  return {{"event", "done"},
          {"nonce", to_valid_utf8(done.nonce)},
          {"checks", done.checks},
          {"clauses_evaluated", done.clauses_evaluated},
          {"guards_reached", done.guards_reached}};
}

/// Keeps a write to a pipe without a reader from ending this process: the caller learns it by EPIPE instead.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipeSignal() {
    if (broken_ && !was_pending_) {
      const timespec at_once{};
      while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;
  void was_broken() { broken_ = true; }

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false, broken_ = false;
};

}  // namespace

json to_json(const TensorFacts& facts) {
  json out = json::object();
  put(out, "name", facts.name);
  put(out, "dtype", facts.dtype);
  if (!facts.dtype.empty()) {
    out["shape"] = facts.shape;
    out["strides"] = facts.strides;
  }
  put(out, "offset", facts.offset, 0);
  put(out, "device", facts.device);
  if (facts.requires_grad) out["requires_grad"] = true;
  put(out, "min", facts.min);
  put(out, "max", facts.max);
  if (facts.finite) out["finite"] = *facts.finite;
  put(out, "nans", facts.nans, 0);
  put(out, "text", facts.text);
  return out;
}

json to_json(const MismatchPicture& picture) {
  json out{{"shape", picture.shape},
           {"grid", {picture.rows, picture.columns}},
           {"counts", picture.counts},
           {"decade", picture.decade},
           {"errors", picture.errors}};
  put(out, "unmeasured", picture.unmeasured, 0);
  return out;
}

json to_json(const Breach& breach) {
  json out{{"clause", to_valid_utf8(breach.clause)}};
  put(out, "pos", breach.pos);
  put(out, "promised", breach.promised);
  put(out, "seen", breach.seen);
  for (const std::string& detail : breach.details) out["details"].push_back(to_valid_utf8(detail));
  if (breach.picture) out["picture"] = to_json(*breach.picture);
  return out;
}

json to_json(const StepRecord& step) {
  json out{{"index", step.index}};
  put(out, "batch", step.batch);
  put(out, "text", step.text);
  put(out, "pos", step.pos);
  put_list(out, "inputs", step.inputs);
  return out;
}

json to_json(const Observation& observation) {
  json out{{"check", to_valid_utf8(observation.check)},
           {"kind", std::string(to_string(observation.kind))},
           {"clauses_evaluated", observation.clauses_evaluated},
           {"guards_reached", observation.guards_reached},
           {"guards_expected", observation.guards_expected},
           {"seconds", json_number(observation.seconds)}};
  put(out, "batch", observation.batch);
  if (observation.raised) out["raised"] = to_json(*observation.raised);
  if (observation.device) out["device"] = to_json(*observation.device);
  put(out, "rejected_by", observation.rejected_by);
  if (observation.rejection) out["rejection"] = to_json(*observation.rejection);
  put(out, "step", observation.step, -1);
  put_list(out, "requires_broken", observation.requires_broken);
  put_list(out, "broken", observation.broken);
  if (!observation.usable_after) out["usable_after"] = false;
  put(out, "reason", observation.reason);
  put(out, "reason_pos", observation.reason_pos);
  put_list(out, "inputs", observation.inputs);
  put_list(out, "results", observation.results);
  return out;
}

json to_json(const Message& message) {
  return std::visit([](const auto& one) { return event(one); }, message);
}

namespace {

bool send_all(int fd, std::string_view line) {
  NoBrokenPipeSignal no_signal;
  std::size_t written = 0;
  while (written < line.size()) {
    ssize_t n = ::write(fd, line.data() + written, line.size() - written);
    if (n >= 0) {
      written += std::size_t(n);
    } else if (errno == EAGAIN) {
      pollfd room{fd, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      if (errno == EPIPE) no_signal.was_broken();
      return false;
    }
  }
  return true;
}

}  // namespace

bool send_line(int fd, const json& value) {
  return send_all(fd, dump_line(value) + '\n');
}

void LineWriter::add(const json& value) {
  waiting_ += dump_line(value);
  waiting_ += '\n';
}

bool LineWriter::flush() {
  if (waiting_.empty()) return true;
  const bool sent = send_all(fd_, waiting_);
  waiting_.clear();
  return sent;
}

}  // namespace relapse
