#include <filesystem>
#include <runners/relapse/worker_path.hpp>

namespace relapse {

std::string worker_path(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!given.empty()) return fs::absolute(given, error).string();
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& candidate :
       {folder / "relapse-worker", folder / ".." / "libexec" / "relapse" / "relapse-worker"}) {
    if (fs::exists(candidate, error)) return fs::weakly_canonical(candidate, error).string();
  }
  return (folder / "relapse-worker").string();
}

}  // namespace relapse
