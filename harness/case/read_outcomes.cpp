#include <fmt/format.h>

#include <algorithm>
#include <harness/case/read_leaves.hpp>
#include <harness/case/read_outcomes.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

const std::vector<std::string>& error_words() {
  static const std::vector<std::string> words = {"index_error",     "type_error",    "value_error",
                                                 "not_implemented", "out_of_memory", "linalg_error",
                                                 "contract_error",  "runtime_error", "any"};
  return words;
}
const std::vector<std::string>& fault_words() {
  static const std::vector<std::string> words = {"device_assert",
                                                 "illegal_access",
                                                 "misaligned_address",
                                                 "launch_failure",
                                                 "illegal_instruction",
                                                 "launch_timeout",
                                                 "library_error",
                                                 "crash",
                                                 "hang"};
  return words;
}

/// Those that end a process where nothing handles them.
const std::vector<std::string>& signal_words() {
  static const std::vector<std::string> words = {
      "SIGABRT", "SIGALRM", "SIGBUS",  "SIGFPE",    "SIGHUP",  "SIGILL",  "SIGINT",   "SIGKILL",
      "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR",    "SIGQUIT", "SIGSEGV", "SIGSYS",   "SIGTERM",
      "SIGTRAP", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGXCPU", "SIGXFSZ", "SIGSTKFLT"};
  return words;
}

void read_signals(ReadContext& c, const YamlNode& n, const Where& w, Symptom& symptom) {
  read_texts(c, n, w, symptom.signals);
  const auto check = [&](const YamlNode& item) {
    if (!item.is_scalar() || item.text.empty()) return;
    const std::vector<std::string>& words = signal_words();
    if (std::find(words.begin(), words.end(), item.text) != words.end()) return;
    const std::string full = item.text.starts_with("SIG") ? item.text : "SIG" + item.text;
    c.error(item, fmt::format("{}: no signal that ends a process is called {}{}", w.text(),
                              quoted(item.text, 60), did_you_mean(full, words)));
  };
  if (!n.is_sequence()) return check(n);
  for (const YamlNode& item : n.items) check(item);
}

void read_error_classes(ReadContext& c, const YamlNode& n, const Where& w, std::vector<ErrorClass>& target) {
  const auto add = [&](const YamlNode& item) {
    if (item.is_broken()) return;
    if (read_choice(c, item, w, error_words())) target.push_back(*error_class_from(item.text));
  };
  if (!n.is_sequence()) return add(n);
  if (n.items.empty()) c.expected(n, w, "at least one error");
  for (const YamlNode& item : n.items) add(item);
}

constexpr std::array<Field<Symptom>, 8> kSymptomFields = {{
    {{"raises", {}, "errors", "a host error of this class, or one of a list"},
     [](auto& c, auto& n, auto& w, auto& s) {
       s.kind = SymptomKind::raises;
       read_error_classes(c, n, w, s.raises);
     }},
    {{"fault", {}, "fault", "a fault of the device or the process"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Symptom& s) {
       s.kind = SymptomKind::fault;
       if (read_choice(c, n, w, fault_words())) s.fault = *fault_kind_from(n.text);
     }},
    {{"signal", {}, "texts", "of fault: crash"}, read_signals},
    {{"wrong", {}, "clause", "this clause is broken"},
     [](auto& c, auto& n, auto& w, auto& s) {
       s.kind = SymptomKind::wrong;
       s.wrong = read_text(c, n, w).value_or("");
       c.refer(Reference::Kind::wrong, n, w);
     }},
    {{"unstable", {}, "name", "this result differs from run to run"},
     [](auto& c, auto& n, auto& w, auto& s) {
       s.kind = SymptomKind::unstable;
       s.unstable = read_text(c, n, w).value_or("");
       c.refer(Reference::Kind::result, n, w);
     }},
    {{"accepted", {}, "true", "no complaint"},
     [](auto& c, auto& n, auto& w, auto& s) {
       s.kind = SymptomKind::accepted;
       const auto value = read_bool(c, n, w);
       if (value && !*value) c.expected(n, w, "true");
     }},
    {{"match", {}, "texts", "a part of the message, or several of which one is enough"},
     [](auto& c, auto& n, auto& w, auto& s) { read_texts(c, n, w, s.match); }},
    {{"torch", {}, "versions", "versions that show it"},
     [](auto& c, auto& n, auto& w, auto& s) { read_version_range(c, n, w, s.torch); }},
}};

constexpr std::array<std::string_view, 5> kSymptomKinds = {"raises", "fault", "wrong", "unstable",
                                                           "accepted"};

std::optional<Symptom> read_symptom(ReadContext& context, const YamlNode& node, const Where& where) {
  Symptom symptom;
  symptom.pos = node.pos;
  if (node.is_scalar() && node.text == "accepted") {
    symptom.kind = SymptomKind::accepted;
    return symptom;
  }
  if (!node.is_map()) {
    context.expected(node, where, "accepted, or a map with raises, fault, wrong, unstable or accepted");
    return std::nullopt;
  }
  read_fields(context, node, where, kSymptomFields, symptom);
  const auto kinds = std::count_if(kSymptomKinds.begin(), kSymptomKinds.end(),
                                   [&](std::string_view key) { return node.find(key) != nullptr; });
  if (kinds != 1) {
    context.error(
        node, fmt::format("{}: expected one of the keys raises, fault, wrong, unstable or accepted, got {}",
                          where.text(), kinds == 0 ? "none" : "several"));
    return std::nullopt;
  }
  const YamlNode* signal = node.find("signal");
  if (signal != nullptr && !(symptom.kind == SymptomKind::fault && symptom.fault == FaultKind::crash)) {
    context.error(*signal, where.text() + ".signal: only has a meaning beside fault: crash");
  }
  return symptom;
}

constexpr std::array<Field<Outcome>, 1> kRejectedFields = {{
    {{"rejected", Presence::needed, "clause", "the clause that refuses it: target.max"},
     [](auto& c, auto& n, auto& w, auto& outcome) {
       outcome.kind = OutcomeKind::rejected;
       outcome.clause = read_text(c, n, w).value_or("");
       c.refer(Reference::Kind::rejected, n, w);
     }},
}};
constexpr std::array<Field<Outcome>, 2> kRaisesFields = {{
    {{"raises", Presence::needed, "errors", "a host error of this class, or one of a list"},
     [](auto& c, auto& n, auto& w, auto& outcome) {
       outcome.kind = OutcomeKind::raises;
       read_error_classes(c, n, w, outcome.classes);
     }},
    {{"match", {}, "texts", "a part of the message, or several of which one is enough"},
     [](auto& c, auto& n, auto& w, auto& outcome) { read_texts(c, n, w, outcome.match); }},
}};

void read_outcome(ReadContext& context, const YamlNode& node, const Where& where,
                  std::vector<Outcome>& target) {
  Outcome outcome;
  outcome.pos = node.pos;
  if (node.is_scalar()) {
    const auto i = read_choice(context, node, where, {"rejected", "returns"});
    outcome.kind = i && *i == 0 ? OutcomeKind::rejected : OutcomeKind::returns;
    if (!i) return;
  } else if (node.is_map() && node.find("rejected") != nullptr) {
    read_fields(context, node, where, kRejectedFields, outcome);
  } else if (node.is_map() && node.find("raises") != nullptr) {
    read_fields(context, node, where, kRaisesFields, outcome);
  } else {
    return context.expected(node, where, "rejected, returns, or a map with rejected, raises or any_of");
  }
  target.push_back(std::move(outcome));
}

constexpr std::array<Field<std::vector<Outcome>>, 1> kAnyOfFields = {{
    {{"any_of", Presence::needed, "outcome_list", "one of these"},
     [](ReadContext& c, const YamlNode& n, const Where& w, std::vector<Outcome>& target) {
       if (!expect_sequence(c, n, w)) return;
       if (n.items.empty()) c.expected(n, w, "at least one outcome");
       for (const YamlNode& item : n.items) {
         if (!item.is_broken()) read_outcome(c, item, w, target);
       }
     }},
}};

void read_outcomes(ReadContext& context, const YamlNode& node, const Where& where,
                   std::vector<Outcome>& target) {
  if (node.is_map() && node.find("any_of") != nullptr)
    return read_fields(context, node, where, kAnyOfFields, target);
  read_outcome(context, node, where, target);
}

bool is_outcome_map(const YamlNode& node) {
  return node.find("any_of") != nullptr || node.find("rejected") != nullptr || node.find("raises") != nullptr;
}

}  // namespace

