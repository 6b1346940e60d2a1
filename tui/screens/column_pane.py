"""What the details pane says about one number column: its figures over the rows shown, and how they are spread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _, ngettext
from tui.model.cells import CellFormat, cell_format
from tui.model.stats import histogram, summarise
from tui.model.table import NumberColumn
from tui.screens.facts import fact, fact_lines
from tui.screens.op_details import Pane, Room
from tui.screens.rows import Words
from tui.units import number_text, unit_label
from widgets.bars import histogram as histogram_rows
from widgets.pieces import Line, Piece, gap

CHART_LINES = 3


def column_pane(column: NumberColumn, rows: NDArray[np.intp], words: Words, room: Room) -> Pane:
    """Count, sum, mean, p50, p95, max of the rows shown, cells without a number counted apart, and a histogram."""
    form = cell_format(column, words.units, words.glyphs)
    values = column.values[rows]
    figures = summarise(values)
    label = unit_label(form.unit, words.glyphs)
    entries = (
        (_("sum"), figures.total), (_("mean"), figures.mean), ("p50", figures.p50),
        ("p95", figures.p95), (_("min"), figures.minimum), (_("max"), figures.maximum),
    )  # fmt: skip
    facts = [fact(name, f"{form.number(value)} {label}".rstrip()) for name, value in entries]
    if figures.missing:
        text = ngettext("{n} row without a number", "{n} rows without a number", figures.missing)
        facts.append(fact(_("missing"), text.format(n=number_text(figures.missing, 0)), wide=True))
    lines = _chart(values, form, room) + fact_lines(facts, room.width, room.glyphs.ellipsis)
    count = ngettext("{n} row", "{n} rows", figures.count).format(n=number_text(figures.count, 0))
    return Pane(_("distribution of {column}").format(column=form.title), count, lines)


def _chart(values: NDArray[np.float64], form: CellFormat, room: Room) -> list[Line]:
    """The histogram from 0 (or the smallest) to the largest value; roots of the counts, so that few calls are seen."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return []
    width = room.width - 3
    spread = histogram(finite, width, low=min(0.0, float(finite.min())))
    height = CHART_LINES if room.tall else 2
    bars = histogram_rows([count**0.5 for count in spread.counts.tolist()], height, room.glyphs)
    left, right = form.number(float(spread.edges[0])), form.number(float(spread.edges[-1]))
    scale: Line = [gap(1), Piece(left, "muted"), gap(width - len(left) - len(right)), Piece(right, "muted")]
    return [*([gap(1), Piece(text, "bar")] for text in bars), scale]
