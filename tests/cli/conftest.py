"""What the tests of the command line share: the programs under test, a folder of its own for each test, small cases."""
import json
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

SOURCE = pathlib.Path(os.environ.get("RELAPSE_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("RELAPSE_BUILD", SOURCE / "build" / "release"))
# Readers of report formats from elsewhere, as ci/setup installs them.
READERS = pathlib.Path(os.environ.get("RELAPSE_READERS", SOURCE / ".relapse" / "readers"))
sys.path.append(str(READERS))
RELAPSE = os.environ.get("RELAPSE_BIN", str(BUILD / "bin" / "relapse"))

# The smallest whole case: a rejection, a corrected input, two batches. Tests take it apart by replacing lines.
SMALL = """\
relapse: 1
title: A class id equal to the class count reaches the loss
incident:
  source: https://example.com/incidents/273
  date: 2018-12-14
  cause: The background was counted twice.
  fix: The labels are checked against the head.
labels: [index, loss]
dims: {N: 4, C: 3}

subject:
  - guard()
  - loss = cross_entropy_loss(logits, target)

contract:
  requires:
    logits: {dtype: float32, shape: [N, C], finite: true}
    target: {dtype: int64, shape: [N], min: 0, max: C - 1}
  ensures:
    loss: {dtype: float32, shape: [], min: 0, same_as: "-log_softmax(logits, 1)[arange(N), target].mean()"}

failing:
  inputs: {logits: zeros, target: [0, 1, 2, 3]}
  symptom:
    cpu: {raises: index_error, match: out of bounds}
  expect: {rejected: target.max}

corrected:
  dims: {C: 4}
  inputs: {logits: zeros, target: [0, 1, 2, 3]}

batches:
  - {N: 64, C: 4}
  - {N: 33, C: 2, seed: 7}
"""


class Result:
    def __init__(self, done, folder):
        self.code, self.out, self.err, self.folder = done.returncode, done.stdout, done.stderr, folder

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class Workplace:
    """A folder with a `cases` folder, and relapse to run in it."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "cases").mkdir()

    def case(self, name, text=SMALL):
        path = self.folder / "cases" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith("RELAPSE_") or k == "RELAPSE_WORKER"}
        env.update({"TERM": "dumb", **more})
        return env

    def relapse(self, *words, env=None, timeout=300, server=False):
        words = [str(w) for w in words]
        if words and words[0] == "run" and not server and "--server" not in words:
            words[1:1] = ["--server", "none"]
        done = subprocess.run([RELAPSE, *words], cwd=self.folder, env=env or self.environment(), timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace")
        return Result(done, self.folder)

    def report(self, *words, **options):
        """Runs with a JSON report and gives (result, report)."""
        path = self.folder / "report.json"
        result = self.relapse("run", *words, "--json", path, **options)
        return result, (json.loads(path.read_text()) if path.exists() else None)


@pytest.fixture
def place(tmp_path):
    return Workplace(tmp_path)


def verdicts(report):
    return {c["id"]: c["verdict"]["kind"] for c in report["checks"]}
