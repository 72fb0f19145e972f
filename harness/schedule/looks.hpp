#pragma once

// Looks: one red check of a device once more, under another condition, to learn more about it. They change no
// verdict from red to green.

#include <harness/verdict/verdict.hpp>
#include <string>
#include <utility>
#include <vector>

namespace relapse {

/// Modes that run below compute-sanitizer: `sanitizer` (memcheck), `sanitizer:racecheck`,
/// `sanitizer:initcheck`.
bool is_sanitizer(const std::string& mode);
/// The program and its arguments in front of the worker; empty for other modes.
std::vector<std::string> wrapper_for(const std::string& mode, const std::string& compute_sanitizer);

namespace look {
inline constexpr const char* kBlocking = "blocking";  ///< launches that wait: which step is to blame
inline constexpr const char* kTraces = "traces";      ///< the C++ stack of the error
inline constexpr const char* kCoreDump = "coredump";  ///< what the GPU held, where the driver writes it down
inline constexpr const char* kMemcheck = "sanitizer";
inline constexpr const char* kRacecheck = "sanitizer:racecheck";
}  // namespace look

/// The looks of `--escalate` at a red verdict, in order. None at what is not the device's.
std::vector<std::string> looks_at(const Verdict& verdict, bool has_sanitizer);

/// The mode in which the worker runs for a look.
std::string mode_of(const std::string& look);
/// Switches of a look besides those of its mode. `dump` is where a core dump goes.
std::vector<std::pair<std::string, std::string>> environment_of(const std::string& look,
                                                                const std::string& dump);

}  // namespace relapse
