#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "read_helpers.hpp"

namespace relapse {
namespace {

using testing_case::mistakes_in;
using testing_case::small_case;

Case read(const std::string& text) {
  ReadResult result = read_case(text, "case.yaml", "case");
  for (const Diagnostic& diagnostic : result.diagnostics) ADD_FAILURE() << format(diagnostic);
  return result.value.value_or(Case{});
}

InputForm form(const std::string& text) {
  std::string whole = small_case("x: zeros", "x: " + text);
  const std::string_view shape = "shape: [N], finite";  // forms of any shape are read here
  whole.replace(whole.find(shape), shape.size(), "finite");
  const Case target = read(whole);
  return target.failing.empty() || target.failing[0].scenario.inputs.empty()
             ? InputForm{}
             : target.failing[0].scenario.inputs[0].form;
}

TEST(ReadCase, ReadsTheSmallestOne) {
  const Case target = read(small_case());
  EXPECT_EQ(target.title, "A sum");
  EXPECT_EQ(target.title_pos, (SourcePos{2, 8}));
  EXPECT_EQ(target.dims[0].name, "N");
  EXPECT_EQ(target.failing[0].scenario.name, "failing");
  EXPECT_EQ(target.batches[0].scenario.name, "batch-1");
  EXPECT_EQ(target.batches[1].scenario.seed, 2u);
  EXPECT_EQ(target.boundaries, BoundariesKind::automatic);
  EXPECT_EQ(target.unfixed.kind, UnfixedKind::automatic);
}

TEST(ReadInputForm, TellsWordsNumbersAndTensorsApart) {
  EXPECT_EQ(form("ones").fill, Fill::ones);
  EXPECT_EQ(form("generated").source, InputSource::generated);
  EXPECT_EQ(form("2 * N + 1").source, InputSource::number);
  EXPECT_EQ(form("true").expr->kind, ExprKind::boolean);
  EXPECT_EQ(form("none").expr->kind, ExprKind::none);
  EXPECT_EQ(form("{text: left}").text, "left");
  EXPECT_EQ(form("'=arange(N) * 2'").source, InputSource::computed);
  EXPECT_EQ(form("'=arange(N) * 2'").expr->pos, (SourcePos{10, 25}));
  EXPECT_EQ(form("{memory_format: channels_last}").source, InputSource::generated);
  EXPECT_EQ(form("{full: -inf}").source, InputSource::full);
  EXPECT_EQ(form("{fill: eye}").fill, Fill::eye);
  EXPECT_EQ(form("{bits: [0xffc00000]}").source, InputSource::bits);
  EXPECT_EQ(form("{random: integers, low: 0, high: N}").random.kind, RandomKind::integers);
  EXPECT_EQ(form("{list: [zeros, [1, 2]]}").list.size(), 2u);
  EXPECT_EQ(form("{file: a.npy}").file, "a.npy");
}

TEST(ReadInputForm, KeepsEveryNumberAsWritten) {
  const Values values = form("[-9223372036854775808, 18446744073709551615, 0.1, nan, true, N - 1]").values;
  EXPECT_THAT(values.shape, testing::ElementsAre(6));
  EXPECT_EQ(std::get<std::int64_t>(values.flat[0]), INT64_MIN);
  EXPECT_EQ(std::get<std::uint64_t>(values.flat[1]), UINT64_MAX);
  EXPECT_EQ(std::get<double>(values.flat[2]), 0.1);
  EXPECT_TRUE(std::isnan(std::get<double>(values.flat[3])));
  EXPECT_TRUE(std::get<bool>(values.flat[4]));
  EXPECT_EQ(std::get<ExprPtr>(values.flat[5])->kind, ExprKind::binary);
}

TEST(ReadInputForm, FlattensRowsInOrder) {
  const Values values = form("[[1, 2, 3], [4, 5, 6]]").values;
  EXPECT_THAT(values.shape, testing::ElementsAre(2, 3));
  EXPECT_EQ(std::get<std::int64_t>(values.flat[3]), 4);
  EXPECT_THAT(form("[]").values.shape, testing::ElementsAre(0));
  EXPECT_THAT(form("[[], []]").values.shape, testing::ElementsAre(2, 0));
}

TEST(ReadInputForm, ReadsSlicesOfSet) {
  const InputForm read_form = form("{full: 0, set: [{at: [0, \"2:5\", -1, \":\", \"::2\"], to: nan}]}");
  ASSERT_EQ(read_form.set.size(), 1u);
  const std::vector<SetIndex>& at = read_form.set[0].at;
  EXPECT_EQ(at[0].index, 0);
  EXPECT_EQ(at[1].start, 2);
  EXPECT_EQ(at[1].stop, 5);
  EXPECT_EQ(at[2].index, -1);
  EXPECT_TRUE(at[3].is_slice);
  EXPECT_EQ(at[4].step, 2);
}

TEST(ReadCase, LetsQuotesMeanNothing) {
  EXPECT_EQ(form("'zeros'").source, InputSource::fill);
  const Case target = read(small_case("N: 8", "'N': \"8\""));
  EXPECT_EQ(target.batches[0].scenario.dims[0].value->integer, 8);
}

TEST(ReadCase, ReadsTextsThatYamlWouldTurnIntoSomethingElse) {
  const Case target =
      read(small_case("fix: none known}", "fix: ~, versions: {torch: 2.10, old: no, none: null}}"));
  EXPECT_EQ(target.incident.fix, "~");
  EXPECT_EQ(target.incident.versions[0].second, "2.10");
  EXPECT_EQ(target.incident.versions[1].second, "no");
  EXPECT_EQ(target.incident.versions[2].second, "null");
}

TEST(ReadEquals, TakesALoneNumberForATensor) {
  const Case target = read(small_case("same_as: x.sum()", "equals: 4"));
  const Clause& clause = target.contract.ensures.names[0].clauses[1];
  EXPECT_EQ(clause.expected->source, InputSource::values);
  EXPECT_TRUE(clause.expected->values.shape.empty());
  EXPECT_EQ(read(small_case("same_as: x.sum()", "equals: =x.sum() + 0"))
                .contract.ensures.names[0]
                .clauses[1]
                .expected->source,
            InputSource::computed);
}

TEST(ReadExpectation, ReadsEveryForm) {
  EXPECT_EQ(read(small_case("expect: returns", "expect: {raises: [index_error, any], match: out}"))
                .failing[0]
                .expect.for_device("cpu")[0]
                .classes.size(),
            2u);
  EXPECT_EQ(read(small_case("expect: returns", "expect: {any_of: [returns, {raises: any}]}"))
                .failing[0]
                .expect.for_device("cpu")
                .size(),
            2u);
  const Expectation by_device =
      read(small_case("expect: returns", "expect: {cpu: returns, cuda: {raises: any}}")).failing[0].expect;
  EXPECT_EQ(by_device.for_device("cpu")[0].kind, OutcomeKind::returns);
  EXPECT_EQ(by_device.for_device("cuda")[0].kind, OutcomeKind::raises);
}

TEST(ReadUnfixed, ReadsEveryForm) {
  const auto unfixed = [](const std::string& text) {
    return read(small_case("contract:", "unfixed: " + text + "\ncontract:")).unfixed;
  };
  EXPECT_EQ(unfixed("[y = x.sum() + 1]").kind, UnfixedKind::subject);
  EXPECT_EQ(unfixed("{y: x.sum() + 1}").kind, UnfixedKind::rebind);
  EXPECT_EQ(unfixed("{y: }").rebind[0].expr, nullptr);
  EXPECT_EQ(unfixed("{none: the old operator is gone}").reason, "the old operator is gone");
  EXPECT_EQ(unfixed("{libraries: [old.so]}").kind, UnfixedKind::libraries);
}

TEST(ReadCase, NamesWhatThisVersionDoesNotExecute) {
  const std::string text = small_case("failing: {",
                                      "  agrees: {async: {mode: close, rtol: 0.1, atol: 0.1}}\n"
                                      "libraries: [ops.so]\n"
                                      "run: {modes: [blocking, async, sanitizer], isolate: each}\n"
                                      "failing: {after: [batch-1], ");
  std::vector<std::string> what;
  for (const Unsupported& unsupported : read(text).unsupported) what.push_back(unsupported.what);
  EXPECT_THAT(what, testing::ElementsAre("`agrees.async` with a tolerance"));
}

TEST(ReadCompare, TakesWordsNumbersAndMaps) {
  const auto compare = [](const std::string& text) {
    return *read(small_case("same_as: x.sum()", "same_as: x.sum(), compare: " + text))
                .contract.ensures.names[0]
                .compare;
  };
  EXPECT_EQ(compare("exact").mode, CompareMode::exact);
  EXPECT_EQ(compare("1e-3").rtol, 1e-3);
  EXPECT_EQ(compare("1e-3").atol, 1e-3);
  EXPECT_EQ(compare("{rtol: 0.5}").mode, CompareMode::close);
  EXPECT_EQ(compare("{ulp: 2}").mode, CompareMode::ulp);
  EXPECT_TRUE(compare("{nan: same_places}").nan_same_places);
}

}  // namespace
}  // namespace relapse
