#include <algorithm>
#include <array>
#include <cstring>
#include <harness/stored/extents.hpp>
#include <harness/stored/safetensors.hpp>
#include <harness/support/text.hpp>
#include <nlohmann/json.hpp>
#include <set>

namespace relapse {

namespace {

using Json = nlohmann::json;
using Failure = tl::unexpected<std::string>;

constexpr std::uint64_t kHeaderLimit = 100'000'000;

struct DtypeRow {
  std::string_view name;
  std::optional<DType> dtype;
  int bits;
};
constexpr std::array kDtypes = {
    DtypeRow{"BOOL", DType::boolean, 8},
    DtypeRow{"U8", DType::uint8, 8},
    DtypeRow{"I8", DType::int8, 8},
    DtypeRow{"I16", DType::int16, 16},
    DtypeRow{"I32", DType::int32, 32},
    DtypeRow{"I64", DType::int64, 64},
    DtypeRow{"U16", DType::uint16, 16},
    DtypeRow{"U32", DType::uint32, 32},
    DtypeRow{"U64", DType::uint64, 64},
    DtypeRow{"F16", DType::float16, 16},
    DtypeRow{"BF16", DType::bfloat16, 16},
    DtypeRow{"F32", DType::float32, 32},
    DtypeRow{"F64", DType::float64, 64},
    DtypeRow{"C64", DType::complex64, 64},
    DtypeRow{"F8_E4M3", DType::float8_e4m3fn, 8},
    DtypeRow{"F8_E4M3FNUZ", DType::float8_e4m3fnuz, 8},
    DtypeRow{"F8_E5M2", DType::float8_e5m2, 8},
    DtypeRow{"F8_E5M2FNUZ", DType::float8_e5m2fnuz, 8},
    DtypeRow{"F8_E8M0", std::nullopt, 8},
    DtypeRow{"F6_E2M3", std::nullopt, 6},
    DtypeRow{"F6_E3M2", std::nullopt, 6},
    DtypeRow{"F4", std::nullopt, 4},
};

struct Entry {
  StoredTensor tensor;
  int bits = 0;
  std::uint64_t begin = 0, end = 0;
};

/// The header as JSON, or why not. A key that comes twice would silently hide its first value.
tl::expected<Json, std::string> parse_header(std::string_view text) {
  if (text.empty() || text.front() != '{') return Failure("its header does not start with {");
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  };
  Json header = Json::parse(text.begin(), text.end(), watch, /*allow_exceptions=*/false);
  if (header.is_discarded() || !header.is_object()) return Failure("its header is no JSON object");
  if (!twice.empty()) return Failure("its header has the key " + relapse::quoted(twice) + " twice");
  return header;
}

bool is_count(const Json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= INT64_MAX;
}

tl::expected<Entry, std::string> read_entry(const std::string& name, const Json& value) {
  const auto wrong = [&](const std::string& what) {
    return Failure("its tensor " + relapse::quoted(name) + " " + what);
  };
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets")) {
    return wrong("does not have exactly dtype, shape and data_offsets");
  }
  const Json &dtype = value["dtype"], &shape = value["shape"], &offsets = value["data_offsets"];
  if (!dtype.is_string()) return wrong("has a dtype that is no text");
  if (!shape.is_array() || !std::all_of(shape.begin(), shape.end(), is_count))
    return wrong("has a shape that is no list of extents");
  if (!offsets.is_array() || offsets.size() != 2 || !is_count(offsets[0]) || !is_count(offsets[1]))
    return wrong("has data_offsets that are not two positions");

  Entry entry;
  entry.tensor.name = name;
  entry.tensor.dtype_text = dtype.get<std::string>();
  entry.tensor.shape = shape.get<std::vector<std::int64_t>>();
  entry.begin = offsets[0].get<std::uint64_t>();
  entry.end = offsets[1].get<std::uint64_t>();
  const auto* row = std::find_if(kDtypes.begin(), kDtypes.end(), [&](const DtypeRow& candidate) {
    return candidate.name == entry.tensor.dtype_text;
  });
  if (row == kDtypes.end()) return wrong("has the unknown dtype " + relapse::quoted(entry.tensor.dtype_text));
  entry.tensor.dtype = row->dtype;
  entry.bits = row->bits;
  return entry;
}

}  // namespace

tl::expected<std::vector<StoredTensor>, std::string> read_safetensors(std::string_view file) {
  if (file.size() < 8) return Failure("it is shorter than the 8 bytes of its header's length");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  if (length > kHeaderLimit)
    return Failure("its header claims " + std::to_string(length) + " bytes, too many");
  if (length > file.size() - 8)
    return Failure("its header claims " + std::to_string(length) + " bytes, more than the file has");
  const tl::expected<Json, std::string> header = parse_header(file.substr(8, length));
  if (!header) return Failure(header.error());

  std::vector<Entry> entries;
  for (const auto& [name, value] : header->items()) {
    if (name == "__metadata__") {
      const bool texts = value.is_object() && std::all_of(value.begin(), value.end(),
                                                          [](const Json& item) { return item.is_string(); });
      if (!texts) return Failure("its __metadata__ is no map of texts");
      continue;
    }
    tl::expected<Entry, std::string> entry = read_entry(name, value);
    if (!entry) return Failure(entry.error());
    entries.push_back(std::move(*entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });

  const std::string_view buffer = file.substr(8 + length);
  std::vector<StoredTensor> tensors;
  std::uint64_t previous_end = 0;
  for (Entry& entry : entries) {
    const std::string name = relapse::quoted(entry.tensor.name);
    if (entry.begin != previous_end || entry.end < entry.begin)
      return Failure("the data of its tensor " + name + " does not begin where the one before ends");
    if (entry.end > buffer.size()) return Failure("the data of its tensor " + name + " ends beyond the file");
    const std::optional<std::uint64_t> needed = bytes_of(entry.tensor.shape, entry.bits);
    if (!needed || *needed != entry.end - entry.begin)
      return Failure("the data of its tensor " + name + " has another size than shape and dtype need");
    entry.tensor.bytes = buffer.substr(entry.begin, entry.end - entry.begin);
    previous_end = entry.end;
    tensors.push_back(std::move(entry.tensor));
  }
  if (previous_end != buffer.size()) return Failure("it goes on after the data of its last tensor");
  return tensors;
}

}  // namespace relapse
