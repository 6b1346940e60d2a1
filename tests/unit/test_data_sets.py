"""Every table of the real data sets, through the command line, against facts that an independent script computed."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SHARED_DATA
from tui.cli import run
from tui.readers.discover import discover
from tui.readers.select import table_kinds

Row = dict[str, Any]
Facts = dict[str, Any]

pytestmark = pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real data sets are not beside the checkout")

KIND_BY_FACT = {
    "op_table": "ops",
    "op_statistic": "op-types",
    "api_statistic": "apis",
    "task_time": "tasks",
    "step_trace": "steps",
    "host_self_top": "operator_details",
}


def expectations() -> Iterator[tuple[str, str, Facts]]:
    """(set, file, facts) of each file that a set describes."""
    for path in sorted(SHARED_DATA.glob("*/expected.json")):
        for name, facts in sorted(json.loads(path.read_text(encoding="utf-8")).get("files", {}).items()):
            yield path.parent.name, name, facts


def cases(fact: str = "", kind: str = "csv") -> list[Any]:
    """The files of a kind, or those whose facts hold `fact`, as test parameters."""
    return [
        pytest.param(SHARED_DATA / folder / name, facts, id=f"{folder}-{name}")
        for folder, name, facts in expectations()
        if facts["kind"] == kind and (not fact or fact in facts)
    ]


SETS = sorted(path.parent.name for path in SHARED_DATA.glob("*/expected.json"))


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints when it succeeds."""
    capsys.readouterr()
    code = run(arguments)
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return captured.out


def rows_of(capsys: pytest.CaptureFixture[str], kind: str, path: Path, *options: str) -> list[Row]:
    """Rows of a table as the command prints them, numbers as exact decimals."""
    text = printed(capsys, "table", kind, str(path), "--format", "json", *options)
    rows: list[Row] = json.loads(text, parse_float=Decimal)
    return rows


def kind_of(path: Path, facts: Facts) -> str:
    for fact, kind in KIND_BY_FACT.items():
        if fact in facts:
            return kind
    return table_kinds(discover(path).profiles[0])[0]


def total(rows: list[Row], key: str) -> Decimal:
    return sum((Decimal(row[key]) for row in rows if row[key] is not None), Decimal(0))


def totals_by(rows: list[Row], name: str, key: str) -> dict[str, Decimal]:
    totals: dict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        if row[key] is not None:
            totals[row[name]] += Decimal(row[key])
    return totals


def assert_top(rows: list[Row], name: str, key: str, expected: list[dict[str, str]]) -> None:
    """The largest totals are the expected ones, in that order."""
    largest = sorted(totals_by(rows, name, key).values(), reverse=True)[: len(expected)]
    assert largest == [Decimal(entry["total"]) for entry in expected]
    assert {entry["name"]: Decimal(entry["total"]) for entry in expected}.items() <= totals_by(rows, name, key).items()


def ns(text_us: str) -> int:
    """A decimal text in us as ns."""
    return int(Decimal(text_us) * 1000)


@pytest.mark.parametrize(("path", "facts"), cases())
def test_rows_of_every_csv(path: Path, facts: Facts, capsys: pytest.CaptureFixture[str]) -> None:
    """As many rows and columns as the file has."""
    rows = rows_of(capsys, kind_of(path, facts), path)
    assert len(rows) == facts["rows"]
    if rows and kind_of(path, facts) != "apis" and not facts["ragged_rows"]:
        headings = [heading for heading in facts["header"] if heading.strip()]
        from_path = set(rows[0]) & {"device_id"} if not {"Device_id", "Device Id"} & set(headings) else set()
        assert len(rows[0]) - len(from_path) == len(headings)


