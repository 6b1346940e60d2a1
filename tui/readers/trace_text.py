"""The JSON text of traces: where events begin and end in it, and what a stretch of it says (formats: msprof 4.1)."""

from __future__ import annotations

import json
import re
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

MAX_EVENT_HEAD = 1 << 16
"""Longest event that a share of a file begins with."""

BOUNDARY = re.compile(rb'\}\s*,\s*(?=\{\s*")')
EXACT = re.compile(rb'"(ts|dur|id)"\s*:\s*(-?[0-9][0-9.eE+\-]*)')
_LIST_START = re.compile(rb'"traceEvents"\s*:\s*\[')
BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_AFTER_DAMAGE = re.compile(rb',\s*(?=\{\s*")')
_NEXT_KEY = re.compile(r',\s*"')
_LOOK_AHEAD = 200
_ESCAPE_LETTERS = 6
"""An escape that the end of the text cuts is reported where it begins."""
_BETWEEN = re.compile(r"[\s,]*")
DECODER = json.JSONDecoder(strict=False)
BOM = b"\xef\xbb\xbf"


def list_start(buffer: bytes) -> int | None:
    """Index after the opening bracket of the list of events."""
    text = buffer[len(BOM) :] if buffer.startswith(BOM) else buffer
    skipped = len(buffer) - len(text.lstrip())
    if buffer[skipped : skipped + 1] == b"[":
        return skipped + 1
    found = _LIST_START.search(buffer) if buffer[skipped : skipped + 1] == b"{" else None
    return found.end() if found else None


def last_boundary(buffer: bytes) -> tuple[int, int] | None:
    """(end of the event, start of the next) at the last comma between two events."""
    window = 4096
    while True:
        start = max(0, len(buffer) - window)
        found = deque(BOUNDARY.finditer(buffer, start), maxlen=1)
        if found:
            return found[0].start() + 1, found[0].end()
        if start == 0:
            return None
        window *= 8


def decoded(text: bytes) -> Any:
    """The JSON value of a text, numbers that must stay exact as text; None when it does not parse."""
    return parsed(EXACT.sub(rb'"\1":"\2"', text))


def listed(value: Any) -> list[Any] | None:
    """The list of events of a document, bare or within an object."""
    events = value.get("traceEvents") if isinstance(value, dict) else value
    return events if isinstance(events, list) else None


def parsed(text: bytes) -> Any:
    """The JSON value of a text; None when it does not parse."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


@dataclass(frozen=True)
class Extent:
    """How far a JSON value reaches."""

    end: int | None
    """Where it ends; None when it is damaged or not all there."""
    is_cut: bool = False
    """Whether the text ends before the value does."""


def extent(text: str, start: int) -> Extent:
    """How far the JSON value that begins there reaches."""
    try:
        return Extent(DECODER.raw_decode(text, start)[1])
    except json.JSONDecodeError as error:
        return Extent(None, error.pos >= len(text) - _ESCAPE_LETTERS or error.msg.startswith("Unterminated string"))
    except RecursionError:
        return Extent(None)


def ends_list(text: str, at: int, wrapped: bool) -> bool:
    """Whether a closing bracket is that of the list of events: behind it nothing follows, or the object around it."""
    rest = text[at + 1 : at + 1 + _LOOK_AHEAD].lstrip()
    return not rest or (wrapped and (rest[0] == "}" or _NEXT_KEY.match(rest) is not None))


def member_start(text: str, start: int) -> int:
    """Where the next member of a list begins: behind blanks and commas."""
    found = _BETWEEN.match(text, start)
    return found.end() if found else start


def next_objects(text: bytes, start: int, count: int) -> list[int]:
    """Where the next objects begin behind a place that is no event, whatever they are."""
    return [comma.end() for comma in islice(_AFTER_DAMAGE.finditer(text, start + 1), count)]


def next_event(text: bytes, start: int) -> int:
    """Where the next event begins behind a place that is none; the length of the text when none does."""
    objects = [comma.end() for comma in _AFTER_DAMAGE.finditer(text, start + 1)]
    for at, following in zip(objects, [*objects[1:], len(text)]):
        value = _object_at(text, at)
        if b'"ph"' in text[at:following] if value is None else "ph" in value:
            return at
    return len(text)


def begins_event(text: bytes, start: int) -> bool:
    """Whether the object that begins there has the members of an event; one inside an event's `args` has not."""
    value = _object_at(text, start)
    return value is not None and "ph" in value


def _object_at(text: bytes, start: int) -> dict[str, Any] | None:
    for length in (MAX_EVENT_HEAD >> 5, MAX_EVENT_HEAD):
        with suppress(ValueError, RecursionError):
            value = DECODER.raw_decode(text[start : start + length].decode("utf-8", errors="replace"))[0]
            return value if isinstance(value, dict) else None
    return None


def shown(text: bytes) -> str:
    """The beginning of a text, fit to be shown."""
    return json.dumps(text[:40].decode("utf-8", errors="replace"), ensure_ascii=False)
