"""Two workers on one table: a helper reads the files from a split point to the end, its rows are appended at last.

The helper says where it starts before it reads; until then the first worker reads only what is its own in any case.
When the helper fails, the first worker goes on alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tui.model.table import TablePart, TextColumn
from tui.readers.csv_defects import Defect
from tui.readers.csv_dialect import record_end_after
from tui.readers.csv_plan import Forced, Plan, Reinterpret, TableRequest, make_plan
from tui.readers.csv_sink import Sink, add_part
from tui.store.columns import Layout, column_file, map_layout

_WORTH_BYTES = 128 << 20
"""Below this size starting a helper costs more than it saves."""

_HEAD_START_BYTES = 24 << 20
"""What the first worker reads while the helper starts and looks for the record it begins with."""

_CODES_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Split:
    """Where the helper starts."""

    part: int
    """Index of the file in the plan."""
    offset: int
    """Byte in that file at which a record begins."""


@dataclass(frozen=True)
class RestProgress:
    """How far the helper is."""

    bytes_read: int


@dataclass(frozen=True)
class Lesson:
    """A `Reinterpret` of the helper."""

    key: str
    how: str


@dataclass(frozen=True)
class RestDone:
    """The helper's finished store."""

    layout: Layout
    parts: tuple[TablePart, ...]
    defects: tuple[Defect, ...]


def worth_a_helper(plan: Plan) -> bool:
    """Whether reading with two processes is faster."""
    return plan.bytes_total >= _WORTH_BYTES and _cores() > 1


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def nominal_split(plan: Plan) -> Split:
    """Where the helper's share begins, not yet at the end of a record."""
    wanted = min(plan.bytes_total, (plan.bytes_total + _HEAD_START_BYTES) // 2)
    for index, part in enumerate(plan.parts):
        if wanted < part.size or index == len(plan.parts) - 1:
            return Split(index, max(min(wanted, part.size), part.data_start))
        wanted -= part.size
    return Split(0, 0)


def import_rest(request: TableRequest, folder: str, forced: Forced, every_s: float) -> Iterator[object]:
    """Imports the second share of `request` into `folder`: a `Split`, progress, then `RestDone` or a `Lesson`."""
    plan = make_plan(request, Path(folder), forced)
    nominal = nominal_split(plan)
    part = plan.parts[nominal.part]
    with open(part.file, "rb") as file:
        split = Split(nominal.part, record_end_after(file, part.data_start, nominal.offset))
    yield split
    sink = Sink(plan, Path(folder), with_pandas=True)
    try:
        yield from _add_from(sink, plan, split, every_s)
    except Reinterpret as lesson:
        yield Lesson(lesson.key, lesson.how)
        return
    sink.finish()
    own_defects = sink.tally.defects[len(plan.defects) :]
    yield RestDone(sink.layout, tuple(sink.parts), own_defects)


def _add_from(sink: Sink, plan: Plan, split: Split, every_s: float) -> Iterator[RestProgress]:
    done, shown_s = 0, time.monotonic()
    for index in range(split.part, len(plan.parts)):
        part = plan.parts[index]
        start = split.offset if index == split.part else part.data_start
        sink.begin(part)
        for offset in add_part(sink, part, start, part.size):
            if time.monotonic() - shown_s >= every_s:
                shown_s = time.monotonic()
                yield RestProgress(done + offset - start)
        done += part.size - start
        if start == part.data_start:
            sink.end(part)


def append_rest(sink: Sink, rest: RestDone) -> None:
    """Appends the helper's rows to the first worker's.

    Raises:
        OSError: the store cannot be written.
    """
    table = map_layout(rest.layout, sink.plan.kind)
    folder = Path(rest.layout.folder)
    for index, column in enumerate(table.columns):
        sink.whole[index] = sink.whole[index] and column.info.whole
        if isinstance(column, TextColumn):
            _append_texts(sink, index, column)
        else:
            sink.writer.columns[index].append_column(column_file(folder, index), rest.layout.rows)
    _append_parts(sink, rest)


def _append_texts(sink: Sink, index: int, column: TextColumn) -> None:
    pool, writer = sink.pools[index], sink.writer.columns[index]
    assert pool is not None
    codes = np.fromiter(map(pool.code_of_text, column.strings), np.int32, len(column.strings))
    writer.add_texts(pool.take_fresh())
    for first in range(0, len(column.codes), _CODES_AT_ONCE):
        writer.append(codes[column.codes[first : first + _CODES_AT_ONCE]])


def _append_parts(sink: Sink, rest: RestDone) -> None:
    """Takes over the helper's parts; the first one may continue the last of ours."""
    first, *others = rest.parts
    ours = sink.parts[-1] if sink.parts else None
    if ours is not None and ours.path == first.path:
        sink.tally.add_all(rest.defects, first.path, ours.rows)
        sink.parts[-1] = TablePart(ours.path, ours.first_row, ours.rows + first.rows)
    else:
        sink.tally.add_all(rest.defects)
        others = list(rest.parts)
    sink.parts += [TablePart(part.path, sink.rows + part.first_row, part.rows) for part in others]
    sink.rows += rest.layout.rows
