#pragma once

// Runs one check: inputs, requires, the subject, ensures, twins. What was seen comes back as an observation;
// whether it is good is for verdict/ to say.

#include <c10/core/Device.h>

#include <functional>
#include <harness/operator/call.hpp>
#include <harness/plan/check.hpp>
#include <harness/plan/observation.hpp>
#include <harness/subject/run_steps.hpp>
#include <harness/tensor/inputs.hpp>
#include <optional>
#include <string>

namespace relapse {

/// What the checks of one attempt share.
struct AttemptContext {
  const Case* kase = nullptr;
  Role role = Role::fixed;
  c10::Device device = c10::Device(c10::kCPU);
  std::string device_kind = "cpu";
  Waiting waiting = Waiting::each_step;
  std::string folder;  ///< of the case file
  std::function<void(const std::string& check, const StepRecord& step, Builtin builtin)> step_started;
  /// The device is lost: takes the observation and does not come back, because what the subject made must not
  /// be destroyed any more. Empty (in tests): run_check returns it.
  std::function<void(const Observation& observation)> device_lost;
  OverloadCache overloads;
  std::optional<Inputs> probed;  ///< inputs of the first corrected scenario, made once for all probes
};

Observation run_check(AttemptContext& context, const Check& check);

/// The inputs of a check on the CPU, before any probe; the error becomes a case error.
FormResult<Inputs> inputs_of(AttemptContext& context, const Check& check);

}  // namespace relapse
