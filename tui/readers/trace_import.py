"""Trace files of one timeline → one store, with progress; two processes share large files.

A pure generator: it knows no screen. Closing it keeps what was read so far as an incomplete timeline.
"""

from __future__ import annotations

import gc
import shutil
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.readers.trace_blocks import Block, BlockReader, BlockRows, claim, plan_blocks, raw_file, whole_block
from tui.readers.trace_finish import finish_steps
from tui.readers.trace_intake import Intake
from tui.readers.trace_pieces import file_bytes
from tui.readers.trace_plan import TimelineRequest
from tui.store import workers

READER_VERSION = 1
"""Part of the key of a store: raise it whenever the same files would give another timeline."""
FIRST_PARTIAL_S = 0.5
PARTIAL_GROWTH = 3.0
"""Partial timelines are made after `FIRST_PARTIAL_S`, then each time that has passed so many times again."""
LAST_PARTIAL_SHARE = 0.7
"""Behind this share of the files the whole timeline comes soon enough."""
SHARED_BYTES = 48 << 20
"""From this size on a second process reads too."""
_WAIT_S = 0.05


@dataclass(frozen=True)
class TimelineProgress:
    """How far an import is. Small and picklable: events are mapped, never sent."""

    folder: str
    """The store, once `done`."""
    partial: str
    """Folder of a store of what was read some time ago; empty when there is none yet."""
    bytes_read: int
    bytes_total: int
    events: int
    elapsed_s: float
    sorting: float = 0.0
    """Share done of what follows the reading, 0…1."""
    done: bool = False

    @property
    def fraction(self) -> float:
        """Share of the bytes read, 0…1."""
        return min(1.0, self.bytes_read / self.bytes_total) if self.bytes_total else 1.0


@dataclass(frozen=True)
class _Share:
    """Rows of the second process."""

    rows: BlockRows
    new: dict[str, list[Any]]


def import_timeline(
    request: TimelineRequest, folder: Path, every_s: float = 0.5, helper: bool = False, partials: bool = False
) -> Generator[TimelineProgress, None, None]:
    """Imports the trace files of `request` into `folder`; yields progress about every `every_s` seconds.

    The last progress has `done` set; the store is finished then. Closing the generator finishes it as incomplete.

    Args:
        folder: Empty folder for the store.
        helper: Whether a second process may take a share of large files.
        partials: Whether to make partial timelines to draw meanwhile.

    Raises:
        OSError: the store cannot be written. A trace that cannot be read is a problem instead.
    """
    with _without_collection():
        yield from _Import(request, folder, every_s, helper, partials).run()


def read_share(request: TimelineRequest, folder: Path) -> Iterator[_Share]:
    """The second process: reads the blocks that it can claim."""
    with _without_collection():
        reader = BlockReader(folder, 1, request)
        sizes = reader.known.sizes()
        raw_file(folder, 1).touch()
        for number, block in enumerate(plan_blocks(request)):
            if claim(folder, number):
                for rows in reader.read(block):
                    yield _Share(rows, reader.known.since(sizes))
                    sizes = reader.known.sizes()


