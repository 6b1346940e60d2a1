"""Every screen at both sizes: what it answers, that its footer fits, and that each key in the footer works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pilot.viewer import NARROW, WIDE, Viewer, sizes, viewing
from tui.actions import ACTIONS, KEY_SYMBOLS, key_symbol
from tui.screens.event_view import EventScreen
from tui.screens.frame import SCREEN_NAMES
from widgets.text import cells

DIGITS = tuple(SCREEN_NAMES)


def hinted_keys(viewer: Viewer) -> list[tuple[str, str]]:
    """Keys and words of the footer, as shown."""
    return [
        (key, word)
        for pair in re.split(r" {2,}", viewer.footer.strip())
        for key, _blank, word in [pair.rpartition(" ")]
    ]


@sizes
async def test_the_overview_says_where_the_time_went_and_where_to_look(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.everything_read()
        await viewer.shows(r"✓ complete +1 device")
        await viewer.shows(r"where 214\.6 ms went")
        await viewer.shows(r"load 29 %")
        await viewer.shows(r"device computing 53 %")
        await viewer.shows(r"Conv2D +110× +46\.31 █")
        await viewer.shows(r"aclmdlExecute +118\.30 █")
        await viewer.shows(r"^▌ High +Mish split into Softplus → Tanh → Mul +≤ 47\.44 ms +CO19")
        await viewer.shows(r"Low +Conv_0 \(Conv2D\) takes 3 170\.625 µs: lead suspect +≤ .* CO17")
        await viewer.shows("device-bound")


@pytest.mark.parametrize(("presses", "rule"), [(0, "CO19"), (3, "CO17")])
async def test_a_finding_on_the_overview_opens_among_all_of_them(mish: Path, presses: int, rule: str) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.press(*["down"] * presses, "enter")
        await viewer.until_on("5")
        await viewer.shows(f"^▸ {rule} ")


@sizes
async def test_ops_begin_with_the_longest_task(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.shows(r"^▌ +Conv_0 +Conv2D +3 170\.625 +2\.81 +█")
        await viewer.shows("430 tasks")
        await viewer.shows(r"Conv_0 ─+ .*row 3")
        await viewer.shows("2 of 8 cores")
        await viewer.shows(r"mte2 +━+┊?━*─*┊?─+ +0\.74")


@sizes
async def test_apis_begin_with_the_level_that_contains_the_others(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("4")
        await viewer.shows(r"^▌ █ +aclmdlExecute +acl +118\.300 +55\.1 +█")
        await viewer.shows(r"^  ▄ +aclmdlLoadFromFileWithMem +acl +62\.400 +29\.1 +█")
        await viewer.shows("AscendCL › Time ▼")
        assert "ModelExecute" not in viewer.text
        await viewer.press("0")
        await viewer.shows(r"ModelExecute +model")


@sizes
async def test_files_show_use_size_rows_and_what_is_missing(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.everything_read()
        await viewer.go("9")
        await viewer.shows(r"^  ✓ +op_summ.* ops +113\.8 KiB +430 rows")
        await viewer.shows(r"^  ✓ +msprof_.* timeline +601\.5 KiB +3 165 events")
        await viewer.shows(r"nothing damaged")
        await viewer.press("G")
        await viewer.shows(r"--sys-hardware-mem=on")
        await viewer.press("g")
        await viewer.shows(r"^▌ +▾ PROF_000001")


@sizes
@pytest.mark.parametrize("digit", DIGITS)
async def test_every_line_has_the_width_of_the_terminal(mish: Path, size: tuple[int, int], digit: str) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        assert len(viewer.lines) == size[1]
        assert {strip.cell_length for strip in viewer.strips} == {size[0]}
        assert {sum(cells(segment.text) for segment in strip) for strip in viewer.strips} == {size[0]}


@sizes
@pytest.mark.parametrize("digit", DIGITS)
async def test_the_footer_fits_and_ends_with_command_and_help(mish: Path, size: tuple[int, int], digit: str) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        hints = hinted_keys(viewer)
        assert cells(viewer.footer) <= size[0]
        assert hints[-2:] == [(":", "command"), ("?", "help")]
        assert 3 <= len(hints) - 2 <= 8
        said = viewer.frame.LABELS
        labels = {said.get(name, action.label) for name, action in ACTIONS.items() if viewer.frame.can(name)}
        assert {word for _key, word in hints} <= labels


@pytest.mark.parametrize("digit", DIGITS)
async def test_every_key_of_the_footer_changes_what_is_shown(mish: Path, digit: str) -> None:
    names = {symbol: key for key, symbol in KEY_SYMBOLS.items()}
    async with viewing(mish, WIDE) as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        for shown, word in hinted_keys(viewer):
            for symbol in shown.replace("1-9", "3" if digit != "3" else "4").split():
                before = (viewer.text, viewer.app.session)  # reading again may show the same again
                await viewer.press(names.get(symbol, symbol.replace("ctrl-", "ctrl+")))
                await viewer.until_other_than(before, f"an effect of {symbol} {word}")
                await viewer.press("escape")
                await viewer.everything_read()
                if isinstance(viewer.frame, EventScreen):
                    await viewer.press("q")
                await viewer.go(digit)


@sizes
@pytest.mark.parametrize("digit", DIGITS)
async def test_help_lists_every_action_that_is_possible_here_and_no_other(
    mish: Path, size: tuple[int, int], digit: str
) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        offered = [name for name in viewer.frame.offered() if name != "screen"]
        await viewer.press("?")
        await viewer.shows("type to search")
        seen = viewer.text
        for _page in range(4):
            await viewer.press("pagedown")
            seen += viewer.text
        tokens = set(re.split(r"\s+|│", seen))
        for name in offered:
            assert key_symbol(ACTIONS[name].keys[0]) in tokens, name
        for name in set(ACTIONS) - set(offered) - {"screen"}:
            alone = ACTIONS[name].help
            assert alone not in seen, name
        await viewer.press("q")
        await viewer.hides("type to search")


async def test_help_says_whether_there_is_more_above_or_below(mish: Path) -> None:
    async with viewing(mish, NARROW) as viewer:
        await viewer.go("3")
        await viewer.press("?")
        await viewer.shows("▼ +q closes")
        await viewer.press("pagedown")
        await viewer.shows("▲ +q closes")


async def test_help_is_narrowed_down_by_typing(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("?", *"freeze")
        await viewer.shows(r"p +freeze columns")
        assert "copy as" not in viewer.text
        await viewer.press("escape")
        await viewer.hides("freeze columns")


async def test_each_screen_keeps_its_own_view(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("&")
        await viewer.type("type=Conv2D")
        await viewer.press("down", "down")
        await viewer.shows("110/430")
        await viewer.go("4")
        assert "110/430" not in viewer.text
        await viewer.press("down")
        await viewer.go("3")
        await viewer.shows("110/430")
        assert viewer.table_screen.grid.cursor_row == 2
        await viewer.go("4")
        assert viewer.table_screen.grid.cursor_row == 1


async def test_a_terminal_that_is_too_small_says_so_and_keeps_the_view(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("&")
        await viewer.type("type=Conv2D")
        await viewer.pilot.resize_terminal(50, 10)
        await viewer.shows("enlarge the terminal .now 50×10.")
        await viewer.pilot.resize_terminal(*NARROW)
        await viewer.shows("110/430")
        await viewer.shows(r"^▌ +Conv_0")


async def test_a_wider_terminal_moves_the_details_to_the_side(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.shows(r"^ Conv_0 ─")
        await viewer.pilot.resize_terminal(*WIDE)
        await viewer.shows(r"│ Conv_0 ─")
        assert len(viewer.lines) == WIDE[1]
        await viewer.pilot.resize_terminal(*NARROW)
        await viewer.shows(r"^ Conv_0 ─")
