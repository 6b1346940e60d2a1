"""Which lane is on which line, and the path of a link between lanes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from widgets.canvas_flow import path_of
from widgets.canvas_layout import LaneLine, arrange, top_showing
from widgets.canvas_state import Flow, FlowEnd
from widgets.timeglyphs import ASCII, BLOCKS
from widgets.tracks import Lane
from widgets.viewport import Span

HEAD, SLICES, COUNTER = Lane("h", "Head", kind="group"), Lane("s", "Slices"), Lane("c", "Counter", kind="counter")
LANES = [HEAD, SLICES, SLICES._replace(rows=3), COUNTER]


def lanes_of(height: int, cursor: int = 1, top: int = 0) -> list[int]:
    return [line.lane for line in arrange(LANES, height, cursor, top).lines]


def test_every_row_has_a_line_if_they_fit_exactly() -> None:
    assert lanes_of(6) == [0, 1, 2, 2, 2, 3]


def test_free_lines_go_to_the_cursor_then_to_counters_then_to_all() -> None:
    assert lanes_of(7) == [0, 1, 1, 2, 2, 2, 3]
    assert lanes_of(8) == [0, 1, 1, 2, 2, 2, 3, 3]
    assert lanes_of(10) == [0, 1, 1, 2, 2, 2, 3, 3]
    assert lanes_of(11) == [0, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3]
    assert lanes_of(7, cursor=3) == [0, 1, 2, 2, 2, 3, 3]


def test_rows_two_lines_tall_name_their_parts() -> None:
    assert arrange(LANES, 7, 1, 0).lines[1:3] == (LaneLine(1, 0, 0, True), LaneLine(1, 0, 1, True))


def test_lanes_that_do_not_fit_scroll_and_pinned_ones_stay() -> None:
    lanes = [SLICES._replace(pinned=True), *LANES]
    layout = arrange(lanes, 4, 1, 2)
    assert [line.lane for line in layout.lines] == [0, 3, 3, 3]
    assert (layout.pinned, layout.top, layout.last_top, layout.total) == (1, 2, 3, 7)
    assert arrange(lanes, 4, 1, 99).top == 3


@given(st.integers(1, 12), st.sampled_from([(1, 0), (2, 0), (2, 1), (2, 2), (3, 0)]), st.integers(0, 9))
def test_the_cursor_can_be_brought_into_view(height: int, cursor: tuple[int, int], top: int) -> None:
    lane, sub_row = cursor
    shown = top_showing(LANES, height, lane, sub_row, top)
    assert arrange(LANES, height, lane, shown).y_of(lane, sub_row) >= 0


def test_bringing_the_cursor_in_moves_no_further_than_needed() -> None:
    assert top_showing(LANES, 4, 1, 0, 1) == 0  # its head line comes too
    assert top_showing(LANES, 4, 2, 1, 1) == 1
    assert top_showing(LANES, 4, 3, 0, 0) == 2
    assert top_showing(LANES, 40, 3, 0, 5) == 0


FLOW_LANES = [HEAD, SLICES, SLICES, HEAD, SLICES, SLICES]
WINDOW = Span(0, 100)


def path(source: tuple[int, int], target: tuple[int, int], height: int = 6, top: int = 0) -> dict[int, str]:
    """Line → the line drawn, for ends given as (lane, time) and a window of 10 cells."""
    flow = Flow(FlowEnd(source[0], 0, source[1]), FlowEnd(target[0], 0, target[1]))
    found = path_of(flow, arrange(FLOW_LANES, height, -1, top), frozenset((0, 3)), WINDOW, 10, BLOCKS)
    texts = {}
    for y, marks in found.lines.items():
        cells = [" "] * 10
        for x, char in marks:
            cells[x] = char
        texts[y] = "".join(cells).rstrip()
    return texts


def test_a_link_bends_in_the_head_line_between() -> None:
    assert path((1, 20), (5, 60)) == {2: "  │", 3: "  ╰───╮", 4: "      │"}
    assert path((1, 60), (5, 20)) == {2: "      │", 3: "  ╭───╯", 4: "  │"}
    assert path((5, 60), (1, 20)) == {2: "  │", 3: "  ╰───╮", 4: "      │"}


def test_a_link_straight_down_does_not_bend() -> None:
    assert path((2, 30), (4, 30)) == {3: "   │"}


def test_neighbours_need_no_path() -> None:
    assert path((1, 20), (2, 60)) == {}


def test_a_link_to_a_time_or_lane_out_of_view_leads_to_the_edge() -> None:
    assert path((1, 20), (4, 500)) == {2: "  │", 3: "  ╰───────"}
    assert path((1, 20), (5, 60), height=3) == {2: "  ╰───╮"}


def test_both_ends_are_marked_if_they_are_in_view() -> None:
    flow = Flow(FlowEnd(1, 0, 20), FlowEnd(4, 0, 500))
    found = path_of(flow, arrange(FLOW_LANES, 6, -1, 0), frozenset((0, 3)), WINDOW, 10, ASCII)
    assert found.ends == {1: 2}
    assert found.lines[3][0] == (2, "`")
