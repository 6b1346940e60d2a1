"""Every screen at both sizes: what it answers, and that its footer fits and works."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pilot.viewer import NARROW, WIDE, sizes, viewing
from tui.screens.frame import SCREEN_NAMES


@sizes
async def test_look(mish: Path, size: tuple[int, int]) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.everything_read()
        print(viewer.text)
        for digit in "349":
            await viewer.go(digit)
            print(viewer.text)
