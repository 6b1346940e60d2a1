"""Did it help: by keyboard alone, at 80 x 24, in a real terminal, from `demo` to both sides of a convolution."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import Terminal

pytestmark = pytest.mark.slow

MOST_PRESSES = 5


@pytest.fixture
def demo(repository: Path, tmp_path: Path) -> Iterator[Terminal]:
    argv = [sys.executable, "-m", "tui", "demo"]
    with Terminal(argv, cwd=tmp_path, env={"PYTHONPATH": str(repository)}) as terminal:
        terminal.wait_for("where to look next|what to do")
        yield terminal


def test_from_the_demo_to_what_the_change_brought(demo: Terminal) -> None:
    presses = 0

    def press(*keys: str) -> None:
        nonlocal presses
        presses += len(keys)
        demo.press(*keys)

    press("b")
    demo.wait_for("mish_before is the baseline A")
    press("6")
    demo.wait_for("enter picks the run B to compare it with")
    press("enter")
    demo.wait_for(r"▌ mish_after")
    press("enter")
    demo.wait_for(r"^▌ Conv_0 +3 170\.6 +1 415\.2 +−1 755\.4 +−55\.4 .* faster")
    demo.wait_for(r"^ end to end .* −39\.1 % +faster")
    press("enter")
    demo.wait_for(r"3 170\.625 → 1 415\.182 µs, −1 755\.443 µs \(−55\.4 %\)")
    assert presses <= MOST_PRESSES
    demo.press("q", "B")
    demo.wait_for(r"^▌ Conv_0 +1 415\.2 +3 170\.6 +\+1 755\.4 .* slower")
    demo.press("q")
    demo.wait_for("quit npuscope")
    demo.press("right", "enter")
    assert demo.wait_exit() == 0
    demo.assert_restored()


def test_both_timelines_above_each_other(demo: Terminal) -> None:
    demo.press("b")
    demo.wait_for("mish_before is the baseline A")
    demo.press("6")
    demo.wait_for("enter picks the run B to compare it with")
    demo.press("enter")
    demo.wait_for(r"▌ mish_after")
    demo.press("enter")
    demo.wait_for(r"^▌ Conv_0 .* faster")
    demo.press("t")
    demo.wait_for("B › aligned at Conv_0")
    demo.wait_for(r"^ Δ −1 755\.443 µs \(−55\.4 %\) shorter   both begin at once")
    demo.press("right")
    demo.wait_for(r"^ B mish_after +not there")
    demo.press("r")
    demo.wait_for("B has no Softplus_1: both stay where they are")
    demo.press("0", "0")
    demo.wait_for("both from their start")
    demo.press("u", "u", "q")
    demo.wait_for(r"^▌ Conv_0 .* faster")
    demo.press("q")
    demo.wait_for("quit npuscope")
    demo.press("right", "enter")
    assert demo.wait_exit() == 0
    demo.assert_restored()
