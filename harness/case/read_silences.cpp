#include <fmt/format.h>

#include <harness/case/read_leaves.hpp>
#include <harness/case/read_silences.hpp>
#include <harness/case/substance/lint_rule.hpp>
#include <harness/support/text.hpp>

namespace relapse {

namespace {

Silence split_key(const YamlNode& key) {
  const std::size_t blank = key.text.find(' ');
  Silence silence;
  silence.id = key.text.substr(0, blank);
  if (blank != std::string::npos) silence.about = std::string(trim(key.text.substr(blank)));
  silence.pos = key.pos;
  return silence;
}

}  // namespace

void read_silences(ReadContext& context, const YamlNode& node, const Where& where,
                   std::vector<Silence>& target) {
  if (!expect_map(context, node, where)) return;
  if (node.entries() == 0) context.expected(node, where, "a rule and the reason to silence it");
  for (std::size_t i = 0; i < node.entries(); ++i) {
    Silence silence = split_key(node.key(i));
    const LintRule* rule = find_lint_rule(silence.id);
    if (rule == nullptr) {
      context.error(node.key(i),
                    fmt::format("{}: no rule is called {}{}", where.text(), quoted(silence.id, 60),
                                did_you_mean(silence.id, lint_rule_ids())),
                    "relapse lint --explain lists the rules");
    } else if (rule->check == nullptr && silence.about.empty()) {
      context.error(node.key(i), fmt::format("{}: expected \"{} NAME\", got {}", where.text(), rule->id,
                                             quoted(node.key(i).text, 60)));
    }
    if (node.value(i).is_broken()) continue;
    read_prose(context, node.value(i), Where{&where, node.key(i).text}, silence.reason);
    target.push_back(std::move(silence));
  }
}

}  // namespace relapse
