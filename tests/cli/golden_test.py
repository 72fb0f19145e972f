"""What users see, word for word. RELAPSE_APPROVE=1 writes what is printed now; look at the difference before committing it."""
import os
import pathlib
import re

import pytest

from conftest import SMALL

GOLDEN = pathlib.Path(__file__).parent / "golden"
WRONG = SMALL.replace("loss = cross_entropy_loss(logits, target)", "loss = cross_entropy_loss(logits, target) * 2.0", 1)
MISTAKES = SMALL.replace("symptom:", "symptoms:").replace("max: C - 1}", "max: C -}").replace("seed: 7", "sead: 7") \
    .replace("expect: {rejected: target.max}", "expect: {rejected: target.maxx}").replace("dtype: int64", "dtype: int46")


def filtered(text, place):
    """Without what differs from run to run: folders, times, pids, versions of the machine."""
    text = text.replace(str(place.folder), "<folder>")
    text = re.sub(r"\.relapse/runs/\d{8}-\d{6}-\d+/", ".relapse/runs/<run>/", text)
    text = re.sub(r"\b\d+(\.\d+)? s\b", "<time>", text)
    text = re.sub(r"relapse \d+\.\d+\.\d+", "relapse <version>", text)
    text = re.sub(r"LibTorch \d+\.\d+\.\d+", "LibTorch <version>", text)
    text = re.sub(r"cpu \(\d+ cores?\)", "cpu (<n> cores)", text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def scenario(place, name):
    place.case("index/labels")
    if name == "green":
        return place.relapse("run")
    if name == "relapsed":
        return place.relapse("run", "index/labels@cpu/failing", "--unfixed")
    if name == "broken":
        place.case("numeric/doubled", WRONG)
        return place.relapse("run", "numeric/doubled@cpu/batch-1", "numeric/doubled@cpu/corrected", "-j1")
    if name == "contradiction":
        place.case("index/labels", SMALL.replace("- {N: 64, C: 4}", "- {N: 64, C: 4, inputs: {target: {full: 4}}}"))
        return place.relapse("run", "--device", "cpu", "index/labels@cpu/batch-1")
    if name == "lint":
        place.case("index/mistakes", MISTAKES)
        return place.relapse("lint")
    if name == "list":
        return place.relapse("list", "--checks", "--device", "cpu")
    if name == "show-case":
        return place.relapse("show", "index/labels")
    if name == "show-operator":
        return place.relapse("show", "aten::embedding")
    if name == "unknown-operator":
        return place.relapse("show", "embeding")
    raise AssertionError(name)


@pytest.mark.parametrize("name", ["green", "relapsed", "broken", "contradiction", "lint", "list", "show-case",
                                  "show-operator", "unknown-operator"])
def test_the_output_is_as_approved(place, name):
    result = scenario(place, name)
    shown = filtered(result.out + result.err + f"exit status {result.code}\n", place)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("RELAPSE_APPROVE"):
        path.write_text(shown)
    assert shown == path.read_text()
