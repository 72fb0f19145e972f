// How long it takes to read and check case files: distinct texts, each as long as a typical one. The bound is
// 0.6 ms a file, and that many files take so many times as long.

#include <benchmark/benchmark.h>

#include <harness/case/reader.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

// `@` becomes the number of the case, in names, texts and values.
constexpr std::string_view kCase = R"yaml(relapse: 1
title: Class ids from a larger dataset reach an unreduced loss over @ scores
incident:
  source: https://example.org/issues/@
  date: 2020-09-09
  versions: {torch: 1.6.0, cuda: "10.2"}
  cause: The model's class list has @ entries, the dataset's ids go further.
  fix: The head is built for the largest id plus one, and ids are checked against it before the loss.
labels: [index, loss, detection]
dims: {N: 8, C: 3}
dtypes: {F: float32}

subject:
  - guard()
  - loss_@ = cross_entropy_loss(logits, target, reduction='none')

contract:
  requires:
    logits: {dtype: F, shape: [N, C], finite: true}
    target: {dtype: int64, shape: [N], min: 0, max: C - 1, except: [-100]}
  ensures:
    loss_@:
      dtype: F
      shape: [N]
      min: 0
      same_as: "-log_softmax(logits, 1)[arange(N), target.clamp(0)].masked_fill(target == -100, 0)"

failing:
  inputs: {logits: {full: 0.3333}, target: [5, 5, 0, 10, 0, 0, 10, @]}
  symptom:
    cpu: {raises: index_error, match: Target 5 is out of bounds}
    cuda: {fault: device_assert, match: ["cur_target >= 0 && cur_target < n_classes", "t >= 0 && t < n_classes"]}
  expect: {rejected: target.max}

corrected:
  dims: {C: 11}
  inputs: {logits: {full: 0.3333}, target: [5, 5, 0, 10, 0, 0, 10, 5]}
  ensures:
    loss_@: {equals: {full: 2.3978953}}

batches:
  - {N: 8732, C: 21}
  - {N: [1, 64], C: 11, F: [float32, bfloat16], seed: @}
)yaml";

std::string case_text(int number) {
  std::string text;
  for (const char c : kCase) {
    if (c == '@') {
      text += std::to_string(number);
    } else {
      text += c;
    }
  }
  return text;
}

void read_cases(benchmark::State& state) {
  std::vector<std::string> texts;
  for (int i = 0; i < state.range(0); ++i) texts.push_back(case_text(i));
  for ([[maybe_unused]] auto _ : state) {
    std::size_t checked = 0;
    for (const std::string& text : texts)
      checked += relapse::read_case(text, "case.yaml", "case").value.has_value();
    if (checked != texts.size()) state.SkipWithError("a case was refused");
  }
  const auto files = static_cast<double>(state.iterations() * state.range(0));
  state.counters["per_file"] =
      benchmark::Counter(files, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(read_cases)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
