"""Cases in quarantine still run, are reported apart, and are red again when the date has passed."""
import json

import junitparser

from conftest import SMALL, verdicts

WRONG = SMALL.replace("loss = cross_entropy_loss(logits, target)", "loss = cross_entropy_loss(logits, target) * 2.0", 1)
ENTRY = """\
relapse-quarantine: 1
cases:
  - case: {case}
    owner: ana
    link: https://example.org/issues/7
    until: {until}
"""


def quarantine(place, case="index/wrong", until="2999-12-31"):
    (place.folder / "quarantine.yaml").write_text(ENTRY.format(case=case, until=until))


def test_a_red_case_in_quarantine_runs_and_is_reported_apart(place):
    place.case("index/good")
    place.case("index/wrong", WRONG)
    quarantine(place)
    result, report = place.report("--device", "cpu", "--junit", "j.xml", "--fail-fast", "-j", "1")
    assert result.code == 0
    found = verdicts(report)
    assert found["index/wrong@cpu/corrected"] == "quarantined" and found["index/wrong@cpu/failing"] == "held"
    assert found["index/good@cpu/corrected"] == "held"
    assert "BROKEN" not in result.out
    assert "quarantined index/wrong @cpu: broken loss.same_as, in quarantine until 2999-12-31 (ana, https://example.org/issues/7)" in result.out
    assert "cpu 1 held, 1 in quarantine" in result.out
    xml = junitparser.JUnitXml.fromfile(str(place.folder / "j.xml"))
    assert xml.failures == xml.errors == 0 and xml.skipped > 0
    # the journal keeps what was seen
    again = json.loads(place.relapse("report", "--json", "-").out)
    assert verdicts(again) == found
    corrected = next(c for c in again["checks"] if c["id"] == "index/wrong@cpu/corrected")
    assert corrected["verdict"]["signature"] == "broken loss.same_as" and "2.7725887 where 1.3862944 was due" in corrected["verdict"]["seen"][0]


def test_it_is_red_again_when_the_date_has_passed(place):
    place.case("index/wrong", WRONG)
    quarantine(place, until="2020-02-29")
    result, report = place.report("--device", "cpu")
    assert result.code == 1
    assert verdicts(report)["index/wrong@cpu/corrected"] == "broken"
    assert "  reason     its quarantine ended on 2020-02-29 (ana, https://example.org/issues/7)" in result.out


def test_only_what_is_named_is_in_it(place):
    place.case("index/wrong", WRONG)
    quarantine(place, "index/wrong@cpu/batch-1")
    result, report = place.report("--device", "cpu")
    assert result.code == 1
    found = verdicts(report)
    assert found["index/wrong@cpu/batch-1"] == "quarantined" and found["index/wrong@cpu/batch-2"] == "broken"
    quarantine(place, "index/wrong@cuda")
    assert place.relapse("run", "--device", "cpu").code == 1


def test_a_run_of_nothing_but_quarantine_is_not_green(place):
    place.case("index/wrong", WRONG)
    quarantine(place)
    assert place.relapse("run", "index/wrong@cpu/batch-1").code == 77
    assert place.relapse("run", "index/wrong@cpu/batch-1", "--quarantine", "none").code == 1


def test_a_case_that_contradicts_itself_is_never_hidden(place):
    place.case("index/wrong", SMALL.replace("target: [0, 1, 2, 3]}\n  symptom", "target: [0, 1, 2, 2]}\n  symptom"))
    quarantine(place)
    assert place.relapse("run", "--device", "cpu").code == 2


def test_mistakes_of_the_file_are_exact_and_nothing_runs(place):
    place.case("index/wrong", WRONG)
    quarantine(place, until="2026-02-30")
    result = place.relapse("run", "--device", "cpu")
    assert result.code == 2
    assert ("quarantine.yaml:6:12: error: cases-1.until: expected a date such as 2026-12-31, the last day of the quarantine, "
            'got "2026-02-30"\n      until: 2026-02-30\n') in result.err.replace("\n    until", "\n      until")
    assert not (place.folder / ".relapse").exists()
    missing = place.relapse("run", "--device", "cpu", "--quarantine", "no.yaml")
    assert missing.code != 0 and "no.yaml" in missing.err


def test_an_entry_that_names_no_case_is_said(place):
    place.case("index/labels")
    quarantine(place, "index/lables")
    result = place.relapse("run", "--device", "cpu")
    assert result.code == 0 and "note: quarantine.yaml:3: index/lables names no case" in result.out


def test_resuming_keeps_what_was_put_apart(place):
    place.case("index/wrong", WRONG)
    quarantine(place)
    _, first = place.report("--device", "cpu")
    result, again = place.report("--resume")
    assert result.code == 0 and verdicts(again) == verdicts(first)
