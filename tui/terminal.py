"""What the terminal can draw: a probe for terminals that draw ambiguous characters two cells wide (ux 15.3).

The query is sent early and its answer read after the imports, so that it costs no time; nothing is left on the screen.
"""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import time
import tty
from dataclasses import dataclass
from typing import Any

QUERY = "\r\u2502\x1b[6n\r\x1b[K"
"""One ambiguous-width character at column 1, where the cursor is then, and the line cleared again."""
WAIT_S = 0.15

_ANSWER = re.compile(rb"\x1b\[\d+;(\d+)R")


@dataclass
class Probe:
    """A query on its way."""

    descriptor: int
    before: list[Any]
    sent_s: float
    typed: str = ""
    """What the user has typed meanwhile, known once the answer was waited for."""

    def is_wide(self) -> bool | None:
        """Whether ambiguous characters take two cells; None when the terminal did not answer in time.

        Puts the terminal back as it was.
        """
        try:
            return self._answer()
        finally:
            termios.tcsetattr(self.descriptor, termios.TCSANOW, self.before)

    def _answer(self) -> bool | None:
        got = b""
        while (left_s := self.sent_s + WAIT_S - time.monotonic()) > 0 or not got:
            if not select.select([self.descriptor], [], [], max(left_s, 0))[0]:
                break
            got += os.read(self.descriptor, 64)
            match = _ANSWER.search(got)
            if match:
                self.typed = _as_text(got[: match.start()] + got[match.end() :])
                return int(match.group(1)) > 2
            if left_s <= 0:
                break
        self.typed = _as_text(got)
        return None


def _as_text(typed: bytes) -> str:
    return typed.decode("utf-8", "ignore")


def send_probe() -> Probe | None:
    """Asks the terminal; None where there is none to ask."""
    stream = sys.__stderr__
    if stream is None or not (sys.stdin.isatty() and stream.isatty()):
        return None
    try:
        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        tty.setcbreak(descriptor, termios.TCSANOW)
        stream.write(QUERY)
        stream.flush()
    except (OSError, termios.error, UnicodeEncodeError):
        return None
    return Probe(descriptor, before, time.monotonic())
