"""`relapse lint` as users run it: findings, what silences them, exit codes, JSON, explanations."""
import json
import pathlib
import struct

import jsonschema
import pytest
import yaml
from conftest import SMALL, SOURCE

UNUSED = SMALL.replace("    target: {dtype", "    weight: {dtype: float32, shape: [C]}\n    target: {dtype")


def test_a_clean_case_is_green(place):
    place.case("index/labels")
    result = place.relapse("lint", "--strict")
    assert (result.code, result.out) == (0, "1 file clean\n")


def test_a_warning_is_shown_with_its_rule(place):
    place.case("index/labels", UNUSED)
    result = place.relapse("lint")
    assert result.code == 0
    assert result.out == (
        'cases/index/labels.yaml:18:5: warning: the input "weight" is made and checked, but nothing uses it   [unused-input]\n'
        "    weight: {dtype: float32, shape: [C]}\n"
        "    ^~~~~~ hand it to a step, or take it out\n"
        "0 errors, 1 warning in 1 of 1 file\n")
    assert place.relapse("lint", "--strict").code == 1


def test_a_silence_with_a_reason_is_counted(place):
    place.case("index/labels", UNUSED + "lint: {unused-input weight: the caller hands it over}\n")
    result = place.relapse("lint", "--strict")
    assert (result.code, result.out) == (0, "1 file clean, 1 silenced\n")


def test_a_broken_file_is_wrong_usage_with_or_without_warnings(place):
    place.case("index/labels", UNUSED)
    place.case("index/broken", SMALL.replace("title:", "titel:"))
    assert place.relapse("lint").code == 2
    assert place.relapse("lint", "--strict").code == 2


def test_json_has_findings_and_what_is_silenced(place):
    place.case("index/labels", UNUSED + "lint: {unused-input: the caller hands it over}\n")
    place.case("index/other", UNUSED)
    result = place.relapse("lint", "--json")
    report = json.loads(result.out)
    finding = {"severity": "warning", "rule": "unused-input", "line": 18, "column": 5, "length": 6,
               "message": 'the input "weight" is made and checked, but nothing uses it',
               "hint": "hand it to a step, or take it out"}
    assert report == {
        "schema": 1, "errors": 0, "warnings": 1,
        "files": [{"file": "cases/index/labels.yaml", "id": "index/labels", "findings": [],
                   "silenced": [{**finding, "reason": "the caller hands it over"}]},
                  {"file": "cases/index/other.yaml", "id": "index/other", "findings": [finding], "silenced": []}]}


def test_explain_lists_rules_and_explains_one(place):
    listed = place.relapse("lint", "--explain")
    assert listed.code == 0
    ids = [line.split()[0] for line in listed.out.splitlines()]
    assert "unused-input" in ids
    reference = (SOURCE / "docs" / "lint.md").read_text()
    for rule in ids:
        result = place.relapse("lint", "--explain", rule)
        assert result.code == 0
        head, summary, _, *rest = result.out.split("\n")
        assert head.startswith(rule + " (")
        assert f"## {rule}\n\n{summary}\n\n" + "\n".join(rest) in reference


def test_explain_of_an_unknown_rule_names_the_nearest(place):
    result = place.relapse("lint", "--explain", "unused-inputs")
    assert result.code == 2
    assert result.err == ('relapse: no rule is called "unused-inputs"; did you mean "unused-input"?: '
                          "relapse lint --explain lists them\n")


def test_the_editor_schema_knows_the_rules():
    schema = json.loads((SOURCE / "docs" / "case.schema.json").read_text())
    case = yaml.safe_load(UNUSED.replace("date: 2018-12-14", "date: '2018-12-14'"))
    jsonschema.validate({**case, "lint": {"unused-input weight": "why", "mutant loss.off": "why"}}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**case, "lint": {"unused-inputs": "why"}}, schema)


@pytest.mark.parametrize("path", sorted(str(p.relative_to(SOURCE)) for p in (SOURCE / "cases").rglob("*.yaml")))
def test_no_shipped_case_has_a_finding(place, path):
    result = place.relapse("lint", "--strict", pathlib.Path(SOURCE, path))
    assert result.code == 0, result


def npy(values):
    """A version 1 file of int64, without NumPy."""
    header = "{'descr': '<i8', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<%dq" % len(values), *values)


def test_files_beside_the_case_are_read(place):
    text = SMALL.replace("  - {N: 64, C: 4}", "  - {N: 2, C: 4, inputs: {target: {file: labels.npy}}}")
    assert text != SMALL
    case = place.case("index/labels", text)
    result = place.relapse("lint")
    assert result.code == 2
    assert 'error: the input target: "labels.npy" is not there: No such file or directory   [stored-file]' in result.out
    (case.parent / "labels.npy").write_bytes(npy([3, 4]))
    result = place.relapse("lint")
    assert result.code == 2
    assert "error: the input of batch-1 breaks target.max: C - 1 = 3, but target[1] = 4   [batch-input]" in result.out
    (case.parent / "labels.npy").write_bytes(npy([3, 0]))
    assert place.relapse("lint", "--strict").code == 0
    (case.parent / "labels.npy").write_bytes(b"no array")
    assert 'error: the input target: "labels.npy" cannot be read: ' in place.relapse("lint").out
