#include <algorithm>
#include <harness/verdict/faults.hpp>
#include <harness/verdict/judge.hpp>
#include <harness/verdict/signals.hpp>

namespace relapse {
namespace {

bool matches(const std::vector<std::string>& parts, std::string_view text) {
  return parts.empty() || std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
           return text.find(part) != std::string_view::npos;
         });
}

bool applies(const Symptom& symptom, const JudgeContext& context) {
  return symptom.torch.bounds.empty() || symptom.torch.contains(context.torch_version);
}

bool in_classes(const std::vector<ErrorClass>& classes, ErrorClass error) {
  return std::any_of(classes.begin(), classes.end(),
                     [&](ErrorClass one) { return one == error || one == ErrorClass::any; });
}

}  // namespace

bool shows(const Symptom& symptom, const Observation& observation, const JudgeContext& context) {
  if (!applies(symptom, context)) return false;
  switch (symptom.kind) {
    case SymptomKind::raises:
      return observation.kind == ObservedKind::raised && observation.raised &&
             in_classes(symptom.raises, observation.raised->error) &&
             matches(symptom.match, observation.raised->text);
    case SymptomKind::wrong:
      // Also after an error: `unchanged` and poison count whatever the outcome.
      return std::any_of(observation.broken.begin(), observation.broken.end(), [&](const Breach& breach) {
        return breach.clause == symptom.wrong && matches(symptom.match, breach.seen);
      });
    case SymptomKind::accepted:
      return observation.kind == ObservedKind::returned;
    case SymptomKind::fault: {
      if (fault_of(observation, context.printed) != symptom.fault) return false;
      const std::string& waited = observation.device ? observation.device->text : observation.raised->text;
      return matches(symptom.match, observation.raised->text) || matches(symptom.match, waited) ||
             matches(symptom.match, context.printed);
    }
    case SymptomKind::unstable:  // only repeats of a check can show it
      return false;
  }
  return false;
}

bool shows(const Symptom& symptom, const Ending& ending, const JudgeContext& context) {
  if (!applies(symptom, context) || symptom.kind != SymptomKind::fault) return false;
  if (!matches(symptom.match, ending.out.text) && !matches(symptom.match, ending.err.text)) return false;
  if (fault_of(ending) != symptom.fault) return false;
  if (symptom.fault != FaultKind::crash) return true;
  return symptom.signals.empty() || std::find(symptom.signals.begin(), symptom.signals.end(),
                                              signal_name(ending.signal)) != symptom.signals.end();
}

}  // namespace relapse
