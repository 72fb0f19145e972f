"""Cases on a device that fails as GPUs fail: the simulated one of tests/sim_device, loaded as a plugin. For each behaviour the
exact verdict, fault, step and exit code, with blocking and with asynchronous launches."""
import itertools
import json
import pathlib

import pytest

from conftest import BUILD, verdicts

SIM = BUILD / "lib" / "librelapse_sim_device.so"

# Six steps, so that an error of the third can show at any later one. The corrected input comes first of those that launch.
STEPS = """\
relapse: 1
title: Five launches in a row
incident: {source: "https://example.com/incidents/1", cause: An id beyond the table., fix: Ids are checked.}
dims: {N: 4, V: 8}

subject:
  - guard()
  - a = relu(x)
  - b = index_select(table, 0, ids)
  - c = a.mul(2)
  - d = c.sum()
  - y = b.mul(3)

contract:
  requires:
    x: {dtype: float32, shape: [N], finite: true}
    table: {dtype: float32, shape: [V, 2], finite: true}
    ids: {dtype: int64, shape: [N], min: 0, max: V - 1}
  ensures:
    y: {dtype: float32, shape: [N, 2], same_as: "table[ids] * 3"}
    d: {same_as: "x.clamp(0).sum() * 2"}

failing:
  inputs: {x: ones, table: arange, ids: [0, 1, 2, 8]}
  symptom:
    cpu: {raises: index_error}
    cuda: {fault: device_assert, match: srcIndex}
  expect: {rejected: ids.max}

corrected:
  inputs: {x: ones, table: arange, ids: [0, 1, 2, 7]}

batches:
  - {N: 16}
  - {N: 5, seed: 3}

boundaries: off
"""


@pytest.fixture
def steps(place):
    place.case("device/steps", STEPS)
    return place


def run(place, *words, fault="", device="sim", **more):
    env = place.environment(**({"RELAPSE_SIM_FAULT": fault} if fault else {}), **more)
    return place.report("--device", device, "--device-plugin", SIM, *words, env=env)


def of(report, check):
    return next(c["verdict"] for c in report["checks"] if c["id"].endswith("/" + check))


def test_every_check_holds_on_a_device_that_is_well(steps):
    result, report = run(steps)
    assert result.code == 0, result
    assert set(verdicts(report).values()) == {"held"}
    assert "sim 1 held" in result.out
    attempt = report["attempts"][0]
    assert attempt["environment"]["CUDA_LAUNCH_BLOCKING"] == "1", "as the child itself saw it"
    assert [d["present"] for d in report["devices"]] == [True]


# fault, verdict, kind of fault, class of error; the step with blocking launches and with asynchronous ones (None: it shows
# when the results are waited for), before the second look
FAULTS = [
    ("assert", "faulted", "device_assert", "runtime_error"),
    ("illegal_access", "faulted", "illegal_access", "runtime_error"),
    ("misaligned", "faulted", "misaligned_address", "runtime_error"),
    ("launch_failure", "faulted", "launch_failure", "runtime_error"),
    ("wrapped", "faulted", "device_assert", "runtime_error"),
    ("abort", "faulted", "crash", None),
]


@pytest.mark.parametrize("mode", ["blocking", "async"])
@pytest.mark.parametrize("fault, kind, device_fault, error", FAULTS)
def test_a_fault_is_told_by_kind_and_guilty_step(steps, mode, fault, kind, device_fault, error):
    result, report = run(steps, "--mode", mode, "device/steps@sim/corrected", fault=f"{fault}@index_select")
    verdict = of(report, "corrected")
    assert result.code == 1
    assert (verdict["kind"], verdict["fault"], verdict.get("error")) == (kind, device_fault, error), result
    assert verdict["step"] == 2, "blocking launches, or the second look with them, name the step"
    text = "\n".join(verdict["seen"])
    if mode == "async":
        assert f"with blocking launches it comes from step 3: {device_fault}" in text
    assert "b = index_select(table, 0, ids)" in result.out
    assert result.out.count("FAULTED") == 1, "one block, when everything is known"


def test_the_lines_that_kernels_print_are_read(steps):
    result, report = run(steps, "device/steps@sim/corrected", fault="assert@index_select")
    assert of(report, "corrected")["seen"] == [
        "device_assert: code 710 (device-side assert), sticky; launches were blocking",
        "Simulated.cu:42: `index >= 0 && index < size`  block [0,0,0] thread [0,0,0], 3 threads",
        'runtime_error "CUDA error: device-side assert triggered"']


