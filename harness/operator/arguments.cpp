#include <ATen/core/jit_type.h>
#include <fmt/format.h>

#include <harness/operator/arguments.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

struct Word {
  std::string_view argument, word;
  std::int64_t value;
};

/// Modes that schemas hold as plain integers, by argument name. Sources: ATen/core/Reduction.h (reduction),
/// ATen/native/GridSamplerUtils.h (interpolation and padding), ATen/native/EmbeddingBag.h (mode).
constexpr Word kWords[] = {
    {"reduction", "none", 0},
    {"reduction", "mean", 1},
    {"reduction", "sum", 2},
    {"mode", "sum", 0},
    {"mode", "mean", 1},
    {"mode", "max", 2},
    {"padding_mode", "zeros", 0},
    {"padding_mode", "border", 1},
    {"padding_mode", "reflection", 2},
    {"interpolation_mode", "bilinear", 0},
    {"interpolation_mode", "nearest", 1},
    {"interpolation_mode", "bicubic", 2},
};

bool word_for(const std::string& argument, const std::string& word, std::int64_t& value, std::string& why) {
  std::vector<std::string> known;
  for (const Word& entry : kWords) {
    if (entry.argument != argument) continue;
    if (entry.word == word) {
      value = entry.value;
      return true;
    }
    known.emplace_back(entry.word);
  }
  why = known.empty()
            ? fmt::format("{}: expected an integer, got '{}'", argument, word)
            : fmt::format("{}: expected {} or its number, got '{}'", argument, join_or(known), word);
  return false;
}

bool convert_to(const Value& value, const c10::Argument& argument, const c10::TypePtr& type, c10::IValue& out,
                std::string& why);

bool mismatch(const Value& value, const c10::Argument& argument, std::string_view expected,
              std::string& why) {
  why = fmt::format("{}: expected {}, got {}", argument.name(), expected, kind_text(value));
  return false;
}

template <class T>
bool typed_list(const Value& value, const c10::Argument& argument, const c10::TypePtr& element,
                c10::IValue& out, std::string& why, T (*take)(const c10::IValue&)) {
  c10::List<T> list;
  list.reserve(value.list().size());
  for (const Value& entry : value.list()) {
    c10::IValue converted;
    if (!convert_to(entry, argument, element, converted, why)) return false;
    list.push_back(take(converted));
  }
  out = std::move(list);
  return true;
}

bool convert_list(const Value& value, const c10::Argument& argument, const c10::ListType& type,
                  c10::IValue& out, std::string& why) {
  const c10::TypePtr element = type.getElementType();
  const c10::TypeKind kind = element->kind();
  const bool integers = kind == c10::TypeKind::IntType || kind == c10::TypeKind::SymIntType;
  if (integers && value.is_integer() && argument.N()) {
    // Python spreads an integer over int[2]; nothing below this does.
    out = c10::IValue(std::vector<std::int64_t>(static_cast<std::size_t>(*argument.N()), value.integer()));
    return true;
  }
  if (!value.is_list()) return mismatch(value, argument, "a list", why);
  switch (kind) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return typed_list<std::int64_t>(
          value, argument, element, out, why, +[](const c10::IValue& v) { return v.toInt(); });
    case c10::TypeKind::FloatType:
      return typed_list<double>(
          value, argument, element, out, why, +[](const c10::IValue& v) { return v.toDouble(); });
    case c10::TypeKind::BoolType:
      return typed_list<bool>(
          value, argument, element, out, why, +[](const c10::IValue& v) { return v.toBool(); });
    case c10::TypeKind::StringType:
      return typed_list<std::string>(
          value, argument, element, out, why, +[](const c10::IValue& v) { return v.toStringRef(); });
    case c10::TypeKind::TensorType:
      return typed_list<at::Tensor>(
          value, argument, element, out, why, +[](const c10::IValue& v) { return v.toTensor(); });
    case c10::TypeKind::NumberType:
      return typed_list<at::Scalar>(
          value, argument, element, out, why, +[](const c10::IValue& v) { return v.toScalar(); });
    case c10::TypeKind::OptionalType: {
      if (element->castRaw<c10::OptionalType>()->getElementType()->kind() != c10::TypeKind::TensorType) break;
      return typed_list<std::optional<at::Tensor>>(
          value, argument, element, out, why, +[](const c10::IValue& v) {
            return v.isNone() ? std::optional<at::Tensor>() : std::optional<at::Tensor>(v.toTensor());
          });
    }
    default: {
      // Lists of lists of tensors and the like are rare: a generic list of the element type.
      c10::impl::GenericList list(element);
      for (const Value& entry : value.list()) {
        c10::IValue converted;
        if (!convert_to(entry, argument, element, converted, why)) return false;
        list.push_back(std::move(converted));
      }
      out = std::move(list);
      return true;
    }
  }
  why = fmt::format("{}: arguments of type {} are not supported", argument.name(), type.str());
  return false;
}

