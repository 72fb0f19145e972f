#include <gtest/gtest.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <harness/isolate/process_tree.hpp>

namespace relapse {
namespace {

/// Runs `body` in a process of its own, which may become a subreaper, and returns its exit status.
int in_own_process(const std::function<int()>& body) {
  pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t child_died;
    sigemptyset(&child_died);
    sigaddset(&child_died, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_died, nullptr);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

pid_t sleeper() {
  pid_t pid = ::fork();
  if (pid == 0)
    for (;;) ::pause();
  return pid;
}

TEST(ProcessTree, KnowsAProcessWhateverItsName) {
  EXPECT_EQ(in_own_process([] {
              ::prctl(PR_SET_NAME, "a) Z 1 (b");
              auto facts = facts_of(::getpid());
              return facts && facts->command == "a) Z 1 (b" && facts->parent == ::getppid() &&
                             facts->session == ::getsid(0) && facts->alive()
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_FALSE(facts_of(0x7ffffff0));
}

TEST(ProcessTree, ListsOwnChildrenAliveAndDead) {
  EXPECT_EQ(in_own_process([] {
              if (!own_children().empty()) return 1;
              pid_t alive = sleeper();
              pid_t dead = ::fork();
              if (dead == 0) ::_exit(0);
              siginfo_t info{};
              ::waitid(P_PID, id_t(dead), &info, WEXITED | WNOWAIT);
              auto children = own_children();
              if (children.size() != 2) return 2;
              auto living = living_trees(children);
              return living.size() == 1 && living[0].pid == alive &&
                             end_children({}, std::chrono::seconds(10)).empty()
                         ? 0
                         : 3;
            }),
            0);
}

TEST(ProcessTree, EndsChildrenWithAllBelowButThoseThatAreSpared) {
  EXPECT_EQ(in_own_process([] {
              pid_t spared = sleeper();
              int ends[2];
              if (::pipe(ends) != 0) return 1;
              pid_t mother = ::fork();
              if (mother == 0) {
                ::setsid();
                pid_t daughter = ::fork();
                if (daughter == 0) {
                  ::setsid();
                  pid_t grandchild = sleeper();
                  if (::write(ends[1], &grandchild, sizeof grandchild) < 0) ::_exit(1);
                }
                for (;;) ::pause();
              }
              pid_t grandchild = 0;
              if (::read(ends[0], &grandchild, sizeof grandchild) < 0) return 2;
              if (living_trees({mother}).size() != 3) return 3;
              if (!end_children({spared}, std::chrono::seconds(10)).empty()) return 4;
              if (own_children() != std::vector<pid_t>{spared}) return 5;
              if (::kill(grandchild, 0) == 0) return 6;
              ::kill(spared, SIGKILL);
              return 0;
            }),
            0);
}

TEST(ProcessTree, EndsAFamilyThatForksAllTheTime) {
  EXPECT_EQ(in_own_process([] {
              pid_t first = ::fork();
              if (first == 0) {
                // Each lives a moment, makes the next one and leaves.
                for (;;) {
                  ::usleep(2000);
                  if (::fork() != 0) ::_exit(0);
                }
              }
              ::usleep(10'000);
              return end_children({}, std::chrono::seconds(20)).empty() && own_children().empty() ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace relapse
