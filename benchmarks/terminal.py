"""A program in a pseudo-terminal, and when which of its bytes came.

No emulator: that would take longer than what it watches. Only the question for the cursor's place is answered, as it is
by a terminal that draws every character one cell wide.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 60.0
"""Longest wait for something to be painted."""
QUIET_S = 0.06
"""A pause this long ends what a key paints."""
_WHERE = b"\x1b[6n"
_HERE = b"\x1b[1;2R"


def keep_bytecode(folder: Path) -> None:
    """Processes started from now on compile each module once, into `folder`; the first start of each does it."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)


class Burst(NamedTuple):
    """What came until the program was quiet."""

    size_bytes: int
    last_s: float
    """When the last byte came, on the clock of `time.perf_counter`; when the wait began if none did."""


class Terminal:
    """A program in a terminal of a given size. Leaving the context ends it.

    Args:
        argv: Program and arguments, started in the root of the repository.
        env: Changes to the environment.
    """

    def __init__(
        self, argv: Sequence[str], columns: int = 160, lines: int = 45, env: Mapping[str, str] | None = None
    ) -> None:
        self.master, slave = os.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environment = {
            **os.environ,
            "TERM": "xterm-256color",
            "COLUMNS": str(columns),
            "LINES": str(lines),
            **(env or {}),
        }
        environment.pop("COLORTERM", None)
        self.received = bytearray()
        """Bytes since the last `forget`."""
        self.started_s = time.perf_counter()
        self.process = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, cwd=ROOT, env=environment, start_new_session=True
        )
        os.close(slave)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.master)

    def send(self, text: str) -> float:
        """Forgets what came before and presses keys; returns when."""
        self.settle(0)
        self.forget()
        now_s = time.perf_counter()
        os.write(self.master, text.encode())
        return now_s

    def forget(self) -> None:
        """`wait_for` only looks at what comes from now on."""
        self.received.clear()

    def wait_for(self, *texts: str, patience_s: float = PATIENCE_S) -> float:
        """Waits until all of the texts have been painted, each in one piece; returns when the last of them came.

        A text that begins with a digit is not found inside a longer number.

        Raises:
            SystemExit: they did not come.
        """
        deadline_s = time.perf_counter() + patience_s
        wanted = [re.compile((rb"(?<!\d)" if text[0].isdigit() else b"") + re.escape(text.encode())) for text in texts]
        while not all(text.search(self.received) for text in wanted):
            if not self._read(max(0.0, deadline_s - time.perf_counter())):
                tail = bytes(self.received[-300:])
                raise SystemExit(
                    f"{' '.join(texts)!r} did not come in {patience_s:.0f} s; the last bytes were {tail!r}"
                )
        return time.perf_counter()

    def settle(self, quiet_s: float = QUIET_S, first_wait_s: float | None = None) -> Burst:
        """Reads until nothing has come for `quiet_s`, and for the first byte up to `first_wait_s`."""
        size_bytes, last_s = 0, time.perf_counter()
        wait_s = quiet_s if first_wait_s is None else first_wait_s
        while got := self._read(wait_s):
            size_bytes, last_s, wait_s = size_bytes + got, time.perf_counter(), quiet_s
        return Burst(size_bytes, last_s)

    def _read(self, wait_s: float) -> int:
        """Number of bytes that came; 0 when none did in time, or when the program ended."""
        if not select.select([self.master], [], [], wait_s)[0]:
            return 0
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:
            return 0
        self.received += data
        if _WHERE in data:
            os.write(self.master, _HERE)
        return len(data)
