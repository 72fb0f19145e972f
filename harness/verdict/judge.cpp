#include <fmt/format.h>

#include <algorithm>
#include <harness/support/text.hpp>
#include <harness/verdict/assert_lines.hpp>
#include <harness/verdict/faults.hpp>
#include <harness/verdict/judge.hpp>
#include <harness/verdict/sanitizer_report.hpp>
#include <harness/verdict/signals.hpp>

namespace relapse {
namespace {

std::string class_list(const std::vector<ErrorClass>& classes) {
  std::vector<std::string> names;
  for (const ErrorClass error : classes) names.emplace_back(to_string(error));
  return join_or(names);
}

std::string outcome_text(const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::rejected:
      return outcome.clause.empty()
                 ? "rejected before anything reaches the device"
                 : fmt::format("rejected by {} before anything reaches the device", outcome.clause);
    case OutcomeKind::raises: {
      std::vector<std::string> parts;
      for (const std::string& part : outcome.match) parts.push_back(relapse::quoted(part));
      return fmt::format("raises {}{}", class_list(outcome.classes),
                         parts.empty() ? "" : " with " + join_or(parts));
    }
    case OutcomeKind::returns:
      return "returns, and every clause holds";
  }
  return "";
}

std::string promise_of(const Check& check) {
  if (check.probe && !check.probe->must_hold()) {
    return fmt::format("rejected, since {} is out of what requires allows ({})", check.probe->name,
                       to_string(check.probe->kind));
  }
  std::vector<std::string> texts;
  for (const Outcome& outcome : check.expect) texts.push_back(outcome_text(outcome));
  return join_or(texts);
}

Verdict start(VerdictKind kind, const Check& check) {
  Verdict verdict;
  verdict.kind = kind;
  verdict.pos = check.pos;
  verdict.promised = promise_of(check);
  return verdict;
}

void sign(Verdict& verdict) {
  verdict.signature = std::string(to_string(verdict.kind));
  if (verdict.fault) {
    verdict.signature += " " + std::string(to_string(*verdict.fault));
  } else if (!verdict.error.empty()) {
    verdict.signature += " " + verdict.error;
  }
  if (!verdict.clause.empty()) verdict.signature += " " + verdict.clause;
}

void blame(Verdict& verdict, const Breach& breach) {
  verdict.clause = breach.clause;
  verdict.pos = breach.pos;
  verdict.promised = breach.promised;
  verdict.seen.push_back(breach.seen);
  verdict.seen.insert(verdict.seen.end(), breach.details.begin(), breach.details.end());
}

/// What `after` promises of a batch that runs first.
void promise_first(Verdict& verdict, const Check& check, const std::string& batch) {
  verdict.clause = "after." + batch;
  if (check.after_pos.line > 0) verdict.pos = check.after_pos;
  verdict.promised = fmt::format("{} runs first in the same process, and holds", batch);
}

bool expects(const Check& check, OutcomeKind kind) {
  return std::any_of(check.expect.begin(), check.expect.end(),
                     [&](const Outcome& outcome) { return outcome.kind == kind; });
}

bool has_symptom(const Check& check, const Observation& observation, const JudgeContext& context) {
  return std::any_of(check.symptoms.begin(), check.symptoms.end(), [&](const Symptom& symptom) {
    // Where it may return, that it did is no sign of anything.
    if (symptom.kind == SymptomKind::accepted && expects(check, OutcomeKind::returns)) return false;
    return shows(symptom, observation, context);
  });
}

/// One of the errors that the check expects: by class and by a part of its text.
bool expects_error(const Check& check, ErrorClass error, const std::string& text) {
  return std::any_of(check.expect.begin(), check.expect.end(), [&](const Outcome& outcome) {
    if (outcome.kind != OutcomeKind::raises) return false;
    const bool class_fits = std::any_of(outcome.classes.begin(), outcome.classes.end(), [&](ErrorClass one) {
      return one == error || one == ErrorClass::any;
    });
    const bool text_fits = outcome.match.empty() || std::any_of(outcome.match.begin(), outcome.match.end(),
                                                                [&](const std::string& part) {
                                                                  return text.find(part) != std::string::npos;
                                                                });
    return class_fits && text_fits;
  });
}

/// Clauses that count whatever the outcome: those of ensures after a return, `unchanged` and poison after an
/// error.
Verdict by_clauses(const Check& check, const Observation& observation, const JudgeContext& context) {
  if (observation.broken.empty()) {
    Verdict verdict = start(VerdictKind::held, check);
    sign(verdict);
    return verdict;
  }
  Verdict verdict =
      start(has_symptom(check, observation, context) ? VerdictKind::relapsed : VerdictKind::broken, check);
  blame(verdict, observation.broken.front());
  for (std::size_t i = 1; i < observation.broken.size(); ++i) {
    const Breach& breach = observation.broken[i];
    verdict.seen.push_back(fmt::format("also {}: {}", breach.clause, breach.seen));
    // Which side is off: the last line of that clause.
    if (breach.clause == "agrees.cpu" && !breach.details.empty())
      verdict.seen.push_back(breach.details.back());
  }
  sign(verdict);
  return verdict;
}

Verdict judge_returned(const Check& check, const Observation& observation, const JudgeContext& context) {
  if (expects(check, OutcomeKind::returns)) {
    if (observation.guards_reached < observation.guards_expected) {
      Verdict verdict = start(VerdictKind::broken, check);
      verdict.clause = "guard";
      verdict.promised = "every guard() is reached";
      verdict.seen.push_back(
          fmt::format("{} of {} were", observation.guards_reached, observation.guards_expected));
      sign(verdict);
      return verdict;
    }
    if (observation.broken.empty() && observation.clauses_evaluated < check.clauses) {
      Verdict verdict = start(VerdictKind::no_verdict, check);
      verdict.promised = "every clause is evaluated";
      verdict.seen.push_back(
          fmt::format("{} of at least {} were", observation.clauses_evaluated, check.clauses));
      sign(verdict);
      return verdict;
    }
    return by_clauses(check, observation, context);
  }
  // It should have been refused. Which clause let it through is where the reader should look.
  Verdict verdict =
      start(has_symptom(check, observation, context) ? VerdictKind::relapsed : VerdictKind::broken, check);
  verdict.clause = "expect";
  verdict.seen.push_back("accepted: the subject returned without complaint");
  if (observation.guards_expected == 0) verdict.seen.push_back("no guard() stands in the subject");
  for (const Breach& breach : observation.broken) {
    verdict.seen.push_back(fmt::format("and {}: {}", breach.clause, breach.seen));
  }
  if (!observation.requires_broken.empty()) {
    const Breach& breach = observation.requires_broken.front();
    verdict.seen.push_back(fmt::format("the input breaks {}: {}", breach.promised, breach.seen));
    verdict.clause = breach.clause;
    verdict.pos = breach.pos;
  } else if (!check.expect.empty() && check.expect.front().pos.line > 0) {
    verdict.pos = check.expect.front().pos;
  }
  sign(verdict);
  return verdict;
}

bool aims_at(const Probe& probe, const std::string& clause) {
  return std::any_of(probe.aims.begin(), probe.aims.end(), [&](ClauseKind kind) {
    return clause == probe.name + "." + std::string(to_string(kind));
  });
}

Verdict judge_rejected(const Check& check, const Observation& observation, const JudgeContext& context) {
  const bool right_clause =
      std::any_of(check.expect.begin(), check.expect.end(), [&](const Outcome& outcome) {
        if (outcome.kind != OutcomeKind::rejected) return false;
        if (check.probe) return aims_at(*check.probe, observation.rejected_by);
        return outcome.clause.empty() || outcome.clause == observation.rejected_by;
      });
  // To a host a rejection is an error with a text, and a case may ask for it as one.
  const std::string text = observation.rejection
                               ? observation.rejection->promised + ", but " + observation.rejection->seen
                               : observation.rejected_by;
  const bool as_raise = expects_error(check, ErrorClass::contract_error, text);
  if (right_clause || as_raise) {
    if (!observation.usable_after) {
      Verdict verdict = start(VerdictKind::faulted, check);
      verdict.seen.push_back("rejected, but afterwards the device computed a wrong answer");
      sign(verdict);
      return verdict;
    }
    return by_clauses(check, observation, context);
  }
  Verdict verdict = start(VerdictKind::broken, check);
  const std::string promised = verdict.promised;
  if (observation.rejection) blame(verdict, *observation.rejection);
  verdict.promised = promised;
  verdict.seen.insert(verdict.seen.begin(), fmt::format("guard() refused it by {}", observation.rejected_by));
  verdict.step = observation.step;
  sign(verdict);
  return verdict;
}

/// Class and text. Behind the first line CUDA's errors give advice that this program has followed already.
std::string error_text(const Raised& raised) {
  const std::string text = raised.code ? raised.text.substr(0, raised.text.find('\n')) : raised.text;
  return fmt::format("{} {}", to_string(raised.error), relapse::quoted(text, 600));
}

/// What is known of a fault, the strongest evidence first.
void tell_fault(const Observation& observation, const JudgeContext& context, Verdict& verdict) {
  const Raised& raised = *observation.raised;
  const std::optional<int> waited = observation.device ? observation.device->code : std::nullopt;
  const std::optional<int> code = raised.code ? raised.code : waited;
  std::string head(to_string(*verdict.fault));
  if (code) head += fmt::format(": code {} ({})", *code, code_text(*code));
  if (observation.device) head += observation.device->sticky ? ", sticky" : ", the device answers again";
  head += context.blocking ? "; launches were blocking" : "; launches were asynchronous";
  verdict.seen.push_back(std::move(head));
  for (const KernelAssert& one : kernel_asserts(context.printed)) verdict.seen.push_back(to_string(one));
  verdict.seen.push_back(fmt::format("{}{}", raised.code ? "" : "it came as ", error_text(raised)));
  if (raised.code && waited && *waited != *raised.code)
    verdict.seen.push_back(fmt::format("followed by code {} ({})", *waited, code_text(*waited)));
}

Verdict judge_raised(const Check& check, const Observation& observation, const JudgeContext& context) {
  const Raised& raised = *observation.raised;
  // A device that is lost is no host error, whatever the exception was that told of it.
  if (observation.kind == ObservedKind::raised && expects_error(check, raised.error, raised.text))
    return by_clauses(check, observation, context);
  Verdict verdict =
      start(has_symptom(check, observation, context) ? VerdictKind::relapsed : VerdictKind::faulted, check);
  verdict.error = std::string(to_string(raised.error));
  verdict.step = observation.step;
  verdict.fault = fault_of(observation, context.printed);
  if (verdict.fault) {
    tell_fault(observation, context, verdict);
  } else {
    verdict.seen.push_back(error_text(raised));
  }
  if (observation.step < 0)
    verdict.seen.push_back("it came when the results were waited for: the step that caused it lies before");
  if (observation.guards_expected > 0 && observation.guards_reached == 0)
    verdict.seen.push_back("guard() was not reached");
  for (const Breach& breach : observation.broken) {
    verdict.seen.push_back(fmt::format("and {}: {}", breach.clause, breach.seen));
  }
  sign(verdict);
  return verdict;
}

/// A batch that `after` names and that did not return: the check itself has not run, so that no symptom of
/// the incident can be told from it.
Verdict judge_first(const Check& check, const Observation& observation, const JudgeContext& context) {
  const bool rejected = observation.kind == ObservedKind::rejected;
  Verdict verdict = start(rejected ? VerdictKind::broken : VerdictKind::faulted, check);
  promise_first(verdict, check, observation.batch);
  verdict.step = observation.step;
  if (rejected) {
    verdict.seen.push_back(fmt::format("guard() refused it by {}", observation.rejected_by));
  } else {
    verdict.error = std::string(to_string(observation.raised->error));
    verdict.fault = fault_of(observation, context.printed);
    if (verdict.fault) {
      tell_fault(observation, context, verdict);
    } else {
      verdict.seen.push_back(error_text(*observation.raised));
    }
  }
  verdict.seen.push_back(fmt::format("so {} itself has not run", check.name));
  sign(verdict);
  return verdict;
}

}  // namespace

