#include <algorithm>
#include <harness/case/yaml_writer.hpp>
#include <harness/support/text.hpp>
#include <utility>

namespace relapse {

namespace {

/// Begins and ends of all scalars, in the order of the text.
void collect_spans(const YamlNode& node, std::vector<std::pair<std::size_t, std::size_t>>& spans) {
  if (node.is_scalar()) spans.emplace_back(node.offset, node.end);
  for (const YamlNode& item : node.items) collect_spans(item, spans);
}

/// One line, or nothing where a part of it cannot be: empty values would not survive, block texts have lines.
std::optional<std::string> one_line(const YamlNode& node, bool in_flow) {
  switch (node.kind) {
    case YamlNode::Kind::scalar:
      if (node.style == YamlNode::Style::block) return std::nullopt;
      return write_scalar(node, in_flow);
    case YamlNode::Kind::sequence: {
      std::string text = "[";
      for (const YamlNode& item : node.items) {
        const std::optional<std::string> part = one_line(item, true);
        if (!part) return std::nullopt;
        text.append(text.size() > 1 ? ", " : "").append(*part);
      }
      return text.append("]");
    }
    case YamlNode::Kind::map: {
      std::string text = "{";
      for (std::size_t i = 0; i < node.entries(); ++i) {
        const std::optional<std::string> part = one_line(node.value(i), true);
        if (!part) return std::nullopt;
        text.append(text.size() > 1 ? ", " : "")
            .append(write_scalar(node.key(i), true))
            .append(": ")
            .append(*part);
      }
      return text.append("}");
    }
    case YamlNode::Kind::nothing:
      return "";
    case YamlNode::Kind::broken:
      break;
  }
  return std::nullopt;
}

int first_line(const YamlNode& node) {
  return node.pos.line;
}

class Writer {
 public:
  Writer(const Comments& comments, int from, int to, int columns)
      : comments_(comments), from_(from), next_line_(from), to_(to), columns_(columns) {}

  std::optional<std::string> run(const YamlNode& key, const YamlNode& value) {
    batches_ = key.text == "batches" ? &value : nullptr;
    if (!entry(key, value, 0, "")) return std::nullopt;
    // What stands below the last value keeps its column: it may be about what is above or below.
    for (auto at = comments_.lower_bound(next_line_); at != comments_.end() && at->first < to_; ++at) {
      if (at->second.alone) comments_before(at->first + 1, at->second.column - 1);
    }
    for (auto at = comments_.lower_bound(from_); at != comments_.end() && at->first < to_; ++at) {
      if (used_.count(at->first) == 0) return std::nullopt;
    }
    return std::move(text_);
  }

 private:
  /// Comments on lines of their own above `line` go before what stands there.
  void comments_before(int line, int indent) {
    for (auto at = comments_.lower_bound(next_line_); at != comments_.end() && at->first < line; ++at) {
      if (!at->second.alone || used_.count(at->first) > 0) continue;
      text_ += std::string(static_cast<std::size_t>(indent), ' ') + at->second.text + "\n";
      used_[at->first] = true;
    }
    next_line_ = std::max(next_line_, line);
  }

  /// Ends a line, with the comment that stood behind `line` of the text.
  void end_line(std::string written, int line) {
    const auto comment = comments_.find(line);
    if (comment != comments_.end() && !comment->second.alone && used_.count(line) == 0) {
      const int width = count_code_points(written);
      const int blanks = std::max(2, comment->second.column - 1 - width);
      written += std::string(static_cast<std::size_t>(blanks), ' ') + comment->second.text;
      used_[line] = true;
    }
    while (!written.empty() && written.back() == ' ') written.pop_back();
    text_ += written + "\n";
  }

  /// `lead`: what stands before the key on its line, such as `- `.
  bool entry(const YamlNode& key, const YamlNode& value, int indent, const std::string& lead) {
    if (lead.empty()) comments_before(first_line(key), indent);
    const std::string head = lead.empty() ? std::string(static_cast<std::size_t>(indent), ' ') : lead;
    return behind(head + write_scalar(key, false) + ":", key.pos.line, value, indent);
  }

  /// The value behind `head`, on its line where it may and fits, else below it.
  bool behind(const std::string& head, int line, const YamlNode& value, int indent) {
    const bool collection = value.is_map() || value.is_sequence();
    const bool stays_block = collection && !value.flow_style && !value.items.empty();
    const std::optional<std::string> flow = stays_block ? std::nullopt : one_line(value, false);
    if (!stays_block && !flow) return false;
    const int last = last_line(value, line);
    if (flow) {
      const std::string whole = flow->empty() ? head : head + " " + *flow;
      const bool fits = count_code_points(whole) <= columns_;
      if (fits || !collection) {
        end_line(whole, last);
        return true;
      }
      if (last != line && has_comment_within(line, last)) return false;
      if (is_list_of_scalars(value)) return wrapped(head, value, last, indent);
    }
    end_line(head, line);
    return below(value, indent + 2);
  }

  bool below(const YamlNode& value, int indent) {
    const std::string blanks(static_cast<std::size_t>(indent), ' ');
    if (value.is_map()) {
      for (std::size_t i = 0; i < value.entries(); ++i) {
        if (!entry(value.key(i), value.value(i), indent, "")) return false;
      }
      return true;
    }
    for (const YamlNode& item : value.items) {
      comments_before(first_line(item), indent);
      if (&value == batches_ && batch(item, blanks + "- ")) continue;
      const bool block_map =
          item.is_map() && !item.items.empty() && (!item.flow_style || !fits(item, indent + 2));
      if (block_map) {
        if (!entry(item.key(0), item.value(0), indent + 2, blanks + "- ")) return false;
        for (std::size_t i = 1; i < item.entries(); ++i) {
          if (!entry(item.key(i), item.value(i), indent + 2, "")) return false;
        }
      } else if (!behind(blanks + "-", item.pos.line, item, indent)) {
        return false;
      }
    }
    return true;
  }

