"""The reference case by keyboard alone, at 80 x 24, through a real terminal."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import Terminal

pytestmark = pytest.mark.slow

FIRST_CONV = r"^▌ +Conv_0 +Conv2D +3 170\.625 "


@pytest.fixture
def demo(repository: Path) -> Iterator[Terminal]:
    with Terminal([sys.executable, "-m", "tui", "demo"], cwd=repository) as terminal:
        terminal.wait_for("aclmdlLoa")
        yield terminal


@pytest.fixture
def ops(demo: Terminal) -> Terminal:
    demo.press("3")
    demo.wait_for(FIRST_CONV)
    return demo


def test_overview_says_where_the_time_went_and_names_the_next_steps(demo: Terminal) -> None:
    demo.wait_for(r"where 214\.6 ms went")
    demo.wait_for(r"load 29 %")
    demo.wait_for(r"Conv_0")


def test_ops_open_with_the_slow_convolution_first(ops: Terminal) -> None:
    ops.wait_for("430 tasks")
    ops.wait_for("2 of 8 cores")
    row, column = ops.find("3 170.625")
    assert row == 3
    assert ops.look(row, column).background != ops.look(row + 1, column).background


def test_apis_show_the_two_long_calls_on_top_with_their_bands(demo: Terminal) -> None:
    demo.press("4")
    demo.wait_for(r"^▌ █ +aclmdlExecute .*118\.300 +55\.1")
    demo.wait_for(r"^  ▄ +aclmdlLoadFromFileWithMem .*62\.400 +29\.1")


def test_filter_shows_the_count_and_undo_takes_it_back(ops: Terminal) -> None:
    ops.press("&", *"type=Conv2D dur>1ms")
    ops.wait_for("3 of 430 rows")
    ops.press("enter")
    ops.wait_for(r"type=Conv2D dur>1ms +3/430")
    ops.wait_gone("NonMax")
    ops.press("u")
    ops.wait_for("NonMax")
    ops.wait_for("430 tasks")


def test_a_filter_that_cannot_be_read_says_so_and_changes_nothing(ops: Terminal) -> None:
    ops.press("&", *"nosuchcolumn>1")
    ops.wait_for("nosuchcolumn.*\n?.*no ")
    ops.press("escape")
    ops.wait_for(FIRST_CONV)
    ops.wait_for("430 tasks")


def test_group_by_type_drill_to_shapes_and_instances_and_come_back(ops: Terminal) -> None:
    ops.press("right", "F")
    ops.wait_for(r"^▌.* Conv2D +AI_CORE +110 +46\.31\d* +41\.0")
    ops.wait_for(r"Mul +AI_CORE +72 +14\.12")
    ops.press("enter")
    ops.wait_for("Conv2D › .*by shapes")
    ops.wait_for("110/430")
    ops.press("enter")
    ops.wait_for(r"8/430")
    ops.press("u", "u", "u")
    ops.wait_for(FIRST_CONV)


def test_find_moves_the_cursor_without_changing_the_rows(ops: Terminal) -> None:
    ops.press("/", *"Softplus", "enter")
    ops.wait_for(r"^▌ +Softplus_1 ")
    ops.wait_for("430 tasks")


def test_sorting_another_column_keeps_the_first_as_second_key(ops: Terminal) -> None:
    ops.press("right", "<")
    ops.wait_for("▲1.*▼2")
    names = [re.split(" +", line)[1] for line in ops.lines[3:7]]
    assert names == ["Add_24", "Add_54", "Add_63", "Add_111"]  # 138.911, 110.278, 107.639, 104.480 us


def test_copy_goes_to_the_terminal_and_to_a_file(ops: Terminal, private_home: Path) -> None:
    before = len(ops.received)
    ops.press("y")
    ops.wait_for("copied Conv_0")
    sent = re.search(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)", bytes(ops.received[before:]))
    assert sent is not None
    assert base64.b64decode(sent[1]) == b"Conv_0"
    assert (private_home / "cache" / "npuscope" / "last-copy.txt").read_text(encoding="utf-8") == "Conv_0"


def test_copying_selected_rows_gives_tab_separated_rows_with_a_head(ops: Terminal, private_home: Path) -> None:
    ops.press("v", "down", "v", "y")
    ops.wait_for("copied 2 rows")
    head, *rows = (private_home / "cache" / "npuscope" / "last-copy.txt").read_text(encoding="utf-8").splitlines()
    assert "\t" in head
    assert [row.split("\t")[0] for row in rows] == ["Conv_0", "NonMaxSuppression_406"]


def test_files_list_what_was_read(demo: Terminal) -> None:
    demo.press("9")
    demo.wait_for(r"✓ .*op_summ.* 430 rows")


def test_a_key_that_does_nothing_here_is_not_offered(demo: Terminal) -> None:
    demo.press("?")
    demo.wait_for("keys ")
    assert "timeline" not in demo.text
    demo.press("q")
    demo.wait_gone("type to search")


def test_command_line_suggests_the_closest_commands(ops: Terminal) -> None:
    ops.press(*":fliter x", "enter")
    ops.wait_for(":filter")


def test_full_width_punctuation_works_as_the_key(ops: Terminal) -> None:
    ops.press("？")
    ops.wait_for("type to search")


def test_ascii_glyphs_are_ascii_only(repository: Path) -> None:
    with Terminal([sys.executable, "-m", "tui", "demo", "--glyphs", "ascii"], cwd=repository) as terminal:
        terminal.wait_for("aclmdlLoa")
        terminal.press("3")
        terminal.wait_for(r"Conv_0 +Conv2D +3 170\.625")
        assert terminal.text.isascii()


def test_moving_the_cursor_in_view_sends_little(ops: Terminal) -> None:
    ops.press("down")
    ops.wait_for(r"^▌ +NonMax")
    ops.settle()
    before = len(ops.received)
    ops.press("down")
    ops.wait_for(r"^▌ +Conv_4 ")
    ops.settle()
    assert len(ops.received) - before < 4000


def test_nothing_is_sent_when_nothing_changes(ops: Terminal) -> None:
    ops.settle()
    before = len(ops.received)
    ops.settle(1.0)
    assert len(ops.received) == before


@pytest.mark.parametrize("sign", ["&", "/", ":"])
def test_keys_typed_ahead_reach_the_line_that_the_first_one_opens(ops: Terminal, sign: str) -> None:
    """A slow link delivers many keys at once; none of them may become a command of the pane."""
    ops.press(sign + "name=Conv_20")
    ops.wait_for(rf"^ {sign}name=Conv_20")
    ops.wait_for("430 tasks")


def test_keys_typed_ahead_reach_the_question(ops: Terminal) -> None:
    ops.press("q" + "\x1b[C" + "\r")
    assert ops.wait_exit() == 0
