"""Filter, find, keep, exclude and their undo: rows on the screen against what the file says."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from tests.pilot.oracle import longest_first
from tests.pilot.viewer import NARROW, WIDE, sizes, viewing


def duration(row: dict[str, str]) -> Decimal:
    return Decimal(row["Task Duration(us)"])


@sizes
@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("type=Conv2D dur>500us", lambda row: row["OP Type"] == "Conv2D" and duration(row) > 500),
        ("Softplus", lambda row: "Softplus" in row["Op Name"] + row["OP Type"]),
        ("type=Mul|Tanh", lambda row: row["OP Type"] in ("Mul", "Tanh")),
        ("name~^Conv_1 !dur<400", lambda row: row["Op Name"].startswith("Conv_1") and duration(row) >= 400),
    ],
)
async def test_a_filter_shows_what_the_file_has(
    mish: Path, size: tuple[int, int], expression: str, wanted: Callable[[dict[str, str]], bool]
) -> None:
    expected = [row["Op Name"] for row in longest_first(mish) if wanted(row)]
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("&", *expression)
        await viewer.shows(rf"{len(expected)} of 430 rows")
        await viewer.press("enter")
        await viewer.until(lambda: viewer.shown_rows == len(expected))
        applied = viewer.table_screen.applied
        assert applied is not None
        names = applied.shown.table.text("op_name")
        assert names is not None
        assert names.texts(applied.shown.rows) == expected
        await viewer.shows(rf"{len(expected)}/430")
        assert expression in viewer.lines[0]


async def test_what_is_wrong_with_a_filter_is_shown_and_its_character_marked(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("&", *"type=Conv2D zzz>1")
        await viewer.shows(r"&type=Conv2D zzz>1 .*zzz")
        column = viewer.lines[-2].index("zzz")
        segments = [
            (len(segment.text), segment.style.underline if segment.style else None) for segment in viewer.strips[-2]
        ]
        underlined = [sum(n for n, _u in segments[:at]) for at, (_n, under) in enumerate(segments) if under]
        assert underlined == [column]
        assert viewer.shown_rows == 430
        await viewer.press("enter")  # it stays open and says so
        await viewer.shows(r"&type=Conv2D zzz>1")
        await viewer.press("escape")
        await viewer.shows("430 tasks")
        await viewer.shows(r"^▌ +Conv_0 ")


@sizes
async def test_nothing_matches_says_what_and_how_to_get_back(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("&")
        await viewer.type("dur>1s")
        await viewer.shows(r"no rows match dur>1s +430 rows +0 clears")
        await viewer.shows("0/430")
        await viewer.press("down", "enter", "y", "space", "f", "F", "s")  # keys that need a row do nothing
        await viewer.press("escape", "0")
        await viewer.shows(r"^▌ +Conv_0 ")
        await viewer.shows("430 tasks")


async def test_filters_have_a_history_and_complete_column_names(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("&")
        await viewer.type("Conv2D")
        await viewer.press("&", "ctrl+u")
        await viewer.type("Softplus")
        await viewer.press("&", "ctrl+u", "up", "up")
        await viewer.shows(r"^ &Conv2D")
        await viewer.press("ctrl+u", *"Mul task_dur", "tab")
        await viewer.shows(r"^ &Mul task_duration_us")
        await viewer.press("escape")
        await viewer.shows(r"Softplus +\d+/430")


async def test_find_counts_walks_and_wraps_without_changing_the_rows(mish: Path) -> None:
    names = [row["Op Name"] for row in longest_first(mish)]
    hits = [at for at, row in enumerate(longest_first(mish)) if "softplus" in (row["Op Name"] + row["OP Type"]).lower()]
    async with viewing(mish) as viewer:
        await viewer.go("3")
        grid = viewer.table_screen.grid
        await viewer.press("/", *"softplus")
        await viewer.shows(rf"1/{len(hits)}")
        await viewer.press("enter")
        assert grid.cursor_row == hits[0]
        assert names[hits[0]] in viewer.row
        await viewer.press("n")
        assert grid.cursor_row == hits[1]
        await viewer.shows(rf"hit 2 of {len(hits)}")
        await viewer.press("N", "N")
        assert grid.cursor_row == hits[-1]
        await viewer.shows("search wrapped around")
        await viewer.press("n")
        assert grid.cursor_row == hits[0]
        await viewer.shows("search wrapped around")
        await viewer.shows("430 tasks")
        await viewer.press("escape")
        assert not viewer.frame.can("find_next")


@pytest.mark.parametrize(
    ("pattern", "found"), [("Tanh", True), ("tanh", True), ("TANH", False), ("re:^Tanh_\\d+$", True)]
)
async def test_find_is_case_sensitive_only_where_a_capital_is_typed(mish: Path, pattern: str, found: bool) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("/", *pattern)
        await viewer.shows(r"1/\d+" if found else "not found")


async def test_a_broken_regular_expression_is_explained(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("/", *"re:(")
        await viewer.shows("not a regular expression")
        await viewer.press("escape")
        await viewer.shows(r"^▌ +Conv_0 ")


@sizes
async def test_keep_exclude_include_and_the_way_back(mish: Path, size: tuple[int, int]) -> None:
    rows = longest_first(mish)
    convs = sum(row["OP Type"] == "Conv2D" for row in rows)
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("right", "f")
        await viewer.shows(rf"{convs}/430")
        await viewer.shows("Conv2D ›")
        await viewer.press("u")
        await viewer.shows("430 tasks")
        await viewer.press("x")
        await viewer.shows(rf"{430 - convs}/430")
        await viewer.shows(r"^▌ +NonMax")
        await viewer.press("x")
        await viewer.shows(rf"{430 - convs - 1}/430")
        await viewer.press("X")
        await viewer.shows("430 tasks")
        await viewer.press("u")
        await viewer.shows(rf"{430 - convs - 1}/430")
        await viewer.press("backspace")
        await viewer.shows(rf"{430 - convs}/430")
        await viewer.press("U")
        await viewer.shows(rf"{430 - convs - 1}/430")
        assert viewer.frame.can("redo")


async def test_undo_brings_the_cursor_back_to_its_row(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press(*["down"] * 5)
        await viewer.press("&")
        await viewer.type("Softplus")
        assert viewer.table_screen.grid.cursor_row == 0
        await viewer.press("u")
        await viewer.shows("430 tasks")
        assert viewer.table_screen.grid.cursor_row == 5
        await viewer.press("U")
        await viewer.shows("Softplus +.*/430")


async def test_a_hundred_steps_can_be_undone(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        frame = viewer.frame
        for number in range(100):
            frame.action_act("sort_desc" if number % 2 else "sort_asc")
        for _number in range(100):
            assert frame.can("undo")
            frame.action_act("undo")
        assert not viewer.frame.can("undo")
        await viewer.shows(r"^▌ +Conv_0 .*3 170\.625")


async def test_reset_clears_filter_order_and_exclusions_at_once(mish: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await viewer.go("3")
        await viewer.press("right", "x", "<", "&")
        await viewer.type("dur>1")
        await viewer.press("0")
        await viewer.shows("430 tasks")
        await viewer.shows(r"^▌ +Conv_0 .*3 170\.625")
        assert viewer.frame.can("undo")


async def test_q_steps_out_one_view_at_a_time_and_asks_at_the_top(mish: Path) -> None:
    async with viewing(mish, NARROW) as viewer:
        await viewer.go("3")
        await viewer.press("right", "f", "enter")
        await viewer.shows("▸ Conv_0")
        await viewer.press("q")
        await viewer.shows("110/430")
        await viewer.press("q")
        await viewer.shows("430 tasks")
        await viewer.press("q")
        await viewer.shows("quit npuscope")
        await viewer.press("escape")
        await viewer.hides("quit npuscope")
