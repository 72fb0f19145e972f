#!/usr/bin/env python3
"""What a run of many cases costs: time and memory of `relapse run` and `relapse report` for 1,000, 3,000 and 10,000 small cases.

    tests/bench/scale.py [--relapse build/release/bin/relapse] [--cases 1000,3000,10000] [--keep DIR]

Both should be in proportion: the last columns say how many times the smallest one's cost a case has.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

CASE = """\
relapse: 1
title: A class id equal to the class count reaches the loss of head {number}
incident:
  source: https://example.com/incidents/{number}
  date: 2018-12-14
  cause: The background was counted twice.
  fix: The labels are checked against the head.
labels: [index, loss]
dims: {{N: 4, C: 3}}
subject:
  - guard()
  - loss = cross_entropy_loss(logits, target)
contract:
  requires:
    logits: {{dtype: float32, shape: [N, C], finite: true}}
    target: {{dtype: int64, shape: [N], min: 0, max: C - 1}}
  ensures:
    loss: {{dtype: float32, shape: [], min: 0, same_as: "-log_softmax(logits, 1)[arange(N), target].mean()"}}
failing:
  inputs: {{logits: zeros, target: [0, 1, 2, 3]}}
  symptom:
    cpu: {{raises: index_error, match: out of bounds}}
  expect: {{rejected: target.max}}
corrected:
  dims: {{C: 4}}
  inputs: {{logits: zeros, target: [0, 1, 2, 3]}}
batches:
  - {{N: 64, C: 4}}
  - {{N: 33, C: 2, seed: {number}}}
"""


def make_cases(folder, count):
    for number in range(count):
        path = folder / "cases" / f"topic-{number // 100:03}" / f"case-{number:05}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CASE.format(number=number))


def measure(command, folder):
    """Seconds, CPU seconds and the peak memory in MiB of the program itself, without what it starts."""
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    status, peak = pathlib.Path(f"/proc/{process.pid}/status"), 0
    cpu = 0.0
    while process.poll() is None:
        try:
            for line in status.read_text().splitlines():
                if line.startswith("VmHWM:"):
                    peak = max(peak, int(line.split()[1]) / 1024)
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, IndexError):
            pass
        time.sleep(0.02)
    if process.returncode != 0:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return {"seconds": time.monotonic() - begin, "cpu": cpu, "mib": peak}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--relapse", default=str(root / "build" / "release" / "bin" / "relapse"))
    parser.add_argument("--cases", default="1000,3000,10000")
    parser.add_argument("--keep", help="folder for cases and journals, which then stay there")
    arguments = parser.parse_args()
    base = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="relapse-scale-"))
    first = {}
    print(f"{'cases':>6} {'what':<28} {'seconds':>8} {'own cpu':>8} {'MiB':>7} {'ms/case':>8} {'KiB/case':>9}   x time  x memory")
    try:
        for count in (int(c) for c in arguments.cases.split(",")):
            folder = base / str(count)
            if not folder.exists():
                make_cases(folder, count)
            run = [arguments.relapse, "run", "--device", "cpu", "--server", "none", "-q", "--journal", "runs"]
            report = [arguments.relapse, "report", "--journals", "runs"]
            for what, command in (("run", run + ["--json", "r.json", "--junit", "r.xml"]), ("run, no reports", run),
                                  ("report", report), ("list", [arguments.relapse, "list"])):
                cost = measure(command, folder)
                per = cost["seconds"] / count * 1e3, cost["mib"] / count * 1024
                start = first.setdefault(what, per)
                print(f"{count:>6} {what:<28} {cost['seconds']:>8.2f} {cost['cpu']:>8.2f} {cost['mib']:>7.0f} {per[0]:>8.3f} "
                      f"{per[1]:>9.1f}   {per[0] / start[0]:>6.2f}  {per[1] / start[1]:>8.2f}", flush=True)
    finally:
        if not arguments.keep:
            shutil.rmtree(base)


if __name__ == "__main__":
    main()
