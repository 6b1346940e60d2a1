"""A selection behaves like a set of rows and the window like a cursor in a list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from widgets.selection import RowSelection
from widgets.window import Window

STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "discard", "toggle"]), st.integers(0, 30), st.integers(0, 30)), max_size=30
)


@given(STEPS)
def test_selection_equals_a_set(steps: list[tuple[str, int, int]]) -> None:
    selection, model = RowSelection(), set[int]()
    for step, first, last in steps:
        if step == "toggle":
            selection.toggle(first)
            model ^= {first}
        elif step == "add":
            selection.add(first, last)
            model |= set(range(first, last))
        else:
            selection.discard(first, last)
            model -= set(range(first, last))
    assert list(selection) == sorted(model)
    assert len(selection) == len(model)
    assert [row for row in range(32) if row in selection] == sorted(model)
    assert all(end < start for (_first, end), (start, _last) in zip(selection.ranges, selection.ranges[1:]))


def test_a_million_rows_are_one_range() -> None:
    selection = RowSelection()
    selection.add(0, 1_000_000)
    assert selection.ranges == ((0, 1_000_000),)
    assert 999_999 in selection


def test_the_view_jumps_by_half_a_page_at_its_edge() -> None:
    window = Window(rows=100, height=10)
    for _ in range(9):
        window.move(window.cursor + 1)
    assert (window.cursor, window.top) == (9, 0)
    window.move(10)
    assert (window.cursor, window.top) == (10, 5)
    window.move(4)
    assert (window.cursor, window.top) == (4, 0)


def test_pages_move_cursor_and_view_and_end_at_the_last_row() -> None:
    window = Window(rows=25, height=10, cursor=3)
    window.page(10)
    assert (window.cursor, window.top) == (13, 10)
    window.page(10)
    assert (window.cursor, window.top) == (23, 15)
    window.page(10)
    assert (window.cursor, window.top) == (24, 15)


def test_the_wheel_takes_the_cursor_only_along_where_it_must() -> None:
    window = Window(rows=100, height=10, cursor=5)
    window.scroll(3)
    assert (window.cursor, window.top) == (5, 3)
    window.scroll(3)
    assert (window.cursor, window.top) == (6, 6)


def test_the_scroll_mark_covers_its_share_and_reaches_the_ends() -> None:
    window = Window(rows=40, height=10)
    assert window.thumb() == (0, 2)
    window.move(39)
    assert window.thumb() == (8, 10)
    assert Window(rows=10, height=10).thumb() == (0, 0)


@given(
    st.integers(0, 200),
    st.integers(1, 40),
    st.lists(st.tuples(st.sampled_from("mps"), st.integers(-60, 260)), max_size=20),
)
def test_the_cursor_is_always_a_row_in_view(rows: int, height: int, steps: list[tuple[str, int]]) -> None:
    window = Window(rows=rows, height=height)
    for kind, value in steps:
        {"m": window.move, "p": window.page, "s": window.scroll}[kind](value)
        assert 0 <= window.cursor <= max(rows - 1, 0)
        assert 0 <= window.top <= window.last_top
        assert window.top <= window.cursor < window.top + height
