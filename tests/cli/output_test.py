"""Where output goes: full disks, closed descriptors, pipes, links. A report that was lost is never exit 0."""
import json
import os
import signal
import subprocess
import time

from conftest import RELAPSE, SMALL
from death_test import SLOW, events, running_step, start, wait_for


def shell(place, line):
    return subprocess.run(["sh", "-c", line], cwd=place.folder, env=place.environment(RELAPSE=RELAPSE), capture_output=True,
                          text=True, timeout=120)


def test_a_full_standard_output_is_told_and_is_not_success(place):
    place.case("index/labels")
    done = shell(place, '"$RELAPSE" run --server none --device cpu > /dev/full')
    assert done.returncode == 3
    assert "relapse: standard output could not be written: a full disk, or a pipe that was closed" in done.stderr
    assert shell(place, '"$RELAPSE" list --json > /dev/full').returncode == 3


def test_a_closed_standard_output_does_not_end_up_in_the_journal(place):
    place.case("index/labels")
    shell(place, '"$RELAPSE" run --server none --device cpu <&- >&- 2>&-')
    assert [e["event"] for e in events(place)][0] == "run_started"
    assert events(place)[-1]["event"] == "run_ended"


def test_a_report_to_a_pipe_reaches_its_reader_and_a_link_stays_a_link(place):
    place.case("index/labels")
    os.mkfifo(place.folder / "pipe")
    reader = subprocess.Popen(["cat", "pipe"], cwd=place.folder, stdout=subprocess.PIPE, text=True)
    assert place.relapse("run", "--device", "cpu", "-q", "--json", "pipe").code == 0
    assert json.loads(reader.communicate(timeout=30)[0])["schema"] == 1
    (place.folder / "target.json").write_text("old")
    (place.folder / "link.json").symlink_to("target.json")
    assert place.relapse("run", "--device", "cpu", "-q", "--json", "link.json").code == 0
    assert (place.folder / "link.json").is_symlink()
    assert json.loads((place.folder / "target.json").read_text())["schema"] == 1


def test_two_reports_to_one_file_are_refused(place):
    place.case("index/labels")
    result = place.relapse("run", "--json", "same", "--junit", "same")
    assert result.code == 2 and "name the same file" in result.err


def test_a_reader_that_goes_away_costs_no_report(place):
    place.case("index/labels")
    shell(place, '"$RELAPSE" run --server none --device cpu --junit j.xml | head -c 1')
    assert (place.folder / "j.xml").exists()


def test_a_hang_up_ends_like_an_interrupt_with_every_report(place):
    place.case("index/slow", SLOW)
    runner = start(place, "--json", "r.json")
    wait_for(lambda: running_step(place, "14000"))
    runner.send_signal(signal.SIGHUP)
    out, _ = runner.communicate(timeout=60)
    assert runner.returncode == 5, out
    assert (place.folder / "r.json").exists()


def test_unfixed_code_that_does_not_exist_is_skipped_and_never_green(place):
    place.case("index/none", SMALL.replace("\ncontract:", "\nunfixed: {none: it was lost}\n\ncontract:"))
    result = place.relapse("run", "--device", "cpu", "--unfixed")
    assert result.code == 77
    assert "there is no unfixed code: it was lost" in result.out


def test_relations_may_not_write_to_what_they_look_at(place):
    place.case("index/labels", SMALL.replace("  ensures:\n", "  ensures:\n    where: {sly: \"(loss.fill_(7) * 0) == 0\"}\n"))
    result, report = place.report("index/labels@cpu/corrected")
    assert result.code == 2
    assert report["checks"][0]["verdict"]["reason"] == "aten::fill_ writes to its arguments; only steps of the subject may"


def test_a_rerun_line_names_the_folder_and_quotes_what_a_shell_would_read(place):
    place.case("index/a b", SMALL.replace("rejected: target.max", "rejected: target.min"))
    (place.folder / "cases").rename(place.folder / "my cases")
    result = place.relapse("run", "--cases", "my cases", "--device", "cpu")
    assert "  rerun      relapse run --cases 'my cases' 'index/a b@cpu/failing'" in result.out
