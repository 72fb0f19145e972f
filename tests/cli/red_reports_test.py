"""Thirty red cases of every kind, in every report, each read by readers that are not ours."""
import collections
import json
import pathlib
import re

import junitparser
import jsonschema
import pytest
from lxml import etree

import red_corpus
from conftest import READERS, SMALL, SOURCE

if not (READERS / "sarif").is_dir():
    raise RuntimeError(f"no report readers in {READERS}: run ./ci/setup, which installs them")

import sarif_kit  # noqa: E402
from junit2htmlreport import parser as junit2html  # noqa: E402
from sarif import loader as sarif_tools  # noqa: E402
from sarif.operations import csv_op, summary_op  # noqa: E402

ERRORS = {"timed_out", "no_verdict", "case_error"}


class Red:
    pass


@pytest.fixture(scope="module")
def red(tmp_path_factory):
    """One run of the corpus with every report."""
    folder = tmp_path_factory.mktemp("red")
    run = Red()
    run.folder = folder
    run.expected = red_corpus.write(folder)
    (folder / "summary.md").write_text("# another step\n")
    run.done = red_corpus.run(folder, "--json", "r.json", "--junit", "j.xml", "--sarif", "s.sarif", "--github",
                              env={"GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_WORKSPACE": str(folder.parent)})
    run.report = json.loads((folder / "r.json").read_text())
    run.red = [c for c in run.report["checks"] if c["verdict"]["kind"] not in {"held", "skipped", "not_run", "left_out"}]
    run.mistakes = run.report["broken_files"][0]["messages"]
    return run


def test_thirty_cases_are_red_each_in_its_way(red):
    assert red.done.returncode == 2
    found = {c["case"]: c["verdict"]["kind"] for c in red.report["checks"] if c["kind"] == "failing"}
    assert found == red.expected
    assert len(red.expected) + len(red.report["broken_files"]) == 30
    assert set(red.expected.values()) == {"relapsed", "faulted", "broken", "timed_out", "no_verdict", "case_error", "unstable"}


def test_a_report_from_the_journal_is_the_report_of_the_run(red):
    again = red_corpus.report(red.folder, red.report["journal"], "--json", "r2.json", "--junit", "j2.xml", "--sarif", "s2.sarif")
    assert again.returncode == 2
    for name in ("j.xml", "s.sarif", "r.json"):
        one, two = ((red.folder / f).read_text() for f in (name, name.replace(".", "2.")))
        assert one == two, name


# ---- JUnit

def test_junit_is_of_the_documented_structure(red):
    schema = etree.XMLSchema(etree.parse(str(SOURCE / "tests" / "data" / "junit.xsd")))
    schema.assertValid(etree.parse(str(red.folder / "j.xml")))


def test_junitparser_reads_every_check(red):
    xml = junitparser.JUnitXml.fromfile(str(red.folder / "j.xml"))
    kinds = collections.Counter(type(r).__name__ for suite in xml for case in suite for r in case.result)
    failed = [c for c in red.red if not is_error(c)]
    assert kinds["Failure"] == len(failed) == xml.failures
    assert kinds["Error"] == len(red.red) - len(failed) + len(red.report["broken_files"]) == xml.errors
    assert xml.tests == len(red.report["checks"]) + 1


def is_error(check):
    verdict = check["verdict"]
    return verdict["kind"] in ERRORS or verdict.get("fault") == "crash" and verdict["kind"] == "faulted"


def test_junit2html_reads_every_check(red):
    read = junit2html.Junit(filename=str(red.folder / "j.xml"))
    cases = [case for suite in read.suites for klass in suite.classes.values() for case in klass.cases]
    assert len(cases) == len(red.report["checks"]) + 1
    assert sum(1 for case in cases if case.failed()) == len(red.red) + 1
    assert "<html" in read.html()


def test_crashes_and_time_outs_are_errors_with_the_last_output(red):
    tree = etree.parse(str(red.folder / "j.xml"))
    printed = [e for e in tree.iter("testcase") if e.get("name") == "failing:print"]
    error = printed[0].find("error")
    assert error.get("message").startswith("TIMED OUT: ")
    assert "written, the first and the last part are kept" in error.text
    assert "##[error]also" in printed[0].findtext("system-err")
    crash = next(e for e in tree.iter("testcase") if e.get("name") == "failing:crash" and e.find("error") is not None)
    assert "died by SIGSEGV" in crash.find("error").text


