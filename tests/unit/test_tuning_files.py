"""Reports of tuning: three generations, half-written files, hostile content, and what real ones say."""

from __future__ import annotations

import json
import math
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.standins import finished, tuning
from tui.model.jobs import Command, Job
from tui.tools.consoles import aoe_console
from tui.tools.tuning_dirs import all_ops, bank_entries, export_line, new_files, tuning_outcome
from tui.tools.tuning_files import kind_of, read_tuning, with_model_time

GENERATION_1: Any = [
    {"basic": {"tuning_name": "resnet50", "tuning_time(s)": 1109}},
    {"OPAT": {
        "model_baseline_performance(ms)": 4.06,
        "model_performance_improvement": "32.68%",
        "model_result_performance(ms)": 3.06,
        "opat_tuning_result": "tuning successful",
        "repo_modified_operators": {
            "add_repo_operators": [
                {"op_name": "Add_1", "op_type": "Add", "performance_after_tune(us)": "10us",
                 "performance_before_tune(us)": "0.012 ms", "performance_improvement": "20%"},
                {"op_name": "Conv_0", "op_type": "Conv2D", "performance_after_tune(us)": 1415.182,
                 "performance_before_tune(us)": 3170.625, "performance_improvement": "124.04%"}],
            "update_repo_operators": [{"op_name": "Mul_2", "op_type": "Mul"}]},
        "repo_summary": {"repo_add_num": 1, "repo_hit_num": 3, "total_num": 11},
        "a new key": {"x": 1}}},
]  # fmt: skip


