"""The rooms include one another in one direction only: docs/architecture.md shows the same list."""
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# Each room with the rooms that it may include besides itself.
MAY_INCLUDE = {
    "support": set(),
    "case": {"support"},
    "stored": {"case", "support"},
    "plan": {"case", "support"},
    "isolate": {"plan", "case", "support"},
    "verdict": {"isolate", "plan", "case", "support"},
    "journal": {"verdict", "isolate", "plan", "case", "support"},
    "schedule": {"journal", "verdict", "isolate", "plan", "case", "support"},
    "report": {"journal", "verdict", "isolate", "plan", "case", "support"},
    "history": {"report", "journal", "verdict", "isolate", "plan", "case", "support"},
    "tensor": {"stored", "plan", "case", "support"},
    "device": {"tensor", "plan", "case", "support"},
    "operator": {"tensor", "device", "plan", "case", "support"},
    "contract": {"operator", "tensor", "device", "plan", "case", "support"},
    "subject": {"contract", "operator", "tensor", "device", "plan", "case", "support"},
    "execute": {"subject", "contract", "operator", "tensor", "device", "isolate", "plan", "case", "support"},
}
TORCH_ROOMS = {"tensor", "device", "operator", "contract", "subject", "execute"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def includes(path):
    return INCLUDE.findall(path.read_text())


def sources(folder):
    return [p for p in sorted((SOURCE / folder).rglob("*")) if p.suffix in {".cpp", ".hpp"}]


def misplaced(files, may_include=MAY_INCLUDE):
    wrong = []
    for path, lines in files:
        room = path.split("/")[1]
        for line in lines:
            part = line.split("/")
            if part[0] == "harness" and part[1] != room and part[1] not in may_include[room]:
                wrong.append(f"{path} includes {line}")
            if part[0] in {"runners", "tests"}:
                wrong.append(f"{path} includes {line}")
    return wrong


def harness_files():
    return [(str(p.relative_to(SOURCE)), includes(p)) for p in sources("harness")]


def test_every_room_has_a_place():
    rooms = {p.name for p in (SOURCE / "harness").iterdir() if p.is_dir() and any(p.glob("*.?pp"))}
    assert rooms == set(MAY_INCLUDE)


def test_no_file_includes_upwards():
    assert misplaced(harness_files()) == []


def test_an_upward_include_is_found():
    files = harness_files() + [("harness/case/wrong.cpp", ["harness/schedule/scheduler.hpp"])]
    assert misplaced(files) == ["harness/case/wrong.cpp includes harness/schedule/scheduler.hpp"]


def only_in(pattern, places):
    wrong = []
    for path in sources("harness") + sources("runners"):
        name = str(path.relative_to(SOURCE))
        if any(name.startswith(place) for place in places):
            continue
        wrong += [f"{name} includes {line}" for line in includes(path) if re.match(pattern, line)]
    return wrong


def test_yaml_is_read_in_one_room():
    assert only_in(r"yaml-cpp/", ["harness/case/"]) == []


def test_xml_is_written_in_one_room():
    assert only_in(r"pugixml", ["harness/report/"]) == []


def test_libtorch_stays_with_the_worker():
    torch = r"(ATen|c10|torch|caffe2)/"
    assert only_in(torch, [f"harness/{room}/" for room in sorted(TORCH_ROOMS)] + ["runners/worker/"]) == []


def test_reports_do_not_see_the_scheduler():
    assert "schedule" not in MAY_INCLUDE["report"]
