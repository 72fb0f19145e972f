#include <ATen/ATen.h>

#include <initializer_list>

#include "operator_samples.hpp"

namespace sim_test {

namespace {

using c10::IValue;
using torch::jit::Stack;
using Sizes = std::vector<std::int64_t>;
using State = std::uint64_t&;

double next(State state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(state >> 11) * 0x1p-53;
}

/// Floats from 0.05 to 0.95, each another.
at::Tensor f(State state, const Sizes& sizes) {
  const at::Tensor made = at::empty(sizes, at::kFloat);
  auto* data = made.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < made.numel(); ++i) data[i] = static_cast<float>(0.05 + 0.9 * next(state));
  return made;
}

/// Integers from 0 to below `end`.
at::Tensor i(State state, const Sizes& sizes, double end) {
  return (f(state, sizes).to(at::kDouble) * end).to(at::kLong);
}

IValue tensors(std::initializer_list<at::Tensor> all) {
  return c10::List<at::Tensor>(all);
}

const IValue kNone;

Stack pooled(State s, const Sizes& in, const Sizes& out) {
  return {f(s, out), f(s, in), Sizes{2, 2}, Sizes{2, 2}, Sizes{0, 0}};
}

const std::vector<Written> kWritten = {
    {"addmv",
     [](State s) {
       return Stack{f(s, {3}), f(s, {3, 4}), f(s, {4})};
     }},
    {"mv",
     [](State s) {
       return Stack{f(s, {3, 4}), f(s, {4})};
     }},
    {"addr",
     [](State s) {
       return Stack{f(s, {3, 4}), f(s, {3}), f(s, {4})};
     }},
    {"addbmm",
     [](State s) {
       return Stack{f(s, {3, 5}), f(s, {2, 3, 4}), f(s, {2, 4, 5})};
     }},
    {"einsum",
     [](State s) {
       return Stack{IValue("ij,jk->ki"), tensors({f(s, {3, 4}), f(s, {4, 5})})};
     }},
    {"linalg_cholesky",
     [](State s) {
       const at::Tensor a = f(s, {4, 4});
       return Stack{a.mm(a.t()) + at::eye(4)};
     }},
    {"linalg_lu_solve",
     [](State s) {
       const auto [lu, pivots, info] = at::linalg_lu_factor_ex(f(s, {3, 3}) + 3 * at::eye(3));
       return Stack{lu, pivots, f(s, {3, 2})};
     }},
    {"ormqr",
     [](State s) {
       return Stack{f(s, {4, 3}), f(s, {3}), f(s, {4, 2})};
     }},
    {"linalg_householder_product",
     [](State s) {
       return Stack{f(s, {4, 3}), f(s, {3})};
     }},
    {"clamp",
     [](State s) {
       return Stack{f(s, {3, 3}), 0.2, 0.7};
     }},
    {"clamp_",
     [](State s) {
       return Stack{f(s, {3, 3}), 0.2, 0.7};
     }},
    {"clip",
     [](State s) {
       return Stack{f(s, {3, 3}), 0.2, kNone};
     }},
    {"prelu",
     [](State s) {
       return Stack{f(s, {2, 3, 4}) - 0.5, f(s, {3})};
     }},
    {"col2im",
     [](State s) {
       return Stack{f(s, {1, 12, 4}), Sizes{4, 4}, Sizes{2, 2}, Sizes{1, 1}, Sizes{0, 0}, Sizes{2, 2}};
     }},
    {"stft", [](State s) { return Stack{f(s, {64}), 16, 4, kNone, f(s, {16}), false, true, true}; }},
    {"istft",
     [](State s) {
       return Stack{at::stft(f(s, {64}), 16, 4, {}, at::ones({16}), true, "reflect", false, true, true), 16,
                    4, kNone, at::ones({16})};
     }},
    {"grid_sampler_2d",
     [](State s) {
       return Stack{f(s, {1, 2, 5, 5}), f(s, {1, 3, 3, 2}) * 2 - 1, 0, 0, false};
     }},
    {"grid_sampler_3d",
     [](State s) {
       return Stack{f(s, {1, 2, 4, 4, 4}), f(s, {1, 3, 3, 3, 3}) * 2 - 1, 0, 1, true};
     }},
    {"grid_sampler_2d_backward",
     [](State s) {
       return Stack{f(s, {1, 2, 3, 3}),           f(s, {1, 2, 5, 5}), f(s, {1, 3, 3, 2}) * 2 - 1, 0, 0, false,
                    c10::List<bool>({true, true})};
     }},
    {"affine_grid_generator",
     [](State s) {
       return Stack{f(s, {2, 2, 3}), Sizes{2, 1, 3, 3}, false};
     }},
    {"nll_loss",
     [](State s) {
       return Stack{f(s, {4, 3}), i(s, {4}, 3)};
     }},
    {"nll_loss_forward",
     [](State s) {
       return Stack{f(s, {4, 3}), i(s, {4}, 3), kNone, 1, -100};
     }},
    {"nll_loss_backward",
     [](State s) {
       return Stack{f(s, {}), f(s, {4, 3}), i(s, {4}, 3), kNone, 1, -100, at::full({}, 4.0F)};
     }},
    {"nll_loss2d",
     [](State s) {
       return Stack{f(s, {2, 3, 4, 4}), i(s, {2, 4, 4}, 3)};
     }},
    {"nll_loss2d_forward",
     [](State s) {
       return Stack{f(s, {2, 3, 4, 4}), i(s, {2, 4, 4}, 3), f(s, {3}), 2, 1};
     }},
    {"cosine_embedding_loss",
     [](State s) {
       return Stack{f(s, {3, 4}), f(s, {3, 4}), i(s, {3}, 2) * 2 - 1};
     }},
    {"multi_margin_loss",
     [](State s) {
       return Stack{f(s, {4, 3}), i(s, {4}, 3)};
     }},
    {"multi_margin_loss_backward",
     [](State s) {
       return Stack{f(s, {}), f(s, {4, 3}), i(s, {4}, 3), 1, 1.0, kNone, 1};
     }},
    {"ctc_loss.IntList",
     [](State s) {
       return Stack{f(s, {6, 2, 4}).log_softmax(2), i(s, {2, 2}, 3) + 1, Sizes{6, 5}, Sizes{2, 1}};
     }},
    {"embedding_bag",
     [](State s) {
       return Stack{f(s, {5, 3}), i(s, {6}, 5), at::tensor({0, 2}, at::kLong)};
     }},
    {"embedding_dense_backward",
     [](State s) {
       return Stack{f(s, {4, 3}), i(s, {4}, 5), 5, -1, false};
     }},
    {"scatter_reduce.two",
     [](State s) {
       return Stack{f(s, {3, 3}), 0, i(s, {2, 3}, 3), f(s, {2, 3}), IValue("amax")};
     }},
    {"index_reduce",
     [](State s) {
       return Stack{f(s, {3, 3}), 0, i(s, {2}, 3), f(s, {2, 3}), IValue("prod")};
     }},
    {"segment_reduce",
     [](State s) {
       return Stack{f(s, {5}), IValue("sum"), at::tensor({2, 3}, at::kLong)};
     }},
    {"batch_norm",
     [](State s) {
       return Stack{f(s, {4, 3, 2}), f(s, {3}), f(s, {3}), f(s, {3}), f(s, {3}), true, 0.1, 1e-5, false};
     }},
    {"native_batch_norm",
     [](State s) {
       return Stack{f(s, {4, 3, 2}), f(s, {3}), f(s, {3}), f(s, {3}), f(s, {3}), false, 0.1, 1e-5};
     }},
    {"native_group_norm",
     [](State s) {
       return Stack{f(s, {2, 4, 3}), f(s, {4}), f(s, {4}), 2, 4, 3, 2, 1e-5};
     }},
    {"native_layer_norm_backward",
     [](State s) {
       return Stack{f(s, {2, 4}), f(s, {2, 4}), Sizes{4},  f(s, {2, 1}),
                    f(s, {2, 1}), f(s, {4}),    f(s, {4}), c10::List<bool>({true, true, true})};
     }},
    {"instance_norm",
     [](State s) {
       return Stack{f(s, {2, 3, 4}), f(s, {3}), f(s, {3}), kNone, kNone, true, 0.1, 1e-5, false};
     }},
    {"conv_transpose1d",
     [](State s) {
       return Stack{f(s, {2, 3, 5}), f(s, {3, 2, 3}), f(s, {2})};
     }},
    {"conv_transpose3d.input",
     [](State s) {
       return Stack{f(s, {1, 2, 3, 3, 3}), f(s, {2, 2, 2, 2, 2})};
     }},
    {"conv_tbc",
     [](State s) {
       return Stack{f(s, {5, 2, 3}), f(s, {3, 3, 4}), f(s, {4})};
     }},
    {"thnn_conv2d",
     [](State s) {
       return Stack{f(s, {1, 2, 5, 5}), f(s, {3, 2, 3, 3}), Sizes{3, 3}};
     }},
    {"max_pool2d_with_indices_backward",
     [](State s) {
       const at::Tensor image = f(s, {1, 2, 4, 4});
       const at::Tensor at = std::get<1>(at::max_pool2d_with_indices(image, {2, 2}));
       return Stack{f(s, {1, 2, 2, 2}), image, Sizes{2, 2}, Sizes{2, 2}, Sizes{0, 0}, Sizes{1, 1}, false, at};
     }},
    {"avg_pool2d_backward",
     [](State s) {
       Stack all = pooled(s, {1, 2, 4, 4}, {1, 2, 2, 2});
       all.insert(all.end(), {IValue(false), IValue(true), kNone});
       return all;
     }},
    {"upsample_bilinear2d_backward",
     [](State s) {
       return Stack{f(s, {1, 2, 6, 6}), Sizes{6, 6}, Sizes{1, 2, 3, 3}, false};
     }},
    {"upsample_nearest2d_backward",
     [](State s) {
       return Stack{f(s, {1, 2, 6, 6}), Sizes{6, 6}, Sizes{1, 2, 3, 3}};
     }},
    {"glu_backward",
     [](State s) {
       return Stack{f(s, {3, 2}), f(s, {3, 4}), 1};
     }},
    {"diagonal_scatter",
     [](State s) {
       return Stack{f(s, {3, 3}), f(s, {3})};
     }},
    {"select_scatter",
     [](State s) {
       return Stack{f(s, {3, 4}), f(s, {4}), 0, 1};
     }},
    {"unfold_backward",
     [](State s) {
       return Stack{f(s, {2, 3, 2}), Sizes{4, 3}, 0, 2, 2};
     }},
    {"view_as_complex",
     [](State s) {
       return Stack{f(s, {3, 2})};
     }},
    {"lstm_cell",
     [](State s) {
       return Stack{f(s, {2, 3}),  tensors({f(s, {2, 4}), f(s, {2, 4})}),
                    f(s, {16, 3}), f(s, {16, 4}),
                    f(s, {16}),    f(s, {16})};
     }},
    {"gru_cell",
     [](State s) {
       return Stack{f(s, {2, 3}), f(s, {2, 4}), f(s, {12, 3}), f(s, {12, 4}), f(s, {12}), f(s, {12})};
     }},
    {"coalesce",
     [](State s) {
       return Stack{at::sparse_coo_tensor(i(s, {1, 4}, 3), f(s, {4}), {3})};
     }},
    {"sparse_mask",
     [](State s) {
       return Stack{f(s, {3, 3}), at::eye(3).to_sparse()};
     }},
    {"item", [](State s) { return Stack{f(s, {})}; }},
};

}  // namespace

const std::vector<Written>& written_samples() {
  return kWritten;
}

}  // namespace sim_test
