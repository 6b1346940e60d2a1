"""The command line, the palette and what else opens over a screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pilot.viewer import NARROW, WIDE, SentToTerminal, Viewer, sizes, viewing
from tui.commands import COMMANDS
from tui.config import cache_dir


async def command(viewer: Viewer, line: str) -> None:
    await viewer.press(":")
    await viewer.type(line)


@pytest.mark.parametrize(
    ("typed", "nearest"), [("fliter", ":filter"), ("gruop", ":group"), ("colls", ":cols"), ("wuit", ":quit")]
)
async def test_an_unknown_command_names_the_nearest_ones_and_stays_open(mish: Path, typed: str, nearest: str) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await command(viewer, f"{typed} x")
        await viewer.shows(rf"^ :{typed} x .*{nearest}")
        await viewer.press("escape")
        await viewer.hides(rf"^ :{typed}")
        await viewer.press("down")
        assert viewer.table_screen.grid.cursor_row == 1  # the keys are the grid's again


async def test_tab_completes_commands_columns_and_paths(mish: Path, tmp_path: Path) -> None:
    (tmp_path / "some_folder").mkdir()
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press(":", *"uni", "tab")
        await viewer.shows(r"^ :units$")
        await viewer.press("ctrl+u", *"co", "tab")
        found: list[str] = []
        for _press in range(3):
            await viewer.until(lambda: viewer.status.split("  ")[0].strip() not in found)
            found.append(viewer.status.split("  ")[0].strip())
            await viewer.press("tab")
        assert set(found) == {":cols", ":compare", ":copy-command"}
        await viewer.press("ctrl+u", *f"open {tmp_path}/so", "tab")
        await viewer.shows(r"some_folder/")


async def test_the_command_line_remembers_its_lines(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await command(viewer, "units ns")
        await command(viewer, "goto #7")
        await viewer.press(":", "up")
        await viewer.shows(r"^ :goto #7")
        await viewer.press("up")
        await viewer.shows(r"^ :units ns")
        await viewer.press("down", "enter")
        assert viewer.table_screen.grid.cursor_row == 6


async def test_text_is_edited_where_the_caret_is(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press(":", *"goto 12x", "backspace", "home", "delete", "g", "end", "left", "delete", "enter")
        assert viewer.table_screen.grid.cursor_row == 0  # `goto 1`
        await viewer.press(":", *"goto 5 nonsense", "ctrl+w", "backspace", "enter")
        assert viewer.table_screen.grid.cursor_row == 4
        await viewer.press(":", "backspace")
        await viewer.hides("^ :")


async def test_an_empty_line_and_blanks_do_nothing(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await command(viewer, "")
        await command(viewer, "  ")
        await viewer.shows("430 tasks")
        assert not viewer.frame.prompt.display


@sizes
async def test_the_palette_lists_what_is_possible_here_with_keys_and_runs_it(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        offered = len(viewer.frame.commands()) + len(viewer.frame.offered()) - 2  # palette and digits are left out
        await viewer.press("ctrl+p")
        await viewer.shows(rf"{offered} of {offered}")
        await viewer.press(*"wider")
        await viewer.shows(r"▌wider|wider +wider column")
        await viewer.shows(r"\+ =")
        before = viewer.table_screen.grid.column_state
        await viewer.press("enter")
        await viewer.until(lambda: viewer.table_screen.grid.column_state != before)


async def test_the_palette_takes_arguments_or_asks_for_them(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("ctrl+p", *":units ns", "enter")
        await viewer.shows("▼ Duration ns")
        await viewer.press("ctrl+p", *"goto", "enter")
        await viewer.shows(r"^ :goto$")
        await viewer.press("escape", "ctrl+p", *"qqq")
        await viewer.shows("nothing matches")
        await viewer.press("enter")
        await viewer.hides("nothing matches")
        await viewer.press("ctrl+p", "escape")
        await viewer.shows("430 tasks")


@pytest.mark.parametrize("digit", ["1", "3", "4", "9"])
async def test_every_command_offered_here_exists_and_the_others_are_not_offered(mish: Path, digit: str) -> None:
    async with viewing(mish, WIDE) as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        offered = set(viewer.frame.commands())
        assert {"open", "bands", "units", "report", "log", "about", "quit"} <= offered <= set(COMMANDS)
        assert ("filter" in offered) == (digit in "34")
        if digit in "19":
            await command(viewer, "filter x")
            await viewer.shows("nearest")


async def test_the_shell_command_of_the_view_is_copied(mish: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = SentToTerminal(monkeypatch)
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await command(viewer, "group type")
        await command(viewer, "sort count desc")
        await command(viewer, "copy-command")
        await viewer.shows("copied command")
        assert sent.copied[-1] == f"npuscope table ops {mish} --group op_type --sort 'count desc'"


async def test_messages_are_kept(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await command(viewer, "log")
        await viewer.shows("no messages yet")
        await viewer.press("q", "%")
        await viewer.shows("times in ns")
        await viewer.press("down")
        await viewer.hides("times in ns")
        await command(viewer, "log")
        await viewer.shows("times in ns")


async def test_about_says_version_terminal_and_folders(mish: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await command(viewer, "about")
        await viewer.shows(r"npuscope +\d")
        await viewer.shows("120×40")
        await viewer.shows(r"glyphs +blocks")
        await viewer.shows(str(cache_dir())[:20])
        await viewer.press("escape")
        await viewer.hides("glyphs +blocks")


async def test_the_key_tester_says_what_arrives_and_what_it_does(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await command(viewer, "keys")
        await viewer.press("ctrl+p", "？", "f5")
        await viewer.shows(r"ctrl\+p +everything possible here")
        await viewer.shows(r"fullwidth_question_mark +keys of this screen")
        await viewer.shows("f5")
        await viewer.press("q", "q")
        await viewer.hides("press any key")
        await viewer.shows("430 tasks")


@pytest.mark.parametrize("end", ["md", "html", "json", "txt"])
async def test_the_report_is_written_to_a_file_and_never_over_one(mish: Path, tmp_path: Path, end: str) -> None:
    target = tmp_path / f"report.{end}"
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await command(viewer, f"report {target}")
        await viewer.shows("report written to")
        text = target.read_text(encoding="utf-8")
        assert "Conv2D" in text
        await command(viewer, f"report {target}")
        await viewer.shows("exists, choose another name")
        assert target.read_text(encoding="utf-8") == text
        await viewer.press("escape")
        await command(viewer, f"report {tmp_path}/x.pdf")
        await viewer.shows("ends in none of .txt .md .html")


async def test_quit_asks_and_the_safe_answer_is_the_default(mish: Path) -> None:
    async with viewing(mish, NARROW) as viewer:
        await viewer.press("q")
        await viewer.shows("quit npuscope")
        await viewer.press("enter")
        await viewer.hides("quit npuscope")
        assert viewer.app.is_running
        await viewer.press("q", "right", "enter")
        await viewer.until(lambda: viewer.app._exit)
        assert viewer.app.return_value == 0


async def test_quit_by_command_leaves_at_once(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await command(viewer, "quit")
        await viewer.until(lambda: viewer.app._exit)


async def test_ctrl_c_twice_offers_to_quit_and_escape_never_does(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.press("escape", "escape", "escape")
        await viewer.press("ctrl+c")
        await viewer.shows("ctrl-c again offers to quit")
        await viewer.press("ctrl+c")
        await viewer.shows("quit npuscope")
        await viewer.press("escape")
        await viewer.hides("quit npuscope")


async def test_the_mouse_is_given_to_the_terminal_and_taken_back(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.press("M")
        await viewer.shows("the mouse belongs to the terminal; M takes it back")
        await viewer.press("M")
        await viewer.shows("the mouse belongs to npuscope")


async def test_repaint_paints_the_same_again(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        before = viewer.text
        await viewer.press("ctrl+l")
        assert viewer.text == before


async def test_clicks_do_what_the_keys_do(mish: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await viewer.go("3")
        heading = viewer.lines[2].index("OP Type")
        await viewer.pilot.click(offset=(heading + 1, 2))
        await viewer.shows(r"OP Type ▼1")
        await viewer.pilot.click(offset=(heading + 1, 2))
        await viewer.shows(r"OP Type ▲1")
        await viewer.pilot.click(offset=(10, 6))
        assert viewer.table_screen.grid.cursor_row == 3
        await viewer.pilot.click(offset=(viewer.lines[1].index("4 APIs"), 1))
        await viewer.until(lambda: viewer.frame.DIGIT == "4")
        await viewer.pilot.click(offset=(viewer.footer.index("? help"), WIDE[1] - 1))
        await viewer.shows("type to search")
