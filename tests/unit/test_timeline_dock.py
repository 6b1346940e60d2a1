"""The longest events below the lanes: which ones, and what stands in a line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.timelines import Slice, make_timeline
from tui.model.lod import Rows
from tui.model.timeline import Timeline
from tui.screens.timeline_details import Scale
from tui.screens.timeline_dock import DOCK_LINES, Dock, dock_lines, dock_title, has_room, longest
from widgets.glyphs import ASCII, BLOCKS, GlyphSet
from widgets.pieces import width_of
from widgets.text import cells

TASKS = make_timeline([Slice("s1", f"task_{n}", 10_000_000 * n, (n * 7 % 20) * 100_000) for n in range(20)])


def dock(glyphs: GlyphSet = BLOCKS) -> Dock:
    chosen = longest_of(TASKS)
    return Dock(TASKS, chosen, Scale(0, 4_000_000, "blocks"), (20.0, 40.0), glyphs)


def longest_of(timeline: Timeline, window: tuple[int, int] = (0, 10**12), count: int = 10) -> NDArray[np.int64]:
    rows = Rows.build(timeline)
    return longest(timeline, rows, range(len(rows.rows)), window, count)[0]


def test_longest_first_and_not_more_than_there_is_room_for() -> None:
    events = longest_of(TASKS, count=5)
    assert TASKS.dur_ns[events].tolist() == [1_900_000, 1_800_000, 1_700_000, 1_600_000, 1_500_000]
    assert longest_of(make_timeline([])).tolist() == []
    alike = make_timeline([Slice("s1", "a", 10 * n, 5) for n in range(8)])
    assert longest_of(alike, count=3).tolist() == [0, 1, 2]


def test_only_a_window_is_listed_and_counted() -> None:
    rows = Rows.build(TASKS)
    events, count = longest(TASKS, rows, range(len(rows.rows)), (40_000_000, 70_000_000))
    assert (count, sorted(TASKS.name(event) for event in events.tolist())) == (3, ["task_4", "task_5", "task_6"])


@settings(max_examples=25)
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=3000), st.integers(1, 12), st.data())
def test_of_very_many_events_the_longest_are_found(lengths: list[int], count: int, data: st.DataObject) -> None:
    timeline = make_timeline([Slice("s1", "t", 10_000 * n, length) for n, length in enumerate(lengths)])
    first = data.draw(st.integers(0, len(lengths) - 1))
    last = data.draw(st.integers(first, len(lengths) - 1))
    window = (10_000 * first, 10_000 * last + 1)
    found = timeline.dur_ns[longest_of(timeline, window, count)].tolist()
    touching = [
        length for n, length in enumerate(lengths) if 10_000 * n < window[1] and 10_000 * n + max(length, 1) > window[0]
    ]
    assert found == sorted(touching, reverse=True)[:count]


@pytest.mark.parametrize("width", [120, 160, 200, 300])
@pytest.mark.parametrize("glyphs", [BLOCKS, ASCII], ids=["blocks", "ascii"])
def test_lines_fit_and_their_columns_line_up(width: int, glyphs: GlyphSet) -> None:
    lines = dock_lines(dock(glyphs), 3, width)
    assert len(lines) == DOCK_LINES
    assert {width_of(line) for line in lines[1:]} <= set(range(width - 20, width + 1))
    texts = ["".join(piece.text for piece in line) for line in lines]
    assert len({cells(text[: text.index(" ms") + 3]) for text in texts[:1]}) == 1
    ends = {cells(text[: text.index(number) + len(number)]) for text, number in zip(texts[1:], numbers(lines))}
    assert len(ends) == 1


def numbers(lines: list) -> list[str]:  # type: ignore[type-arg]
    return [line[5].text.strip() for line in lines[1:]]


def test_a_line_has_time_share_and_band_and_the_cursor() -> None:
    shown = dock()
    here = int(shown.events[1])
    _heading, first, second, *_rest = dock_lines(shown, here, 160)
    assert [piece.text.strip() for piece in first[3:7]] == ["task_17", "170.000", "1.900", "47.5"]
    assert (first[0].text, second[0].text) == (" ", BLOCKS.cursor)
    assert (first[1].role, first[1].text) == ("high", BLOCKS.band_high)


def test_where_there_is_room() -> None:
    assert has_room(200, 60)
    assert not has_room(200, 45)
    assert not has_room(80, 60)


def test_the_title_says_how_many_there_are() -> None:
    assert dock_title("AscendCL", 12_345, [1, 2, 3]) == (
        "AscendCL events",
        "3 of 12 345 events by Duration, T shows all",
    )
