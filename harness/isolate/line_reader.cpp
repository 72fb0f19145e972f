#include <harness/isolate/line_reader.hpp>
#include <utility>

namespace relapse {

std::vector<std::string> LineReader::feed(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    std::size_t end = bytes.find('\n');
    bool complete = end != std::string_view::npos;
    std::string_view part = bytes.substr(0, end);
    bytes.remove_prefix(complete ? end + 1 : bytes.size());
    if (!dropping_) {
      rest_.append(part.substr(0, limit_ + 1 - rest_.size()));
      dropping_ = rest_.size() > limit_;
      if (complete || dropping_) lines.push_back(std::exchange(rest_, {}));
    }
    if (complete) dropping_ = false;
  }
  return lines;
}

}  // namespace relapse
