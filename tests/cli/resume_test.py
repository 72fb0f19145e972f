"""A run that was killed at any moment is finished by --resume, and then equals an undisturbed one."""
import json
import random
import signal
import subprocess
import time

from conftest import RELAPSE, SMALL, verdicts
from death_test import CRASH, SLOW, events, journal_of, running_step, start, wait_for

WRONG = SMALL.replace("loss = cross_entropy_loss(logits, target)", "loss = cross_entropy_loss(logits, target) * 2.0", 1)


def told(report):
    return ([(c["id"], c["verdict"], c["kind"], c["file"]) for c in report["checks"]], report["totals"], report["cases"],
            report["broken_files"], report["exit"], report["clauses"])


def newest_report(place):
    done = place.relapse("report", "--json", "-")
    return json.loads(done.out)


def test_killed_at_fifty_random_moments_nothing_is_lost_and_resume_gives_an_undisturbed_run(place):
    for i in range(4):
        place.case(f"index/case-{i}")
    place.case("index/wrong", WRONG)
    place.case("numeric/smallest", CRASH)
    place.case("index/broken", SMALL.replace("symptom:", "symptoms:"))
    begun = time.monotonic()
    _, undisturbed = place.report()
    whole = time.monotonic() - begun
    chance = random.Random(20261201)
    in_the_middle = 0
    for moment in range(50):
        folder = place.folder / f"runs-{moment}"
        runner = subprocess.Popen([RELAPSE, "run", "--server", "none", "-q", "--journal", str(folder)], cwd=place.folder,
                                  env=place.environment(), stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.02, 1.1 * whole))
        runner.send_signal(signal.SIGKILL)
        runner.wait(timeout=60)
        journals = sorted(folder.glob("*/journal.jsonl"))
        if not journals or not journals[-1].read_bytes().count(b"\n"):
            continue  # killed before there was a run
        journal = journals[-1]
        lines = [json.loads(line) for line in journal.read_text().split("\n")[:-1]]
        # Every finished check is in the report, what had started is not_run.
        killed = json.loads(place.relapse("report", journal, "--json", "-").out)
        judged = {}
        for event in lines:
            if event["event"] == "judged":
                judged[f"{event['case']}@{event['device']}/{event['check']}"] = event["verdict"]["kind"]
        planned = {f"{e['case']}@{e['device']}/{c['name']}" for e in lines if e["event"] == "planned" for c in e["checks"]}
        assert verdicts(killed) == {**{check: "not_run" for check in planned}, **judged}
        if lines[-1]["event"] != "run_ended":
            assert killed["exit"] == 5
            in_the_middle += bool(judged) and len(judged) < len(planned)
        resumed = place.relapse("run", "--resume", "--journal", str(folder), "-q", "--json", str(folder / "r.json"))
        report = json.loads((folder / "r.json").read_text())
        assert told(report) == told(undisturbed), f"moment {moment}"
        assert resumed.code == undisturbed["exit"]
    assert in_the_middle >= 5, in_the_middle


def test_a_resumed_run_runs_only_what_is_left(place):
    place.case("index/a-quick")
    place.case("index/slow", SLOW.replace("14000", "9000"))
    runner = start(place, "-j", "1")
    wait_for(lambda: running_step(place, "9000"))
    runner.kill()
    runner.wait(timeout=60)
    before = journal_of(place)
    time.sleep(1.1)  # its folder is named by the second
    result = place.relapse("run", "--resume", "--timeout", "2")
    assert result.code == 2 and "--resume finishes the run of its journal as it was asked for: --timeout cannot be given" in result.err
    result = place.relapse("run", "--resume")
    assert result.code == 0, result
    assert f"note: resumes {before.relative_to(place.folder)}: " in result.out
    attempts = [e for e in events(place) if e["event"] == "attempt_started"]
    assert [a["case"] for a in attempts] == ["index/a-quick", "index/slow"]
    assert [a["attempt"] for a in attempts] == [1, 3]
    assert len(attempts[1]["checks"]) == 15
    assert set(verdicts(newest_report(place)).values()) == {"held"}
    merged = place.relapse("report", "--merge", ".relapse/runs")
    assert merged.code == 0 and f"note: {before.relative_to(place.folder)} was resumed: the run that finished it counts" in merged.out


