"""A trace file as pieces of decoded events, in bounded memory, whatever state the file is in (formats: msprof 4.1).

The text is cut at commas between events; a piece that does not parse is taken apart event by event. Of each event `ts`,
`dur` and `id` are text, exactly as written: an epoch in us does not fit a float, and flow ids have up to 86 bits.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

import orjson

from tui.i18n import _
from tui.model.problem import Problem

PIECE_BYTES = 128 * 1024
"""Bytes read at a time; larger pieces cost page faults in the parser's arenas."""
MAX_START_BYTES = 4 << 20
"""How far the list of events of an object (`{"traceEvents": [...]}`) is looked for."""
MAX_EVENT_BYTES = 4 << 20
"""An event longer than this is given up."""
MAX_TRIES = 32
"""Commas tried as the end of one event before it is given up."""

_BOUNDARY = re.compile(rb'\}\s*,\s*(?=\{\s*")')
_EXACT = re.compile(rb'"(ts|dur|id)"\s*:\s*(-?[0-9][0-9.eE+\-]*)')
_LIST_START = re.compile(rb'"traceEvents"\s*:\s*\[')
_BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_DECODER = json.JSONDecoder(strict=False)
_BOM = b"\xef\xbb\xbf"

Event = dict[str, Any]


@dataclass(frozen=True)
class Piece:
    """Events of one stretch of the file."""

    events: list[Any]
    """Usually objects; anything else that a damaged file holds is kept for the reader to refuse."""
    bytes_done: int
    """Bytes of the file read so far (packed bytes of a `.gz`)."""


@dataclass(frozen=True)
class Ending:
    """What became of a file, given after its last piece."""

    recovered: int
    """Events that only a repair made readable."""
    lost: int
    """Events that no repair made readable."""
    problems: tuple[Problem, ...]


