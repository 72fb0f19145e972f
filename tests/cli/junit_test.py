"""JUnit, read by a reader that is not ours."""
import junitparser

from conftest import SMALL
from death_test import CRASH


def junit(place, *words):
    path = place.folder / "junit.xml"
    result = place.relapse("run", *words, "--junit", path)
    return result, junitparser.JUnitXml.fromfile(str(path))


def cases_of(xml):
    return {f"{case.classname}/{case.name}": case for suite in xml for case in suite}


def kinds(case):
    return [type(r).__name__ for r in case.result]


def test_a_green_run_has_a_suite_for_each_case_and_no_result(place):
    place.case("index/labels")
    result, xml = junit(place, "--device", "cpu")
    assert result.code == 0
    assert (xml.tests, xml.failures, xml.errors, xml.skipped) == (15, 0, 0, 0)
    suite = next(iter(xml))
    assert suite.name == "index/labels@cpu"
    assert {p.name: p.value for p in suite.properties()}["incident"] == "https://example.com/incidents/273"
    assert all(kinds(c) == [] for c in cases_of(xml).values())


def test_failures_errors_and_skips_are_told_apart(place):
    place.case("index/wrong", SMALL.replace("loss = cross_entropy_loss(logits, target)", "loss = cross_entropy_loss(logits, target) * 2.0", 1))
    place.case("index/contradicts", SMALL.replace("target: [0, 1, 2, 3]}\n  symptom", "target: [0, 1, 2, 2]}\n  symptom"))
    place.case("index/unreadable", SMALL.replace("symptom:", "symptoms:"))
    result, xml = junit(place)
    cases = cases_of(xml)
    assert result.code == 2
    assert kinds(cases["index/wrong@cpu/corrected"]) == ["Failure"]
    assert kinds(cases["index/contradicts@cpu/failing"]) == ["Error"]
    assert kinds(cases["index/unreadable/reading"]) == ["Error"]
    assert kinds(cases["index/wrong@cuda/corrected"]) == ["Skipped"]
    assert cases["index/wrong@cuda/corrected"].result[0].message == "skipped: no NVIDIA driver here"
    failure = cases["index/wrong@cpu/corrected"].result[0]
    assert failure.message.startswith("BROKEN: 2.7725887 where 1.3862944 was due (off by 100 %")
    assert failure.type == "broken loss.same_as"
    assert "rerun      relapse run index/wrong@cpu/corrected" in failure.text


def test_a_crash_is_an_error_with_the_last_step(place):
    place.case("numeric/smallest", CRASH.replace("symptom: {cpu: {fault: crash, signal: [SIGFPE]}}", ""))
    result, xml = junit(place, "--device", "cpu")
    case = cases_of(xml)["numeric/smallest@cpu/failing"]
    assert result.code == 1 and kinds(case) == ["Error"]
    assert "died by SIGFPE" in case.result[0].text
    assert "div(x, by, rounding_mode='trunc')" in case.result[0].text


def test_titles_with_markup_and_control_characters_stay_readable(place):
    place.case("index/odd", SMALL.replace("title: A class id", 'title: "A <class> & \\"id\\" \\a"\n# A class id'))
    _, xml = junit(place, "--device", "cpu")
    title = {p.name: p.value for p in next(iter(xml)).properties()}["title"]
    assert title == 'A <class> & "id" '
