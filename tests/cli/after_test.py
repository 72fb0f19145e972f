"""`after`: a failing input that only fails where certain batches ran before it in the same process."""
from conftest import SMALL, verdicts

# Whether the second call of a process is right cannot be seen in values of the library, so the test looks at what ran:
# seeds of the generator carry over from one subject to the next only inside one process.
PLAIN = """\
relapse: 1
title: A step
incident: {cause: none known, fix: none known}
dims: {N: 4}
subject: [y = x + 1]
contract:
  requires: {x: {dtype: float32, shape: [N], finite: true}}
  ensures: {y: {shape: [N], same_as: x + 1}}
failing: {expect: returns, after: [warm, batch-2]}
batches:
  - {N: 8, name: warm}
  - {N: [16, 32], seed: 2}
"""


def lines_of(place, event):
    import json
    journal = next((place.folder / ".relapse" / "runs").rglob("journal.jsonl"))
    return [e for e in map(json.loads, journal.read_text().splitlines()) if e["event"] == event]


def steps_of(place, check):
    return [(e["line"]["step"].get("batch"), e["line"]["step"]["inputs"][0]["shape"]) for e in lines_of(place, "line")
            if e["line"]["event"] == "step_started" and e["line"]["check"] == check]


ORDER = [("warm", [8]), ("batch-2:N=16", [16]), ("batch-2:N=32", [32]), (None, [4])]


def test_batches_run_first_in_order_in_the_same_process(place):
    place.case("a", PLAIN)
    result, report = place.report("--device", "cpu")
    assert result.code == 0 and set(verdicts(report).values()) == {"held"}
    assert steps_of(place, "failing") == ORDER
    assert report["checks"][0]["after"] == ["warm", "batch-2:N=16", "batch-2:N=32"]


def test_one_check_alone_still_runs_them_first(place):
    place.case("a", PLAIN)
    result, report = place.report("a@cpu/failing")
    assert result.code == 0 and verdicts(report) == {"a@cpu/failing": "held"}
    assert steps_of(place, "failing") == ORDER


def test_each_check_in_its_own_process_and_repeats_still_run_them_first(place):
    place.case("a", PLAIN + "run: {isolate: each}\n")
    result = place.relapse("run", "--device", "cpu", "--repeat", "2")
    assert result.code == 0
    assert steps_of(place, "failing") == ORDER * 2
    assert [a["checks"] for a in lines_of(place, "attempt_started")].count(["failing"]) == 2


def test_nothing_else_runs_in_front_of_them(place):
    two = PLAIN.replace("failing: {expect: returns, after: [warm, batch-2]}",
                        "failing:\n  - {name: alone, expect: returns}\n  - {name: warmed, expect: returns, after: warm}")
    place.case("a", two)
    assert place.relapse("run", "--device", "cpu").code == 0
    assert [a["checks"] for a in lines_of(place, "attempt_started")] == [
        ["failing:alone"], ["failing:warmed", "warm", "batch-2:N=16", "batch-2:N=32"]]


def test_a_batch_that_breaks_a_clause_breaks_the_check_that_it_runs_before(place):
    wrong = PLAIN.replace("- {N: 8, name: warm}", "- {N: 8, name: warm, ensures: {y: {max: -100}}}")
    place.case("a", wrong)
    result, report = place.report("a@cpu/failing")
    verdict = report["checks"][0]["verdict"]
    assert result.code == 1 and verdict["kind"] == "broken" and verdict["clause"] == "after.warm"
    assert verdict["promised"] == "warm runs first in the same process, and holds"
    assert verdict["seen"][0].startswith("it broke y.max: ")
    assert (verdict["line"], verdict["column"]) == (9, 35)
    assert "after      warm, batch-2:N=16, batch-2:N=32, first in the same process" in result.out


