"""Tables by request: from the store when it is there, else imported, here or in a worker process."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from tui.model.table import Table
from tui.readers.advice import read_advice
from tui.readers.csv_defects import from_json, problems_of
from tui.readers.csv_import import READER_VERSION, ImportProgress, import_table
from tui.readers.csv_plan import PartRequest, TableRequest
from tui.store import cache, workers
from tui.store.columns import map_layout, open_store, read_header

__all__ = [
    "ImportProgress",
    "PartRequest",
    "TableRequest",
    "cached_table",
    "finished_table",
    "import_to_store",
    "load_table_in_worker",
    "open_table",
    "partial_table",
    "read_advice",
    "table_in",
]

_ELSEWHERE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
"""Errors of a folder, after which the next place is tried."""


def open_table(request: TableRequest, cap_bytes: int = cache.DEFAULT_CAP_BYTES) -> Table:
    """The table of `request`: mapped from the store, or imported first, in this process.

    Never fails for what is in the files: unreadable ones give an empty table with problems.

    Args:
        cap_bytes: Size cap of the store; 0 keeps nothing between runs.

    Raises:
        OSError: no folder at all can be written to.
    """
    found = cached_table(request)
    if found is not None:
        return found
    folder = None
    for progress in import_to_store(request, cap_bytes=cap_bytes):
        folder = Path(progress.layout.folder)
    if folder is None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return table_in(folder)


def cached_table(request: TableRequest) -> Table | None:
    """The table from the store, if its files have not changed since it was written."""
    key = _key(request)
    folder = cache.find(key) if key else None
    if folder is None:
        return None
    try:
        return table_in(folder)
    except (OSError, ValueError):
        cache.discard(folder)
        return None


def import_to_store(
    request: TableRequest, every_s: float = 0.2, cap_bytes: int = cache.DEFAULT_CAP_BYTES, helper: bool = True
) -> Generator[ImportProgress, None, None]:
    """Imports `request` into a new store and yields progress; the last one has `done` set and the store's final folder.

    A folder that cannot be written to is left for the next one: cache, temporary folder, memory.
    """
    key = _key(request)
    for folder in cache.new_folders():
        try:
            for progress in import_table(request, folder, every_s, helper):
                yield _kept(progress, key, cap_bytes) if progress.done and key else progress
            return
        except OSError as error:
            cache.discard(folder)
            if error.errno not in _ELSEWHERE:
                raise


def _kept(progress: ImportProgress, key: str, cap_bytes: int) -> ImportProgress:
    """The last progress, its store under its name in the cache."""
    folder = cache.keep(Path(progress.layout.folder), key, cap_bytes)
    return replace(progress, layout=replace(progress.layout, folder=str(folder)))


def load_table_in_worker(
    request: TableRequest, every_s: float = 0.2, cap_bytes: int = cache.DEFAULT_CAP_BYTES
) -> workers.Running:
    """`import_to_store` in a worker process, for a screen that must not wait.

    Its messages are `ImportProgress`es, and a `workers.Failed` at last when the worker died. Show `partial_table` of
    each and `finished_table` of the last one.
    """
    return workers.start(import_to_store, request, every_s, cap_bytes)


def finished_table(progress: ImportProgress) -> Table:
    """The table after the last progress of an import, whether it ended, was cancelled or died.

    Raises:
        OSError: the store went away.
    """
    try:
        return table_in(Path(progress.layout.folder))
    except (OSError, ValueError):
        return partial_table(progress)


def table_in(folder: Path) -> Table:
    """The table of a finished store, its problems in the user's language; it is not removed while this process lives.

    Raises:
        OSError, ValueError: no store, or a damaged one.
    """
    cache.hold(folder)
    table = open_store(folder)
    try:
        defects = from_json(read_header(folder)["extra"]["defects"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{folder} holds a damaged header: {error}") from error
    return replace(table, problems=problems_of(defects))


def partial_table(progress: ImportProgress) -> Table:
    """The rows that an import has written so far, mapped; `complete` is False.

    Raises:
        OSError: the store went away, for instance because the import started over: wait for the next progress.
    """
    cache.hold(Path(progress.layout.folder))
    table = map_layout(progress.layout, progress.kind)
    return replace(table, problems=problems_of(progress.defects))


def _key(request: TableRequest) -> str:
    """Name of the request's store; empty when a file cannot be looked at."""
    try:
        parts = [(*cache.stamp(Path(part.path)), part.device, part.file_kind) for part in request.parts]
    except OSError:
        return ""
    return cache.key_of(READER_VERSION, request.kind, parts)
