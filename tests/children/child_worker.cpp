// A stand-in for relapse-worker without LibTorch: the same command line, bodies that misbehave on request.
// What it does before it is ready can be made wrong too, by the environment:
//   RELAPSE_TEST_START=fail   prints a reason and exits with 3     =crash  is killed by SIGSEGV
//   RELAPSE_TEST_REFUSE=TEXT  refuses every fork with this reason

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <harness/isolate/spawner.hpp>
#include <string>

#include "misbehaviours.hpp"

namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int zygote(int control_fd) {
  std::string start = variable("RELAPSE_TEST_START");
  if (start == "crash") ::raise(SIGSEGV);
  if (start == "fail") {
    std::fputs("error while loading shared libraries: libexample.so.1: cannot open shared object file\n",
               stderr);
    return 3;
  }
  relapse::SpawnerOptions options;
  options.body = relapse::misbehave;
  options.why_not_fork = [] { return std::string(variable("RELAPSE_TEST_REFUSE")); };
  return relapse::run_spawner(control_fd, options);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && !std::strcmp(argv[1], "--zygote")) return zygote(std::atoi(argv[3]));
  if (argc == 6 && !std::strcmp(argv[1], "--oneshot"))
    relapse::run_oneshot(std::atoi(argv[3]), std::atoi(argv[5]), relapse::misbehave);
  std::fputs("usage: --zygote --control-fd N | --oneshot --request-fd N --protocol-fd N\n", stderr);
  return 2;
}
