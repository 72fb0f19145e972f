"""Thirty red cases of every kind, answered by tests/children's worker: nothing of LibTorch runs, so they are quick and
the same everywhere. What each check does is the first word of its name (tests/children/misbehaviours.cpp)."""
import os
import pathlib
import subprocess

from conftest import BUILD, RELAPSE

CHILD = BUILD / "tests" / "children" / "relapse_child_worker"

CASE = """\
relapse: 1
title: {title}
incident: {{source: "https://example.com/incidents/{number}", date: 2018-12-14, cause: "It was unchecked: {number}.", fix: It is checked now.}}
labels: [index, loss]
dims: {{N: 4, C: 3}}

subject:
  - loss = cross_entropy_loss(logits, target)

contract:
  requires:
    logits: {{dtype: float32, shape: [N, C], finite: true}}
    target: {{dtype: int64, shape: [N], min: 0, max: C - 1}}
  ensures:
    loss:
      dtype: float32
      shape: []
      min: 0
      same_as: "-log_softmax(logits, 1)[arange(N), target].mean()"

failing:
  - name: {failing}
    inputs: {{logits: zeros, target: [0, 1, 2, 2]}}
    symptom: {{cpu: {symptom}}}
    expect: returns

batches:
  - {{N: 64, C: 4, name: {first}}}
  - {{N: 33, C: 2, name: {second}}}
limits: {{timeout: 0.4}}
"""

HOSTILE = '"</script><img src=x onerror=alert(1)> & \\"quotes\\" %0A::error::x `code` [a](javascript:alert(1)) \\e[31m"'

# What the failing input, the first and the second batch do; the verdicts that follow are `expected`.
KINDS = [
    ("raise", "{raises: index_error, match: out of bounds}", "hold", "hold", "relapsed"),
    ("type", "{raises: index_error}", "hold", "hold", "faulted"),
    ("wrong", "{wrong: loss.same_as}", "wrong", "hold", "relapsed"),
    ("wrong", "{raises: index_error}", "hold", "hold", "broken"),
    ("crash", "{fault: crash, signal: [SIGSEGV]}", "hold", "hold", "relapsed"),
    ("crash", "{raises: index_error}", "hold", "hold", "faulted"),
    ("exit", "{raises: index_error}", "hold", "hold", "no_verdict"),
    ("half", "{raises: index_error}", "hold", "hold", "no_verdict"),
    ("contradict", "{raises: index_error}", "hold", "hold", "case_error"),
    ("turn", "{raises: index_error}", "hold", "hold", "unstable"),
]
ENDLESS = [("hang", "{raises: index_error}", "hold", "hold", "timed_out"),
           ("print", "{raises: index_error}", "hold", "hold", "timed_out")]
CASES = 30


def write(folder):
    """The cases below `folder`/cases/by; gives how each is red, by the case's id."""
    root = pathlib.Path(folder) / "cases" / "by"
    root.mkdir(parents=True, exist_ok=True)
    expected = {}
    for number in range(CASES - 1):
        # Every kind at least twice; what waits for its time limit only once each.
        failing, symptom, first, second, verdict = (ENDLESS + KINDS * 3)[number]
        title = HOSTILE if number == 3 else f"Red case {number}, {verdict} by {failing}"
        text = CASE.format(title=title, number=number, failing=failing, symptom=symptom, first=first, second=f"{second}-2")
        name = f"red-{number:02}-{verdict}"
        (root / f"{name}.yaml").write_text(text)
        expected[f"by/{name}"] = verdict
    (root / "broken-file.yaml").write_text(CASE.format(title="Broken", number=99, failing="x", symptom="{raises: nothing}",
                                                       first="a", second="b").replace("batches:", "batchs:"))
    return expected


def environment(folder, more=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("RELAPSE_", "GITHUB_"))}
    env.update({"TERM": "dumb", "RELAPSE_TEST_FOLDER": str(folder), **(more or {})})
    return env


def finished(folder, words, env):
    return subprocess.run([RELAPSE, *map(str, words)], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=120)


def run(folder, *words, env=None):
    """Runs the corpus, two rounds each, and gives the finished process."""
    for turn in pathlib.Path(folder).glob("turn-*"):
        turn.unlink()
    start = ["--worker", CHILD, "run", "--server", "none", "--device", "cpu", "--repeat", "2"]
    return finished(folder, [*start, *words], environment(folder, env))


def report(folder, *words, env=None):
    return finished(folder, ["report", *words], environment(folder, env))
