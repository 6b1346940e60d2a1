"""Trace files in blocks: what one process reads at a time, and the rows it leaves for the ones who sort them.

Rows of a block go to a raw file, table by table, column by column, each in order of its lanes. Blocks are claimed by
creating a file, so that two processes can share them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _
from tui.model.problem import Problem
from tui.readers.trace_columns import GROUPED_BY, TABLES, Collector, Columns, Facts, Known
from tui.readers.trace_pieces import Ending, Piece, boundary_after, file_bytes, first_event, pieces, share_pieces
from tui.readers.trace_plan import TimelineRequest, TracePart
from tui.store.npy import byte_view

BLOCK_BYTES = 16 << 20


@dataclass(frozen=True)
class Block:
    """A stretch of one file."""

    part: int
    start: int
    stop: int
    wrapped: bool = False
    whole: bool = False
    """Read from the first byte to the last, whatever the file turns out to be."""


@dataclass(frozen=True)
class Section:
    """Rows of one table in a raw file."""

    offset: int
    rows: int
    groups: NDArray[np.int64]
    """Lane (or series) of each run of rows, rising."""
    counts: NDArray[np.int64]
    """Rows of each run."""


@dataclass(frozen=True)
class BlockRows:
    """What was read of a block, or of a part of one. Picklable; the rows are in the raw file of the reader."""

    block: Block
    reader: int
    step: int
    """Place among the parts of the block."""
    bytes_read: int
    sections: Mapping[str, Section]
    facts: Facts
    ending: Ending | None = None
    """After the last part of the block."""


@dataclass
class BlockReader:
    """Reads blocks into one raw file."""

    folder: Path
    number: int
    request: TimelineRequest
    known: Known = field(default_factory=Known)

    def read(self, block: Block) -> Iterator[BlockRows]:
        """Reads a block in one or more steps. A file that cannot be read is a problem of its ending.

        Raises:
            OSError: the raw file cannot be written.
        """
        part = self.request.parts[block.part]
        step, done, kept_from = 0, block.start, block.start
        collector = self._collector(block.part, part)
        for piece in _pieces(Path(part.path), block):
            if isinstance(piece, Ending):
                yield self._rows(block, step, max(0, block.stop - done), collector, piece)
                continue
            collector.add(piece)
            if piece.offset - kept_from >= BLOCK_BYTES:
                yield self._rows(block, step, piece.bytes_done - done, collector)
                collector, step = self._collector(block.part, part), step + 1
                done, kept_from = piece.bytes_done, piece.offset

    def _collector(self, number: int, part: TracePart) -> Collector:
        return Collector(self.known, number, part.scope, (self.request.start_ns, self.request.end_ns))

    def _rows(
        self, block: Block, step: int, done: int, collector: Collector, ending: Ending | None = None
    ) -> BlockRows:
        sections = {}
        with raw_file(self.folder, self.number).open("ab") as file:
            for table, columns in collector.tables().items():
                sections[table] = _written(file, table, columns)
        return BlockRows(block, self.number, step, done, sections, collector.facts, ending)


def plan_blocks(request: TimelineRequest) -> list[Block]:
    """All blocks of all files, in order. Files that cannot be opened are left to their reader."""
    blocks: list[Block] = []
    for number, part in enumerate(request.parts):
        size = file_bytes(Path(part.path))
        start = _shared_start(Path(part.path)) if size > 2 * BLOCK_BYTES else None
        if start is None:
            blocks.append(whole_block(request, number))
            continue
        first, wrapped = start
        stops = [*range(first + BLOCK_BYTES, size - BLOCK_BYTES // 2, BLOCK_BYTES), size]
        blocks += [Block(number, begin, stop, wrapped) for begin, stop in zip([first, *stops], stops)]
    return blocks


def whole_block(request: TimelineRequest, part: int) -> Block:
    """A file that one process reads from its first byte to its last."""
    return Block(part, 0, file_bytes(Path(request.parts[part].path)), whole=True)


def claim(folder: Path, number: int) -> bool:
    """Whether the block of that number is now this process's to read."""
    try:
        os.close(os.open(folder / f"claim{number}", os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    return True


def raw_file(folder: Path, reader: int) -> Path:
    """The raw file of a reader."""
    return folder / f"raw{reader}"


def _shared_start(path: Path) -> tuple[int, bool] | None:
    """Where the events of a file begin that can be read in shares."""
    with suppress(OSError), path.open("rb") as file:
        return None if file.read(2) == b"\x1f\x8b" else first_event(path)
    return None


def _pieces(path: Path, block: Block) -> Iterator[Piece | Ending]:
    """The pieces of a block; its bounds are moved to the next event by whoever reads them, always alike."""
    try:
        if block.whole:
            yield from pieces(path, exact=False)
            return
        size = file_bytes(path)
        start = block.start if _is_first(path, block) else boundary_after(path, block.start)
        stop = block.stop if block.stop >= size else boundary_after(path, block.stop)
        if start < stop:
            yield from share_pieces(path, start, stop, block.wrapped)
        else:
            yield Ending(0, 0, (), closed=False)
    except OSError as error:
        yield Ending(0, 0, (_unreadable(path, error),))


def _is_first(path: Path, block: Block) -> bool:
    found = first_event(path)
    return found is not None and found[0] == block.start


def _unreadable(path: Path, error: OSError) -> Problem:
    what = _("cannot be read: {reason}").format(reason=error.strerror or type(error).__name__)
    return Problem(str(path), "", what, _("there are no events to show"), _("check its permissions"), "error")


def _written(file: Any, table: str, columns: Columns) -> Section:
    groups = columns[GROUPED_BY[table]]
    offset = file.tell()
    for name, dtype in TABLES[table].items():
        if name != GROUPED_BY[table]:
            file.write(byte_view(np.ascontiguousarray(columns[name], dtype)))
    starts = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1]))) if len(groups) else np.empty(0, int)
    counts = np.diff(np.append(starts, len(groups)))
    return Section(offset, len(groups), groups[starts].astype(np.int64), counts.astype(np.int64))


def read_segment(descriptor: int, table: str, section: Section, first: int, into: Columns, at: int, rows: int) -> None:
    """Reads some rows of a section into prepared columns, from row `at` on.

    Raises:
        OSError: the raw file cannot be read, or is shorter than that.
    """
    offset = section.offset
    for name, dtype in TABLES[table].items():
        size = np.dtype(dtype).itemsize
        if name in into:
            target = byte_view(into[name][at : at + rows])
            if os.preadv(descriptor, [target], offset + first * size) != rows * size:
                raise OSError("a raw file is shorter than its rows")
        offset += 0 if name == GROUPED_BY[table] else section.rows * size
