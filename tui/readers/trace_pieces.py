"""A trace file as pieces of decoded events, in bounded memory, whatever state the file is in (formats: msprof 4.1).

The text is cut at commas between events; a piece that does not parse is taken apart event by event. Of each event `ts`,
`dur` and `id` are text, exactly as written: an epoch in us does not fit a float, and flow ids have up to 86 bits.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tui.i18n import _, ngettext
from tui.model.problem import Problem
from tui.readers.trace_text import (
    BAD_ESCAPE,
    BOM,
    BOUNDARY,
    DECODER,
    EXACT,
    MAX_EVENT_HEAD,
    begins_event,
    decoded,
    ends_list,
    extent,
    last_boundary,
    list_start,
    listed,
    member_start,
    next_event,
    next_objects,
    parsed,
    shown,
)

PIECE_BYTES = 128 * 1024
"""Bytes read at a time; larger pieces cost page faults in the parser's arenas."""
MAX_START_BYTES = 4 << 20
"""How far the list of events of an object (`{"traceEvents": [...]}`) is looked for."""
MAX_EVENT_BYTES = 4 << 20
"""An event longer than this is given up."""
MAX_TRIES = 32
"""Commas tried as the end of one event before it is given up."""

Event = dict[str, Any]


@dataclass(frozen=True)
class Piece:
    """Events of one stretch of the file."""

    events: list[Any]
    """Usually objects; anything else that a damaged file holds is kept for the reader to refuse."""
    bytes_done: int
    """Bytes of the file read so far (packed bytes of a `.gz`)."""
    offset: int = 0
    """Where the text of the first event begins in the (unpacked) file."""
    text: bytes = b""
    """The text of all events as a JSON document, for one who needs a number exactly as written."""
    places: tuple[int, ...] = ()
    """Where each event begins, when they were read one by one."""


@dataclass(frozen=True)
class Ending:
    """What became of a file, given after its last piece."""

    recovered: int
    """Events that only a repair made readable."""
    lost: int
    """Events that no repair made readable."""
    problems: tuple[Problem, ...]
    closed: bool = True
    """Whether the end of the list of events was seen."""
    ended_at: int = -1
    """Byte where the file ends inside the list; -1 when it does not, or when that is not for this share to know."""
    first_lost: int = -1
    """Byte of the first event that is lost."""
    torn: bool = False
    """Whether a share ends in what does not parse: perhaps its bound lies inside an event."""


def pieces(path: Path, exact: bool = True) -> Iterator[Piece | Ending]:
    """The events of a trace file piece by piece, then its ending. Damage never raises.

    Args:
        exact: Whether `ts`, `dur` and `id` become text as written; else numbers are what the parser makes of them.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        stream = gzip.GzipFile(fileobj=file) if packed else file
        yield from _Cutter(path, stream, file, exact).pieces()


def share_pieces(path: Path, start: int, stop: int, wrapped: bool) -> Iterator[Piece | Ending]:
    """The events of a stretch of an unpacked trace file, numbers as the parser makes them, then its ending.

    Args:
        start: Where an event begins.
        stop: Where another begins that belongs to the next stretch, or the size of the file.
        wrapped: Whether the events are the `traceEvents` of an object.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        file.seek(start)
        cutter = _Cutter(path, file, file, exact=False, offset=start, stop=stop, wrapped=wrapped)
        yield from cutter.share()


def boundary_after(path: Path, offset: int) -> int:
    """Where the first event begins that starts at or after a byte; the size of the file when none does.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        file.seek(offset)
        window = b""
        while True:
            more = file.read(4 * MAX_EVENT_HEAD)
            window += more
            for found in BOUNDARY.finditer(window):
                if more and found.end() + MAX_EVENT_HEAD > len(window):
                    break  # the object that begins there may not be in the window as a whole
                if begins_event(window, found.end()):
                    return offset + found.end()
            if not more:
                return offset + len(window)
            passed = max(0, len(window) - 2 * MAX_EVENT_HEAD)
            window, offset = window[passed:], offset + passed


def first_event(path: Path) -> tuple[int, bool] | None:
    """Where the list of events begins in an unpacked file, and whether an object is around it; None without a list.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        head = file.read(PIECE_BYTES)
        start = list_start(head)
    return None if start is None else (start, head[:start].lstrip(BOM).lstrip()[:1] == b"{")


def one_event(text: bytes) -> dict[str, Any] | None:
    """The event that a text begins with, however badly it is escaped; None when it cannot be read."""
    nothing = io.BytesIO()
    found = _Cutter(Path(), nothing, nothing, buffer=text).salvaged().events
    return found[0] if found and isinstance(found[0], dict) else None


