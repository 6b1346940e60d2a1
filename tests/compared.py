"""Two operator tables to compare, and the rows of a comparison as plain values, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.unit.tables import number, text, time
from tui.compare.compare import compare
from tui.model.comparison import By, Comparison, Facts, Side
from tui.model.table import Table, TextColumn
from tui.model.writers import json_number

Op = tuple[str, str, str, float]
"""Name, type, input shapes, duration in µs."""


def ops(rows: Sequence[Op], starts_us: Sequence[float] = (), core: str = "AI_CORE") -> Table:
    """An operator table; without starts the rows follow each other without a gap."""
    durations = [duration for *_texts, duration in rows]
    begins = list(starts_us) or [sum(durations[:row]) for row in range(len(rows))]
    columns = (
        text("op_name", [name for name, _type, _shapes, _us in rows]),
        text("op_type", [op_type for _name, op_type, _shapes, _us in rows]),
        text("task_type", [_core(op_type, core) for _name, op_type, _shapes, _us in rows]),
        time("start_ns", [round(1_000_000 + begin * 1000) for begin in begins]),
        number("task_duration_us", durations, "us"),
        text("input_shapes", [shapes for _name, _type, shapes, _us in rows]),
    )
    return Table("ops", columns)


def _core(op_type: str, core: str) -> str:
    return "COMMUNICATION" if op_type.startswith("hcom_") else "AI_CPU" if op_type == "NonZero" else core


def against(a: Table | None, b: Table | None, by: By = "name", apis: tuple[Table, Table] | None = None) -> Comparison:
    """B against A."""
    api_a, api_b = apis or (None, None)
    return compare(Side("A", Facts(), a, apis=api_a), Side("B", Facts(), b, apis=api_b), by)


def rows_of(comparison: Comparison) -> list[dict[str, Any]]:
    """The rows as values by key, in order; None for a missing number."""
    table = comparison.table
    cells: dict[str, list[Any]] = {}
    for column in table.columns:
        if isinstance(column, TextColumn):
            cells[column.info.key] = column.texts(slice(None))
        else:
            cells[column.info.key] = [
                json_number(value, column.info.kind == "time") for value in column.values.tolist()
            ]
    return [dict(zip(cells, row)) for row in zip(*cells.values())]


def named(comparison: Comparison, name: str) -> dict[str, Any]:
    """The one row of that name."""
    (row,) = (row for row in rows_of(comparison) if row["op_name"] == name)
    return row
