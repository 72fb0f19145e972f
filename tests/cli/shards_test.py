"""Shards of a run, by the option and by what schedulers say; merged they equal one run."""
import json
import os

import pytest

from conftest import SMALL, verdicts
from death_test import CRASH

WRONG = SMALL.replace("loss = cross_entropy_loss(logits, target)", "loss = cross_entropy_loss(logits, target) * 2.0", 1)


def cases(place, count=9):
    for i in range(count):
        place.case(f"index/case-{i}", SMALL)
    place.case("index/wrong", WRONG)
    place.case("numeric/smallest", CRASH)
    place.case("numeric/needy", SMALL + "\nneeds: {memory: 900TiB}\n")
    place.case("index/broken", SMALL.replace("symptom:", "symptoms:"))
    place.case("index/contradicts", SMALL.replace("target: [0, 1, 2, 3]}\n  symptom", "target: [0, 1, 2, 2]}\n  symptom"))


def report(place, *words):
    result = place.relapse("report", *words, "--json", "-")
    return result, json.loads(result.out) if result.out.startswith("{") else None


def told(report):
    """What a run says of its checks and files, without what differs from run to run."""
    checks = [(c["id"], {k: v for k, v in c["verdict"].items()}, c["kind"], c.get("line"), c["file"]) for c in report["checks"]]
    return checks, report["totals"], report["cases"], report["broken_files"], report["clauses"], report["exit"], report["devices"]


def test_three_shards_merged_equal_one_run_verdict_by_verdict(place):
    cases(place)
    whole, one = place.report()
    parts = []
    for k in (1, 2, 3):
        result = place.relapse("run", "--shard", f"{k}/3", "--journal", "shards", "--json", f"{k}.json")
        parts.append(json.loads((place.folder / f"{k}.json").read_text()))
        assert f"  shard {k}/3 (by --shard): {len({c['id'] for c in parts[-1]['cases']} | {f['id'] for f in parts[-1]['broken_files']})} of 14 cases" in result.out
    merged, all_three = report(place, "--merge", "shards")
    assert told(all_three) == told(one)
    assert merged.code == whole.code == 2
    ids = [set(verdicts(p)) for p in parts]
    assert not ids[0] & ids[1] and not ids[0] & ids[2] and not ids[1] & ids[2]
    assert len(one["checks"]) > 300


def test_a_missing_shard_is_said_and_never_green(place):
    for i in range(6):
        place.case(f"index/case-{i}")
    for k in (1, 2):
        assert place.relapse("run", "--device", "cpu", "--shard", f"{k}/3", "--journal", "shards").code == 0
    result = place.relapse("report", "--merge", "shards")
    assert result.code == 4
    missing = [line for line in result.out.splitlines() if line.startswith("note: shard 3/3 is missing: ")]
    assert len(missing) == 1 and missing[0].endswith(" no verdict")
    assert "its shard 3/3 is not among these journals" in result.out


def test_shards_of_different_files_are_refused(place):
    for i in range(4):
        place.case(f"index/case-{i}")
    place.relapse("run", "--device", "cpu", "--shard", "1/2", "--journal", "shards")
    place.case("index/case-1", SMALL.replace("N: 33", "N: 34"))
    place.relapse("run", "--device", "cpu", "--shard", "2/2", "--journal", "shards")
    result = place.relapse("report", "--merge", "shards")
    assert result.code == 2
    assert "are shards of different sets: the cases, their files, the times that balanced them or the options of the run differ" in result.err


def test_times_fill_shards_evenly_and_put_the_longest_first(place):
    for i in range(6):
        place.case(f"index/case-{i}")
    (place.folder / "times.json").write_text(json.dumps({"schema": 1, "times": {
        f"index/case-{i}@cpu": 10 if i == 3 else 2 for i in range(6)}}))
    shares = []
    for k in (1, 2):
        _, part = place.report("--device", "cpu", "--shard", f"{k}/2", "--times", "times.json", "--journal", f"s{k}", "-j", "1")
        shares.append([c["id"] for c in part["cases"]])
    assert sorted(shares, key=len) == [["index/case-3"], [f"index/case-{i}" for i in (0, 1, 2, 4, 5)]]
    _, whole = place.report("--device", "cpu", "--times", "times.json", "-j", "1")
    assert [a["case"] for a in whole["attempts"]] == ["index/case-3"] + [f"index/case-{i}" for i in (0, 1, 2, 4, 5)]
    bad = place.relapse("run", "--times", "cases/index/case-1.yaml")
    assert bad.code == 2 and "expected a times file, a journal or a folder of journals, got something else" in bad.err


def test_a_short_deadline_takes_the_quickest_first_and_says_so(place):
    for i in range(3):
        place.case(f"index/case-{i}")
    (place.folder / "times.json").write_text(json.dumps({"schema": 1, "times": {f"index/case-{i}@cpu": 900 - i for i in range(3)}}))
    result, report = place.report("--device", "cpu", "--times", "times.json", "-j", "1", "--deadline", "60")
    assert [a["case"] for a in report["attempts"]] == ["index/case-2", "index/case-1", "index/case-0"]
    assert "the deadline is too short for all: the quickest cases came first" in result.out


