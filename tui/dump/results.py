"""Finished comparisons kept like the other stores: found again as long as no file of either side has changed."""

from __future__ import annotations

import errno
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Callable

from tui.dump.compare import Sides, compare_dumps, list_sides
from tui.dump.divergence import conclude
from tui.dump.statistics_pairs import compare_statistics
from tui.model.dump import (
    CompareProgress,
    CompareRequest,
    DumpComparison,
    Metrics,
    PairRow,
    SideStats,
)
from tui.model.problem import Problem
from tui.store import cache, workers
from tui.store.columns import StoreWriter, read_header

READER_VERSION = 1
"""Part of the key of a store: raise it whenever the same files would give another comparison."""
KIND = "dump"

_ROWS_AT_ONCE = 500
_ELSEWHERE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)


def compare_to_store(
    request: CompareRequest, every_s: float = 0.2, cap_bytes: int = cache.DEFAULT_CAP_BYTES, helper: bool = True
) -> Generator[CompareProgress, None, None]:
    """Compares two dumps, or takes the rows from the store; the last progress has `done` set.

    `divergence.conclude` makes a comparison of the rows of all progresses, also when it was stopped before its end.

    Args:
        cap_bytes: Cap of the cache; 0 keeps nothing between runs.
        helper: Whether a second process may take a share of large dumps.
    """
    statistics = compare_statistics(request)
    if statistics is not None:
        yield statistics
        return
    sides = list_sides(request)
    key = _key(request, sides) if cap_bytes > 0 else ""
    known = _found(key)
    if known is not None:
        yield from known
        return
    for folder in cache.new_folders():
        try:
            progresses: list[CompareProgress] = []
            for progress in compare_dumps(request, sides, folder, every_s, helper):
                progresses.append(progress)
                if progress.done and key:
                    _keep(progresses, folder, key, cap_bytes)
                yield progress
            return
        except OSError as error:
            if error.errno not in _ELSEWHERE:
                raise
        finally:
            cache.release(folder)


def compare_in_worker(
    request: CompareRequest, every_s: float = 0.2, cap_bytes: int = cache.DEFAULT_CAP_BYTES
) -> workers.Running:
    """`compare_to_store` in a worker process, for a screen that must not wait.

    Its messages are `CompareProgress`es, and a `workers.Failed` at last when the worker died.
    """
    return workers.start(compare_to_store, request, every_s, cap_bytes)


def compare_now(
    request: CompareRequest,
    cap_bytes: int = cache.DEFAULT_CAP_BYTES,
    told: Callable[[CompareProgress], None] = lambda _progress: None,
) -> DumpComparison:
    """The whole comparison, made by this process and a helper.

    Args:
        told: Called with each progress.
    """
    rows: list[PairRow] = []
    problems: tuple[Problem, ...] = ()
    for progress in compare_to_store(request, cap_bytes=cap_bytes):
        rows.extend(progress.rows)
        problems = progress.problems
        told(progress)
    return conclude(rows, request, problems)


def _key(request: CompareRequest, sides: Sides) -> str:
    """Name of the store; empty when a file cannot even be looked at, and so may change unseen."""
    paths = [entry.path for entry in sides.entries]
    paths += [Path(path) for path in (request.graph, request.graph_b, request.quant) if path]
    try:
        stamps = [cache.stamp(path) for path in paths]
    except OSError:
        return ""
    return cache.key_of(KIND, READER_VERSION, asdict(request), stamps)


def _found(key: str) -> list[CompareProgress] | None:
    """What was told when the comparison was made; None when it was not, or the store is damaged."""
    folder = cache.find(key) if key else None
    if folder is None:
        return None
    try:
        return list(from_json(read_header(folder)["extra"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        cache.discard(folder)
        return None


def _keep(progresses: Sequence[CompareProgress], folder: Path, key: str, cap_bytes: int) -> None:
    """Writes the rows where they will be found again."""
    for claim in folder.glob("claim*"):
        claim.unlink()
    StoreWriter(folder, ()).finish(KIND, (), to_json(progresses))
    cache.keep(folder, key, cap_bytes)


def to_json(progresses: Sequence[CompareProgress]) -> dict[str, Any]:
    """The rows and problems of a finished comparison as JSON values, NaN and ±Inf included."""
    last = progresses[-1]
    return {
        "rows": [_row_values(row) for progress in progresses for row in progress.rows],
        "problems": [vars(problem) for problem in last.problems],
        "pairs": last.pairs_total,
        "bytes": last.bytes_total,
    }


def from_json(data: Mapping[str, Any]) -> Iterator[CompareProgress]:
    """What `to_json` was made of, in messages of at most `_ROWS_AT_ONCE` rows: large ones hold up a screen.

    Raises:
        KeyError, TypeError, ValueError: it is something else.
    """
    rows = tuple(map(_row, data["rows"]))
    problems = tuple(Problem(**problem) for problem in data["problems"])
    pairs, size = int(data["pairs"]), int(data["bytes"])
    starts = range(0, len(rows), _ROWS_AT_ONCE) or (0,)
    for start in starts:
        part = rows[start : start + _ROWS_AT_ONCE]
        yield CompareProgress(part, pairs, pairs, size, size, 0.0, "", problems, start == starts[-1])


def _row_values(row: PairRow) -> dict[str, Any]:
    nested = {key: None if getattr(row, key) is None else vars(getattr(row, key)) for key in ("a", "b", "metrics")}
    return {**vars(row), **nested}


def _row(data: Mapping[str, Any]) -> PairRow:
    values = dict(data)
    for side in ("a", "b"):
        stats = values[side]
        values[side] = replace(SideStats(**stats), shape=tuple(stats["shape"])) if stats is not None else None
    values["metrics"] = Metrics(**values["metrics"]) if values["metrics"] is not None else None
    values["originals"] = tuple(values["originals"])
    values["producers"] = tuple((name, index) for name, index in values["producers"])
    return PairRow(**values)
