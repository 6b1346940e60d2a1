"""Cursor, pages, panes: every key that moves, at both sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pilot.oracle import longest_first
from tests.pilot.viewer import NARROW, WIDE, sizes, viewing
from widgets.lines import LinesPane

ROWS = 430


@sizes
async def test_row_keys_move_the_cursor_and_the_details(mish: Path, size: tuple[int, int]) -> None:
    names = [row["Op Name"] for row in longest_first(mish)]
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        grid = viewer.table_screen.grid
        page = grid.size.height - 1
        expected = [
            ("down", 1), ("j", 2), ("up", 1), ("k", 0), ("up", 0), ("pagedown", page), ("pageup", 0),
            ("ctrl+d", page // 2), ("ctrl+u", 0), ("G", ROWS - 1), ("down", ROWS - 1), ("g", 0), ("end", ROWS - 1),
            ("home", 0), ("j", 1),
        ]  # fmt: skip
        for key, row in expected:
            await viewer.press(key)
            assert grid.cursor_row == row, key
            await viewer.shows(rf"{row + 1}/430 ")
        await viewer.shows(rf"[ │]{names[1]} ─")


async def test_column_keys_move_the_column_cursor_and_scroll_sideways(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        grid = viewer.table_screen.grid
        assert grid.cursor_key == "op_name"
        for key, column in [("right", "op_type"), ("l", "task_duration_us"), ("left", "op_type"), ("h", "op_name")]:
            await viewer.press(key)
            assert grid.cursor_key == column, key
        await viewer.press("left")
        assert grid.cursor_key == "op_name"
        await viewer.press(*["right"] * 20)
        assert grid.cursor_key == grid.visible_keys[-1]
        await viewer.shows("Input Shapes")
        await viewer.shows(r"^▌ +Conv_0 ")  # the first column is frozen


@sizes
async def test_tab_goes_round_the_panes_and_marks_the_focused_one(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        grid = viewer.table_screen.grid
        assert grid.has_focus
        await viewer.press("tab")
        await viewer.shows("▸ Conv_0 ─")
        assert isinstance(viewer.frame.focused, LinesPane)
        await viewer.press("tab")
        await viewer.hides("▸ Conv_0 ─")
        assert grid.has_focus
        await viewer.press("shift+tab")
        await viewer.shows("▸ Conv_0 ─")
        await viewer.press("escape")
        await viewer.until(lambda: grid.has_focus)


async def test_keys_scroll_the_details_while_they_have_the_focus(mish: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await viewer.go("3")
        await viewer.press("enter")
        await viewer.shows("▸ Conv_0 ─")
        assert "cube_utilization" not in viewer.text
        await viewer.press("G")
        await viewer.shows(r"cube_util.* 24\.437")
        assert viewer.table_screen.grid.cursor_row == 0
        await viewer.press("g", "down")
        await viewer.hides("OP Type    Conv2D +┃")
        await viewer.press("q")
        await viewer.until(lambda: viewer.table_screen.grid.has_focus)
        await viewer.shows("430 tasks")


@sizes
async def test_details_can_be_hidden_and_come_back(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("i")
        await viewer.hides("Conv_0 ─")
        await viewer.press("down", "i")
        await viewer.shows("NonMaxSuppression_406 ─|NonMax.* ─")


@sizes
async def test_z_gives_the_focused_pane_the_whole_screen(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        grid = viewer.table_screen.grid
        before = grid.size
        await viewer.press("z")
        await viewer.hides("Conv_0 ─")
        await viewer.until(lambda: grid.size.width == size[0] and grid.size.height == size[1] - 4)
        await viewer.press("z")
        await viewer.shows("Conv_0 ─")
        await viewer.until(lambda: grid.size == before)
        await viewer.press("tab", "z")
        await viewer.hides("NonMax.*1 840.2")
        await viewer.shows("▸ Conv_0 ─")
        await viewer.press("z", "escape")
        await viewer.shows("NonMax.*1 840.2")


@pytest.mark.parametrize(("text", "row"), [("#100", 99), ("100", 99), ("Conv_125", None), ("#9999", 429)])
async def test_go_to_a_row_number_or_a_name(mish: Path, text: str, row: int | None) -> None:
    names = [entry["Op Name"] for entry in longest_first(mish)]
    expected = next(at for at, name in enumerate(names) if text in name) if row is None else row
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("ctrl+g")
        await viewer.shows("row number or name")
        await viewer.type(text)
        await viewer.until(lambda: viewer.table_screen.grid.cursor_row == expected)
        await viewer.shows(rf"{expected + 1}/430 ")
        await viewer.shows("430 tasks")


async def test_go_to_a_name_that_is_not_there_says_so_and_stays(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("down", "ctrl+g")
        await viewer.type("nowhere")
        await viewer.shows("no row holds nowhere")
        await viewer.press("escape")
        assert viewer.table_screen.grid.cursor_row == 1


async def test_notable_rows_of_files_are_walked_both_ways(mish: Path, tmp_path: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.go("9")
        await viewer.press(".")
        await viewer.shows("nothing needs attention")


async def test_files_open_folders_and_the_screen_that_shows_a_file(mish: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await viewer.everything_read()
        await viewer.go("9")
        await viewer.press(*["down"] * 11)
        await viewer.shows(r"^▌ +▸ host")
        await viewer.press("enter")
        await viewer.shows(r"^▌ +▾ host")
        await viewer.shows("info.json")
        await viewer.press("enter")
        await viewer.hides("info.json")
        await viewer.press(*["up"] * 5)
        await viewer.shows(r"^▌ ✓ +op_summary_")
        await viewer.press("enter")
        await viewer.until(lambda: viewer.frame.DIGIT == "3")


@pytest.mark.parametrize("key", ["down", "up", "G", "g"])
async def test_moving_in_the_list_of_what_to_do(mish: Path, key: str) -> None:
    ends = {"down": "CO15", "up": "CO19", "G": "CO16", "g": "CO19"}
    async with viewing(mish, NARROW) as viewer:
        await viewer.everything_read()
        await viewer.press(key)
        await viewer.shows(rf"^▌ .* {ends[key]}")
