"""Level of detail: what each cell of a timeline shows, for any window of millions of events within a frame.

Every row is flat (`tui.model.stacking`), so the events of a cell are one run of slots: two binary searches find it,
prefix sums give the covered time, and a sparse table of the longest event per block of 16 slots its longest one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from tui.model.intervals import Intervals
from tui.model.stacking import Row, stacked

if TYPE_CHECKING:
    from tui.model.timeline import Timeline

BLOCK = 16
"""Slots per block of the sparse table: two cache lines, so a part of a block is cheaper to scan than to index."""

Times = NDArray[np.int64]
Slots = NDArray[np.intp]


@dataclass(frozen=True)
class Bins:
    """What the cells of some rows hold. All arrays have the shape (rows, width)."""

    event: NDArray[np.int32]
    """Event covering most of the cell, of equal ones the longer, then the earlier; −1 where nothing is."""
    first: NDArray[np.int32]
    """Earliest event that touches the cell; −1 where nothing is."""
    last: NDArray[np.int32]
    """Latest event that touches it."""
    count: NDArray[np.int32]
    """Events that touch the cell; events of no duration count in the cell they lie in."""
    busy_ns: Times
    """Covered time, at most the width of the cell."""
    width_ns: Times
    """Width of the cells, the same in each row; at least 1."""

    def repeated(self, cells: Slots) -> Bins:
        """The given cells in place of these."""
        grids = (self.event, self.first, self.last, self.count)
        event, first, last, count = (grid[:, cells] for grid in grids)
        return Bins(event, first, last, count, self.busy_ns[:, cells], self.width_ns[cells])

    @property
    def share(self) -> NDArray[np.float64]:
        """Busy share 0…1 of each cell."""
        return self.busy_ns / self.width_ns


@dataclass(frozen=True)
class Rows:
    """Events of a timeline on flat rows, with what a frame needs to be found fast. Slots are places in row order."""

    rows: tuple[Row, ...]
    starts: Times
    """Shape (slots,); ascending within a row."""
    durations: Times
    """Shape (slots,), padded to a block with −1; cut at the next event on a row that holds overlapping ones."""
    event: NDArray[np.int32]
    """Shape (slots,): index of the event in the timeline."""
    sums: Times
    """Shape (slots + 1,): durations of all slots before."""
    longest: NDArray[np.int32]
    """Shape (levels, blocks): slot of the longest event of 2^level blocks from this one on."""

    @classmethod
    def build(cls, timeline: Timeline) -> Rows:
        """Lays out all events; O(events), without a loop over them."""
        stacking = stacked(timeline)
        starts = np.asarray(timeline.start_ns)[stacking.event]
        durations = np.asarray(timeline.dur_ns)[stacking.event]
        _cut(stacking.rows, starts, durations)
        sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(durations)))
        durations = _padded(durations)
        return cls(stacking.rows, starts, durations, stacking.event, sums, _longest_table(durations))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything as named arrays, for a store."""
        facts = [(row.track, row.level, row.depth, row.overflow, row.first, row.last) for row in self.rows]
        return {
            "rows": np.array(facts, np.int64).reshape(-1, 6),
            "starts": self.starts,
            "durations": self.durations,
            "event": self.event,
            "sums": self.sums,
            "longest": self.longest,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Rows:
        """The rows that `arrays` took apart; the arrays may be read-only maps."""
        rows = tuple(Row(facts[0], facts[1], facts[2], bool(facts[3]), *facts[4:]) for facts in arrays["rows"].tolist())
        names = ("starts", "durations", "event", "sums", "longest")
        return cls(rows, *(arrays[name] for name in names))

    def kept(self, wanted: NDArray[np.bool_]) -> Rows:
        """Only some of the events; rows that lose all of theirs are left out.

        What lay inside of others counts as overlapping then, since those may be gone.

        Args:
            wanted: Mask by event.
        """
        slots = wanted[self.event]
        before = np.concatenate((np.zeros(1, np.int64), np.cumsum(slots)))
        rows: list[Row] = []
        for row in self.rows:
            first, last = int(before[row.first]), int(before[row.last])
            if last > first:
                follows = bool(rows) and (rows[-1].track, rows[-1].level) == (row.track, row.level)
                depth, overflow = (row.depth, True) if follows else (0, row.overflow)
                rows.append(Row(row.track, row.level, depth, overflow, first, last))
        durations = self.durations[: len(slots)][slots]
        sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(durations)))
        padded = _padded(durations)
        return Rows(tuple(rows), self.starts[slots], padded, self.event[slots], sums, _longest_table(padded))

    def bins(self, rows: Sequence[int], start_ns: int, end_ns: int, width: int) -> Bins:
        """What the `width` cells of a window hold.

        Args:
            rows: Indices into `rows`.
            start_ns: First ns of the window.
            end_ns: First ns after it. A window shorter than `width` ns gives cells of 1 ns that repeat.
        """
        span = max(end_ns - start_ns, 1)
        if span < width:
            found = self._bins(rows, np.arange(start_ns, start_ns + span + 1, dtype=np.int64))
            return found.repeated(np.arange(width) * span // width)
        edges = [start_ns + span * cell // width for cell in range(width + 1)]
        return self._bins(rows, np.array(edges, np.int64))

    def _bins(self, rows: Sequence[int], edges: Times) -> Bins:
        """The cells between neighbouring edges.

        An edge can cut one event only: the last that starts before it. What reaches over the edge is known once and
        serves the cell on either side.
        """
        shape, widths = (len(rows), len(edges) - 1), np.diff(edges)
        if not rows or not len(self.starts):
            nothing = np.zeros(shape, np.int32)
            return Bins(nothing - 1, nothing - 1, nothing - 1, nothing, np.zeros(shape, np.int64), widths)
        infos = [self.rows[row] for row in rows]
        slots = np.stack([row.first + np.searchsorted(self.starts[row.first : row.last], edges) for row in infos])
        before = slots - 1
        cut = before >= np.array([row.first for row in infos])[:, None]
        before = np.where(cut, before, 0)
        length = self.durations[before]
        over = np.where(cut, np.maximum(self.starts[before] + length - edges, 0), 0)
        first, last = slots[:, :-1], slots[:, 1:]
        some = last > first
        carried = np.minimum(over[:, :-1], widths)
        kept = length[:, 1:] - over[:, 1:]
        busy = self.sums[last] - self.sums[first] - np.where(some, over[:, 1:], 0) + carried
        best = np.where(carried > 0, before[:, :-1], -1)
        cover, size = np.where(carried > 0, carried, -1), np.where(carried > 0, length[:, :-1], -1)
        many = last - first > 1
        if many.any():
            slot = self.longest_slot(first[many], last[many] - 1)
            inner = self.durations[slot]
            wins = _wins(inner, inner, cover[many], size[many])
            best[many], cover[many] = np.where(wins, slot, best[many]), np.where(wins, inner, cover[many])
            size[many] = np.where(wins, inner, size[many])
        wins = some & _wins(kept, length[:, 1:], cover, size)
        best = np.where(wins, before[:, 1:], best)
        carrier = np.where(carried > 0, before[:, :-1], -1)
        earliest = np.where(carried > 0, carrier, np.where(some, first, -1))
        latest = np.where(some, before[:, 1:], carrier)
        count = (last - first + (carried > 0)).astype(np.int32)
        shown, head, tail = (self._events_at(slots) for slots in (best, earliest, latest))
        return Bins(shown, head, tail, count, busy, widths)

    def _events_at(self, slots: Slots) -> NDArray[np.int32]:
        return np.where(slots >= 0, self.event[np.maximum(slots, 0)], -1).astype(np.int32)

    def longest_slot(self, first: Slots, last: Slots) -> Slots:
        """Slot of the longest event of each run of slots [first, last), none of them empty; the earliest of equals."""
        windows = sliding_window_view(self.durations, BLOCK)
        best, size = _head(windows, first, last)
        long = np.flatnonzero(last - first > BLOCK)
        if not len(long):
            return best
        tails = last[long] - BLOCK
        blocks = self._longest_block(first[long], last[long])
        for slots in (blocks, tails + windows[tails].argmax(axis=1)):
            lengths = np.where(slots >= 0, self.durations[np.maximum(slots, 0)], -1)
            wins = lengths > size[long]
            best[long], size[long] = np.where(wins, slots, best[long]), np.where(wins, lengths, size[long])
        return best

    def _longest_block(self, first: Slots, last: Slots) -> Slots:
        """Slot of the longest event in the whole blocks of each run; −1 where it holds none."""
        low, high = -(-first // BLOCK), last // BLOCK
        level = np.frexp(np.maximum(high - low, 1).astype(np.float64))[1] - 1
        start = np.minimum(low, self.longest.shape[1] - 1)
        left = self.longest[level, start]
        right = self.longest[level, np.maximum(high - (1 << level), 0)]
        slots = np.where(self.durations[right] > self.durations[left], right, left)
        return np.where(high > low, slots, -1).astype(np.intp)

    def span(self, row: int) -> tuple[Times, Times]:
        """(starts, ends) of the events of a row."""
        info = self.rows[row]
        starts = self.starts[info.first : info.last]
        return starts, starts + self.durations[info.first : info.last]

    def events(self, row: int) -> NDArray[np.int32]:
        """Events of a row by start."""
        info = self.rows[row]
        return self.event[info.first : info.last]

    def window(self, row: int, start_ns: int, end_ns: int) -> slice:
        """Slots of a row whose events touch a window."""
        info = self.rows[row]
        starts = self.starts[info.first : info.last]
        first, last = (info.first + int(place) for place in np.searchsorted(starts, [start_ns, end_ns]))
        if first > info.first and int(self.starts[first - 1] + self.durations[first - 1]) > start_ns:
            first -= 1
        return slice(first, max(last, first))

    def busy_ns(self, row: int, start_ns: int, end_ns: int) -> int:
        """Covered time of a row inside a window."""
        return int(self._bins([row], np.array([start_ns, max(end_ns, start_ns + 1)], np.int64)).busy_ns[0, 0])

    def at(self, row: int, time_ns: int) -> int:
        """Event of a row that covers a time, or starts at it; −1 for none."""
        slots = self.window(row, time_ns, time_ns + 1)
        return int(self.event[slots.stop - 1]) if slots.stop > slots.start else -1

    def next_event(self, row: int, time_ns: int) -> int:
        """First event of a row that starts after a time; −1 for none."""
        info = self.rows[row]
        slot = info.first + int(np.searchsorted(self.starts[info.first : info.last], time_ns, side="right"))
        return int(self.event[slot]) if slot < info.last else -1

    def previous_event(self, row: int, time_ns: int) -> int:
        """Last event of a row that starts before a time; −1 for none."""
        info = self.rows[row]
        slot = info.first + int(np.searchsorted(self.starts[info.first : info.last], time_ns)) - 1
        return int(self.event[slot]) if slot >= info.first else -1

    def place_of(self, event: int, track: int, start_ns: int) -> tuple[int, int]:
        """(row, slot) of an event of a track.

        Raises:
            LookupError: no row of the track holds it.
        """
        for number, row in enumerate(self.rows):
            if row.track != track:
                continue
            starts = self.starts[row.first : row.last]
            first, last = row.first + np.searchsorted(starts, [start_ns, start_ns + 1])
            here = np.flatnonzero(self.event[first:last] == event)
            if len(here):
                return number, int(first + here[0])
        raise LookupError(event)

    def neighbour(self, row: int, slot: int, step: int) -> int:
        """Event `step` slots on in the same row, or the outermost one on that side."""
        info = self.rows[row]
        return int(self.event[min(max(slot + step, info.first), info.last - 1)])

    def gaps(self, row: int, start_ns: int, end_ns: int, bounds: tuple[int, int] | None = None) -> Intervals:
        """Idle intervals of a row that touch a window, whole.

        Args:
            bounds: (start, end) of the timeline, for what lies before the first event and after the last; None leaves
                these out.
        """
        info, slots = self.rows[row], self.window(row, start_ns, end_ns)
        first, last = max(slots.start - 1, info.first), min(slots.stop + 1, info.last)
        begins = self.starts[first : last - 1] + self.durations[first : last - 1]
        ends = self.starts[first + 1 : last]
        if bounds is not None and first == info.first:
            begins, ends = np.append(bounds[0], begins), np.append(self.starts[first], ends)
        if bounds is not None and last == info.last:
            last_end = self.starts[last - 1] + self.durations[last - 1]
            begins, ends = np.append(begins, last_end), np.append(ends, bounds[1])
        idle = (ends > begins) & (begins < end_ns) & (ends > start_ns)
        return Intervals(begins[idle], ends[idle])

    def longest_in(self, row: int, start_ns: int, end_ns: int, count: int = 3) -> list[int]:
        """The longest events of a row that touch a window, longest first."""
        slots = self._candidates(self.window(row, start_ns, end_ns), count)
        lengths = self.durations[slots]
        top = np.arange(len(lengths)) if len(lengths) <= count else np.argpartition(-lengths, count - 1)[:count]
        ordered = top[np.lexsort((top, -lengths[top]))]
        return [int(event) for event in self.event[slots[ordered]]]

    def _candidates(self, slots: slice, count: int) -> Slots:
        """Slots among which the longest ones are: of many only those of the blocks with the longest events."""
        low, high = -(-slots.start // BLOCK), slots.stop // BLOCK
        if high - low <= 2 * count:
            return np.arange(slots.start, slots.stop)
        largest = self.durations[self.longest[0, low:high]]
        blocks = low + np.argpartition(-largest, count - 1)[:count]
        inner = (np.sort(blocks)[:, None] * BLOCK + np.arange(BLOCK)).reshape(-1)
        return np.concatenate((np.arange(slots.start, low * BLOCK), inner, np.arange(high * BLOCK, slots.stop)))


@dataclass(frozen=True)
class Namesakes:
    """Events of one name in a lane, by start: to walk along them and to count those out of view."""

    events: NDArray[np.int32]
    starts: Times
    ends: Times
    """Running maximum of the ends, so that it can be searched."""

    def outside(self, start_ns: int, end_ns: int) -> tuple[int, int]:
        """How many lie wholly (before, after) a window."""
        left = int(np.searchsorted(self.ends, start_ns, side="right"))
        return left, len(self.starts) - int(np.searchsorted(self.starts, end_ns))

    def beside(self, event: int, step: int) -> int:
        """The one `step` places on from an event of them; −1 beyond the last."""
        here = np.flatnonzero(self.events == event)
        place = int(here[0]) + step if len(here) else -1
        return int(self.events[place]) if 0 <= place < len(self.events) else -1


def namesakes(timeline: Timeline, rows: Rows, lane: Sequence[int], event: int) -> Namesakes:
    """All events of the rows of a lane that share the name of an event; O(events of the lane), keep it."""
    name_ids = np.asarray(timeline.name_id)
    parts = [rows.events(row) for row in lane]
    events = np.sort(np.concatenate([part[name_ids[part] == name_ids[event]] for part in parts]))
    starts = timeline.start_ns[events]
    return Namesakes(events, starts, np.maximum.accumulate(starts + timeline.dur_ns[events]))


def _wins(cover: Times, size: Times, best_cover: Times, best_size: Times) -> NDArray[np.bool_]:
    """Whether a candidate covers more, or as much and is longer."""
    return np.asarray((cover > best_cover) | ((cover == best_cover) & (size > best_size)), np.bool_)


def _head(windows: NDArray[np.int64], first: Slots, last: Slots) -> tuple[Slots, Times]:
    """(slot, duration) of the longest event among the first 16 of each run."""
    at = np.minimum(first, len(windows) - 1)
    lengths = windows[at]
    short = np.flatnonzero(last - at < BLOCK)
    places = at[short, None] + np.arange(BLOCK)
    lengths[short] = np.where((places >= first[short, None]) & (places < last[short, None]), lengths[short], -1)
    best = lengths.argmax(axis=1)
    return at + best, np.take_along_axis(lengths, best[:, None], axis=1)[:, 0]


def _cut(rows: Sequence[Row], starts: Times, durations: Times) -> None:
    """Cuts each event where the next one of its row begins; only full overflow rows hold such events."""
    for row in rows:
        if row.overflow:
            lengths = durations[row.first : row.last - 1]
            np.minimum(lengths, np.diff(starts[row.first : row.last]), out=lengths)


def _padded(durations: Times) -> Times:
    """At least a block of durations, those that there are not being −1."""
    missing = max(BLOCK - len(durations), 0)
    return np.concatenate((durations, np.full(missing, -1, np.int64))) if missing else durations


def _longest_table(durations: Times) -> NDArray[np.int32]:
    whole = len(durations) // BLOCK
    count = -(-len(durations) // BLOCK)
    table = np.zeros((count.bit_length(), count), np.int32)
    table[0, :whole] = durations[: whole * BLOCK].reshape(-1, BLOCK).argmax(axis=1) + np.arange(whole) * BLOCK
    if count > whole:
        table[0, whole] = whole * BLOCK + durations[whole * BLOCK :].argmax()
    for level in range(1, len(table)):
        half = 1 << (level - 1)
        pairs = count - (1 << level) + 1
        left, right = table[level - 1, :pairs], table[level - 1, half : half + pairs]
        table[level, :pairs] = np.where(durations[right] > durations[left], right, left)
    return table
