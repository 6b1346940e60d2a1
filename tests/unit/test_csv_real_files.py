"""Every CSV of the collected data sets against facts that an independent script computed."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tui.model.table import MISSING_NS, Table, TextColumn
from tui.readers import csv_import
from tui.readers.tables import PartRequest, TableRequest, open_table

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
KIND = re.compile(r"([a-z][a-z0-9_]*?)(?:_\d+)*(?:_slice_\d+)?(?:_\d+)?\.csv")

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the collected data sets are not beside the repository")


def found_facts() -> Iterator[Any]:
    for expected in sorted(DATA.glob("*/expected.json")):
        facts = json.loads(expected.read_text(encoding="utf-8"))
        for name, fact in facts["files"].items():
            if fact["kind"] == "csv" and (expected.parent / name).is_file():
                yield pytest.param(expected.parent / name, fact, id=f"{expected.parent.name}-{Path(name).name}")


CSV_FACTS = tuple(found_facts())


@pytest.fixture(autouse=True, params=[False, True], ids=["by record", "by the C parser"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files are split record by record, larger ones by the C parser: both must give the same."""
    monkeypatch.setattr(csv_import, "_wants_pandas", lambda plan: request.param)


def read(path: Path) -> Table:
    match = KIND.fullmatch(path.name)
    kind = match.group(1) if match else ""
    return open_table(TableRequest(kind, (PartRequest(str(path), "", kind),)))


@pytest.mark.parametrize(("path", "fact"), CSV_FACTS)
def test_rows_headings_and_ragged_rows(path: Path, fact: dict[str, Any]) -> None:
    table = read(path)
    assert table.row_count == fact["rows"]
    assert table.complete
    headings = [column.info.heading for column in table.columns]
    assert headings == [heading.strip() for heading in fact.get("header", []) if heading.strip()]
    ragged = [
        problem for problem in table.problems if "cells than the heading" in problem.what or "cut off" in problem.what
    ]
    assert bool(ragged) == bool(fact.get("ragged_rows"))
    if fact.get("empty"):
        assert [problem.what for problem in table.problems] == ["the file is empty"]


@pytest.mark.parametrize(("path", "fact"), CSV_FACTS)
def test_cells_are_those_of_the_file(path: Path, fact: dict[str, Any]) -> None:
    """Numbers have the digits of the file, texts its words, times its nanoseconds."""
    table = read(path)
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file) if row][1:]
    for index, column in enumerate(table.columns):
        cells = [(row[index] if index < len(row) else "").strip().strip('"') for row in rows]
        if isinstance(column, TextColumn):
            assert [text.strip('"') for text in column.texts(slice(None))] == cells
        elif column.info.kind == "time":
            got = [None if value == MISSING_NS else value for value in column.values.tolist()]
            assert got == [ns_of(cell, column.info.heading) for cell in cells]
        else:
            got = [None if np.isnan(value) else Decimal(repr(value)) for value in column.values.tolist()]
            assert got == [decimal_of(cell) for cell in cells]


def decimal_of(cell: str) -> Decimal | None:
    return Decimal(cell) if re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", cell) else None


def ns_of(cell: str, heading: str) -> int | None:
    value = decimal_of(cell)
    if value is None:
        return None
    scale = 1 if heading.endswith("(ns)") or ("(" not in heading and value == value.to_integral_value()) else 1000
    return int(value * scale)


