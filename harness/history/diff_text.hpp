#pragma once

// What a person reads about two runs, and the same as JSON.

#include <harness/history/diff.hpp>
#include <harness/report/style.hpp>
#include <string>

namespace relapse {

std::string diff_text(const RunRecord& before, const RunRecord& after, const RunDiff& diff,
                      const Style& style);
/// Schema 1: `before`, `after` (journals), `surroundings`, `same`, `changes`.
std::string diff_json(const RunRecord& before, const RunRecord& after, const RunDiff& diff);

}  // namespace relapse
