#pragma once

// The words for one check that is not green: what was promised, what was seen, on which inputs, and what to
// type next. Plain lines without colour; console, JUnit and others share them.

#include <harness/journal/record.hpp>
#include <string>
#include <vector>

namespace relapse {

/// `RELAPSED`, `TIMED OUT`, ...
std::string headline_word(VerdictKind kind);

struct FailureText {
  std::string word, what, where;  ///< `BROKEN`, `numeric/mean @cpu · batch-2`, `cases/numeric/mean.yaml:19`
  std::string incident;           ///< one line; empty without a source
  std::vector<std::pair<std::string, std::vector<std::string>>>
      sections;  ///< `promised`, `seen`, `inputs`, `output`, `rerun`
};
FailureText failure_text(const RunRecord& run, const CheckRecord& check);

/// The same as one text of indented lines, without the headline.
std::string body_of(const FailureText& text);

/// `index/labels@cpu/batch-2`.
std::string id_of(const CheckRecord& check);
/// The same with the mode, where it is not the usual one: `index/labels@cuda/batch-2 (async)`.
std::string shown_id(const CheckRecord& check);
/// `1: y = x + 1`, or `1 of batch-1: y = x + 1` where a batch ran before the check.
std::string step_text(const StepRecord& step);
const CaseRecord* case_of(const RunRecord& run, const CheckRecord& check);

}  // namespace relapse
