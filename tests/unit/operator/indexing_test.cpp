#include <ATen/TensorIndexing.h>
#include <ATen/TensorOperators.h>

#include "names.hpp"

namespace relapse {
namespace {

using namespace test;
using at::indexing::None;
using at::indexing::Slice;

/// A 4 x 5 x 6 tensor, index tensors and masks of it.
class IndexingTest : public testing::Test {
 protected:
  Names names_ = with({{"x", "arange(120).reshape([4, 5, 6])"},
                       {"i", "full([2], 3)"},
                       {"j", "arange(2)"},
                       {"m", "arange(5) % 2 == 0"},
                       {"mm", "arange(20).reshape([4, 5]) % 3 == 0"},
                       {"k", "full([], 2)"},
                       {"t", "full([], true, dtype=bool)"},
                       {"f", "full([], false, dtype=bool)"},
                       {"e", "zeros([0], dtype=int64)"}});
  at::Tensor x_ = names_.tensor("x");

  at::Tensor at_(std::vector<at::indexing::TensorIndex> index) { return x_.index(index); }
  at::Tensor of(const char* name) { return names_.tensor(name); }
};

TEST_F(IndexingTest, IsWhatTorchDoes) {
  const std::vector<std::pair<std::string, at::Tensor>> all = {
      {"x[0]", at_({0})},
      {"x[-1]", at_({-1})},
      {"x[1, 2, 3]", at_({1, 2, 3})},
      {"x[:, 2]", at_({Slice(), 2})},
      {"x[1:3]", at_({Slice(1, 3)})},
      {"x[-2:]", at_({Slice(-2, None)})},
      {"x[:-1, ::2]", at_({Slice(None, -1), Slice(None, None, 2)})},
      {"x[3:1]", at_({Slice(3, 1)})},
      {"x[0:99]", at_({Slice(0, 99)})},
      {"x[none]", at_({None})},
      {"x[:, none, 1]", at_({Slice(), None, 1})},
      {"x[i]", at_({of("i")})},
      {"x[i, j]", at_({of("i"), of("j")})},
      {"x[i, :, j]", at_({of("i"), Slice(), of("j")})},
      {"x[:, i]", at_({Slice(), of("i")})},
      {"x[:, :, i]", at_({Slice(), Slice(), of("i")})},
      {"x[0, i]", at_({0, of("i")})},
      {"x[i, 0]", at_({of("i"), 0})},
      {"x[i, none, j]", at_({of("i"), None, of("j")})},
      {"x[i, 1:3, j]", at_({of("i"), Slice(1, 3), of("j")})},
      {"x[:, m]", at_({Slice(), of("m")})},
      {"x[mm]", at_({of("mm")})},
      {"x[mm, 1]", at_({of("mm"), 1})},
      {"x[mm, 1:4]", at_({of("mm"), Slice(1, 4)})},
      {"x[none, mm]", at_({None, of("mm")})},
      {"x[1, m, ::3]", at_({1, of("m"), Slice(None, None, 3)})},
      {"x[k]", at_({of("k")})},
      {"x[k, i]", at_({of("k"), of("i")})},
      {"x[e]", at_({of("e")})},
      {"x[t]", at_({of("t")})},
      {"x[f]", at_({of("f")})},
      {"x[0, t]", at_({0, of("t")})},
      {"x[:, f, 1]", at_({Slice(), of("f"), 1})},
      {"x[x > 117]", at_({x_ > 117})},
  };
  for (const auto& [text, due] : all) {
    if (names_.text(text).find("12:") == 0)
      ADD_FAILURE() << text << ": " << names_.text(text);
    else
      EXPECT_TRUE(same(names_.tensor(text), due)) << text;
  }
}

TEST_F(IndexingTest, GivesViewsWhereTorchDoes) {
  names_.tensor("x[1:3, 0]").zero_();
  EXPECT_EQ(names_.text("x[1, 0]"), "int64 [6] 0 0 0 0 0 0");
}

TEST_F(IndexingTest, ThrowsWhatTorchThrows) {
  EXPECT_EQ(names_.text("x[4]"),
            "index_error select(): index 4 out of range for tensor of size [4, 5, 6] at dimension 0");
  EXPECT_EQ(names_.text("x[i + 9]").substr(0, 11), "index_error");
  EXPECT_EQ(names_.text("x[0, 0, 0, 0]").substr(0, 11), "index_error");
  EXPECT_EQ(names_.text("x[::0]"), "runtime_error slice step must be positive");
}

TEST_F(IndexingTest, RefusesOtherIndices) {
  EXPECT_EQ(names_.text("x[1.5]"), "12:5 an index is an integer, a slice, none or a tensor, not a float");
  EXPECT_EQ(names_.text("x[true]"), "12:5 an index is an integer, a slice, none or a tensor, not a bool");
  EXPECT_EQ(names_.text("x[[0, 1]]"),
            "12:5 an index is an integer, a slice, none or a tensor, not a list of 2");
  EXPECT_EQ(names_.text("x[i:]"), "12:7 a slice takes integers, not a tensor");
  EXPECT_EQ(names_.text("3[0]").find("only tensors and lists") == std::string::npos, false);
}

TEST_F(IndexingTest, TakesOneOfAList) {
  names_.set("l", names_.eval("[10, 20, 30]"));
  EXPECT_EQ(names_.text("l[0]"), "10");
  EXPECT_EQ(names_.text("l[-1]"), "30");
  EXPECT_EQ(names_.text("l[3]"), "12:5 index 3 is beyond a list of 3");
  EXPECT_EQ(names_.text("l[-4]"), "12:5 index -4 is beyond a list of 3");
  EXPECT_EQ(names_.text("l[0:1]"), "12:5 a list is indexed by one integer");
  EXPECT_EQ(names_.text("split(x, 2)[1][0, 0, 0]"), "int64 [] 60");
}

}  // namespace
}  // namespace relapse
