#include <harness/verdict/sanitizer_report.hpp>

#include "built.hpp"

namespace relapse {
namespace {

using namespace test;

// In the forms of the Compute Sanitizer documentation, section "Compute Sanitizer Tool Examples".
constexpr const char* kMemcheck =
    "the program's own line\n"
    "========= COMPUTE-SANITIZER\n"
    "========= Invalid __global__ write of size 4 bytes\n"
    "=========     at unaligned_kernel()+0x160 in memcheck_demo.cu:6\n"
    "=========     by thread (0,0,0) in block (0,0,0)\n"
    "=========     Address 0x7f6510c00001 is misaligned\n"
    "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
    "=========     Host Frame: [0x2774ec]\n"
    "=========                in /lib/libcuda.so.1\n"
    "========= \n"
    "========= Invalid __global__ write of size 4 bytes\n"
    "=========     at unaligned_kernel()+0x160 in memcheck_demo.cu:6\n"
    "=========     by thread (1,0,0) in block (0,0,0)\n"
    "========= \n"
    "========= Program hit cudaErrorLaunchFailure (error 719) due to \"unspecified launch failure\" on CUDA "
    "API call to "
    "cudaDeviceSynchronize.\n"
    "=========     Saved host backtrace up to driver entry point at error\n"
    "=========\n"
    "========= ERROR SUMMARY: 3 errors\n";

TEST(SanitizerReport, HasFindingsWithPlaceAndThread) {
  const SanitizerReport report = read_sanitizer_report(kMemcheck);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.errors, 3);
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(to_string(report.findings[0]),
            "Invalid __global__ write of size 4 bytes at unaligned_kernel()+0x160 in memcheck_demo.cu:6 by "
            "thread (0,0,0) in "
            "block (0,0,0) (2 times)");
  EXPECT_EQ(report.findings[1].what,
            "Program hit cudaErrorLaunchFailure (error 719) due to \"unspecified launch failure\" on CUDA "
            "API call to "
            "cudaDeviceSynchronize.");
}

TEST(SanitizerReport, ReadsRacesAndUninitialisedReads) {
  const SanitizerReport race = read_sanitizer_report(
      "========= COMPUTE-SANITIZER\n"
      "========= Error: Race reported between Write access at sumKernel(int *, int *)+0x100 in "
      "racecheck_demo.cu:15\n"
      "=========     and Read access at sumKernel(int *, int *)+0x180 in racecheck_demo.cu:20 [508 hazards]\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
  EXPECT_EQ(race.errors, 1);
  ASSERT_EQ(race.findings.size(), 1u);
  EXPECT_EQ(race.findings[0].where,
            "and Read access at sumKernel(int *, int *)+0x180 in racecheck_demo.cu:20 [508 hazards]");
  const SanitizerReport init = read_sanitizer_report(
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at vectorAdd(int *)+0x50 in initcheck_demo.cu:8\n"
      "=========     by thread (1,0,0) in block (0,0,0)\n"
      "=========\n"
      "========= ERROR SUMMARY: 1 error\n");
  EXPECT_EQ(init.findings.at(0).who, "by thread (1,0,0) in block (0,0,0)");
}

TEST(SanitizerReport, WithoutASummaryIsNotComplete) {
  EXPECT_FALSE(
      read_sanitizer_report("========= COMPUTE-SANITIZER\n========= Error: No attachable process found.\n")
          .complete);
  EXPECT_TRUE(read_sanitizer_report("========= ERROR SUMMARY: 0 errors\n").complete);
  EXPECT_FALSE(read_sanitizer_report("").complete);
}

Verdict held_verdict() {
  return judge(check({returns()}), returned(), {});
}

TEST(SanitizerReport, TurnsWhatHeldRed) {
  Ending ending = finished();
  ending.out.text = kMemcheck;
  const Verdict verdict = with_sanitizer(held_verdict(), ending);
  EXPECT_EQ(verdict.kind, VerdictKind::faulted);
  EXPECT_EQ(verdict.signature, "faulted sanitizer");
  EXPECT_EQ(verdict.seen.front(), "compute-sanitizer found 3 errors");
  ending.out.text = "========= ERROR SUMMARY: 0 errors\n";
  EXPECT_EQ(with_sanitizer(held_verdict(), ending).kind, VerdictKind::held);
}

TEST(SanitizerReport, WithoutASummaryLeavesNoVerdict) {
  Ending ending = finished();
  ending.out.text = "========= COMPUTE-SANITIZER\n========= Error: No attachable process found.\n";
  const Verdict verdict = with_sanitizer(held_verdict(), ending);
  EXPECT_EQ(verdict.kind, VerdictKind::no_verdict);
  EXPECT_EQ(verdict.seen,
            (Lines{"it gave no summary; the last line: ========= Error: No attachable process found."}));
}

}  // namespace
}  // namespace relapse
