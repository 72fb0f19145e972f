"""Deaths: of a subject, of a child from outside, of the runner itself. Nothing is lost and nothing is left behind."""
import json
import os
import pathlib
import signal
import subprocess
import time

from conftest import RELAPSE, SMALL, verdicts

# Two batches that keep one core busy for long, so that there is time to kill somebody.
SLOW = SMALL.replace("  - loss = cross_entropy_loss(logits, target)\n\n",
                     "  - loss = cross_entropy_loss(logits, target)\n  - big = rand([W, 4000])\n  - spin = matmul(big, big.t()).sum()\n\n", 1) \
    .replace("dims: {N: 4, C: 3}", "dims: {N: 4, C: 3, W: 2}").replace("- {N: 64, C: 4}", "- {N: 64, C: 4, W: 14000}")


# INT32_MIN / -1 is a SIGFPE on x86, whatever the heap looks like.
CRASH = """\
    relapse: 1
    title: The smallest integer is divided by minus one
    incident: {cause: unchecked, fix: checked}
    dims: {N: 1}
    subject:
      - quotient = div(x, by, rounding_mode='trunc')
    contract:
      requires:
        x: {dtype: int32, shape: [N], min: -2147483648, max: 100}
        by: {dtype: int32, shape: [N], min: -1, max: 100, none_of: [0]}
      ensures:
        quotient: {dtype: int32}
    failing:
      inputs: {x: [-2147483648], by: [-1]}
      symptom: {cpu: {fault: crash, signal: [SIGFPE]}}
      expect: returns
    batches:
      - {N: 3, inputs: {by: ones}}
      - {N: 7, inputs: {by: {full: 2}}}
    """


