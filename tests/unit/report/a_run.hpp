#pragma once

// A run with one check of every verdict, as a value.

#include <harness/journal/record.hpp>
#include <string>

#include "../verdict/built.hpp"

namespace relapse::test {

inline CheckRecord& add_check(RunRecord& run, const std::string& name, VerdictKind kind) {
  CheckRecord check;
  check.kase = "index/labels";
  check.device = "cpu";
  check.mode = "blocking";
  check.name = name;
  check.kind = "batch";
  check.pos = {20, 5};
  check.judged = kind != VerdictKind::not_run;
  check.verdict.kind = kind;
  check.verdict.pos = {20, 5};
  check.verdict.signature = std::string(to_string(kind));
  check.seconds = 0.25;
  run.cases.front().checks.push_back(run.checks.size());
  run.checks.push_back(check);
  return run.checks.back();
}

/// One case on the CPU without checks.
inline RunRecord empty_run() {
  RunRecord run;
  run.version = "0.1.0";
  run.started = "2026-12-01T10:15:02Z";
  run.ended = "2026-12-01T10:15:03Z";
  run.root = "cases";
  run.journal = ".relapse/runs/x/journal.jsonl";
  run.command = {"index"};
  run.cores = 2;
  run.torch_version = "2.15.0";
  run.finished = true;
  run.seconds = 0.314;
  run.clauses = 1127;
  run.devices = {{"cpu", true, false, ""}};
  CaseRecord kase;
  kase.id = "index/labels";
  kase.file = "cases/index/labels.yaml";
  kase.title = "A label beyond the head";
  kase.source = "https://example.org/273";
  kase.date = "2018-12-14";
  kase.device = "cpu";
  kase.mode = "blocking";
  kase.labels = {"loss"};
  kase.covers = "model";
  run.cases = {kase};
  return run;
}

/// A broken batch with facts, a step, output and something left behind.
inline RunRecord red_run() {
  RunRecord run = empty_run();
  CheckRecord& check = add_check(run, "batch-2", VerdictKind::broken);
  check.attempt = 4;
  check.verdict.clause = "loss.same_as";
  check.verdict.pos = {13, 7};
  check.verdict.promised = "loss.same_as: -log_softmax(logits, 1).mean()";
  check.verdict.seen = {"2.5 where 1.5 was due\nsecond line", "it would have passed at rtol 0.667"};
  check.verdict.signature = "broken loss.same_as";
  Observation observation;
  observation.check = "batch-2";
  TensorFacts logits;
  logits.name = "logits";
  logits.dtype = "float32";
  logits.shape = {4, 3};
  logits.strides = {3, 1};
  logits.min = "-1";
  logits.max = "2";
  logits.finite = false;
  logits.nans = 1200;
  logits.requires_grad = true;
  TensorFacts n;
  n.name = "n";
  n.text = "3";
  observation.inputs = {logits, n};
  check.observation = observation;
  AttemptRecord attempt;
  attempt.id = 4;
  attempt.ended = true;
  attempt.kase = "index/labels";
  attempt.device = "cpu";
  attempt.checks = {"batch-2"};
  attempt.environment = {{"OMP_NUM_THREADS", "1"}};
  attempt.ending = exited(0);
  attempt.ending.out.text = "one\ntwo\n\n";
  attempt.ending.err.text = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm";
  attempt.ending.err.truncated = true;
  attempt.ending.err.bytes = 5u << 20;
  attempt.ending.leaks = {{17, "sleep 9"}};
  run.attempts[4] = attempt;
  return run;
}

}  // namespace relapse::test
