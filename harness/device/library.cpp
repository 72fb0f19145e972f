#include <dlfcn.h>
#include <fmt/format.h>

#include <torch/headeronly/version.h>
#include <harness/device/library.hpp>
#include <harness/support/text.hpp>

namespace relapse {
namespace {

std::string advice(const std::string& path, const std::string& said) {
  if (said.find("undefined symbol") != std::string::npos || said.find("version `") != std::string::npos) {
    return "It was built for another LibTorch, or a library that it needs is not linked to it; this worker "
           "has "
           "LibTorch " TORCH_VERSION ". Build it against that one.";
  }
  if (path == kTorchCuda)
    return "This LibTorch has no CUDA half, or a CUDA library that it needs is missing; `ci/setup --cuda` "
           "installs both.";
  if (said.find("No such file") != std::string::npos ||
      said.find("cannot open shared object") != std::string::npos)
    return "Build it first, or correct its path.";
  return "Is it a shared library for this machine?";
}

}  // namespace

bool is_loaded(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (library) dlclose(library);
  return library != nullptr;
}

Result<void> load_library(const std::string& path) {
  // LibTorch's own half must be seen by the backends that are loaded after it; libraries of users keep their
  // symbols to themselves.
  const int visibility = path == kTorchCuda ? RTLD_GLOBAL : RTLD_LOCAL;
  if (dlopen(path.c_str(), RTLD_NOW | visibility)) return {};
  const char* error = dlerror();
  const std::string said = error ? error : "no reason given";
  return fail(ErrorKind::infrastructure, fmt::format("the library {} cannot be loaded: {}. {}",
                                                     relapse::quoted(path), said, advice(path, said)));
}

}  // namespace relapse
