#include "bench_fork.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace relapse {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int bench_fork(int times) {
  if (times < 1) return 2;
  std::vector<double> forked, reaped;
  for (int i = 0; i < times; ++i) {
    Clock::time_point start = Clock::now();
    pid_t pid = ::fork();
    if (pid == 0) ::_exit(0);
    if (pid < 0) return 1;
    forked.push_back(ms_since(start));
    ::waitpid(pid, nullptr, 0);
    reaped.push_back(ms_since(start));
  }
  std::printf("{\"forks\": %d, \"fork_ms\": %.3f, \"reaped_ms\": %.3f}\n", times, median(forked),
              median(reaped));
  return 0;
}

}  // namespace relapse
