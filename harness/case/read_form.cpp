#include <fmt/format.h>

#include <algorithm>
#include <harness/case/read_inputs.hpp>
#include <harness/case/read_leaves.hpp>
#include <harness/case/read_set.hpp>
#include <harness/case/read_values.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

const std::vector<std::string>& fill_words() {
  static const std::vector<std::string> words = {"zeros", "ones", "arange", "eye"};
  return words;
}
const std::vector<std::string>& random_words() {
  static const std::vector<std::string> words = {"normal", "uniform", "integers", "bernoulli", "permutation"};
  return words;
}
const std::vector<std::string>& layout_words() {
  static const std::vector<std::string> words = {"sparse_coo", "sparse_csr"};
  return words;
}

// Each of these says what the elements are; `values` and `indices` of a sparse layout belong to `layout`.
constexpr std::array<std::string_view, 8> kSourceKeys = {"values", "bits",    "full", "fill",
                                                         "random", "storage", "file", "list"};

template <ExprPtr Random::*member>
void read_random_argument(ReadContext& context, const YamlNode& node, const Where& where, InputForm& form) {
  form.random.*member = read_expression(context, node, where);
}

void read_shape(ReadContext& context, const YamlNode& node, const Where& where, InputForm& form) {
  form.shape = read_expressions(context, node, where, Lone::refused);
}

void read_content(ReadContext& context, const YamlNode& node, const Where& where, InputForm& form) {
  // In a sparse layout the values are an input form of their own; which of the two it is, `layout` says
  // later.
  form.source = InputSource::values;
  if (node.is_sequence() || node.is_scalar()) {
    if (std::optional<Values> values = read_values(context, node, where)) form.values = std::move(*values);
  } else {
    form.content = std::make_shared<InputForm>(read_input_form(context, node, where));
  }
}

