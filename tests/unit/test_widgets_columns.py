"""Where columns stand: order, width, growing, sideways scrolling, freezing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from widgets.arrangement import Arrangement
from widgets.columns import ColumnState, Slot
from widgets.protocols import GridColumn

COLUMNS = (
    GridColumn("band", "", 1, kind="mark"),
    GridColumn("name", "Op Name", 20),
    GridColumn("type", "OP Type", 12),
    GridColumn("time", "Duration µs", 11, "right", kind="number"),
    GridColumn("share", "% device", 8, "right", kind="number"),
)


def arranged(state: ColumnState | None = None, columns: tuple[GridColumn, ...] = COLUMNS) -> Arrangement:
    arrangement = Arrangement()
    arrangement.set_columns(columns)
    if state is not None:
        arrangement.set_state(state)
    return arrangement


def stands(slots: list[Slot]) -> list[tuple[str, int, int]]:
    return [(slot.column.key, slot.x, slot.width) for slot in slots]


def test_marks_come_first_and_two_blanks_part_columns() -> None:
    slots = arranged().lay_out({}, 80)
    assert stands(slots) == [("band", 2, 1), ("name", 5, 20), ("type", 27, 12), ("time", 41, 11), ("share", 54, 8)]


def test_a_sorted_column_has_room_for_its_arrow() -> None:
    slots = arranged().lay_out({"time": (1, True)}, 80)
    assert next(slot.width for slot in slots if slot.column.key == "time") == 13


def test_growing_columns_take_what_is_left_by_their_shares_up_to_their_limit() -> None:
    columns = (
        GridColumn("a", "A", 10, grow=1),
        GridColumn("b", "B", 10, grow=3),
        GridColumn("c", "C", 10, grow=1, max_width=12),
    )
    # room 80 - 2 - 1 = 77, used 10 + 10 + 10 + 2 gaps of 2 = 34, left 43: c takes 2, a and b share 41 about 1:3
    widths = {slot.column.key: slot.width for slot in arranged(columns=columns).lay_out({}, 80)}
    assert widths["c"] == 12
    assert sum(widths.values()) == 77 - 4
    assert widths["b"] > 2 * widths["a"]


def test_numbers_are_never_cut_but_a_text_at_the_right_end_is() -> None:
    wide = arranged().lay_out({}, 50)
    assert [slot.column.key for slot in wide] == ["band", "name", "type"]
    narrow = arranged().lay_out({}, 36)
    assert stands(narrow)[-1] == ("type", 27, 8)


def test_a_column_that_must_not_be_cut_is_left_out() -> None:
    columns = (GridColumn("name", "Name", 20), GridColumn("shape", "Input Shapes", 30, cut="never"))
    assert [slot.column.key for slot in arranged(columns=columns).lay_out({}, 40)] == ["name"]


def test_the_column_cursor_scrolls_sideways_past_the_frozen_column() -> None:
    arrangement = arranged()
    arrangement.move_cursor(3)
    slots = arrangement.lay_out({}, 40)
    assert [slot.column.key for slot in slots] == ["band", "name", "share"]
    arrangement.move_cursor(1)
    assert [slot.column.key for slot in arrangement.lay_out({}, 40)] == ["band", "name", "type"]


def test_moving_a_column_takes_the_cursor_along() -> None:
    arrangement = arranged()
    arrangement.move_cursor(2)
    assert arrangement.shift_current(-1)
    assert list(arrangement.keys) == ["name", "time", "type", "share"]
    assert arrangement.cursor_key == "time"
    arrangement.shift_current(-1)
    assert not arrangement.shift_current(-1)


def test_hiding_showing_and_choosing() -> None:
    arrangement = arranged()
    arrangement.move_cursor(1)
    assert arrangement.hide_current()
    assert list(arrangement.keys) == ["name", "time", "share"]
    arrangement.show_only(("share", "type"))
    assert list(arrangement.keys) == ["share", "type"]
    assert [slot.column.key for slot in arrangement.lay_out({}, 80)] == ["band", "share", "type"]
    assert arrangement.hide_current()
    assert not arrangement.hide_current()


def test_a_width_that_the_user_set_wins_over_growing() -> None:
    columns = (GridColumn("a", "A", 10, grow=1), GridColumn("b", "B", 10))
    arrangement = arranged(columns=columns)
    arrangement.resize("a", 15)
    assert [slot.width for slot in arrangement.lay_out({}, 80)] == [15, 10]
    assert arrangement.state.widths == {"a": 15}


def test_the_state_can_be_put_back() -> None:
    arrangement = arranged()
    before = arrangement.state
    arrangement.shift_current(1)
    arrangement.resize("name", 9)
    arrangement.set_state(before)
    assert list(arrangement.keys) == ["name", "type", "time", "share"]


def test_other_columns_keep_the_cursor_on_its_key() -> None:
    arrangement = arranged()
    arrangement.move_cursor(2)
    arrangement.set_columns((COLUMNS[3], COLUMNS[1]))
    assert arrangement.cursor_key == "time"


@given(
    st.lists(
        st.tuples(st.integers(1, 40), st.sampled_from(["text", "number", "bar"]), st.integers(0, 2)),
        min_size=1,
        max_size=12,
    ),
    st.integers(20, 200),
    st.integers(0, 12),
    st.integers(0, 3),
)
def test_columns_never_overlap_nor_leave_the_line(
    shapes: list[tuple[int, str, int]], width: int, cursor: int, frozen: int
) -> None:
    columns = tuple(
        GridColumn(f"c{at}", f"c{at}", cells, kind=kind, grow=grow)  # type: ignore[arg-type]
        for at, (cells, kind, grow) in enumerate(shapes)
    )
    arrangement = arranged(ColumnState(frozen=frozen), columns)
    arrangement.move_cursor(cursor)
    slots = arrangement.lay_out({}, width)
    assert all(left.end + 2 == right.x for left, right in zip(slots, slots[1:]))
    assert all(slot.x >= 2 and slot.end <= width - 1 for slot in slots)