def test_the_next_run_knows_the_times_of_the_last(place):
    place.case("index/a-quick")
    place.case("index/b-slow", SMALL.replace("N: 33, C: 2", "N: 200000, C: 40"))
    place.relapse("run", "--device", "cpu", "-j", "1")
    times = json.loads((place.folder / ".relapse/runs/times.json").read_text())["times"]
    assert times["index/b-slow@cpu"] > times["index/a-quick@cpu"] > 0
    _, again = place.report("--device", "cpu", "-j", "1")
    assert [a["case"] for a in again["attempts"]] == ["index/b-slow", "index/a-quick"]
    (place.folder / ".relapse/runs/times.json").write_text("{")
    result = place.relapse("run", "--device", "cpu")
    assert result.code == 0 and "note: the order of the cases is not by their times: " in result.out


BAZEL = {"TEST_TOTAL_SHARDS": "2", "TEST_SHARD_INDEX": "0"}
GTEST = {"GTEST_TOTAL_SHARDS": "2", "GTEST_SHARD_INDEX": "0"}
OWN = {"RELAPSE_SHARD_COUNT": "2", "RELAPSE_SHARD_INDEX": "0"}
SLURM = {"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_MAX": "6", "SLURM_ARRAY_TASK_COUNT": "2"}


@pytest.mark.parametrize("variables, words, who", [(BAZEL, [], "Bazel"), (GTEST, [], "GoogleTest"), (OWN, [], "relapse"),
                                                   (SLURM, ["--shard", "auto"], "Slurm")])
def test_an_existing_scheduler_spreads_the_work(place, variables, words, who):
    for i in range(5):
        place.case(f"index/case-{i}")
    _, by_option = place.report("--device", "cpu", "--shard", "1/2")
    result, report = place.report("--device", "cpu", *words, env=place.environment(**variables))
    assert verdicts(report) == verdicts(by_option)
    assert f"  shard 1/2 (by {who}): " in result.out


def test_bazel_sees_that_its_shards_are_obeyed(place):
    place.case("index/labels")
    status = place.folder / "status"
    env = place.environment(TEST_SHARD_STATUS_FILE=str(status), **BAZEL)
    place.relapse("run", "--device", "cpu", "--shard", "none", env=env)
    assert not status.exists()
    place.relapse("run", "--device", "cpu", env=env)
    assert status.exists()
    env["TEST_SHARD_STATUS_FILE"] = str(place.folder / "no" / "status")
    result = place.relapse("run", "--device", "cpu", env=env)
    assert result.code == 3 and "by which the scheduler wants to see that shards are obeyed" in result.err


def test_an_array_that_is_not_asked_about_is_named(place):
    place.case("index/labels")
    result = place.relapse("run", "--device", "cpu", env=place.environment(**SLURM))
    assert "note: this is a task of a Slurm array, which runs all cases: --shard auto would divide them" in result.out
    assert "shard 1/2" not in result.out


def test_half_an_environment_runs_nothing(place):
    place.case("index/labels")
    result = place.relapse("run", env=place.environment(TEST_TOTAL_SHARDS="3"))
    assert result.code == 2 and "TEST_TOTAL_SHARDS is set but TEST_SHARD_INDEX is not" in result.err
    assert not (place.folder / ".relapse").exists()


def test_an_empty_shard_says_so_and_is_no_error(place):
    place.case("index/labels")
    codes = {}
    for k in (1, 2, 3):
        result = place.relapse("run", "--device", "cpu", "--shard", f"{k}/3", "--journal", "shards")
        codes[k] = (result.code, "this shard is empty: the others hold all cases" in result.out)
    assert sorted(codes.values()) == [(0, False), (0, True), (0, True)]
    assert place.relapse("report", "--merge", "shards").code == 0


def test_several_journals_are_reported_in_turn_and_one_file_needs_a_merge(place):
    place.case("index/labels")
    place.relapse("run", "--device", "cpu", "--journal", "one")
    place.relapse("run", "--device", "cpu", "--unfixed", "--journal", "two")
    result = place.relapse("report", "one", "two")
    assert result.code == 1
    assert result.out.count("journal ") == 2 and "RELAPSED" in result.out
    refused = place.relapse("report", "one", "two", "--junit", "x.xml")
    assert refused.code == 2 and "--merge makes one report of all of them" in refused.err


def test_a_diff_says_what_changed_and_ends_red_only_for_the_worse(place):
    path = place.case("index/labels")
    place.relapse("run", "--device", "cpu", "--journal", "one")
    path.write_text(WRONG)
    place.relapse("run", "--device", "cpu", "--journal", "two")
    result = place.relapse("report", "--diff", "one", "two", "--json", "diff.json")
    assert result.code == 1
    assert "worse      index/labels@cpu/corrected   (its case file changed)\n           held -> broken loss.same_as\n" in result.out
    diff = json.loads((place.folder / "diff.json").read_text())
    assert {c["change"] for c in diff["changes"]} == {"worse"}
    back = place.relapse("report", "--diff", "two", "one")
    assert back.code == 0 and "0 worse, 0 different, " in back.out
    assert place.relapse("report", "--diff", "one").code == 2
    assert place.relapse("report", "--diff", "--merge", "one", "two").code == 2
