"""A log that grows while it is looked at: any line by its number, with bounded memory however long the log is."""

from __future__ import annotations

import itertools
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tui.tools.log_lines import LineSplitter, is_error, is_warning, lines_of, may_be_marked, text_of

READ_BYTES = 1 << 20
_EVERY_LINES = 256
_EVERY_BYTES = 256 << 10
_REMEMBERED = 100_000
"""Lines with errors or warnings that are remembered by number; later ones are only counted."""

Severity = Literal["", "warn", "error"]


@dataclass(frozen=True)
class LogLine:
    """One line of a log. The text may hold control characters: it is to be escaped where it is shown."""

    number: int
    """From 0."""
    text: str
    severity: Severity = ""


class LogFile:
    """Follows a log file. Not thread-safe.

    Args:
        path: Need not exist yet.
        on_line: Called with each finished line that `wanted` finds something in, and with the unfinished one at the
            end of a look.
        wanted: None for all lines. Bursts have hundreds of thousands of lines, so that each is looked at in bytes.
    """

    def __init__(
        self, path: Path, on_line: Callable[[str], None] | None = None, wanted: re.Pattern[bytes] | None = None
    ) -> None:
        self.path = path
        self._on_line = on_line
        self._wanted = wanted
        self._forget()

    def _forget(self) -> None:
        self._offset = 0
        self._finished = 0
        self._splitter = LineSplitter()
        self._numbers = array("Q", [0])
        self._offsets = array("Q", [0])
        self._errors = array("Q")
        self._warnings = array("Q")
        self.error_count = 0
        self.warning_count = 0
        self.last_line = ""

    @property
    def size_bytes(self) -> int:
        """Bytes looked at."""
        return self._offset

    @property
    def finished_count(self) -> int:
        """Lines that have an end."""
        return self._finished

    @property
    def line_count(self) -> int:
        """Lines, the unfinished one included."""
        return self._finished + bool(self._splitter.partial)

    def poll(self, limit_bytes: int = 8 * READ_BYTES) -> bool:
        """Looks at what was added, at most `limit_bytes` of it. True when there is more to look at."""
        try:
            with open(self.path, "rb") as file:
                end = file.seek(0, 2)
                if end < self._offset:
                    self._forget()
                file.seek(self._offset)
                stop = min(end, self._offset + limit_bytes)
                while self._offset < stop and (data := file.read(min(READ_BYTES, stop - self._offset))):
                    self._take(data)
        except OSError:
            return False
        self._see_partial()
        return self._offset < end

    def _take(self, data: bytes) -> None:
        lines = self._splitter.feed(data)
        place = self._offset
        end = -1
        for line in lines:
            end = data.index(b"\n", end + 1)
            self._add(line, place + end + 1)
        self._offset += len(data)
        last = next((line for line in reversed(lines) if line.strip()), b"")
        self.last_line = text_of(last) or self.last_line

    def _add(self, line: bytes, next_start: int) -> None:
        """Takes one finished line; the following one starts at byte `next_start`."""
        if may_be_marked(line):
            self._see_severity(line)
        if self._on_line is not None and (self._wanted is None or self._wanted.search(line)):
            self._on_line(text_of(line))
        self._finished += 1
        if self._finished - self._numbers[-1] >= _EVERY_LINES or next_start - self._offsets[-1] >= _EVERY_BYTES:
            self._numbers.append(self._finished)
            self._offsets.append(next_start)

    def _see_severity(self, line: bytes) -> None:
        if is_error(line):
            self.error_count += 1
            _mark(self._errors, self._finished)
        elif is_warning(line):
            self.warning_count += 1
            _mark(self._warnings, self._finished)

    def _see_partial(self) -> None:
        partial = self._splitter.partial
        if partial.strip():
            self.last_line = partial
            if self._on_line is not None:
                self._on_line(partial)

    def lines(self, first: int, count: int) -> list[LogLine]:
        """Lines by number; fewer where the log ends. Reads them from the file."""
        first = max(0, first)
        count = min(count, self.line_count - first)
        if count <= 0:
            return []
        try:
            texts = list(itertools.islice(self._from(first), count))
        except OSError:
            return []
        return [LogLine(first + place, text, self._severity(first + place)) for place, text in enumerate(texts)]

    def tail(self, count: int) -> list[LogLine]:
        """The last lines."""
        return self.lines(self.line_count - count, count)

    def _from(self, first: int) -> Iterator[str]:
        place = bisect_right(self._numbers, first) - 1
        texts = lines_of(self.path, self._offsets[place])
        return itertools.islice(texts, first - self._numbers[place], None)

    def _severity(self, number: int) -> Severity:
        if _has(self._errors, number):
            return "error"
        return "warn" if _has(self._warnings, number) else ""

    def next_marked(self, after: int, backwards: bool = False, warnings: bool = False) -> int | None:
        """Number of the next line with an error (or warning) behind or before a line; None when there is none."""
        found = [_next(marks, after, backwards) for marks in (self._errors, *((self._warnings,) if warnings else ()))]
        numbers = [number for number in found if number is not None]
        if not numbers:
            return None
        return max(numbers) if backwards else min(numbers)

    def find(self, text: str, after: int = -1, backwards: bool = False) -> int | None:
        """Number of the next line that holds `text`, upper and lower case alike; None when there is none.

        Reads the file: not for the screen's thread on a long log.
        """
        wanted = text.casefold()
        try:
            return self._last_before(wanted, after) if backwards else self._first_after(wanted, after)
        except OSError:
            return None

    def _first_after(self, wanted: str, after: int) -> int | None:
        numbered = enumerate(itertools.islice(self._from(after + 1), max(0, self.line_count - after - 1)), after + 1)
        return next((number for number, text in numbered if wanted in text.casefold()), None)

    def _last_before(self, wanted: str, before: int) -> int | None:
        """Goes back from one remembered place to the one before it, so that little is kept at a time."""
        end = min(before, self.line_count)
        for place in range(bisect_right(self._numbers, max(0, end - 1)) - 1, -1, -1):
            start = self._numbers[place]
            block = enumerate(itertools.islice(lines_of(self.path, self._offsets[place]), end - start), start)
            found = [number for number, text in block if wanted in text.casefold()]
            if found:
                return found[-1]
            end = start
        return None


def _mark(marks: array[int], number: int) -> None:
    if len(marks) < _REMEMBERED:
        marks.append(number)


def _has(marks: array[int], number: int) -> bool:
    place = bisect_left(marks, number)
    return place < len(marks) and marks[place] == number


def _next(marks: array[int], after: int, backwards: bool) -> int | None:
    place = bisect_left(marks, after) - 1 if backwards else bisect_right(marks, after)
    return marks[place] if 0 <= place < len(marks) else None
