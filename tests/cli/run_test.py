"""Verdicts, exit codes and selection of `relapse run`, as a user meets them."""
import json

import pytest

from conftest import SMALL, verdicts


def changed(old, new, text=SMALL):
    assert old in text
    return text.replace(old, new)


def test_a_case_that_holds_is_green(place):
    place.case("index/labels")
    result, report = place.report("--device", "cpu")
    assert result.code == 0
    assert set(verdicts(report).values()) == {"held"}
    assert verdicts(report)["index/labels@cpu/boundary:target.above-max.first"] == "held"
    assert report["totals"]["held"] == len(report["checks"]) == 15
    assert report["exit"] == 0 and report["finished"] is True


def test_a_missing_device_is_skipped_with_its_reason(place):
    place.case("index/labels")
    result = place.relapse("run")
    assert result.code == 0
    assert "cuda: no NVIDIA driver here; its checks are skipped" in result.out
    assert "skipped  index/labels @cuda: no NVIDIA driver here" in result.out


def test_a_run_that_only_skips_is_77_and_one_that_requires_is_3(place):
    place.case("index/labels")
    assert place.relapse("run", "--device", "cuda").code == 77
    result = place.relapse("run", "--device", "cuda", "--require", "cuda")
    assert result.code == 3
    assert "cuda: no NVIDIA driver here; it is required" in result.out


def test_the_unfixed_code_answers_relapsed_with_everything_that_helps(place):
    place.case("index/labels")
    result = place.relapse("run", "index/labels@cpu/failing", "--unfixed")
    assert result.code == 1
    lines = [line.rstrip() for line in result.out.splitlines()]
    start = next(i for i, line in enumerate(lines) if line.startswith("RELAPSED"))
    assert lines[start] == "RELAPSED   index/labels @cpu · failing   cases/index/labels.yaml:23"
    body = "\n".join(lines[start:])
    assert "the incident of 2018-12-14 is back: https://example.com/incidents/273" in body
    assert '  promised   rejected by target.max before anything reaches the device' in body
    assert '  seen       index_error "Target 3 is out of bounds."' in body
    assert '  step       1: loss = cross_entropy_loss(logits, target)' in body
    assert "target  int64    [4]  strides [1]  min 0  max 3" in body
    assert "  rerun      relapse run --unfixed index/labels@cpu/failing" in body


def test_a_broken_clause_names_the_worst_element_and_its_line(place):
    place.case("numeric/doubled", changed("loss = cross_entropy_loss(logits, target)",
                                          "loss = cross_entropy_loss(logits, target) * 2.0"))
    result, report = place.report("numeric/doubled@cpu/corrected")
    assert result.code == 1
    verdict = report["checks"][0]["verdict"]
    assert verdict["kind"] == "broken" and verdict["clause"] == "loss.same_as"
    assert (verdict["line"], verdict["column"]) == (20, 47)
    assert verdict["seen"][0].startswith("2.7725887 where 1.3862944 was due (off by 100 %")


def test_a_failing_input_that_meets_the_contract_is_an_error_of_the_case(place):
    place.case("index/labels", changed("target: [0, 1, 2, 3]}\n  symptom", "target: [0, 1, 2, 2]}\n  symptom"))
    result, report = place.report("index/labels@cpu/failing")
    assert result.code == 2
    assert report["checks"][0]["verdict"]["kind"] == "case_error"
    assert report["checks"][0]["verdict"]["reason"].startswith(
        "failing expects a rejection, but its input meets every clause of requires")


def test_a_batch_that_breaks_requires_is_an_error_of_the_case_at_the_clause(place):
    place.case("index/labels", changed("- {N: 64, C: 4}", "- {N: 64, C: 4, inputs: {target: {full: 4}}}"))
    result, report = place.report("index/labels@cpu/batch-1")
    assert result.code == 2
    verdict = report["checks"][0]["verdict"]
    assert verdict["reason"] == "the input of batch-1 breaks target.max: C - 1 = 3, but target[0] = 4"
    assert verdict["line"] == 18


def test_a_relation_that_generated_inputs_break_says_which_input_needs_a_form(place):
    place.case("index/labels", changed("min: 0, max: C - 1}", "min: 0, max: C - 1}\n    where: {some_zero: \"target[0] == 0\"}"))
    result, report = place.report("index/labels@cpu/batch-2")
    reason = report["checks"][0]["verdict"]["reason"]
    assert result.code == 2 and reason.endswith("relations are checked, not solved: give target a form")


def test_an_unknown_operator_is_an_error_of_the_case_with_the_nearest_name(place):
    place.case("index/labels", changed("cross_entropy_loss(logits, target)\n\ncontract", "cross_entropy_los(logits, target)\n\ncontract"))
    result, report = place.report("index/labels@cpu/corrected")
    assert result.code == 2
    assert report["checks"][0]["verdict"]["reason"] == \
        'unknown operator aten::cross_entropy_los; did you mean "cross_entropy_loss"?'