def test_a_batch_that_raises_is_named_and_is_no_symptom(place):
    raises = PLAIN.replace("after: [warm, batch-2]}", "symptom: {cpu: {raises: any}}, after: warm}").replace(
        "[y = x + 1]", "[\"y = x[:4].view([N])\"]").replace("same_as: x + 1}", "min: -100}")
    place.case("a", raises)
    result, report = place.report("a@cpu/failing")
    verdict = report["checks"][0]["verdict"]
    assert result.code == 1 and verdict["kind"] == "faulted" and verdict["clause"] == "after.warm"
    assert verdict["seen"][-1] == "so failing itself has not run"
    assert "step       1 of warm: y = x[:4].view([N])" in result.out


def test_a_batch_that_ends_the_process_is_named_and_is_no_symptom(place):
    # INT32_MIN / -1 is a SIGFPE on x86; here it is a batch that does it, and the failing input would be well.
    place.case("a", """\
        relapse: 1
        title: The smallest integer is divided by minus one
        incident: {cause: unchecked, fix: checked}
        dims: {N: 1}
        subject: ["quotient = div(x, by, rounding_mode='trunc')"]
        contract:
          requires: {x: {dtype: int32, shape: [N]}, by: {dtype: int32, shape: [N], none_of: [0]}}
          ensures: {quotient: {dtype: int32}}
        failing:
          inputs: {x: [1], by: [1]}
          symptom: {cpu: {fault: crash, signal: [SIGFPE]}}
          expect: returns
          after: batch-1
        batches:
          - {N: 1, inputs: {x: [-2147483648], by: [-1]}}
          - {N: 2, inputs: {x: ones, by: ones}}
        """)
    result, report = place.report("a@cpu/failing", "a@cpu/batch-2")
    verdict = report["checks"][0]["verdict"]
    assert result.code == 1 and (verdict["kind"], verdict["clause"]) == ("faulted", "after.batch-1")
    assert verdict["seen"] == ["in step 1 of batch-1: quotient = div(x, by, rounding_mode='trunc')", "died by SIGFPE"]
    assert verdict["promised"] == "batch-1 runs first in the same process, and holds"
    assert verdicts(report)["a@cpu/batch-2"] == "held"


def test_an_unknown_batch_is_an_error_of_the_file(place):
    place.case("a", PLAIN.replace("[warm, batch-2]", "[warm, bach-2]"))
    result = place.relapse("lint")
    assert "cases/a.yaml:9:42: error: failing.after: \"bach-2\" is not the name of a batch; did you mean \"batch-2\"?" in result.out + result.err
    place.case("a", PLAIN.replace("[warm, batch-2]", "[]"))
    result = place.relapse("lint")
    assert "failing.after: expected at least one batch" in result.out + result.err


def test_a_need_of_such_a_batch_is_a_need_of_the_check(place):
    place.case("a", PLAIN.replace("name: warm}", "name: warm, needs: {torch: \">=99\"}}"))
    result, report = place.report("a@cpu/failing")
    assert result.code == 77
    assert report["checks"][0]["verdict"]["reason"].startswith("warm, which runs first: ")


def test_a_resumed_run_runs_them_first_again(place):
    place.case("a", PLAIN)
    place.relapse("run", "--device", "cpu")
    journal = next((place.folder / ".relapse" / "runs").rglob("journal.jsonl"))
    kept = [line for line in journal.read_text().splitlines() if '"judged"' not in line and "run_ended" not in line
            and "attempt" not in line]
    journal.write_text("\n".join(kept) + "\n")
    result, report = place.report("--resume", journal)
    assert result.code == 0 and verdicts(report)["a@cpu/failing"] == "held"


def test_shards_keep_them_together(place):
    for name in "abcd":
        place.case(name, PLAIN)
    ids = []
    for k in (1, 2):
        result, report = place.report("--device", "cpu", "--shard", f"{k}/2")
        assert result.code == 0
        ids += [c["id"] for c in report["checks"]]
    assert len(ids) == len(set(ids)) == 4 * 4
