#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <harness/isolate/process_tree.hpp>
#include <harness/isolate/unique_fd.hpp>
#include <memory>

namespace relapse {

namespace {

/// A small file of /proc, or nothing when the process is gone.
std::optional<std::string> read_proc(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::string text;
  char part[4096];
  for (;;) {
    ssize_t n = ::read(fd.get(), part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(part, std::size_t(n));
  }
}

void append_numbers(const std::string& text, std::vector<pid_t>& out) {
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    pid_t pid = 0;
    auto [next, error] = std::from_chars(at, end, pid);
    if (error == std::errc()) out.push_back(pid);
    at = next == at ? at + 1 : next;
  }
}

/// The entries of a folder whose names are numbers.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> out;
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), ::closedir);
  if (!dir) return out;
  while (const dirent* entry = ::readdir(dir.get())) append_numbers(entry->d_name, out);
  return out;
}

std::vector<pid_t> children_by_scan(pid_t parent) {
  std::vector<pid_t> out;
  for (pid_t pid : numbers_in("/proc")) {
    auto facts = facts_of(pid);
    if (facts && facts->parent == parent) out.push_back(pid);
  }
  return out;
}

std::vector<pid_t> children_of(pid_t pid) {
  static const bool listed = ::access("/proc/thread-self/children", R_OK) == 0;
  if (!listed) return children_by_scan(pid);
  std::vector<pid_t> out;
  std::string tasks = fmt::format("/proc/{}/task", pid);
  for (pid_t task : numbers_in(tasks))
    if (auto text = read_proc(fmt::format("{}/{}/children", tasks, task))) append_numbers(*text, out);
  return out;
}

std::vector<pid_t> without(std::vector<pid_t> pids, const std::vector<pid_t>& spared) {
  std::erase_if(pids,
                [&](pid_t pid) { return std::find(spared.begin(), spared.end(), pid) != spared.end(); });
  return pids;
}

/// Waits until some child has died, or the time is over.
void wait_for_a_death(std::chrono::steady_clock::time_point until) {
  auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - std::chrono::steady_clock::now());
  if (left.count() <= 0) return;
  sigset_t child_died;
  sigemptyset(&child_died);
  sigaddset(&child_died, SIGCHLD);
  timespec time{time_t(left.count() / 1'000'000'000), long(left.count() % 1'000'000'000)};
  ::sigtimedwait(&child_died, nullptr, &time);
}

}  // namespace

std::optional<ProcessFacts> facts_of(pid_t pid) {
  auto text = read_proc(fmt::format("/proc/{}/stat", pid));
  if (!text) return std::nullopt;
  // The command stands in parentheses and may hold any character, so the last one counts.
  std::size_t open = text->find('('), close = text->rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  ProcessFacts facts;
  facts.pid = pid;
  facts.command = text->substr(open + 1, close - open - 1);
  std::vector<pid_t> numbers;
  if (close + 2 < text->size()) {
    facts.state = (*text)[close + 2];
    append_numbers(text->substr(close + 3), numbers);
  }
  if (numbers.size() < 3) return std::nullopt;
  facts.parent = numbers[0];
  facts.session = numbers[2];
  return facts;
}

std::vector<pid_t> own_children() {
  if (auto text = read_proc("/proc/thread-self/children")) {
    std::vector<pid_t> out;
    append_numbers(*text, out);
    return out;
  }
  return children_by_scan(::getpid());
}

std::vector<ProcessFacts> living_trees(const std::vector<pid_t>& pids) {
  std::vector<ProcessFacts> out;
  std::vector<pid_t> open = pids;
  while (!open.empty()) {
    pid_t pid = open.back();
    open.pop_back();
    auto facts = facts_of(pid);
    if (!facts) continue;
    if (facts->alive()) out.push_back(std::move(*facts));
    for (pid_t child : children_of(pid)) open.push_back(child);
  }
  return out;
}

std::vector<pid_t> end_children(const std::vector<pid_t>& spared, std::chrono::milliseconds patience) {
  auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    std::vector<pid_t> strays = without(own_children(), spared);
    if (strays.empty()) return {};
    bool one_died = false;
    for (pid_t pid : strays) {
      ::kill(pid, SIGKILL);
      one_died |= ::waitpid(pid, nullptr, WNOHANG | __WALL) == pid;
    }
    if (std::chrono::steady_clock::now() >= until) return strays;
    // A death may have brought up others, which are killed before anything is waited for.
    if (one_died) continue;
    wait_for_a_death(until);
  }
}

}  // namespace relapse
