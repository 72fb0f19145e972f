#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <harness/report/places.hpp>

namespace relapse {
namespace {

/// `12:` at the front is taken off and given; 0 when it does not stand there.
int take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':' || value <= 0) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value;
}

}  // namespace

std::vector<BrokenPlace> places_of(const BrokenFile& file) {
  std::vector<BrokenPlace> places;
  for (const std::string& message : file.messages) {
    BrokenPlace place{{}, message};
    std::string_view rest = message;
    if (!file.file.empty() && rest.substr(0, file.file.size() + 1) == file.file + ":") {
      rest.remove_prefix(file.file.size() + 1);
      place.pos.line = take_number(rest);
      if (place.pos.line > 0) place.pos.column = take_number(rest);
      if (place.pos.line > 0) {
        while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
        place.text = std::string(rest);
      }
    }
    places.push_back(std::move(place));
  }
  return places;
}

std::string path_in_workspace(const std::string& path, const PathContext& context) {
  namespace fs = std::filesystem;
  if (path.empty()) return path;
  const fs::path whole = (fs::path(context.folder) / path).lexically_normal();
  const fs::path root =
      fs::path(context.workspace.empty() ? context.folder : context.workspace).lexically_normal();
  const fs::path inside = whole.lexically_relative(root);
  const bool outside = inside.empty() || *inside.begin() == "..";
  return outside ? whole.string() : inside.string();
}

std::string uri_of(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=@/";
  std::string uri = path.rfind('/', 0) == 0 ? "file://" : "";
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace relapse
