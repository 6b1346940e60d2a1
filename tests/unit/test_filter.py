"""The filter grammar: what each expression keeps, and where a wrong one goes wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tables import number, ops_table, text, time
from tui.errors import BadExpression
from tui.model.filter import filter_mask
from tui.model.find import find_rows
from tui.model.names import resolve_key
from tui.model.table import Table

CONV_0, MUL, CONV_10, CAST, COMM, NOTHING = range(6)


def kept(expression: str, table: Table | None = None) -> list[int]:
    return np.flatnonzero(filter_mask(table or ops_table(), expression)).tolist()


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        ("", [0, 1, 2, 3, 4, 5]),
        ("conv", [CONV_0, CONV_10]),
        ("CONV", []),
        ("Conv_1", [CONV_10]),
        ("转换", [NOTHING]),
        ("conv dur>5us", [CONV_10]),
        ("mul | cast", [MUL, CAST]),
        ("mul|cast", [MUL, CAST]),
        ("!conv", [MUL, CAST, COMM, NOTHING]),
        ("! conv !mul", [CAST, COMM, NOTHING]),
        ("(conv | mul) dur<3", [MUL]),
        ("!(conv | mul)", [CAST, COMM, NOTHING]),
        ("type=Cast|Mul", [MUL, CAST]),
        ("type=conv2d", [CONV_0, CONV_10]),
        ("type==conv2d", []),
        ("type==Conv2D", [CONV_0, CONV_10]),
        ("!type==Conv2D|Mul", [CAST, COMM, NOTHING]),
        ("type=CONV2D", []),
        ("type!=Conv2D", [MUL, CAST, COMM]),
        ("type!=Conv2D|Mul", [CAST, COMM]),
        ("type=Cast|dur>8", [CAST, COMM]),
        ("name~^Conv", [CONV_0, CONV_10]),
        ("name~(Conv|Mul)_1", [MUL, CONV_10]),
        ("name!~^Conv", [MUL, CAST, COMM, NOTHING]),
        (r"name~_\d$", [CONV_0, MUL, CAST, COMM, NOTHING]),
        ("dur > 2.25", [CONV_0, CONV_10, COMM]),
        ("dur>=2.25us dur<=3500ns", [CONV_0, MUL]),
        ("dur>=0.0035 ms", [CONV_0, CONV_10, COMM]),
        ("dur=7|9", [CONV_10, COMM]),
        ("dur!=7", [CONV_0, MUL, CAST, COMM]),
        ("dur=N/A", [NOTHING]),
        ("dur!=N/A", [CONV_0, MUL, CONV_10, CAST, COMM]),
        ("type=N/A", [NOTHING]),
        ("shapes=N/A", [COMM, NOTHING]),
        ("n/a", []),
        ("task_d>8", [COMM]),
        ("TASK_DURATION>8", [COMM]),
        ('"Task Duration(us)">8', [COMM]),
        ("block=8", [CONV_0, CONV_10]),
        ("block_dim=8", [CONV_0, CONV_10]),
        ("ratio>=0.8", [CONV_0, MUL]),
        ("ratio>=80%", [CONV_0, MUL]),
        ("bound=none", [CONV_10]),
        ("class=comm", [COMM]),
        ("device=0 class=aicpu", [CAST]),
        ("device>=1", []),
        ("start>=4us", [MUL, CONV_10, CAST, COMM]),
        ("start>=@6us", [CONV_10, CAST, COMM]),
        ("start=5000", [MUL]),
        ("start=N/A", [NOTHING]),
        ('"64"', [CONV_0, MUL, CONV_10, CAST]),
        ('shapes="1,3;64"', [CONV_0]),
        ("share>40", [CONV_10]),
    ],
)
def test_kept_rows(expression: str, rows: list[int]) -> None:
    """Hand-picked rows of `ops_table`; shares are of 13.25 us of device time."""
    assert kept(expression) == rows


@pytest.mark.parametrize(
    ("expression", "position"),
    [
        ("(conv", 0),
        ("conv)", 4),
        ("conv |", 6),
        ("| conv", 0),
        ("!", 1),
        ("dur>", 4),
        ("dur>abc", 4),
        ("dur>5KiB", 4),
        ("dur~5", 4),
        ("nosuch=1", 0),
        ("conv nosuch=1", 5),
        ("name>x", 5),
        ("name~[a", 5),
        ("dur>N/A", 4),
    ],
)
def test_errors_say_where(expression: str, position: int) -> None:
    with pytest.raises(BadExpression) as caught:
        kept(expression)
    assert caught.value.position == position
    assert caught.value.message


def test_unknown_column_names_the_closest() -> None:
    with pytest.raises(BadExpression) as caught:
        kept("op_tipe=Conv2D")
    assert "op_type" in caught.value.hint


def test_ambiguous_column_lists_them() -> None:
    with pytest.raises(BadExpression) as caught:
        kept("m=1")
    assert "mac_ratio" in caught.value.hint
    assert "mte2_ratio" in caught.value.hint


def test_integer_times_compare_beyond_doubles() -> None:
    """Two times that a double cannot tell apart."""
    table = Table("tasks", (time("start_ns", [1778463028574314896, 1778463028574314897]),))
    assert kept("start=1778463028574314897", table) == [1]
    assert kept("start<=@1778463028574314.896us", table) == [0]


def test_sizes_and_missing_text_columns() -> None:
    table = Table("memory", (text("name", ["a", "b"]), number("size_kb", [4.0, 2048.0], "kb")))
    assert kept("size>1MiB", table) == [1]
    assert kept("size<=4096B", table) == [0]


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(expression: str) -> None:
    """No input raises anything but BadExpression, and positions lie inside or just after it."""
    table = ops_table()
    try:
        mask = filter_mask(table, expression)
    except BadExpression as error:
        position = error.position
    else:
        position = 0
        assert mask.shape == (table.row_count,)
    assert 0 <= position <= len(expression) + 1


def test_names() -> None:
    table = ops_table()
    for name, key in {
        "dur": "task_duration_us",
        "Op Name": "op_name",
        "type": "op_type",
        "Block Dim": "block_num",
        "Block Num": "block_num",
        "mac": "mac_ratio",
        "bound": "bound",
    }.items():
        assert resolve_key(table, name) == key


@pytest.mark.parametrize(
    ("pattern", "rows"),
    [
        ("conv", [CONV_0, CONV_10]),
        ("Conv_0", [CONV_0]),
        ("re:conv_\\d0", [CONV_10]),
        ("=Mul", [MUL]),
        ("=Conv", []),
        ("cpu", [CAST]),
        ("", []),
        ("[x", []),
    ],
)
def test_find(pattern: str, rows: list[int]) -> None:
    table = ops_table()
    assert find_rows(table, pattern, np.arange(table.row_count)).tolist() == rows


def test_find_answers_places_in_the_order_shown() -> None:
    assert find_rows(ops_table(), "conv", np.array([5, CONV_10, 1, CONV_0])).tolist() == [1, 3]


def test_find_refuses_a_broken_regex() -> None:
    with pytest.raises(BadExpression):
        find_rows(ops_table(), "re:(", np.arange(6))


def test_empty_table() -> None:
    table = Table("ops", ())
    assert kept("conv", table) == []


def test_a_quotation_mark_within_quotation_marks_is_written_twice() -> None:
    names = ['say "hi"', "say hi", '"']
    table = Table("ops", (text("op_name", names),))
    assert kept('op_name="say ""hi"""', table) == [0]
    assert kept('op_name==""""', table) == [2]
    assert kept('"""hi"', table) == [0]
