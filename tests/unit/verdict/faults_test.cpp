#include <csignal>
#include <harness/verdict/faults.hpp>

#include "built.hpp"

namespace relapse {
namespace {

using namespace test;

Observation device_error(std::optional<int> code, std::optional<int> waited, bool sticky,
                         const std::string& text = "x") {
  Observation observation = raised(ErrorClass::runtime_error, text);
  observation.kind = sticky ? ObservedKind::sticky_fault : ObservedKind::raised;
  observation.raised->code = code;
  observation.device = DeviceState{waited, waited ? "waited" : "", sticky};
  return observation;
}

TEST(Faults, AreToldByTheCodeOfTheError) {
  EXPECT_EQ(fault_of(device_error(710, 710, true), ""), FaultKind::device_assert);
  EXPECT_EQ(fault_of(device_error(700, 700, true), ""), FaultKind::illegal_access);
  EXPECT_EQ(fault_of(device_error(716, 716, true), ""), FaultKind::misaligned_address);
  EXPECT_EQ(fault_of(device_error(719, 719, true), ""), FaultKind::launch_failure);
  EXPECT_EQ(fault_of(device_error(715, 715, true), ""), FaultKind::illegal_instruction);
  EXPECT_EQ(fault_of(device_error(702, 702, true), ""), FaultKind::launch_timeout);
  EXPECT_EQ(fault_of(device_error(98, {}, false), ""), std::nullopt) << "a process survives it";
}

// cuBLAS and cuDNN fail in the wake of a fault that they do not know of.
TEST(Faults, AreToldByTheCodeThatWaitingGaveWhereALibraryHidThem) {
  const Observation hidden =
      device_error({}, 710, true, "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling x");
  EXPECT_EQ(fault_of(hidden, ""), FaultKind::device_assert);
  const Observation alone =
      device_error({}, {}, false, "CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling x");
  EXPECT_EQ(fault_of(alone, ""), FaultKind::library_error);
  EXPECT_EQ(fault_of(device_error({}, {}, false, "shapes differ"), ""), std::nullopt);
  EXPECT_EQ(fault_of(raised(ErrorClass::runtime_error, "CUBLAS_STATUS_X"), ""), std::nullopt)
      << "it was on the CPU";
}

TEST(Faults, TheFirstOneWins) {
  Check one = check({returns()});
  const Verdict verdict =
      judge(one, device_error(700, 719, true, "CUDA error: illegal"), {"2.15.0", "", true});
  EXPECT_EQ(verdict.fault, FaultKind::illegal_access);
  EXPECT_EQ(
      verdict.seen,
      (Lines{"illegal_access: code 700 (illegal memory access), sticky; launches were blocking",
             "runtime_error \"CUDA error: illegal\"", "followed by code 719 (unspecified launch failure)"}));
  EXPECT_EQ(verdict.signature, "faulted illegal_access");
}

TEST(Faults, AreToldByWhatWasPrintedWhereNoCodeIs) {
  const std::string line = "a.cu:7: f: block: [1,0,0], thread: [2,0,0] Assertion `x` failed.\n";
  EXPECT_EQ(fault_of(device_error({}, {}, true), line), FaultKind::device_assert);
  EXPECT_EQ(fault_of(device_error({}, {}, true), ""), FaultKind::launch_failure);
  Ending ending = killed(SIGABRT);
  EXPECT_EQ(fault_of(ending), FaultKind::crash);
  ending.err.text = line;
  EXPECT_EQ(fault_of(ending), FaultKind::device_assert);
  ending.err.text =
      "Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x2. Reason: Unknown.\n";
  EXPECT_EQ(fault_of(ending), FaultKind::illegal_access);
  EXPECT_EQ(fault_of(ended(EndCause::deadline)), FaultKind::hang);
  EXPECT_EQ(fault_of(exited(0)), std::nullopt);
}

TEST(Faults, AreTheRecordedSymptomByKindAndText) {
  Symptom symptom = fault_symptom(FaultKind::device_assert);
  const JudgeContext context{
      "2.15.0", "a.cu:7: f: block: [1,0,0], thread: [2,0,0] Assertion `t < n_classes` failed.\n", true};
  EXPECT_TRUE(shows(symptom, device_error(710, 710, true), context));
  EXPECT_FALSE(shows(symptom, device_error(700, 700, true), context));
  symptom.match = {"t < n_classes"};
  EXPECT_TRUE(shows(symptom, device_error(710, 710, true), context)) << "kernels print their condition";
  symptom.match = {"waited"};
  EXPECT_TRUE(shows(symptom, device_error({}, 710, true, "CUBLAS_STATUS"), context));
  symptom.match = {"srcIndex"};
  EXPECT_FALSE(shows(symptom, device_error(710, 710, true), context));
}

TEST(Faults, OfTheMachineAreNotTheCase) {
  Observation observation;
  observation.kind = ObservedKind::machine;
  observation.reason = "the library \"x.so\" cannot be loaded";
  const Verdict verdict = judge(check({returns()}), observation, {});
  EXPECT_EQ(verdict.kind, VerdictKind::infrastructure);
  EXPECT_EQ(verdict.reason, observation.reason);
}

}  // namespace
}  // namespace relapse
