#include <harness/isolate/interrupt_watch.hpp>

namespace relapse {

namespace {

volatile sig_atomic_t arrived = 0;

void note(int number) {
  arrived = number;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  sigaddset(&ours, SIGTERM);
  sigaddset(&ours, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &ours, &mask_before_);
  mask_while_waiting_ = mask_before_;
  sigdelset(&mask_while_waiting_, SIGINT);
  sigdelset(&mask_while_waiting_, SIGTERM);
  sigdelset(&mask_while_waiting_, SIGHUP);
  struct sigaction noting {};
  noting.sa_handler = note;
  ::sigaction(SIGINT, &noting, &int_before_);
  ::sigaction(SIGTERM, &noting, &term_before_);
  ::sigaction(SIGHUP, &noting, &hup_before_);
}

InterruptWatch::~InterruptWatch() {
  ::sigaction(SIGINT, &int_before_, nullptr);
  ::sigaction(SIGTERM, &term_before_, nullptr);
  ::sigaction(SIGHUP, &hup_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool InterruptWatch::wait(std::vector<pollfd>& fds, std::chrono::steady_clock::time_point until) {
  auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - std::chrono::steady_clock::now());
  // A wait of more than a day is as good as one without end, and the subtraction cannot overflow there.
  if (until == std::chrono::steady_clock::time_point::max() || left > std::chrono::hours(24))
    left = std::chrono::hours(24);
  if (left.count() < 0) left = left.zero();
  timespec time{time_t(left.count() / 1'000'000'000), long(left.count() % 1'000'000'000)};
  return ::ppoll(fds.data(), fds.size(), &time, &mask_while_waiting_) > 0;
}

int InterruptWatch::take() {
  int number = arrived;
  arrived = 0;
  return number;
}

bool InterruptWatch::pending() const {
  return arrived != 0;
}

}  // namespace relapse
