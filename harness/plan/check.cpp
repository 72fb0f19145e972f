#include <harness/plan/check.hpp>
#include <harness/plan/observation.hpp>

namespace relapse {

std::string_view to_string(CheckKind kind) {
  switch (kind) {
    case CheckKind::failing:
      return "failing";
    case CheckKind::corrected:
      return "corrected";
    case CheckKind::batch:
      return "batch";
    case CheckKind::boundary:
      return "boundary";
    case CheckKind::violation:
      return "violation";
  }
  return "";
}

std::string_view to_string(Role role) {
  switch (role) {
    case Role::fixed:
      return "fixed";
    case Role::unfixed:
      return "unfixed";
    case Role::mutant:
      return "mutant";
  }
  return "";
}

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::blocking:
      return "blocking";
    case Mode::async:
      return "async";
    case Mode::nocache:
      return "nocache";
    case Mode::sanitizer:
      return "sanitizer";
  }
  return "";
}

std::string_view to_string(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::min:
      return "min";
    case ProbeKind::max:
      return "max";
    case ProbeKind::below_min:
      return "below-min";
    case ProbeKind::above_max:
      return "above-max";
    case ProbeKind::below_except:
      return "below-except";
    case ProbeKind::above_except:
      return "above-except";
    case ProbeKind::dtype:
      return "dtype";
    case ProbeKind::rank:
      return "rank";
    case ProbeKind::extent:
      return "extent";
    case ProbeKind::nan:
      return "nan";
  }
  return "";
}

std::string_view to_string(ObservedKind kind) {
  switch (kind) {
    case ObservedKind::returned:
      return "returned";
    case ObservedKind::raised:
      return "raised";
    case ObservedKind::rejected:
      return "rejected";
    case ObservedKind::left_out:
      return "left_out";
    case ObservedKind::case_error:
      return "case_error";
    case ObservedKind::machine:
      return "machine";
    case ObservedKind::sticky_fault:
      return "sticky_fault";
  }
  return "";
}

}  // namespace relapse
