"""The rows of a comparison as a table, for the grid and the filters of the screens and the headless twin."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Union

import numpy as np

from tui.dump.headroom import headroom
from tui.dump.reasons import reason_of, shape_text
from tui.model.dump import DumpComparison, PairRow, SideStats
from tui.model.inventory import text_column
from tui.model.table import Column, ColumnInfo, NumberColumn, Table
from tui.model.writers import json_number

Value = Union[str, float, int, None]
KIND = "dump"


def _metric(name: str) -> Callable[[PairRow], Value]:
    return lambda row: getattr(row.metrics, name) if row.metrics is not None else None


def _side(side: str, name: str) -> Callable[[PairRow], Value]:
    def value(row: PairRow) -> Value:
        stats: SideStats | None = getattr(row, side)
        known = row.metrics is not None if row.counted else name == "max_abs"
        return None if stats is None or not known else getattr(stats, name)

    return value


def _text(side: str, name: str) -> Callable[[PairRow], str]:
    def text(row: PairRow) -> str:
        stats: SideStats | None = getattr(row, side)
        if stats is None:
            return ""
        return shape_text(stats.shape) if name == "shape" else str(getattr(stats, name))

    return text


_TEXTS: dict[str, Callable[[PairRow], str]] = {
    "op_name": lambda row: row.op_name,
    "op_type": lambda row: row.op_type,
    "tensor": lambda row: row.tensor,
    "dtype_a": _text("a", "dtype"),
    "dtype_b": _text("b", "dtype"),
    "shape_a": _text("a", "shape"),
    "shape_b": _text("b", "shape"),
}
_METRICS = (
    "max_abs_error accumulated_relative_error relative_euclidean_distance kl_divergence standard_deviation_a"
    " standard_deviation_b mean_abs_error rmse max_relative_error mean_relative_error"
).split()
_NUMBERS: dict[str, Callable[[PairRow], Value]] = {
    "cosine": lambda row: row.cosine,
    "cosine_finite": lambda row: None if row.one_element else _metric("cosine_finite")(row),
    **{name: _metric(name) for name in _METRICS},
}
_COUNTS: dict[str, Callable[[PairRow], Value]] = {
    f"{name}_{side}": _side(side, name) for name in ("nan", "inf", "saturated") for side in ("a", "b")
}
_COUNTS["beyond_fp16_b"] = _side("b", "beyond_fp16")
_MORE: dict[str, Callable[[PairRow], Value]] = {
    "max_abs_b": _side("b", "max_abs"),
    "headroom_b": lambda row: None if row.b is None else headroom(row.b).ratio,
}
_ENDS: dict[str, Callable[[PairRow], str]] = {
    "verdict": lambda row: row.verdict,
    "reason": reason_of,
    "golden_name": lambda row: row.golden_name,
}


def pair_table(comparison: DumpComparison) -> Table:
    """The rows as a table of kind `dump`, in execution order; a missing number is NaN."""
    rows = comparison.rows
    columns: list[Column] = [_number("order", [row.order for row in rows], whole=True)]
    columns += [text_column(key, list(map(of, rows))) for key, of in _TEXTS.items()]
    columns += [_number(key, list(map(of, rows))) for key, of in _NUMBERS.items()]
    columns += [_number(key, list(map(of, rows)), whole=True) for key, of in _COUNTS.items()]
    columns += [_number(key, list(map(of, rows))) for key, of in _MORE.items()]
    columns += [text_column(key, list(map(of, rows))) for key, of in _ENDS.items()]
    return Table(KIND, tuple(columns), problems=comparison.problems, complete=comparison.complete)


def _number(key: str, values: Sequence[Value], whole: bool = False) -> NumberColumn:
    numbers = [math.nan if value is None or isinstance(value, str) else float(value) for value in values]
    return NumberColumn(ColumnInfo(key, "", "number", whole=whole), np.array(numbers, np.float64))


def row_object(row: PairRow) -> dict[str, Any]:
    """One row as JSON values: shapes as lists, a missing number and NaN as None."""
    return {
        "op_name": row.op_name,
        "op_type": row.op_type,
        "tensor": row.tensor,
        "dtype_a": row.a.dtype if row.a is not None else None,
        "dtype_b": row.b.dtype if row.b is not None else None,
        "shape_a": list(row.a.shape) if row.a is not None else None,
        "shape_b": list(row.b.shape) if row.b is not None else None,
        **{key: _json(of(row)) for key, of in {**_NUMBERS, **_COUNTS}.items()},
        "max_abs_b": _json(_MORE["max_abs_b"](row)),
        "verdict": row.verdict,
        "reason": reason_of(row),
        "order": row.order,
        "golden_name": row.golden_name,
        "inherited": row.inherited,
    }


def _json(value: Value) -> float | int | str | None:
    return json_number(value) if isinstance(value, float) else value


def comparison_object(comparison: DumpComparison) -> dict[str, Any]:
    """A comparison as JSON values: `first_divergence network_outputs rows keep_float32` and what was wrong."""
    first, rows = comparison.first_divergence, comparison.rows
    return {
        "first_divergence": None if first is None else {**_place(rows[first.row]), "inputs": first.inputs},
        "network_outputs": [_place(rows[place]) for place in comparison.network_outputs],
        "rows": [row_object(row) for row in rows],
        "keep_float32": {
            "by_name": list(comparison.keep_float32.by_name),
            "by_type": list(comparison.keep_float32.by_type),
        },
        "agrees": comparison.agrees,
        "problems": [
            {"path": problem.path, "where": problem.where, "what": problem.what,
             "consequence": problem.consequence, "hint": problem.hint}
            for problem in comparison.problems
        ],
    }  # fmt: skip


def _place(row: PairRow) -> dict[str, Any]:
    return {"op_name": row.op_name, "op_type": row.op_type, "tensor": row.tensor, "verdict": row.verdict}
