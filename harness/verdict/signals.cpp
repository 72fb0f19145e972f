#include <csignal>
#include <cstring>
#include <harness/verdict/signals.hpp>

namespace relapse {

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

}  // namespace relapse
