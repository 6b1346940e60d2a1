"""Columns as people read them: one unit and fixed decimals per column, headings with their unit.

Screens and `table --format text` both take their texts from here, so the same number never looks different.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Union

import numpy as np
from numpy.typing import NDArray

from tui.i18n import N_, _
from tui.model.exact import decimals_of
from tui.model.stats import finite_ends
from tui.model.table import MISSING_NS, Column, NumberColumn, TextColumn, TimeColumn
from tui.model.text import is_missing, shown
from tui.units import (
    NS_PER_UNIT,
    GlyphSet,
    TimeChoice,
    delta_text,
    exact_time_text,
    full_text,
    missing_text,
    number_text,
    plain_number,
    time_text,
    time_unit,
    unit_label,
)

Rows = Union[NDArray[np.intp], slice]

_TITLES = {
    "share_pct": N_("% of device time"),
    "span_pct": N_("% of span"),
    "time_ratio_pct": N_("% of level"),
    "ratio_pct": N_("Ratio %"),
    "count": N_("Count"),
    "total_us": N_("Total"),
    "total_time_us": N_("Total Time"),
    "time_us": N_("Time"),
    "min_us": N_("Min"),
    "mean_us": N_("Mean"),
    "avg_us": N_("Avg"),
    "max_us": N_("Max"),
    "cv": N_("CV"),
    "core_type": N_("Core Type"),
    "level": N_("Level"),
    "api_name": N_("API Name"),
    "bound": N_("bound"),
    "bound_ratio": N_("bound ratio"),
    "task_class": N_("Class"),
    "match": N_("Match"),
    "a_total_us": N_("A total"),
    "b_total_us": N_("B total"),
    "delta_us": N_("Δ"),
    "delta_pct": N_("Δ %"),
    "a_count": N_("Count A"),
    "b_count": N_("Count B"),
    "band_us": N_("± noise"),
    "verdict": N_("Verdict"),
    "a_call_us": N_("A per call"),
    "b_call_us": N_("B per call"),
    "part": N_("Part"),
    "claimed_us": N_("claimed"),
    "claimed_pct": N_("claimed %"),
    "cosine": N_("cosine"),
    "drift": N_("drift"),
}
"""Headings of columns that are not in a file; the others keep the file's own."""

_DIFFERENCES = frozenset(("delta_us", "delta_pct", "claimed_us", "claimed_pct"))
"""Numbers that are shown with their sign."""

_PLAIN = {"Δ": "delta", "±": "+-"}
"""What stands for characters that some terminals draw two cells wide."""

