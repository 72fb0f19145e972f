"""Every shipped case bites: each edit that a careless change could make turns it red, at the line that was edited.

The edits of a case: a bound of `ensures` tightened past the truth, a probed bound of `requires` off by one either way, the
guard() steps removed or the subject replaced by the unfixed one, every result zeroed.
"""
import json
import pathlib
import shutil
import subprocess

import pytest
import yaml

from conftest import RELAPSE, SOURCE, Workplace

CASES = SOURCE / "cases"
BOUNDS = {"min": ("1e30", "2 * 4611686018427387903"), "above": ("1e30", "2 * 4611686018427387903"),
          "max": ("-1e30", "-2 * 4611686018427387903"), "below": ("-1e30", "-2 * 4611686018427387903")}


def case_files():
    return sorted(p for p in CASES.rglob("*.yaml") if ".relapse" not in p.parts)


class Source:
    """A case's text with the places of its nodes."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text()
        self.root = yaml.compose(self.text, Loader=yaml.SafeLoader)
        self.id = str(path.relative_to(CASES).with_suffix(""))

    def at(self, *keys, node=None):
        node = node or self.root
        for key in keys:
            if not isinstance(node, yaml.MappingNode):
                return None
            node = next((v for k, v in node.value if k.value == key), None)
            if node is None:
                return None
        return node

    def names(self, side):
        """Names of one side of the contract with their maps of clauses, and `where` apart."""
        node = self.at("contract", side)
        return [(k.value, v) for k, v in (node.value if node else []) if k.value != "where"]

    def replaced(self, node, new):
        return self.text[:node.start_mark.index] + new + self.text[node.end_mark.index:]

    def quoted(self, node, text):
        style = node.style
        return f"{style}{text}{style}" if style in {'"', "'"} else text

    def steps(self):
        node = self.at("subject")
        return node.value if isinstance(node, yaml.SequenceNode) else []

    def step_text(self, node):
        return node.value.split(" = ")[0] if " = " in node.value else ""

    def after(self, node, line):
        """A step as a line of its own behind another one."""
        end = self.text.index("\n", node.end_mark.index) + 1
        indent = " " * (node.start_mark.column - 2)
        return self.text[:end] + f'{indent}- "{line}"\n' + self.text[end:]


def tightened_ensures(case):
    for name, clauses in case.names("ensures"):
        for kind, (real, whole) in BOUNDS.items():
            node = case.at(kind, node=clauses)
            if node is None:
                continue
            dtype = case.at("dtype", node=clauses)
            is_int = dtype is not None and "int" in str(dtype.value)
            yield (f"ensures-{name}-{kind}", case.replaced(node, whole if is_int else real), node.start_mark.line + 1,
                   [f"{name}.{kind}"])


def probed_names(case):
    boundaries = case.at("boundaries")
    if boundaries is not None and boundaries.value == "off":
        return []
    names = [n for n, _ in case.names("requires")]
    if boundaries is not None:
        return [v.value for v in boundaries.value]
    return names if "rejected" in case.text else []


def shifted_requires(case):
    probed = probed_names(case)
    for name, clauses in case.names("requires"):
        if name not in probed:
            continue
        for kind in BOUNDS:
            node = case.at(kind, node=clauses)
            if node is None:
                continue
            for way in ("+", "-"):
                text = case.quoted(node, f"{node.value} {way} 1")
                yield f"requires-{name}-{kind}{way}1", case.replaced(node, text), node.start_mark.line + 1, None


def without_fix(case):
    lines = case.text.splitlines(keepends=True)
    guards = {s.start_mark.line for s in case.steps() if s.value.startswith("guard(")}
    if guards:
        yield "no-guard", "".join(l for i, l in enumerate(lines) if i not in guards), None, None
        return
    unfixed = case.at("unfixed")
    if isinstance(unfixed, yaml.MappingNode) and not {"none", "libraries"} & {k.value for k, _ in unfixed.value}:
        text = case.text
        for key, value in reversed(unfixed.value):
            writers = [s for s in case.steps() if key.value in [t.strip() for t in case.step_text(s).split(",")]]
            assert writers, f"{case.id}: no step writes {key.value}"
            text = case.after(writers[-1], f"{key.value} = {value.value}")
        yield "unfixed", text, None, None
    elif isinstance(unfixed, yaml.SequenceNode):
        subject = case.at("subject")
        block = case.text[unfixed.start_mark.index:unfixed.end_mark.index]
        yield "unfixed", case.replaced(subject, block), None, None


def zeroed_results(case):
    last = case.steps()[-1]
    for name, clauses in case.names("ensures"):
        step = f"{name}.zero_()" if name.endswith(".grad") else f"{name} = zeros_like({name})"
        yield f"zero-{name}", case.after(last, step), None, [f"{name}.", "where."]


def edits_of(case):
    for make in (tightened_ensures, shifted_requires, without_fix, zeroed_results):
        yield from make(case)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """All edits of all cases as case files of their own, run once."""
    folder = tmp_path_factory.mktemp("edits")
    place = Workplace(folder)
    wanted = {}
    for path in case_files():
        case = Source(path)
        for extra in path.parent.iterdir():
            if extra.suffix not in {".yaml", ".md"} and extra.is_file():
                for edit in ("",):
                    target = folder / "cases" / extra.relative_to(CASES)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(extra, target)
        for name, text, line, clauses in edits_of(case):
            edited = f"{case.id}--{name}"
            place.case(edited, text)
            wanted[edited] = (case.id, name, line, clauses)
    result, report = place.report("--device", "cpu", "-q", timeout=1500)
    assert report is not None, result
    return wanted, report


def red_checks(report, case):
    return [c for c in report["checks"] if c["case"] == case and c["verdict"]["kind"] not in
            {"held", "skipped", "left_out", "not_run"}]


@pytest.mark.parametrize("path", case_files(), ids=lambda p: str(p.relative_to(CASES).with_suffix("")))
def test_every_edit_turns_the_case_red_at_its_line(path, outcome):
    wanted, report = outcome
    own = str(path.relative_to(CASES).with_suffix(""))
    broken = {b["id"]: b["messages"] for b in report["broken_files"]}
    skipped = {c["case"] for c in report["checks"] if c["verdict"]["kind"] == "skipped"}
    missed = []
    for edited, (case, name, line, clauses) in wanted.items():
        if case != own or edited in skipped:
            continue
        if edited in broken:
            # Reading already tells it: nothing could refuse any more, or the range is empty. That is red, at a line as well.
            told = "\n".join(broken[edited])
            if name == "no-guard":
                assert "nothing in the subject can refuse" in told, told
            else:
                assert name.startswith("requires-") and f".yaml:{line}:" in told, told
            continue
        red = red_checks(report, edited)
        if not red:
            missed.append(f"{name}: nothing turned red")
        elif line and not any(line in (c["verdict"].get("line"), c.get("line")) for c in red):
            missed.append(f"{name}: red, but at lines {sorted({c['verdict'].get('line') for c in red})}, not {line}")
        elif clauses and not any(c["verdict"].get("clause", "").startswith(tuple(clauses)) for c in red):
            missed.append(f"{name}: red by {sorted({c['verdict'].get('clause') for c in red})}, not by {clauses}")
    assert not missed, "\n".join(missed)


def test_the_corpus_is_large_enough_and_diverse():
    cases = [Source(p) for p in case_files()]
    assert len(cases) >= 24
    labels = {l.value for c in cases for l in (c.at("labels").value if c.at("labels") else [])}
    assert len(labels) >= 12