def test_a_library_that_hides_a_lost_device_does_not_hide_it(steps):
    _, report = run(steps, "device/steps@sim/corrected", fault="wrapped@index_select")
    seen = of(report, "corrected")["seen"]
    assert seen[0] == "device_assert: code 710 (device-side assert), sticky; launches were blocking"
    assert seen[-1].startswith('it came as runtime_error "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED')


def test_running_out_of_memory_is_no_fault_and_the_process_goes_on(steps):
    result, report = run(steps, fault="oom@index_select")
    verdict = of(report, "corrected")
    assert (verdict["kind"], verdict["error"], verdict.get("fault")) == ("faulted", "out_of_memory", None)
    assert of(report, "batch-1")["kind"] == of(report, "batch-2")["kind"] == "held"
    assert len(report["attempts"]) == 1


@pytest.mark.parametrize("mode, fault", [("blocking", "hang_kernel"), ("async", "hang_kernel"), ("async", "hang_sync")])
def test_a_hang_is_ended_in_time_and_the_rest_goes_on(steps, mode, fault):
    steps.case("device/well", STEPS.replace("index_select(table, 0, ids)", "table[ids]"))
    result, report = run(steps, "--mode", mode, "--timeout", "0.7", "*@sim/corrected", fault=fault + "@index_select")
    verdict = next(c["verdict"] for c in report["checks"] if c["id"] == "device/steps@sim/corrected")
    assert (verdict["kind"], verdict["fault"]) == ("timed_out", "hang")
    if fault == "hang_kernel":
        assert verdict["step"] == 2
    assert verdicts(report)["device/well@sim/corrected"] == "held"


def test_a_wrong_element_says_which_side_is_off(steps):
    result, report = run(steps, "device/steps@sim/corrected", fault="wrong_element@index_select")
    verdict = of(report, "corrected")
    assert (result.code, verdict["kind"], verdict["clause"]) == (1, "broken", "y.same_as")
    assert verdict["seen"][-1] == "the float64 reference agrees with the cpu: the sim side is off"


def test_an_order_of_launches_that_matters_is_a_finding_of_its_own(steps):
    result, report = run(steps, "--mode", "blocking,async", "device/steps@sim/corrected", fault="order@index_select")
    assert [(f["kind"], f["check"]) for f in report["findings"]] == [("order_dependent", "corrected")]
    assert report["findings"][0]["text"] == \
        "held with blocking launches, broken y.same_as with asynchronous ones"
    assert "order    device/steps@sim/corrected: held with blocking launches" in result.out
    assert "sim (async) 1 red" in result.out


def test_results_may_be_asked_to_agree_with_asynchronous_launches(place):
    loose = STEPS.replace('same_as: "table[ids] * 3"', "finite: true").replace(
        "failing:\n", "  agrees: {cpu: off, async: exact}\n\nfailing:\n")
    place.case("device/steps", loose)
    result, report = run(place, fault="order@index_select")
    red = [c for c in report["checks"] if c["verdict"]["kind"] == "broken"]
    assert [(c["mode"], c["verdict"]["clause"]) for c in red] == [("async", "agrees.async")]
    assert red[0]["verdict"]["seen"] == ["y has other bits with asynchronous launches than with blocking ones"]
    assert run(place)[0].code == 0


def test_a_device_that_is_sick_from_the_start_is_not_the_case(steps):
    result, report = run(steps, fault="sick")
    assert result.code == 3
    assert verdicts(report)["device/steps@sim/failing"] == "infrastructure"
    reason = "the canary failed on sim:0: device sim cannot be used: CUDA error: uncorrectable ECC error encountered (code 214)"
    assert of(report, "failing")["reason"] == reason
    assert of(report, "batch-1")["kind"] == "not_run" and of(report, "batch-1")["reason"] == reason
    assert report["devices"][0]["sick"] == reason


def test_a_device_that_is_not_there_is_skipped_or_required(steps):
    result, _ = run(steps, RELAPSE_SIM_DEVICES="0")
    assert result.code == 77
    assert "No sim devices are available" in result.out
    result, _ = run(steps, "--require", "sim", RELAPSE_SIM_DEVICES="0")
    assert result.code == 3
    assert "sim: device sim cannot be used: No sim devices are available; it is required" in result.out


