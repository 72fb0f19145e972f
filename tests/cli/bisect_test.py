"""`git bisect run relapse run --bisect`, and bisecting over versions of LibTorch."""
import os
import pathlib
import stat
import struct
import subprocess

from conftest import RELAPSE, SMALL
from death_test import CRASH


def git(place, *words):
    env = place.environment(GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@example.org", GIT_COMMITTER_NAME="a",
                            GIT_COMMITTER_EMAIL="a@example.org", GIT_CONFIG_GLOBAL="/dev/null")
    done = subprocess.run(["git", *words], cwd=place.folder, env=env, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def test_git_bisect_run_finds_the_commit_that_doubled_the_loss(place):
    git(place, "init", "-q")
    (place.folder / ".gitignore").write_text("/.relapse/\n")
    good = SMALL
    bad = SMALL.replace("loss = cross_entropy_loss(logits, target)", "loss = cross_entropy_loss(logits, target) * 2.0", 1)
    # The case is not there yet; good; good; the file is broken (neither); good; bad; the file is broken; bad; bad
    texts = [None, good, good + "\n", good.replace("symptom:", "symptoms:"), good, bad, bad.replace("symptom:", "symptoms:"), bad, bad + "\n"]
    commits = []
    for number, text in enumerate(texts):
        if text is not None:
            place.case("index/labels", text)
        (place.folder / "number").write_text(str(number))
        git(place, "add", "-A")
        assert git(place, "commit", "-q", "-m", f"change {number}")[0] == 0
        commits.append(git(place, "rev-parse", "HEAD")[1].strip())
    assert git(place, "bisect", "start", commits[-1], commits[1])[0] == 0
    code, out = git(place, "bisect", "run", RELAPSE, "run", "--bisect", "--server", "none", "--device", "cpu", "index/labels")
    assert code == 0, out
    assert f"{commits[5]} is the first bad commit" in out


def test_all_that_is_no_verdict_is_125(place):
    place.case("index/labels")
    bisect = lambda *words, **more: place.relapse("run", "--bisect", "--device", "cpu", *words, **more).code
    assert bisect() == 0
    assert bisect("--unfixed") == 1
    assert bisect("index/nothing") == 125
    assert bisect("--no-such-option") == 125
    assert bisect("--shard", "9/3") == 125
    assert place.relapse("--worker", "/no/worker", "run", "--server", "none", "--bisect", "--device", "cpu").code == 125
    assert place.relapse("run", "--bisect", "--device", "cuda").code == 125
    place.case("index/labels", SMALL.replace("symptom:", "symptoms:"))
    assert bisect() == 125
    place.case("index/labels", SMALL.replace("target: [0, 1, 2, 3]}\n  symptom", "target: [0, 1, 2, 2]}\n  symptom"))
    assert bisect("index/labels@cpu/failing") == 125
    place.case("index/labels", CRASH)
    assert bisect() == 1
    assert place.relapse("run", "--bisect", "--device", "cpu", "--deadline", "0.001").code == 125


# What this case reads lies beside it, so a stand-in for another LibTorch can change its verdict.
READS = """\
    relapse: 1
    title: A table is read
    incident: {cause: it changed, fix: it did not}
    dims: {N: 2}
    subject:
      - y = relu(x)
    contract:
      requires:
        x: {dtype: float32, shape: [N]}
      ensures:
        y: {equals: [1, 2]}
    failing:
      inputs: {x: {file: x.npy}}
      expect: returns
    batches:
      - {inputs: {x: [1, 2]}}
      - {inputs: {x: [1.0, 2.0]}, seed: 3}
    """


def npy(path, values):
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(values)}f", *values))


def versions(place, shows):
    """Stand-in workers: each puts its table in place and becomes the real one."""
    real = os.environ.get("RELAPSE_WORKER") or str(pathlib.Path(RELAPSE).parent / "relapse-worker")
    data = place.folder / "cases" / "numeric"
    npy(data / "x.npy", [1, 2])
    folders = []
    for number, values in enumerate(shows):
        folder = place.folder / f"torch-{number}"
        folder.mkdir()
        worker = folder / "relapse-worker"
        if values is None:
            worker.write_text("#!/bin/sh\necho this one does not start >&2\nexit 3\n")
        else:
            npy(folder / "x.npy", values)
            worker.write_text(f"#!/bin/sh\ncp '{folder}/x.npy' '{data}/x.npy'\nexec '{real}' \"$@\"\n")
        worker.chmod(worker.stat().st_mode | stat.S_IXUSR)
        folders.append(folder.name)
    return "torch=" + ",".join(folders)


GOOD, BAD, WORSE = [1, 2], [1, 3], [1, 2, 3]


def test_the_version_is_found_at_which_a_check_changes_its_verdict(place):
    place.case("numeric/reads", READS)
    over = versions(place, [GOOD, GOOD, GOOD, BAD, BAD])
    result = place.relapse("bisect", "--over", over, "--device", "cpu")
    assert result.code == 0, result
    lines = result.out.splitlines()
    at = lines.index("numeric/reads@cpu/failing")
    assert lines[at + 1].endswith("(torch-2): held") and lines[at + 2].endswith("(torch-3): broken y.equals")
    assert "1 of 3 checks change, 2 do not differ between the first and the last version" in result.out


def test_it_says_that_it_cannot_tell_rather_than_guess(place):
    place.case("numeric/reads", READS)
    over = versions(place, [GOOD, None, WORSE, BAD])
    result = place.relapse("bisect", "--over", over, "--device", "cpu", "numeric/reads@cpu/failing")
    assert result.code == 1, result
    assert "  cannot tell where: " in result.out
    assert "    torch-1: its run gave nothing" in result.out or "    torch-1: infrastructure" in result.out
    assert "(torch-2): case_error" in result.out or "(torch-2): another symptom" in result.out


def test_an_end_without_a_verdict_leaves_nothing_to_compare(place):
    place.case("numeric/reads", READS)
    over = versions(place, [None, GOOD, BAD])
    result = place.relapse("bisect", "--over", over, "--device", "cpu", "numeric/reads@cpu/failing")
    assert result.code in (1, 3), result
    assert "cannot tell" in result.out


def test_what_cannot_be_bisected_is_refused(place):
    place.case("numeric/reads", READS)
    (place.folder / "empty").mkdir()
    for over, message in (("cuda=a,b", "expected torch=DIR,DIR,... with the oldest first"),
                          ("torch=empty", "empty: expected a relapse-worker, a folder that holds one, or a LibTorch"),
                          ("torch=a,,b", "a: expected a relapse-worker"), ("torch=", "one of the folders is empty")):
        result = place.relapse("bisect", "--over", over)
        assert result.code == 2 and message in result.err, (over, result)
    one = versions(place, [GOOD])
    assert "at least two are needed" in place.relapse("bisect", "--over", one).err
    (place.folder / "lt/include/ATen/core").mkdir(parents=True)
    (place.folder / "lt/lib").mkdir()
    (place.folder / "lt/include/ATen/core/Tensor.h").write_text("")
    (place.folder / "lt/lib/libtorch_cpu.so").write_text("")
    result = place.relapse("bisect", "--over", "torch=lt,lt")
    assert result.code == 2 and "--source names the sources of relapse, from which one is built, and . holds none" in result.err