def start(place, *words):
    return subprocess.Popen([RELAPSE, "run", "--server", "none", "--device", "cpu", *words], cwd=place.folder,
                            env=place.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def journal_of(place):
    found = sorted((place.folder / ".relapse" / "runs").glob("*/journal.jsonl"))
    return found[-1] if found else None


def events(place):
    path = journal_of(place)
    if path is None:
        return []
    out = []
    for line in path.read_text().split("\n")[:-1]:
        out.append(json.loads(line))
    return out


def wait_for(condition, seconds=120):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("it did not come")


def running_step(place, text):
    for event in events(place):
        if event["event"] == "line" and event["line"].get("event") == "step_started" and text in json.dumps(event["line"]):
            return True
    return False


def descendants(pid):
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parent = int(stat[stat.rindex(")") + 2:].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [pid]
    while queue:
        for child in children.get(queue.pop(), []):
            found.append(child)
            queue.append(child)
    return found


def child_running(place):
    """The pid of the attempt's process: the deepest descendant while its step runs."""
    for event in reversed(events(place)):
        if event["event"] == "attempt_ended":
            return None
        if event["event"] == "attempt_started":
            break
    return True


def is_alive(pid):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat[stat.rindex(")") + 2] != "Z"


def test_a_subject_that_dies_by_a_signal_is_a_verdict_and_the_rest_has_results(place):
    place.case("numeric/smallest", CRASH)
    result, report = place.report("--device", "cpu")
    assert result.code == 1
    found = verdicts(report)
    assert found["numeric/smallest@cpu/failing"] == "relapsed"
    assert {found[f"numeric/smallest@cpu/{c}"] for c in ("batch-1", "batch-2")} == {"held"}
    failing = next(c for c in report["checks"] if c["check"] == "failing")
    assert failing["verdict"]["seen"] == ["in step 1: quotient = div(x, by, rounding_mode='trunc')", "died by SIGFPE"]
    assert len(report["attempts"]) == 2


def test_killing_the_running_child_gives_that_check_a_verdict_and_the_rest_their_results(place):
    place.case("index/slow", SLOW)
    runner = start(place)
    wait_for(lambda: running_step(place, "matmul"))
    wait_for(lambda: running_step(place, "14000"))
    tree = descendants(runner.pid)
    # keeper > zygote > attempt: the one that has no child of its own and is no zygote
    attempt = [p for p in tree if not descendants(p)]
    assert len(attempt) == 1
    os.kill(attempt[0], signal.SIGKILL)
    out, _ = runner.communicate(timeout=300)
    assert runner.returncode == 1, out
    reported = json.loads(subprocess.run([RELAPSE, "report", str(journal_of(place)), "--json", "-"], capture_output=True,
                                         text=True, cwd=place.folder).stdout)
    found = verdicts(reported)
    assert found["index/slow@cpu/batch-1"] == "faulted"
    rest = {k: v for k, v in found.items() if not k.endswith("/batch-1")}
    assert set(rest.values()) == {"held"} and len(rest) == 14


def test_killing_the_runner_leaves_no_process_and_a_journal_with_every_finished_check(place):
    place.case("index/slow", SLOW)
    runner = start(place)
    wait_for(lambda: running_step(place, "14000"))
    tree = descendants(runner.pid)
    assert len(tree) >= 3
    runner.kill()
    runner.wait(timeout=60)
    wait_for(lambda: not any(is_alive(p) for p in tree), 60)
    judged = {e["check"] for e in events(place) if e["event"] == "judged"}
    assert judged >= {"failing", "corrected"}
    done = subprocess.run([RELAPSE, "report", str(journal_of(place)), "--json", "-"], capture_output=True, text=True,
                          cwd=place.folder)
    report = json.loads(done.stdout)
    assert done.returncode == 5
    found = {c["check"]: c["verdict"]["kind"] for c in report["checks"]}
    assert {found[name] for name in judged} == {"held"}
    assert found["batch-1"] == "not_run"
    reason = next(c for c in report["checks"] if c["check"] == "batch-1")["verdict"]["reason"]
    assert reason == "it had started when the run ended"


def test_interrupting_ends_with_5_and_a_complete_report(place):
    place.case("index/slow", SLOW)
    junit = place.folder / "junit.xml"
    runner = start(place, "--junit", str(junit))
    wait_for(lambda: running_step(place, "14000"))
    tree = descendants(runner.pid)
    runner.send_signal(signal.SIGINT)
    out, _ = runner.communicate(timeout=60)
    assert runner.returncode == 5, out
    assert "interrupted" in out and "not run" in out
    assert junit.exists()
    wait_for(lambda: not any(is_alive(p) for p in tree), 60)
    assert events(place)[-1]["event"] == "run_ended"


def test_a_deadline_of_the_run_leaves_the_rest_not_run(place):
    place.case("index/slow", SLOW)
    result, report = place.report("--device", "cpu", "--deadline", "1.5")
    assert result.code == 4
    assert "not_run" in set(verdicts(report).values())
    assert set(verdicts(report).values()) <= {"held", "not_run"}


def test_a_subject_that_hangs_times_out_and_the_rest_has_results(place):
    place.case("index/slow", SLOW)
    result, report = place.report("--device", "cpu", "--timeout", "2")
    found = verdicts(report)
    assert result.code == 1
    assert found["index/slow@cpu/batch-1"] == "timed_out"
    rest = {k: v for k, v in found.items() if not k.endswith("/batch-1")}
    assert set(rest.values()) == {"held"}


def test_memory_beyond_the_limit_is_out_of_memory_and_no_crash_of_the_run(place):
    place.case("index/hungry", SMALL.replace("  - loss = cross_entropy_loss(logits, target)\n\n",
                                             "  - loss = cross_entropy_loss(logits, target)\n  - much = zeros([K, 1000000])\n\n", 1)
               .replace("dims: {N: 4, C: 3}", "dims: {N: 4, C: 3, K: 1}").replace("- {N: 64, C: 4}", "- {N: 64, C: 4, K: 5000}")
               + "\nlimits: {memory: 1GiB}\n")
    result, report = place.report("--device", "cpu")
    batch = next(c for c in report["checks"] if c["check"] == "batch-1")
    assert result.code == 1
    assert batch["verdict"]["kind"] == "faulted" and batch["verdict"]["error"] == "out_of_memory"
    assert {v for k, v in verdicts(report).items() if not k.endswith("batch-1")} == {"held"}


def test_a_missing_worker_is_infrastructure_and_says_what_to_do(place):
    place.case("index/labels")
    result = place.relapse("--worker", "/no/such/relapse-worker", "run", "--server", "none", "--device", "cpu")
    assert result.code == 3
    assert "/no/such/relapse-worker" in result.out + result.err
