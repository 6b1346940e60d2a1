"""The minimap: heights, the window between brackets, times not read yet. Painted without an application."""

from __future__ import annotations

from tests.lane_source import Event, LaneSource
from widgets.canvas_state import CanvasState
from widgets.glyphs import ASCII, BLOCKS
from widgets.minimap import minimap_cells
from widgets.roles import Look
from widgets.theme import DARK_256
from widgets.tracks import Lane
from widgets.viewport import Span

WHOLE = Span(0, 1000)
SOURCE = LaneSource([(Lane("a", "Lane"), [[Event("x", 100, 200), Event("y", 200, 250), Event("z", 900, 1000)]])])


def text(window: Span, look: Look | None = None, loading: tuple[Span, ...] = ()) -> str:
    look = look or Look(DARK_256, BLOCKS)
    state = CanvasState(window, WHOLE, loading=loading)
    line = minimap_cells(look, state, SOURCE.overview(0, 1000, 10), 10)
    return line.strip(look).text


def test_heights_without_a_window_when_all_is_shown() -> None:
    assert text(WHOLE) == " ▇▄      ▇"


def test_the_window_stands_between_brackets() -> None:
    assert text(Span(100, 500)) == " ▌▄ ▐    ▇"
    assert text(Span(300, 301)) == " ▇▌ ▐    ▇"
    assert text(Span(0, 1)) == " ▐▄      ▇"


def test_the_window_is_brighter() -> None:
    look = Look(DARK_256, BLOCKS)
    line = minimap_cells(look, CanvasState(Span(100, 500), WHOLE), SOURCE.overview(0, 1000, 10), 10)
    grounds = {text: style.bgcolor for text, style, _control in line.strip(look) if style}
    assert grounds["▄ "] == look.blend("", "view").bgcolor


def test_times_not_read_yet_are_marked() -> None:
    assert text(WHOLE, loading=(Span(500, 1000),)) == " ▇▄  ╱╱╱╱▇"


def test_ascii() -> None:
    assert text(Span(100, 500), Look(DARK_256, ASCII)) == " [= ]    #"
