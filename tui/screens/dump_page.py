"""What the screen of one pair shows, as lines: both sides in figures, their distribution, the worst elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tui.dump.bins import edge_labels
from tui.dump.pair_labels import short_type
from tui.dump.pair_view import CloseUp, SliceBlock
from tui.dump.precision_export import FILE_NAMES
from tui.i18n import _
from tui.model.dump import FP16_MAX, DumpComparison, Histogram, Metrics, PairRow, SideStats, WorstElement
from tui.screens.dump_pane import evidence_pieces
from tui.screens.dump_table import VERDICT_ROLES, cosine_text, figure, range_figure, room_of, short_figure, verdict_text
from tui.screens.op_details import Room
from tui.units import number_text
from widgets.histogram import Bin, two_sided
from widgets.pieces import Line, Piece, gap, width_of
from widgets.text import cells, fit

COLUMN_CELLS = 12
"""Width of a column of values, its gap included."""


@dataclass(frozen=True)
class Looked:
    """One pair and what is known of it."""

    comparison: DumpComparison
    at: int
    close: CloseUp | None = None
    """None while it is being read."""

    @property
    def row(self) -> PairRow:
        """The pair."""
        return self.comparison.rows[self.at]


def verdict_line(looked: Looked, room: Room) -> Line:
    """The verdict and the sentence that goes with it."""
    row = looked.row
    word = Piece(verdict_text(row.verdict), VERDICT_ROLES.get(row.verdict, "ok bold"))
    beyond = (known := room_of(row)) is not None and known.room == "cannot"
    told = _needed_pieces(row.b) if beyond and row.b is not None else evidence_pieces(row)
    return room.look.cut([gap(1), word, gap(2), *told], room.width - 1)


def _needed_pieces(golden: SideStats) -> list[Piece]:
    """What float16 would have to hold."""
    span = f"{short_figure(golden.min)} … {short_figure(golden.max)}"
    text = _("fp16 ends at {limit}, this tensor needs").format(limit=number_text(FP16_MAX, 0))
    return [Piece(f"{text} ", "text"), Piece(span, "bright")]


def side_lines(row: PairRow, room: Room) -> list[Line]:
    """Types, ranges, moments and special values of both sides, column under column."""
    if row.a is None or row.b is None:
        return []
    titles = ("", _("dtype"), _("min"), _("max"), _("mean"), _("std"), "NaN", "Inf", _("zero"), _("saturated"))
    widths = (11, 6, 12, 12, 12, 12, 6, 6, 8, 11) if room.width >= 100 else (5, 6, 11, 12, 11, 11, 5, 5, 0, 11)
    lines: list[Line] = [_columns([Piece(title, "muted") for title in titles], widths)]
    for name, side, role in (("A", row.a, "low bold"), ("B", row.b, "bar bold")):
        lines.append(_columns(_side_cells(name, side, row, role), widths))
    return lines


def _side_cells(name: str, side: SideStats, row: PairRow, role: str) -> list[Piece]:
    saturated = number_text(side.saturated, 0) if short_type(side.dtype) in ("FP16", "BF16") else "–"
    is_plateau = name == "A" and side.saturated > 0 and row.verdict == "overflow"
    beyond = side.max_abs > FP16_MAX
    most = "error bold" if is_plateau else "bright" if beyond else "text"
    counts = [Piece(number_text(count, 0), "error" if count else "text") for count in (side.nan, side.inf)]
    return [
        Piece(name, role),
        Piece(short_type(side.dtype), "text"),
        Piece(range_figure(side.min), "text"),
        Piece(range_figure(side.max), most),
        Piece(range_figure(side.mean), "text"),
        Piece(range_figure(side.std), "text"),
        *counts,
        Piece(number_text(side.zeros, 0), "text"),
        Piece(saturated, "error bold" if is_plateau else "muted"),
    ]


def _columns(pieces: Sequence[Piece], widths: Sequence[int]) -> Line:
    """The first two at the left, the rest flush right; a column of width 0 is left out."""
    line: list[Piece] = [gap(1)]
    for at, (piece, width) in enumerate(zip(pieces, widths)):
        blank = gap(width - cells(piece.text))
        if width:
            line += [piece, blank] if at < 2 else [blank, piece]
    return line


def distribution_lines(looked: Looked, room: Room) -> list[Line]:
    """The two-sided histogram, the largest values on top."""
    close = looked.close
    if close is None:
        return [[], [gap(1), Piece(_("reading the values"), "muted")]]
    if close.problem or close.histogram is None:
        return [[], [gap(1), Piece(close.problem or _("there is no finite value"), "warn")]]
    bins = _bins(looked.row, close.histogram)
    types = [short_type(side.dtype).lower() for side in (looked.row.a, looked.row.b) if side is not None]
    lines = two_sided(bins, (f"A {types[0]}", f"B {types[1]}"), room.width, room.look)
    special = [
        f"{name} {number_text(count, 0)}"
        for name, count in (("A", close.histogram.special_a), ("B", close.histogram.special_b))
        if count
    ]
    if special:
        lines.append([gap(1), Piece(_("in no bin (NaN, Inf): {counts}").format(counts="  ".join(special)), "error")])
    return lines


def _bins(row: PairRow, found: Histogram) -> list[Bin]:
    """Bins from the largest values down; red beyond float16, where there is something beyond."""
    totals = [max(sum(counts) + special, 1) for counts, special in (
        (found.a, found.special_a), (found.b, found.special_b))]  # fmt: skip
    bins = []
    labels, has_limit = edge_labels(found.edges), room_of(row) is not None
    for at, (low, high) in enumerate(labels):
        beyond = has_limit and (found.edges[at] >= FP16_MAX or found.edges[at + 1] <= -FP16_MAX)
        plateau = row.verdict == "overflow" and _holds_plateau(found, at)
        is_first = beyond and found.edges[at] >= FP16_MAX and (at == 0 or found.edges[at - 1] < FP16_MAX)
        note = _("fp16 limit {limit}").format(limit=number_text(FP16_MAX, 0)) if is_first else ""
        bins.append(Bin(
            low, high, 100 * found.a[at] / totals[0], 100 * found.b[at] / totals[1],
            "high" if beyond or plateau else "low", "error" if beyond else "bar", "error" if beyond else "muted",
            note, plateau,
        ))  # fmt: skip
    return bins[::-1]


def _holds_plateau(found: Histogram, at: int) -> bool:
    """Whether the bin ends where float16 does, and A is there."""
    low, high = found.edges[at], found.edges[at + 1]
    return found.a[at] > 0 and (low <= FP16_MAX < high <= FP16_MAX * 1.001 or low == -FP16_MAX)


def metrics_line(row: PairRow, room: Room) -> Line:
    """The telling metrics in one line."""
    metrics = row.metrics
    if metrics is None:
        return []
    pieces: list[Piece] = [gap(1)]
    for name, text, role in (
        (_("cosine"), _number(row.cosine, cosine_text), VERDICT_ROLES.get(row.verdict, "bright")),
        (_("max |Δ|"), figure(metrics.max_abs_error, 6), "text"),
        (_("rel. L2"), _above(metrics.relative_euclidean_distance, 2), "text"),
        (_("rmse"), figure(metrics.rmse, 5), "text"),
        (_("shape"), _shape(row), "text"),
    ):
        pieces += [Piece(f"{name} ", "muted"), Piece(text, role), gap(2)]
    return room.look.cut(pieces, room.width - 1)


def _shape(row: PairRow) -> str:
    return ",".join(map(str, row.b.shape)) or _("scalar") if row.b is not None else ""


def _number(value: float | None, text: object) -> str:
    return "–" if value is None or math.isnan(value) else str(text(value))  # type: ignore[operator]


def metric_lines(row: PairRow, threshold: float, room: Room) -> list[Line]:
    """All metrics, with the limits that they break."""
    metrics = row.metrics
    if metrics is None:
        return []
    return [_metric_line(*entry, room) for entry in _metric_entries(row, metrics, threshold)]


def _metric_entries(row: PairRow, metrics: Metrics, threshold: float) -> list[tuple[str, str, bool, str]]:
    """Name, number, whether it breaks its limit, the limit."""
    cosine = row.cosine
    return [
        (_("cosine"), _number(cosine, cosine_text), cosine is not None and not cosine >= threshold, f"< {threshold:g}"),
        (_("cosine, finite"), _number(metrics.cosine_finite, cosine_text), False, ""),
        (_("max |Δ|"), range_figure(metrics.max_abs_error), False, ""),
        (_("mean |Δ|"), range_figure(metrics.mean_abs_error), False, ""),
        (_("relative L2"), _above(metrics.relative_euclidean_distance),
         metrics.relative_euclidean_distance >= 0.05, "≥ 0.05"),
        (_("rmse"), range_figure(metrics.rmse), metrics.rmse >= 1.0, "≥ 1.0"),
        (_("KL divergence"), _above(metrics.kl_divergence), metrics.kl_divergence >= 0.005, "≥ 0.005"),
        (_("max relative"), _above(metrics.max_relative_error), False, ""),
        (_("mean relative"), _above(metrics.mean_relative_error), metrics.mean_relative_error >= 1.0, "≥ 1.0"),
    ]  # fmt: skip


def _above(value: float, decimals: int = 4) -> str:
    """A relative error; large ones and those without a number as they are."""
    return f"{value:.{decimals}f}" if abs(value) < 1000 else figure(value, 5)


def _metric_line(name: str, text: str, breaks: bool, limit: str, room: Room) -> Line:
    value = Piece(text, "error bold" if breaks else "text")
    return [
        gap(1), Piece(fit(name, 16, ellipsis=room.glyphs.ellipsis), "muted"), gap(14 - cells(text)), value, gap(3),
        Piece(limit if breaks else "", "muted"),
    ]  # fmt: skip


def worst_lines(looked: Looked, room: Room, cursor: int = -1) -> list[Line]:
    """Index and both values of the elements that differ most.

    Args:
        cursor: The one under the cursor, which is kept in view; -1 for none.
    """
    row = looked.row
    types = [short_type(side.dtype).lower() for side in (row.a, row.b) if side is not None]
    index_cells = max(room.width - 3 * 13 - 2, 10)
    heads = (
        (f"A {types[0]}", f"B {types[1]}", f"{room.glyphs.descending} |Δ|") if len(types) == 2 else ("A", "B", "|Δ|")
    )
    lines = [_worst_line([Piece(text, "muted") for text in (_("Index"), *heads)], index_cells)]
    found = looked.close.worst if looked.close is not None else ()
    first = max(0, cursor - room.height + 2)
    for at, element in list(enumerate(found))[first : first + room.height - 1]:
        chosen = at == cursor
        lines.append(_worst_line(_worst_pieces(element, chosen), index_cells, room.glyphs.cursor if chosen else ""))
    if looked.close is not None and not found:
        lines.append([gap(2), Piece(looked.close.problem or _("no element differs"), "muted")])
    return lines


def _worst_pieces(element: WorstElement, chosen: bool) -> list[Piece]:
    role = "bright" if chosen else "text"
    at_limit = abs(element.a) == FP16_MAX
    return [
        Piece(",".join(map(str, element.index)) or "0", role),
        Piece(range_figure(element.a), "error" if at_limit or not math.isfinite(element.a) else role),
        Piece(range_figure(element.b), role),
        Piece(range_figure(element.abs_error), role),
    ]


def _worst_line(pieces: Sequence[Piece], index_cells: int, mark: str = "") -> Line:
    first, *rest = pieces
    text = fit(first.text, index_cells)
    line: list[Piece] = [Piece(mark or " ", "focus" if mark else ""), gap(1), first._replace(text=text)]
    for piece in rest:
        line += [gap(13 - cells(piece.text)), piece]
    return line


def keep_lines(names: Sequence[str], room: Room) -> list[Line]:
    """The file that `e` writes, and how it is used."""
    name = FILE_NAMES["keep_dtype"]
    told = room.look.cut([gap(1), Piece(name, "muted"), gap(2), Piece(", ".join(names), "bright")], room.width - 1)
    return [told, [gap(1), Piece(f"atc … --keep_dtype={name}", "text")]]


def beside(left: Sequence[Line], right: Sequence[Line], left_cells: int) -> list[Line]:
    """Two columns of lines."""
    lines: list[Line] = []
    for at in range(max(len(left), len(right))):
        first = list(left[at]) if at < len(left) else []
        second = list(right[at]) if at < len(right) else []
        lines.append([*first, gap(left_cells - width_of(first)), *second])
    return lines


@dataclass(frozen=True)
class SliceView:
    """Which part of a tensor is looked at."""

    axes: tuple[int, int]
    """Axis of the rows and axis of the columns."""
    at: tuple[int, ...]
    """The element under the cursor."""
    top: int = 0
    left: int = 0
    """First row and column shown."""


def slice_lines(view: SliceView, block: SliceBlock | None, side: str, rows: int, room: Room) -> list[Line]:
    """One side of a slice: a line of column numbers, then the rows.

    Args:
        side: `a` or `b`.
        rows: Lines of values that fit.
    """
    if block is None:
        return [[gap(1), Piece(_("reading the values"), "muted")]]
    values = block.a if side == "a" else block.b
    if block.problem or not values.size:
        return [[gap(1), Piece(block.problem or _("there are no elements"), "warn")]]
    columns = slice_columns(room.width)
    row0, column0 = view.top - block.row, view.left - block.column
    part = values[row0 : row0 + rows, column0 : column0 + columns]
    other = (block.b if side == "a" else block.a)[row0 : row0 + rows, column0 : column0 + columns]
    head: list[Piece] = [gap(7)]
    for at in range(part.shape[1]):
        number = str(view.left + at)
        here = view.left + at == view.at[view.axes[1]]
        head += [gap(COLUMN_CELLS - len(number)), Piece(number, "here" if here else "muted")]
    return [head, *(_slice_row(view, at, part[at], other[at], side) for at in range(part.shape[0]))]


def slice_columns(width_cells: int) -> int:
    """Columns of values that fit."""
    return max(1, (width_cells - 8) // COLUMN_CELLS)


def _slice_row(
    view: SliceView, at: int, values: np.ndarray[tuple[int], np.dtype[np.float64]],
    others: np.ndarray[tuple[int], np.dtype[np.float64]], side: str,
) -> Line:  # fmt: skip
    number = view.top + at
    here = number == view.at[view.axes[0]]
    line: list[Piece] = [gap(7 - len(str(number))), Piece(str(number), "here" if here else "muted")]
    for place, (value, other) in enumerate(zip(values.tolist(), others.tolist())):
        text = range_figure(value)
        is_cursor = here and view.left + place == view.at[view.axes[1]]
        role = "on_focus" if is_cursor else _value_role(value, other) if side == "a" else "text"
        line += [gap(COLUMN_CELLS - cells(text)), Piece(text, role)]
    return line


def _value_role(value: float, golden: float) -> str:
    """Of side A: loud where it stands at the end of float16 and B does not, quieter where they differ by 5 %."""
    if (abs(value) == FP16_MAX and abs(golden) > FP16_MAX) or (math.isfinite(golden) and not math.isfinite(value)):
        return "error"
    return "warn" if not abs(value - golden) <= 0.05 * abs(golden) else "text"
