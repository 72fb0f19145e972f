// Rules about silences themselves.

#include <harness/case/substance/all_rules.hpp>

namespace relapse {

namespace {

/// Which silences are idle is only known when every other rule has looked: substance.cpp adds them.
void check_nothing(const LintView&, std::vector<LintFinding>&) {}

}  // namespace

const LintRule kIdleSilence = {
    "idle-silence", Severity::warning, "A silence that silences nothing.",
    R"md(The rule it names finds nothing here, or nothing about the name it gives. Left in the file it would hide the next finding of that
kind, which nobody has looked at. Take it out.
)md",
    check_nothing};

const LintRule kMutant = {
    "mutant", Severity::warning, "A mutant that the contract does not catch, found by `relapse prove`.",
    R"md(`relapse prove` changes the results and the contract of a case, one small fault at a time, and expects that the contract notices
each. Where one survives for a good reason, the case says so by the mutant's name, as `prove` prints it; prove then counts it as
excused. Lint does not run anything, so it does not know whether such a silence is idle.

```yaml
lint:
  mutant loss.off: one element less than the tolerance is what float16 rounds away
```
)md",
    nullptr};

}  // namespace relapse