void read_symptoms(ReadContext& context, const YamlNode& node, const Where& where, Symptoms& target) {
  if (!expect_map(context, node, where)) return;
  for (std::size_t i = 0; i < node.entries(); ++i) {
    const YamlNode& value = node.value(i);
    const Where inner{&where, node.key(i).text};
    if (!read_choice(context, node.key(i), where, device_words()) || value.is_broken()) continue;
    std::vector<Symptom>& symptoms = target[node.key(i).text];
    const auto add = [&](const YamlNode& item) {
      if (item.is_broken()) return;
      if (std::optional<Symptom> symptom = read_symptom(context, item, inner))
        symptoms.push_back(std::move(*symptom));
    };
    if (!value.is_sequence()) {
      add(value);
      continue;
    }
    if (value.items.empty()) context.expected(value, inner, "at least one symptom");
    for (const YamlNode& item : value.items) add(item);
  }
}

void read_expectation(ReadContext& context, const YamlNode& node, const Where& where, Expectation& target) {
  target.pos = node.pos;
  const bool by_device = node.is_map() && !is_outcome_map(node) && node.entries() > 0;
  if (!by_device) return read_outcomes(context, node, where, target.by_device[""]);
  for (std::size_t i = 0; i < node.entries(); ++i) {
    const Where inner{&where, node.key(i).text};
    std::vector<std::string> words = device_words();
    words.insert(words.end(), {"rejected", "raises", "any_of"});
    const bool known =
        std::find(device_words().begin(), device_words().end(), node.key(i).text) != device_words().end();
    if (!known) {
      report_unknown_key(context, node.key(i), where, words);
    } else if (!node.value(i).is_broken()) {
      read_outcomes(context, node.value(i), inner, target.by_device[node.key(i).text]);
    }
  }
}

Level symptom_level() {
  return level_of("symptom_map", kSymptomFields);
}
Level rejected_level() {
  return level_of("rejected_map", kRejectedFields);
}
Level raises_level() {
  return level_of("raises_map", kRaisesFields);
}
Level any_of_level() {
  return level_of("any_of_map", kAnyOfFields);
}

}  // namespace relapse