def written(folder: Path, content: object, name: str = "aoe_result_opat_20240105093011_4711.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_generation_1_rows_come_by_what_they_save(tmp_path: Path) -> None:
    (result,), problems = read_tuning(written(tmp_path, GENERATION_1))
    assert problems == []
    assert [op.name for op in result.ops] == ["Conv_0", "Add_1", "Mul_2"]
    first, second, third = result.ops
    assert first.saved == pytest.approx(1755.443)
    assert first.gain_pct == pytest.approx(55.36583, abs=1e-5)
    assert first.speedup_pct == pytest.approx(124.04362, abs=1e-5)
    assert (first.claimed, first.update) == ("124.04%", "add")
    assert first.share_pct == pytest.approx(43.23751, abs=1e-5)
    assert (second.before, second.after) == (12.0, 10.0)
    assert math.isnan(third.saved)
    assert third.update == "update"
    assert result.model_gain_pct == pytest.approx(24.63054, abs=1e-5)
    assert (result.claimed, result.outcome, result.tuning_time_s) == ("32.68%", "tuning successful", 1109.0)
    assert result.summary == {"repo_add_num": 1, "repo_hit_num": 3, "total_num": 11}
    assert result.rest == {"a new key": {"x": 1}}


def test_generation_2_is_keyed_by_report_and_spells_the_result_otherwise(tmp_path: Path) -> None:
    body = {"opat_tune_result": "tune failed", "tune_failed_operators": ["Conv_7"],
            "model_baseline_performance(ms)": 12.0, "model_result_performance(ms)": 12.0}  # fmt: skip
    reports = {
        "report_20240105093011_4711": [{"basic": {"tuning_name": "graph_1"}}, {"OPAT": body},
                                       {"basic": {"tuning_name": "graph_2"}}, {"OPAT": {}}],
    }  # fmt: skip
    results, problems = read_tuning(written(tmp_path, reports))
    assert problems == []
    assert [(result.name, result.outcome) for result in results] == [("graph_1", "tune failed"), ("graph_2", "")]
    assert results[0].failed_ops == ("Conv_7",)
    assert results[0].model_gain_pct == 0
    listed, _problems = read_tuning(written(tmp_path, {"report_list": [reports]}))
    assert [result.name for result in listed] == ["graph_1", "graph_2"]


def test_generation_3_has_a_row_per_tuner(tmp_path: Path) -> None:
    times = {"performance_after_tune(us)": 90.0, "performance_before_tune(us)": 100.0, "update_mode": "update"}
    entry = {"op_name": "Conv_1", "op_type": "Conv2D", "tune_performance": {"Schedule": times, "Format": times}}
    content = [{"OPAT": {"repo_modified_operators": {"add_repo_operators": [entry]}}}]
    (result,), _problems = read_tuning(written(tmp_path, content))
    assert [(op.tuner, op.update, op.saved) for op in result.ops] == [
        ("Schedule", "update", 10.0), ("Format", "update", 10.0),
    ]  # fmt: skip


def test_the_subgraph_report_is_read_alike(tmp_path: Path) -> None:
    body = {"model_baseline_performance(ms)": 10, "model_result_performance(ms)": 8, "sgat_tuning_result": "ok"}
    path = written(tmp_path, [{"basic": {"tuning_name": "m"}}, {"SGAT": body}], "aoe_result_sgat_1_2.json")
    (result,), _problems = read_tuning(path)
    assert (result.kind, result.outcome, result.model_gain_pct) == ("sgat", "ok", 20.0)


def test_the_fragment_of_the_documentation(shared_data: Path) -> None:
    (path,) = (shared_data / "aoe_opat_doc_snippet").glob("aoe_result_opat_*.json")
    (result,), problems = read_tuning(path)
    assert problems == []
    (op,) = result.ops
    assert (op.name, op.type, op.tuner, op.update) == ("Conv_125", "Conv2D", "Schedule", "add")
    assert (op.before, op.after, op.claimed) == (72.055, 72.046, "0.01%")
    assert f"{op.gain_pct:.2f}" == "0.01"


def test_a_real_auto_tune_report(shared_data: Path) -> None:
    folder = shared_data / "autotune_result_2022"
    (path,) = folder.glob("tune_result_*.json")
    expected = json.loads((folder / "expected.json").read_text())["files"][path.name]["tune"]
    (result,), problems = read_tuning(path)
    assert problems == []
    assert (len(result.ops), result.unit) == (expected["ops"], "ticks")
    assert (result.before, result.after) == (float(expected["sum_before"]), float(expected["sum_after"]))
    assert result.improved == expected["improved"]
    assert result.ops[0].name == expected["largest_gain"]["name"]
    assert result.ops[0].saved == float(expected["largest_gain"]["gain"])


def test_a_half_written_report_gives_what_is_whole(tmp_path: Path) -> None:
    text = json.dumps(GENERATION_1, indent=1)
    results, problems = read_tuning(written(tmp_path, text[: text.index("124.04%")]))
    assert [op.name for op in results[0].ops] == ["Add_1", "Conv_0"] or results[0].ops[0].name == "Conv_0"
    assert not results[0].complete
    assert "ends in the middle" in problems[0].what


def test_every_cut_of_a_report_is_survived(tmp_path: Path) -> None:
    text = json.dumps(GENERATION_1)
    rows = set()
    for end in range(0, len(text), 7):
        results, problems = read_tuning(written(tmp_path, text[:end]))
        assert problems
        rows.add(sum(len(result.ops) for result in results))
    assert rows >= {0, 1, 2}


@pytest.mark.parametrize(
    "content",
    ["", "  ", "no json", "{}", "[]", "null", "3", '{"op_name": 1}', "[" * 20_000, '[{"OPAT": 7}]',
     '[{"OPAT": {"x": NaN}}]', '{"a": {"result_data": 3}}',
     '[{"OPAT": {"repo_modified_operators": {"add_repo_operators": [1, null, {}]}}}]'],
)  # fmt: skip
def test_hostile_reports_never_crash(tmp_path: Path, content: str) -> None:
    results, problems = read_tuning(written(tmp_path, content))
    assert results or problems
    for result in results:
        assert math.isfinite(result.before)


def test_a_report_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    assert "cannot be read" in read_tuning(tmp_path / "aoe_result_opat_1.json")[1][0].what
    (tmp_path / "aoe_result_opat_2.json").mkdir()
    assert "cannot be read" in read_tuning(tmp_path / "aoe_result_opat_2.json")[1][0].what


def test_names_tell_what_a_report_is() -> None:
    assert kind_of("aoe_result_opat_20240105093011_4711.json") == "opat"
    assert kind_of("aoe_result_sgat_20240105093011_4711.json") == "sgat"
    assert kind_of("tune_result_20220813_115510216_pid13162.json") == "autotune"
    assert kind_of("result.json") is None


def test_the_share_of_the_model_can_come_from_a_profile(tmp_path: Path) -> None:
    (result,), _problems = read_tuning(written(tmp_path, GENERATION_1))
    assert with_model_time(result, 17554.43).ops[0].share_pct == pytest.approx(10.0)
    assert with_model_time(result, 0.0) is result


def test_the_gain_is_read_from_the_console() -> None:
    console = aoe_console(
        ["m process finished. Performance improved by 12.34%", "[Aoe]Aoe process finished,cost time 9s."]
    )
    assert (console.succeeded, console.gains_pct, console.cost_s) == (True, (12.34,), 9.0)
    failed = aoe_console(["EG0002: Environment variable X is invalid.", "   Solution: none", "WG0000: memory is short"])
    assert not failed.succeeded
    assert [code for code, _text in failed.codes] == ["EG0002", "WG0000"]
    assert not aoe_console([]).succeeded


def test_both_tunings_leave_what_is_found_again(tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    bank.mkdir()
    first = finished(tuning(tmp_path, "1", bank=str(bank)))
    assert (first.state, first.claimed_gain_pct) == ("done", 6.41)
    second = finished(tuning(tmp_path, "2", bank=str(bank)))
    assert (second.state, second.claimed_gain_pct) == ("done", 10.05)
    assert [result.kind for result in second.results] == ["tuning", "model", "bank"]
    assert (second.bank_before, second.bank_after) == (1, 2)
    assert second.results[-1].note == "1 entries before, 2 after"
    rows = all_ops(tuning_outcome(second))
    assert rows is not None
    assert [op.name for op in rows.ops] == ["Conv_0", "Conv_8", "Conv_125"]
    assert rows.ops[0].share_pct == pytest.approx(100 * 966.315 / 12400)


def test_old_files_of_the_working_directory_are_not_results(tmp_path: Path) -> None:
    folder = tmp_path / "m_1" / "tunespace" / "result"
    folder.mkdir(parents=True)
    model = folder / "m_1_tune.om"
    model.write_bytes(b"om")
    begin_s = time.time() + 10
    job = Job(1, Command("aoe", ("aoe",), str(tmp_path), "tune"), before=(str(model),), started_s=begin_s)
    assert new_files(job) == ()
    assert new_files(replace(job, before=())) == (model,)
    os.utime(model, (begin_s + 1, begin_s + 1))
    assert new_files(job) == (model,)


def test_the_line_that_makes_later_builds_use_a_bank() -> None:
    assert export_line("/w/bank") == "export TUNE_BANK_PATH=/w/bank"
    assert export_line("/w/my bank") == "export TUNE_BANK_PATH='/w/my bank'"
    assert bank_entries("/no/such") is None
