"""Journals made here, for runs that nobody wants to wait for."""
import json


def verdict(kind, **more):
    return {"kind": kind, "signature": kind, **more}


def run(cases, checks_of, title="A case", text=lambda place: place, devices=("cpu",)):
    """Events of a run: `cases` cases with the verdicts that `checks_of(case number)` gives. `text` makes every text that a
    file or a child could have written."""
    events = [{"event": "run_started", "schema": 1, "relapse": "0.1.0", "time": "2026-12-01T10:15:02Z", "pid": 1, "command": [text("word")],
               "root": text("cases"), "jobs": 2, "cores": 2}]
    for device in devices:
        events.append({"event": "device_found", "device": device, "present": True, "required": False, "reason": ""})
    attempt, at = 0, 0.0
    for number in range(cases):
        for device in devices:
            verdicts = checks_of(number)
            names = [f"{text('batch')}-{i}" for i in range(len(verdicts))]
            ident = {"case": f"{text('index')}/case-{number:05}", "device": device, "mode": "blocking"}
            events.append({"event": "planned", **ident, "file": f"{text('cases')}/case-{number:05}.yaml", "title": f"{text(title)} {number}",
                           "source": text("https://example.com/1"), "date": text("2018-12-14"), "cause": text("cause"), "fix": text("fix"),
                           "labels": [text("loss"), "index"], "covers": "model",
                           "checks": [{"name": n, "kind": "batch", "line": 20, "column": 5} for n in names],
                           "subject": [{"text": text("loss = f(x)"), "line": 9}],
                           "contract": [{"side": "requires", "name": text("x.max"), "text": text("C - 1"), "line": 12},
                                        {"side": "ensures", "name": "loss.same_as", "text": text("g(x)"), "line": 14}]})
            attempt += 1
            events.append({"event": "attempt_started", "attempt": attempt, **ident, "checks": names, "round": 0, "at": at})
            events.append({"event": "line", "attempt": attempt,
                           "line": {"event": "hello", "protocol": 1, "nonce": "n", "worker_version": "0.1.0", "torch_version": text("2.15.0"),
                                    "device": device, "environment": [[text("NAME"), text("value")]], "settings": [["threads", "1"]]}})
            for name, kind in zip(names, verdicts):
                events += check(attempt, ident, name, kind, text)
            events.append({"event": "attempt_ended", "attempt": attempt,
                           "ending": {"cause": "by_itself", "exit_status": 0, "done": True, "seconds": 0.01, "cpu_seconds": 0.01, "max_rss": 1,
                                      "out": {"text": text("printed\n"), "bytes": 8, "truncated": False},
                                      "err": {"text": "", "bytes": 0, "truncated": False}}})
            at += 0.006
    events.append({"event": "note", "text": text("a note")})
    events.append({"event": "run_ended", "time": "2026-12-01T10:15:09Z", "interrupted": False, "seconds": at})
    return events


def check(attempt, ident, name, kind, text):
    facts = {"name": text("logits"), "dtype": "float32", "shape": [64, 48], "strides": [48, 1], "min": text("-2"), "max": "2.8", "finite": True}
    step = {"index": 0, "text": text("loss = f(x)"), "pos": [9, 5], "inputs": [facts]}
    lines = [{"event": "check_started", "check": name}, {"event": "step_started", "check": name, "step": step}]
    told = verdict(kind)
    if kind not in {"held", "skipped"}:
        counts = [0] * 1024
        for cell in range(256, 288):
            counts[cell] = 6 if cell % 4 == 0 else 1
        breach = {"clause": "loss.same_as", "pos": [14, 7], "promised": text("loss.same_as: g(x)"), "seen": text("3 of 3,072 elements differ"),
                  "details": [text("close, float32")],
                  "picture": {"shape": [64, 48], "grid": [32, 32], "counts": counts, "decade": -4, "errors": [60, 8, 0, 4], "unmeasured": 1}}
        lines.append({"event": "observation", "observation": {"check": name, "kind": "returned", "clauses_evaluated": 3, "guards_reached": 1,
                                                              "guards_expected": 1, "seconds": 0.001, "broken": [breach], "inputs": [facts]}})
        told.update(clause="loss.same_as", line=14, column=7, promised=text("loss.same_as: g(x)"), seen=[text("3 of 3,072 elements differ"), "two"],
                    reason=text("a reason"), error=text("index_error"), step=0, signature=text("broken"))
    elif kind == "skipped":
        told["reason"] = text("no driver")
    out = [{"event": "line", "attempt": attempt, "line": line} for line in lines]
    out.append({"event": "judged", **ident, "check": name, "attempt": attempt, "seconds": 0.001, "verdict": told})
    return out


def write(path, events):
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path