def test_a_device_that_does_not_answer_is_sick(steps):
    result, report = run(steps, fault="sick:719")
    assert result.code == 3 and "(code 719)" in of(report, "failing")["reason"]


def test_a_plugin_of_another_name_is_told(steps):
    result, _ = run(steps, "--require", "npu", device="npu")
    assert result.code == 3
    assert 'no loaded library registers a device "npu"; the plugin registers "sim"' in result.out


def test_what_is_no_plugin_is_told(steps):
    (steps.folder / "not.so").write_text("text")
    result = steps.relapse("run", "--device", "sim", "--require", "sim", "--device-plugin", "not.so")
    assert result.code == 3
    assert "not.so" in result.out and "cannot be loaded" in result.out and "Is it a shared library for this machine?" in result.out


# Stands in for compute-sanitizer: runs its program and prints a report in the tool's form. Without a driver the real one starts
# nothing.
SANITIZER = """\
#!/bin/sh
echo "========= COMPUTE-SANITIZER"
tool=$2
shift 4
"$@" 3>&-
status=$?
case "$REPORT" in
invalid)
  echo "========= Invalid __global__ read of size 4 bytes"
  echo "=========     at gather(float *)+0x160 in ops.cu:6"
  echo "=========     by thread (3,0,0) in block (0,0,0)"
  echo "========="
  echo "========= ERROR SUMMARY: 1 error" ;;
none) ;;
*) echo "========= ERROR SUMMARY: 0 errors ($tool)" ;;
esac
exit $status
"""


@pytest.fixture
def sanitizer(place):
    tool = place.folder / "compute-sanitizer"
    tool.write_text(SANITIZER)
    tool.chmod(0o755)
    return str(tool)


def test_the_sanitizer_runs_around_each_check_of_a_device(steps, sanitizer):
    result, report = run(steps, "--mode", "sanitizer", RELAPSE_COMPUTE_SANITIZER=sanitizer)
    assert result.code == 0, result
    assert set(verdicts(report).values()) == {"held"}
    assert [a["checks"] for a in report["attempts"]] == [["failing"], ["corrected"], ["batch-1"], ["batch-2"]]
    assert "PYTORCH_NO_CUDA_MEMORY_CACHING" in report["attempts"][0]["environment"]
    assert "ERROR SUMMARY: 0 errors (memcheck)" in report["attempts"][0]["ending"]["out"]["text"]


def test_what_the_sanitizer_finds_is_red(steps, sanitizer):
    result, report = run(steps, "--mode", "sanitizer:racecheck", "device/steps@sim/corrected",
                         RELAPSE_COMPUTE_SANITIZER=sanitizer, REPORT="invalid")
    verdict = of(report, "corrected")
    assert (result.code, verdict["kind"], verdict["signature"]) == (1, "faulted", "faulted sanitizer")
    assert verdict["seen"] == ["compute-sanitizer found 1 error",
                               "Invalid __global__ read of size 4 bytes at gather(float *)+0x160 in ops.cu:6 "
                               "by thread (3,0,0) in block (0,0,0)"]


def test_a_sanitizer_that_says_nothing_is_no_pass(steps, sanitizer):
    result, report = run(steps, "--mode", "sanitizer", "device/steps@sim/corrected", RELAPSE_COMPUTE_SANITIZER=sanitizer,
                         REPORT="none")
    assert (result.code, of(report, "corrected")["kind"]) == (1, "no_verdict")


def test_a_missing_sanitizer_is_an_error(steps):
    result, report = run(steps, "--mode", "sanitizer", RELAPSE_COMPUTE_SANITIZER="/nowhere")
    assert result.code == 3
    assert set(verdicts(report).values()) == {"infrastructure"}
    assert "mode sanitizer needs compute-sanitizer" in of(report, "failing")["reason"]
    result, _ = run(steps, "--mode", "sanitizer", RELAPSE_COMPUTE_SANITIZER="/nowhere", RELAPSE_SIM_DEVICES="0")
    assert result.code == 77, "without a device nothing would run below it"


