"""The cases of operators of our own: where their library is found, on the CPU and on the simulated device, before the fix."""
import shutil

import pytest

from conftest import BUILD, SOURCE

BOX = "custom_ops/box-on-an-image-that-is-not-there"
SIM = ["--device-plugin", str(BUILD / "lib" / "librelapse_sim_device.so")]


@pytest.fixture
def boxes(place):
    (place.folder / "cases" / "custom_ops").mkdir()
    shutil.copy(SOURCE / "cases" / f"{BOX}.yaml", place.folder / "cases" / "custom_ops")
    return place


def test_the_library_beside_the_program_is_found(boxes):
    run = boxes.relapse("run", "--device", "cpu,sim", *SIM)
    assert run.code == 0, run
    assert "cpu 1 held · sim 1 held" in run.out


def test_a_path_that_is_given_counts_before_it(boxes):
    run = boxes.relapse("run", "--device", "cpu", "--library", "relapse_custom_ops=nowhere/libx.so")
    assert run.code == 3, run
    assert f"{boxes.folder}/nowhere/libx.so" in run.out + run.err


def test_a_name_that_nobody_knows_is_said(boxes):
    case = boxes.folder / "cases" / f"{BOX}.yaml"
    case.write_text(case.read_text().replace("[relapse_custom_ops]", "[relapse_costum_ops]"))
    run = boxes.relapse("run", "--device", "cpu", "--library", "relapse_custom_ops=libx.so")
    assert run.code == 3, run
    assert ('the library "relapse_costum_ops" is no file beside the case, and no --library relapse_costum_ops=PATH says '
            'where it is; did you mean "relapse_custom_ops"?') in run.out + run.err


def test_before_the_fix_a_stray_box_ends_a_cpu_process_and_faults_a_device(boxes):
    run = boxes.relapse("run", "--device", "cpu", "--unfixed")
    assert run.code == 1 and f"RELAPSED   {BOX} @cpu · failing" in run.out and "died by SIGSEGV" in run.out, run
    for mode in ["blocking", "async"]:
        run = boxes.relapse("run", "--device", "sim", *SIM, "--mode", mode, "--unfixed", f"{BOX}@sim/failing")
        assert run.code == 1, run
        assert "illegal_access: code 700 (illegal memory access), sticky" in run.out, run
        assert "step       1: means = custom_ops::box_means_unchecked(features, boxes)" in run.out, run
