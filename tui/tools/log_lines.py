"""Output of tools as lines, whatever they print: carriage returns, bad UTF-8, endless lines (formats: tools 2.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

LINE_BYTES = 16 << 10
"""What is kept of one line."""
_CHUNK_BYTES = 1 << 20

_ERROR = re.compile(
    rb"\[ERROR\]|\bERROR\b|^(?:\[\w+\]\s*)?E[A-Z0-9]\w{3,4}:|unrecognized option|Traceback \(most recent"
    rb"|\bFATAL\b|\[error\]"
)
_MARKED = re.compile(rb"ERR|WARN|error|^E|^W|^\[|unrecog|Traceback|FATAL")
_WARNING = re.compile(rb"\[WARN(?:ING)?\]|\bWARNING\b|^W[A-Z0-9]\d{4,5}:")


class LineSplitter:
    """Bytes in, lines out. A carriage return replaces the line; of a line without end, `LINE_BYTES` are kept."""

    def __init__(self) -> None:
        self._kept = b""

    @property
    def partial(self) -> str:
        """The line that has no end yet; empty when there is none."""
        return text_of(self._kept)

    def feed(self, data: bytes) -> list[bytes]:
        """Takes what was read; returns the finished lines, without their ends and as they were written over."""
        *finished, rest = data.split(b"\n")
        if not finished:
            self._kept = _bounded(self._kept + rest)
            return []
        finished[0] = self._kept + finished[0]
        self._kept = _bounded(rest)
        return [visible(line) for line in finished]


def _bounded(line: bytes) -> bytes:
    return line if len(line) <= 4 * LINE_BYTES else visible(line)[:LINE_BYTES]


def visible(line: bytes) -> bytes:
    """What a terminal would show of a line in which carriage returns go back to its start; bounded."""
    if b"\r" in line:
        line = next((part for part in reversed(line.split(b"\r")) if part), b"")
    return line if len(line) <= LINE_BYTES else line[:LINE_BYTES] + b"..."


def text_of(line: bytes) -> str:
    """The text of a line: invalid UTF-8 is replaced. It may still hold control characters: escape it to show it."""
    return visible(line).decode("utf-8", "replace")


def may_be_marked(line: bytes) -> bool:
    """False when a line tells neither an error nor a warning; one quick look for most lines."""
    return _MARKED.search(line) is not None


def is_error(line: bytes) -> bool:
    """Whether a line tells an error."""
    return _ERROR.search(line) is not None


def is_warning(line: bytes) -> bool:
    """Whether a line tells a warning."""
    return _WARNING.search(line) is not None


def lines_of(path: Path, start: int = 0) -> Iterator[str]:
    """The lines of a log from a byte on, read in pieces; a last line without end comes too.

    Raises:
        OSError: the file cannot be read.
    """
    splitter = LineSplitter()
    with open(path, "rb") as file:
        file.seek(start)
        while data := file.read(_CHUNK_BYTES):
            yield from map(text_of, splitter.feed(data))
    if splitter.partial:
        yield splitter.partial
