"""The `args` of one event, read again from its place in the trace file: they are never stored."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import IO, Any, cast

from tui.model.timeline import Timeline
from tui.readers.trace_pieces import MAX_EVENT_BYTES, one_event
from tui.readers.trace_plan import unpacked_place
from tui.store.strings import storable

_WINDOW_BYTES = 192 << 10
_DECODER = json.JSONDecoder(strict=False, parse_float=str)


def read_args(timeline: Timeline, event: int) -> dict[str, Any]:
    """The `args` of an event, decimals as text exactly as written; empty when there are none or they are gone.

    Reads at most one piece of the file (a packed file from its start).
    """
    return dict(found) if isinstance(found := read_event(timeline, event).get("args"), dict) else {}


def read_event(timeline: Timeline, event: int) -> dict[str, Any]:
    """An event as the file has it, `args` and all; empty when its file is gone or has changed."""
    place = int(timeline.place[event])
    if place < 0:
        return {}
    part, offset, ordinal = unpacked_place(place)
    try:
        found = _event_at(Path(timeline.files[part]), offset, ordinal)
    except (OSError, EOFError, IndexError):
        return {}
    is_it = isinstance(found, dict) and storable(str(found.get("name", ""))) == timeline.name(event)
    return found if is_it and found is not None else {}


def _event_at(path: Path, offset: int, ordinal: int) -> dict[str, Any] | None:
    with path.open("rb") as file:
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        stream = cast("IO[bytes]", gzip.GzipFile(fileobj=file) if packed else file)
        stream.seek(offset)
        size = _WINDOW_BYTES
        buffer = stream.read(size)
        while True:
            found = _nth(buffer.decode("utf-8", errors="replace"), ordinal)
            more = b"" if found is not None or len(buffer) > MAX_EVENT_BYTES else stream.read(size)
            if not more:
                return found if found is not None or ordinal else one_event(buffer)
            buffer += more


def _nth(text: str, ordinal: int) -> dict[str, Any] | None:
    """The n-th object of a text of objects and commas; None when it does not reach so far."""
    at, found = 0, None
    for _skipped in range(ordinal + 1):
        at += len(text[at : at + 64]) - len(text[at : at + 64].lstrip(" \t\r\n,"))
        try:
            found, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
    return found if isinstance(found, dict) else None
