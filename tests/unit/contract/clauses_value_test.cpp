#include "contracts.hpp"

namespace relapse {
namespace {

using namespace test;

TEST(SumsTo, ComparesTheSumWithinTheTolerancesOfTheDtype) {
  EXPECT_EQ(seen("sums_to: {value: 6}", "arange(4)"), "holds");
  EXPECT_EQ(seen("sums_to: {value: 7}", "arange(4)"), "sum 6 where 7 was due");
  EXPECT_EQ(seen("sums_to: {value: 1, dim: -1}", "softmax(ones([2, 3]), 1)"), "holds");
  EXPECT_EQ(seen("sums_to: {value: C, dim: 1}", "arange(4).reshape([2, 2])"), "[0]: sum 1 where 3 was due");
  EXPECT_EQ(seen("sums_to: {value: 1.00005}", "ones([1])"), "holds") << "float32: rtol 1e-4";
  EXPECT_EQ(seen("sums_to: {value: 1.01}", "ones([1])"), "sum 1 where 1.01 was due");
  EXPECT_EQ(seen("sums_to: {value: 1.01, rtol: 0.1}", "ones([1])"), "holds");
  EXPECT_EQ(seen("sums_to: {value: 1.01, atol: 0.001}", "ones([1])"), "sum 1 where 1.01 was due");
  EXPECT_EQ(seen("sums_to: {value: 6.00001}", "arange(4)"), "sum 6 where 6.00001 was due")
      << "integers are exact";
  EXPECT_EQ(seen("sums_to: {value: 0}", "zeros([0])"), "holds");
  EXPECT_EQ(seen("sums_to: {value: 0, dim: 2}", "zeros([2])"), "rank 1, so there is no dim 2");
  EXPECT_EQ(seen("sums_to: {value: 2}", "full([2], true, dtype=bool)"), "holds");
  EXPECT_EQ(clause_of("sums_to: {value: 0}", {NoneValue{}}).only(), "none where a tensor is due");
}

TEST(SumsTo, SumsHalfsInFloat64) {
  EXPECT_EQ(seen("sums_to: {value: 100000}", "full([2], 50000, dtype=float16)"), "holds");
}

TEST(SumsTo, SumsUnsignedIntegers) {
  EXPECT_EQ(seen("sums_to: {value: 8}", tensor("full([2], 4, dtype=int32)").view(at::kUInt32)), "holds");
  EXPECT_EQ(seen("sums_to: {value: 9}", tensor("full([2], 4)").view(at::kUInt64)), "sum 8 where 9 was due");
}

// With a relative tolerance everything was near an infinity, and of complex sums only the real part counted.
TEST(SumsTo, IsNotNearAnInfinity) {
  EXPECT_EQ(seen("sums_to: {value: inf}", "ones([2])"), "sum 2 where inf was due");
  EXPECT_EQ(seen("sums_to: {value: inf}", "full([2], inf)"), "holds");
  EXPECT_EQ(seen("sums_to: {value: 2}", "full([2], nan)"), "sum nan where 2 was due");
  EXPECT_EQ(seen("sums_to: {value: nan}", "full([2], nan)"), "sum nan where nan was due");
  EXPECT_EQ(seen("sums_to: {value: 2}", "complex(ones([2]), ones([2]))"),
            "complex64, of which no sum is compared");
}

TEST(Equals, TakesLiteralsFormsAndExpressions) {
  EXPECT_EQ(seen("equals: [0, 1, 2]", "arange(3)"), "holds");
  EXPECT_EQ(seen("equals: [0, 1, 3]", "arange(3)"),
            "1 of 3 elements differs; worst at [2]: 2 where 3 was due (off by 1) | exact");
  EXPECT_EQ(seen("equals: 3", "full([], 3)"), "holds") << "a lone number is 0-d";
  EXPECT_EQ(seen("equals: 3", "full([2], 3)"), "shape [2] where [] was due");
  EXPECT_EQ(seen("equals: {full: 3}", "full([2], 3)"), "holds") << "takes the result's shape";
  EXPECT_EQ(seen("equals: zeros", "zeros([2], dtype=float16)"), "holds");
  EXPECT_EQ(seen("equals: =x + 1", "arange(2) + 1", with({{"x", "arange(2)"}})), "holds");
  EXPECT_EQ(seen("equals: =x", "arange(2) + 1", with({{"x", "arange(2)"}})).substr(0, 33),
            "2 of 2 elements differ; worst at ");
  EXPECT_EQ(clause_of("equals: 3", {std::int64_t{3}}).only(), "holds");
  EXPECT_EQ(clause_of("equals: 3", {std::string("a")}).only(), "a text where a tensor is due");
}

TEST(Equals, ReadsInputsAsTheyWereBefore) {
  Names names = with({{"x", "zeros([2])"}});
  names.old.emplace("x", Value{tensor("ones([2])")});
  EXPECT_EQ(seen("equals: =x", "ones([2])", names), "holds");
}

TEST(Equals, ComparesAsSaid) {
  EXPECT_EQ(seen("equals: [1.0], compare: exact", "full([1], 1.0000001)").substr(0, 24),
            "the only element differs");
  EXPECT_EQ(seen("equals: [1.0]", "full([1], 1.0000001)"), "holds");
  EXPECT_EQ(seen("equals: [nan]", "full([1], nan)"),
            "the only element differs: nan where nan was due | close, "
            "float32: rtol 1.3e-06, atol 1e-05");
  EXPECT_EQ(seen("equals: [nan], compare: {nan: same_places}", "full([1], nan)"), "holds");
}

TEST(SameAs, IsComputedInFloat64FromInputsBeforeAndResultsAfter) {
  Names names = with({{"x", "full([2], 60000, dtype=float16)"}});
  EXPECT_EQ(seen("same_as: x.sum() / 2", "full([], 60000, dtype=float16)", names), "holds")
      << "float16 overflows";
  EXPECT_EQ(seen("same_as: 3", "full([], 3)"), "holds") << "a number is a 0-d tensor";
  EXPECT_EQ(seen("same_as: \"x[0:1]\"", "ones([2])", names), "shape [2] where [1] was due");
}

// What is compared with itself holds whatever it is.
TEST(SameAs, RefusesTheResultItself) {
  EXPECT_EQ(seen("same_as: y", "ones([2])"), "11:26 y.same_as compares y with itself");
  EXPECT_EQ(seen("equals: =y", "ones([2])"), "11:25 y.equals compares y with itself");
  EXPECT_EQ(seen("same_as: relu(y)", "ones([2])"), "holds") << "that it is a fixed point says something";
  const Case kase = contract_case("{x: {dtype: float32}}", "{x: {same_as: x}}");
  Names names = with({{"x", "ones([2])"}});
  EXPECT_EQ(check_names(kase.contract.ensures, names).only(), "holds") << "an input: it is as it was";
}

TEST(SameAs, RunsSteps) {
  Names names = with({{"x", "arange(3)"}});
  EXPECT_EQ(seen("same_as: [a = x + 1, \"v, _ = sort(a, 0, true)\", v * 2]", "arange(3) * -2 + 6", names),
            "holds");
  EXPECT_EQ(seen("same_as: [\"a, b = x + 1\", a]", "arange(3)", names), "11:28 2 names for 1 results");
}

TEST(SameAs, ComparesTheDtypeOfABareName) {
  Names names = with({{"x", "ones([2], dtype=float16)"}});
  EXPECT_EQ(seen("same_as: x", "ones([2])", names), "float32 where float16 was due");
  EXPECT_EQ(seen("same_as: x", "ones([2], dtype=float16)", names), "holds");
  EXPECT_EQ(seen("same_as: x + 0", "ones([2])", names), "holds");
}

TEST(SameAs, IsBrokenByWhatTheReferenceThrows) {
  Names names = with({{"x", "arange(3)"}});
  EXPECT_EQ(seen("same_as: 'x.index_select(0, x + 1)'", "arange(3)", names),
            "the reference raised index_error: \"index out of range in self\"");
  EXPECT_EQ(seen("same_as: nosuch(x)", "arange(3)", names).substr(0, 30), "11:26 unknown operator aten::n");
  EXPECT_EQ(seen("same_as: 'split(x, 1)'", "arange(3)", names),
            "11:26 same_as needs a tensor or a number, not a list of 3");
}

TEST(Unchanged, IsBitForBit) {
  const auto unchanged = [](const char* before, const char* after) {
    const Case kase = contract_case("{x: {dtype: float32}}", "{x: {unchanged: true}}");
    Names names = with({{"x", after}});
    names.old.emplace("x", Value{tensor(before)});
    return check_names(kase.contract.ensures, names).only();
  };
  EXPECT_EQ(unchanged("arange(3)", "arange(3)"), "holds");
  EXPECT_EQ(unchanged("arange(3)", "arange(3) + 1"), "3 of 3 elements changed; x[0] was 0 and is 1");
  EXPECT_EQ(unchanged("zeros([2])", "-zeros([2])"), "2 of 2 elements changed; x[0] was 0 and is -0");
  EXPECT_EQ(unchanged("full([2], nan)", "full([2], nan)"), "holds");
  EXPECT_EQ(unchanged("zeros([2])", "zeros([3])"), "float32 [3] where float32 [2] was");
  EXPECT_EQ(unchanged("zeros([2])", "zeros([2], dtype=float64)"), "float64 [2] where float32 [2] was");
  EXPECT_EQ(unchanged("arange(6).reshape([2, 3]).t()", "arange(6).reshape([2, 3]).t().clone()"), "holds")
      << "the layout is another clause's";
  EXPECT_EQ(unchanged("zeros([], dtype=uint8)", "ones([], dtype=uint8)"),
            "1 of 1 elements changed; x was 0 and is 1");
}

TEST(Unchanged, NeedsAnInput) {
  EXPECT_EQ(seen("unchanged: true", "arange(2)"), "11:17 unchanged: y is no input");
}

}  // namespace
}  // namespace relapse
