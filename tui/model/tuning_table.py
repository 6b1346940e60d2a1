"""The rows of a tuning report as a table, so that they sort, filter and copy like every other table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.i18n import N_, _
from tui.model.table import Column, ColumnInfo, NumberColumn, Table, TablePart, TextColumn
from tui.model.tuning import TunedOp, TuningResult

_TEXTS = {"op_name": (N_("Op"), "name"), "op_type": (N_("Type"), "type"), "tuner": (N_("Tuner"), "tuner"),
          "update": (N_("Entry"), "update"), "claimed": (N_("Claimed"), "claimed")}  # fmt: skip
_NUMBERS = {"before": (N_("Before"), "before"), "after": (N_("After"), "after"), "saved": (N_("Saved"), "saved"),
            "gain": (N_("Gain"), "gain_pct"), "share": (N_("Share"), "share_pct")}  # fmt: skip


def tuning_table(result: TuningResult) -> Table:
    """One row per operator, in the order of `result.ops`, which is by what they save.

    Columns: `op_name op_type before_us after_us saved_us gain_pct share_pct tuner update claimed`, or `before_ticks` …
    where the report counts in ticks; columns that say nothing are left out.
    """
    texts = [_text(key, result.ops) for key in _TEXTS]
    numbers = [_number(key, result.ops, "pct" if key in ("gain", "share") else result.unit) for key in _NUMBERS]
    columns: list[Column] = [*texts[:2], *numbers, *texts[2:]]
    kept = tuple(column for column in columns if column.info.key == "op_name" or _says_something(column))
    return Table("tuning", kept, (TablePart(result.path, 0, len(result.ops)),), complete=result.complete)


def _text(key: str, ops: Sequence[TunedOp]) -> TextColumn:
    heading, name = _TEXTS[key]
    values = [str(getattr(op, name)) for op in ops]
    strings = tuple(dict.fromkeys(values))
    codes = {text: code for code, text in enumerate(strings)}
    info = ColumnInfo(key, _(heading), "text")
    return TextColumn(info, np.asarray([codes[value] for value in values], np.int32), strings)


def _number(key: str, ops: Sequence[TunedOp], unit: str) -> NumberColumn:
    heading, name = _NUMBERS[key]
    values = [np.nan if (value := getattr(op, name)) is None else value for op in ops]
    info = ColumnInfo(f"{key}_{unit}", _(heading), "number", unit)
    return NumberColumn(info, np.asarray(values, np.float64))


def _says_something(column: Column) -> bool:
    if isinstance(column, TextColumn):
        return any(column.strings)
    return bool(np.isfinite(column.values).any())
