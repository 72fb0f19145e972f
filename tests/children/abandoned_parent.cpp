// Starts an attempt that leaves processes everywhere, prints their ids, and then waits to be killed without a
// chance to clean up:  relapse_abandoned_parent WORKER fork|exec

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <harness/isolate/isolator.hpp>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  relapse::IsolatorOptions options;
  options.worker = argv[1];
  options.spawn = std::strcmp(argv[2], "exec") ? relapse::SpawnMode::fork : relapse::SpawnMode::exec;
  auto isolator = relapse::Isolator::create(options);
  if (!isolator) return 1;
  relapse::Request request;
  request.nonce = "n";
  request.checks = {"failing"};
  request.text = "leak-and-hang";
  auto id = isolator->start(request, {});
  if (!id) {
    std::fprintf(stderr, "%s\n", id.error().message.c_str());
    return 1;
  }
  // Its output is captured, so its ids are found by whoever looks below this process.
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (auto event = isolator->next(until))
    if (auto* line = std::get_if<relapse::AttemptLine>(&*event))
      if (std::holds_alternative<relapse::Done>(line->message)) break;
  std::printf("ready\n");
  std::fflush(stdout);
  for (;;) ::pause();
}
