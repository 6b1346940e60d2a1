"""The story of the timeline by keyboard alone, at 80 x 24, through a real terminal: from `2` to `]`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import Terminal

pytestmark = pytest.mark.slow

NPUSCOPE = [sys.executable, "-m", "tui"]
RED, YELLOW = "d75f5f", "d7af00"
"""Entries 167 and 178 of the 256 colours."""
MOST_PRESSES = 12


@pytest.fixture
def demo(repository: Path) -> Iterator[Terminal]:
    with Terminal([*NPUSCOPE, "demo"], cwd=repository) as terminal:
        terminal.wait_for("where to look next|what to do")
        yield terminal


def fills(terminal: Terminal, title: str) -> set[str]:
    """Background colours in the lane with a title, right of the gutter."""
    row, _column = terminal.find(title)
    return {terminal.look(row, column).background for column in range(20, 80)}


def test_from_the_timeline_to_the_slow_operator_in_twelve_keys(demo: Terminal) -> None:
    presses = 0

    def press(*keys: str) -> None:
        nonlocal presses
        presses += len(keys)
        demo.press(*keys)

    press("2")
    demo.wait_for(r"^▌ AscendCL +98 %")
    demo.wait_for(r"^ aclmdlExecute ─.* event 17 of 26 · AscendCL")
    demo.wait_for(r"wall +118\.300127 ms +55\.1 % span")
    demo.wait_for("bands 20/50 of span")
    row, column = demo.find(" aclmdlLoadFrom")
    assert demo.look(row, column + 1).background == YELLOW
    press("g")  # the name of the event under the cursor is in the colour of the cursor
    demo.wait_for(r"^ aclInit ─")
    demo.settle()
    row, column = demo.find(" aclmdlExecute  118.3 ms")
    assert {demo.look(row, at).background for at in range(column + 1, column + 20)} == {RED}
    assert {RED, YELLOW} <= fills(demo, "AscendCL")
    press("T")
    demo.wait_for(r"^▌ █ +aclmdlExecute +94\.600 .* 118\.300 +55\.1")
    demo.wait_for(r"^  ▄ +aclmdlLoadFromFileWithMem +26\.000 .* 62\.400 +29\.1")
    press("q", "4")
    demo.wait_for(r"^▌ █ +aclmdlExecute .*118\.300 +55\.1")
    press("t")
    demo.wait_for(r"^▌ AscendCL")
    demo.wait_for(r"^ aclmdlExecute ─")
    press("]")
    demo.wait_for(r"^▌ +Conv_0 .* 3 170\.625 ")
    demo.wait_for(r"1/434$")
    press("enter")
    demo.wait_for(r"^▌ Stream 2 ")
    demo.wait_for(r"^ Conv_0 ─")
    demo.wait_for(r"wall +3 170\.625 µs")
    assert presses <= MOST_PRESSES
    demo.press("q")
    demo.wait_for("quit npuscope")
    demo.press("right", "enter")
    assert demo.wait_exit() == 0
    demo.assert_restored()


def test_from_the_apis_to_the_tasks_of_the_longest_call(demo: Terminal) -> None:
    demo.press("4")
    demo.wait_for(r"^▌ █ +aclmdlExecute .*118\.300 +55\.1")
    demo.press("t")
    demo.wait_for(r"^▌ AscendCL")
    demo.press("2", "]")
    demo.wait_for(r"^▌ +Conv_0 .* 3 170\.625 ")
    demo.wait_for(r"^  +NonMaxSuppression_406 .* 1 840\.200 ")


def test_keys_typed_at_once_arrive_in_order(demo: Terminal) -> None:
    demo.press("2gllf")
    demo.wait_for(r"^ aclrtCreateContext ─.* event 3 of 26")
    demo.wait_for(r"^ view +32\.64 µs")
