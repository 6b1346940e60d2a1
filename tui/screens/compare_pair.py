"""One row of a comparison with what both sides know of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.model.columns import cell_text
from tui.model.comparison import Change, Comparison, Members, Side, Verdict
from tui.model.ops import column_of
from tui.session import Session


@dataclass(frozen=True)
class Pair:
    """One row of a comparison and the sessions of both sides."""

    comparison: Comparison
    row: int
    a: Session | None
    b: Session | None

    def number(self, key: str) -> float:
        """A figure of the row."""
        values = self.comparison.table.number(key)
        return float("nan") if values is None else float(values[self.row])

    def text(self, key: str) -> str:
        """A text of the row; empty where there is no such column."""
        column = self.comparison.table.get(key)
        return "" if column is None else cell_text(column, self.row)

    @property
    def name(self) -> str:
        """What the row stands for."""
        return " ".join(
            part for part in (self.text("op_name") or self.text("op_type"), self.text("input_shapes")) if part
        )

    @property
    def change(self) -> Change:
        """Its times."""
        verdict: Verdict = self.text("verdict")  # type: ignore[assignment]
        before, after, delta, band = map(self.number, ("a_total_us", "b_total_us", "delta_us", "band_us"))
        return Change(before, after, delta, band, verdict)

    def op_row(self, of: str) -> int:
        """Row of the longest operator behind the pair in the table of side `a` or `b`; -1 where there is none."""
        side, members = (
            (self.comparison.a, self.comparison.a_members)
            if of == "a"
            else (self.comparison.b, self.comparison.b_members)
        )
        return _longest(self, side, members, of)


def _longest(pair: Pair, side: Side, members: Members, of: str) -> int:
    table = side.ops
    if table is None or pair.comparison.by == "api":
        return -1
    rows = members.rows_of(pair.row)
    times = table.number("task_duration_us")
    rows = rows[rows < table.row_count]
    if not len(rows) or times is None:
        return -1
    row = int(rows[int(np.argmax(np.nan_to_num(times[rows])))])
    key = "op_name" if pair.comparison.by == "name" else "op_type"
    column = column_of(table, key)
    wanted = pair.text("b_op_name") if of == "b" and key == "op_name" else pair.text(key)
    return row if column is not None and cell_text(column, row) == wanted else -1