Verdict judge(const Check& check, const Observation& observation, const JudgeContext& context) {
  const bool ended_early = observation.kind == ObservedKind::rejected || observation.raised.has_value();
  if (!observation.batch.empty() && ended_early) return judge_first(check, observation, context);
  switch (observation.kind) {
    case ObservedKind::case_error: {
      Verdict verdict = no_run(VerdictKind::case_error, observation.reason, check);
      if (observation.reason_pos.line > 0) verdict.pos = observation.reason_pos;
      if (!observation.requires_broken.empty()) verdict.clause = observation.requires_broken.front().clause;
      sign(verdict);
      return verdict;
    }
    case ObservedKind::machine:
      return no_run(VerdictKind::infrastructure, observation.reason, check);
    case ObservedKind::left_out:
      return no_run(VerdictKind::left_out, observation.reason, check);
    case ObservedKind::returned:
      return judge_returned(check, observation, context);
    case ObservedKind::rejected:
      return judge_rejected(check, observation, context);
    case ObservedKind::raised:
    case ObservedKind::sticky_fault:
      break;
  }
  if (observation.raised) return judge_raised(check, observation, context);
  Verdict verdict = start(VerdictKind::no_verdict, check);
  verdict.seen.push_back("the child said that something was raised, but not what");
  sign(verdict);
  return verdict;
}

