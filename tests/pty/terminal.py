"""A real pseudo-terminal with a terminal emulator behind it: what a user would see, type and be left with."""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyte
import pyte.modes

PATIENCE_S = 30.0
"""Longest wait for a condition; only a broken program on a busy machine gets near it."""

KEYS: Mapping[str, str] = {
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "escape": "\x1b",
    "backspace": "\x7f",
    "space": " ",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    **{f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghijklmnopqrstuvwxyz"},
}

ALTERNATE_SCREEN = 1049
MOUSE_MODES = (1000, 1002, 1003, 1006, 1015)
BRACKETED_PASTE = 2004

# The child gets the pty as its controlling terminal, so that resizes and hang-ups arrive as signals.
_LAUNCHER = "import fcntl,os,sys,termios; fcntl.ioctl(0,termios.TIOCSCTTY,0); os.execvp(sys.argv[1],sys.argv[1:])"

# Sequences that real terminals swallow and pyte would print: keyboard protocols, mode queries, device control strings.
_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<=>][0-9;]*u|\x1b\[\?[0-9;]*\$p|\x1bP.*?\x1b\\", re.DOTALL)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|P(?:(?!\x1b\\).)*)?\Z", re.DOTALL)


class Look(NamedTuple):
    """One cell as it is painted."""

    text: str
    """Empty for the right half of a double-width character."""
    foreground: str
    """Colour name, six hexadecimal digits, or `default`."""
    background: str
    bold: bool
    reverse: bool


class _Screen(pyte.Screen):
    """Answers questions (where is the cursor, what are you) as a terminal does."""

    answer: Callable[[str], None]

    def write_process_input(self, data: str) -> None:
        self.answer(data)


class Terminal:
    """A program running in a terminal of a given size.

    Use as a context manager; leaving it ends the program if it still runs.

    Args:
        argv: Program and arguments.
        columns: Width in cells.
        rows: Height in cells.
        env: Changes to the environment of this process.
        cwd: Folder to start in.
        answers: False for a terminal that never answers questions.
    """

    def __init__(
        self,
        argv: Sequence[str],
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        answers: bool = True,
    ) -> None:
        self._master, self._slave = os.openpty()
        self._screen = _Screen(columns, rows)
        self._screen.answer = self._send_text if answers else lambda _data: None
        self._stream = pyte.ByteStream(self._screen)
        self._held_back = b""
        self.received = bytearray()
        """Every byte that the program has written."""
        self.attributes_before = termios.tcgetattr(self._slave)
        self._set_size(columns, rows)
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, *argv],
            stdin=self._slave, stdout=self._slave, stderr=self._slave,
            cwd=cwd, env={**os.environ, "COLUMNS": "", "LINES": "", **(env or {})}, start_new_session=True,
        )  # fmt: skip

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self._master)
        os.close(self._slave)

    # What is on the screen

    @property
    def lines(self) -> list[str]:
        """The rows as text, without trailing blanks."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        """The screen as text."""
        return "\n".join(self.lines)

    def look(self, row: int, column: int) -> Look:
        """One cell, counted from 0."""
        cell: Any = self._screen.buffer[row][column]
        return Look(cell.data, cell.fg, cell.bg, cell.bold, cell.reverse)

    def find(self, text: str) -> tuple[int, int]:
        """Row and column of the first cell of `text`.

        Raises:
            AssertionError: it is not on the screen.
        """
        for row in range(self._screen.lines):
            cells = [self._screen.buffer[row][column].data for column in range(self._screen.columns)]
            at = "".join(cells).find(text)
            if at >= 0:
                ends = [sum(map(len, cells[: column + 1])) for column in range(len(cells))]
                return row, next(column for column, end in enumerate(ends) if end > at)
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text}")

    def mode(self, number: int) -> bool:
        """True while the program has the private mode switched on."""
        return number << 5 in self._screen.mode

    @property
    def cursor_visible(self) -> bool:
        """True while the text cursor is shown."""
        return pyte.modes.DECTCEM in self._screen.mode

    # What the user does

    def press(self, *keys: str) -> None:
        """Presses keys one after the other, by Textual's names or as the character itself."""
        for key in keys:
            self._send_text(KEYS.get(key, key))

    def resize(self, columns: int, rows: int) -> None:
        """Gives the terminal another size; the program is told by the kernel."""
        self._screen.resize(rows, columns)
        self._set_size(columns, rows)

    # Waiting

    def wait_for(self, pattern: str, patience_s: float = PATIENCE_S) -> re.Match[str]:
        """Waits until a regular expression is found on the screen; `^` and `$` are ends of rows."""
        wanted = re.compile(pattern, re.MULTILINE)
        self.wait_until(lambda: wanted.search(self.text) is not None, f"/{pattern}/", patience_s)
        found = wanted.search(self.text)
        assert found is not None
        return found

    def wait_gone(self, pattern: str, patience_s: float = PATIENCE_S) -> None:
        """Waits until a regular expression is found no more."""
        wanted = re.compile(pattern, re.MULTILINE)
        self.wait_until(lambda: wanted.search(self.text) is None, f"no /{pattern}/", patience_s)

    def wait_until(
        self, condition: Callable[[], bool], what: str, patience_s: float = PATIENCE_S, after_end: bool = False
    ) -> None:
        """Reads output until a condition holds; with `after_end` one that may come true when the program is gone.

        Raises:
            AssertionError: the program ended, or patience did; shows the screen.
        """
        deadline = time.monotonic() + patience_s
        while not condition():
            ended = self.process.poll() is not None and not after_end
            if not self._pump(0.05) and (ended or time.monotonic() > deadline) and not condition():
                state = f"the program ended with {self.process.returncode}" if ended else f"{patience_s} s passed"
                raise AssertionError(f"waited for {what}, but {state}; the screen:\n{self.text}")

    def settle(self, quiet_s: float = 0.3) -> None:
        """Reads until nothing has been written for a while."""
        while self._pump(quiet_s):
            pass

    def wait_exit(self, patience_s: float = PATIENCE_S) -> int:
        """Waits for the end of the program, reads what it wrote last, and returns its exit code."""
        deadline = time.monotonic() + patience_s
        while self.process.poll() is None:
            self._pump(0.05)
            if time.monotonic() > deadline:
                raise AssertionError(f"the program did not end; the screen:\n{self.text}")
        while self._pump(0):
            pass
        return self.process.returncode

    def assert_restored(self) -> None:
        """Asserts that a shell could go on: line settings, screen, cursor, mouse and paste as they were."""
        assert termios.tcgetattr(self._slave) == self.attributes_before, "the line settings are not as they were"
        assert not self.mode(ALTERNATE_SCREEN), "the alternate screen is still on"
        assert [mode for mode in MOUSE_MODES if self.mode(mode)] == [], "the mouse is still captured"
        assert not self.mode(BRACKETED_PASTE), "pastes are still bracketed"
        assert self.cursor_visible, "the text cursor is hidden"

    # Inside

    def _send_text(self, text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(self._master, data) :]

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _pump(self, patience_s: float) -> bool:
        """Reads what is there, or waits a moment for it; False when nothing came."""
        ready, _write, _error = select.select([self._master], [], [], patience_s)
        if not ready:
            return False
        data = os.read(self._master, 1 << 16)
        self.received += data
        pending = _UNKNOWN_TO_PYTE.sub(b"", self._held_back + data)
        unfinished = _UNFINISHED.search(pending)
        cut = unfinished.start() if unfinished else len(pending)
        self._held_back = pending[cut:]
        self._stream.feed(pending[:cut])
        return True
