"""What the Dump screen adds to the table of a comparison, so that filters of the screen and of the command agree."""

from __future__ import annotations

from dataclasses import replace

from tui.dump.pair_table import pair_table
from tui.i18n import _
from tui.model.dump import DumpComparison, PairRow
from tui.model.inventory import text_column
from tui.model.table import Table

_SHORT_TYPES = {"float16": "FP16", "bfloat16": "BF16", "float32": "FP32", "float64": "FP64"}


def screen_table(comparison: DumpComparison) -> Table:
    """The table of the comparison with what the screen adds; it keeps the comparison for `comparison_of`."""
    table = pair_table(comparison)
    rows = comparison.rows
    own = set(comparison.differing_inputs)
    added = (
        text_column("op_output", list(map(row_label, rows))),
        text_column("part", [_part(row, at in own) for at, row in enumerate(rows)]),
        text_column("dtypes", list(map(_types, rows))),
        text_column("shape", list(map(_shapes, rows))),
    )
    found = replace(table, columns=(*added, *table.columns))
    found.once("comparison", lambda: comparison)
    return found


def row_label(row: PairRow) -> str:
    """`AddN:0` for an output, `AddN:in0` for an input."""
    side, _colon, index = row.tensor.partition(":")
    return f"{row.op_name}:{'in' if side == 'input' else ''}{index}" if row.tensor else row.op_name


def _part(row: PairRow, is_own_input: bool) -> str:
    """What the row is of the network; inputs of the network count only where they differ."""
    if row.network_output:
        return "network output"
    if is_own_input:
        return "network input"
    return "input" if row.is_input and row.metrics is not None else "output"


def short_type(dtype: str) -> str:
    """`FP16` for `float16`; a dash for a side that is missing."""
    return _SHORT_TYPES.get(dtype, dtype.upper())


def _types(row: PairRow) -> str:
    return " ".join("–" if side is None else short_type(side.dtype) for side in (row.a, row.b))


def _shapes(row: PairRow) -> str:
    """The shape, both where they differ; `scalar` for none."""
    shapes = (",".join(map(str, side.shape)) or _("scalar") for side in (row.a, row.b) if side is not None)
    return " | ".join(dict.fromkeys(shapes))