@pytest.mark.parametrize(("path", "facts"), cases("op_table"))
def test_operators(path: Path, facts: Facts, capsys: pytest.CaptureFixture[str]) -> None:
    """Durations add up exactly; tops, cores and times to the ns are right."""
    expected = facts["op_table"]
    rows = rows_of(capsys, "ops", path)
    assert total(rows, "task_duration_us") == Decimal(expected["sum_duration_us"])
    assert sum(row["task_duration_us"] is None for row in rows) == expected["rows_without_duration"]
    if not rows:
        return
    assert_top(rows, "op_name", "task_duration_us", expected["top_by_name"])
    assert_top(rows, "op_type", "task_duration_us", expected["top_by_type"])
    assert len({row["op_name"] for row in rows}) == expected["distinct_names"]
    assert Counter(row["task_type"] for row in rows) == expected["rows_by_core"]
    by_core = totals_by(rows, "task_type", "task_duration_us")
    assert by_core == {core: Decimal(value) for core, value in expected["duration_by_core_us"].items()}
    starts = [row["start_ns"] for row in rows]
    assert (min(starts), max(starts)) == (ns(expected["first_start"]), ns(expected["last_start"]))
    assert rows[0]["op_name"] == expected["longest_row"]["name"], "the longest operator comes first"
    assert Decimal(rows[0]["task_duration_us"]) == Decimal(expected["longest_row"]["duration_us"])


@pytest.mark.parametrize(("path", "facts"), cases("op_table"))
def test_groups_of_operators(path: Path, facts: Facts, capsys: pytest.CaptureFixture[str]) -> None:
    """Grouped totals are the exact decimal sums; groups are ordered by them."""
    groups = rows_of(capsys, "ops", path, "--group", "type")
    expected = facts["op_table"]["top_by_type"]
    assert sum(group["count"] for group in groups) == facts["rows"]
    if not groups:
        return
    assert [Decimal(group["total_us"]) for group in groups[: len(expected)]] == [Decimal(e["total"]) for e in expected]
    assert set(groups[0]) == set("op_type count total_us share_pct min_us mean_us max_us cv".split())


@pytest.mark.parametrize(("path", "facts"), cases("op_statistic"))
def test_operator_types(path: Path, facts: Facts, capsys: pytest.CaptureFixture[str]) -> None:
    """Totals and counts of op_statistic."""
    expected = facts["op_statistic"]
    rows = rows_of(capsys, "op-types", path)
    assert total(rows, "total_time_us") == Decimal(expected["sum_total_us"])
    assert total(rows, "count") == Decimal(expected["sum_count"])
    assert_top(rows, "op_type", "total_time_us", expected["top"])
    assert rows[0]["op_type"] == expected["top"][0]["name"], "the largest total comes first"


@pytest.mark.parametrize(("path", "facts"), cases("api_statistic"))
def test_apis(path: Path, facts: Facts, capsys: pytest.CaptureFixture[str]) -> None:
    """Totals, levels and counts of API statistics; shares of a level add up to 100 %."""
    expected = facts["api_statistic"]
    rows = rows_of(capsys, "apis", path)
    assert total(rows, "time_us") == Decimal(expected["sum_time_us"])
    assert total(rows, "count") == Decimal(expected["sum_count"])
    assert totals_by(rows, "level", "time_us") == {k: Decimal(v) for k, v in expected["time_by_level_us"].items()}
    assert_top(rows, "api_name", "time_us", expected["top"])
    assert rows[0]["api_name"] == expected["top"][0]["name"], "the longest API comes first"
    if "Time(%)" not in facts["header"]:
        for share in totals_by(rows, "level", "time_ratio_pct").values():
            assert float(share) == pytest.approx(100.0, abs=0.001)
    assert {"span_pct", "time_ratio_pct"} <= set(rows[0])


@pytest.mark.parametrize(("path", "facts"), cases("task_time"))
def test_tasks(path: Path, facts: Facts, capsys: pytest.CaptureFixture[str]) -> None:
    """The durations of task_time add up exactly."""
    rows = rows_of(capsys, "tasks", path)
    expected = {key: value for key, value in facts["task_time"].items() if key.startswith("sum")}
    assert expected
    for value in expected.values():
        assert total(rows, "task_time_us") == Decimal(value)


@pytest.mark.parametrize(("path", "facts"), cases("step_trace"))
def test_steps(path: Path, facts: Facts, capsys: pytest.CaptureFixture[str]) -> None:
    """Each cell of step_trace_time, as far as a double holds it."""
    rows = rows_of(capsys, "steps", path)
    for row, expected in zip(rows, facts["step_trace"]):
        wanted = [float(value) for key, value in expected.items() if key not in ("Device_id", "Step") and value]
        found = [float(value) for value in row.values() if isinstance(value, (int, Decimal))]
        assert [value for value in wanted if value not in found] == []