@dataclass
class _Import:
    request: TimelineRequest
    folder: Path
    every_s: float
    helper: bool
    partials: bool
    started_s: float = field(default_factory=time.monotonic)
    shown_s: float = 0.0
    partial: str = ""
    made_partials: int = 0
    next_partial_s: float = field(default_factory=lambda: FIRST_PARTIAL_S)

    def run(self) -> Iterator[TimelineProgress]:
        self.intake = Intake(self.request)
        self.bytes_total = sum(file_bytes(Path(part.path)) for part in self.request.parts)
        complete, closing = False, False
        raw_file(self.folder, 0).touch()
        try:
            for _step in self._read():
                if self._is_time():
                    yield self._progress()
            complete = True
        except GeneratorExit:
            closing = True
        for done in finish_steps(self.intake, self.folder, self.folder, self.bytes_total, complete, self.helper):
            if not closing and self._is_time():
                try:
                    yield self._progress(done)
                except GeneratorExit:
                    closing = True
        self._clean()
        if closing:
            raise GeneratorExit
        yield self._progress(1.0, done=True)

    def _read(self) -> Iterator[None]:
        """Reads all blocks; stops between any two steps."""
        blocks = plan_blocks(self.request)
        reader = BlockReader(self.folder, 0, self.request, self.intake.known)
        shared = self.helper and self.bytes_total >= SHARED_BYTES and len(blocks) > 1
        running = workers.start(read_share, self.request, self.folder) if shared else None
        try:
            for number, block in enumerate(blocks):
                if running is None or claim(self.folder, number):
                    yield from self._read_block(reader, block, running)
            while running is not None and not running.ended:
                self._listen(running, _WAIT_S)
                yield
            for block in self._unread(blocks):
                yield from self._read_block(reader, block, None)
        finally:
            if running is not None:
                running.close()

    def _read_block(self, reader: BlockReader, block: Block, running: workers.Running | None) -> Iterator[None]:
        for rows in reader.read(block):
            self.intake.take(rows)
            if running is not None:
                self._listen(running, 0.0)
            yield

    def _listen(self, running: workers.Running, timeout_s: float) -> None:
        for message in running.poll(timeout_s):
            if isinstance(message, _Share):
                self.intake.take_from(message.rows, message.new)

    def _unread(self, blocks: list[Block]) -> list[Block]:
        """Blocks that nobody has read to their end, because the second process died, and files that were cut inside an
        event, which are read again as a whole; what was read of them is forgotten."""
        torn = {rows.block.part for rows in self.intake.used() if rows.ending is not None and rows.ending.torn}
        done = {rows.block for rows in self.intake.rows if rows.ending is not None and rows.block.part not in torn}
        self.intake.rows = [rows for rows in self.intake.rows if rows.block in done]
        left = [block for block in blocks if block not in done and block.part not in torn]
        return left + [whole_block(self.request, part) for part in sorted(torn)]

    def _is_time(self) -> bool:
        now_s = time.monotonic()
        if now_s - self.shown_s < self.every_s:
            return False
        self.shown_s = now_s
        return True

    def _progress(self, sorting: float = 0.0, done: bool = False) -> TimelineProgress:
        if self.partials and not sorting and self._is_time_for_partial():
            self._make_partial()
        elapsed_s = time.monotonic() - self.started_s
        return TimelineProgress(
            str(self.folder), "" if done else self.partial, self.intake.bytes_read, self.bytes_total,
            self.intake.events, elapsed_s, sorting, done,
        )  # fmt: skip

    def _is_time_for_partial(self) -> bool:
        nearly_done = self.intake.bytes_read > LAST_PARTIAL_SHARE * self.bytes_total
        return not nearly_done and time.monotonic() - self.started_s >= self.next_partial_s

    def _make_partial(self) -> None:
        """A store of what was read so far, beside the one before, which may still be about to be opened."""
        shutil.rmtree(self.folder / f"partial{self.made_partials - 1}", ignore_errors=True)
        self.made_partials += 1
        target = self.folder / f"partial{self.made_partials}"
        target.mkdir()
        for _share in finish_steps(self.intake, self.folder, target, self.bytes_total, False, helper=False):
            pass
        self.partial = str(target)
        self.next_partial_s = PARTIAL_GROWTH * (time.monotonic() - self.started_s)

    def _clean(self) -> None:
        """Removes everything that is not the store."""
        for folder in self.folder.glob("partial*"):
            shutil.rmtree(folder, ignore_errors=True)
        for file in (*self.folder.glob("claim*"), *self.folder.glob("raw*")):
            file.unlink()


@contextmanager
def _without_collection() -> Iterator[None]:
    """No search for garbage cycles: decoded events have none, and it takes longer than decoding them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
