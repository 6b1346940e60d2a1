"""Lines of the time canvas as they are painted: bodies, edges, dense cells, labels, gaps, cursor; in all glyphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lane_source import Event, LaneSource
from widgets.canvas_state import CanvasState
from widgets.canvas_view import CanvasView
from widgets.glyphs import ASCII, BLOCKS, BRAILLE, GLYPH_SETS, GlyphSet
from widgets.roles import Look
from widgets.theme import COLOURS_16, DARK_256, MONO, PALETTES, Palette
from widgets.tracks import Lane
from widgets.viewport import Span

LOOK = Look()
SLICES = Lane("a", "Lane")
NARROW, WIDE = Span(0, 1600), Span(0, 3200)
"""20 and 40 cells of 80 ns: an eighth of a cell is 10 ns."""


def view_of(source: LaneSource, state: CanvasState, height: int = 1, look: Look = LOOK) -> CanvasView:
    view = CanvasView(source, look)
    view.show(state, state.span.length_ns // 80, height)
    return view


def lines(source: LaneSource, state: CanvasState, height: int = 1, look: Look = LOOK) -> list[str]:
    """Texts of the lines, without the grid."""
    view, width = view_of(source, state, height, look), state.span.length_ns // 80
    return [view.strip(view.key(y), width).text.replace("┊", " ") for y in range(height)]


def row(events: Sequence[Event], span: Span = NARROW, look: Look = LOOK) -> str:
    return lines(LaneSource([(SLICES, [events])]), CanvasState(span), look=look)[0]


def fills(source: LaneSource, state: CanvasState, y: int = 0, height: int = 1) -> list[str]:
    """The fill of each cell by name, `.` for the bare screen."""
    names = {
        LOOK.blend("", role).bgcolor: role for role in ("low", "mid", "high", "focus", "window", "mid_dim", "view")
    }
    view = view_of(source, state, height)
    strip = view.strip(view.key(y), state.span.length_ns // 80)
    cells = []
    for text, style, _control in strip:
        assert style is not None
        cells += [names.get(style.bgcolor, ".")] * len(text)
    return cells


def inks(source: LaneSource, state: CanvasState, look: Look = LOOK, height: int = 1) -> list[str]:
    """The ink of each cell: a role or `.`."""
    names = {
        look.style(role).color: role for role in ("low", "mid", "high", "focus", "inverse", "faint", "bare", "grid")
    }
    view = view_of(source, state, height)
    strip = view.strip(view.key(0), state.span.length_ns // 80)
    cells = []
    for text, style, _control in strip:
        assert style is not None
        cells += [names.get(style.color, ".")] * len(text)
    return cells


# Bodies and edges


def test_an_event_has_edges_in_eighths_of_a_cell() -> None:
    source = LaneSource([(SLICES, [[Event("x", 30, 290)]])])
    assert lines(source, CanvasState(NARROW))[0] == "▍  ▋" + " " * 16
    assert fills(source, CanvasState(NARROW))[:5] == ["low", "low", "low", ".", "."]
    assert inks(source, CanvasState(NARROW))[0] == "bare"
    assert inks(source, CanvasState(NARROW))[3] == "low"


def test_a_short_event_is_at_least_an_eighth_and_stands_where_it_is() -> None:
    events = [Event("a", 0, 1), Event("b", 80 + 35, 80 + 44), Event("c", 160 + 79, 160 + 80), Event("d", 240, 280)]
    assert row(events)[:4] == "▏│▉▌"


def test_two_events_share_a_cell_with_the_left_one_as_ink() -> None:
    source = LaneSource([(SLICES, [[Event("x", 0, 120, "low"), Event("y", 120, 240, "mid")]])])
    assert lines(source, CanvasState(NARROW))[0][:3] == " ▌ "
    assert inks(source, CanvasState(NARROW))[1] == "low"
    assert fills(source, CanvasState(NARROW))[1] == "mid_dim"


def test_neighbours_of_one_colour_have_a_dark_seam() -> None:
    inside = [Event("x", 0, 100), Event("y", 100, 240)]
    assert row(inside)[:3] == " ▏ "
    late = [Event("x", 0, 140), Event("y", 140, 240)]
    assert row(late)[:3] == " ▕ "
    on_the_edge = [Event("x", 0, 80), Event("y", 80, 160)]
    assert row(on_the_edge)[:2] == " ▏"
    apart = [Event("x", 0, 80, "low"), Event("y", 80, 160, "mid")]
    assert row(apart)[:2] == "  "


def test_a_gap_between_two_long_events_in_one_cell_is_seen() -> None:
    assert row([Event("x", 0, 110), Event("y", 150, 400)])[:5] == " ▍   "


@pytest.mark.parametrize(("share", "char"), [(0.04, "▁"), (0.25, "▂"), (0.5, "▄"), (1.0, "▇")])
def test_many_events_in_a_cell_are_drawn_by_height(share: float, char: str) -> None:
    events = [Event(str(start), start, start + max(round(20 * share), 1)) for start in range(0, 80, 20)]
    assert row(events)[0] == char


def test_a_dense_cell_has_the_colour_of_its_longest_event() -> None:
    events = [Event("a", 0, 10, "low"), Event("b", 10, 60, "high"), Event("c", 60, 70, "low")]
    source = LaneSource([(SLICES, [events])])
    assert inks(source, CanvasState(NARROW, lane=0))[0] == "high"


def test_tall_rows_show_density_in_fifteen_steps() -> None:
    events = [Event(str(start), start, start + 15) for start in range(0, 80, 20)]
    assert [line[0] for line in lines(LaneSource([(SLICES, [events])]), CanvasState(NARROW), 2)] == ["▃", " "]
    assert fills(LaneSource([(SLICES, [events])]), CanvasState(NARROW), 1, 2)[0] == "low"


def test_lanes_without_the_cursor_are_dimmed() -> None:
    source = LaneSource([(SLICES, [[Event("x", 0, 800, "mid")]]), (SLICES, [[Event("y", 0, 800, "mid")]])])
    state = CanvasState(NARROW, lane=1)
    assert fills(source, state, 0, 2)[0] == "mid_dim"
    assert fills(source, state, 1, 2)[0] == "mid"


def test_no_event_vanishes_at_epoch_times_in_deep_zoom() -> None:
    start = 1_716_283_812_097_724_000
    source = LaneSource([(SLICES, [[Event("x", start, start + 3), Event("y", start + 3, start + 10**9)]])])
    view = CanvasView(source, LOOK)
    view.show(CanvasState(Span(start, start + 10)), 40, 1)
    assert view.strip(view.key(0), 40).text == " x  3 ns    ▏y  999999997 ns".ljust(40)


# Labels


def test_names_from_four_cells_on_and_durations_where_both_fit() -> None:
    assert row([Event("Conv_0", 0, 240)])[:4] == "    "
    assert row([Event("Conv_0", 0, 320)])[:5] == " Co… "
    assert row([Event("Conv_0", 0, 560)])[:8] == " Conv_0 "
    assert row([Event("Conv_0", 0, 1280)]) == " Conv_0  1280 ns".ljust(20)


def test_tall_rows_have_the_duration_below_the_name() -> None:
    upper, lower = lines(LaneSource([(SLICES, [[Event("Conv_0", 0, 640)]])]), CanvasState(NARROW), 2)
    assert (upper.rstrip(), lower.rstrip()) == (" Conv_0", " 640 ns")


def test_labels_keep_to_their_event_with_double_width_names() -> None:
    assert row([Event("卷积算子名称", 0, 640), Event("b", 640, 1600)]) == " 卷积算…▏b  960 ns  "


def test_foreign_texts_are_shown_as_escapes() -> None:
    assert r"\x1b[2J" in row([Event("\x1b[2J", 0, 1600)], Span(0, 3200))


def test_an_event_that_fills_the_window_is_a_quiet_bar() -> None:
    source = LaneSource([(SLICES, [[Event("execute", -10, 5000, "high")]])])
    assert lines(source, CanvasState(WIDE))[0] == "◂ execute  5010 ns".ljust(39) + "▸"
    assert fills(source, CanvasState(WIDE)) == ["window"] * 40


# Gaps


def test_gaps_from_five_cells_on_with_the_longest_text_that_fits() -> None:
    lane = Lane("a", "Lane", gaps=True)
    for end, text in ((400, "    "), (480, "├───┤"), (880, "├ 800 ns ┤"), (1360, "├ idle 1280 ns ┤")):
        source = LaneSource([(lane, [[Event("x", 0, 80), Event("y", end, 1600)]])])
        assert lines(source, CanvasState(NARROW))[0][1 : end // 80] == text


def test_a_gap_that_leaves_the_window_is_open() -> None:
    lane = Lane("a", "Lane", gaps=True)
    source = LaneSource([(lane, [[Event("x", -900, -800), Event("y", 800, 1600)]])])
    assert lines(source, CanvasState(NARROW))[0][:10] == "─────────┤"
    assert lines(source, CanvasState(Span(-400, 1200)))[0][:15] == "─── 1600 ns ──┤"


def test_the_gap_under_the_cursor_has_its_colour() -> None:
    lane = Lane("a", "Lane", gaps=True)
    source = LaneSource([(lane, [[Event("x", 0, 80), Event("y", 880, 1600)]])])
    state = CanvasState(NARROW, lane=0)
    assert set(inks(source, state)[1:11]) == {"faint"}
    assert set(inks(source, replace(state, gap=Span(80, 880)))[1:11]) == {"focus"}


def test_a_gap_shorter_than_a_cell_can_be_the_cursor() -> None:
    source = LaneSource([(SLICES, [[Event("x", 0, 100), Event("y", 110, 1600)]])])
    state = CanvasState(NARROW, lane=0, gap=Span(100, 110))
    assert inks(source, state)[1] == "focus"


# Cursor


def test_the_event_under_the_cursor_has_edges_and_its_name_as_a_chip() -> None:
    source = LaneSource([(SLICES, [[Event("execute", 40, 1550, "high")]])])
    state = CanvasState(NARROW, lane=0, event=0)
    assert lines(source, state)[0] == "▌ execute  1510 ns▐▍"
    assert fills(source, state) == ["high"] + ["focus"] * 9 + ["high"] * 9 + ["."]
    assert inks(source, state)[18] == "focus"


def test_on_two_lines_the_left_edge_is_beside_the_duration() -> None:
    source = LaneSource([(SLICES, [[Event("execute", 0, 1600, "high"), Event("b", 1600, 1700)]])])
    assert lines(source, CanvasState(Span(-80, 1680), lane=0, event=0), 2)[1].startswith(" ▌1600 ns")


def test_short_events_under_the_cursor_are_all_in_its_colour() -> None:
    source = LaneSource([(SLICES, [[Event("x", 40, 200), Event("y", 200, 280)]])])
    state = CanvasState(NARROW, lane=0, event=0)
    assert fills(source, state)[:4] == ["focus", "focus", "low", "."]
    assert inks(source, state)[2] == "focus"


def test_a_short_event_in_a_dense_cell_is_found_by_the_cursor() -> None:
    events = [Event("a", 0, 10), Event("b", 20, 60), Event("c", 70, 75)]
    source = LaneSource([(SLICES, [events])])
    for event in range(3):
        assert inks(source, CanvasState(NARROW, lane=0, event=event))[0] == "focus"


def test_a_dense_cell_under_the_cursor_is_seen_on_both_lines() -> None:
    source = LaneSource([(SLICES, [[Event(str(at), at, at + 20) for at in range(0, 80, 20)]])])
    state = CanvasState(NARROW, lane=0, event=1)
    assert inks(source, state, height=2)[0] == "focus"
    assert fills(source, state, 1, 2)[0] == "focus"


def test_a_cell_of_two_events_in_ascii_shows_the_cursor_on_either() -> None:
    source = LaneSource([(SLICES, [[Event("a", 0, 20), Event("b", 20, 80)]])])
    look = Look(DARK_256, ASCII)
    for event in (0, 1):
        view = view_of(source, CanvasState(NARROW, lane=0, event=event), look=look)
        first = next(iter(view.strip(view.key(0), 20)))
        assert first.style is not None
        assert first.style.bgcolor == look.blend("", "focus").bgcolor


# Around the events


def test_the_grid_stands_in_empty_cells_under_the_ticks() -> None:
    source = LaneSource([(SLICES, [[Event("x", 800, 1000)]])])
    view = view_of(source, CanvasState(WIDE))
    assert view.strip(view.key(0), 40).text[:25] == "┊" + " " * 11 + "▌┊" + " " * 11
    assert inks(source, CanvasState(WIDE))[0] == "grid"


def test_times_not_read_yet_are_marked() -> None:
    source = LaneSource([(SLICES, [[Event("x", 0, 800)]])])
    state = CanvasState(NARROW, loading=(Span(1200, 5000),))
    assert lines(source, state)[0][15:] == "╱" * 5


def test_a_range_is_shaded_between_two_lines() -> None:
    source = LaneSource([(SLICES, [[Event("x", 400, 560)]])])
    state = CanvasState(NARROW, range=Span(240, 800))
    assert lines(source, state)[0][3:10] == "│     │"
    assert fills(source, state)[2:11] == [".", *["view"] * 2, "low", "low", *["view"] * 3, "."]


def test_head_lines_tell_facts_and_what_is_out_of_view() -> None:
    source = LaneSource([(Lane("h", "Host", kind="group", facts="yolov4 31337"), ()), (SLICES, [[Event("x", 0, 10)]])])
    state = CanvasState(WIDE, lane=1, event=0)
    assert lines(source, state, 2)[0] == "─" * 27 + " yolov4 31337"
    assert lines(source, replace(state, before=12, after=3), 2)[0] == "◂ 12 " + "─" * 17 + " 3 ▸  yolov4 31337"


def test_counters_are_filled_curves() -> None:
    source = LaneSource([(Lane("c", "freq", kind="counter"), ())])
    source.heights[0] = [0.0, 0.01, 0.5, 1.0, float("nan")]
    assert lines(source, CanvasState(Span(0, 400)))[0] == " ▁▄▇ "
    assert lines(source, CanvasState(Span(0, 400)), 2)[0] == "   ▆ "


# Other terminals


def test_braille_has_half_cells() -> None:
    assert row([Event("x", 40, 280)], look=Look(DARK_256, BRAILLE))[:4] == "⢸  ⡇"


def test_ascii_with_colours_has_whole_cells() -> None:
    look = Look(DARK_256, ASCII)
    assert row([Event("x", 30, 230)], look=look).strip() == ""
    assert row([Event(str(start), start, start + 10) for start in range(0, 80, 20)], look=look)[0] == "%"


def test_without_colours_bands_are_characters() -> None:
    events = [Event("a", 0, 160, "low"), Event("b", 160, 800, "mid"), Event("c", 800, 1600, "high")]
    assert row(events, look=Look(MONO, ASCII)) == "..[booooo][c#######]"
    assert row([Event("long", 800, 1600, "high")], look=Look(MONO, ASCII)) == " " * 10 + "[long####]"
    assert row([Event("s", 0, 160, "high")], look=Look(MONO, ASCII))[:3] == "## "
    assert row([Event("s", 0, 160, "cat1")], look=Look(MONO, BLOCKS))[:2] == "BB"


def test_without_colours_the_cursor_is_reversed() -> None:
    source = LaneSource([(SLICES, [[Event("x", 0, 160), Event("y", 160, 320)]])])
    view = view_of(source, CanvasState(NARROW, lane=0, event=1), look=Look(MONO, ASCII))
    reversed_texts = [text for text, style, _control in view.strip(view.key(0), 20) if style and style.reverse]
    assert reversed_texts == [".."]


@pytest.mark.parametrize("palette", PALETTES.values(), ids=lambda palette: palette.name)
@pytest.mark.parametrize("glyphs", GLYPH_SETS.values(), ids=lambda glyphs: glyphs.name)
def test_ascii_stays_ascii_in_every_palette(palette: Palette, glyphs: GlyphSet) -> None:
    events = [
        Event("卷积 µ", 0, 500, "mid"),
        Event("b", 500, 520),
        Event("c", 1500, 1501, "cat3"),
        Event("d", 1510, 1511),
    ]
    lane = Lane("a", "Lane", gaps=True)
    texts = lines(LaneSource([(lane, [events])]), CanvasState(NARROW, lane=0, event=0), 2, Look(palette, glyphs))
    assert glyphs is not ASCII or all(text.isascii() for text in texts)


BOUNDS = st.lists(st.integers(0, 4000), min_size=2, max_size=40, unique=True).map(sorted)


@given(
    BOUNDS,
    st.integers(1, 60),
    st.integers(0, 3900),
    st.sampled_from(sorted(GLYPH_SETS)),
    st.sampled_from([DARK_256, COLOURS_16, MONO]),
)
def test_lines_have_the_exact_width_and_no_event_vanishes(
    bounds: list[int], width: int, start_ns: int, glyphs: str, palette: Palette
) -> None:
    events = [Event("卷积b", begin, end) for begin, end in zip(bounds[::2], bounds[1::2])]
    span = Span(start_ns, start_ns + 77)
    view = CanvasView(LaneSource([(SLICES, [events])]), Look(palette, GLYPH_SETS[glyphs]))
    view.show(CanvasState(span, lane=0, event=len(events) - 1), width, 1)
    strip = view.strip(view.key(0), width + 1)
    assert sum(segment.cell_length for segment in strip) == width + 1
    seen = any(event.start_ns < span.end_ns and event.end_ns > span.start_ns for event in events)
    drawn = view.look.blend("", "low").bgcolor
    colours = {style.bgcolor for _text, style, _control in strip if style} | {
        style.color for text, style, _control in strip if style and text.strip()
    }
    if seen and palette is not MONO:
        others = {view.look.style(role).color for role in ("focus", "muted")}  # muted: the ends of a bar
        assert drawn in colours or others & colours


def test_rows_are_asked_for_once_and_all_together() -> None:
    source = LaneSource(
        [(SLICES._replace(rows=2), [[Event("x", 0, 10)], [Event("y", 0, 5)]]), (SLICES, [[Event("z", 0, 10)]])]
    )
    view = CanvasView(source, LOOK)
    for event in (0, 1):
        view.show(CanvasState(NARROW, lane=0, event=event), 20, 3)
        for y in range(3):
            view.strip(view.key(y), 21)
    assert source.asked == [((0, 0), (0, 1), (1, 0))]
