"""The sample cases of the format hold check by check and probe by probe as an independent interpreter of it found."""
import json

from conftest import SOURCE

SAMPLES = SOURCE / "tests" / "data" / "format"
EXPECTED = {e["case"]: e for e in json.loads((SOURCE / "tests" / "data" / "format-expected.json").read_text())}
PROBES = {"boundary", "violation"}


def test_every_sample_gives_what_the_other_interpreter_gave(place):
    result, report = place.report(SAMPLES, "--device", "cpu", "-q")
    found = {}
    for check in report["checks"]:
        counts = found.setdefault(check["case"], {"checks": 0, "probes": 0, "other": set()})
        kind = check["verdict"]["kind"]
        if kind == "held":
            counts["probes" if check["kind"] in PROBES else "checks"] += 1
        elif kind != "left_out":
            counts["other"].add(kind)
    python = {b["id"] for b in report["broken_files"]}
    assert {i.split("/")[-1] for i in python} == {"app-hf-resize-forgotten", "app-nnunet-minus1", "app-trl-dpo-fp16"}
    assert all("is read but not executed" in b["messages"][0] for b in report["broken_files"])
    assert len(found) == 30
    for case, expected in EXPECTED.items():
        if case in python:
            continue
        counts = found[case]
        if expected["checks"] == 0:
            assert counts["other"] == {"skipped"}, case
            continue
        assert (counts["checks"], counts["probes"], counts["other"]) == (expected["checks"], expected["probes"], set()), case
    assert result.code == 2  # for the three that are refused by name
