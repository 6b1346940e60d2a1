"""Timelines by request: from the store when it is there, else imported, here or in a worker process."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

from tui.model.timeline import Timeline
from tui.readers.trace_args import read_args
from tui.readers.trace_import import READER_VERSION, TimelineProgress, import_timeline
from tui.readers.trace_plan import TimelineRequest, TracePart, request_of_trace, timeline_request
from tui.store import cache, workers
from tui.store.timeline_store import open_timeline_store

__all__ = [
    "TimelineProgress",
    "TimelineRequest",
    "TracePart",
    "cached_timeline",
    "finished_timeline",
    "import_timeline_to_store",
    "load_timeline_in_worker",
    "open_timeline",
    "partial_timeline",
    "read_args",
    "request_of_trace",
    "timeline_request",
]

_ELSEWHERE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
"""Errors of a folder, after which the next place is tried."""


def open_timeline(
    request: TimelineRequest,
    cap_bytes: int = cache.DEFAULT_CAP_BYTES,
    watch: Callable[[TimelineProgress], None] | None = None,
) -> Timeline:
    """The timeline of `request`: mapped from the store, or imported first.

    Never fails for what is in the files: unreadable ones give an empty timeline with problems.

    Args:
        cap_bytes: Size cap of the store; 0 keeps nothing between runs.
        watch: Told how far an import is, twice a second.

    Raises:
        OSError: no folder at all can be written to.
    """
    found = cached_timeline(request)
    if found is not None:
        return found
    last = None
    for progress in import_timeline_to_store(request, cap_bytes=cap_bytes, partials=False):
        last = progress
        if watch is not None:
            watch(progress)
    if last is None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return finished_timeline(last)


def cached_timeline(request: TimelineRequest) -> Timeline | None:
    """The timeline from the store, if its files have not changed since it was written."""
    folder = cached_store(request)
    return None if folder is None else open_timeline_store(folder)


def cached_store(request: TimelineRequest) -> Path | None:
    """Folder of the store, if the files have not changed since it was written and it can be opened."""
    key = _key(request)
    folder = cache.find(key) if key else None
    if folder is None:
        return None
    try:
        open_timeline_store(folder)
    except (OSError, ValueError):
        cache.discard(folder)
        return None
    return folder


def import_timeline_to_store(
    request: TimelineRequest,
    every_s: float = 0.5,
    cap_bytes: int = cache.DEFAULT_CAP_BYTES,
    helper: bool = True,
    partials: bool = True,
) -> Generator[TimelineProgress, None, None]:
    """Imports `request` into a new store and yields progress; the last one has `done` set and the final folder.

    A folder that cannot be written to is left for the next one: cache, temporary folder, memory.
    """
    key = _key(request)
    for folder in cache.new_folders():
        try:
            for progress in import_timeline(request, folder, every_s, helper, partials):
                yield _kept(progress, key, cap_bytes) if progress.done and key else progress
            return
        except OSError as error:
            cache.discard(folder)
            if error.errno not in _ELSEWHERE:
                raise


def load_timeline_in_worker(
    request: TimelineRequest, every_s: float = 0.5, cap_bytes: int = cache.DEFAULT_CAP_BYTES
) -> workers.Running:
    """`import_timeline_to_store` in a worker process, for a screen that must not wait.

    Its messages are `TimelineProgress`es, and a `workers.Failed` at last when the worker died. Show `partial_timeline`
    of each that has one, and `finished_timeline` of the last.
    """
    return workers.start(import_timeline_to_store, request, every_s, cap_bytes)


def partial_timeline(progress: TimelineProgress) -> Timeline | None:
    """What an import had read some time before `progress`, mapped; None when there is nothing to draw yet.

    Ask once for each new value of `progress.partial`.
    """
    if not progress.partial:
        return None
    try:
        cache.hold(Path(progress.folder))
        return replace(open_timeline_store(Path(progress.partial)), complete=False)
    except (OSError, ValueError):
        return None


def finished_timeline(progress: TimelineProgress) -> Timeline:
    """The timeline after the last progress of an import, whether it ended, was cancelled or died.

    Raises:
        OSError, ValueError: there is none, not even a part.
    """
    try:
        cache.hold(Path(progress.folder))
        return open_timeline_store(Path(progress.folder))
    except (OSError, ValueError):
        partial = partial_timeline(progress)
        if partial is None:
            raise
        return partial


def _kept(progress: TimelineProgress, key: str, cap_bytes: int) -> TimelineProgress:
    """The last progress, its store under its name in the cache."""
    return replace(progress, folder=str(cache.keep(Path(progress.folder), key, cap_bytes)))


def _key(request: TimelineRequest) -> str:
    """Name of the request's store; empty when a file cannot be looked at."""
    try:
        parts = [(*cache.stamp(Path(part.path)), part.scope) for part in request.parts]
    except OSError:
        return ""
    return cache.key_of("timeline", READER_VERSION, request.device, request.start_ns, request.end_ns, parts)
