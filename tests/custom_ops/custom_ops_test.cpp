// The operators of cases/custom_ops on the CPU, called as a case calls them. Their GPU side is compiled here
// and runs where a GPU is.

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <string>

namespace {

at::Tensor call(const std::string& name, const at::Tensor& a, const at::Tensor& b) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(("custom_ops::" + name).c_str(), "");
  torch::jit::Stack stack = {a, b};
  op.callBoxed(&stack);
  return stack.at(0).toTensor();
}

std::string error_of(const std::string& name, const at::Tensor& a, const at::Tensor& b) {
  try {
    call(name, a, b);
    return "none";
  } catch (const std::exception& error) {
    const std::string text = error.what();
    const std::size_t from = text.find("box_means: ");
    const std::size_t pages = text.find("gather_pages: ");
    const std::size_t begin = from != std::string::npos ? from : pages;
    return begin == std::string::npos ? text : text.substr(begin, text.find('\n', begin) - begin);
  }
}

at::Tensor floats(std::initializer_list<float> values, at::IntArrayRef shape) {
  return at::tensor(at::ArrayRef<float>(values.begin(), values.size())).view(shape);
}

TEST(CustomOps, MeansOfBoxes) {
  const at::Tensor features = at::arange(2 * 3 * 4 * 5, at::kFloat).view({2, 3, 4, 5});
  // One inside, one that hangs over two edges, one outside.
  const at::Tensor boxes = floats({0, 1, 1, 3, 2, 1, 3, 2, 9, 9, 1, 7, 7, 9, 9}, {3, 5});
  for (const char* name : {"box_means", "box_means_unchecked"}) {
    const at::Tensor means = call(name, features, boxes);
    EXPECT_EQ(means.sizes(), (std::vector<std::int64_t>{3, 3}));
    EXPECT_TRUE(at::allclose(means[0], features[0].slice(1, 1, 3).slice(2, 1, 4).mean({1, 2})));
    EXPECT_TRUE(at::allclose(means[1], features[1].slice(1, 2, 4).slice(2, 3, 5).mean({1, 2})));
    EXPECT_TRUE(at::equal(means[2], at::zeros({3})));
  }
}

TEST(CustomOps, RefusesABoxOnAnImageThatIsNotThere) {
  const at::Tensor features = at::zeros({2, 1, 4, 4});
  const auto refused = [&](float image) {
    return error_of("box_means", features, floats({1, 0, 0, 1, 1, image, 0, 0, 1, 1}, {2, 5}));
  };
  EXPECT_EQ(refused(0), "none");
  EXPECT_EQ(refused(2), "box_means: box 1 is on image 2, but there are 2 images");
  EXPECT_EQ(refused(-1), "box_means: box 1 is on image -1, but there are 2 images");
  EXPECT_EQ(refused(0.5), "box_means: box 1 is on image 0.5, but there are 2 images");
  EXPECT_EQ(refused(NAN), "box_means: box 1 is on image nan, but there are 2 images");
  EXPECT_EQ(refused(1073741824), "box_means: box 1 is on image 1.07374e+09, but there are 2 images");
}

TEST(CustomOps, RefusesArgumentsOfAnotherKind) {
  EXPECT_EQ(error_of("box_means", at::zeros({4, 4}), at::zeros({1, 5})),
            "box_means: expected features of four dimensions, got 2");
  EXPECT_EQ(error_of("box_means", at::zeros({1, 1, 4, 4}), at::zeros({1, 4})),
            "box_means: expected boxes of shape [boxes, 5]");
  EXPECT_EQ(error_of("gather_pages", at::zeros({3, 4}), at::zeros({2})),
            "gather_pages: expected pages of one dimension and dtype int64");
}

TEST(CustomOps, GathersPagesOfAnyDtype) {
  const at::Tensor pages = at::tensor({2, 0, 2}, at::kLong);
  for (const at::ScalarType dtype : {at::kByte, at::kHalf, at::kFloat, at::kDouble}) {
    const at::Tensor cache = at::arange(12).view({3, 4}).to(dtype);
    EXPECT_TRUE(at::equal(call("gather_pages", cache, pages), cache.index_select(0, pages)));
    EXPECT_TRUE(at::equal(call("gather_pages_narrow", cache, pages), cache.index_select(0, pages)));
  }
}

TEST(CustomOps, OnlyTheFixReachesPagesPastTwoToThe31) {
  // The last page begins past 2^31. Memory that is never touched costs address space only.
  constexpr std::int64_t kElements = 576 * 480;
  constexpr std::int64_t kLast = 7768;
  const at::Tensor cache = at::empty({kLast + 1, kElements}, at::kByte);
  cache[kLast].fill_(7);
  cache[0].fill_(3);
  const at::Tensor pages = at::tensor({kLast, std::int64_t{0}}, at::kLong);
  EXPECT_TRUE(at::equal(call("gather_pages", cache, pages), cache.index_select(0, pages)));
  EXPECT_EXIT(call("gather_pages_narrow", cache, pages), ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (::dlopen(RELAPSE_CUSTOM_OPS, RTLD_NOW | RTLD_LOCAL) == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return 1;
  }
  return RUN_ALL_TESTS();
}
