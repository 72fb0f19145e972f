#include <ATen/ATen.h>

#include <harness/tensor/form.hpp>
#include <harness/tensor/generator.hpp>

#include "../tensor/builders.hpp"
#include "names.hpp"

namespace relapse {
namespace {

using test::Names;
using Tensor = at::Tensor;

/// A generated input, as a case without any form would get it.
Tensor generated(const std::string& name, DType dtype, const std::vector<std::string>& shape) {
  test::Clauses clauses(name);
  clauses.dtype(dtype).shape(shape);
  if (dtype == DType::int64) clauses.min("0").max("4");
  test::Context context(clauses, 11);
  return test::made(test::form_of(InputSource::generated), context.form);
}

struct Pair {
  const char* text;
  std::function<std::vector<Tensor>()> direct;
};

class DirectTest : public testing::Test {
 protected:
  DirectTest()
      : x(generated("x", DType::float32, {"4", "5"})),
        y(generated("y", DType::float32, {"4", "5"})),
        d(generated("d", DType::float64, {"4", "5"})),
        h(generated("h", DType::float16, {"4", "5"})),
        w(generated("w", DType::float32, {"3", "5"})),
        q(generated("q", DType::float32, {"5", "5"})),
        v(generated("v", DType::float32, {"5"})),
        b(generated("b", DType::float32, {"3"})),
        image(generated("image", DType::float32, {"2", "3", "8", "8"})),
        kernel(generated("kernel", DType::float32, {"4", "3", "3", "3"})),
        n(generated("n", DType::int64, {"4"})),
        ids(generated("ids", DType::int64, {"3", "2"})),
        p(x.abs() / 10),
        mask(x > 0) {
    for (const auto& [name, value] : std::vector<std::pair<const char*, Tensor>>{{"x", x},
                                                                                 {"y", y},
                                                                                 {"d", d},
                                                                                 {"h", h},
                                                                                 {"w", w},
                                                                                 {"q", q},
                                                                                 {"v", v},
                                                                                 {"b", b},
                                                                                 {"image", image},
                                                                                 {"kernel", kernel},
                                                                                 {"n", n},
                                                                                 {"ids", ids},
                                                                                 {"p", p},
                                                                                 {"mask", mask}})
      names.set(name, {value});
  }
  Tensor x, y, d, h, w, q, v, b, image, kernel, n, ids, p, mask;
  Names names;
};

std::vector<Tensor> two(std::tuple<Tensor, Tensor> results) {
  return {std::get<0>(results), std::get<1>(results)};
}
std::vector<Tensor> three(std::tuple<Tensor, Tensor, Tensor> results) {
  return {std::get<0>(results), std::get<1>(results), std::get<2>(results)};
}

TEST_F(DirectTest, CallsOperatorsAsAnyProgramDoes) {
  using L = std::vector<std::int64_t>;
  const std::vector<Pair> pairs = {
      {"add(x, y)", [&] { return std::vector{at::add(x, y)}; }},
      {"add(x, y, alpha=2)", [&] { return std::vector{at::add(x, y, 2)}; }},
      {"sub(x, 1.5)", [&] { return std::vector{at::sub(x, 1.5)}; }},
      {"mul(x, d)", [&] { return std::vector{at::mul(x, d)}; }},
      {"div(x, y, rounding_mode='floor')", [&] { return std::vector{at::div(x, y, "floor")}; }},
      {"pow(x, 2)", [&] { return std::vector{at::pow(x, 2)}; }},
      {"pow(2.0, x)", [&] { return std::vector{at::pow(2.0, x)}; }},
      {"remainder(n, 3)", [&] { return std::vector{at::remainder(n, 3)}; }},
      {"exp(x)", [&] { return std::vector{at::exp(x)}; }},
      {"log1p(p)", [&] { return std::vector{at::log1p(p)}; }},
      {"relu(x)", [&] { return std::vector{at::relu(x)}; }},
      {"gelu(x, approximate='tanh')", [&] { return std::vector{at::gelu(x, "tanh")}; }},
      {"leaky_relu(x, 0.2)", [&] { return std::vector{at::leaky_relu(x, 0.2)}; }},
      {"hardtanh(x, -1, 1)", [&] { return std::vector{at::hardtanh(x, -1, 1)}; }},
      {"clamp(x, 0)", [&] { return std::vector{at::clamp(x, 0)}; }},
      {"clamp(x, max=0.5)", [&] { return std::vector{at::clamp(x, std::nullopt, 0.5)}; }},
      {"clamp(x, y, y + 1)", [&] { return std::vector{at::clamp(x, y, y + 1)}; }},
      {"where(mask, x, y)", [&] { return std::vector{at::where(mask, x, y)}; }},
      {"where(mask, x, 0)", [&] { return std::vector{at::where(mask, x, 0)}; }},
      {"masked_fill(x, mask, -1)", [&] { return std::vector{at::masked_fill(x, mask, -1)}; }},
      {"masked_select(x, mask)", [&] { return std::vector{at::masked_select(x, mask)}; }},
      {"sum(x)", [&] { return std::vector{at::sum(x)}; }},
      {"sum(x, [0, 1], keepdim=true)",
       [&] {
         return std::vector{at::sum(x, L{0, 1}, true)};
       }},
      {"sum(h, 1, dtype=float32)", [&] { return std::vector{at::sum(h, L{1}, false, at::kFloat)}; }},
      {"mean(x, -1)", [&] { return std::vector{at::mean(x, L{-1})}; }},
      {"prod(x, 0)", [&] { return std::vector{at::prod(x, 0)}; }},
      {"std(x, 1, correction=0)", [&] { return std::vector{at::std(x, L{1}, c10::Scalar(0))}; }},
      {"var(x)", [&] { return std::vector{at::var(x)}; }},
      {"max(x, 1)", [&] { return two(at::max(x, 1)); }},
      {"max(x, y)", [&] { return std::vector{at::max(x, y)}; }},
      {"argmax(x, 1)", [&] { return std::vector{at::argmax(x, 1)}; }},
      {"amax(x, [0])", [&] { return std::vector{at::amax(x, L{0})}; }},
      {"any(mask)", [&] { return std::vector{at::any(mask)}; }},
      {"all(mask, 0)", [&] { return std::vector{at::all(mask, 0)}; }},
      {"cumsum(x, 1)", [&] { return std::vector{at::cumsum(x, 1)}; }},
      {"sort(x, 1, true)", [&] { return two(at::sort(x, 1, true)); }},
      {"sort(x, stable=true, dim=0)", [&] { return two(at::sort(x, true, 0, false)); }},
      {"topk(x, 2)", [&] { return two(at::topk(x, 2)); }},
      {"median(x, 1)", [&] { return two(at::median(x, 1)); }},
      {"unique_dim(n, 0)", [&] { return three(at::unique_dim(n, 0)); }},
      {"bincount(n, minlength=7)", [&] { return std::vector{at::bincount(n, {}, 7)}; }},
      {"histc(x, 4, -2, 2)", [&] { return std::vector{at::histc(x, 4, -2, 2)}; }},
      {"searchsorted(v.cumsum(0).abs(), x)",
       [&] { return std::vector{at::searchsorted(v.cumsum(0).abs(), x)}; }},
      {"matmul(x, w.t())", [&] { return std::vector{at::matmul(x, w.t())}; }},
      {"mm(x, q)", [&] { return std::vector{at::mm(x, q)}; }},
      {"addmm(b, x, w.t(), beta=2, alpha=0.5)", [&] { return std::vector{at::addmm(b, x, w.t(), 2, 0.5)}; }},
      {"einsum('ij,kj->ik', [x, w])",
       [&] {
         return std::vector{at::einsum("ij,kj->ik", {x, w})};
       }},
      {"linear(x, w, b)", [&] { return std::vector{at::linear(x, w, b)}; }},
      {"linear(x, w)", [&] { return std::vector{at::linear(x, w)}; }},
      {"conv2d(image, kernel)", [&] { return std::vector{at::conv2d(image, kernel)}; }},
      {"conv2d(image, kernel, none, 2, 1)",
       [&] {
         return std::vector{at::conv2d(image, kernel, {}, L{2, 2}, L{1, 1})};
       }},
      {"conv2d(image, kernel, padding='same')",
       [&] {
         return std::vector{at::conv2d(image, kernel, {}, L{1, 1}, "same")};
       }},
      {"max_pool2d(image, 2)",
       [&] {
         return std::vector{at::max_pool2d(image, L{2, 2})};
       }},
      {"avg_pool2d(image, [2, 3], stride=1)",
       [&] {
         return std::vector{at::avg_pool2d(image, L{2, 3}, L{1, 1})};
       }},
      {"adaptive_avg_pool2d(image, 4)",
       [&] {
         return std::vector{at::adaptive_avg_pool2d(image, L{4, 4})};
       }},
      {"upsample_nearest2d(image, none, [2, 2])",
       [&] {
         return std::vector{at::upsample_nearest2d(image, std::nullopt, c10::ArrayRef<double>({2., 2.}))};
       }},
      {"upsample_bilinear2d(image, [5, 5], false)",
       [&] {
         return std::vector{at::upsample_bilinear2d(image, L{5, 5}, false)};
       }},
      {"pad(image, [1, 2], 'constant', 0.5)",
       [&] {
         return std::vector{at::pad(image, L{1, 2}, "constant", 0.5)};
       }},
      {"layer_norm(x, [5], v)", [&] { return std::vector{at::layer_norm(x, L{5}, v)}; }},
      {"batch_norm(image, none, none, none, none, true, 0.1, 1e-5, false)",
       [&] { return std::vector{at::batch_norm(image, {}, {}, {}, {}, true, 0.1, 1e-5, false)}; }},
      {"group_norm(image, 3)", [&] { return std::vector{at::group_norm(image, 3)}; }},
      {"softmax(x, 1)", [&] { return std::vector{at::softmax(x, 1)}; }},
      {"log_softmax(h, -1, dtype=float32)", [&] { return std::vector{at::log_softmax(h, -1, at::kFloat)}; }},
      {"cross_entropy_loss(x, n)", [&] { return std::vector{at::cross_entropy_loss(x, n)}; }},
      {"cross_entropy_loss(x, n, reduction='none', label_smoothing=0.1)",
       [&] { return std::vector{at::cross_entropy_loss(x, n, {}, 0, -100, 0.1)}; }},
      {"mse_loss(x, y, 'sum')", [&] { return std::vector{at::mse_loss(x, y, 2)}; }},
      {"binary_cross_entropy_with_logits(x, p)",
       [&] { return std::vector{at::binary_cross_entropy_with_logits(x, p)}; }},
      {"embedding(q, ids)", [&] { return std::vector{at::embedding(q, ids)}; }},
      {"embedding(q, ids, 1, true)", [&] { return std::vector{at::embedding(q, ids, 1, true)}; }},
      {"gather(x, 1, n.unsqueeze(1))", [&] { return std::vector{at::gather(x, 1, n.unsqueeze(1))}; }},
      {"scatter_add(x, 1, n.unsqueeze(1), y)",
       [&] { return std::vector{at::scatter_add(x, 1, n.unsqueeze(1), y)}; }},
      {"scatter(x, 1, n.unsqueeze(1), 9.0)",
       [&] { return std::vector{at::scatter(x, 1, n.unsqueeze(1), 9.0)}; }},
      {"index_select(q, 0, n)", [&] { return std::vector{at::index_select(q, 0, n)}; }},
      {"index_put(q, [n], v)", [&] { return std::vector{at::index_put(q, {n}, v)}; }},
      {"index_put(q, [none, n], b[0], true)",
       [&] {
         return std::vector{at::index_put(q, {std::nullopt, n}, b[0], true)};
       }},
      {"index_add(q, 0, n, y, alpha=2)", [&] { return std::vector{at::index_add(q, 0, n, y, 2)}; }},
      {"take_along_dim(x, n.unsqueeze(1), 1)",
       [&] { return std::vector{at::take_along_dim(x, n.unsqueeze(1), 1)}; }},
      {"cat([x, y], 1)",
       [&] {
         return std::vector{at::cat({x, y}, 1)};
       }},
      {"stack([x, y])",
       [&] {
         return std::vector{at::stack({x, y})};
       }},
      {"roll(x, 1, 0)", [&] { return std::vector{at::roll(x, L{1}, L{0})}; }},
      {"flip(x, [1])", [&] { return std::vector{at::flip(x, L{1})}; }},
      {"permute(image, [0, 2, 3, 1])",
       [&] {
         return std::vector{at::permute(image, L{0, 2, 3, 1})};
       }},
      {"triu(q, 1)", [&] { return std::vector{at::triu(q, 1)}; }},
      {"diagonal(q)", [&] { return std::vector{at::diagonal(q)}; }},
      {"repeat_interleave(n, 2)", [&] { return std::vector{at::repeat_interleave(n, 2)}; }},
      {"one_hot(n, 5)", [&] { return std::vector{at::one_hot(n, 5)}; }},
      {"linspace(0, 1, 5)", [&] { return std::vector{at::linspace(0, 1, 5)}; }},
      {"full([2, 3], 7)",
       [&] {
         return std::vector{at::full(L{2, 3}, 7)};
       }},
      {"full([2], 7, dtype=float16)", [&] { return std::vector{at::full(L{2}, 7, at::kHalf)}; }},
      {"eye(3)", [&] { return std::vector{at::eye(3)}; }},
      {"zeros_like(h, dtype=float64)", [&] { return std::vector{at::zeros_like(h, at::kDouble)}; }},
      {"linalg_vector_norm(x, 2, [1])", [&] { return std::vector{at::linalg_vector_norm(x, 2, L{1})}; }},
      {"linalg_solve(q, x[0])", [&] { return std::vector{at::linalg_solve(q, x[0])}; }},
      {"linalg_qr(q)", [&] { return two(at::linalg_qr(q)); }},
      {"cumprod(d, 0)", [&] { return std::vector{at::cumprod(d, 0)}; }},
      {"lerp(x, y, 0.25)", [&] { return std::vector{at::lerp(x, y, 0.25)}; }},
      {"atan2(x, y)", [&] { return std::vector{at::atan2(x, y)}; }},
      {"nan_to_num(x / 0.0, posinf=1.0)",
       [&] { return std::vector{at::nan_to_num(x / 0.0, std::nullopt, 1.0)}; }},
      {"isclose(x, y, rtol=0.5)", [&] { return std::vector{at::isclose(x, y, 0.5)}; }},
      {"fft_rfft(x)", [&] { return std::vector{at::fft_rfft(x)}; }},
      {"view_as_real(fft_fft(x))", [&] { return std::vector{at::view_as_real(at::fft_fft(x))}; }},
      {"scaled_dot_product_attention(image, image, image, is_causal=true)",
       [&] { return std::vector{at::scaled_dot_product_attention(image, image, image, {}, 0.0, true)}; }},
  };
  EXPECT_GE(pairs.size(), 60u);
  for (const Pair& pair : pairs) {
    const std::vector<Tensor> due = pair.direct();
    std::vector<Value> seen;
    try {
      seen = names.results(pair.text);
    } catch (const std::exception& error) {
      ADD_FAILURE() << pair.text << ": " << error.what();
      continue;
    }
    ASSERT_EQ(seen.size(), due.size()) << pair.text;
    for (std::size_t i = 0; i < due.size(); ++i) {
      ASSERT_TRUE(seen[i].is_tensor()) << pair.text;
      EXPECT_TRUE(test::same(seen[i].tensor(), due[i])) << pair.text;
    }
  }
}

}  // namespace
}  // namespace relapse
