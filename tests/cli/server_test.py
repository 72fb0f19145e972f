"""`relapse serve`: shared by many runs, harmless when it is gone."""
import subprocess
import time

from conftest import RELAPSE, verdicts


def test_runs_share_a_server_and_give_what_they_give_without_one(place, tmp_path):
    place.case("index/labels")
    socket = tmp_path / "s.sock"
    assert place.relapse("serve", "--socket", socket, "--idle", "30").code == 0
    try:
        _, alone = place.report("--device", "cpu")
        result, shared = place.report("--device", "cpu", "--server", socket, server=True)
        assert result.code == 0
        assert verdicts(alone) == verdicts(shared)
    finally:
        assert place.relapse("serve", "--socket", socket, "--stop").code == 0


def test_a_server_started_twice_is_one_and_stopping_none_succeeds(place, tmp_path):
    socket = tmp_path / "s.sock"
    assert place.relapse("serve", "--socket", socket).code == 0
    assert place.relapse("serve", "--socket", socket).code == 0
    assert place.relapse("serve", "--socket", socket, "--stop").code == 0
    assert place.relapse("serve", "--socket", socket, "--stop").code == 0


def test_a_run_without_an_answering_server_uses_its_own_zygote(place, tmp_path):
    place.case("index/labels")
    result, report = place.report("--device", "cpu", "--server", tmp_path / "nobody.sock", server=True)
    assert result.code == 0 and set(verdicts(report).values()) == {"held"}


def test_many_runs_at_once_share_it(place, tmp_path):
    place.case("index/labels")
    socket = tmp_path / "s.sock"
    assert place.relapse("serve", "--socket", socket).code == 0
    try:
        runs = [subprocess.Popen([RELAPSE, "run", "--device", "cpu", "--server", str(socket), "-q", "--journal", f"j{i}"],
                                 cwd=place.folder, env=place.environment()) for i in range(8)]
        assert [run.wait(timeout=120) for run in runs] == [0] * 8
    finally:
        place.relapse("serve", "--socket", socket, "--stop")


def test_it_ends_by_itself_without_clients(place, tmp_path):
    socket = tmp_path / "s.sock"
    assert place.relapse("serve", "--socket", socket, "--idle", "1").code == 0
    until = time.monotonic() + 30
    while socket.exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert not socket.exists()