def test_a_hang_below_the_sanitizer_leaves_no_process(steps, sanitizer):
    result, report = run(steps, "--mode", "sanitizer", "--timeout", "0.1", "device/steps@sim/corrected",
                         RELAPSE_COMPUTE_SANITIZER=sanitizer, fault="hang_kernel@index_select")
    verdict = of(report, "corrected")
    assert (verdict["kind"], verdict["step"]) == ("timed_out", 2), "its limit is ten times as long, and its lines came through"


def test_red_checks_of_devices_are_looked_at_again(steps, sanitizer):
    result, report = run(steps, "--escalate", "device/steps@sim/corrected", fault="assert@index_select",
                         RELAPSE_COMPUTE_SANITIZER=sanitizer, REPORT="invalid")
    assert (result.code, of(report, "corrected")["fault"]) == (1, "device_assert")
    kinds = {f["kind"]: f["text"] for f in report["findings"]}
    assert set(kinds) == {"traces", "sanitizer", "sanitizer:racecheck"}, result
    assert "frame #" in kinds["traces"] and "at::_ops::index_select" in kinds["traces"]
    assert "Invalid __global__ read of size 4 bytes at gather(float *)+0x160" in kinds["sanitizer"]
    assert "traces   device/steps@sim/corrected" in result.out


def test_the_doctor_says_what_cuda_lacks_and_offers_gpus_to_ctest(place):
    result = place.relapse("doctor", "--resource-spec", "gpus.json")
    spec = json.loads((place.folder / "gpus.json").read_text())
    assert spec["version"] == {"major": 1, "minor": 0} and len(spec["local"]) == 1
    assert result.code == 0 and "LibTorch's CUDA half" in result.out and "compute-sanitizer" in result.out, result
    if "NVIDIA driver: no /proc/driver/nvidia" in result.out:
        assert spec["local"][0]["gpus"] == []


def test_required_cuda_without_a_gpu_fails_at_once_in_plain_words(steps):
    if pathlib.Path("/proc/driver/nvidia/version").exists():
        pytest.skip("an NVIDIA driver is here")
    result = steps.relapse("run", "--require", "cuda", timeout=5)
    assert result.code == 3 and "cuda: no NVIDIA driver here; it is required" in result.out
    result = steps.relapse("run", "--device", "cuda", timeout=5)
    assert result.code == 77 and "skipped  device/steps @cuda: no NVIDIA driver here" in result.out


def test_a_fault_of_one_case_never_changes_the_next(place):
    """Every kind of fault in every order, one at a time and four, forked and exec'd: the case beside it holds."""
    for fault, *_ in FAULTS + [("oom",), ("wrong_element",)]:
        # Each has its own operator, which the environment makes fail.
        place.case(f"bad/{fault}", STEPS.replace("a = relu(x)", f"a = {OPERATOR[fault]}(x)")
                   .replace("x.clamp(0).sum() * 2", f"{OPERATOR[fault]}(x).sum() * 2"))
        place.case(f"good/{fault}", STEPS)
    spec = ";".join(f"{fault}@{operator}#*" for fault, operator in OPERATOR.items())
    expected = {f"bad/{fault}@sim/corrected": kind for fault, kind, *_ in FAULTS}
    expected.update({"bad/oom@sim/corrected": "faulted", "bad/wrong_element@sim/corrected": "broken"})
    expected.update({f"good/{fault}@sim/corrected": "held" for fault in OPERATOR})
    for jobs, spawn in itertools.product(["1", "4"], ["fork", "exec"]):
        result, report = run(place, "-j", jobs, "--spawn", spawn, "*@sim/corrected", fault=spec)
        assert verdicts(report) == expected, result
        assert result.code == 1


OPERATOR = {"assert": "sin", "illegal_access": "cos", "misaligned": "tanh", "launch_failure": "exp", "wrapped": "sigmoid",
            "abort": "atan", "oom": "erf", "wrong_element": "expm1"}


def test_the_recorded_symptom_of_a_device_is_recognised(steps):
    result, report = run(steps, "--unfixed", "device/steps@sim/failing")
    verdict = of(report, "failing")
    assert (result.code, verdict["kind"], verdict["fault"]) == (1, "relapsed", "device_assert"), result
    assert verdict["step"] == 1, "without guard() it is the second step"


def test_shipped_cases_hold_on_cpu_and_device(place):
    from conftest import SOURCE
    result = place.relapse("run", "--cases", SOURCE / "cases", "--device", "cpu,sim", "--device-plugin", SIM)
    assert result.code == 0, result
    assert " red" not in result.out
