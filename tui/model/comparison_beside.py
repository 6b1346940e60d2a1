"""What else is known of the operators of a comparison: what a tuning claimed, how the dumped tensors drift."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.model.comparison import Comparison
from tui.model.dump import VERDICTS, DumpComparison, PairRow
from tui.model.table import ColumnInfo, NumberColumn, Table, TextColumn
from tui.model.tuning import TunedOp, TuningResult

CLAIM_KEYS = ("claimed_us", "claimed_pct")
"""Difference that a tuning claims for an operator: negative is faster, as everywhere in a comparison."""
DRIFT_KEYS = ("cosine", "drift")
"""Cosine of the output that differs most, and the verdict of the dumps on it."""


def with_claims(comparison: Comparison, results: Iterable[TuningResult]) -> Comparison:
    """The comparison with what tunings claim for its operators; as it is where they name none of them.

    Args:
        results: Reports, the newest first: that counts where several name an operator.
    """
    claims: dict[str, tuple[float, float]] = {}
    for result in results:
        for op in result.ops:
            claims.setdefault(op.name, _claim(op, result))
    rows = _rows_named(comparison, claims)
    if not rows:
        return comparison
    numbers = [np.full(comparison.table.row_count, math.nan) for _key in CLAIM_KEYS]
    for row, name in rows.items():
        for values, value in zip(numbers, claims[name]):
            values[row] = value
    columns = (
        NumberColumn(ColumnInfo(key, "", "number", key.rpartition("_")[2]), values)
        for key, values in zip(CLAIM_KEYS, numbers)
    )
    return _with(comparison, *columns)


def _claim(op: TunedOp, result: TuningResult) -> tuple[float, float]:
    """Difference in µs where the report counts in µs, and in percent of the time before."""
    return -op.saved if result.unit == "us" else math.nan, -op.gain_pct


def with_drift(comparison: Comparison, dumps: DumpComparison) -> Comparison:
    """The comparison with what dumps say of its operators; as it is where they name none of them."""
    worst: dict[str, PairRow] = {}
    for row in dumps.rows:
        if row.metrics is not None and not row.is_input:
            for name in {row.op_name, row.golden_name or row.op_name}:
                worst[name] = min(worst.get(name, row), row, key=_agreement)
    rows = _rows_named(comparison, worst)
    if not rows:
        return comparison
    cosines = np.full(comparison.table.row_count, math.nan)
    codes = np.zeros(comparison.table.row_count, np.int32)
    for at, name in rows.items():
        cosine = worst[name].cosine
        cosines[at] = math.nan if cosine is None else cosine
        codes[at] = 1 + VERDICTS.index(worst[name].verdict)
    return _with(
        comparison,
        NumberColumn(ColumnInfo("cosine", "", "number", "ratio"), cosines),
        TextColumn(ColumnInfo("drift", "", "text"), codes, ["", *VERDICTS]),
    )


def _agreement(row: PairRow) -> tuple[int, float]:
    """Smaller for tensors that agree less."""
    cosine = row.cosine
    return VERDICTS.index(row.verdict), -math.inf if cosine is None or math.isnan(cosine) else cosine


def _with(comparison: Comparison, *columns: NumberColumn | TextColumn) -> Comparison:
    table = comparison.table
    return replace(comparison, table=Table(table.kind, (*table.columns, *columns), table.parts))


def _rows_named(comparison: Comparison, names: Mapping[str, object]) -> dict[int, str]:
    """Rows whose operator is named in A, else in B, with that name; only rows by name stand for one operator."""
    if comparison.by != "name" or not names:
        return {}
    found: dict[int, str] = {}
    for key in ("b_op_name", "op_name"):
        column = comparison.table.text(key)
        if column is not None:
            found.update(_hits(column, names.__contains__))
    return found


def _hits(column: TextColumn, is_named: Callable[[object], bool]) -> Iterable[tuple[int, str]]:
    strings: Sequence[str] = column.strings
    named = np.array([is_named(text) for text in strings], np.bool_)
    if not named.any():
        return ()
    rows: NDArray[np.intp] = np.flatnonzero(named[column.codes])
    return ((int(row), strings[int(column.codes[row])]) for row in rows.tolist())
