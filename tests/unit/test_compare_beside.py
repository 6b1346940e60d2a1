"""What tunings claim and dumps say beside the rows of a comparison: which tunings count, the numbers of each row."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.compared import against, named, ops
from tui.claims import report_of, tunings_between
from tui.cli import run
from tui.compare.compare import compare
from tui.errors import NoSuchTable
from tui.model.comparison import Comparison
from tui.model.comparison_beside import with_claims, with_drift
from tui.model.dump import DumpComparison, Metrics, PairRow
from tui.model.jobs import Command, Job, JobResult
from tui.model.tuning import TunedOp, TuningResult


@pytest.fixture
def comparison() -> Comparison:
    a = ops([("Conv_0", "Conv2D", "1,3", 200.0), ("Add_1", "Add", "1,3", 50.0), ("Mul_2", "Mul", "1,3", 10.0)])
    b = ops([("Conv_0", "Conv2D", "1,3", 120.0), ("Sum_9", "Add", "1,3", 50.0), ("Mul_2", "Mul", "1,3", 10.0)])
    return against(a, b)


def report(*rows: tuple[str, float, float], unit: str = "us") -> TuningResult:
    return TuningResult("aoe_result_opat_1.json", "opat", ops=tuple(TunedOp(name, "", before, after)
                        for name, before, after in rows), unit=unit)  # type: ignore[arg-type]  # fmt: skip


def test_claims_stand_beside_the_measured_difference(comparison: Comparison) -> None:
    found = with_claims(comparison, [report(("Conv_0", 200.0, 150.0), ("unheard_of", 1.0, 0.5))])
    row = named(found, "Conv_0")
    assert (row["claimed_us"], row["claimed_pct"]) == (-50.0, -25.0)
    assert (row["delta_us"], row["delta_pct"]) == (-80.0, -40.0)
    assert named(found, "Mul_2")["claimed_pct"] is None


def test_the_newest_report_counts_and_the_name_in_b_will_do(comparison: Comparison) -> None:
    newer, older = report(("Sum_9", 50.0, 40.0)), report(("Sum_9", 50.0, 10.0), ("Conv_0", 8.0, 6.0))
    found = with_claims(comparison, [newer, older])
    assert named(found, "Add_1")["claimed_pct"] == -20.0
    assert named(found, "Conv_0")["claimed_pct"] == -25.0


def test_ticks_claim_a_share_but_no_time(comparison: Comparison) -> None:
    row = named(with_claims(comparison, [report(("Conv_0", 1000.0, 600.0), unit="ticks")]), "Conv_0")
    assert (row["claimed_us"], row["claimed_pct"]) == (None, -40.0)


def test_reports_about_other_operators_change_nothing(comparison: Comparison) -> None:
    assert with_claims(comparison, [report(("Conv_77", 2.0, 1.0))]) is comparison
    by_type = compare(comparison.a, comparison.b, "type")
    assert with_claims(by_type, [report(("Conv_0", 2.0, 1.0))]) is by_type


def metrics(cosine: float) -> Metrics:
    return Metrics(cosine, cosine, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def test_the_output_that_differs_most_stands_for_its_operator(comparison: Comparison) -> None:
    rows = (
        PairRow(0, "Conv_0", "Conv2D", "output:0", "ok", metrics=metrics(0.9999)),
        PairRow(0, "Conv_0", "Conv2D", "output:1", "drift", metrics=metrics(0.985)),
        PairRow(0, "Conv_0", "Conv2D", "input:0", "bad", metrics=metrics(0.1)),
        PairRow(1, "Sum_9", "Add", "output:0", "ok", metrics=metrics(1.0), golden_name="Add_golden"),
        PairRow(2, "Mul_2", "Mul", "output:0", "no_pair"),
    )
    found = with_drift(comparison, DumpComparison("a", "b", rows))
    assert (named(found, "Conv_0")["cosine"], named(found, "Conv_0")["drift"]) == (0.985, "drift")
    assert (named(found, "Add_1")["cosine"], named(found, "Add_1")["drift"]) == (1.0, "ok")
    assert (named(found, "Mul_2")["cosine"], named(found, "Mul_2")["drift"]) == (None, "")
    assert with_drift(comparison, DumpComparison("a", "b", rows[4:])) is comparison


def job(number: int, tool: str, result: str = "", baseline: str = "", state: str = "done") -> Job:
    made = Command(tool, (tool,), "/w", baseline=baseline)  # type: ignore[arg-type]
    results = (JobResult("profile", result),) if result else ()
    return Job(number, made, state=state, results=results)  # type: ignore[arg-type]


def numbers(jobs: list[Job], a: str, b: str) -> list[int]:
    return [found.id for found in tunings_between(jobs, Path(a), Path(b))]


def test_tunings_between_two_collections_count() -> None:
    jobs = [job(1, "aoe"), job(2, "msprof", "/p/PROF_1"), job(3, "aoe"), job(4, "aoe", state="failed"), job(5, "aoe"),
            job(6, "msprof", "/p/PROF_2"), job(7, "aoe")]  # fmt: skip
    assert numbers(jobs, "/p/PROF_1", "/p/PROF_2") == [5, 3]
    assert numbers(jobs, "/p/PROF_1/device_0", "/p/PROF_2") == [5, 3]
    assert numbers(jobs, "/p/PROF_2", "/p/PROF_1") == []
    assert numbers(jobs, "/elsewhere", "/p/PROF_2") == []


def test_a_tuning_started_on_the_baseline_counts_without_the_job_of_a_profile() -> None:
    jobs = [job(1, "aoe", baseline="/p/before"), job(2, "aoe", baseline="/p/other"), job(3, "msprof", "/p/PROF_2")]
    assert numbers(jobs, "/p/before", "/p/PROF_2") == [1]
    assert numbers(jobs, "/p/before", "/p/copied_from_elsewhere") == [1]
    assert numbers(jobs, "/p/unknown", "/p/copied_from_elsewhere") == []


def opat(folder: Path) -> Path:
    """A report about one operator of the sample."""
    path = folder / "aoe_result_opat_20240521110000_1.json"
    row = {
        "op_name": "Conv_0", "op_type": "Conv2D", "performance_before_tune(us)": 3170.625,
        "performance_after_tune(us)": 2204.31,
    }  # fmt: skip
    repo = {"repo_modified_operators": {"add_repo_operators": [row], "update_repo_operators": []}}
    path.write_text(json.dumps([{"OPAT": repo}]), encoding="utf-8")
    return path


def test_a_report_named_on_the_command_line(samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = [str(samples / name) for name in ("mish_before", "mish_after")]
    assert run(["compare", *sides, "--format", "json", "--tuning", str(opat(tmp_path))]) == 0
    row = next(row for row in json.loads(capsys.readouterr().out)["rows"] if row["op_name"] == "Conv_0")
    assert row["claimed_us"] == pytest.approx(2204.31 - 3170.625)
    assert row["claimed_pct"] == pytest.approx(-100 * 966.315 / 3170.625)
    assert row["delta_us"] == -1755.443


def test_a_file_that_names_no_operators_is_refused(tmp_path: Path) -> None:
    (tmp_path / "aoe_result_opat_1.json").write_text("[]", encoding="utf-8")
    with pytest.raises(NoSuchTable, match="aoe_result_opat_1"):
        report_of(tmp_path / "aoe_result_opat_1.json")


def test_numbers_are_missing_where_nothing_is_claimed(comparison: Comparison) -> None:
    values = with_claims(comparison, [report(("Conv_0", 2.0, 1.0))]).table.number("claimed_pct")
    assert values is not None
    assert int(np.isfinite(values).sum()) == 1
