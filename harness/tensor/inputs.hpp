#pragma once

// All inputs of one check: made on the CPU in dependency order, copied as often as runs need them.

#include <harness/plan/check.hpp>
#include <harness/tensor/form.hpp>
#include <harness/tensor/poison.hpp>
#include <string>
#include <vector>

namespace relapse {

struct Input {
  std::string name;
  c10::IValue value;     ///< tensor, number, bool, None, text or list of tensors
  bool on_host = false;  ///< `device: cpu`: stays on the CPU in every run
  SourcePos pos;         ///< of the form that made it, or of its contract
  Gaps gaps;             ///< of its storage, filled with poison; no other input lies in them
  bool is_tensor() const { return value.isTensor(); }
};

struct Inputs {
  std::vector<Input> all;  ///< in the order of `requires`, then of `inputs`
  Symbols symbols;         ///< with everything that shapes have bound

  const Input* find(std::string_view name) const;
  Bound bound() const;  ///< names to values, without copying tensors
};

/// Makes every input of `requires`, of the case's `inputs` and of the scenario: overlays replace whole forms;
/// listed dims are fixed, others bind from shapes; computed inputs see the others whatever their order in the
/// file.
FormResult<Inputs> make_inputs(const Case& kase, const Scenario& scenario, const Evaluate& evaluate);

/// The same inputs again in fresh storage on `device` (host inputs stay): strides, offsets, gaps, shared
/// storage, requires_grad and conjugate bits are kept. Autograd history is not.
Inputs copy_inputs(const Inputs& inputs, c10::Device device);

/// The tensor on the CPU with its strides, offset and conjugate bits, detached; the tensor itself when it is
/// there. What clauses look at: the values of a device can only be read there.
at::Tensor host_tensor(const at::Tensor& tensor);

/// The same values, every tensor dense and row-major in a storage of its own; floats in float64 (complex in
/// complex128) when `widen`. For references and for the twins `float64` and `contiguous`.
Inputs dense_inputs(const Inputs& inputs, bool widen);
at::Tensor dense_tensor(const at::Tensor& tensor, bool widen);  ///< detached CPU copy

/// The fill of gaps between the elements of a tensor with a layout: recognisable, and harmful when it is used
/// as an index.
void fill_with_poison(at::Tensor& whole_storage_view);
/// Empty when every gap of the input's storage still holds the poison, else what was found where. The input
/// may be on any device; its own elements, and those of other inputs on the same storage, do not count.
std::string find_damaged_poison(const Input& input);
/// The same of a tensor that is alone on a poisoned storage.
std::string find_damaged_poison(const at::Tensor& tensor);

}  // namespace relapse
