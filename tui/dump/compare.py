"""Two dumps → all rows of their comparison, with progress; two processes share large dumps.

A pure generator: it knows no screen. What it has finished when it is closed has been handed out with the progress;
`divergence.conclude` makes a comparison of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tui.dump.folder import DumpEntry, DumpFolder, leaf_like, list_dumps
from tui.dump.graph import Graph, read_graph
from tui.dump.matching import Candidate, match_tensors
from tui.dump.metrics import Buffers, PairSums
from tui.dump.overflow_debug import overflow_notes
from tui.dump.pairing import FileRef, OpPair, Plan, pair_files, plan_pairs
from tui.dump.verdict import judged
from tui.i18n import _
from tui.model.dump import CompareProgress, CompareRequest, PairRow
from tui.model.problem import Problem
from tui.store import workers

SHARED_BYTES = 48 << 20
"""From this size on a second process compares too."""
_SHARE_BYTES = 16 << 20
"""What a process takes at a time."""
_SHARE_PAIRS = 64
_WAIT_S = 0.05


@dataclass(frozen=True)
class Sides:
    """The files of both sides, listed."""

    a: DumpFolder
    b: DumpFolder

    @property
    def single_files(self) -> bool:
        """Whether two files are compared, not two folders."""
        return self.a.path.is_file() and self.b.path.is_file()

    @property
    def entries(self) -> tuple[DumpEntry, ...]:
        """All files."""
        return self.a.entries + self.b.entries

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with the folders."""
        return self.a.problems + self.b.problems


def list_sides(request: CompareRequest) -> Sides:
    """Lists both sides; of several iterations or devices below B the one that A is of."""
    a, b = list_dumps(Path(request.path_a)), list_dumps(Path(request.path_b))
    if a.leaf is not None and len(b.leaves) > 1:
        like = leaf_like(b.leaves, a.leaf)
        b = list_dumps(Path(request.path_b), like) if like is not None else b
    return Sides(a, b)


def make_plan(request: CompareRequest, sides: Sides) -> Plan:
    """What is to be compared, with everything that was wrong on the way there."""
    if sides.single_files:
        return replace(pair_files(sides.a.path, sides.b.path), problems=sides.problems)
    recorded = overflow_notes(sides.a.entries)
    graph_a, problems_a = _graph(request.graph or request.quant)
    graph_b, problems_b = _graph(request.graph_b)
    plan = plan_pairs(sides.a.entries, sides.b.entries, graph_a, graph_b)
    quantised = plan.quantised or bool(request.quant)
    return replace(
        plan, problems=(*sides.problems, *recorded, *problems_a, *problems_b, *plan.problems), quantised=quantised
    )


def _graph(path: str) -> tuple[Graph | None, tuple[Problem, ...]]:
    return read_graph(Path(path)) if path else (None, ())


def compare_dumps(
    request: CompareRequest, sides: Sides, folder: Path, every_s: float = 0.2, helper: bool = True
) -> Generator[CompareProgress, None, None]:
    """Compares two dumps; yields progress with the rows finished since the last one, every `every_s` seconds.

    The last progress has `done` set.

    Args:
        folder: Empty folder in which the processes agree on who compares what.
        helper: Whether a second process may take a share of large dumps.

    Raises:
        OSError: the folder cannot be written. A file that cannot be read is a row instead.
    """
    yield from _Comparison(request, make_plan(request, sides), folder, every_s, helper).run()


@dataclass(frozen=True)
class _Share:
    """Pairs that one process takes at a time."""

    number: int
    pairs: tuple[OpPair, ...]


@dataclass(frozen=True)
class _Step:
    """What a process has done since its last step."""

    rows: tuple[PairRow, ...]
    bytes_read: int
    finished: tuple[int, ...]
    """Places of the pairs that are complete now."""
    current: str = ""


def compare_share(
    request: CompareRequest, shares: Sequence[_Share], folder: Path, quantised: bool, every_s: float
) -> Iterator[_Step]:
    """The second process: compares the shares that it can claim."""
    for share in shares:
        if _claim(folder, share.number):
            yield from _compare_share(request, share, quantised, every_s)


