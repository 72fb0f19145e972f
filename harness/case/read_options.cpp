#include <fmt/format.h>

#include <harness/case/read_leaves.hpp>
#include <harness/case/read_options.hpp>
#include <harness/support/text.hpp>
#include <limits>

namespace relapse {

namespace {

constexpr std::array<Field<Incident>, 5> kIncidentFields = {{
    {{"source", {}, "prose", "where it is told: a link"},
     [](auto& c, auto& n, auto& w, auto& incident) { read_prose(c, n, w, incident.source); }},
    {{"date", {}, "prose", "when it was met"},
     [](auto& c, auto& n, auto& w, auto& incident) { read_prose(c, n, w, incident.date); }},
    {{"versions", {}, "versions_map", "what was installed"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Incident& incident) {
       if (!expect_map(c, n, w)) return;
       for (std::size_t i = 0; i < n.entries(); ++i) {
         std::string text;
         if (!n.value(i).is_broken()) read_prose(c, n.value(i), Where{&w, n.key(i).text}, text);
         incident.versions.emplace_back(n.key(i).text, std::move(text));
       }
     }},
    {{"cause", Presence::needed, "prose", "why it failed"},
     [](auto& c, auto& n, auto& w, auto& incident) { read_prose(c, n, w, incident.cause); }},
    {{"fix", Presence::needed, "prose", "what was done"},
     [](auto& c, auto& n, auto& w, auto& incident) { read_prose(c, n, w, incident.fix); }},
}};

std::optional<int> read_count(ReadContext& c, const YamlNode& n, const Where& w, std::int64_t lowest) {
  const std::optional<std::int64_t> value = read_integer(c, n, w, lowest);
  if (!value) return std::nullopt;
  if (*value <= std::numeric_limits<int>::max()) return static_cast<int>(*value);
  c.expected(n, w, "a smaller integer");
  return std::nullopt;
}

constexpr std::array<Field<Needs>, 7> kNeedsFields = {{
    {{"devices", {}, "devices", "only on these devices"},
     [](ReadContext& c, const YamlNode& n, const Where& w, Needs& needs) {
       const auto add = [&](const YamlNode& item) {
         if (!item.is_broken() && read_choice(c, item, w, device_words())) needs.devices.push_back(item.text);
       };
       if (!n.is_sequence()) return add(n);
       for (const YamlNode& item : n.items) add(item);
     }},
    {{"gpus", {}, "count_number", "at least so many GPUs"},
     [](auto& c, auto& n, auto& w, auto& needs) { needs.gpus = read_count(c, n, w, 0); }},
    {{"compute_capability", {}, "versions", "such as \">=8.0\""},
     [](auto& c, auto& n, auto& w, auto& needs) {
       VersionRange range;
       read_version_range(c, n, w, range);
       needs.compute_capability = range.text;
     }},
    {{"torch", {}, "versions", "such as \">=2.6,<3\""},
     [](auto& c, auto& n, auto& w, auto& needs) { read_version_range(c, n, w, needs.torch); }},
    {{"cuda", {}, "versions", "of the CUDA that LibTorch was built for"},
     [](auto& c, auto& n, auto& w, auto& needs) { read_version_range(c, n, w, needs.cuda); }},
    {{"memory", {}, "size", "free memory of the host"},
     [](auto& c, auto& n, auto& w, auto& needs) { needs.memory = read_size(c, n, w); }},
    {{"device_memory", {}, "size", "free memory of the device"},
     [](auto& c, auto& n, auto& w, auto& needs) { needs.device_memory = read_size(c, n, w); }},
}};

constexpr std::array<Field<Limits>, 3> kLimitsFields = {{
    {{"timeout", {}, "number", "seconds; 60 on the CPU and 120 elsewhere by default"},
     [](auto& c, auto& n, auto& w, auto& limits) {
       limits.timeout = read_tolerance(c, n, w);
       if (limits.timeout && *limits.timeout == 0) c.expected(n, w, "more than 0 seconds");
     }},
    {{"memory", {}, "size", "what the process may take; 4 GiB by default"},
     [](auto& c, auto& n, auto& w, auto& limits) { limits.memory = read_size(c, n, w); }},
    {{"output", {}, "size", "what is kept of its output"},
     [](auto& c, auto& n, auto& w, auto& limits) { limits.output = read_size(c, n, w); }},
}};

const std::vector<std::string>& mode_names() {
  static const std::vector<std::string> names = {"blocking", "async", "nocache", "sanitizer"};
  return names;
}

constexpr std::array<Field<RunOptions>, 7> kRunFields = {{
    {{"modes", {}, "modes", "blocking, async, nocache, sanitizer"},
     [](ReadContext& c, const YamlNode& n, const Where& w, RunOptions& run) {
       const auto add = [&](const YamlNode& item) {
         if (item.is_broken() || !read_choice(c, item, w, mode_names())) return;
         run.modes.push_back(item.text);
       };
       if (!n.is_sequence()) return add(n);
       for (const YamlNode& item : n.items) add(item);
     }},
    {{"isolate", {}, "isolate", "each: every check in a process of its own"},
     [](ReadContext& c, const YamlNode& n, const Where& w, RunOptions& run) {
       if (!read_choice(c, n, w, {"each"})) return;
       run.isolate_each = true;
     }},
    {{"threads", {}, "count_number", "of the CPU"},
     [](auto& c, auto& n, auto& w, auto& run) { run.threads = read_count(c, n, w, 1); }},
    {{"deterministic", {}, "boolean", "torch's deterministic algorithms"},
     [](auto& c, auto& n, auto& w, auto& run) { run.deterministic = read_bool(c, n, w).value_or(false); }},
    {{"tf32", {}, "boolean", "allow TF32; off by default"},
     [](auto& c, auto& n, auto& w, auto& run) { run.tf32 = read_bool(c, n, w).value_or(false); }},
    {{"cudnn", {}, "switch", "on or off"},
     [](auto& c, auto& n, auto& w, auto& run) {
       const auto i = read_choice(c, n, w, {"on", "off"});
       run.cudnn = !(i && *i == 1);
     }},
    {{"seed", {}, "seed", "of the devices' own generators"},
     [](auto& c, auto& n, auto& w, auto& run) { run.seed = read_seed(c, n, w); }},
}};

}  // namespace

void read_incident(ReadContext& context, const YamlNode& node, const Where& where, Incident& target) {
  read_fields(context, node, where, kIncidentFields, target);
}

void read_labels(ReadContext& context, const YamlNode& node, const Where& where,
                 std::vector<std::string>& target) {
  read_text_list(context, node, where, target);
  // CTest separates labels by `;`, and the command line by blanks.
  for (std::size_t i = 0; node.is_sequence() && i < node.items.size(); ++i) {
    const YamlNode& item = node.items[i];
    if (item.is_scalar() && item.text.find_first_of(" \t\n;,\"") != std::string::npos) {
      context.expected(item, where, "a word without blanks, commas and semicolons");
    }
  }
}

void read_needs(ReadContext& context, const YamlNode& node, const Where& where, Needs& target) {
  target.pos = node.pos;
  read_fields(context, node, where, kNeedsFields, target);
}

void read_limits(ReadContext& context, const YamlNode& node, const Where& where, Limits& target) {
  read_fields(context, node, where, kLimitsFields, target);
}

void read_run(ReadContext& context, const YamlNode& node, const Where& where, RunOptions& target) {
  read_fields(context, node, where, kRunFields, target);
  for (std::size_t i = 0; node.is_map() && i < node.entries(); ++i)
    target.positions[node.key(i).text] = node.key(i).pos;
}

void read_boundaries(ReadContext& context, const YamlNode& node, const Where& where, Case& target) {
  if (node.is_scalar() && node.text == "off") {
    target.boundaries = BoundariesKind::off;
    return;
  }
  target.boundaries = BoundariesKind::names;
  if (!node.is_sequence()) return context.expected(node, where, "off, or a list of names");
  read_text_list(context, node, where, target.boundary_names);
  for (const YamlNode& item : node.items) context.refer(Reference::Kind::required, item, where);
}

Level incident_level() {
  return level_of("incident", kIncidentFields);
}
Level needs_level() {
  return level_of("needs", kNeedsFields);
}
Level limits_level() {
  return level_of("limits", kLimitsFields);
}
Level run_level() {
  return level_of("run", kRunFields);
}

}  // namespace relapse