Verdict judge_ending(const Check& check, const Ending& ending, const StepRecord* step,
                     const JudgeContext& context) {
  Verdict verdict = start(VerdictKind::no_verdict, check);
  if (step) {
    verdict.step = step->index;
    if (!step->batch.empty()) promise_first(verdict, check, step->batch);
    verdict.seen.push_back(fmt::format("in step {}{}: {}", step->index + 1,
                                       step->batch.empty() ? "" : " of " + step->batch, step->text));
  }
  // What a batch before it shows is not the incident.
  const bool recorded = (!step || step->batch.empty()) &&
                        std::any_of(check.symptoms.begin(), check.symptoms.end(),
                                    [&](const Symptom& symptom) { return shows(symptom, ending, context); });
  switch (ending.cause) {
    case EndCause::deadline:
      verdict.kind = recorded ? VerdictKind::relapsed : VerdictKind::timed_out;
      verdict.fault = FaultKind::hang;
      verdict.seen.push_back(
          fmt::format("no answer after {:.1f} s; ended by {}", ending.seconds,
                      ending.grace_ran_out ? "SIGKILL, since SIGTERM was not enough" : "SIGTERM"));
      break;
    case EndCause::memory:
      verdict.kind = VerdictKind::faulted;
      verdict.error = std::string(to_string(ErrorClass::out_of_memory));
      verdict.seen.push_back(
          fmt::format("it held {} of memory and was ended for that", bytes_text(ending.max_rss)));
      break;
    case EndCause::interrupted:
      return no_run(VerdictKind::not_run, "the run was interrupted", check);
    case EndCause::lost:
      verdict.seen.push_back("the process above it died, so how it ended is not known");
      break;
    case EndCause::by_itself:
      if (ending.signal != 0) {
        verdict.kind = recorded ? VerdictKind::relapsed : VerdictKind::faulted;
        verdict.fault = fault_of(ending);
        verdict.seen.push_back(fmt::format("died by {}{}", signal_name(ending.signal),
                                           ending.core_dumped ? " (core dumped)" : ""));
        for (const KernelAssert& one : kernel_asserts(printed_by(ending)))
          verdict.seen.push_back(to_string(one));
      } else {
        verdict.seen.push_back(
            fmt::format("the child ended with exit status {} and gave no answer", ending.exit_status));
      }
      break;
  }
  if (!ending.protocol_error.empty()) verdict.seen.push_back("protocol: " + ending.protocol_error);
  sign(verdict);
  return verdict;
}