  /// A batch on one line, or over several with its dims, dtypes and seed together. False, with nothing
  /// written, where it has comments within or a part that is too long for a line.
  bool batch(const YamlNode& item, const std::string& lead) {
    const int last = last_line(item, item.pos.line);
    if (!item.is_map() || item.items.empty() || has_comment_within(item.pos.line, last)) return false;
    const std::optional<std::string> text = broken_map(item, static_cast<int>(lead.size()), 0);
    if (!text) return false;
    const std::size_t end = text->rfind('\n');
    if (end != std::string::npos) text_ += lead + text->substr(0, end + 1);
    end_line(end == std::string::npos ? lead + *text : text->substr(end + 1), last);
    return true;
  }

  /// A flow map whose brace stands at `column` (from 0): on one line where it fits, else broken behind
  /// commas. A map within a broken one has its own line. `closing`: braces that follow.
  std::optional<std::string> broken_map(const YamlNode& map, int column, int closing) const {
    const std::optional<std::string> whole = one_line(map, true);
    if (!whole) return std::nullopt;
    if (column + count_code_points(*whole) + closing <= columns_) return whole;
    std::string text = "{";
    int at = column + 1;
    bool own_line = false;
    for (std::size_t i = 0; i < map.entries(); ++i) {
      const YamlNode& value = map.value(i);
      const bool last = i + 1 == map.entries();
      const int behind = last ? closing + 1 : 1;
      const std::string key = write_scalar(map.key(i), true) + ": ";
      std::string entry = key + *one_line(value, true);
      const bool own = value.is_map() && !value.items.empty();
      const bool full = at + 1 + count_code_points(entry) + behind > columns_;
      if (i > 0 && (own || own_line || full)) {
        text += "\n" + std::string(static_cast<std::size_t>(column) + 1, ' ');
        at = column + 1;
      } else if (i > 0) {
        text += " ";
        ++at;
      }
      if (at + count_code_points(entry) + behind > columns_) {
        if (!own) return std::nullopt;
        const std::optional<std::string> inner = broken_map(value, at + count_code_points(key), behind);
        if (!inner) return std::nullopt;
        entry = key + *inner;
      }
      text += entry + (last ? "}" : ",");
      at += count_code_points(entry) + 1;
      own_line = own;
    }
    return text;
  }

  bool fits(const YamlNode& node, int indent) const {
    const std::optional<std::string> text = one_line(node, false);
    return text && indent + count_code_points(*text) <= columns_;
  }

  static bool is_list_of_scalars(const YamlNode& node) {
    return node.is_sequence() && std::all_of(node.items.begin(), node.items.end(),
                                             [](const YamlNode& item) { return item.is_scalar(); });
  }

  /// A long list of numbers: as many on a line as fit.
  bool wrapped(const std::string& head, const YamlNode& value, int last, int indent) {
    std::string line = head + " [";
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const std::optional<std::string> item = one_line(value.items[i], true);
      if (!item) return false;
      const std::string piece = *item + (i + 1 < value.items.size() ? "," : "]");
      const bool first = line.back() == '[';
      if (!first && count_code_points(line) + 1 + count_code_points(piece) > columns_) {
        text_ += line + "\n";
        line = std::string(static_cast<std::size_t>(indent) + 3, ' ') + " " + piece;
      } else {
        line += (first ? "" : " ") + piece;
      }
    }
    end_line(line, last);
    return true;
  }

  bool has_comment_within(int line, int last) const {
    const auto at = comments_.lower_bound(line);
    return at != comments_.end() && at->first < last;
  }

  /// The line on which the value ends in the text that was read.
  int last_line(const YamlNode& value, int line) const {
    int last = std::max(line, value.pos.line);
    for (const YamlNode& item : value.items) last = std::max(last, last_line(item, last));
    return last;
  }

  const Comments& comments_;
  int from_;
  int next_line_;
  int to_;
  int columns_;
  const YamlNode* batches_ = nullptr;
  std::map<int, bool> used_;
  std::string text_;
};

}  // namespace

Comments find_comments(const SourceText& source, const YamlNode& root) {
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  collect_spans(root, spans);
  std::sort(spans.begin(), spans.end());
  Comments comments;
  const std::string_view text = source.text();
  auto span = spans.begin();
  bool alone = true;  // only blanks so far on this line
  for (std::size_t at = 0; at < text.size(); ++at) {
    while (span != spans.end() && span->second <= at) ++span;
    if (span != spans.end() && span->first <= at) {
      at = std::max(at, span->second - 1);
      alone = false;
      continue;
    }
    const char before = at > 0 ? text[at - 1] : '\n';
    if (text[at] == '\n') {
      alone = true;
    } else if (text[at] == '#' && (before == ' ' || before == '\t' || before == '\n')) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const SourcePos pos = source.pos_at(at);
      comments[pos.line] = {std::string(trim(text.substr(at, end - at))), pos.column, alone};
      at = end - 1;
    } else if (text[at] != ' ' && text[at] != '\t' && text[at] != '\r') {
      alone = false;
    }
  }
  return comments;
}

std::optional<std::string> write_entry(const YamlNode& key, const YamlNode& value, const Comments& comments,
                                       int from, int to, int columns) {
  return Writer(comments, from, to, columns).run(key, value);
}

}  // namespace relapse
