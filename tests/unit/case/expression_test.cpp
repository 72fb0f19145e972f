#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <harness/case/expression.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

std::string printed(std::string_view text) {
  const auto expr = parse_expression(text);
  return expr ? to_string(**expr) : "error: " + expr.error().message + " | " + expr.error().hint;
}

struct Mistake {
  int column, length;
  std::string message, hint;
};
Mistake mistake(std::string_view text) {
  const auto expr = parse_expression(text);
  if (expr) return {0, 0, "no mistake: " + to_string(**expr), ""};
  return {expr.error().column, expr.error().length, expr.error().message, expr.error().hint};
}

TEST(ParseExpression, HasPythonsPrecedence) {
  EXPECT_EQ(printed("a+b*c"), "a + b * c");
  EXPECT_EQ(printed("(a+b)*c"), "(a + b) * c");
  EXPECT_EQ(printed("a-(b-c)"), "a - (b - c)");
  EXPECT_EQ(printed("(a-b)-c"), "a - b - c");
  EXPECT_EQ(printed("(a == b) & (c | d)"), "(a == b) & (c | d)");
  EXPECT_EQ(printed("a == (b & c)"), "a == b & c");
  EXPECT_EQ(printed("-(x.sum())"), "-x.sum()");
  EXPECT_EQ(printed("(-x).sum()"), "(-x).sum()");
  EXPECT_EQ(printed("~(a > 0)"), "~(a > 0)");
  EXPECT_EQ(printed("a // (b // c)"), "a // (b // c)");
}

TEST(ParseExpression, ReadsIndexing) {
  EXPECT_EQ(printed("x[ 0 ]"), "x[0]");
  EXPECT_EQ(printed("i[:, :, H:2*H]"), "i[:, :, H:2 * H]");
  EXPECT_EQ(printed("x[1::2, none, -1:]"), "x[1::2, none, -1:]");
  EXPECT_EQ(printed("x[rows, ids]"), "x[rows, ids]");
}

TEST(ParseExpression, ReadsCalls) {
  EXPECT_EQ(printed("f(x,none,[2.0, 2.0],mode='sum')"), "f(x, none, [2.0, 2.0], mode='sum')");
  EXPECT_EQ(printed("my::op.Overload(x)"), "my::op.Overload(x)");
  EXPECT_EQ(printed("sort.values(x, values=out)"), "sort.values(x, values=out)");
  EXPECT_EQ(printed("x.grad.abs().sum(2)"), "x.grad.abs().sum(2)");
  EXPECT_EQ(printed("where(a, 1, 0)"), "where(a, 1, 0)");
}

