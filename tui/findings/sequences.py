"""CO12: sequences of operators that repeat, and are bound by the host or by moving data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.findings.facts import Facts
from tui.findings.op_rows import Numbers, OpRows
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import pct, us, whole
from tui.i18n import N_, _
from tui.model.finding import Evidence

LENGTHS = range(3, 11)
"""Numbers of operators in a sequence."""
_MOST = 100
"""Sequences of one length that are looked at more closely, by what they promise."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class _Sequence:
    """One sequence and where it occurs."""

    places: NDArray[np.intp]
    """First place of each occurrence in the order of the run, none overlapping the one before."""
    length: int
    busy_us: float
    wall_us: float
    mte_pct: float
    host_bound: bool

    @property
    def saved_us(self) -> float:
        """Upper bound: the waits inside of it, or all of it when it moves data only."""
        return self.wall_us - self.busy_us if self.host_bound else self.busy_us


def _repeated(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    starts = rows.table.time("start_ns")
    if starts is None:
        raise InputMissing(_("operators have no start times"))
    found = _best(rows, starts, limits, facts.span_us)
    if not found:
        return None
    lead = found[0]
    wall_us = sum(sequence.wall_us for sequence in found)
    share = 100.0 * wall_us / facts.span_us if facts.span_us else 0.0
    names = " → ".join(rows.type(int(rows.in_order[lead.places[0] + step])) for step in range(lead.length))
    title = _("{count} × {names} could be fused").format(count=whole(len(lead.places)), names=names)
    host = _("busy {busy} of {wall} = {share} < {limit} %")
    moves = _("{share} of the core time moves data > {limit} %")
    busy_pct = 100.0 * lead.busy_us / lead.wall_us if lead.wall_us else 0.0
    text = host if lead.host_bound else moves
    measured = text.format(busy=us(lead.busy_us), wall=us(lead.wall_us),
                           share=pct(busy_pct if lead.host_bound else lead.mte_pct),
                           limit=limits.text("busy_pct" if lead.host_bound else "mte_pct"))  # fmt: skip
    severity = "high" if share > limits["high_pct"] else "low" if share < limits["low_pct"] else "medium"
    return Draft(title, f"{measured}, {whole(len(lead.places))} > {limits.text('times')} ×",
                 severity=severity,  # type: ignore[arg-type]
                 recoverable_us=sum(sequence.saved_us for sequence in found),
                 evidence=[_evidence(rows, sequence) for sequence in found[:20]], total=len(found), confidence="hint",
                 why=_("that operators follow each other does not make them depend on each other"))  # fmt: skip


def _evidence(rows: OpRows, sequence: _Sequence) -> Evidence:
    first = rows.in_order[sequence.places[0] : sequence.places[0] + sequence.length].tolist()
    figures = (("count", float(len(sequence.places))), ("total_us", sequence.busy_us), ("wall_us", sequence.wall_us))
    return rows.run_of(first, rows.name(first[0]), *figures)


def _best(rows: OpRows, starts: NDArray[np.int64], limits: Limits, span_us: float) -> list[_Sequence]:
    """Sequences that count, longest wall first, none sharing an operator with a better one."""
    repeated = np.ones(len(rows.in_order), np.bool_)
    candidates = [
        sequence for length in LENGTHS for sequence in _of_length(rows, starts, length, limits, span_us, repeated)
    ]
    candidates.sort(key=lambda sequence: (-sequence.saved_us, sequence.length))
    taken = np.zeros(len(rows.in_order), np.bool_)
    chosen = []
    for sequence in candidates[:200]:
        members = (sequence.places[:, None] + np.arange(sequence.length)).ravel()
        if not taken[members].any():
            taken[members] = True
            chosen.append(sequence)
    return sorted(chosen, key=lambda sequence: -sequence.wall_us)


def _of_length(
    rows: OpRows, starts: NDArray[np.int64], length: int, limits: Limits, span_us: float, repeated: NDArray[np.bool_]
) -> Iterator[_Sequence]:
    """Sequences of a length that count.

    Args:
        repeated: Places where a shorter sequence begins that occurs often enough; a longer one cannot occur more often.
            Narrowed to those of this length.
    """
    order = rows.in_order
    count = len(order) - length + 1
    if count <= limits["times"]:
        return
    usable = _usable(rows, length) & repeated[:count]
    hashes = _hashes(rows, length)
    places = np.flatnonzero(usable)
    by_hash, sizes = _often(places[np.argsort(hashes[places], kind="stable")], hashes, limits["times"])
    repeated[:] = False
    repeated[by_hash] = True
    if not len(by_hash):
        return
    firsts = np.cumsum(sizes) - sizes
    busy, wall, mte = _sums(rows, starts, length)
    sums = [np.add.reduceat(values[by_hash], firsts) for values in (busy, wall, mte)]
    slack = np.where(sums[0] * 100.0 < limits["busy_pct"] * sums[1], sums[1] - sums[0], 0.0)
    moving = np.where(sums[2] * 100.0 > limits["mte_pct"] * sizes, sums[0], 0.0)
    promise = np.maximum(slack, moving)
    order = np.argsort(-promise, kind="stable")[:_MOST]
    for place in order[promise[order] > 0].tolist():
        apart = _apart(by_hash[firsts[place] : firsts[place] + sizes[place]], length)
        sequence = _judged(apart, length, (busy[apart].sum(), wall[apart].sum(), mte[apart]), limits, span_us)
        if len(apart) > limits["times"] and sequence is not None:
            yield sequence


def _often(
    by_hash: NDArray[np.intp], hashes: NDArray[np.uint64], times: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places, in order of their hash, of hashes that occur more than so many times; and how often each does."""
    sorted_hashes = hashes[by_hash]
    fresh = np.flatnonzero(sorted_hashes[1:] != sorted_hashes[:-1]) + 1
    sizes = np.diff(np.concatenate(([0], fresh, [len(by_hash)]))).astype(np.intp)
    kept = sizes > times
    return by_hash[np.repeat(kept, sizes)], sizes[kept]


def _judged(
    places: NDArray[np.intp], length: int, sums: tuple[float, float, Numbers], limits: Limits, span_us: float
) -> _Sequence | None:
    """The sequence, if it is bound by the host or by moving data."""
    busy_us, wall_us, mte = float(sums[0]), float(sums[1]), 100.0 * float(np.nanmean(np.append(sums[2], 0.0)))
    host_bound = busy_us * 100.0 < limits["busy_pct"] * wall_us
    moves = mte > limits["mte_pct"]
    large = wall_us * 100.0 > limits["span_pct"] * span_us
    if not (moves or (host_bound and large)):
        return None
    return _Sequence(places, length, busy_us, wall_us, mte, host_bound)


def _usable(rows: OpRows, length: int) -> NDArray[np.bool_]:
    """Places where a sequence may begin: on one stream, without AI CPU operators."""
    order = rows.in_order
    breaks = rows.new_lane.astype(np.int64)
    stops = rows.of_class("aicpu")[order].astype(np.int64)
    broken, stopped = (np.concatenate(([0], np.cumsum(values))) for values in (breaks, stops))
    count = len(order) - length + 1
    new_lane = broken[length : length + count] - broken[1 : 1 + count]
    return np.asarray((new_lane == 0) & (stopped[length : length + count] == stopped[:count]))


def _hashes(rows: OpRows, length: int) -> NDArray[np.uint64]:
    """A number for the sequence that begins at each place; equal for equal names and shapes."""
    order = rows.in_order
    names, shapes = rows.table.text("op_name"), rows.table.text("input_shapes")
    codes = np.zeros(len(order), np.uint64)
    for column in (names, shapes):
        if column is not None:
            codes = codes * np.uint64(len(column.strings) + 1) + column.codes[order].astype(np.uint64)
    mixed = (codes + np.uint64(1)) * _FACTOR
    mixed ^= mixed >> np.uint64(29)
    count = len(order) - length + 1
    hashes = np.zeros(count, np.uint64)
    for step in range(length):
        hashes = hashes * np.uint64(1_000_003) + mixed[step : step + count]
    return hashes


def _sums(rows: OpRows, starts: NDArray[np.int64], length: int) -> tuple[Numbers, Numbers, Numbers]:
    """(sum of durations, first start to last end, share of the core time that moves data) of each place."""
    order = rows.in_order
    durations = rows.durations_us[order]
    count = len(order) - length + 1
    before = np.concatenate(([0.0], np.cumsum(durations)))
    busy = before[length : length + count] - before[:count]
    last = starts[order][length - 1 :] - starts[order][:count]
    wall = last / 1000.0 + durations[length - 1 :]
    pipes = [rows.pipe(name) for name in ("mte1", "mte2", "mte3")]
    known = [np.nan_to_num(values) for values in pipes if values is not None]
    moved = durations * np.max(known, axis=0)[order] if known else np.zeros(len(order))
    sums = np.concatenate(([0.0], np.cumsum(moved)))
    mte = (sums[length : length + count] - sums[:count]) / np.maximum(busy, 1e-9)
    return busy, np.maximum(wall, busy), mte


def _apart(places: NDArray[np.intp], length: int) -> NDArray[np.intp]:
    """Those of rising places that do not overlap the one before them."""
    if (np.diff(places) >= length).all():
        return places
    kept, reach = [], -1
    for place in places.tolist():
        if place >= reach:
            kept.append(place)
            reach = place + length
    return np.array(kept, np.intp)


RULES = (
    Rule("CO12", N_("sequences that repeat"), _repeated, source="A", next_key="3",
         means=N_("The same short operators run one after the other, and the time goes into what lies between them."),
         advice=N_("Fuse them into one operator, or use a fused one that exists."),
         fires=N_("3 to 10 operators of the same names and shapes more than {times} times, with sum ÷ wall below "
                  "{busy_pct} % and more than {span_pct} % of the span, or more than {mte_pct} % of their time moving "
                  "data")),
)  # fmt: skip