def exact_events(piece: Piece) -> list[Any]:
    """The events of a piece, `ts`, `dur` and `id` as written."""
    events = listed(decoded(piece.text)) if piece.text else None
    return piece.events if events is None else events


@dataclass
class _Cutter:
    path: Path
    stream: IO[bytes] | gzip.GzipFile
    file: IO[bytes]
    """The file itself; the stream unpacks it, or is it."""
    exact: bool = True
    offset: int = 0
    """Place of the buffer in the (unpacked) text."""
    stop: int | None = None
    """Where a share of the file ends; None at its end."""
    buffer: bytes = b""
    wrapped: bool = False
    """Whether the events are the `traceEvents` of an object."""
    closed: bool = False
    """Whether the end of the list was seen."""
    recovered: int = 0
    lost: int = 0
    first_lost: int = -1
    torn: bool = False
    problems: list[Problem] = field(default_factory=list)

    def pieces(self) -> Iterator[Piece | Ending]:
        if self._find_start():
            while not self.closed and self._read():
                yield from self._cut()
            if not self.closed:
                yield self._last_piece()
            self.problems += damage(self.path, self._ending(at_end=True))
        yield self._ending(at_end=True)

    def share(self) -> Iterator[Piece | Ending]:
        """The pieces from an event on up to `stop`."""
        assert self.stop is not None
        at_end = self.stop >= os.fstat(self.file.fileno()).st_size
        while not self.closed and self._read():
            yield from self._cut()
        if not self.closed and at_end:
            yield self._last_piece()
        elif not self.closed and self.buffer.strip():
            yield self._rest()
        yield self._ending(at_end)

    def _ending(self, at_end: bool) -> Ending:
        ended_at = self.offset if at_end and not self.closed else -1
        return Ending(
            self.recovered, self.lost, tuple(self.problems), self.closed, ended_at, self.first_lost, self.torn
        )

    def _rest(self) -> Piece:
        """What is left before another share begins: whole events, the last one with the comma behind it."""
        text = b"[" + self.buffer.rstrip()[:-1] + b"]"
        events = self._decode(text)
        if not isinstance(events, list):
            self.torn = True
            return self._salvaged(at_end=True)
        piece = Piece(events, self.file.tell(), self.offset, text)
        self._consume(len(self.buffer))
        return piece

    def _read(self) -> bool:
        """Adds to the buffer; False at the end of the file."""
        wanted = PIECE_BYTES
        if self.stop is not None:
            wanted = min(wanted, self.stop - self.offset - len(self.buffer))
        # Of a packed file that breaks off, `read` would drop what it has unpacked before the break.
        read = self.stream.read1 if isinstance(self.stream, gzip.GzipFile) else self.stream.read
        try:
            block = read(max(wanted, 0))
        except (OSError, EOFError, zlib.error) as error:
            self._note(
                "", _("cannot be read to its end: {reason}").format(reason=error), _("events up to there are shown")
            )
            return False
        self.buffer += block
        return bool(block)

    def _decode(self, text: bytes) -> Any:
        return decoded(text) if self.exact else parsed(text)

    def _consume(self, count: int) -> None:
        self.buffer = self.buffer[count:]
        self.offset += count

    def _find_start(self) -> bool:
        """Moves to the first event; False, with a problem noted, when there is no list of events."""
        while self._read() and len(self.buffer) < MAX_START_BYTES:
            start = list_start(self.buffer)
            if start is not None:
                self.wrapped = self.buffer[:start].lstrip(BOM).lstrip()[:1] == b"{"
                self._consume(start)
                return True
        text = self.buffer[:200].strip()
        if not text:
            is_packed = isinstance(self.stream, gzip.GzipFile)
            what = _("there is nothing in the packed file") if is_packed else _("the file is empty")
            self._note("", what, _("there are no events to show"), _("export again"))
        elif text != b"]":
            what = _("no list of trace events: it starts with {text}").format(text=shown(text))
            self._note("", what, _("there are no events to show"), _("export again"))
        return False

    def _cut(self) -> Iterator[Piece]:
        """The events up to the last comma in the buffer; an event that is longer waits for more text."""
        boundary = last_boundary(self.buffer)
        if boundary is not None:
            end, following = boundary
            text = b"[" + self.buffer[:end] + b"]"
            events = self._decode(text)
            if isinstance(events, list):
                piece = Piece(events, self.file.tell(), self.offset, text)
                self._consume(following)
                yield piece
                return
        if boundary is not None or len(self.buffer) > MAX_EVENT_BYTES:
            yield self._salvaged(at_end=False)

    def _last_piece(self) -> Piece:
        """What follows the last comma, with the end of the list and of the object around it."""
        text = (b'{"traceEvents":[' if self.wrapped else b"[") + self.buffer
        events = listed(self._decode(text))
        if events is None:
            return self._salvaged(at_end=True)
        self.closed = True
        return Piece(events, self.file.tell(), self.offset, text)

    def salvaged(self) -> Piece:
        """The events of the buffer, read one by one."""
        return self._salvaged(at_end=True)

    def _salvaged(self, at_end: bool) -> Piece:
        """Events of the buffer, one by one; what may still be completed by more text stays in the buffer."""
        events: list[Any] = []
        places: list[int] = []
        text = self.buffer.decode("latin-1")
        start = member_start(text, 0)
        while start < len(text) and not self.closed:
            if text[start] == "]" and ends_list(text, start, self.wrapped):
                self.closed = at_end or bool(text[start + 1 :].strip())
                start += self.closed
                break
            event, end = self._next_event(text, start, at_end)
            if event is None and end == start:
                break
            if event is None:
                self._give_up(start)
            else:
                events.append(event)
                places.append(self.offset + start)
            start = member_start(text, end)
        self._consume(start)
        return Piece(events, self.file.tell(), self.offset, places=tuple(places))

    def _next_event(self, text: str, start: int, at_end: bool) -> tuple[Any, int]:
        """The event that begins at `start` and where it ends; None and where to go on when it cannot be read, which is
        `start` itself when more text may help.

        Args:
            text: The buffer, a character for each byte.
        """
        reach = extent(text, start)
        event = decoded(self.buffer[start : reach.end]) if reach.end is not None else None
        if event is not None and reach.end is not None:
            return event, reach.end
        ends = [reach.end] if reach.end is not None else next_objects(self.buffer, start, MAX_TRIES)
        may_go_on = reach.end is None and (reach.is_cut or len(ends) < MAX_TRIES)
        if may_go_on and not at_end and len(text) - start < MAX_EVENT_BYTES:
            return None, start
        for after in [*ends, len(text)] if at_end else ends:
            event = self._repaired(self.buffer[start:after])
            if event is not None:
                return event, after
        return None, next_event(self.buffer, start)

    def _repaired(self, chunk: bytes) -> Any:
        """The event of a badly escaped chunk, which the end of the list may follow; None when there is none."""
        text = BAD_ESCAPE.sub(r"\\\\", EXACT.sub(rb'"\1":"\2"', chunk).decode("utf-8", errors="replace"))
        try:
            event, end = DECODER.raw_decode(text)
        except (ValueError, RecursionError):
            return None
        rest = text[end:].strip()
        if rest.startswith("]") and ends_list(rest, 0, self.wrapped):
            self.closed = True
        elif rest.strip(","):
            return None
        self.recovered += 1
        return event

    def _give_up(self, start: int) -> None:
        self.lost += 1
        if self.first_lost < 0:
            self.first_lost = self.offset + start

    def _note(self, where: str, what: str, consequence: str, hint: str = "") -> None:
        self.problems.append(Problem(str(self.path), where, what, consequence, hint, "warn"))


def damage(path: Path, ending: Ending) -> list[Problem]:
    """What is wrong with a file according to its ending, or the sum of the endings of its shares."""
    found = []
    if ending.ended_at >= 0:
        found.append(_problem(
            path, _("byte {offset}").format(offset=ending.ended_at), _("the file ends inside its list of events"),
            _("events up to there are shown"), _("the export was cut off or is still running; export again"),
        ))  # fmt: skip
    elif ending.lost:
        what = ngettext("{count} event cannot be read", "{count} events cannot be read", ending.lost)
        where = _("byte {offset}").format(offset=ending.first_lost)
        told = what.format(count=ending.lost)
        found.append(_problem(path, where, told, _("left out, the rest is shown"), _("export again")))
    if ending.recovered:
        what = ngettext("{count} event was badly escaped", "{count} events were badly escaped", ending.recovered)
        found.append(_problem(path, "", what.format(count=ending.recovered), _("repaired and shown"), ""))
    return found


def _problem(path: Path, where: str, what: str, consequence: str, hint: str) -> Problem:
    return Problem(str(path), where, what, consequence, hint, "warn")


def file_bytes(path: Path) -> int:
    """Size of a file, 0 when it cannot be asked."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
