#include <fmt/format.h>

#include <harness/isolate/server.hpp>
#include <memory>
#include <runners/relapse/commands.hpp>
#include <runners/relapse/worker_path.hpp>

namespace relapse {
namespace {

struct ServeArguments {
  std::string socket;
  int idle = 60;
  bool stop = false;
};

ExitCode serve(const Common& common, const ServeArguments& arguments) {
  ServerOptions options;
  options.worker = worker_path(common.worker);
  options.socket = arguments.socket.empty() ? default_server_socket(options.worker) : arguments.socket;
  options.idle_limit = std::chrono::seconds(arguments.idle);
  const Result<void> done = arguments.stop ? stop_server(options.socket) : start_server(options);
  if (!done) return complain(done.error());
  fmt::print("{} {}\n", arguments.stop ? "no server at" : "serving at", options.socket);
  return ExitCode::held;
}

}  // namespace

Command add_serve(CLI::App& app, const Common& common) {
  auto arguments = std::make_shared<ServeArguments>();
  app.add_option("--socket", arguments->socket,
                 "path of the socket (default: private to this user and worker)");
  app.add_option("--idle", arguments->idle, "seconds without a client after which it ends by itself")
      ->check(CLI::PositiveNumber);
  app.add_flag("--stop", arguments->stop, "end the server");
  return [arguments, &common] { return serve(common, *arguments); };
}

}  // namespace relapse
