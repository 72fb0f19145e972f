#include <chrono>
#include <harness/case/quarantine.hpp>
#include <harness/case/read_context.hpp>
#include <harness/case/read_leaves.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

void read_word(ReadContext& context, const YamlNode& node, const Where& where, std::string& target) {
  if (std::optional<std::string> text = read_text(context, node, where)) target = std::move(*text);
}

void read_link(ReadContext& context, const YamlNode& node, const Where& where, QuarantineEntry& entry) {
  const std::optional<std::string> text = read_text(context, node, where);
  if (!text) return;
  if (text->starts_with("https://") || text->starts_with("http://")) {
    entry.link = *text;
  } else {
    context.expected(node, where, "a link that starts with https://");
  }
}

void read_until(ReadContext& context, const YamlNode& node, const Where& where, QuarantineEntry& entry) {
  const std::optional<std::string> text = read_text(context, node, where);
  if (!text) return;
  if (is_date(*text)) {
    entry.until = *text;
  } else {
    context.expected(node, where, "a date such as 2026-12-31, the last day of the quarantine");
  }
}

constexpr std::array<Field<QuarantineEntry>, 5> kEntryFields = {{
    {{"case", Presence::needed, "text", "an id or a pattern, with @device or @device/check where it is less"},
     [](auto& c, auto& n, auto& w, auto& entry) { read_word(c, n, w, entry.kase); }},
    {{"owner", Presence::needed, "text", "who brings it back"},
     [](auto& c, auto& n, auto& w, auto& entry) { read_word(c, n, w, entry.owner); }},
    {{"link", Presence::needed, "text", "where that is worked on"}, read_link},
    {{"until", Presence::needed, "text", "the last day"}, read_until},
    {{"why", {}, "prose", "what is known"},
     [](auto& c, auto& n, auto& w, auto& entry) { read_prose(c, n, w, entry.why); }},
}};

struct QuarantineFile {
  std::vector<QuarantineEntry> entries;
};

constexpr std::array<Field<QuarantineFile>, 2> kFileFields = {{
    {{"relapse-quarantine", Presence::needed, "version", "version of the format"},
     [](auto& c, auto& n, auto& w, auto&) {
       if (!n.is_scalar() || n.text != "1") c.expected(n, w, "version 1");
     }},
    {{"cases", Presence::needed, "list", "the cases in quarantine"},
     [](auto& c, auto& n, auto& w, auto& file) {
       if (!expect_sequence(c, n, w)) return;
       int number = 0;
       for (const YamlNode& item : n.items) {
         const Where inner{&w, {}, ++number};
         QuarantineEntry entry;
         entry.pos = item.pos;
         read_fields(c, item, inner, kEntryFields, entry);
         file.entries.push_back(std::move(entry));
       }
     }},
}};

void read_file_into(ReadContext& context, QuarantineFile& file) {
  if (const std::optional<BadByte> bad = find_bad_byte(context.source().text())) {
    context.error(context.source().pos_at(bad->offset), 1, bad->message);
    return;
  }
  const std::unique_ptr<YamlNode> root =
      read_yaml(context.source(), context.limits(),
                [&](SourcePos pos, int length, std::string message, std::string hint) {
                  context.error(pos, length, std::move(message), std::move(hint));
                });
  if (root == nullptr) return;
  if (!root->is_map()) {
    context.error(*root, "expected a map that starts with `relapse-quarantine: 1`, got " + got_text(*root));
    return;
  }
  read_fields(context, *root, Where{}, kFileFields, file);
}

}  // namespace

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  int parts[3] = {};
  for (const auto& [part, start, size] :
       {std::tuple(0, 0u, 4u), std::tuple(1, 5u, 2u), std::tuple(2, 8u, 2u)}) {
    for (const char digit : text.substr(start, size)) {
      if (digit < '0' || digit > '9') return false;
      parts[part] = parts[part] * 10 + (digit - '0');
    }
  }
  return std::chrono::year_month_day(std::chrono::year(parts[0]),
                                     std::chrono::month(static_cast<unsigned>(parts[1])),
                                     std::chrono::day(static_cast<unsigned>(parts[2])))
      .ok();
}

QuarantineResult read_quarantine(std::string_view text, const std::string& file) {
  const SourceText source(text);
  ReadContext context(source, file, ReadLimits{});
  QuarantineFile read;
  try {
    read_file_into(context, read);
  } catch (const TooManyMistakes&) {
    // All that were found are told below.
  }
  QuarantineResult result;
  result.diagnostics = context.take_diagnostics();
  if (!has_errors(result.diagnostics)) result.entries = std::move(read.entries);
  return result;
}

}  // namespace relapse
