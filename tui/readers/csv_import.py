"""Files of one table → one store, block by block, with progress.

A pure generator: it knows no process and no screen. Closing it keeps the rows read so far as an incomplete table.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tui.readers.csv_defects import Defect
from tui.readers.csv_helper import Helper, shared_parts
from tui.readers.csv_plan import Forced, Plan, Reinterpret, TableRequest, make_plan
from tui.readers.csv_rest import worth_a_helper
from tui.readers.csv_sink import Sink, add_part
from tui.store.columns import Layout

READER_VERSION = 1
"""Part of the key of a store: raise it whenever the same files would give another table."""

_WITHOUT_PANDAS_BYTES = 1 << 20
"""Up to this size importing pandas takes longer than splitting all records without it."""


@dataclass(frozen=True)
class ImportProgress:
    """How far an import is. Small and picklable: rows are mapped through `layout`, never sent."""

    layout: Layout
    kind: str
    bytes_read: int
    bytes_total: int
    rows: int
    elapsed_s: float
    defects: tuple[Defect, ...] = ()
    done: bool = False

    @property
    def fraction(self) -> float:
        """Share of the bytes read, 0…1."""
        return self.bytes_read / self.bytes_total if self.bytes_total else 1.0


def import_table(
    request: TableRequest, folder: Path, every_s: float = 0.2, helper: bool = False
) -> Generator[ImportProgress, None, None]:
    """Imports the files of `request` into `folder`; yields progress after the first rows, then every `every_s` seconds.

    The last progress has `done` set; the store is finished then. Closing the generator finishes it as incomplete.

    Args:
        folder: Empty folder for the store.
        helper: Whether a second process may take a share of a large table.

    Raises:
        OSError: the store cannot be written. A source that cannot be read is a defect instead.
    """
    forced: dict[str, str] = {}
    started_s = time.monotonic()
    while True:
        try:
            yield from _attempt(request, folder, every_s, forced, started_s, helper)
            return
        except Reinterpret as lesson:
            forced[lesson.key] = lesson.how
            for file in folder.glob("c*.npy"):
                file.unlink()


def _attempt(
    request: TableRequest, folder: Path, every_s: float, forced: Forced, started_s: float, helper: bool
) -> Iterator[ImportProgress]:
    plan = make_plan(request, folder, forced)
    sink = Sink(plan, folder, _wants_pandas(plan))
    shared = Helper(request, folder, forced) if helper and worth_a_helper(plan) else None
    try:
        shown_s = 0.0
        for bytes_read in shared_parts(sink, shared) if shared else _all_parts(sink):
            now_s = time.monotonic()
            if not shown_s or now_s - shown_s >= every_s:
                shown_s = now_s
                yield _progress(sink, bytes_read, now_s - started_s)
        sink.finish()
        yield replace(_progress(sink, plan.bytes_total, time.monotonic() - started_s), done=True)
    except GeneratorExit:
        sink.tally.add(Defect("stopped", sink.parts[-1].path if sink.parts else ""))
        sink.finish(complete=False)
        raise
    finally:
        if shared:
            shared.close()


def _wants_pandas(plan: Plan) -> bool:
    return "pandas" in sys.modules or plan.bytes_total > _WITHOUT_PANDAS_BYTES


def _all_parts(sink: Sink) -> Iterator[int]:
    """Adds all blocks of all files; yields the bytes read so far."""
    done = 0
    for part in sink.plan.parts:
        sink.begin(part)
        for offset in add_part(sink, part, part.data_start, part.size):
            yield done + offset
        done += part.size
        sink.end(part)


def _progress(sink: Sink, bytes_read: int, elapsed_s: float) -> ImportProgress:
    return ImportProgress(
        sink.layout, sink.plan.kind, bytes_read, sink.plan.bytes_total, sink.rows, elapsed_s, sink.tally.defects
    )
