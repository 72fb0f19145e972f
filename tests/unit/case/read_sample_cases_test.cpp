#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <harness/case/discover.hpp>
#include <harness/case/reader.hpp>

namespace relapse {
namespace {

Case sample(const std::string& id) {
  ReadResult read = read_case_file(std::string(RELAPSE_TEST_DATA) + "/format/" + id + ".yaml", id);
  for (const Diagnostic& diagnostic : read.diagnostics) ADD_FAILURE() << format(diagnostic);
  return read.value.value_or(Case{});
}

TEST(ReadSampleCases, ReadsAllOfThemWithoutAMessage) {
  const auto files = discover_cases(std::string(RELAPSE_TEST_DATA) + "/format");
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 33u);
  for (const CaseFile& file : *files) EXPECT_EQ(sample(file.id).id, file.id);
}

TEST(ReadSampleCases, KeepsWhatIsRejectedAndByWhat) {
  const Case read = sample("index/ce-targets-5-and-10-of-3");
  ASSERT_EQ(read.failing.size(), 1u);
  const Failing& failing = read.failing[0];
  ASSERT_EQ(failing.expect.for_device("cuda").size(), 1u);
  EXPECT_EQ(failing.expect.for_device("cuda")[0].kind, OutcomeKind::rejected);
  EXPECT_EQ(failing.expect.for_device("cuda")[0].clause, "target.max");
  EXPECT_THAT(failing.symptoms.at("cuda")[0].match,
              testing::ElementsAre("cur_target >= 0 && cur_target < n_classes", "t >= 0 && t < n_classes"));
  EXPECT_EQ(failing.scenario.inputs[1].form.values.flat.size(), 8u);
  EXPECT_EQ(std::get<double>(*failing.scenario.inputs[0].form.full), 0.3333);
  EXPECT_EQ(read.batches[1].dim_lists[0].first, "N");
  EXPECT_EQ(read.batches[1].dtype_lists[0].second[1].dtype, DType::bfloat16);
  const NameContract* target = read.contract.requires_.find("target");
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(target->except.size(), 1u);
  EXPECT_EQ(target->clauses[3].text, "C - 1");
  EXPECT_EQ(target->clauses[3].pos, (SourcePos{19, 48}));
  EXPECT_EQ(target->clauses[3].value_pos, (SourcePos{19, 53}));
}

TEST(ReadSampleCases, TurnsAnOverloadIntoACall) {
  const Case read = sample("values/gru-zero-batch");
  ASSERT_EQ(read.subject.steps.size(), 1u);
  EXPECT_EQ(read.subject.steps[0].expr->kind, ExprKind::call);
  EXPECT_EQ(read.subject.steps[0].expr->text, "gru.input");
  EXPECT_FALSE(read.run.cudnn);
  EXPECT_EQ(read.contract.ensures.find("y")->clauses[2].reference.size(), 7u);
}

TEST(ReadSampleCases, ListsWhatIsNotExecutedYet) {
  const Case read = sample("apps/app-hf-resize-forgotten");
  ASSERT_EQ(read.unsupported.size(), 2u);
  EXPECT_EQ(read.unsupported[0].what, "`subject: {python: ...}`");
  EXPECT_EQ(read.unsupported[0].pos, (SourcePos{12, 10}));
  EXPECT_TRUE(sample("values/sort-out-strided").unsupported.empty());
}

TEST(ReadSampleCases, KeepsSixtyFourBits) {
  const Case read = sample("index/nerf-searchsorted-garbage-index");
  const InputForm& garbage = read.failing[0].scenario.inputs[2].form;
  EXPECT_EQ(std::get<std::int64_t>(garbage.values.flat[0]), -4993021444723710459);
  EXPECT_THAT(garbage.values.shape, testing::ElementsAre(1, 2));
}

TEST(ReadSampleCases, KeepsNeedsAndLimits) {
  const Case read = sample("values/triu-65537-bool");
  EXPECT_EQ(read.needs.memory, 32ull << 30);
  EXPECT_EQ(read.needs.device_memory, 12ull << 30);
  EXPECT_EQ(read.limits.timeout, 600.0);
}

}  // namespace
}  // namespace relapse