def test_a_rejection_by_the_wrong_clause_is_broken(place):
    place.case("index/labels", changed("rejected: target.max", "rejected: target.min"))
    result, report = place.report("index/labels@cpu/failing")
    assert result.code == 1
    assert report["checks"][0]["verdict"]["seen"][0] == "guard() refused it by target.max"


def test_a_broken_file_does_not_stop_the_others(place):
    place.case("index/labels")
    place.case("index/broken", changed("symptom:", "symptoms:"))
    result, report = place.report("--device", "cpu")
    assert result.code == 2
    assert report["totals"]["held"] == 15
    assert "cases/index/broken.yaml:24:3: error: " in report["broken_files"][0]["messages"][0]
    assert 'did you mean "symptom"?' in report["broken_files"][0]["messages"][0]


def test_what_is_not_executed_is_refused_by_name_and_never_skipped(place):
    place.case("code/python", changed("subject:\n  - guard()\n  - loss = cross_entropy_loss(logits, target)\n",
                                      'subject: {python: "m:f", args: [logits, target], outputs: [loss]}\n'))
    result = place.relapse("run", "--device", "cpu")
    assert result.code == 2
    assert "`subject: {python: ...}` is read but not executed by relapse" in result.out


@pytest.mark.parametrize("words, message", [
    (["--mode", "asinc"], 'unknown mode "asinc"; did you mean "async"?'),
    (["--device", "cdua"], 'unknown device "cdua"; did you mean "cuda"?'),
])
def test_wrong_usage_is_refused_with_the_nearest_name(place, words, message):
    place.case("index/labels")
    result = place.relapse("run", *words)
    assert result.code == 2 and message in result.err


def test_a_list_option_does_not_swallow_the_cases_behind_it(place):
    place.case("index/labels")
    result, report = place.report("--device", "cpu", "index/labels@cpu/failing")
    assert result.code == 0 and list(verdicts(report)) == ["index/labels@cpu/failing"]


def test_an_unknown_option_or_command_is_wrong_usage(place):
    assert place.relapse("run", "--no-such-option").code == 2
    assert place.relapse("no-such-command").code == 2
    assert place.relapse().code == 2


def test_nothing_selected_is_4_and_a_near_id_is_named(place):
    place.case("index/labels")
    result = place.relapse("run", "index/lables")
    assert result.code == 4
    assert 'did you mean "index/labels"?' in result.err


def test_an_empty_folder_is_never_green(place):
    assert place.relapse("run").code == 4


@pytest.mark.parametrize("words, count", [
    (["index/labels"], 15), (["index"], 15), (["loss"], 15), (["cases/index/labels.yaml"], 15), (["i*/lab*"], 15),
    (["index/labels@cpu/batch-*"], 2), (["index/labels@cpu/failing"], 1), (["index/labels@*/corrected"], 1),
])
def test_selection_by_id_folder_label_path_glob_and_check(place, words, count):
    place.case("index/labels")
    place.case("numeric/other", changed("labels: [index, loss]", "labels: [numeric]"))
    result, report = place.report(*words, "--device", "cpu")
    assert result.code == 0, result
    assert len(report["checks"]) == count


def test_the_facts_of_every_step_are_in_the_record(place):
    place.case("index/labels")
    _, report = place.report("index/labels@cpu/corrected")
    step = report["checks"][0]["last_step"]
    assert step["text"] == "loss = cross_entropy_loss(logits, target)"
    target = next(f for f in step["inputs"] if f["name"] == "target")
    assert (target["dtype"], target["shape"], target["strides"], target["min"], target["max"]) == ("int64", [4], [1], "0", "3")
    logits = next(f for f in step["inputs"] if f["name"] == "logits")
    assert logits["finite"] is True


def test_needs_that_are_not_met_are_skipped_with_the_reason(place):
    place.case("index/labels", SMALL + "\nneeds: {memory: 900TiB}\n")
    result = place.relapse("run", "--device", "cpu")
    assert result.code == 77
    assert "needs 900 TiB of memory" in result.out


def test_a_repeated_check_that_always_holds_stays_green(place):
    place.case("index/labels")
    result, report = place.report("--device", "cpu", "--repeat", "3")
    assert result.code == 0
    assert len(report["attempts"]) == 3


def test_exec_gives_what_fork_gives(place):
    place.case("index/labels")
    _, forked = place.report("--device", "cpu")
    result, execed = place.report("--device", "cpu", "--spawn", "exec")
    assert result.code == 0
    digests = lambda r: {c["id"]: (c["verdict"]["kind"], [d["hash"] for d in c["observation"].get("results", [])]) for c in r["checks"]}
    assert digests(forked) == digests(execed)


def test_the_json_report_to_standard_output_is_only_json(place):
    place.case("index/labels")
    result = place.relapse("run", "--device", "cpu", "-q", "--json", "-")
    assert json.loads(result.out)["schema"] == 1


def test_the_program_needs_no_torch_library():
    import subprocess

    from conftest import RELAPSE
    libraries = subprocess.run(["ldd", RELAPSE], capture_output=True, text=True, check=True).stdout
    # Names only: an address may hold "c10" too.
    names = [line.split()[0] for line in libraries.splitlines()]
    assert not [name for name in names if "torch" in name or "c10" in name]