def test_changed_new_and_lost_files_are_said_and_changed_ones_run_anew(place):
    for name in ("kept", "changed", "gone"):
        place.case(f"index/{name}")
    place.relapse("run", "--device", "cpu")
    place.case("index/changed", WRONG)
    place.case("index/new")
    (place.folder / "cases/index/gone.yaml").unlink()
    result, report = place.report("--resume")
    assert result.code == 1
    assert "note: cases/index/changed.yaml changed since the run that is resumed: it is run anew\n" in result.out
    assert "note: cases/index/new.yaml is new since the run that is resumed\n" in result.out
    assert "note: index/gone is gone since the run that is resumed\n" in result.out
    assert ": 15 checks keep their verdicts, 30 are left\n" in result.out
    found = verdicts(report)
    assert found["index/changed@cpu/corrected"] == "broken" and found["index/new@cpu/failing"] == "held"
    assert not any("gone" in check for check in found)


def test_resume_takes_the_options_of_its_run_and_a_journal_by_name(place):
    place.case("index/labels")
    place.relapse("run", "--device", "cpu", "--unfixed", "index/labels@cpu/failing", "--journal", "first")
    first = next((place.folder / "first").glob("*/journal.jsonl"))
    place.relapse("run", "--device", "cpu")
    for words in (["--resume", first], ["--resume", first.parent], [f"--resume={first}"]):
        result, report = place.report(*words)
        assert result.code == 1
        assert verdicts(report) == {"index/labels@cpu/failing": "relapsed"}
    refused = place.relapse("run", "--resume", "index")
    assert refused.code == 2 and '"index" cannot be given (and is no journal)' in refused.err
    refused = place.relapse("run", "--resume", "--device", "cuda")
    assert refused.code == 2 and "--device cannot be given" in refused.err
    refused = place.relapse("run", "--resume", "--failed")
    assert refused.code == 2
    nothing = place.relapse("run", "--resume", "--journal", "none")
    assert nothing.code == 2 and "no journal below none" in nothing.err


def test_verdicts_of_another_libtorch_are_not_mixed_in_and_leave_no_journal(place):
    place.case("index/labels")
    place.relapse("run", "--device", "cpu")
    journal = journal_of(place)
    journal.write_text(journal.read_text().replace('"torch_version":"', '"torch_version":"1.'))
    result = place.relapse("run", "--resume")
    assert result.code == 2 and "the run that is resumed had LibTorch 1." in result.err
    assert journal_of(place) == journal
    journal.write_text(journal.read_text().replace('"relapse":"', '"relapse":"9.'))
    result = place.relapse("run", "--resume")
    assert result.code == 2 and "is of relapse 9." in result.err


def test_a_shard_is_resumed_as_that_shard(place):
    for i in range(6):
        place.case(f"index/case-{i}")
    place.relapse("run", "--device", "cpu", "--shard", "1/2", "--journal", "s")
    result = place.relapse("run", "--resume", "--journal", "s")
    assert "  shard 1/2 (by --shard): " in result.out and result.code == 0
    place.relapse("run", "--device", "cpu", "--shard", "2/2", "--journal", "s")
    merged = place.relapse("report", "--merge", "s")
    assert merged.code == 0 and "cpu 6 held" in merged.out


def test_a_run_that_still_goes_on_is_not_taken_up(place):
    place.case("index/slow", SLOW)
    runner = start(place)
    wait_for(lambda: running_step(place, "14000"))
    try:
        result = place.relapse("run", "--resume")
        assert result.code == 2 and "still goes on: it can be taken up when it has ended" in result.err
    finally:
        runner.send_signal(signal.SIGINT)
        runner.communicate(timeout=60)


def test_failed_runs_what_was_red_and_only_that(place):
    place.case("index/good")
    wrong = place.case("index/wrong", WRONG)
    broken = place.case("index/broken", SMALL.replace("symptom:", "symptoms:"))
    _, first = place.report("--device", "cpu")
    red = {c for c, kind in verdicts(first).items() if kind == "broken"}
    result, again = place.report("--failed")
    assert result.code == 2 and set(verdicts(again)) == red and len(again["broken_files"]) == 1
    assert "note: only what was red in " in result.out and f": {len(red)} checks, 1 broken files" in result.out
    wrong.write_text(SMALL)
    broken.write_text(SMALL)
    result, fixed = place.report("--failed")
    assert result.code == 0
    assert set(verdicts(fixed)) == red | {c.replace("good", "broken") for c in verdicts(first) if "good" in c}
    result = place.relapse("run", "--failed")
    assert result.code == 4 and "nothing was red in " in result.err


def test_failed_tells_of_what_was_not_run(place):
    place.case("index/a-wrong", WRONG)
    place.case("index/b-good")
    place.relapse("run", "--device", "cpu", "--fail-fast", "-j", "1")
    result = place.relapse("run", "--failed")
    assert "checks of that run were not run in it: --resume " in result.out