TEST(ParseExpression, KeepsNumbersExactAndAsWritten) {
  EXPECT_EQ(printed("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(printed("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(printed("1e-8"), "1e-8");
  EXPECT_EQ(printed("0xffc00000"), "0xffc00000");
  EXPECT_EQ(printed("-inf"), "-inf");
  EXPECT_EQ((*parse_expression("-5"))->kind, ExprKind::integer);
  EXPECT_EQ((*parse_expression("0xff"))->integer, 255);
  EXPECT_EQ((*parse_expression("-(5)"))->kind, ExprKind::unary);
  EXPECT_EQ((*parse_expression("(-5).abs()"))->kind, ExprKind::method);
}

TEST(ParseExpression, PrintsWhatReadsBackAsTheSame) {
  for (const char* text :
       {"-(0.9 * lp.gather(1, kept.unsqueeze(1)).sum() + 0.1 / C * lp.sum()) / weight[kept].sum()",
        "softmax(scores + ((~causal).to(F) * -65504 + (~real).to(F) * -65504), -1)",
        "(p == 0) | real | ~(causal & real).any(-1, true)", "a - -5", "a - -x", "--(5)", "[[1, 2], []]",
        "old(x)[-1] // 2 % 3", "(a < b) == (c < d)"}) {
    EXPECT_EQ(printed(text), text);
    EXPECT_EQ(printed(printed(text)), printed(text));
  }
}

TEST(ParseExpression, PlacesEveryNodeInTheFile) {
  const ExprPtr expr = *parse_expression("a + f(b)", TextOrigin{{7, 11}, {}});
  EXPECT_EQ(expr->pos, (SourcePos{7, 11}));
  EXPECT_EQ(expr->args[1]->pos, (SourcePos{7, 15}));
  EXPECT_EQ(expr->args[1]->args[0]->pos, (SourcePos{7, 17}));
}

TEST(ParseExpression, UsesTheTableOfATextThatSpansLines) {
  TextOrigin origin;
  origin.table = {{3, 5}, {3, 6}, {4, 2}};
  EXPECT_EQ((*parse_expression("a+b", origin))->args[1]->pos, (SourcePos{4, 2}));
}

TEST(ParseExpression, SaysWhatMustFollow) {
  const Mistake m = mistake("C -");
  EXPECT_EQ(m.message, "expected an expression, got \"C -\"");
  EXPECT_EQ(m.hint, "something must follow the minus");
  EXPECT_EQ(m.column, 3);
}

TEST(ParseExpression, RefusesForeignOperatorsByName) {
  const std::pair<const char*, const char*> rows[] = {{"a ** 2", "**"},   {"a @ b", "@"},
                                                      {"a and b", "and"}, {"a or b", "or"},
                                                      {"not a", "not"},   {"f(a ** 2)", "**"}};
  for (const auto& [text, op] : rows) {
    EXPECT_EQ(mistake(text).message, quoted(op) + " is not part of expressions") << text;
  }
  EXPECT_EQ(mistake("a ** 2").hint, "write pow(x, n)");
  EXPECT_EQ(mistake("a ** 2").column, 3);
  EXPECT_EQ(mistake("a ** 2").length, 2);
}

TEST(ParseExpression, RefusesChainedComparisons) {
  const Mistake m = mistake("0 < x < 5");
  EXPECT_EQ(m.message, "chained comparisons are not part of expressions");
  EXPECT_EQ(m.hint, "write (a < b) & (b < c)");
  EXPECT_EQ(m.column, 7);
}

TEST(ParseExpression, NamesTheBracketThatNothingCloses) {
  EXPECT_EQ(mistake("log(x").hint, "nothing closes this (");
  EXPECT_EQ(mistake("log(x").column, 4);
  EXPECT_EQ(mistake("x)").hint, "nothing opens this )");
  EXPECT_EQ(mistake("[a, (b]").hint, "expected ) or an operator before this");
}

TEST(ParseExpression, ExplainsSlips) {
  EXPECT_EQ(mistake("").message, "expected an expression, got nothing");
  EXPECT_EQ(mistake("True").message, "\"True\" is written true");
  EXPECT_EQ(mistake("a b").hint, "an operator is missing before \"b\"");
  EXPECT_EQ(mistake("2N").hint, "\"2N\" is neither a number nor a name");
  EXPECT_EQ(mistake("x.shape").hint, "write a dim of the case instead");
  EXPECT_EQ(mistake("f(mode=\"sum\")").hint, "text is written in single quotes");
  EXPECT_EQ(mistake("f(a=1, b)").hint, "a positional argument cannot follow one with a name");
  EXPECT_EQ(mistake("f(a=1, a=2)").hint, "the argument \"a\" is given twice");
  EXPECT_EQ(mistake("a, b").hint, "a list is written in brackets: [a, b]");
  EXPECT_EQ(mistake("9223372036854775808").message, "the integer 9223372036854775808 does not fit 64 bits");
}

TEST(ParseExpression, CountsColumnsInCodePoints) {
  EXPECT_EQ(mistake("f('\xC3\xA9') b").column, 8);
  EXPECT_EQ(mistake("\xC3\xA9").hint, "\"\xC3\xA9\" has no meaning here");
}

TEST(ParseExpression, RefusesWhatIsTooDeepOrTooLong) {
  EXPECT_EQ(mistake(std::string(100, '(') + "x" + std::string(100, ')')).message,
            "the expression is nested deeper than 64");
  EXPECT_EQ(mistake(std::string(1000, '-') + "x").message, "the expression is nested deeper than 64");
  std::string sum = "x";
  for (int i = 0; i < 5000; ++i) sum += " + x";
  EXPECT_EQ(mistake(sum).message, "the expression has more than 2000 pieces");
}

TEST(ParseStep, ReadsResultsAndBuiltins) {
  const Step step = *parse_step(" values, target, _ = _unique2(labels, true, true) ");
  EXPECT_THAT(step.targets, testing::ElementsAre("values", "target", "_"));
  EXPECT_EQ(step.text, "values, target, _ = _unique2(labels, true, true)");
  EXPECT_EQ(step.builtin, Builtin::none);
  EXPECT_EQ(parse_step("guard(a, b)")->builtin, Builtin::guard);
  EXPECT_EQ(parse_step("backward(loss)")->builtin, Builtin::backward);
  EXPECT_EQ(parse_step("y = data(x)")->builtin, Builtin::data);
  EXPECT_EQ(parse_step("seed(3)")->builtin, Builtin::seed);
  EXPECT_EQ(parse_step("synchronize()")->builtin, Builtin::synchronize);
  EXPECT_TRUE(parse_step("copy_(a, b == c)")->targets.empty());
}

TEST(ParseStep, RefusesPartsAsResults) {
  EXPECT_EQ(parse_step("x[0] = 1").error().hint, "write copy_(part, value) to overwrite a part");
  EXPECT_EQ(parse_step("1 = x").error().message, "expected the name of a result, got \"1\"");
  EXPECT_EQ(parse_step("a = b = c").error().column, 7);
}

TEST(NamesIn, ListsWhatIsReadOnce) {
  const ExprPtr expr = *parse_expression("f(x, dtype=float16) + x.sum(N) * y[i].grad_scale(z) + s.grad");
  EXPECT_THAT(names_in(*expr), testing::ElementsAre("x", "N", "y", "i", "z", "s"));
}

}  // namespace
}  // namespace relapse
