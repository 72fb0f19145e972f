"""`relapse history` and `relapse audit`: what the journals say together."""
import json

from conftest import SMALL

WRONG = SMALL.replace("loss = cross_entropy_loss(logits, target)", "loss = cross_entropy_loss(logits, target) * 2.0", 1)
NO_GUARD = SMALL.replace("  - guard()\n", "").replace("expect: {rejected: target.max}", "expect: {raises: index_error}")


def test_a_page_says_when_each_case_last_held(place):
    place.case("index/good")
    wrong = place.case("index/wrong")
    place.relapse("run")
    wrong.write_text(WRONG)
    place.relapse("run", "--device", "cpu")
    result = place.relapse("history", "--json", "h.json")
    assert result.code == 0
    assert result.out.startswith("2 runs from 20")
    lines = {line.split()[0]: line for line in result.out.splitlines()[3:]}
    assert list(lines) == ["index/good@cpu", "index/good@cuda", "index/wrong@cpu", "index/wrong@cuda"]
    assert lines["index/good@cpu"].split()[3:] == ["held", "2", "0", "0"]
    assert lines["index/wrong@cpu"].endswith("red               1     1     0  broken loss.same_as")
    assert lines["index/good@cuda"].split()[1] == "never" and lines["index/good@cuda"].endswith("no NVIDIA driver here")
    page = json.loads((place.folder / "h.json").read_text())
    assert page["schema"] == 1 and [c["held"] for c in page["cases"]] == [2, 0, 1, 0]


def test_a_journal_that_cannot_be_read_is_told_and_the_others_count(place):
    place.case("index/good")
    place.relapse("run", "--device", "cpu")
    broken = place.folder / ".relapse/runs/20200101-000000-1"
    broken.mkdir()
    (broken / "journal.jsonl").write_text("nonsense\n")
    result = place.relapse("history")
    assert result.code == 3
    assert "journal.jsonl:1: expected a journal event, got something else; it is passed over" in result.err
    assert "index/good@cpu" in result.out
    assert place.relapse("history", "nowhere").code == 2


def test_an_audit_is_red_until_cases_are_armed(place):
    place.case("index/labels", SMALL + "\nneeds: {devices: [cpu]}\n")
    place.relapse("run", "--device", "cpu")
    result = place.relapse("audit")
    assert result.code == 1
    assert "unarmed       index/labels: no run of the unfixed code has shown its symptom: relapse run --unfixed index/labels" in result.out
    place.relapse("run", "--device", "cpu", "--unfixed")
    result = place.relapse("audit", "--json", "a.json")
    assert result.code == 0, result
    assert "0 findings in 1 cases, by 2 runs from 20" in result.out
    assert json.loads((place.folder / "a.json").read_text()) == {"schema": 1, "findings": []}


def test_an_audit_names_cases_without_a_gpu_without_runs_and_that_only_skip(place):
    place.case("index/labels")
    place.case("index/needy", SMALL + "\nneeds: {memory: 900TiB, devices: [cpu]}\n")
    place.relapse("run")
    place.case("index/new")
    result = place.relapse("audit", "--today", "2026-12-01")
    assert result.code == 1
    assert "no-gpu        index/labels: no journal has it on a GPU" in result.out
    assert "only-skipped  index/needy: it has never run: needs 900 TiB of memory" in result.out
    assert "never-run     index/new: no journal knows it" in result.out
    assert "no-gpu        index/needy" not in result.out
    refused = place.relapse("audit", "--today", "soon")
    assert refused.code == 2 and '--today: expected a date such as 2026-12-01, got "soon"' in refused.err
    assert place.relapse("audit", "index/none").code == 2


def test_an_audit_needs_journals(place):
    place.case("index/labels")
    result = place.relapse("audit")
    assert result.code == 2 and ".relapse/runs: there is no such journal, and no folder with journals" in result.err