bool convert_to(const Value& value, const c10::Argument& argument, const c10::TypePtr& type, c10::IValue& out,
                std::string& why) {
  switch (type->kind()) {
    case c10::TypeKind::OptionalType:
      if (value.is_none()) {
        out = c10::IValue();
        return true;
      }
      return convert_to(value, argument, type->castRaw<c10::OptionalType>()->getElementType(), out, why);
    case c10::TypeKind::TensorType:
      if (!value.is_tensor()) return mismatch(value, argument, "a tensor", why);
      out = value.tensor();
      return true;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: {
      if (const auto* text = std::get_if<std::string>(&value.held)) {
        std::int64_t number = 0;
        if (!word_for(argument.name(), *text, number, why)) return false;
        out = number;
        return true;
      }
      if (!value.is_integer()) return mismatch(value, argument, "an integer", why);
      out = value.integer();
      return true;
    }
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType:
      if (!value.is_real() && !value.is_integer()) return mismatch(value, argument, "a float", why);
      out = value.as_double();
      return true;
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType:
      // An integer never stands for a bool: with it, reduction codes and flags would silently trade places.
      if (!value.is_bool()) return mismatch(value, argument, "true or false", why);
      out = std::get<bool>(value.held);
      return true;
    case c10::TypeKind::NumberType:
      if (!value.is_number()) return mismatch(value, argument, "a number", why);
      out = to_scalar(value);
      return true;
    case c10::TypeKind::StringType: {
      const auto* text = std::get_if<std::string>(&value.held);
      if (!text) return mismatch(value, argument, "a text in single quotes", why);
      out = *text;
      return true;
    }
    case c10::TypeKind::ScalarTypeType: {
      const auto* dtype = std::get_if<c10::ScalarType>(&value.held);
      if (!dtype) return mismatch(value, argument, "a dtype", why);
      out = static_cast<std::int64_t>(*dtype);
      return true;
    }
    case c10::TypeKind::LayoutType: {
      const auto* layout = std::get_if<c10::Layout>(&value.held);
      if (!layout) return mismatch(value, argument, "a layout", why);
      out = static_cast<std::int64_t>(*layout);
      return true;
    }
    case c10::TypeKind::MemoryFormatType: {
      const auto* format = std::get_if<c10::MemoryFormat>(&value.held);
      if (!format) return mismatch(value, argument, "a memory format", why);
      out = static_cast<std::int64_t>(*format);
      return true;
    }
    case c10::TypeKind::DeviceObjType: {
      const auto* text = std::get_if<std::string>(&value.held);
      if (!text) return mismatch(value, argument, "a device in single quotes", why);
      try {
        out = c10::Device(*text);
      } catch (const c10::Error&) {
        // The case's mistake, not an error of the operator.
        why = fmt::format("{}: expected a device such as 'cpu', got '{}'", argument.name(), *text);
        return false;
      }
      return true;
    }
    case c10::TypeKind::ListType:
      return convert_list(value, argument, *type->castRaw<c10::ListType>(), out, why);
    default:
      break;
  }
  if (const auto* other = std::get_if<c10::IValue>(&value.held)) {
    // An opaque result of an earlier operator (a custom class) fits the argument that has its type.
    if (other->type()->isSubtypeOf(*type)) {
      out = *other;
      return true;
    }
  }
  why = fmt::format("{}: arguments of type {} are not supported", argument.name(), type->str());
  return false;
}

}  // namespace

bool convert_argument(const Value& value, const c10::Argument& argument, c10::IValue& out, std::string& why) {
  return convert_to(value, argument, argument.real_type(), out, why);
}

}  // namespace relapse