@pytest.mark.parametrize(("path", "fact"), [param for param in CSV_FACTS if "op_table" in param.values[1]])
def test_operator_tables(path: Path, fact: dict[str, Any]) -> None:
    table, wanted = read(path), fact["op_table"]
    durations = exact(table, "task_duration_us")
    present = [value for value in durations if value is not None]
    assert sum(present, Decimal(0)) == Decimal(wanted["sum_duration_us"])
    assert len(durations) - len(present) == wanted["rows_without_duration"]
    assert top(table, "op_name", "task_duration_us")[:3] == pairs(wanted["top_by_name"])
    assert top(table, "op_type", "task_duration_us")[:3] == pairs(wanted["top_by_type"])
    names, types = table.text("op_name"), table.text("op_type")
    assert names is not None
    assert types is not None
    assert len(set(names.texts(slice(None)))) == wanted["distinct_names"]
    assert len(set(types.texts(slice(None)))) == wanted["distinct_types"]
    starts = table.time("start_ns")
    assert starts is not None
    if wanted["first_start"] is not None:
        assert int(starts.min()) == int(Decimal(wanted["first_start"]) * 1000)
        assert int(starts.max()) == int(Decimal(wanted["last_start"]) * 1000)


@pytest.mark.parametrize(("path", "fact"), [param for param in CSV_FACTS if "op_statistic" in param.values[1]])
def test_operator_statistics(path: Path, fact: dict[str, Any]) -> None:
    table, wanted = read(path), fact["op_statistic"]
    assert sum(filter(None, exact(table, "total_time_us"))) == Decimal(wanted["sum_total_us"])
    assert sum(filter(None, exact(table, "count"))) == Decimal(wanted["sum_count"])
    assert top(table, "op_type", "total_time_us")[:3] == pairs(wanted["top"])


@pytest.mark.parametrize(("path", "fact"), [param for param in CSV_FACTS if "api_statistic" in param.values[1]])
def test_api_statistics(path: Path, fact: dict[str, Any]) -> None:
    table, wanted = read(path), fact["api_statistic"]
    assert sum(filter(None, exact(table, "time_us"))) == Decimal(wanted["sum_time_us"])
    assert top(table, "api_name", "time_us")[:3] == pairs(wanted["top"])
    assert dict(top(table, "level", "time_us")) == {
        level: Decimal(total) for level, total in wanted["time_by_level_us"].items()
    }


@pytest.mark.parametrize(("path", "fact"), [param for param in CSV_FACTS if "task_time" in param.values[1]])
def test_task_times(path: Path, fact: dict[str, Any]) -> None:
    table, wanted = read(path), fact["task_time"]
    starts, stops = table.time("start_ns"), table.time("stop_ns")
    assert starts is not None
    assert stops is not None
    assert sum(filter(None, exact(table, "task_time_us"))) == Decimal(wanted["sum_us"])
    assert int(starts.min()) == int(Decimal(wanted["first_start"]) * 1000)
    assert int(stops.max()) == int(Decimal(wanted["last_stop"]) * 1000)


def test_slices_add_up_to_their_parent() -> None:
    slices = sorted((DATA / "derived_edge_cases" / "sliced").rglob("op_summary*.csv"))
    parent = read(next((DATA / "prof_triton_matmul_910b").rglob("op_summary*.csv")))
    whole = open_table(TableRequest("ops", tuple(PartRequest(str(path), "", "op_summary") for path in slices)))
    assert [part.rows for part in whole.parts] == [4, 5]
    assert whole.row_count == parent.row_count == 9
    assert whole.keys == parent.keys
    assert exact(whole, "task_duration_us") == exact(parent, "task_duration_us")
    assert whole.place(4) == (str(slices[1]), 1)


def exact(table: Table, key: str) -> list[Decimal | None]:
    values = table.number(key)
    assert values is not None
    return [None if np.isnan(value) else Decimal(repr(value)) for value in values.tolist()]


def top(table: Table, name_key: str, value_key: str) -> list[tuple[str, Decimal]]:
    names = table.text(name_key)
    assert names is not None
    totals: dict[str, Decimal] = defaultdict(Decimal)
    for name, value in zip(names.texts(slice(None)), exact(table, value_key)):
        totals[name] += value or 0
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))


def pairs(wanted: list[dict[str, str]]) -> list[tuple[str, Decimal]]:
    return [(item["name"], Decimal(item["total"])) for item in wanted]
