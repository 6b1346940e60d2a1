"""The longest events of the lane below the lanes, where the terminal has room for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _
from tui.model.levels import bare_name
from tui.model.lod import Rows
from tui.model.timeline import Timeline
from tui.screens.timeline_details import Scale
from tui.units import number_text
from widgets.bars import bar
from widgets.glyphs import GlyphSet
from widgets.pieces import Line, Piece, gap
from widgets.text import cut_middle, fit

TALL_FROM, WIDE_FROM = 50, 120
"""Lines and columns of a terminal from which on there is room."""
DOCK_LINES = 11
"""The heading and ten events."""
_NUMBER_CELLS, _SHARE_CELLS, _THREAD_CELLS = 14, 9, 18
_MOST_BAR_CELLS = 60


@dataclass(frozen=True)
class Dock:
    """What is listed, and how."""

    timeline: Timeline
    events: NDArray[np.int64]
    """Longest first."""
    scale: Scale
    bands: tuple[float, float]
    glyphs: GlyphSet


def longest(
    timeline: Timeline, rows: Rows, lane_rows: Sequence[int], window: tuple[int, int], count: int = DOCK_LINES - 1
) -> tuple[NDArray[np.int64], int]:
    """The longest events of a lane that touch a window, longest first, equal ones by time; and how many touch it."""
    found = [event for row in lane_rows for event in rows.longest_in(row, *window, count)]
    events = np.array(found, np.int64)
    order = np.lexsort((timeline.start_ns[events], -timeline.dur_ns[events]))
    parts = (rows.window(row, *window) for row in lane_rows)
    return events[order][:count], sum(part.stop - part.start for part in parts)


def dock_lines(dock: Dock, here: int, width_cells: int) -> list[Line]:
    """A heading and a line for each event; that of the cursor is marked."""
    fixed = 3 + 3 * _NUMBER_CELLS + _SHARE_CELLS + _THREAD_CELLS + 4
    bar_cells = min(max((width_cells - fixed) // 2, 8), _MOST_BAR_CELLS)
    name_cells = max(width_cells - fixed - bar_cells, 12)
    return [
        _heading(name_cells, bar_cells),
        *(_line(dock, int(event), int(event) == here, name_cells, bar_cells) for event in dock.events),
    ]


def _heading(name_cells: int, bar_cells: int) -> Line:
    texts = (
        "   ",
        fit(_("Name"), name_cells),
        fit(f"{_('Start')} ms", _NUMBER_CELLS, "right"),
        fit(f"{_('Duration')} ms", _NUMBER_CELLS, "right"),
        fit(_("% span"), _SHARE_CELLS, "right"),
        " " * (bar_cells + 2),
        fit(f"{_('Self')} ms", _NUMBER_CELLS, "right"),
        f"  {_('Thread')}",
    )
    return [Piece("".join(texts), "muted")]


def _line(dock: Dock, event: int, is_here: bool, name_cells: int, bar_cells: int) -> Line:
    timeline, glyphs = dock.timeline, dock.glyphs
    length_ns = int(timeline.dur_ns[event])
    share = length_ns * 100.0 / max(dock.scale.span_ns, 1)
    band = "high" if share >= dock.bands[1] else "mid" if share >= dock.bands[0] else "low"
    sign = {"high": glyphs.band_high, "mid": glyphs.band_mid}.get(band, " ")
    largest = max(int(timeline.dur_ns[dock.events[0]]), 1)
    name = cut_middle(bare_name(timeline.name(event)), name_cells - 1, glyphs.ellipsis)
    track = timeline.track(event)
    return [
        Piece(glyphs.cursor if is_here else " ", "focus"),
        Piece(sign, band),
        gap(1),
        Piece(fit(name, name_cells), "bright" if is_here else "text"),
        Piece(_ms(int(timeline.start_ns[event]) - dock.scale.origin_ns), "text"),
        Piece(_ms(length_ns), "bright" if is_here else "text"),
        Piece(fit(number_text(share, 1, glyphs.name), _SHARE_CELLS, "right"), "text"),  # type: ignore[arg-type]
        gap(2),
        Piece(fit(bar(length_ns / largest, bar_cells, glyphs), bar_cells), band),
        Piece(_ms(int(timeline.self_ns[event])), "muted"),
        gap(2),
        Piece(fit(track.thread or track.tid, _THREAD_CELLS - 1, ellipsis=glyphs.ellipsis), "muted"),
    ]


def _ms(time_ns: int) -> str:
    return fit(number_text(time_ns / 1e6, 3), _NUMBER_CELLS, "right")


def has_room(columns: int, rows: int) -> bool:
    """Whether a terminal has room for the list."""
    return rows >= TALL_FROM and columns >= WIDE_FROM


def dock_title(title: str, count: int, listed: Sequence[int]) -> tuple[str, str]:
    """Head line of the list: `AscendCL: longest events`, and how many there are."""
    facts = _("{shown} of {n} events by Duration, T shows all").format(shown=len(listed), n=number_text(count, 0))
    return _("{lane} events").format(lane=title), facts
