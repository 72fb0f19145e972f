#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <harness/stored/npy.hpp>
#include <harness/stored/safetensors.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <runners/relapse/stored_inputs.hpp>

namespace relapse {
namespace {

/// Larger files are left to the run.
constexpr std::size_t kMostBytes = std::size_t(64) << 20;

template <class T>
void read_elements(std::string_view bytes, std::vector<Number>& out) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      out.push_back(real(static_cast<double>(value)));
    } else {
      out.push_back(whole(static_cast<std::int64_t>(value)));
    }
  }
}

/// False: elements of this dtype are left to the run.
bool read_elements(DType dtype, std::string_view bytes, std::vector<Number>& out) {
  switch (dtype) {
    case DType::boolean:
      for (const char byte : bytes) out.push_back(truth(byte != 0));
      return true;
    case DType::uint8:
      return read_elements<std::uint8_t>(bytes, out), true;
    case DType::int8:
      return read_elements<std::int8_t>(bytes, out), true;
    case DType::int16:
      return read_elements<std::int16_t>(bytes, out), true;
    case DType::int32:
      return read_elements<std::int32_t>(bytes, out), true;
    case DType::int64:
      return read_elements<std::int64_t>(bytes, out), true;
    case DType::uint16:
      return read_elements<std::uint16_t>(bytes, out), true;
    case DType::uint32:
      return read_elements<std::uint32_t>(bytes, out), true;
    case DType::float32:
      return read_elements<float>(bytes, out), true;
    case DType::float64:
      return read_elements<double>(bytes, out), true;
    default:
      return false;
  }
}

KnownTensor known_tensor(DType dtype, const std::vector<std::int64_t>& shape, std::string_view bytes,
                         bool row_major) {
  KnownTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = shape;
  const std::optional<std::int64_t> count = elements_in(shape);
  std::vector<Number> elements;
  if (!count || *count > kMostKnownElements || !row_major || !read_elements(dtype, bytes, elements))
    return tensor;
  tensor.elements = std::move(elements);
  summarise(tensor);
  return tensor;
}

StoredInput mistake(const InputForm& form, const std::string& what) {
  return {fmt::format("{} {}", relapse::quoted(form.file), what), {}};
}

StoredInput from_safetensors(const std::string& bytes, const InputForm& form) {
  const auto tensors = read_safetensors(bytes);
  if (!tensors) return mistake(form, "cannot be read: " + tensors.error());
  std::vector<std::string> names;
  for (const StoredTensor& one : *tensors) names.push_back(one.name);
  if (form.tensor.empty() && tensors->size() != 1) {
    return mistake(form, fmt::format("holds {} tensors: say which with `tensor`{}", tensors->size(),
                                     names.empty() ? "" : ": " + join_or(names)));
  }
  for (const StoredTensor& one : *tensors) {
    if (!form.tensor.empty() && one.name != form.tensor) continue;
    if (!one.dtype)
      return mistake(form, fmt::format("has {} of dtype {}, which no tensor here can have",
                                       relapse::quoted(one.name), one.dtype_text));
    return {"", known_tensor(*one.dtype, one.shape, one.bytes, true)};
  }
  return mistake(form, fmt::format("holds no tensor {}{}", relapse::quoted(form.tensor),
                                   did_you_mean(form.tensor, names)));
}

StoredInput from_npy(const std::string& bytes, const InputForm& form) {
  const auto array = read_npy(bytes);
  if (!array) return mistake(form, "cannot be read: " + array.error());
  if (!form.tensor.empty()) return mistake(form, "holds one array without a name: leave `tensor` out");
  return {"", known_tensor(array->dtype, array->shape, array->bytes, !array->fortran_order)};
}

}  // namespace

StoredLookup stored_inputs_of(const std::string& case_file) {
  const std::filesystem::path folder = std::filesystem::path(case_file).parent_path();
  return [folder](const InputForm& form) -> StoredInput {
    const std::filesystem::path path = folder / form.file;
    std::error_code failed;
    const auto size = std::filesystem::file_size(path, failed);
    if (failed) return mistake(form, "is not there: " + failed.message());
    if (size > kMostBytes) return {};
    const Result<std::string> bytes = read_file(path.string(), kMostBytes + 1);
    if (!bytes) return mistake(form, bytes.error().message);
    if (!form.sha256.empty()) {
      const std::string is = sha256_hex(*bytes);
      if (is != form.sha256) return mistake(form, fmt::format("has the sha256 {}, not {}", is, form.sha256));
    }
    if (path.extension() == ".safetensors") return from_safetensors(*bytes, form);
    if (path.extension() == ".npy") return from_npy(*bytes, form);
    return {};
  };
}

}  // namespace relapse