@pytest.mark.parametrize(("path", "facts"), cases("host_self_top"))
def test_framework_operators(path: Path, facts: Facts, capsys: pytest.CaptureFixture[str]) -> None:
    """Sums of operator_details; cells there have up to 20 digits, more than a double."""
    rows = rows_of(capsys, "operator_details", path)
    for side in ("host", "device"):
        key = f"{side}_self_duration_us"
        assert float(total(rows, key)) == pytest.approx(float(facts[f"{side}_self_sum_us"]), rel=1e-14)
        for entry in facts[f"{side}_self_top"]:
            assert float(totals_by(rows, name_key(rows), key)[entry["name"]]) == pytest.approx(
                float(entry["total"]), rel=1e-14
            )


def name_key(rows: list[Row]) -> str:
    return "op_name" if "op_name" in rows[0] else "name"


def test_slices_are_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The two halves of a sliced export have the rows of the file that they were cut from."""
    whole = SHARED_DATA / "prof_triton_matmul_910b" / "mindstudio_profiler_output"
    sliced = rows_of(capsys, "ops", SHARED_DATA / "derived_edge_cases" / "sliced", "--sort", "start")
    assert sliced == rows_of(capsys, "ops", whole, "--sort", "start")


def test_recomputed_operator_types_equal_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    """Without op_statistic the types come from op_summary, with the same numbers."""
    folder = SHARED_DATA / "prof_triton_matmul_910b" / "mindstudio_profiler_output"
    written = rows_of(capsys, "op-types", folder)
    rebuilt = rows_of(capsys, "op-types", next(folder.glob("op_summary_*.csv")))
    for from_file, from_rows in zip(written, rebuilt):
        for key in ("op_type", "core_type", "count", "total_time_us", "min_us", "max_us"):
            assert from_rows[key] == from_file[key]
        assert float(from_rows["ratio_pct"]) == pytest.approx(float(from_file["ratio_pct"]), abs=0.001)
    assert len(written) == len(rebuilt)


def test_recomputed_apis_equal_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    """API statistics from the timeline alone have the times and counts of api_statistic."""
    folder = SHARED_DATA / "prof_triton_matmul_910b" / "mindstudio_profiler_output"
    written = {(row["level"], row["api_name"]): row for row in rows_of(capsys, "apis", folder)}
    rebuilt = {
        (row["level"], row["api_name"]): row for row in rows_of(capsys, "apis", next(folder.glob("msprof_*.json")))
    }
    assert rebuilt.keys() == written.keys()
    for key, row in written.items():
        assert (rebuilt[key]["time_us"], rebuilt[key]["count"]) == (row["time_us"], row["count"]), key


@pytest.mark.parametrize(("path", "facts"), cases(kind="trace"))
def test_check_of_every_timeline(path: Path, facts: Facts, capsys: pytest.CaptureFixture[str]) -> None:
    """Events by phase, flows, first and last time of each timeline, as written in the file."""
    capsys.readouterr()
    assert run(("check", str(path), "--format", "json")) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    assert found["events_by_phase"] == facts["by_phase"]
    assert found["flow_pairs"] == facts["flow_pairs"]
    for key in ("first_ts", "last_ts"):
        assert (Decimal(found[key]) if found[key] else None) == (Decimal(facts[key]) if facts[key] else None)


@pytest.mark.parametrize("name", SETS)
def test_check_explains_every_set(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, 1 or 2, and at least one line that says what the set is."""
    code = run(("check", str(SHARED_DATA / name)))
    captured = capsys.readouterr()
    assert code in (0, 1, 2)
    assert (captured.out + captured.err).strip()
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("name", SETS)
def test_report_of_every_set(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The report answers, or says in one line why not; it never fails."""
    code = run(("report", str(SHARED_DATA / name), "--format", "json"))
    captured = capsys.readouterr()
    assert code in (0, 2), captured.err
    if code == 0:
        assert set(json.loads(captured.out)) == set("profile split top_ops top_apis findings not_evaluated".split())
    else:
        assert captured.err.startswith("npuscope: ")
