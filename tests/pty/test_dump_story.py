"""The story of a wrong result by keyboard alone, at 80 x 24, in a real terminal: from `demo` to the file for atc."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import Terminal

pytestmark = pytest.mark.slow

RED = "ff5f5f"
"""Entry 203 of the 256 colours."""
MOST_PRESSES = 6


@pytest.fixture
def demo(repository: Path, tmp_path: Path) -> Iterator[Terminal]:
    argv = [sys.executable, "-m", "tui", "demo"]
    with Terminal(argv, cwd=tmp_path, env={"PYTHONPATH": str(repository)}) as terminal:
        terminal.wait_for("where to look next|what to do")
        yield terminal


def test_from_the_demo_to_the_keep_dtype_file_in_six_keys(demo: Terminal, tmp_path: Path) -> None:
    presses = 0

    def press(*keys: str) -> None:
        nonlocal presses
        presses += len(keys)
        demo.press(*keys)

    press("7")
    demo.wait_for(r"^▌ ▶  AddN:0 .* 0\.72\d\d? .* 1\.67  overflow|^▌ ▶  AddN:0 .* 0\.71[5-9]\d .*overflow")
    demo.wait_for("first divergence AddN:0")
    demo.wait_for("fp32 spans 70 683 … 109 508, fp16 ends at 65 504")
    demo.settle()
    row, column = demo.find("▶")
    assert demo.look(row, column).foreground == RED
    row, column = demo.find("overflow")
    assert demo.look(row, column).bold
    press("e")
    demo.wait_for(r"▌ keep_dtype  keep\.txt +AddN")
    press("enter")
    demo.wait_for(r"export to keep\.txt")
    press("enter")
    demo.wait_for(r"--keep_dtype=keep\.txt")
    assert presses <= MOST_PRESSES
    assert "AddN" in (tmp_path / "keep.txt").read_text(encoding="utf-8").splitlines()
    demo.press("q")
    demo.wait_gone(r"--keep_dtype=keep\.txt")
    demo.press("enter")
    demo.wait_for(r"overflow +fp16 ends at 65 504, this tensor needs 70 683 … 109 508")
    demo.wait_for(r"B +FP32 +70 683\.0 +109 508\.0")
    demo.wait_for("fp16 limit 65 504")
    demo.press("q", "q")
    demo.wait_for("quit npuscope")
    demo.press("right", "enter")
    assert demo.wait_exit() == 0
    demo.assert_restored()
