"""ci/gpu as far as it goes without a GPU: one folder, every step in it, and a step that fails does not stop the next."""
import os
import pathlib
import subprocess
import tarfile

import pytest

from conftest import BUILD, SOURCE

SCRIPT = str(SOURCE / "ci" / "gpu")
no_gpu = pytest.mark.skipif(pathlib.Path("/proc/driver/nvidia/version").exists(), reason="a GPU is here")


def gpu(*arguments, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("RELAPSE_")}
    return subprocess.run([SCRIPT, *map(str, arguments)], env={**env, **environment}, capture_output=True, text=True, timeout=300)


def steps(report):
    """Name -> (verdict, exit code) of each line of a report."""
    lines = [line.split() for line in report.splitlines() if " due " in line]
    return {words[1]: (words[0], words[3]) for words in lines}


def test_wrong_usage_is_told(tmp_path):
    assert gpu("--help").stdout.startswith("Everything that a machine with a GPU can say, within ten minutes")
    wrong = gpu("--fast")
    assert wrong.returncode == 2 and wrong.stderr == "gpu: unknown option --fast; see ci/gpu --help\n"
    there = gpu(tmp_path)
    assert there.returncode == 2 and there.stderr == f"gpu: {tmp_path} is there already; give another folder\n"


@no_gpu
def test_without_a_gpu_its_steps_are_skipped_and_the_others_run(tmp_path):
    done = gpu(tmp_path / "report", RELAPSE_GPU_BUILD=str(BUILD))
    report = (tmp_path / "report" / "report.txt").read_text()
    assert done.returncode == 77, done.stdout + done.stderr
    seen = steps(report)
    for name in ["machine", "doctor", "cpu", "sim", "checks-sim"]:
        assert seen[name] == ("ok", "0"), report
    for name in ["checks", "cuda-blocking", "cuda-async", "cuda-unfixed"]:
        assert seen[name] == ("skipped", "77"), report
    with tarfile.open(tmp_path / "report" / "gpu-report.tar.gz") as packed:
        names = {pathlib.PurePosixPath(name).name for name in packed.getnames()}
    assert {"report.txt", "cpu.json", "sim.junit.xml", "journal.jsonl"} <= names


def test_a_step_that_fails_does_not_stop_the_next(tmp_path):
    done = gpu(tmp_path / "report", RELAPSE_GPU_BUILD=str(tmp_path / "empty"))
    assert done.returncode == 1, done.stdout + done.stderr
    seen = steps((tmp_path / "report" / "report.txt").read_text())
    assert seen["machine"] == ("ok", "0")
    assert seen["doctor"][0] == "WRONG" and seen["checks-sim"][0] == "WRONG"


def test_no_step_outlasts_the_time_for_all(tmp_path):
    done = gpu(tmp_path / "report", RELAPSE_GPU_BUILD=str(BUILD), RELAPSE_GPU_SECONDS="0")
    assert done.returncode == 1
    assert set(steps((tmp_path / "report" / "report.txt").read_text()).values()) == {("WRONG", "124")}
