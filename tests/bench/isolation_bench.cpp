// What isolation costs, all in one run of one machine, since only the ratios travel:
//   bare_fork     fork, _exit and reap of the loaded, warm worker: the yardstick
//   trivial       an attempt that is asked nothing, forked by the zygote
//   case_forked   a whole case: an attempt with all its checks, forked by the zygote
//   case_execed   the same in a fresh process that loads LibTorch itself
//
//   relapse_bench_isolation [--worker=PATH] [--case=FILE] [--device=cpu] [benchmark options]
//
// The product's promise is case_forked <= 3 x bare_fork.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <harness/case/reader.hpp>
#include <harness/isolate/isolator.hpp>
#include <harness/plan/plan.hpp>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <map>
#include <memory>

namespace {

using namespace relapse;
using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string worker = RELAPSE_BENCH_WORKER;
  std::string case_file;
  std::string device = "cpu";
};

/// Milliseconds of every measured round, by the name of the benchmark.
using Rounds = std::map<std::string, std::vector<double>>;

double median(std::vector<double> values) {
  auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The whole attempt, from asking to the reaped child; an empty text, or what was wrong.
std::string run_once(Isolator& isolator, const Request& request) {
  auto id = isolator.start(request, {});
  if (!id) return id.error().message;
  auto until = Clock::now() + std::chrono::minutes(2);
  while (auto event = isolator.next(until)) {
    auto* ended = std::get_if<AttemptEnded>(&*event);
    if (!ended) continue;
    const Ending& ending = ended->ending;
    return ending.done ? "" : "no token: " + ending.protocol_error + ending.err.text;
  }
  return "it did not end";
}

void measure(benchmark::State& state, const Arguments& arguments, SpawnMode mode, const Request& request,
             std::vector<double>& rounds) {
  IsolatorOptions options;
  options.worker = arguments.worker;
  options.spawn = mode;
  auto isolator = Isolator::create(options);
  std::string wrong = isolator ? "" : isolator.error().message;
  if (wrong.empty()) wrong = run_once(*isolator, request);  // starts the zygote, warms the page cache
  for (auto unused : state) {
    if (!wrong.empty()) {
      state.SkipWithError(wrong.c_str());
      break;
    }
    Clock::time_point start = Clock::now();
    wrong = run_once(*isolator, request);
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    rounds.push_back(seconds * 1e3);
    state.SetIterationTime(seconds);
  }
  if (!rounds.empty()) state.counters["median_ms"] = median(rounds);
}

/// The worker measures itself, since only it is the loaded process.
void measure_bare_fork(benchmark::State& state, const Arguments& arguments, std::vector<double>& rounds) {
  for (auto unused : state) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(
        ::popen(("LD_BIND_NOW=1 '" + arguments.worker + "' --bench-fork 200").c_str(), "re"), ::pclose);
    double fork_ms = 0, reaped_ms = 0;
    int forks = 0;
    if (!output || std::fscanf(output.get(), "{\"forks\": %d, \"fork_ms\": %lf, \"reaped_ms\": %lf}", &forks,
                               &fork_ms, &reaped_ms) != 3) {
      state.SkipWithError(("no figures from " + arguments.worker + " --bench-fork 200").c_str());
      break;
    }
    rounds.push_back(reaped_ms);
    state.SetIterationTime(reaped_ms * 1e-3);
    state.counters["fork_only_ms"] = fork_ms;
  }
  if (!rounds.empty()) state.counters["median_ms"] = median(rounds);
}

Request trivial_request() {
  Request request;
  request.nonce = "bench";
  request.device = "cpu";
  return request;
}

/// All checks of the case, as `relapse run` would ask for them.
Result<Request> whole_case(const Arguments& arguments) {
  if (arguments.case_file.empty()) return fail(ErrorKind::usage, "no case: give --case=FILE");
  Request request = trivial_request();
  request.case_file = std::filesystem::absolute(arguments.case_file).string();
  request.case_id = "bench/case";
  request.device = arguments.device;
  auto text = read_file(request.case_file);
  if (!text) return tl::make_unexpected(text.error());
  request.case_hash = sha256_hex(*text);
  ReadResult read = read_case(*text, request.case_file, request.case_id);
  if (!read.value) return fail(ErrorKind::case_file, format(read.diagnostics.front()));
  for (const Check& check : plan(*read.value, arguments.device)) request.checks.push_back(check.name);
  return request;
}

/// Takes the arguments that are not the benchmark library's.
Arguments take_arguments(int& argc, char** argv) {
  Arguments out;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    auto take = [&](const char* name, std::string& value) {
      std::size_t length = std::strlen(name);
      bool mine = std::strncmp(argv[i], name, length) == 0;
      if (mine) value = argv[i] + length;
      return mine;
    };
    if (!take("--worker=", out.worker) && !take("--case=", out.case_file) && !take("--device=", out.device))
      argv[kept++] = argv[i];
  }
  argc = kept;
  return out;
}

void print_ratios(const Rounds& rounds) {
  auto bare = rounds.find("bare_fork");
  if (bare == rounds.end() || bare->second.empty()) return;
  double unit = median(bare->second);
  fmt::print("\nmedians, and how many bare forks they cost\n");
  for (const char* name : {"bare_fork", "trivial", "case_forked", "case_execed"}) {
    auto found = rounds.find(name);
    if (found == rounds.end() || found->second.empty()) continue;
    double ms = median(found->second);
    fmt::print("  {:<12} {:>9.3f} ms {:>8.2f} x{}\n", name, ms, ms / unit,
               std::strcmp(name, "case_forked") ? "" : "   (promised: at most 3)");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments = take_arguments(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Rounds rounds;
  auto add = [&](const char* name, int iterations, auto body) {
    benchmark::RegisterBenchmark(
        name, [&rounds, name, body](benchmark::State& state) { body(state, rounds[name]); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(iterations);
  };
  add("bare_fork", 3,
      [&](benchmark::State& state, std::vector<double>& out) { measure_bare_fork(state, arguments, out); });
  add("trivial", 200, [&](benchmark::State& state, std::vector<double>& out) {
    measure(state, arguments, SpawnMode::fork, trivial_request(), out);
  });
  auto request = whole_case(arguments);
  for (SpawnMode mode : {SpawnMode::fork, SpawnMode::exec}) {
    bool forked = mode == SpawnMode::fork;
    add(forked ? "case_forked" : "case_execed", forked ? 200 : 5,
        [&, mode](benchmark::State& state, std::vector<double>& out) {
          if (request) return measure(state, arguments, mode, *request, out);
          for (auto unused : state) {
            state.SkipWithError(request.error().message.c_str());
            break;
          }
        });
  }
  benchmark::RunSpecifiedBenchmarks();
  print_ratios(rounds);
  benchmark::Shutdown();
  return 0;
}
