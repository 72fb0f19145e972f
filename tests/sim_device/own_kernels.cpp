// Operators that LibTorch calls on accelerators only. The CPU has no kernel of these names, so each is put
// together from others: convolutions, and the cells of LSTM and GRU. The cells follow
// aten/src/ATen/native/cuda/RNN.cu, also in what they keep for the way back.

#include <ATen/ATen.h>
#include <torch/library.h>

#include "launch.hpp"

namespace sim {

namespace {

using Stack = torch::jit::Stack;
using OptionalTensor = std::optional<at::Tensor>;

void call(const char* name, Stack* stack) {
  c10::Dispatcher::singleton().findSchemaOrThrow(name, "").callBoxed(stack);
}

void convolution(Stack* stack) {
  call("aten::convolution", stack);
}

void convolution_backward(Stack* stack) {
  // Besides these it takes the sizes of the bias: those of the channels that come out.
  const auto weight = (*stack)[2].toTensor();
  const bool transposed = (*stack)[6].toBool();
  const std::int64_t groups = (*stack)[8].toInt();
  const std::int64_t channels = transposed ? weight.size(1) * groups : weight.size(0);
  stack->insert(stack->begin() + 3, c10::IValue(c10::List<std::int64_t>({channels})));
  call("aten::convolution_backward", stack);
}

at::Tensor plus(const at::Tensor& gates, const OptionalTensor& bias) {
  return bias && bias->defined() ? gates + *bias : gates;
}

template <typename... T>
void leave(Stack* stack, const T&... results) {
  stack->clear();
  (stack->emplace_back(results), ...);
}

/// (input gates, hidden gates, cx, input bias?, hidden bias?) -> (hy, cy, workspace)
void lstm_cell(Stack* stack) {
  const Stack in = *stack;
  const at::Tensor gates = plus(in[0].toTensor(), in[3].toOptional<at::Tensor>()) +
                           plus(in[1].toTensor(), in[4].toOptional<at::Tensor>());
  const auto parts = gates.chunk(4, 1);
  const at::Tensor i = parts[0].sigmoid();
  const at::Tensor f = parts[1].sigmoid();
  const at::Tensor g = parts[2].tanh();
  const at::Tensor o = parts[3].sigmoid();
  const at::Tensor cy = f * in[2].toTensor() + i * g;
  leave(stack, o * cy.tanh(), cy, at::cat({i, f, g, o}, 1));
}

/// (grad hy?, grad cy?, cx, cy, workspace, has bias) -> (grad gates, grad cx, grad bias)
void lstm_cell_backward(Stack* stack) {
  const Stack in = *stack;
  const at::Tensor cx = in[2].toTensor();
  const at::Tensor cy = in[3].toTensor();
  const auto given = [&](std::size_t position) {
    const OptionalTensor grad = in[position].toOptional<at::Tensor>();
    return grad && grad->defined() ? *grad : at::zeros_like(cx);
  };
  const at::Tensor grad_hy = given(0);
  const auto parts = in[4].toTensor().chunk(4, 1);
  const at::Tensor& i = parts[0];
  const at::Tensor& f = parts[1];
  const at::Tensor& g = parts[2];
  const at::Tensor& o = parts[3];
  const at::Tensor bent = cy.tanh();
  const at::Tensor grad_c = grad_hy * o * (1 - bent * bent) + given(1);
  const at::Tensor gates = at::cat({grad_c * g * i * (1 - i), grad_c * cx * f * (1 - f),
                                    grad_c * i * (1 - g * g), grad_hy * bent * o * (1 - o)},
                                   1);
  leave(stack, gates, grad_c * f, in[5].toBool() ? gates.sum(0) : at::Tensor());
}

/// (input gates, hidden gates, hx, input bias?, hidden bias?) -> (hy, workspace)
void gru_cell(Stack* stack) {
  const Stack in = *stack;
  const auto input = plus(in[0].toTensor(), in[3].toOptional<at::Tensor>()).chunk(3, 1);
  const auto hidden = plus(in[1].toTensor(), in[4].toOptional<at::Tensor>()).chunk(3, 1);
  const at::Tensor hx = in[2].toTensor();
  const at::Tensor reset = (input[0] + hidden[0]).sigmoid();
  const at::Tensor update = (input[1] + hidden[1]).sigmoid();
  const at::Tensor fresh = (input[2] + reset * hidden[2]).tanh();
  leave(stack, fresh + update * (hx - fresh), at::cat({reset, update, fresh, hx, hidden[2]}, 1));
}

/// (grad hy, workspace, has bias) -> (grad input gates, grad hidden gates, grad hx, grad input bias, grad
/// hidden bias)
void gru_cell_backward(Stack* stack) {
  const Stack in = *stack;
  const at::Tensor grad = in[0].toTensor();
  const auto parts = in[1].toTensor().chunk(5, 1);
  const at::Tensor& reset = parts[0];
  const at::Tensor& update = parts[1];
  const at::Tensor& fresh = parts[2];
  const at::Tensor grad_fresh = grad * (1 - update) * (1 - fresh * fresh);
  const at::Tensor grad_update = grad * (parts[3] - fresh) * update * (1 - update);
  const at::Tensor grad_reset = grad_fresh * parts[4] * reset * (1 - reset);
  const at::Tensor input = at::cat({grad_reset, grad_update, grad_fresh}, 1);
  const at::Tensor hidden = at::cat({grad_reset, grad_update, grad_fresh * reset}, 1);
  const bool has_bias = in[2].toBool();
  leave(stack, input, hidden, grad * update, has_bias ? input.sum(0) : at::Tensor(),
        has_bias ? hidden.sum(0) : at::Tensor());
}

template <HostKernel kernel>
void with(const c10::OperatorHandle& op, Stack* stack) {
  launch_with(op, kernel, stack);
}

template <HostKernel kernel>
torch::CppFunction boxed() {
  return torch::CppFunction::makeFromBoxedFunction<&with<kernel>>();
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("convolution_overrideable", boxed<&convolution>());
  m.impl("convolution_backward_overrideable", boxed<&convolution_backward>());
  m.impl("_thnn_fused_lstm_cell", boxed<&lstm_cell>());
  m.impl("_thnn_fused_lstm_cell_backward_impl", boxed<&lstm_cell_backward>());
  m.impl("_thnn_fused_gru_cell", boxed<&gru_cell>());
  m.impl("_thnn_fused_gru_cell_backward", boxed<&gru_cell_backward>());
}

}  // namespace sim
