"""Case files of strangers with --data-only: each gets a clear refusal or a verdict, and nothing outside of its child is touched."""
import json
import os

import pytest

from conftest import SMALL, verdicts

ONE = SMALL.replace("  - guard()\n  - loss = cross_entropy_loss(logits, target)", "  - guard()\n  - loss = cross_entropy_loss(logits, target)\n{more}")


def step(text):
    return ONE.replace("{more}", f"  - extra = {text}")


def inputs(text):
    return SMALL.replace("inputs: {logits: zeros, target: [0, 1, 2, 3]}\n\nbatches",
                         f"inputs: {{logits: {text}, target: [0, 1, 2, 3]}}\n\nbatches")


BATCHES = "batches:\n  - {N: 64, C: 4}\n  - {N: 33, C: 2, seed: 7}\n"

# What is refused before anything runs: exit 2, with the reason.
REFUSED = {
    "library": (SMALL.replace("labels: [index, loss]\n", "labels: [index, loss]\nlibraries: [evil.so]\n"), "`libraries` is refused by --data-only"),
    "unfixed-library": (SMALL.replace("contract:", "unfixed: {libraries: [evil.so]}\n\ncontract:"),
                        "`unfixed: {libraries: ...}` is refused by --data-only"),
    "absolute-path": (inputs("{file: /etc/passwd.npy}"), "the file"),
    "path-above": (inputs("{file: ../../../etc/passwd.npy}"), "the file"),
    "link": (inputs("{file: link.npy}"), 'the file "link.npy" outside of the case\'s folder is refused by --data-only'),
    "link-to-folder": (inputs("{file: up/secret.npy}"), 'the file "up/secret.npy" outside of the case\'s folder'),
    "alias-bomb": ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "anchor"),
    "deep": ("relapse: " + "[" * 5000, "deep"),
    "huge-dims": (SMALL.replace("dims: {N: 4, C: 3}", "dims: {N: 4000000000000, C: 4000000000000}"), "elements"),
    "many-combinations": (SMALL.replace(BATCHES, "batches:\n  - {N: [" + ", ".join(map(str, range(1, 400))) + "], C: [" +
                                        ", ".join(map(str, range(2, 400))) + "]}\n  - {}\n"), "combinations"),
    "python": (SMALL.replace("subject:\n  - guard()\n  - loss = cross_entropy_loss(logits, target)",
                             'subject: {python: "os:system", args: {command: {text: "touch /tmp/owned"}}, outputs: [loss]}'),
               "refused"),
    "command": (SMALL.replace("subject:\n  - guard()\n  - loss = cross_entropy_loss(logits, target)",
                              'subject: {command: [touch, /tmp/owned, "{inputs}", "{outputs}"], outputs: [loss]}'), "refused"),
    "script": (SMALL.replace("subject:\n  - guard()\n  - loss = cross_entropy_loss(logits, target)",
                             "subject: {script: model.pt, args: [logits], outputs: [loss]}"), "refused"),
}
# What gets a verdict: its kind and what is said.
JUDGED = {
    "writes-a-file": (step("from_file('owned', true, 4)"), "case_error", "aten::from_file is refused by --data-only"),
    "reads-a-file": (step("from_file('/etc/passwd', false, 4)"), "case_error", "it reaches beyond its arguments"),
    "network": (step("c10d::send([logits], none, 0, 0)"), "case_error", "only operators of aten are called"),
    "another-namespace": (step("prims::iota(4, start=0, step=1, dtype=int64, device='cpu', requires_grad=false)"), "case_error",
                          "prims::iota is refused by --data-only"),
    "memory": (step("zeros([1000000, 1000000], dtype=float32)"), "faulted", "out_of_memory"),
    "asks-for-more-memory": (step("zeros([3000, 1000000], dtype=float32)").replace(
        "batches:", "limits: {memory: 900GiB, timeout: 1000000}\n\nbatches:"), "faulted", "out_of_memory"),
    "control-characters": (SMALL.replace("min: 0, same_as", "min: 1000, same_as"), "broken", "loss.min"),
}


@pytest.fixture
def strangers(place):
    (place.folder / "secret.npy").write_text("secret")
    place.case("x/well")
    (place.folder / "cases" / "x" / "link.npy").symlink_to(place.folder / "secret.npy")
    (place.folder / "cases" / "x" / "up").symlink_to(place.folder)
    return place


def files_of(folder):
    return sorted(str(p) for p in folder.rglob("*") if ".relapse" not in p.parts and p.name != "report.json")


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_data_is_refused_before_it_runs(strangers, name):
    text, message = REFUSED[name]
    strangers.case(f"x/{name}", text)
    before = files_of(strangers.folder)
    result = strangers.relapse("run", "--data-only", f"x/{name}")
    assert result.code == 2 and message in result.out, result
    assert files_of(strangers.folder) == before and not os.path.exists("/tmp/owned")


@pytest.mark.parametrize("spawn", ["fork", "exec"])
def test_what_is_data_gets_a_verdict_and_touches_nothing(strangers, spawn):
    for name, (text, *_) in JUDGED.items():
        strangers.case(f"x/{name}", text)
    before = files_of(strangers.folder)
    result, report = strangers.report("--data-only", "--spawn", spawn, "--device", "cpu", "x/*@cpu/corrected")
    kinds = verdicts(report)
    assert kinds["x/well@cpu/corrected"] == "held", result
    for name, (_, kind, said) in JUDGED.items():
        assert kinds[f"x/{name}@cpu/corrected"] == kind, (name, result)
        assert said in result.out, (name, result)
    assert files_of(strangers.folder) == before
    settings = report["attempts"][0]["settings"]
    assert settings["sandbox"].startswith("seccomp")


def test_a_stranger_cannot_raise_the_limits(strangers):
    strangers.case("x/slow", SMALL.replace("batches:", "limits: {timeout: 1000000, memory: 900GiB, output: 900GiB}\n\nbatches:"))
    result, report = strangers.report("--data-only", "--device", "cpu", "x/slow")
    assert result.code == 0, result


def test_devices_besides_the_cpu_are_skipped(strangers):
    from conftest import BUILD
    result = strangers.relapse("run", "--data-only", "--device", "sim", "--device-plugin",
                               BUILD / "lib" / "librelapse_sim_device.so", "x/well")
    assert result.code == 77
    assert "--data-only runs on the cpu: its sandbox keeps drivers of devices out" in result.out


def test_the_environment_is_not_there(strangers):
    env = strangers.environment(GITHUB_TOKEN="secret")
    result, report = strangers.report("--data-only", "--device", "cpu", "x/well", env=env)
    assert result.code == 0
    assert "secret" not in json.dumps(report)


def test_shipped_cases_hold_in_the_sandbox(place):
    from conftest import SOURCE
    result = place.relapse("run", "--cases", SOURCE / "cases", "--data-only", "--device", "cpu", "*/*")
    assert " red" not in result.out.splitlines()[-3], result
    assert "held" in result.out
