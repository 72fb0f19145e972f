#include <ATen/core/jit_type.h>
#include <fmt/format.h>

#include <algorithm>
#include <harness/operator/value.hpp>
#include <harness/tensor/dtype_map.hpp>
#include <harness/tensor/facts.hpp>

namespace relapse {

double Value::as_double() const {
  if (const auto* real = std::get_if<double>(&held)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&held)) return static_cast<double>(*integer);
  if (const auto* boolean = std::get_if<bool>(&held)) return *boolean ? 1.0 : 0.0;
  return 0.0;
}

Value value_of(const c10::IValue& ivalue) {
  if (ivalue.isNone()) return {NoneValue{}};
  if (ivalue.isTensor()) return {ivalue.toTensor()};
  if (ivalue.isBool()) return {ivalue.toBool()};
  if (ivalue.isInt()) return {ivalue.toInt()};
  if (ivalue.isDouble()) return {ivalue.toDouble()};
  if (ivalue.isString()) return {ivalue.toStringRef()};
  if (ivalue.isList()) {
    ValueList list;
    for (const c10::IValue& element : ivalue.toListRef()) list.push_back(value_of(element));
    return {std::move(list)};
  }
  return {ivalue};
}

c10::IValue to_ivalue(const Value& value) {
  struct Convert {
    c10::IValue operator()(const NoneValue&) const { return {}; }
    c10::IValue operator()(bool boolean) const { return boolean; }
    c10::IValue operator()(std::int64_t integer) const { return integer; }
    c10::IValue operator()(double real) const { return real; }
    c10::IValue operator()(const std::string& text) const { return text; }
    c10::IValue operator()(c10::ScalarType dtype) const { return static_cast<std::int64_t>(dtype); }
    c10::IValue operator()(c10::Layout layout) const { return static_cast<std::int64_t>(layout); }
    c10::IValue operator()(c10::MemoryFormat format) const { return static_cast<std::int64_t>(format); }
    c10::IValue operator()(const at::Tensor& tensor) const { return tensor; }
    c10::IValue operator()(const ValueList& list) const {
      const auto all = [&](auto holds) { return std::all_of(list.begin(), list.end(), holds); };
      if (all([](const Value& element) { return element.is_integer(); })) {
        c10::List<std::int64_t> integers;
        for (const Value& element : list) integers.push_back(element.integer());
        return integers;
      }
      if (all([](const Value& element) { return element.is_tensor(); })) {
        c10::List<at::Tensor> tensors;
        for (const Value& element : list) tensors.push_back(element.tensor());
        return tensors;
      }
      if (all([](const Value& element) { return element.is_integer() || element.is_real(); })) {
        c10::List<double> reals;
        for (const Value& element : list) reals.push_back(element.as_double());
        return reals;
      }
      c10::impl::GenericList mixed(c10::AnyType::get());
      for (const Value& element : list) mixed.push_back(to_ivalue(element));
      return mixed;
    }
    c10::IValue operator()(const c10::IValue& other) const { return other; }
  };
  return std::visit(Convert{}, value.held);
}

at::Scalar to_scalar(const Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value.held)) return at::Scalar(*boolean);
  if (const auto* integer = std::get_if<std::int64_t>(&value.held)) return at::Scalar(*integer);
  return at::Scalar(value.as_double());
}

std::string kind_text(const Value& value) {
  struct Name {
    std::string operator()(const NoneValue&) const { return "none"; }
    std::string operator()(bool) const { return "a bool"; }
    std::string operator()(std::int64_t) const { return "an integer"; }
    std::string operator()(double) const { return "a float"; }
    std::string operator()(const std::string&) const { return "a text"; }
    std::string operator()(c10::ScalarType) const { return "a dtype"; }
    std::string operator()(c10::Layout) const { return "a layout"; }
    std::string operator()(c10::MemoryFormat) const { return "a memory format"; }
    std::string operator()(const at::Tensor&) const { return "a tensor"; }
    std::string operator()(const ValueList& list) const { return fmt::format("a list of {}", list.size()); }
    std::string operator()(const c10::IValue& other) const { return "a " + other.tagKind(); }
  };
  return std::visit(Name{}, value.held);
}

std::string value_text(const Value& value) {
  struct Text {
    std::string operator()(const NoneValue&) const { return "none"; }
    std::string operator()(bool boolean) const { return boolean ? "true" : "false"; }
    std::string operator()(std::int64_t integer) const { return std::to_string(integer); }
    std::string operator()(double real) const { return number_text(real, c10::ScalarType::Double); }
    std::string operator()(const std::string& text) const { return "'" + text + "'"; }
    std::string operator()(c10::ScalarType dtype) const { return dtype_name(dtype); }
    std::string operator()(c10::Layout layout) const {
      return layout == c10::kStrided ? "strided" : "sparse";
    }
    std::string operator()(c10::MemoryFormat) const { return "a memory format"; }
    std::string operator()(const at::Tensor& tensor) const {
      if (!tensor.defined()) return "an undefined tensor";
      return dtype_name(tensor.scalar_type()) + " " + shape_text(tensor.sizes().vec());
    }
    std::string operator()(const ValueList& list) const {
      std::string out = "[";
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0) out += ", ";
        if (i == 8) return out + "...]";
        out += value_text(list[i]);
      }
      return out + "]";
    }
    std::string operator()(const c10::IValue& other) const { return "a " + other.tagKind(); }
  };
  return std::visit(Text{}, value.held);
}

}  // namespace relapse
