"""The GitHub Action: its files against the vendored schemas, and its own steps run here with the runner's files in place."""
import json
import os
import pathlib
import re
import subprocess

import jsonschema
import junitparser
import pytest
import yaml

from conftest import RELAPSE, SMALL, SOURCE

CI = SOURCE / "ci"
SCHEMAS = SOURCE / ".relapse" / "readers" / "check_jsonschema" / "builtin_schemas" / "vendor"
WRONG = SMALL.replace("loss = cross_entropy_loss(logits, target)", "loss = cross_entropy_loss(logits, target) * 2.0", 1)
WORKFLOWS = sorted([*(SOURCE / ".github" / "workflows").glob("*.yml"), *(CI / "examples").glob("*.yml")])


class Loader(yaml.SafeLoader):
    """YAML 1.2 as GitHub reads it: `on` is a word."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


def load(path):
    return yaml.load(path.read_text(), Loader)


def schema(name):
    path = SCHEMAS / f"{name}.json"
    assert path.exists(), f"no {path}: run ./ci/setup, which installs it"
    return json.loads(path.read_text())


def steps_of(document):
    if "runs" in document:
        return document["runs"]["steps"]
    return [step for job in document["jobs"].values() for step in job["steps"]]


def test_the_action_is_valid():
    jsonschema.validate(load(CI / "action.yml"), schema("github-actions"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_workflows_are_valid_read_only_and_of_known_actions(path):
    workflow = load(path)
    jsonschema.validate(workflow, schema("github-workflows"))
    assert workflow["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in workflow["on"]
    assert "secrets." not in path.read_text()
    for name, job in workflow["jobs"].items():
        assert "timeout-minutes" in job, name
        if "self-hosted" in job["runs-on"] and "needs" not in job:
            assert "head.repo.full_name == github.repository" in job["if"], "code of forks stays off self-hosted runners"
    for step in steps_of(workflow):
        if "uses" in step:
            assert re.fullmatch(r"(actions/(checkout|cache|upload-artifact|download-artifact)@v4|\./ci|OWNER/relapse/ci@v0)", step["uses"])
            if step["uses"].startswith("actions/checkout"):
                assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("path", [CI / "action.yml", *WORKFLOWS], ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_expression_is_spliced_into_shell_text(path):
    for step in steps_of(load(path)):
        assert "${{" not in step.get("run", ""), step


def test_a_workflow_with_a_mistake_is_found():
    workflow = load(WORKFLOWS[0])
    workflow["jobs"][next(iter(workflow["jobs"]))]["runs_on"] = "ubuntu-latest"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(workflow, schema("github-workflows"))


def test_the_scripts_have_no_finding_of_shellcheck():
    done = subprocess.run(["shellcheck", *[CI / name for name in ("action_plan", "action_build", "action_run")]],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


class Runner:
    """As much of a runner as the action's steps meet: expressions, env, files for outputs and the summary."""

    def __init__(self, place, strategy=None, action=CI):
        self.place, self.folder, self.action = place, place.folder, action
        self.context = {"strategy.job-index": "0", "strategy.job-total": "1", "runner.os": "Linux", "runner.arch": "X64"}
        self.context.update(strategy or {})
        self.log, self.used, self.outputs = "", [], {}
        self.summary = place.folder / "summary.md"

    def value(self, text):
        return re.sub(r"\$\{\{\s*([\w.-]+)\s*\}\}", lambda m: self.context.get(m.group(1), ""), str(text))

    def wanted(self, step):
        condition = step.get("if")
        if condition is None:
            return True
        found = re.fullmatch(r"([\w.-]+) == '([^']*)'", condition)
        assert found, condition
        return self.context.get(found.group(1), "") == found.group(2)

    def run(self, **inputs):
        document = load(self.action / "action.yml")
        assert set(inputs) <= {k.replace("-", "_") for k in document["inputs"]}
        for name, about in document["inputs"].items():
            self.context[f"inputs.{name}"] = inputs.get(name.replace("-", "_"), about["default"])
        code = 0
        for step in document["runs"]["steps"]:
            if not self.wanted(step):
                continue
            if "uses" in step:
                self.used.append(step["uses"])
                continue
            code = self.step(step)
            if code != 0:
                break
        self.outputs = {name: self.value(about["value"]) for name, about in document["outputs"].items()}
        return code

    def step(self, step):
        assert step["shell"] == "bash"
        output = self.folder / f"output-{step.get('id', 'x')}"
        output.write_text("")
        env = self.place.environment(GITHUB_OUTPUT=str(output), GITHUB_STEP_SUMMARY=str(self.summary), GITHUB_ACTIONS="true",
                                     GITHUB_WORKSPACE=str(self.folder), GITHUB_ACTION_PATH=str(self.action), CI="true",
                                     **{k: self.value(v) for k, v in step.get("env", {}).items()})
        script = self.folder / "step.sh"
        script.write_text(step["run"])
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)], cwd=self.folder, env=env,
                              capture_output=True, text=True, timeout=1800, stdin=subprocess.DEVNULL)
        self.log += done.stdout + done.stderr
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            self.context[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode


def test_the_steps_run_the_cases_and_give_outputs_a_summary_and_reports(place):
    place.case("index/labels")
    runner = Runner(place)
    assert runner.run(relapse=RELAPSE, devices="cpu") == 0, runner.log
    assert runner.used == []
    out = runner.outputs
    assert (out["verdict"], out["exit-code"], out["held"], out["red"], out["skipped"], out["not-run"], out["quarantined"]) == \
        ("held", "0", "15", "0", "0", "0", "0")
    assert pathlib.Path(out["journal"]).name == "journal.jsonl" and pathlib.Path(out["journal"]).exists()
    assert junitparser.JUnitXml.fromfile(out["junit"]).tests == 15
    assert json.loads(pathlib.Path(out["json"]).read_text())["totals"]["held"] == 15
    assert "held" in runner.summary.read_text()


def test_a_red_case_fails_the_step_with_annotations_and_counts(place):
    place.case("index/good")
    place.case("index/wrong", WRONG)
    runner = Runner(place)
    assert runner.run(relapse=RELAPSE, devices="cpu", sarif="s.sarif") == 1
    assert re.search(r"^::error file=cases/index/wrong\.yaml,line=\d+", runner.log, re.M)
    assert (runner.outputs["verdict"], runner.outputs["red"]) == ("failed", "9") or int(runner.outputs["red"]) > 0
    report = json.loads((place.folder / ".relapse/junit.json").read_text())
    assert int(runner.outputs["red"]) == report["totals"]["broken"]
    assert "index/wrong" in runner.summary.read_text()
    assert (place.folder / "s.sarif").exists()


HOSTILE = ["$(touch pwned)", "`touch pwned`", "'; touch pwned; '", '"; touch pwned; "', "a b", "*", "--junit=pwned", "$HOME", "&& touch pwned"]


@pytest.mark.parametrize("text", HOSTILE)
def test_inputs_are_words_and_never_shell(place, text):
    place.case("index/labels")
    runner = Runner(place)
    code = runner.run(relapse=RELAPSE, devices="cpu", paths=f"index/labels\n  {text}  ")
    assert code == (0 if text == "*" else 2), runner.log
    if text != "*":
        assert f'relapse: "{text}" is no id, label, path or pattern of a case' in runner.log
    for name in ("devices", "require", "cases", "times"):
        runner = Runner(place)
        assert runner.run(relapse=RELAPSE, **{"devices": "cpu", name: text}) not in (0, 127) or (name, text) == ("cases", "*"), (name, runner.log)
    assert not (place.folder / "pwned").exists()


@pytest.mark.parametrize("name, value, message", [
    ("shard", "1/2; touch pwned", "expected k/n such as 2/5, matrix, auto or none"), ("deadline", "soon", "expected seconds, a number"),
    ("allow_skipped", "yes", "expected true or false"), ("working_directory", "no/such", "there is no such folder"),
    ("relapse", "no-such-program", "there is no such program")])
def test_inputs_of_another_type_are_refused_before_anything_runs(place, name, value, message):
    place.case("index/labels")
    runner = Runner(place)
    assert runner.run(**{"relapse": RELAPSE, name: value}) == 2
    assert f"::error title=relapse: input {name.replace('_', '-')}::{message}" in runner.log
    assert not (place.folder / ".relapse").exists() and not (place.folder / "pwned").exists()


def test_arguments_are_one_a_line(place):
    place.case("index/labels")
    runner = Runner(place)
    assert runner.run(relapse=RELAPSE, devices="cpu", args="--repeat=2\n\n-j\n1\n", paths="index/labels@cpu/failing") == 0, runner.log
    report = json.loads(pathlib.Path(runner.outputs["json"]).read_text())
    assert len(report["attempts"]) == 2


def test_a_run_that_only_skips_is_an_error_unless_it_is_allowed(place):
    place.case("index/labels")
    strict, lenient = Runner(place), Runner(place)
    assert strict.run(relapse=RELAPSE, devices="cuda") == 77
    assert lenient.run(relapse=RELAPSE, devices="cuda", allow_skipped="true") == 0
    assert strict.outputs["verdict"] == lenient.outputs["verdict"] == "skipped"


def test_a_matrix_divides_the_cases_and_its_journals_merge(place):
    for i in range(5):
        place.case(f"index/case-{i}")
    shares = []
    for index in range(2):
        runner = Runner(place, {"strategy.job-index": str(index), "strategy.job-total": "2"})
        assert runner.run(relapse=RELAPSE, devices="cpu", shard="matrix", journal="journals") == 0, runner.log
        shares.append(int(runner.outputs["held"]))
    assert sum(shares) == 75
    merged = place.relapse("report", "--merge", "journals")
    assert merged.code == 0 and "cpu 5 held" in merged.out


def test_wrong_usage_is_told_and_its_outputs_say_so(place):
    runner = Runner(place)
    assert runner.run(relapse=RELAPSE, devices="cpu", args="--no-such-option") == 2
    assert (runner.outputs["verdict"], runner.outputs["held"], runner.outputs["junit"]) == ("usage", "0", "")
    assert "::error title=relapse ended with 2::it wrote no report; its last lines say why" in runner.log


def test_without_a_program_it_is_built_and_cached(place):
    runner = Runner(place)
    plan = load(CI / "action.yml")["runs"]["steps"][0]
    for name, about in load(CI / "action.yml")["inputs"].items():
        runner.context[f"inputs.{name}"] = about["default"]
    assert runner.step(plan) == 0, runner.log
    assert runner.context["steps.plan.outputs.build"] == "true"
    assert runner.context["steps.plan.outputs.root"] == str(SOURCE)
    key = runner.context["steps.plan.outputs.cache"]
    assert re.fullmatch(r"[a-z0-9.]+-(cpu|cuda)-[0-9a-f]{16}-[0-9a-f]{8}", key)
    runner.context["inputs.torch"] = "/another"
    assert runner.step(plan) == 0 and runner.context["steps.plan.outputs.cache"] != key
    build, cache = (load(CI / "action.yml")["runs"]["steps"][i] for i in (2, 1))
    assert runner.wanted(build) and runner.wanted(cache)
