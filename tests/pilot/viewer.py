"""A running viewer as a test sees it: text on the screen, keys, and waiting for what is to come."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot
from textual.strip import Strip

from tui.app import NpuscopeApp
from tui.config import load_settings
from tui.screens.frame import Frame
from tui.screens.table_screen import TableScreen

NARROW = (80, 24)
WIDE = (120, 40)
SIZES = (NARROW, WIDE)
PATIENCE_S = 30.0
"""Longest wait for a condition; only a broken program on a busy machine gets near it."""

sizes = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
"""Runs a test at both sizes that the mockups show."""


class Viewer:
    """The application in a headless terminal."""

    def __init__(self, app: NpuscopeApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def strips(self) -> Sequence[Strip]:
        """What is painted, line by line."""
        return self.app.screen._compositor.render_strips()

    @property
    def lines(self) -> list[str]:
        """The rows as text, without trailing blanks."""
        return [strip.text.rstrip() for strip in self.strips]

    @property
    def text(self) -> str:
        """The screen as text."""
        return "\n".join(self.lines)

    @property
    def frame(self) -> Frame:
        """The screen below any overlay."""
        frame = self.app.frame
        assert frame is not None
        return frame

    @property
    def table_screen(self) -> TableScreen:
        """The screen, which shows a table."""
        assert isinstance(self.frame, TableScreen)
        return self.frame

    @property
    def status(self) -> str:
        """The line above the footer."""
        return self.lines[-2]

    @property
    def footer(self) -> str:
        """The last line."""
        return self.lines[-1]

    @property
    def row(self) -> str:
        """The line with the cursor of the grid or list."""
        return next((line for line in self.lines if line.startswith(self.app.glyphs.cursor)), "")

    @property
    def shown_rows(self) -> int:
        """Rows of the grid after filter and grouping."""
        return self.table_screen.grid.source.row_count

    async def press(self, *keys: str) -> None:
        """Presses keys, by Textual's names or as the character itself, and lets their consequences happen."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Gives a text to the open field as one paste, as a terminal does, and presses enter."""
        self.app.post_message(events.Paste(text))
        await self.pilot.pause()
        await self.press("enter")

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Waits until a condition holds."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, f"waited in vain for {what or 'a condition'}; the screen:\n{self.text}"
            await self.pilot.pause(0.01)

    async def until_other_than(self, before: tuple[str, object], what: str) -> None:
        """Waits until the text on the screen or the session is another one."""
        await self.until(lambda: (self.text, self.app.session) != before, what)

    async def until_on(self, digit: str) -> None:
        """Waits until the screen of a digit is in front."""
        await self.until(lambda: digit == self.frame.DIGIT and self.frame.is_current, f"screen {digit}")

    async def shows(self, pattern: str) -> re.Match[str]:
        """Waits until a regular expression is found on the screen; `^` and `$` are ends of rows."""
        wanted = re.compile(pattern, re.MULTILINE)
        await self.until(lambda: wanted.search(self.text), f"/{pattern}/")
        found = wanted.search(self.text)
        assert found is not None
        return found

    async def hides(self, pattern: str) -> None:
        """Waits until a regular expression is found no more."""
        wanted = re.compile(pattern, re.MULTILINE)
        await self.until(lambda: not wanted.search(self.text), f"no /{pattern}/")

    async def go(self, digit: str) -> None:
        """Goes to a screen and waits for what it shows."""
        await self.press(digit)
        await self.until_on(digit)
        if digit == "2":
            await self.until(lambda: self.app.timeline is not None and not self.app.timeline_progress, "the timeline")
        elif isinstance(self.frame, TableScreen):
            kind = self.frame.KIND
            await self.until(lambda: kind in self.app.tables and not self.app.tables[kind].loading, kind)
            await self.until(lambda: self.app.tables[kind].table is None or self.shown_rows, f"rows of {kind}")
        await self.pilot.pause()

    @property
    def _is_judged(self) -> bool:
        app = self.app
        said = app.findings is not None or app.findings_problem or app.failure is not None
        return bool(said) and not app.is_judging

    async def everything_read(self) -> None:
        """Waits until tables, timeline, counts and findings are there."""
        await self.until(lambda: self.app.overview is not None or self.app.failure is not None, "the overview")
        await self.until(lambda: self._is_judged, "the findings")
        await self.until(lambda: all(work.is_finished for work in self.app.workers), "the end of all loads")
        await self.pilot.pause()


@asynccontextmanager
async def viewing(path: Path, size: tuple[int, int] = NARROW, **typed: object) -> AsyncIterator[Viewer]:
    """A viewer of `path`; `typed` are settings as the command line gives them."""
    app = NpuscopeApp(path, load_settings(typed))
    async with app.run_test(size=size) as pilot:
        try:
            yield Viewer(app, pilot)
        finally:
            app._loader.cancel()


class SentToTerminal:
    """Everything that the program writes to the terminal besides what is painted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.written: list[str] = []
        monkeypatch.setattr(HeadlessDriver, "write", lambda _driver, data: self.written.append(data))

    @property
    def copied(self) -> list[str]:
        """Texts that were given to the terminal's clipboard."""
        found = re.findall(r"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", "".join(self.written))
        return [base64.b64decode(text).decode() for text in found]