def test_attempts_are_told_as_surefire_tells_them(red):
    tree = etree.parse(str(red.folder / "j.xml"))
    unstable = next(e for e in tree.iter("testcase") if e.get("name") == "failing:turn")
    assert [e.tag for e in unstable] == ["failure", "flakyFailure"]
    assert unstable.find("flakyFailure").get("message") == "BROKEN: 0 where 1 was due"
    again = next(e for e in tree.iter("testcase") if e.get("name") == "failing:raise")
    assert [e.tag for e in again] == ["failure", "rerunFailure"]
    assert again.find("rerunFailure").findtext("stackTrace").startswith("round 2, ")
    crash = next(e for e in tree.iter("testcase") if e.get("name") == "failing:exit")
    assert [e.tag for e in crash] == ["error", "rerunError"]


# ---- SARIF

def test_sarif_is_of_the_standards_schema(red):
    schema = json.loads((pathlib.Path(sarif_kit.__file__).parent / "schema" / "sarif-2.1.0.json").read_text())
    jsonschema.validators.validator_for(schema)(schema).validate(json.loads((red.folder / "s.sarif").read_text()))


def test_sarif_tools_reads_it_in_full(red):
    files = sarif_tools.load_sarif_files(str(red.folder / "s.sarif"))
    records = files.get_records()
    assert len(records) == files.get_result_count() == len(red.red) + len(red.mistakes)
    assert {r["Severity"] for r in records} == {"error"}
    codes = collections.Counter(r["Code"] for r in records)
    wanted = collections.Counter(c["verdict"]["kind"] for c in red.red)
    wanted["broken_file"] = len(red.mistakes)
    assert codes == wanted
    # The clause's line in the YAML, not the check's.
    wrong = next(c for c in red.red if c["check"] == "failing:wrong")
    assert wrong["verdict"]["line"] == 20
    assert ("cases/by/" + wrong["case"][3:] + ".yaml", 20) in {(r["Location"], int(r["Line"])) for r in records}
    csv_op.generate_csv(files, str(red.folder / "s.csv"), False)
    assert (red.folder / "s.csv").read_text().count("IncidentIsBack") + (red.folder / "s.csv").read_text().count("relapsed") > 0
    summary_op.generate_summary(files, str(red.folder / "s.txt"), False)
    assert (red.folder / "s.txt").read_text().startswith(f"\nerror: {len(records)}")


def test_sarif_fingerprints_survive_another_run_and_tell_checks_apart(red):
    results = json.loads((red.folder / "s.sarif").read_text())["runs"][0]["results"]
    prints = [r["partialFingerprints"]["relapseCheck/v1"] for r in results]
    assert len(set(prints)) == len(prints)
    red_corpus.run(red.folder, "-q", "--sarif", "again.sarif", "by/red-02-relapsed", "by/red-03-faulted")
    again = json.loads((red.folder / "again.sarif").read_text())["runs"][0]["results"]
    assert len(again) == 2
    assert {r["partialFingerprints"]["relapseCheck/v1"] for r in again} <= set(prints)


# ---- what the worker says

def test_the_worker_says_where_and_how_far_tensors_differ(place):
    place.case("index/diagonal", SMALL.replace("target)\n\ncontract", "target)\n  - probs = softmax(logits, 1) + eye(N, C) * 0.5\n\ncontract")
               .replace("  ensures:\n", "  ensures:\n    probs: {same_as: \"softmax(logits, 1)\"}\n"))
    _, report = place.report("index/diagonal@cpu/batch-1")
    breach = report["checks"][0]["observation"]["broken"][0]
    assert breach["clause"] == "probs.same_as"
    picture = breach["picture"]
    assert picture["shape"] == [64, 4] and picture["grid"] == [32, 4] and picture["decade"] == -1 and picture["errors"] == [4]
    # Two rows a cell: the diagonal of the first four rows.
    assert {i: c for i, c in enumerate(picture["counts"]) if c} == {0: 1, 1: 1, 6: 1, 7: 1}


# ---- GitHub

COMMAND = re.compile(r"^::(\w+) ([^:]*)::(.*)$")


def commands(text):
    """The workflow commands in a log, as the runner takes them: also behind blanks, and none while they are stopped."""
    found, stopped = [], None
    for line in text.splitlines():
        line = line.lstrip()
        if stopped:
            stopped = None if line == f"::{stopped}::" else stopped
        elif line.startswith("::stop-commands::"):
            stopped = line[len("::stop-commands::"):]
        elif line.startswith("::") or "##[" in line:
            match = COMMAND.match(line)
            assert match, line
            properties = dict(pair.split("=", 1) for pair in match[2].split(","))
            found.append((match[1], {k: decoded(v) for k, v in properties.items()}, decoded(match[3])))
    assert stopped is None
    return found