constexpr std::array<Field<InputForm>, 27> kFields = {{
    {{"dtype", {}, "dtype", "float32, or a symbol of dtypes"},
     [](auto& c, auto& n, auto& w, auto& f) { f.dtype = read_input_dtype(c, n, w); }},
    {{"shape", {}, "expressions", "extents; [] is 0-d"}, read_shape},
    {{"values", {}, "values", "nested lists of numbers"}, read_content},
    {{"bits", {}, "values", "raw bit patterns such as [0xffc00000]"},
     [](auto& c, auto& n, auto& w, auto& f) {
       f.source = InputSource::bits;
       if (auto values = read_values(c, n, w)) f.values = std::move(*values);
     }},
    {{"full", {}, "scalar", "one value everywhere"},
     [](auto& c, auto& n, auto& w, auto& f) {
       f.source = InputSource::full;
       f.full = read_scalar(c, n, w);
     }},
    {{"fill", {}, "fill", "zeros, ones, arange or eye"},
     [](auto& c, auto& n, auto& w, auto& f) {
       f.source = InputSource::fill;
       if (const auto i = read_choice(c, n, w, fill_words())) f.fill = static_cast<Fill>(*i);
     }},
    {{"random", {}, "random", "a distribution"},
     [](auto& c, auto& n, auto& w, auto& f) {
       f.source = InputSource::random;
       f.random.pos = n.pos;
       if (const auto i = read_choice(c, n, w, random_words())) f.random.kind = static_cast<RandomKind>(*i);
     }},
    {{"mean", {}, "expression", "of random: normal"}, read_random_argument<&Random::mean>},
    {{"std", {}, "expression", "of random: normal"}, read_random_argument<&Random::std>},
    {{"low", {}, "expression", "of random: uniform, integers"}, read_random_argument<&Random::low>},
    {{"high", {}, "expression", "of random: uniform, integers; inclusive"},
     read_random_argument<&Random::high>},
    {{"p", {}, "expression", "of random: bernoulli"}, read_random_argument<&Random::p>},
    {{"seed", {}, "expression", "of random, instead of the batch's"}, read_random_argument<&Random::seed>},
    {{"set", {}, "set", "list of {at, to}: elements set afterwards"},
     [](auto& c, auto& n, auto& w, auto& f) { read_set(c, n, w, f.set); }},
    {{"file", {}, "text", "a .safetensors or .npy file beside the case"},
     [](auto& c, auto& n, auto& w, auto& f) {
       f.source = InputSource::file;
       if (auto text = read_text(c, n, w)) f.file = *text;
       if (f.file.ends_with(".pt")) c.unsupported("`.pt` files", n.pos);
     }},
    {{"tensor", {}, "text", "the tensor's name within the file"},
     [](auto& c, auto& n, auto& w, auto& f) { f.tensor = read_text(c, n, w).value_or(""); }},
    {{"sha256", {}, "text", "the file's SHA-256, hexadecimal"},
     [](auto& c, auto& n, auto& w, auto& f) {
       f.sha256 = read_text(c, n, w).value_or("");
       const bool hex = f.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
       if (!f.sha256.empty() && (!hex || f.sha256.size() != 64))
         c.expected(n, w, "64 lower-case hexadecimal digits");
     }},
    {{"strides", {}, "expressions", "in elements"},
     [](auto& c, auto& n, auto& w, auto& f) { f.strides = read_expressions(c, n, w, Lone::refused); }},
    {{"offset", {}, "expression", "of the first element in the storage, in elements"},
     [](auto& c, auto& n, auto& w, auto& f) { f.offset = read_expression(c, n, w); }},
    {{"memory_format", {}, "memory_format", "channels_last, ..."},
     [](auto& c, auto& n, auto& w, auto& f) {
       f.memory_format = n.is_scalar() ? memory_format_from(n.text) : std::nullopt;
       if (!f.memory_format) c.unknown_word(n, w, memory_format_names());
     }},
    {{"expand", {}, "expressions", "the shape after expanding dimensions of extent 1"},
     [](auto& c, auto& n, auto& w, auto& f) { f.expand = read_expressions(c, n, w, Lone::refused); }},
    {{"storage", {}, "name", "another input whose storage this one views"},
     [](auto& c, auto& n, auto&, auto& f) {
       f.source = InputSource::storage;
       if (expect_plain_name(c, n, "an input")) f.storage = n.text;
     }},
    {{"requires_grad", {}, "boolean", "whether gradients are taken"},
     [](auto& c, auto& n, auto& w, auto& f) { f.requires_grad = read_bool(c, n, w); }},
    {{"device", {}, "host", "cpu keeps the input on the host in every run"},
     [](auto& c, auto& n, auto& w, auto& f) {
       if (read_choice(c, n, w, {"cpu"})) f.device = "cpu";
     }},
    {{"list", {}, "input_list", "inputs of a Tensor[] argument"},
     [](auto& c, auto& n, auto& w, auto& f) {
       f.source = InputSource::list;
       if (!expect_sequence(c, n, w)) return;
       for (const YamlNode& item : n.items) f.list.push_back(read_input_form(c, item, w, LoneNumber::tensor));
     }},
    {{"layout", {}, "layout", "sparse_coo or sparse_csr"},
     [](auto& c, auto& n, auto& w, auto& f) {
       if (const auto i = read_choice(c, n, w, layout_words())) f.layout = layout_words()[*i];
       c.unsupported("sparse layouts", n.pos);
     }},
    {{"indices", {}, "input", "of a sparse layout"},
     [](auto& c, auto& n, auto& w, auto& f) {
       f.indices = std::make_shared<InputForm>(read_input_form(c, n, w, LoneNumber::tensor));
     }},
}};

constexpr std::array<Field<InputForm>, 1> kTextFields = {{
    {{"text", Presence::needed, "text", "an argument that is text"},
     [](auto& c, auto& n, auto& w, auto& f) { f.text = read_text(c, n, w).value_or(""); }},
}};

void refuse_two_sources(ReadContext& context, const YamlNode& node, const Where& where) {
  std::string first;
  for (std::size_t i = 0; i < node.entries(); ++i) {
    const std::string& key = node.key(i).text;
    if (std::find(kSourceKeys.begin(), kSourceKeys.end(), key) == kSourceKeys.end()) continue;
    if (!first.empty()) {
      context.error(node.key(i),
                    fmt::format("{}: {} and {} both say what the elements are", where.text(), first, key));
      return;
    }
    first = key;
  }
}

