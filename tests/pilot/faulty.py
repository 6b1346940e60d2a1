"""Imports that do not end well. They run in worker processes, which find them by module and name."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

from tui.readers import trace_blocks, trace_import
from tui.readers.csv_import import ImportProgress
from tui.readers.csv_plan import TableRequest
from tui.readers.tables import import_to_store
from tui.readers.timelines import TimelineProgress, TimelineRequest, import_timeline_to_store


def never_ends(request: TableRequest, every_s: float, cap_bytes: int) -> Iterator[ImportProgress]:
    """Reads the first block of the operators and then says for ever that it is there."""
    for progress in import_to_store(request, 0.0, cap_bytes, helper=False):
        yield progress
        while request.kind == "ops":
            threading.Event().wait(0.2)
            yield progress


def is_killed(request: TableRequest, every_s: float, cap_bytes: int) -> Iterator[ImportProgress]:
    """Is killed after the first block of the operators, as by a machine without memory."""
    for progress in import_to_store(request, 0.0, cap_bytes, helper=False):
        yield progress
        if request.kind == "ops":
            os.kill(os.getpid(), signal.SIGKILL)


def is_killed_at_once(request: TableRequest, every_s: float, cap_bytes: int) -> Iterator[ImportProgress]:
    """Is killed before anything was read."""
    os.kill(os.getpid(), signal.SIGKILL)
    yield from import_to_store(request, every_s, cap_bytes)


def stays_half_read(request: TimelineRequest, every_s: float, cap_bytes: int) -> Iterator[TimelineProgress]:
    """Reads something over the first half of a timeline, and then says for ever that it can be drawn."""
    trace_blocks.BLOCK_BYTES, trace_import.FIRST_PARTIAL_S, trace_import.PARTIAL_GROWTH = 1 << 14, 0.0, 0.0
    for progress in import_timeline_to_store(request, 0.0, cap_bytes, helper=False):
        yield progress
        while progress.partial and progress.fraction >= 0.5:
            threading.Event().wait(0.2)
            yield progress
