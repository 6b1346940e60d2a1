"""Why it is slow, by keyboard alone, at 80 x 24, in a real terminal: from `demo` to the filled-in command."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import Terminal

pytestmark = pytest.mark.slow

RED = "ff5f5f"
"""Entry 203 of the 256 colours."""


@pytest.fixture
def demo(repository: Path, tmp_path: Path) -> Iterator[Terminal]:
    argv = [sys.executable, "-m", "tui", "demo"]
    with Terminal(argv, cwd=tmp_path, env={"PYTHONPATH": str(repository)}) as terminal:
        terminal.wait_for("where to look next|what to do")
        yield terminal


def test_from_the_demo_to_the_evidence_the_timeline_and_the_form(demo: Terminal) -> None:
    demo.press("5")
    demo.wait_for(r"^▌ High +≤ 47\.4 ms +22\.1  Mish split into Softplus → Tanh → Mul +likely  CO19")
    demo.wait_for(r"72 ≥ 3 × Softplus → Tanh → Mul: 47\.44 ms = 42\.0 % of device time")
    demo.settle()
    row, column = demo.find("High")
    assert demo.look(row, column).foreground == RED
    demo.press("enter", "enter")
    demo.wait_for(r"^▌ .*Softplus_1 +Softplus +721\.440")
    demo.press("5")
    demo.wait_for("likely  CO19")
    demo.press("t")
    demo.wait_for(r"^ Softplus_1 ─+ event ")
    demo.press("5")
    demo.wait_for("likely  CO19")
    demo.press(":")
    demo.press(*"rule", "space", *"ov07", "enter")
    demo.wait_for(r"^▌ Info .* aclmdlExecute takes 55\.1 %")
    demo.press("g")
    demo.wait_for(r"^▌ High +≤ 47\.4 ms")
    demo.press("！")
    demo.wait_for(r"application +\./yolov4")
    demo.wait_for(r"core metrics +PipeUtilization")
