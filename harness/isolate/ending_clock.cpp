#include <algorithm>
#include <harness/isolate/ending_clock.hpp>

namespace relapse {

namespace {

// As good as none, and its sum with a time of the clock does not overflow.
constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 365);

}  // namespace

EndingClock::EndingClock(const AttemptLimits& limits, TimePoint now) : limits_(limits) {
  limits_.timeout = std::min(limits_.timeout, kLongest);
  limits_.grace = std::min(limits_.grace, kLongest);
  next_ = now + limits_.timeout;
}

void EndingClock::started(TimePoint now) {
  if (act_ == Act::terminate && cause_ == EndCause::by_itself) next_ = now + limits_.timeout;
}

void EndingClock::ask(EndCause cause, TimePoint now) {
  if (act_ != Act::terminate || cause_ != EndCause::by_itself) return;
  cause_ = cause;
  next_ = now;
}

void EndingClock::kill(EndCause cause, TimePoint now) {
  if (act_ == Act::none || act_ == Act::give_up) return;
  if (cause_ == EndCause::by_itself) cause_ = cause;
  act_ = Act::kill;
  next_ = now;
}

EndingClock::Act EndingClock::due(TimePoint now) {
  if (now < next_) return Act::none;
  Act act = act_;
  switch (act) {
    case Act::terminate:
      if (cause_ == EndCause::by_itself) cause_ = EndCause::deadline;
      act_ = Act::kill;
      next_ = now + limits_.grace;
      asked_ = true;
      break;
    case Act::kill:
      grace_ran_out_ = asked_;
      act_ = Act::give_up;
      next_ = now + kUnkillableAfter;
      break;
    case Act::give_up:
    case Act::none:
      act_ = Act::none;
      next_ = TimePoint::max();
      break;
  }
  return act;
}

}  // namespace relapse
