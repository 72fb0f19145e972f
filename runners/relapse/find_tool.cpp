#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <harness/support/text.hpp>
#include <memory>
#include <runners/relapse/find_tool.hpp>

namespace relapse {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSanitizer = "compute-sanitizer";

bool is_program(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// Where Python has the package's files: its wheel keeps the tool below `nvidia`.
std::string in_python() {
  constexpr const char* kAsk =
      "python3 -c 'import importlib.metadata as m; print(next(str(f.locate()) for f in "
      "m.files(\"nvidia-cuda-sanitizer-api\") if f.name == \"compute-sanitizer\"))' 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> answer(popen(kAsk, "r"), pclose);
  std::array<char, 4096> line{};
  if (!answer || !std::fgets(line.data(), static_cast<int>(line.size()), answer.get())) return {};
  return std::string(trim(line.data()));
}

std::string look_for_compute_sanitizer() {
  if (const char* given = std::getenv("RELAPSE_COMPUTE_SANITIZER")) return is_program(given) ? given : "";
  if (std::string found = find_on_path(kSanitizer); !found.empty()) return found;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = std::getenv(variable);
    if (home && is_program(std::string(home) + "/bin/" + kSanitizer))
      return std::string(home) + "/bin/" + kSanitizer;
  }
  if (const std::string usual = std::string("/usr/local/cuda/bin/") + kSanitizer; is_program(usual))
    return usual;
  const std::string packaged = in_python();
  return is_program(packaged) ? packaged : "";
}

}  // namespace

std::string find_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "", ':')) {
    if (is_program(folder + "/" + program)) return folder + "/" + program;
  }
  return {};
}

const std::string& find_compute_sanitizer() {
  // Python may have to be asked, and every case of a run wants to know.
  static const std::string found = look_for_compute_sanitizer();
  return found;
}

}  // namespace relapse
