"""Bytes of a summary CSV → whole records as clean UTF-8, whatever wrote or re-saved the file.

Profiles hold UTF-8 with or without a mark, GBK from re-saved files, LF, CRLF and both mixed, line ends inside quoted
cells, NUL bytes where a machine lost power (formats: msprof CSV §3.0). Cells are not looked at here.
"""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))

HEAD_BYTES = 1 << 16
"""How much of a file is looked at before reading it: heading line and a sample of rows."""

_LOOK_BACK_BYTES = 1 << 20
"""No cell is longer than this; a quote that stays open for longer is a stray one."""

_QUOTE = ord('"')
_MARK = b"\xef\xbb\xbf"
_LOOKED_AT_BYTES = 4096
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\x1b")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Head:
    """Heading line of a file and what follows it."""

    size: int
    """Bytes of the file."""
    cells: tuple[str, ...]
    """Heading cells as written, stripped; empty for an empty file."""
    data_start: int
    """Where the rows begin."""
    delimiter: str
    sample: bytes
    """The first records as clean UTF-8, at most `HEAD_BYTES`."""


@dataclass(frozen=True)
class Clean:
    """Bytes made fit for a CSV parser."""

    data: bytes
    """UTF-8 without NUL bytes."""
    nuls: int = 0
    """NUL bytes left out."""
    foreign_lines: int = 0
    """Lines that were read as GBK."""
    broken_lines: int = 0
    """Lines that are neither UTF-8 nor GBK; their odd bytes show as U+FFFD."""


def read_head(file: BinaryIO) -> Head:
    """Looks at the beginning of a file; rewinds nothing, expects the file at its start."""
    size = os.fstat(file.fileno()).st_size
    raw = file.read(HEAD_BYTES)
    start = len(_MARK) if raw.startswith(_MARK) else 0
    while raw[start : start + 1] in (b"\n", b"\r"):
        start += 1
    if not raw[start:].strip(b"\0\r\n\t ") or _is_binary(raw[start:_LOOKED_AT_BYTES]):
        return Head(size, (), size, ",", b"")
    end = _first_record_end(raw, start)
    text = clean(raw[start:end]).data.decode("utf-8")
    delimiter = _delimiter(text)
    cells = next(csv.reader(io.StringIO(text), delimiter=delimiter), [])
    rows_end = len(raw) if len(raw) == size else end + last_record_end(raw[end:])
    sample = clean(raw[end:rows_end]).data
    return Head(size, tuple(cell.strip().strip('"').strip() for cell in cells), end, delimiter, sample)


def clean(raw: bytes) -> Clean:
    """The same records as UTF-8 without NUL bytes."""
    nuls = raw.count(b"\0") if b"\0" in raw else 0  # looking is several times faster than counting
    data = raw.replace(b"\0", b"") if nuls else raw
    if data.isascii() or _is_utf8(data):
        return Clean(data, nuls)
    lines = data.split(b"\n")
    foreign = broken = 0
    for index, line in enumerate(lines):
        if line.isascii() or _is_utf8(line):
            continue
        try:
            lines[index] = line.decode("gbk").encode("utf-8")
            foreign += 1
        except UnicodeDecodeError:
            lines[index] = line.decode("utf-8", "replace").encode("utf-8")
            broken += 1
    return Clean(b"\n".join(lines), nuls, foreign, broken)


def records(
    file: BinaryIO, start: int, stop: int, first_bytes: int, block_bytes: int, whole: bool = True
) -> Iterator[tuple[bytes, int]]:
    """Blocks of whole records of `file[start:stop]`, as they are, each with the offset of its end.

    Args:
        start: Where a record begins.
        stop: Where reading ends.
        first_bytes: Size of the first block, small so that something shows at once.
        block_bytes: Size of the others. A record longer than a block makes it longer.
        whole: Whether a record ends at `stop` (so does the file). When not, the last block ends before it.
    """
    position, size, wanted = start, first_bytes, first_bytes
    while position < stop:
        file.seek(position)
        data = file.read(min(wanted, stop - position))
        at_end = position + len(data) >= stop or not data
        cut = len(data) if whole and at_end else last_record_end(data)
        if cut:
            position += cut
            yield data[:cut], position
            size = wanted = block_bytes
        elif at_end:
            return
        else:
            wanted += size


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    """Whole records of a block, in pieces of about `size` bytes."""
    start = 0
    while start < len(data):
        piece = data[start : start + size]
        while start + len(piece) < len(data):
            end = last_record_end(piece)
            if end:
                piece = piece[:end]
                break
            piece = data[start : start + len(piece) + size]
        yield piece
        start += len(piece)


def last_record_end(data: bytes) -> int:
    """Where the last whole record of `data` ends, given that one begins at 0; 0 when there is none yet.

    That is behind the last newline with an even count of quotes before it. When there is none within the last MiB, a
    stray quote is assumed and the last newline taken.
    """
    quotes = _count_quotes(data)
    newline, end = data.rfind(b"\n"), len(data)
    last = newline + 1
    while newline >= 0:
        quotes -= data.count(b'"', newline + 1, end)
        if quotes % 2 == 0:
            return newline + 1
        end = newline + 1
        if len(data) - end > _LOOK_BACK_BYTES:
            return last
        newline = data.rfind(b"\n", 0, newline)
    return last if len(data) > _LOOK_BACK_BYTES else 0


def record_end_after(file: BinaryIO, start: int, wanted: int) -> int:
    """First end of a record at or behind `wanted`, given that one begins at `start`; the end of the file at last."""
    file.seek(start)
    left, odd = wanted - start, 0
    while left > 0:
        piece = file.read(min(left, 1 << 22))
        if not piece:
            break
        left -= len(piece)
        odd ^= _count_quotes(piece) & 1
    offset = wanted
    while True:
        piece = file.read(1 << 16)
        if not piece:
            return offset
        end = _record_end_in(piece, odd)
        if end or offset - wanted > _LOOK_BACK_BYTES:
            return offset + (end or piece.find(b"\n") + 1)
        odd ^= piece.count(b'"') & 1
        offset += len(piece)


def _count_quotes(data: bytes) -> int:
    """Several times faster than `bytes.count` where there are many."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == _QUOTE))


def _record_end_in(piece: bytes, odd: int) -> int:
    position = 0
    while True:
        newline = piece.find(b"\n", position)
        if newline < 0:
            return 0
        odd ^= piece.count(b'"', position, newline) & 1
        position = newline + 1
        if not odd:
            return position


def _is_binary(raw: bytes) -> bool:
    """Whether control characters in the first line say that this is no text."""
    line = raw.partition(b"\n")[0]
    return raw.startswith(_WIDE_MARKS) or len(line) - len(line.translate(None, _CONTROLS)) > len(line) // 10


def _first_record_end(raw: bytes, start: int) -> int:
    end = _record_end_in(raw[start:], 0)
    return start + end if end else (raw.find(b"\n", start) + 1 or len(raw))


def _delimiter(line: str) -> str:
    """Comma, unless a re-saved file holds only semicolons or tabs."""
    for delimiter in (",", ";", "\t"):
        if delimiter in line:
            return delimiter
    return ","


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