Verdict with_sanitizer(Verdict verdict, const Ending& ending) {
  if (!is_red(verdict.kind) && verdict.kind != VerdictKind::held) return verdict;
  const SanitizerReport report = read_sanitizer_report(printed_by(ending));
  constexpr std::size_t kMostShown = 10;
  if (!report.findings.empty() || report.errors > 0) {
    if (!is_red(verdict.kind)) {
      verdict.kind = VerdictKind::faulted;
      verdict.error = "sanitizer";
      verdict.seen.clear();
    }
    verdict.seen.push_back(fmt::format("compute-sanitizer found {} {}", with_thousands(report.errors),
                                       report.errors == 1 ? "error" : "errors"));
    for (std::size_t i = 0; i < std::min(report.findings.size(), kMostShown); ++i)
      verdict.seen.push_back(to_string(report.findings[i]));
    sign(verdict);
  } else if (!report.complete && !is_red(verdict.kind)) {
    verdict.kind = VerdictKind::no_verdict;
    verdict.promised = "compute-sanitizer runs to its end";
    const std::string_view last = last_line(ending.out.text.empty() ? ending.err.text : ending.out.text);
    verdict.seen = {
        fmt::format("it gave no summary{}", last.empty() ? "" : fmt::format("; the last line: {}", last))};
    sign(verdict);
  }
  return verdict;
}

Verdict no_run(VerdictKind kind, std::string reason, const Check& check) {
  Verdict verdict;
  verdict.kind = kind;
  verdict.pos = check.pos;
  verdict.reason = std::move(reason);
  sign(verdict);
  return verdict;
}

}  // namespace relapse