def _claim(folder: Path, number: int) -> bool:
    """Whether the share of that number is now this process's to compare."""
    try:
        os.close(os.open(folder / f"claim{number}", os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    return True


def _compare_share(request: CompareRequest, share: _Share, quantised: bool, every_s: float) -> Iterator[_Step]:
    """Steps about every `every_s` seconds, and one at the end of the share."""
    pace, buffers = _Pace(every_s), _buffers()
    rows: list[PairRow] = []
    finished: list[int] = []
    passed = told = 0
    for pair in share.pairs:
        start, size = passed, pair_bytes(pair)
        for item in compare_pair(pair, request, buffers, quantised):
            if isinstance(item, PairRow):
                rows.append(item)
            else:
                passed = start + min(item, size)
            if pace.is_due():
                yield _Step(tuple(rows), passed - told, tuple(finished), pair.op_name)
                rows, finished, told = [], [], passed
        passed = start + size
        finished.append(pair.order)
    yield _Step(tuple(rows), passed - told, tuple(finished))


_kept_buffers: list[Buffers] = []


def _buffers() -> Buffers:
    """The scratch memory of this process."""
    if not _kept_buffers:
        _kept_buffers.append(Buffers())
    return _kept_buffers[0]


def compare_pair(
    pair: OpPair, request: CompareRequest, buffers: Buffers, quantised: bool = False
) -> Iterator[PairRow | int]:
    """The rows of one pair of operators; between them the bytes of its files that have been compared."""
    done = 0
    for match in match_tensors(pair, request, quantised):
        if isinstance(match, PairRow):
            yield match
            continue
        size = match.a.info.data_bytes + match.b.info.data_bytes
        elements = 2 * max(1, match.a.info.elements)
        for passed in _compared(match, request.threshold, buffers):
            if isinstance(passed, PairRow):
                yield passed
            else:
                yield done + size * passed // elements
        done += size


def _compared(match: Candidate, threshold: float, buffers: Buffers) -> Iterator[PairRow | int]:
    """The elements passed so far, of two passes; at last the row."""
    a, b = match.a, match.b
    sums = PairSums(a.info.dtype, b.info.dtype, buffers)
    try:
        yield from sums.run(a, b)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        detail = _("cannot be read: {reason}").format(reason=reason)
        yield replace(match.row, verdict="unreadable", cause="unreadable", detail=detail)
        return
    shape = b.info.shape
    row = replace(
        match.row,
        a=replace(sums.a.stats(a.info.dtype, a.info.shape, a.info.format), address=a.info.address),
        b=replace(sums.b.stats(b.info.dtype, shape, b.info.format), address=b.info.address),
        metrics=sums.metrics(sum(shape) == len(shape)),
    )
    yield judged(row, threshold)


def pair_bytes(pair: OpPair) -> int:
    """Size of the files of a pair; 0 for one that is not compared."""
    linked = (ref for link in pair.links for ref in link.files)
    return 0 if pair.cause else sum(_size(ref) for ref in (*pair.files_a, *pair.files_b, *linked))


def _size(ref: FileRef) -> int:
    try:
        return os.stat(ref.path).st_size
    except OSError:
        return 0


def _shares(pairs: Sequence[OpPair]) -> Iterator[_Share]:
    """Consecutive pairs of together at least `_SHARE_BYTES`, or `_SHARE_PAIRS` of them."""
    members: list[OpPair] = []
    size = number = 0
    for pair in pairs:
        members.append(pair)
        size += pair_bytes(pair)
        if size >= _SHARE_BYTES or len(members) >= _SHARE_PAIRS:
            yield _Share(number, tuple(members))
            members, size, number = [], 0, number + 1
    if members:
        yield _Share(number, tuple(members))


class _Pace:
    """Says when the next message is due."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._last_s = time.monotonic()

    def is_due(self) -> bool:
        now_s = time.monotonic()
        if now_s - self._last_s < self._every_s:
            return False
        self._last_s = now_s
        return True


@dataclass
class _Comparison:
    request: CompareRequest
    plan: Plan
    folder: Path
    every_s: float
    helper: bool
    started_s: float = field(default_factory=time.monotonic)
    fresh: list[PairRow] = field(default_factory=list)
    """Rows that no progress has told yet."""
    finished: set[int] = field(default_factory=set)
    bytes_read: int = 0
    current: str = ""

    def run(self) -> Iterator[CompareProgress]:
        self.bytes_total = sum(map(pair_bytes, self.plan.pairs))
        pace = _Pace(self.every_s)
        yield self._progress()
        for step in self._steps():
            self._take(step)
            if pace.is_due():
                yield self._progress()
        yield replace(self._progress(), done=True, current="")

    def _steps(self) -> Iterator[_Step]:
        shares = list(_shares(self.plan.pairs))
        shared = self.helper and self.bytes_total >= SHARED_BYTES and len(shares) > 1
        running = self._start(shares) if shared else None
        ours = 0
        try:
            for share in shares:
                if running is None or _claim(self.folder, share.number):
                    ours += 1
                    for step in self._compare(share):
                        yield step
                        yield from _heard(running, 0.0)
            while running is not None and not running.ended and ours < len(shares):
                yield from _heard(running, _WAIT_S)
        finally:
            if running is not None:
                running.close()
        if len(self.finished) < len(self.plan.pairs):
            yield from self._redo(len(shares))

    def _start(self, shares: Sequence[_Share]) -> workers.Running:
        return workers.start(compare_share, self.request, shares, self.folder, self.plan.quantised, self.every_s)

    def _compare(self, share: _Share) -> Iterator[_Step]:
        return _compare_share(self.request, share, self.plan.quantised, self.every_s)

    def _redo(self, number: int) -> Iterator[_Step]:
        """Compares what nobody has finished because the second process died; rows of it that were told come again."""
        left = tuple(pair for pair in self.plan.pairs if pair.order not in self.finished)
        yield from self._compare(_Share(number, left))

    def _take(self, step: _Step) -> None:
        self.fresh.extend(step.rows)
        self.finished.update(step.finished)
        self.bytes_read += step.bytes_read
        self.current = step.current or self.current

    def _progress(self) -> CompareProgress:
        rows, self.fresh = tuple(self.fresh), []
        elapsed_s = time.monotonic() - self.started_s
        return CompareProgress(
            rows, len(self.finished), len(self.plan.pairs), min(self.bytes_read, self.bytes_total), self.bytes_total,
            elapsed_s, self.current, self.plan.problems,
        )  # fmt: skip


def _heard(running: workers.Running | None, timeout_s: float) -> Iterator[_Step]:
    """Steps of the second process that have arrived."""
    for message in running.poll(timeout_s) if running is not None else ():
        if isinstance(message, _Step):
            yield message