def pieces(path: Path) -> Iterator[Piece | Ending]:
    """The events of a trace file piece by piece, then its ending. Damage never raises.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        stream = cast("IO[bytes]", gzip.GzipFile(fileobj=file) if packed else file)
        yield from _Cutter(path, stream, file).pieces()


@dataclass
class _Cutter:
    path: Path
    stream: IO[bytes]
    file: IO[bytes]
    """The file itself; the stream unpacks it, or is it."""
    buffer: bytes = b""
    offset: int = 0
    """Place of the buffer in the (unpacked) text."""
    wrapped: bool = False
    """Whether the events are the `traceEvents` of an object."""
    closed: bool = False
    """Whether the end of the list was seen."""
    recovered: int = 0
    lost: int = 0
    first_lost: int = -1
    problems: list[Problem] = field(default_factory=list)

    def pieces(self) -> Iterator[Piece | Ending]:
        if self._find_start():
            while not self.closed and self._read():
                yield from self._cut()
            if not self.closed:
                yield Piece(self._last_events(), self.file.tell())
            self._note_damage()
        yield Ending(self.recovered, self.lost, tuple(self.problems))

    def _read(self) -> bool:
        """Adds to the buffer; False at the end of the file."""
        try:
            block = self.stream.read(PIECE_BYTES)
        except (OSError, EOFError, zlib.error) as error:
            self._note(
                "", _("cannot be read to its end: {reason}").format(reason=error), _("events up to there are shown")
            )
            return False
        self.buffer += block
        return bool(block)

    def _consume(self, count: int) -> None:
        self.buffer = self.buffer[count:]
        self.offset += count

    def _find_start(self) -> bool:
        """Moves to the first event; False, with a problem noted, when there is no list of events."""
        while self._read() and len(self.buffer) < MAX_START_BYTES:
            start = _list_start(self.buffer)
            if start is not None:
                self.wrapped = self.buffer[:start].lstrip(_BOM).lstrip()[:1] == b"{"
                self._consume(start)
                return True
        text = self.buffer[:200].strip()
        if not text:
            self._note("", _("the file is empty"), _("there are no events to show"), _("export again"))
        elif text != b"]":
            what = _("no list of trace events: it starts with {text}").format(text=_shown(text))
            self._note("", what, _("there are no events to show"), _("export again"))
        return False

    def _cut(self) -> Iterator[Piece]:
        """The events up to the last comma in the buffer; an event that is longer waits for more text."""
        boundary = _last_boundary(self.buffer)
        if boundary is not None:
            end, following = boundary
            events = _decoded(b"[" + self.buffer[:end] + b"]")
            if isinstance(events, list):
                self._consume(following)
                yield Piece(events, self.file.tell())
                return
        if boundary is not None or len(self.buffer) > MAX_EVENT_BYTES:
            yield Piece(self._salvaged(at_end=False), self.file.tell())

    def _last_events(self) -> list[Any]:
        """What follows the last comma, with the end of the list and of the object around it."""
        opening = b'{"traceEvents":[' if self.wrapped else b"["
        whole = _decoded(opening + self.buffer)
        events = whole.get("traceEvents") if isinstance(whole, dict) else whole
        if isinstance(events, list):
            self.closed = True
            return events
        return self._salvaged(at_end=True)

    def _salvaged(self, at_end: bool) -> list[Any]:
        """Events of the buffer, one by one; what may still be completed by more text stays in the buffer."""
        events: list[Any] = []
        ends = [(found.start() + 1, found.end()) for found in _BOUNDARY.finditer(self.buffer)]
        if at_end:
            ends.append((len(self.buffer), len(self.buffer)))
        start = index = 0
        while index < len(ends) and not self.closed:
            taken = self._first_readable(start, ends[index : index + MAX_TRIES], events)
            if (
                not taken
                and not at_end
                and index + MAX_TRIES > len(ends)
                and len(self.buffer) - start < MAX_EVENT_BYTES
            ):
                break
            if not taken:
                self._give_up(start, at_end and index == len(ends) - 1)
            index += max(taken, 1)
            start = ends[index - 1][1]
        self._consume(start)
        return events

    def _first_readable(self, start: int, ends: list[tuple[int, int]], events: list[Any]) -> int:
        """Adds the event that begins at `start`; returns how many commas it reaches over, 0 when it cannot be read."""
        for count, (end, _following) in enumerate(ends, 1):
            chunk = self.buffer[start:end]
            event = _decoded(chunk)
            if event is None:
                event = self._repaired(chunk)
            if event is not None:
                events.append(event)
                return count
        return 0

    def _repaired(self, chunk: bytes) -> Any:
        """The event of a badly escaped chunk, or of one that the end of the list follows; None when there is none."""
        text = _BAD_ESCAPE.sub(r"\\\\", _EXACT.sub(rb'"\1":"\2"', chunk).decode("utf-8", errors="replace"))
        try:
            event, end = _DECODER.raw_decode(text.lstrip())
        except (ValueError, RecursionError):
            self.closed = text.strip().startswith("]")
            return None
        rest = text.lstrip()[end:].strip()
        if rest.startswith("]"):
            self.closed = True
        elif rest.strip(","):
            return None
        elif _decoded(chunk.strip().rstrip(b",")) is None:
            self.recovered += 1
        return event

    def _give_up(self, start: int, is_last: bool) -> None:
        """Counts an unreadable event; an empty rest after the last comma is none."""
        if self.closed or (is_last and not self.buffer[start:].strip(b" \t\r\n,")):
            return
        self.lost += 1
        if self.first_lost < 0:
            self.first_lost = self.offset + start

    def _note_damage(self) -> None:
        if not self.closed:
            self._note(
                _("byte {offset}").format(offset=self.offset),
                _("the file ends inside its list of events"),
                _("events up to there are shown"),
                _("the export was cut off or is still running; export again"),
            )
        elif self.lost:
            what = _("{count} events cannot be read").format(count=self.lost)
            self._note(
                _("byte {offset}").format(offset=self.first_lost), what, _("they are left out"), _("export again")
            )
        if self.recovered:
            what = _("{count} events were badly escaped").format(count=self.recovered)
            self._note("", what, _("they were repaired and are shown"), "")

    def _note(self, where: str, what: str, consequence: str, hint: str = "") -> None:
        self.problems.append(Problem(str(self.path), where, what, consequence, hint, "warn"))


def _list_start(buffer: bytes) -> int | None:
    """Index after the opening bracket of the list of events."""
    text = buffer[len(_BOM) :] if buffer.startswith(_BOM) else buffer
    skipped = len(buffer) - len(text.lstrip())
    if buffer[skipped : skipped + 1] == b"[":
        return skipped + 1
    found = _LIST_START.search(buffer) if buffer[skipped : skipped + 1] == b"{" else None
    return found.end() if found else None


def _last_boundary(buffer: bytes) -> tuple[int, int] | None:
    """(end of the event, start of the next) at the last comma between two events."""
    window = 4096
    while True:
        start = max(0, len(buffer) - window)
        found = deque(_BOUNDARY.finditer(buffer, start), maxlen=1)
        if found:
            return found[0].start() + 1, found[0].end()
        if start == 0:
            return None
        window *= 8


def _decoded(text: bytes) -> Any:
    """The JSON value of a text, numbers that must stay exact as text; None when it does not parse."""
    try:
        return orjson.loads(_EXACT.sub(rb'"\1":"\2"', text))
    except orjson.JSONDecodeError:
        return None


def _shown(text: bytes) -> str:
    return json.dumps(text[:40].decode("utf-8", errors="replace"), ensure_ascii=False)


def file_bytes(path: Path) -> int:
    """Size of a file, 0 when it cannot be asked."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
