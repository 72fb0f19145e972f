#include <array>
#include <charconv>
#include <harness/stored/extents.hpp>
#include <harness/stored/npy.hpp>
#include <harness/support/text.hpp>
#include <optional>

namespace relapse {

namespace {

using Failure = tl::unexpected<std::string>;

struct DescrRow {
  std::string_view descr;  ///< without the byte order
  DType dtype;
};
constexpr std::array kDescrs = {
    DescrRow{"b1", DType::boolean},   DescrRow{"u1", DType::uint8},       DescrRow{"i1", DType::int8},
    DescrRow{"i2", DType::int16},     DescrRow{"i4", DType::int32},       DescrRow{"i8", DType::int64},
    DescrRow{"u2", DType::uint16},    DescrRow{"u4", DType::uint32},      DescrRow{"u8", DType::uint64},
    DescrRow{"f2", DType::float16},   DescrRow{"f4", DType::float32},     DescrRow{"f8", DType::float64},
    DescrRow{"c8", DType::complex64}, DescrRow{"c16", DType::complex128},
};

/// Reads the Python dict literal of the header: exactly what NumPy writes, in any order.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  std::optional<std::string> read(NpyArray& array) {
    bool descr = false, order = false, shape = false;
    if (!take('{')) return "its header is no dict";
    while (!take('}')) {
      const std::optional<std::string> key = text();
      if (!key || !take(':')) return "its header is no dict of texts";
      if (*key == "descr" && !descr) {
        const std::optional<std::string> value = text();
        if (!value) return "its descr is no plain dtype (structured arrays are not read)";
        if (const auto problem = set_dtype(*value, array)) return problem;
        descr = true;
      } else if (*key == "fortran_order" && !order) {
        if (!boolean(array.fortran_order)) return "its fortran_order is neither True nor False";
        order = true;
      } else if (*key == "shape" && !shape) {
        if (!tuple(array.shape)) return "its shape is no tuple of extents";
        shape = true;
      } else {
        return "its header has the unexpected key " + relapse::quoted(*key);
      }
      take(',');
    }
    if (!descr || !order || !shape) return "its header lacks descr, fortran_order or shape";
    skip();
    if (!rest_.empty()) return "its header goes on after the dict";
    return std::nullopt;
  }

 private:
  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::string> text() {
    skip();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }
  bool boolean(bool& value) {
    skip();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
      if (rest_.substr(0, word.size()) != word) continue;
      rest_.remove_prefix(word.size());
      value = word == "True";
      return true;
    }
    return false;
  }
  bool tuple(std::vector<std::int64_t>& shape) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip();
      std::int64_t extent = 0;
      const std::from_chars_result end = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (end.ec != std::errc() || extent < 0) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end.ptr - rest_.data()));
      shape.push_back(extent);
      if (!take(',')) {
        if (!take(')')) return false;
        break;
      }
    }
    return true;
  }
  std::optional<std::string> set_dtype(const std::string& descr, NpyArray& array) {
    if (!descr.empty() && descr.front() == '>') return "its numbers are big-endian; save them little-endian";
    const std::string_view plain = std::string_view(descr).substr(
        !descr.empty() && (descr.front() == '<' || descr.front() == '|' || descr.front() == '=') ? 1 : 0);
    for (const DescrRow& row : kDescrs) {
      if (row.descr == plain) {
        array.dtype = row.dtype;
        return std::nullopt;
      }
    }
    return "its dtype " + relapse::quoted(descr) + " is not one that can be read";
  }

  std::string_view rest_;
};

}  // namespace

tl::expected<NpyArray, std::string> read_npy(std::string_view file) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (file.substr(0, kMagic.size()) != kMagic || file.size() < 10)
    return Failure("it does not begin as a .npy file");
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(file[at]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) return Failure("its version " + std::to_string(version) + " is unknown");
  const std::size_t prefix = version == 1 ? 10 : 12;
  if (file.size() < prefix) return Failure("it ends within its header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > file.size() - prefix) return Failure("it ends within its header");

  NpyArray array;
  if (const auto problem = HeaderReader(file.substr(prefix, length)).read(array)) return Failure(*problem);
  array.bytes = file.substr(prefix + length);
  const std::optional<std::uint64_t> needed = bytes_of(array.shape, 8 * element_size(array.dtype));
  if (!needed || *needed != array.bytes.size())
    return Failure("its data has another size than its shape and dtype need");
  return array;
}

}  // namespace relapse
