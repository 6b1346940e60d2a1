"""What a table screen says in the lines of the frame: breadcrumb, title, status."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tui.i18n import _, ngettext
from tui.screens.states import rate_text
from tui.screens.table_base import TableBase
from tui.screens.views import is_narrowed
from tui.units import delta_text, number_text, unit_label, without_unit
from widgets.pieces import Piece

MEASURES = ("task_duration_us", "total_us", "time_us", "total_time_us")
"""Columns that rows are compared by, first hit wins."""


class TableStatus(TableBase):
    """The frame lines of a table screen."""

    _last_share = 0.0
    """Share of the file that the load had read when it last told."""

    def steps(self) -> Sequence[Piece]:
        """Steps of the view, then its order."""
        view = self._history.current.view
        return [Piece(text) for text in (*self.crumbs(view), *self._order_text())]

    def _order_text(self) -> Sequence[str]:
        source = self._grid.source
        marks = source.sort_marks()
        first = next((key for key, (rank, _descending) in marks.items() if rank == 1), "")
        title = next((column.title for column in source.columns if column.key == first), "")
        if not title:
            return ()
        glyphs = self.app.glyphs
        return (f"{without_unit(title)} {glyphs.descending if marks[first][1] else glyphs.ascending}",)

    def title_right(self) -> Sequence[Piece] | str:
        """Rows, or rows of all when the view is narrowed; a chip while the table is partial."""
        applied, change = self._applied, self._change
        if applied is None or change is None:
            return ""
        pieces: list[Piece] = []
        if self._is_partial():
            share = change.loading.fraction if change.loading is not None else self._read_share()
            pieces += [
                Piece(" " + _("partial {share} %").format(share=f"{share * 100:.0f}") + " ", "on_mid"),
                Piece(" "),
            ]
        view = applied.view
        if is_narrowed(view):
            of = f"{number_text(len(applied.shown.base_rows), 0)}/{number_text(applied.shown.total_rows, 0)}"
            pieces += [Piece(view.filter, "bright"), Piece("  " if view.filter else ""), Piece(of)]
        else:
            pieces.append(Piece(self.count_text(applied.shown)))
        return pieces

    def _is_partial(self) -> bool:
        change = self._change
        return change is not None and change.table is not None and not change.table.complete

    def _read_share(self) -> float:
        """Share of the file that a cancelled load had read."""
        return self._last_share

    def status_left(self) -> Sequence[Piece] | str:
        """Progress while loading, else where the rows come from."""
        change, table = self._change, self._table
        if change is not None and change.loading is not None:
            self._last_share = change.loading.fraction
            return [Piece(rate_text(change.loading), "text")]
        if table is None:
            return ""
        if table.note:
            return table.note
        names = list(dict.fromkeys(Path(part.path).name for part in table.parts))
        more = (
            ngettext("and {n} more file", "and {n} more files", len(names) - 1).format(n=len(names) - 1)
            if len(names) > 1
            else ""
        )
        return f"{names[0]} {more}".rstrip() if names else ""

    def status_right(self) -> Sequence[Piece] | str:
        """Row of rows, and what the selection or the column adds up to."""
        applied = self._applied
        if applied is None or not len(applied.shown.rows):
            return ""
        grid = self._grid
        place = f"{number_text(grid.cursor_row + 1, 0)}/{number_text(len(applied.shown.rows), 0)}"
        selected = len(grid.selection)
        chosen = (
            ngettext("{n} row selected", "{n} rows selected", selected).format(n=number_text(selected, 0))
            if selected
            else ""
        )
        hits = _("hit {n} of {all}").format(n=self._hit_number(), all=len(self._hits)) if len(self._hits) else ""
        extra = self._difference_text() or self.position_text(applied.shown, grid.cursor_row)
        dot = f" {self.app.glyphs.dot} "
        return dot.join(text for text in (hits, chosen, place, extra) if text)

    def _value_here(self) -> float:
        """The measured time of the row under the cursor, in the unit of its column; NaN where there is none."""
        applied, row = self._applied, self._grid.cursor_row
        key = next((key for key in MEASURES if applied is not None and applied.shown.table.number(key) is not None), "")
        values = applied.shown.table.number(key) if applied is not None and key else None
        return float("nan") if applied is None or values is None or row < 0 else float(values[applied.shown.rows[row]])

    def _difference_text(self) -> str:
        """How the row differs from the reference row, in µs and percent."""
        if self._reference is None:
            return ""
        name, base = self._reference
        delta = self._value_here() - base
        if delta != delta:
            return ""
        glyphs = self.words().glyphs
        share = f" ({delta_text(delta / base * 100, 1, glyphs)} %)" if base else ""
        text = _("{delta} {unit}{share} to {name}")
        return text.format(delta=delta_text(delta, 3, glyphs), unit=unit_label("us", glyphs), share=share, name=name)

    def _hit_number(self) -> int:
        return int(np.searchsorted(self._hits, self._grid.cursor_row, side="right"))
