#pragma once

// What relapse, the keeper and the spawners say to each other: orders go down, reports come up.
// docs/protocol.md says every member. Not the protocol of the attempts themselves; that is wire.hpp.

#include <cstdint>
#include <harness/isolate/ending.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace relapse {

/// To a spawner, with three descriptors: the capture pipes of 1 and 2 and the protocol pipe (write ends).
struct StartOrder {
  std::uint64_t attempt = 0;
  std::string folder;        ///< to run in; empty: the spawner's
  std::string request_line;  ///< not parsed before the fork
};
/// To a spawner: SIGTERM or SIGKILL to the group of an attempt. Nothing happens when it has ended.
struct SignalOrder {
  std::uint64_t attempt = 0;
  int signal = 0;
};
/// To a spawner from the server, with one descriptor: serve this connection too.
struct AdoptOrder {};
/// To a spawner from an adopted client: pass it on to the server that it should end.
struct StopOrder {};
/// To the keeper, with two descriptors: the spawner's control connection and its standard error.
struct SpawnOrder {
  std::uint64_t spawner = 0;  ///< named by the sender
  bool exec_each = false;     ///< false: a zygote; true: no LibTorch, every attempt is exec'd
  std::string worker;
  std::vector<std::string> libraries;  ///< that the zygote loads before it serves
  std::vector<std::pair<std::string, std::string>> environment;
};
using Order = std::variant<StartOrder, SignalOrder, AdoptOrder, StopOrder, SpawnOrder>;

/// First packet of a spawner on every connection.
struct ReadyReport {
  int protocol = 0;
};
struct StartedReport {
  std::uint64_t attempt = 0;
  int pid = 0;
};
/// There was no fork: `why`.
struct RefusedReport {
  std::uint64_t attempt = 0;
  std::string why;
};
struct EndedReport {
  std::uint64_t attempt = 0;
  int status = 0;  ///< as of wait()
  double seconds = 0, cpu_seconds = 0;
  std::uint64_t max_rss = 0;
  std::vector<Leak> leaks;
};
/// To the server: how many adopted connections there are now.
struct ClientsReport {
  int count = 0;
};
/// To the server: a client asked it to end.
struct StopReport {};
/// From the keeper: a spawner is gone, and everything that it left.
struct SpawnerEndedReport {
  std::uint64_t spawner = 0;
  int status = 0;
};
using Report = std::variant<ReadyReport, StartedReport, RefusedReport, EndedReport, ClientsReport, StopReport,
                            SpawnerEndedReport>;

std::string to_packet(const Order& order);
std::string to_packet(const Report& report);
bool from_packet(std::string_view text, Order& out, std::string& why);
bool from_packet(std::string_view text, Report& out, std::string& why);

}  // namespace relapse
