#include "contracts.hpp"

namespace relapse {
namespace {

using namespace test;
using Lines = std::vector<std::string>;

/// Lines 10 to 15 of a contract with relations between its names.
Case related() {
  return contract_case("\n    x: {max: 1}\n    where: {more: z > x, size: C == 3}\n    z: {min: 2, max: 8}",
                       "{y: {shape: [C]}}");
}

Lines clauses(const Checked& checked) {
  Lines names;
  for (const Breach& breach : checked.result.broken) names.push_back(breach.clause);
  return names;
}

TEST(Side, EvaluatesClausesAndRelationsInFileOrder) {
  Names names = with({{"x", "full([2], 9)"}, {"z", "full([2], 1)"}});
  const Checked checked = check_names(related().contract.requires_, names);
  EXPECT_EQ(clauses(checked), (Lines{"x.max", "where.more", "z.min"}));
  EXPECT_EQ(checked.result.evaluated, 5);
  const Breach& relation = checked.result.broken[1];
  EXPECT_EQ(relation.promised, "where.more: z > x");
  EXPECT_EQ(relation.seen, "false at [0] (2 of 2 elements)");
  EXPECT_EQ(relation.pos, (SourcePos{12, 13}));
  EXPECT_EQ(checked.result.broken[0].pos, (SourcePos{11, 9}));
}

TEST(Side, StopsAtTheFirstWhereAsked) {
  Names names = with({{"x", "full([2], 9)"}, {"z", "full([2], 1)"}});
  const Checked checked = check_names(related().contract.requires_, names, {}, Stop::at_first);
  EXPECT_EQ(clauses(checked), Lines{"x.max"});
  EXPECT_EQ(checked.result.evaluated, 1);
}

TEST(Side, BreaksWhereANameHasNoValue) {
  Names names = with({{"x", "zeros([2])"}});
  const Checked checked =
      check_names(contract_case("{x: {max: 1}}", "{y: {shape: [C], finite: true}}").contract.ensures, names);
  EXPECT_EQ(checked.seen(), (Lines{"y.shape: y has no value", "y.finite: y has no value"}));
}

TEST(Side, LooksOnlyAtTheNamesOfAGuardAndRelationsOverThem) {
  const Case kase = related();
  Names names = with({{"x", "full([2], 9)"}, {"z", "full([2], 1)"}});
  const auto guarded = [&](std::set<std::string> of) {
    SideFilter filter;
    filter.names = std::move(of);
    return clauses(check_names(kase.contract.requires_, names, filter));
  };
  EXPECT_EQ(guarded({"x"}), Lines{"x.max"});
  EXPECT_EQ(guarded({"z"}), Lines{"z.min"});
  EXPECT_EQ(guarded({"x", "z"}), (Lines{"x.max", "where.more", "z.min"}));
}

TEST(Side, CountsARelationOverDimsAndNumbersForAnyGuard) {
  const Case kase =
      contract_case("{x: {max: 9}, where: {size: C == 4, small: x.sum() < z}}", "{y: {shape: [C]}}");
  Names names = with({{"x", "full([2], 9)"}});
  names.set("z", {std::int64_t{1}});
  SideFilter filter;
  filter.names = {"x"};
  EXPECT_EQ(clauses(check_names(kase.contract.requires_, names, filter)),
            (Lines{"where.size", "where.small"}));
}

TEST(Side, SkipsWhatNoStepHasMadeYet) {
  const Case kase = contract_case("{x: {max: 1}, y: {min: 2}, where: {more: y > x}}", "{y: {shape: [C]}}");
  Names names = with({{"x", "full([2], 9)"}});
  SideFilter filter;
  filter.skip_unbound = true;
  const Checked checked = check_names(kase.contract.requires_, names, filter);
  EXPECT_EQ(clauses(checked), Lines{"x.max"});
  EXPECT_EQ(checked.result.evaluated, 1);
}

TEST(Side, LooksOnlyAtUnchangedAfterARejection) {
  const Case kase =
      contract_case("{x: {max: 1}}", "{y: {finite: true}, x: {unchanged: true, max: 0}, where: {no: 1 > 2}}");
  Names names = with({{"x", "full([2], 9)"}});
  names.old.emplace("x", Value{tensor("zeros([2], dtype=int64)")});
  SideFilter filter;
  filter.only_unchanged = true;
  const Checked checked = check_names(kase.contract.ensures, names, filter);
  EXPECT_EQ(clauses(checked), Lines{"x.unchanged"});
  EXPECT_EQ(checked.result.evaluated, 1);
}

TEST(Side, TellsWhatARelationThrows) {
  const Case kase = contract_case("{x: {max: 9}, where: {a: \"x[7] > 0\", b: x.sum()}}", "{y: {shape: [C]}}");
  Names names = with({{"x", "zeros([2])"}});
  SideFilter filter;
  const Checked checked = check_names(kase.contract.requires_, names, filter);
  EXPECT_EQ(checked.error, "10:53 a relation is true or false, or a bool tensor; this is float32 []");
  const Case one = contract_case("{x: {max: 9}, where: {a: \"x[7] > 0\"}}", "{y: {shape: [C]}}");
  EXPECT_EQ(check_names(one.contract.requires_, names).seen(),
            Lines{"where.a: the relation raised index_error: \"select(): index 7 out of range for tensor of "
                  "size [2] at "
                  "dimension 0\""});
  const Case truth = contract_case("{x: {max: 9}, where: {a: 1 > 2}}", "{y: {shape: [C]}}");
  EXPECT_EQ(check_names(truth.contract.requires_, names).seen(), Lines{"where.a: it is false"});
}

}  // namespace
}  // namespace relapse