/// Keys that only mean something beside another one.
void check_company(ReadContext& context, const YamlNode& node, const Where& where, const InputForm& form) {
  const RandomKind kind = form.random.kind;
  const bool random = form.source == InputSource::random;
  const bool ranged = random && (kind == RandomKind::uniform || kind == RandomKind::integers);
  const bool from_file = form.source == InputSource::file;
  struct Row {
    std::string_view key;
    bool in_company;
    std::string_view company;
  };
  const Row rows[] = {
      {"mean", random && kind == RandomKind::normal, "random: normal"},
      {"std", random && kind == RandomKind::normal, "random: normal"},
      {"low", ranged, "random: uniform or random: integers"},
      {"high", ranged, "random: uniform or random: integers"},
      {"p", random && kind == RandomKind::bernoulli, "random: bernoulli"},
      {"seed", random, "random"},
      {"tensor", from_file, "file"},
      {"sha256", from_file, "file"},
      {"indices", !form.layout.empty(), "layout: sparse_coo or sparse_csr"},
  };
  for (std::size_t i = 0; i < node.entries(); ++i) {
    for (const Row& row : rows) {
      if (row.key != node.key(i).text || row.in_company) continue;
      context.error(node.key(i),
                    fmt::format("{}.{}: only has a meaning beside {}", where.text(), row.key, row.company));
    }
  }
}

void read_form_map(ReadContext& context, const YamlNode& node, const Where& where, InputForm& form) {
  if (node.find("text") != nullptr) {
    form.source = InputSource::text;
    return read_fields(context, node, where, kTextFields, form);
  }
  read_fields(context, node, where, kFields, form);
  refuse_two_sources(context, node, where);
  check_company(context, node, where, form);
  if (!form.layout.empty()) {
    form.source = InputSource::sparse;
    if (form.content != nullptr) return;
    auto content = std::make_shared<InputForm>();
    content->pos = form.values.pos;
    content->source = InputSource::values;
    content->values = std::move(form.values);
    form.content = std::move(content);
  } else if (form.content != nullptr) {
    context.error(*node.find("values"), where.text() + ".values: expected a list of numbers, got a map");
  }
}

void read_form_word(ReadContext& context, const YamlNode& node, const Where& where, LoneNumber lone,
                    InputForm& form) {
  const auto fill = std::find(fill_words().begin(), fill_words().end(), node.text);
  if (fill != fill_words().end()) {
    form.source = InputSource::fill;
    form.fill = static_cast<Fill>(fill - fill_words().begin());
  } else if (node.text == "generated") {
    form.source = InputSource::generated;
  } else if (node.text.starts_with("=")) {
    form.source = InputSource::computed;
    form.expr = read_expression(context, node, where, 1);
  } else if (lone == LoneNumber::tensor) {
    form.source = InputSource::values;
    if (std::optional<Values> values = read_values(context, node, where)) form.values = std::move(*values);
  } else {
    form.source = InputSource::number;
    form.expr = read_expression(context, node, where);
  }
}

}  // namespace

InputForm read_input_form(ReadContext& context, const YamlNode& node, const Where& where, LoneNumber lone) {
  InputForm form;
  form.pos = node.pos;
  if (node.is_scalar()) {
    read_form_word(context, node, where, lone, form);
  } else if (node.is_sequence()) {
    form.source = InputSource::values;
    if (std::optional<Values> values = read_values(context, node, where)) form.values = std::move(*values);
  } else if (node.is_map()) {
    read_form_map(context, node, where, form);
  } else {
    context.expected(node, where, "a form of an input", "`generated` makes it from requires");
  }
  return form;
}

Level input_form_level() {
  return level_of("input_form", kFields);
}
Level text_form_level() {
  return level_of("text_form", kTextFields);
}

}  // namespace relapse
