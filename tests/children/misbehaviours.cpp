#include "misbehaviours.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <harness/isolate/wire.hpp>
#include <map>
#include <string>

namespace relapse {

namespace {

struct Child {
  const Request& request;
  int fd;
  long number;  ///< the argument, or 0

  void say(const Message& message) const { send_line(fd, to_json(message)); }
  void raw(const std::string& text) const {
    if (::write(fd, text.data(), text.size()) < 0) ::_exit(99);
  }
  void hello() const {
    say(Hello{kProtocolVersion, request.nonce, RELAPSE_VERSION, "none", request.device, {}, {}});
  }
  void check(const std::string& name) const {
    say(CheckStarted{name});
    observe(name);
  }
  void observe(const std::string& name) const {
    Observation observation;
    observation.check = name;
    observation.clauses_evaluated = 1;
    say(Observed{observation});
  }
  void done() const { say(Done{request.nonce, int(request.checks.size()), int(request.checks.size()), 0}); }
  void checks() const {
    for (const std::string& name : request.checks) check(name);
  }
  void behave() const {
    hello();
    checks();
    done();
  }
};

[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

/// Prints the id of a process on 1, where a test reads it.
void name(const char* what, pid_t pid) {
  std::printf("%s %d\n", what, int(pid));
  std::fflush(stdout);
}

/// A child that stays. It has made itself what `before` does when this returns.
pid_t leave_behind(const std::function<void()>& before) {
  int ready[2];
  if (::pipe2(ready, O_CLOEXEC) != 0) ::_exit(98);
  pid_t pid = ::fork();
  if (pid == 0) {
    before();
    if (::write(ready[1], "x", 1) != 1) ::_exit(98);
    ::close(ready[0]);
    ::close(ready[1]);
    wait_for_ever();
  }
  ::close(ready[1]);
  char byte;
  if (::read(ready[0], &byte, 1) != 1) ::_exit(98);
  ::close(ready[0]);
  return pid;
}

void rename_to(const char* name) {
  ::prctl(PR_SET_NAME, name);
}

int segfault(const Child&) {
  ::raise(SIGSEGV);
  return 0;
}

int ignore_term(const Child& child) {
  ::signal(SIGTERM, SIG_IGN);
  child.hello();
  wait_for_ever();
}

int leak_plain(const Child& child) {
  name("left", leave_behind([] { rename_to("left-plain"); }));
  child.behave();
  return 0;
}

int leak_session(const Child& child) {
  name("left", leave_behind([] {
         ::setsid();
         rename_to("left-session");
       }));
  child.behave();
  return 0;
}

/// The usual daemon: its parent is gone before the attempt is.
int leak_daemon(const Child& child) {
  pid_t middle = ::fork();
  if (middle == 0) {
    ::setsid();
    name("left", leave_behind([] { rename_to("left-daemon"); }));
    ::_exit(0);
  }
  ::waitpid(middle, nullptr, 0);
  child.behave();
  return 0;
}

/// A family: the one that is left has a child of its own, in a session of its own.
int leak_family(const Child& child) {
  name("left", leave_behind([] {
         ::setsid();
         rename_to("left-mother");
         name("left", leave_behind([] {
                ::setsid();
                rename_to("left-daughter");
              }));
       }));
  child.behave();
  return 0;
}

/// Dead and not waited for: nothing is left of it.
int leave_zombie(const Child& child) {
  pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  siginfo_t dead{};
  ::waitid(P_PID, id_t(pid), &dead, WEXITED | WNOWAIT);
  child.behave();
  return 0;
}

int flood(const Child& child) {
  std::string part(1 << 16, 'x');
  for (std::size_t sent = 0; sent < std::size_t(child.number) << 20; sent += part.size())
    if (::write(1, part.data(), part.size()) < 0) return 97;
  if (::write(1, "the end", 7) != 7) return 97;
  child.behave();
  return 0;
}

int bad_utf8(const Child& child) {
  if (::write(2,
              "a\xff\xfe"
              "b",
              4) != 4)
    return 97;
  child.hello();
  child.raw("{\"event\": \"check_started\", \"check\": \"\xff\"}\n");
  return 0;
}

int endless_line(const Child& child) {
  child.hello();
  std::string part(1 << 16, 'y');
  for (int i = 0; i < 160; ++i) child.raw(part);  // 10 MiB
  return 0;
}

/// Written without waiting: whoever does not read it must not be blocked by it.
int flood_protocol(const Child& child) {
  child.hello();
  for (long i = 0; i < child.number; ++i) child.raw("{\"event\": \"step_started\"}\n");
  return 0;
}

int eat_memory(const Child& child) {
  child.hello();
  std::size_t size = std::size_t(child.number) << 20;
  char* memory = static_cast<char*>(std::malloc(size));
  if (!memory) return 96;
  for (std::size_t i = 0; i < size; i += 4096) memory[i] = char(i);
  name("ate", ::getpid());
  wait_for_ever();
}

int touch_memory(const Child& child) {
  std::size_t size = std::size_t(child.number) << 20;
  char* memory = static_cast<char*>(std::malloc(size));
  if (!memory) return 96;
  for (std::size_t i = 0; i < size; i += 4096) memory[i] = char(i);
  child.behave();
  return 0;
}

/// What the process of an attempt is, one fact a line.
int describe(const Child& child) {
  std::printf("leader %d %d\n", ::getsid(0) == ::getpid(), ::getpgid(0) == ::getpid());
  char stdin_name[64] = {};
  std::printf("stdin %s\n",
              ::readlink("/proc/self/fd/0", stdin_name, sizeof stdin_name - 1) > 0 ? stdin_name : "?");
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  int blocked = 0, changed = 0;
  for (int number = 1; number < SIGRTMIN; ++number) {
    blocked += sigismember(&mask, number) == 1;
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) == 0) changed += action.sa_handler != SIG_DFL;
  }
  std::printf("signals blocked %d changed %d\n", blocked, changed);
  int open = 0;
  for (int fd = 3; fd < 1024; ++fd) open += fd != child.fd && ::fcntl(fd, F_GETFD) >= 0;
  std::printf("other descriptors %d\n", open);
  std::printf("protocol closed on exec %d\n", (::fcntl(child.fd, F_GETFD) & FD_CLOEXEC) != 0);
  int subreaper = 0, death = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
  ::prctl(PR_GET_PDEATHSIG, &death);
  std::printf("subreaper %d parent death %d\n", subreaper, death);
  rlimit core{1, 1};
  ::getrlimit(RLIMIT_CORE, &core);
  std::printf("core %d\n", core.rlim_cur != 0);
  const char* variable = std::getenv("RELAPSE_TEST_VARIABLE");
  std::printf("variable %s\n", variable ? variable : "none");
  char folder[4096] = {};
  std::printf("folder %s\n", ::getcwd(folder, sizeof folder) ? folder : "?");
  child.behave();
  return 0;
}

/// Answers `name` as a whole check that held.
void hold(const Child& child, const std::string& name) {
  Observation observation;
  observation.check = name;
  observation.clauses_evaluated = child.request.case_id == "by/checks" ? 1 : 100;
  child.say(Observed{observation});
}

/// `failing:raise-2` does what `raise` says.
std::string deed_of(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  const std::string last = colon == std::string::npos ? name : name.substr(colon + 1);
  return last.substr(0, last.find_first_of(" -"));
}

TensorFacts some_facts() {
  TensorFacts facts;
  facts.name = "logits";
  facts.dtype = "float32";
  facts.shape = {64, 48};
  facts.strides = {48, 1};
  facts.min = "-2.2";
  facts.max = "2.8";
  facts.finite = true;
  return facts;
}

/// Checks that are answered without running anything: what they would have shown.
bool pretends(const Child& child, const std::string& what, const std::string& name) {
  Observation observation;
  observation.check = name;
  observation.clauses_evaluated = 100;
  observation.inputs = {some_facts()};
  if (what == "raise" || what == "type") {
    observation.kind = ObservedKind::raised;
    observation.step = 0;
    observation.raised.emplace();
    observation.raised->error = what == "raise" ? ErrorClass::index_error : ErrorClass::type_error;
    observation.raised->type = what == "raise" ? "c10::IndexError" : "c10::TypeError";
    observation.raised->text = what == "raise" ? "Target 3 is out of bounds." : "expected Long but got Float";
  } else if (what == "contradict") {
    observation.kind = ObservedKind::case_error;
    observation.reason = "the input breaks a clause of requires";
  } else if (what == "wrong") {
    Breach breach;
    breach.clause = "loss.same_as";
    breach.pos = {20, 47};
    breach.promised = "loss.same_as: a reference";
    breach.seen = "96 of 3,072 elements differ; worst at [17, 2]: 65504 where 61440 was due (off by 6.6 %)";
    MismatchPicture picture;
    picture.shape = {64, 48};
    picture.rows = picture.columns = 32;
    for (int cell = 0; cell < 32 * 32; ++cell)
      picture.counts.push_back(cell / 32 == 8 || cell / 32 == 9 ? (cell % 4 == 0 ? 6 : 0) : 0);
    picture.decade = -4;
    picture.errors = {60, 20, 0, 6, 0, 0, 0, 8};
    picture.unmeasured = 2;
    breach.picture = picture;
    observation.broken = {breach};
  } else {
    return false;
  }
  child.say(Observed{observation});
  return true;
}

/// Output without end, until somebody ends it.
[[noreturn]] void print_for_ever() {
  const std::string line = "::error::printed by a child\n##[error]also\n</script><script>alert(1)</script>\n";
  for (;;)
    if (::write(2, line.data(), line.size()) < 0) ::_exit(97);
}

/// What each check does is the first word of its name: `hold`, `break`, `crash`, `hang`, `exit`, `half`;
/// `late` holds and then hangs without the token; `turn FILE` holds in the first process, which makes the
/// file, and is broken from then on (without FILE: one of the case's in RELAPSE_TEST_FOLDER); `print` never
/// stops printing; `raise`, `type`, `contradict` and `wrong` pretend to have seen that. For schedulers and
/// reports, which send no text.
int by_checks(const Child& child) {
  child.hello();
  for (const std::string& name : child.request.checks) {
    const std::size_t blank = name.find(' ');
    const std::string what = deed_of(name);
    std::string file = blank == std::string::npos ? "" : name.substr(blank + 1);
    if (const char* folder = std::getenv("RELAPSE_TEST_FOLDER"); folder && file.empty())
      file = std::string(folder) + "/turn-" + child.request.case_id.substr(3);
    child.say(CheckStarted{name});
    if (child.request.case_id != "by/checks")
      child.say(StepStarted{name, {0, "loss = cross_entropy_loss(logits, target)", {13, 5}, {some_facts()}}});
    if (pretends(child, what, name)) continue;
    if (what == "print") print_for_ever();
    bool breaks = what == "break";
    if (what == "turn") {
      const int made = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
      breaks = made < 0;
      if (made >= 0) ::close(made);
    }
    if (what == "crash") ::raise(SIGSEGV);
    if (what == "hang") wait_for_ever();
    if (what == "exit") return 7;
    if (what == "half") {
      child.raw("{\"event\": \"obs");
      return 0;
    }
    if (breaks) {
      Observation observation;
      observation.check = name;
      Breach breach;
      breach.clause = "y.same_as";
      breach.seen = "0 where 1 was due";
      observation.broken = {breach};
      child.say(Observed{observation});
    } else {
      hold(child, name);
    }
    if (what == "late") wait_for_ever();
  }
  child.done();
  return 0;
}

using Body = int (*)(const Child&);

const std::map<std::string, Body>& bodies() {
  static const std::map<std::string, Body> table{
      {"", [](const Child& child) { return child.behave(), 0; }},
      {"exit", [](const Child& child) { return child.hello(), int(child.number); }},
      {"exit-early",
       [](const Child& child) {
         return child.hello(), child.say(CheckStarted{child.request.checks.at(0)}), 0;
       }},
      {"segfault", segfault},
      {"abort",
       [](const Child& child) {
         child.hello();
         std::fputs("about to abort", stdout);  // without a line end: it must not stay in a buffer
         std::fflush(stdout);
         std::abort();
         return 0;
       }},
      {"hang", [](const Child& child) -> int { child.hello(), name("hangs", ::getpid()), wait_for_ever(); }},
      {"ignore-term", ignore_term},
      {"stop", [](const Child& child) { return child.hello(), ::raise(SIGSTOP), 0; }},
      {"leak-plain", leak_plain},
      {"leak-session", leak_session},
      {"leak-daemon", leak_daemon},
      {"leak-family", leak_family},
      {"leak-and-hang",
       [](const Child& child) -> int { leak_family(child), name("hangs", ::getpid()), wait_for_ever(); }},
      {"zombie", leave_zombie},
      {"flood", flood},
      {"bad-utf8", bad_utf8},
      {"endless-line", endless_line},
      {"flood-protocol", flood_protocol},
      {"done-twice", [](const Child& child) { return child.behave(), child.done(), 0; }},
      {"line-after-done", [](const Child& child) { return child.behave(), child.hello(), 0; }},
      {"half-after-done", [](const Child& child) { return child.behave(), child.raw("{\"event\":"), 0; }},
      {"wrong-hello",
       [](const Child& child) {
         return child.say(Hello{kProtocolVersion, "guess", "", "", "", {}, {}}), 0;
       }},
      {"wrong-done",
       [](const Child& child) {
         return child.hello(), child.checks(),
                child.say(Done{"guess", int(child.request.checks.size()), 0, 0}), 0;
       }},
      {"wrong-count",
       [](const Child& child) {
         return child.hello(), child.checks(), child.say(Done{child.request.nonce, 7, 0, 0}), 0;
       }},
      {"no-hello", [](const Child& child) { return child.checks(), child.done(), 0; }},
      {"half-line", [](const Child& child) { return child.hello(), child.raw("{\"event\": \"check_st"), 0; }},
      {"not-json", [](const Child& child) { return child.hello(), child.raw("Segmentation fault\n"), 0; }},
      {"not-asked",
       [](const Child& child) { return child.hello(), child.check("surprise"), child.done(), 0; }},
      {"not-started",
       [](const Child& child) {
         return child.hello(), child.observe(child.request.checks.at(0)), child.done(), 0;
       }},
      {"observe-twice",
       [](const Child& child) {
         return child.hello(), child.checks(), child.observe(child.request.checks.at(0)), child.done(), 0;
       }},
      {"close-protocol",
       [](const Child& child) -> int {
         child.hello(), ::close(child.fd), name("lives", ::getpid()), wait_for_ever();
       }},
      {"answer",
       [](const Child& child) {
         return child.hello(), child.say(Answer{{{"text", "42"}}}),
                child.say(Done{child.request.nonce, 0, 0, 0}), 0;
       }},
      {"eat", eat_memory},
      {"touch", touch_memory},
      {"describe", describe},
  };
  return table;
}

}  // namespace

int misbehave(const Request& request, int protocol_fd) {
  if (request.case_id.rfind("by/", 0) == 0) return by_checks(Child{request, protocol_fd, 0});
  std::string name = request.text.substr(0, request.text.find(' '));
  long number = name.size() < request.text.size() ? std::atol(request.text.c_str() + name.size()) : 0;
  auto body = bodies().find(name);
  if (body == bodies().end()) {
    std::fprintf(stderr, "no such misbehaviour: %s\n", name.c_str());
    return 95;
  }
  return body->second(Child{request, protocol_fd, number});
}

}  // namespace relapse
