"""What the first bytes of a file say, where its name says nothing or too much."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

HEAD_BYTES = 8192
"""Enough for the first events of a trace and for any heading line."""

_EVENT = re.compile(rb'"ph"\s*:|"traceEvents"')
_TRACE_START = re.compile(rb'\s*(?:\[|\{\s*"(?:traceEvents|schemaVersion|displayTimeUnit|otherData|metadata)")')

_HEADINGS: tuple[tuple[str, frozenset[str]], ...] = (
    ("kernel_details", frozenset({"accelerator core", "duration(us)"})),
    ("op_summary", frozenset({"op name", "task type", "task duration(us)"})),
    ("op_statistic", frozenset({"op type", "core type", "total time(us)"})),
    ("api_statistic", frozenset({"level", "api name", "time(us)"})),
    ("acl_statistic", frozenset({"name", "type", "time(%)", "time(us)", "process id"})),
    ("task_time", frozenset({"kernel_name", "kernel_type", "task_time(us)"})),
)


def head(path: Path, size_bytes: int = HEAD_BYTES) -> bytes:
    """The first bytes of a file, unpacked when it is gzip; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(size_bytes)
        if data[:2] != b"\x1f\x8b":
            return data
        with gzip.open(path, "rb") as packed:
            return packed.read(size_bytes)
    except (OSError, EOFError, zlib.error):
        return b""


def looks_like_trace(data: bytes) -> bool:
    """Whether a JSON file that starts so holds trace events: a list or object of things that have a phase."""
    text = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    return bool(_TRACE_START.match(text) and _EVENT.search(text))


def is_wide_table(data: bytes) -> bool:
    """Whether a JSON file that starts so is a summary written as a list of objects (`--summary-format=json`)."""
    return bool(re.match(rb"\s*\[\s*\{", data)) and not _EVENT.search(data)


def headings(data: bytes) -> tuple[str, ...]:
    """Lower-case column headings of a CSV file that starts so."""
    line = data.decode("utf-8-sig", errors="replace").partition("\n")[0]
    return tuple(cell.strip().strip('"').strip().lower() for cell in line.split(","))


def kind_by_headings(data: bytes) -> str:
    """Kind of table by its column headings; empty when they are no known ones."""
    found = set(headings(data))
    return next((kind for kind, needed in _HEADINGS if needed <= found), "")
