// One warm zygote for many relapse processes.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <harness/isolate/process_tree.hpp>
#include <harness/isolate/server.hpp>
#include <thread>

#include "isolation.hpp"

namespace relapse {
namespace {

using Clock = std::chrono::steady_clock;

class Server : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/relapse-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder = name;
    options.worker = RELAPSE_CHILD_WORKER;
    options.socket = folder + "/run/s.sock";
  }
  void TearDown() override {
    auto stopped = stop_server(options.socket);
    EXPECT_TRUE(stopped) << stopped.error().message;
    std::filesystem::remove_all(folder);
  }
  /// Nobody holds the server's lock any more: it is gone, and its keeper with all below.
  bool lock_is_free() const {
    int fd = ::open((options.socket + ".lock").c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return true;
    bool free = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
    ::close(fd);
    return free;
  }
  bool ends() const {
    auto until = Clock::now() + std::chrono::seconds(20);
    while (!lock_is_free()) {
      if (Clock::now() >= until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  Isolator client() const {
    IsolatorOptions of_client;
    of_client.worker = "/nowhere/own-worker";  // whoever answers, it is the server
    of_client.server_socket = options.socket;
    return std::move(Isolator::create(of_client).value());
  }

  std::string folder;
  ServerOptions options;
};

TEST_F(Server, ServesClientsThatHaveNoWorkerOfTheirOwn) {
  auto started = start_server(options);
  ASSERT_TRUE(started) << started.error().message;
  for (int i = 0; i < 3; ++i) {
    Isolator isolator = client();
    Seen seen = run(isolator, request_for(""));
    EXPECT_TRUE(seen.ending.done) << seen.why_not_started;
    EXPECT_NE(facts_of(::getpid())->pid, seen.pid);
  }
}

TEST_F(Server, RunsAttemptsOfSeveralClientsAtOnceAndKeepsThemApart) {
  ASSERT_TRUE(start_server(options));
  Isolator first = client(), second = client();
  auto hanging = first.start(request_for("hang"), {});
  ASSERT_TRUE(hanging) << hanging.error().message;
  EXPECT_EQ(run(second, request_for("exit 5")).ending.exit_status, 5);
  EXPECT_EQ(first.running(), 1u);
  first.stop(*hanging, EndCause::interrupted);
  Seen seen;
  finish(first, *hanging, seen);
  EXPECT_EQ(seen.ending.signal, SIGTERM);
}

TEST_F(Server, RunsAttemptsInTheFolderOfTheirClient) {
  ASSERT_TRUE(start_server(options));
  Isolator isolator = client();
  Seen seen = run(isolator, request_for("describe"));
  EXPECT_NE(seen.ending.out.text.find("folder " + std::filesystem::current_path().string() + "\n"),
            std::string::npos)
      << seen.ending.out.text;
}

TEST_F(Server, EndsTheAttemptsOfAClientThatIsGone) {
  ASSERT_TRUE(start_server(options));
  int pid = 0;
  {
    Isolator isolator = client();
    ASSERT_TRUE(isolator.start(request_for("ignore-term"), {}));
    auto started = isolator.next(Clock::now() + std::chrono::minutes(1));
    ASSERT_TRUE(started);
    pid = std::get<AttemptStarted>(*started).pid;
  }
  EXPECT_TRUE(is_gone(pid));
  Isolator another = client();
  EXPECT_TRUE(run(another, request_for("")).ending.done) << "the server lives on";
}

TEST_F(Server, StartedAgainIsLeftAlone) {
  ASSERT_TRUE(start_server(options));
  ASSERT_TRUE(start_server(options));
  Isolator isolator = client();
  Seen first = run(isolator, request_for(""));
  EXPECT_TRUE(first.ending.done);
}

TEST_F(Server, StartedTwiceAtOnceIsOne) {
  // Each process says whether it succeeded.
  std::vector<pid_t> starters;
  for (int i = 0; i < 4; ++i) {
    pid_t pid = ::fork();
    if (pid == 0) ::_exit(start_server(options) ? 0 : 1);
    starters.push_back(pid);
  }
  for (pid_t pid : starters) {
    int status = -1;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  Isolator first = client(), second = client();
  auto parent_of_attempt = [](Isolator& isolator) {
    auto id = isolator.start(request_for("hang"), {});
    auto started = isolator.next(Clock::now() + std::chrono::minutes(1));
    return facts_of(std::get<AttemptStarted>(started.value()).pid)->parent;
  };
  EXPECT_EQ(parent_of_attempt(first), parent_of_attempt(second));
}

TEST_F(Server, EndsByItselfWhenNobodyComes) {
  options.idle_limit = std::chrono::seconds(1);
  ASSERT_TRUE(start_server(options));
  EXPECT_FALSE(lock_is_free());
  EXPECT_TRUE(ends());
  EXPECT_FALSE(std::filesystem::exists(options.socket));
}

TEST_F(Server, StaysWhileAClientIsConnected) {
  options.idle_limit = std::chrono::seconds(1);
  ASSERT_TRUE(start_server(options));
  Isolator isolator = client();
  EXPECT_TRUE(run(isolator, request_for("")).ending.done);
  EXPECT_FALSE(isolator.next(Clock::now() + std::chrono::milliseconds(1500)));
  EXPECT_TRUE(run(isolator, request_for("")).ending.done);
}

TEST_F(Server, StoppedTakesEverythingWithIt) {
  ASSERT_TRUE(start_server(options));
  Isolator isolator = client();
  auto id = isolator.start(request_for("leak-and-hang"), {});
  ASSERT_TRUE(id);
  auto started = isolator.next(Clock::now() + std::chrono::minutes(1));
  ASSERT_TRUE(started);
  int pid = std::get<AttemptStarted>(*started).pid;
  auto stopped = stop_server(options.socket);
  EXPECT_TRUE(stopped) << stopped.error().message;
  EXPECT_TRUE(lock_is_free());
  EXPECT_TRUE(is_gone(pid));
  Seen seen;
  finish(isolator, *id, seen);
  EXPECT_EQ(seen.ending.cause, EndCause::lost);
  EXPECT_EQ(seen.lost, (std::vector<std::string>{"the zygote of the server is gone"}));
}

TEST_F(Server, StoppingNoneIsNoError) {
  EXPECT_TRUE(stop_server(options.socket));
}

TEST_F(Server, ThatIsGoneIsReplacedByAnOwnZygote) {
  IsolatorOptions of_client = test_options(SpawnMode::fork);
  of_client.zygote_environment.clear();
  of_client.server_socket = options.socket;
  Isolator isolator = std::move(Isolator::create(of_client).value());
  EXPECT_TRUE(run(isolator, request_for("")).ending.done) << "none ever ran";
  ASSERT_TRUE(start_server(options));
  Isolator served = std::move(Isolator::create(of_client).value());
  EXPECT_TRUE(run(served, request_for("")).ending.done);
  ASSERT_TRUE(stop_server(options.socket));
  Seen seen = run(served, request_for(""));
  EXPECT_EQ(seen.lost.size(), 1u);
  EXPECT_TRUE(seen.ending.done) << seen.why_not_started;
}

TEST_F(Server, ReplacesAStaleSocket) {
  ASSERT_EQ(::mkdir((folder + "/run").c_str(), 0700), 0);
  std::ofstream(options.socket) << "not a socket";
  EXPECT_EQ(connect_to_server(options.socket), -1);
  auto started = start_server(options);
  ASSERT_TRUE(started) << started.error().message;
  Isolator isolator = client();
  EXPECT_TRUE(run(isolator, request_for("")).ending.done);
}

TEST_F(Server, RefusesAFolderThatOthersMayEnter) {
  ASSERT_EQ(::mkdir((folder + "/run").c_str(), 0700), 0);
  ASSERT_EQ(::chmod((folder + "/run").c_str(), 0755), 0);
  auto started = start_server(options);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message,
            "the folder \"" + folder +
                "/run\" is not safe for a server: others may enter it. Remove it, or set "
                "XDG_RUNTIME_DIR to a folder of your own.");
}

TEST_F(Server, SaysWhyItsWorkerCannotStart) {
  ::setenv("RELAPSE_TEST_START", "fail", 1);
  auto started = start_server(options);
  ::unsetenv("RELAPSE_TEST_START");
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message,
            "the worker \"" RELAPSE_CHILD_WORKER
            "\" exited with status 3 before it was ready. It printed:\n"
            "  error while loading shared libraries: libexample.so.1: cannot open shared object file\n"
            "`relapse doctor` says what is missing.");
  EXPECT_TRUE(ends());
}

TEST_F(Server, SurvivesTheEndOfWhoeverStartedItButNotItsOwnKill) {
  pid_t starter = ::fork();
  if (starter == 0) ::_exit(start_server(options) ? 0 : 1);
  int status = -1;
  ::waitpid(starter, &status, 0);
  ASSERT_EQ(status, 0);
  Isolator isolator = client();
  auto id = isolator.start(request_for("leak-and-hang"), {});
  ASSERT_TRUE(id) << id.error().message;
  Seen seen;
  while (seen.lines.size() < 4) {
    auto event = isolator.next(Clock::now() + std::chrono::minutes(1));
    ASSERT_TRUE(event);
    if (auto* started = std::get_if<AttemptStarted>(&*event)) seen.pid = started->pid;
    if (auto* line = std::get_if<AttemptLine>(&*event)) seen.lines.push_back(std::move(*line));
  }
  pid_t keeper = facts_of(facts_of(seen.pid)->parent)->parent;
  pid_t server = facts_of(keeper)->parent;
  ASSERT_EQ(facts_of(server)->command, "relapse-server");
  std::vector<ProcessFacts> below = living_trees({server});
  EXPECT_EQ(below.size(), 6u) << "server, keeper, zygote, attempt, and two that it left";
  ASSERT_EQ(::kill(server, SIGKILL), 0);
  for (const ProcessFacts& facts : below) EXPECT_TRUE(is_gone(facts.pid)) << facts.command;
}

TEST(ServerSocket, IsPrivateToUserAndWorker) {
  const char* before = std::getenv("XDG_RUNTIME_DIR");
  std::string saved = before ? before : "";
  ::unsetenv("XDG_RUNTIME_DIR");
  std::string socket = default_server_socket(RELAPSE_CHILD_WORKER);
  EXPECT_EQ(socket.rfind("/tmp/relapse-" + std::to_string(::geteuid()) + "/", 0), 0u) << socket;
  EXPECT_EQ(socket, default_server_socket(RELAPSE_CHILD_WORKER));
  EXPECT_NE(socket, default_server_socket(RELAPSE_ABANDONED_PARENT));
  ::setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  EXPECT_EQ(default_server_socket(RELAPSE_CHILD_WORKER).rfind("/run/user/7/relapse/", 0), 0u);
  ::setenv("XDG_RUNTIME_DIR", ("/" + std::string(200, 'x')).c_str(), 1);
  EXPECT_EQ(default_server_socket(RELAPSE_CHILD_WORKER), socket) << "too long for a socket";
  if (before)
    ::setenv("XDG_RUNTIME_DIR", saved.c_str(), 1);
  else
    ::unsetenv("XDG_RUNTIME_DIR");
}

}  // namespace
}  // namespace relapse