def decoded(text):
    for code, char in (("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


def test_ten_annotations_the_most_important_first_and_the_last_says_how_many_more(red):
    found = commands(red.done.stdout)
    assert len(found) == 10 and {level for level, _, _ in found} == {"error"}
    assert all(p["title"].startswith("RELAPSED: ") for _, p, _ in found[:9])
    more = len(red.red) + len(red.mistakes) + 1 - 9  # one warning says what was not run
    assert found[9][1] == {"title": f"{more} more"}
    assert found[9][2] == (f"GitHub shows 10 annotations of a step; {more} more are in the job summary and in the journal: "
                           f"relapse report {red.report['journal']}")
    first = found[0]
    assert first[1]["file"] == f"{red.folder.name}/cases/by/red-02-relapsed.yaml" and first[1]["line"] == "22"
    assert first[2].startswith("the incident of 2018-12-14 is back: https://example.com/incidents/2\npromised  ")
    assert "rerun     relapse run by/red-02-relapsed@cpu/failing:raise" in first[2]


def test_annotations_from_the_journal_are_those_of_the_run(red):
    again = red_corpus.report(red.folder, red.report["journal"], "--github", env={"GITHUB_WORKSPACE": str(red.folder.parent)})
    assert commands(again.stdout) == commands(red.done.stdout)
    assert again.stderr == ""


def test_what_a_child_prints_is_no_command(red):
    assert "::error::printed by a child" in red.done.stdout
    assert not any("printed by a child" in message for _, _, message in commands(red.done.stdout))
    token = re.findall(r"^::stop-commands::([0-9a-f]{32})$", red.done.stdout, re.M)
    assert len(token) == 1


def test_the_summary_has_failures_first_and_stays_below_the_limit(red):
    text = (red.folder / "summary.md").read_text()
    assert text.startswith("# another step\n## relapse: ")
    assert len(text.encode()) < 1000 * 1024
    assert text.index("### Red") < text.index("### Not run")
    headings = re.findall(r"^#### (RELAPSED|FAULTED|TIMED OUT|BROKEN FILE|BROKEN|UNSTABLE|NO VERDICT|CASE ERROR) ", text, re.M)
    assert len(headings) == len(red.red) + 1
    assert headings[0] == "RELAPSED"
    # The title of one case is full of markup.
    assert "<script>" not in text.replace("```text", "") or inside_fences_only(text, "<script>")
    assert "javascript:" not in re.findall(r"\]\(<([^>]*)>\)", text)


def inside_fences_only(text, part):
    outside, fence = [], None
    for line in text.splitlines():
        mark = re.match(r"`{3,}", line)
        if mark and fence is None:
            fence = mark[0]
        elif fence is not None and line == fence:
            fence = None
        elif fence is None:
            outside.append(line)
    return part not in "\n".join(outside)


def test_a_summary_that_cannot_be_written_is_told_and_is_not_success(red):
    done = red_corpus.run(red.folder, "by/red-02-relapsed@cpu/hold-2", "-q", "--github",
                          env={"GITHUB_STEP_SUMMARY": "/no/such/folder/summary.md"})
    assert done.returncode == 3
    assert done.stderr == ("relapse: cannot append the job summary to /no/such/folder/summary.md (GITHUB_STEP_SUMMARY): "
                           "No such file or directory\n")


def test_a_full_summary_is_left_alone(red):
    path = red.folder / "full.md"
    path.write_bytes(b"x" * (1000 << 10))
    done = red_corpus.run(red.folder, "by/red-02-relapsed@cpu/hold-2", "-q", "--github", env={"GITHUB_STEP_SUMMARY": str(path)})
    assert done.returncode == 0
    assert done.stderr == "relapse: the job summary already holds 1024000 bytes: nothing was added to it\n"
    assert path.stat().st_size == 1000 << 10


def test_reports_that_would_overwrite_one_another_are_refused(red):
    done = red_corpus.run(red.folder, "--sarif", "x", "--json", "x")
    assert done.returncode == 2
    assert done.stderr == "relapse: --json and --sarif name the same file: one report would be lost\n"
    done = red_corpus.report(red.folder, red.report["journal"], "--github", "--junit", "-")
    assert done.returncode == 2
    assert done.stderr == "relapse: --junit - and --github both write to standard output: name a file for --junit\n"