_MOST_DECIMALS = 3
_IDENTIFIER = re.compile(r"(?:.*_)?(?:id|pid|tid|ptr)")
_UNIT_IN_HEADING = re.compile(r"\s*\((?:[num]?s|%|[kmgt]?b(?:ytes)?(?:/s)?|[mg]?hz|pages)\)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class CellFormat:
    """How the cells of one column are written."""

    column: Column
    title: str
    """Heading as shown, unit included, translated."""
    unit: str
    """Unit of the texts: `us`, `ms`, `pct` …, or empty."""
    decimals: int
    factor: float = 1.0
    """Numbers are multiplied by this to get `unit`."""
    origin_ns: int = 0
    """Points in time are counted from here."""
    glyphs: GlyphSet = "blocks"
    spaced: bool = True
    """Whether thousands are set apart; ids are not."""

    @property
    def right(self) -> bool:
        """True for numbers and times, which are set flush right."""
        return not isinstance(self.column, TextColumn)

    def texts(self, rows: Rows) -> list[str]:
        """Texts of the given rows, safe to print."""
        column = self.column
        if isinstance(column, TextColumn):
            return [self._text_cell(text) for text in column.texts(rows)]
        if isinstance(column, NumberColumn):
            return [self.number(value) for value in column.values[rows].tolist()]
        return [self._time_cell(value) for value in column.values[rows].tolist()]

    def number(self, value: float) -> str:
        """A number of this column's file unit as a cell text: for sums and means of the column."""
        if self.column.info.key in _DIFFERENCES and np.isfinite(value):
            return delta_text(value * self.factor, self.decimals, self.glyphs)
        text = number_text(value * self.factor, self.decimals, self.glyphs)
        return text if self.spaced else text.replace(" ", "")

    def full(self, row: int) -> str:
        """One cell with every digit and its unit, for the detail pane."""
        column = self.column
        if isinstance(column, TextColumn):
            return self._text_cell(column.strings[int(column.codes[row])])
        if isinstance(column, TimeColumn):
            return self._full_time(int(column.values[row]))
        value = float(column.values[row])
        text = full_text(value, self.glyphs) if self.spaced else self.number(value)
        label = unit_label(column.info.unit, self.glyphs)
        return f"{text} {label}" if label and np.isfinite(value) else text

    def _text_cell(self, text: str) -> str:
        return missing_text(self.glyphs) if is_missing(text) else shown(text)

    def _time_cell(self, time_ns: int) -> str:
        if time_ns == MISSING_NS:
            return missing_text(self.glyphs)
        return time_text(time_ns - self.origin_ns, self.unit, self.decimals)

    def _full_time(self, time_ns: int) -> str:
        if time_ns == MISSING_NS:
            return missing_text(self.glyphs)
        return f"{exact_time_text(time_ns - self.origin_ns, self.unit)} {unit_label(self.unit, self.glyphs)}"


def cell_format(
    column: Column,
    choice: TimeChoice = "auto",
    glyphs: GlyphSet = "blocks",
    origin_ns: int | None = None,
) -> CellFormat:
    """The format of a column: the unit that suits its largest value, as many decimals as it needs up to three.

    Args:
        choice: Unit of times, or `auto`.
        origin_ns: What points in time count from; None takes the first one of the column.
    """
    if isinstance(column, TextColumn):
        return CellFormat(column, _titled(column, "", glyphs), "", 0, glyphs=glyphs)
    if isinstance(column, TimeColumn):
        return _point_format(column, choice, glyphs, origin_ns)
    if column.info.unit in NS_PER_UNIT:
        return _time_format(column, choice, glyphs)
    unit = column.info.unit
    spaced = _IDENTIFIER.fullmatch(column.info.key) is None
    return CellFormat(column, _titled(column, unit, glyphs), unit, _decimals(column), glyphs=glyphs, spaced=spaced)


def _time_format(column: NumberColumn, choice: TimeChoice, glyphs: GlyphSet) -> CellFormat:
    file_unit = NS_PER_UNIT[column.info.unit]
    unit = time_unit(_largest(column.values) * file_unit, choice)
    factor = file_unit / NS_PER_UNIT[unit]
    file_decimals = decimals_of(column.values)
    moved = file_decimals - round(float(np.log10(factor))) if factor > 1 else file_decimals
    decimals = _MOST_DECIMALS if factor < 1 else min(_MOST_DECIMALS, max(0, moved))
    return CellFormat(column, _titled(column, unit, glyphs), unit, decimals, factor, glyphs=glyphs)


def _point_format(column: TimeColumn, choice: TimeChoice, glyphs: GlyphSet, origin_ns: int | None) -> CellFormat:
    known = column.values[column.values != MISSING_NS]
    first = (int(known.min()) if len(known) else 0) if origin_ns is None else origin_ns
    unit = time_unit(float(int(known.max()) - first) if len(known) else 0.0, choice)
    decimals = 0 if unit == "ns" else _MOST_DECIMALS
    return CellFormat(column, _titled(column, unit, glyphs), unit, decimals, origin_ns=first, glyphs=glyphs)


def _decimals(column: NumberColumn) -> int:
    info = column.info
    if info.whole:
        return 0
    if info.unit == "pct":
        return 1 if _largest(column.values) >= 10 else 2
    if info.unit == "ratio" or info.key == "cv":
        return 2
    return min(_MOST_DECIMALS, decimals_of(column.values))


def _largest(values: NDArray[np.float64]) -> float:
    return max((abs(end) for end in finite_ends(values)), default=0.0)


def _titled(column: Column, unit: str, glyphs: GlyphSet) -> str:
    """Heading with the unit that is shown in place of the file's."""
    key = column.info.key
    name = _UNIT_IN_HEADING.sub("", shown(column.info.heading)) or _(_TITLES.get(key, ""))
    if not name:
        name = key[: -len(column.info.unit) - 1] if column.info.unit and key.endswith(f"_{column.info.unit}") else key
    if glyphs != "blocks":
        name = "".join(_PLAIN.get(character, character) for character in name)
    label = unit_label(unit, glyphs)
    return name if not label or "%" in name else f"{name} {label}"


def plain_texts(column: Column, rows: Rows) -> list[str]:
    """Cells for files: numbers with every digit and no grouping, times as integer ns, nothing where missing."""
    if isinstance(column, TextColumn):
        return column.texts(rows)
    values = column.values[rows].tolist()
    if isinstance(column, NumberColumn):
        return ["" if value != value or value in (np.inf, -np.inf) else plain_number(value) for value in values]
    return ["" if value == MISSING_NS else str(value) for value in values]
