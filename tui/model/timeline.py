"""A timeline in memory: the events of all lanes as columns, what links them, and the counters beside them.

All times are absolute integer ns, as in the file. Columns may be read-only maps of a store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tui.model.problem import Problem

Layer = Literal[
    "framework", "acl", "model", "node", "communication_host", "runtime", "host_other", "device", "communication",
    "overlap", "steps", "counter", "other",
]  # fmt: skip
"""What a lane shows. The merged CANN process is `acl`; its levels are told apart by the prefix of its events."""

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Track:
    """One lane: a (pid, tid) with slices."""

    id: int
    """Its place in `Timeline.tracks`."""
    process: str
    """Name by the trace; empty when it tells none."""
    thread: str
    pid: str
    tid: str
    layer: Layer
    device: str
    """Device id; empty for the host and where it is not recorded."""
    first: int
    """First event in the columns."""
    last: int
    """Event after the last one."""
    max_depth: int
    """Deepest nesting; 1 = flat."""
    start_ns: int = 0
    """Start of its first event."""
    end_ns: int = 0
    """Largest end of its events."""
    process_sort: int = 0
    sort_index: int = 0
    os_pid: str = ""
    """Process of the operating system that all layers of one program share; empty when not recorded."""
    label: str = ""
    """`CPU`, `NPU 0` … as written."""
    scope: str = ""
    """Device of the file, where files of several devices share pids."""

    @property
    def events(self) -> int:
        """Number of its events."""
        return self.last - self.first


@dataclass(frozen=True)
class Flows:
    """Arrows between events: from a call to what it started. Each arrow is one row."""

    source: Indices
    """Event it leaves from, rising; shape (arrows,)."""
    target: Indices
    """Event it arrives at."""
    category_id: NDArray[np.int32]
    by_target: Indices
    """Arrows in order of their target."""
    categories: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.source)

    def leaving(self, event: int) -> Indices:
        """Arrows that leave an event."""
        return np.arange(*np.searchsorted(self.source, (event, event + 1)), dtype=np.int64)

    def arriving(self, event: int) -> Indices:
        """Arrows that arrive at an event."""
        first, last = np.searchsorted(self._targets, (event, event + 1))
        return self.by_target[first:last]

    @cached_property
    def _targets(self) -> Indices:
        return self.target[self.by_target]


@dataclass(frozen=True)
class Links:
    """Events that share a connection id within one process of the operating system."""

    events: Indices
    """Linked events, group by group; rising within a group. Shape (linked events,)."""
    starts: Indices
    """Start of each group in `events`, and the end of the last; shape (groups + 1,)."""

    def __len__(self) -> int:
        return max(0, len(self.starts) - 1)

    def group(self, link_id: int) -> Indices:
        """Events of one group; empty for -1."""
        if link_id < 0:
            return np.empty(0, np.int64)
        return self.events[self.starts[link_id] : self.starts[link_id + 1]]


@dataclass(frozen=True)
class Counter:
    """One series of a counter, in order of time."""

    id: int
    process: str
    name: str
    """Title of the counter (`AI Core Freq`, `HBM 0/Read`)."""
    series: str
    """Key of the series, with its unit as written (`Read(MB/s)`)."""
    pid: str
    device: str
    times_ns: Indices
    values: NDArray[np.float64]
    process_sort: int = 0
    scope: str = ""


@dataclass(frozen=True)
class Summary:
    """What the files held, counted while reading."""

    events: int = 0
    events_by_phase: Mapping[str, int] = field(default_factory=dict)
    flow_pairs: int = 0
    """Groups of (category, id) with both a start `s` and a finish `f`."""
    flow_pairs_s_with_t: int = 0
    """Groups that an older export closes with `t`."""
    unbound_flows: int = 0
    """Arrows of which an end lies on no event."""
    first_ts: str = ""
    """Smallest `ts` of a slice, in us, as written."""
    last_ts: str = ""
    recovered: int = 0
    """Events that only a repair made readable."""
    lost: int = 0
    """Events that no repair made readable."""


@dataclass(frozen=True)
class Timeline:
    """Slices in order of (track, start, longest first, place in the files), with everything known about them.

    All arrays have shape (events,). `depth` is 0 for an outermost event; an event that overlaps its elder without
    lying inside it is one deeper too, and is marked in `overlap`.
    """

    start_ns: Indices
    dur_ns: Indices
    name_id: NDArray[np.int32]
    track_id: NDArray[np.int32]
    depth: NDArray[np.uint16]
    self_ns: Indices
    """Time in which the event is the innermost one of its track."""
    link_id: NDArray[np.int32]
    """Group in `links`; -1 for none."""
    place: Indices
    """Where the event stands in the files, packed; `readers.trace_args` reads it."""
    overlap: NDArray[np.uint8]
    """1 for an event that overlaps another of its track without nesting."""
    names: Sequence[str]
    tracks: tuple[Track, ...]
    flows: Flows
    links: Links
    counters: tuple[Counter, ...]
    instants: Indices
    """Events that are instants: marks without a duration of their own; rising."""
    files: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    complete: bool = True
    """False while the import goes on, and when it was cancelled."""
    bytes_read: int = 0
    bytes_total: int = 0
    summary: Summary = field(default_factory=Summary)

    def __len__(self) -> int:
        return len(self.start_ns)

    @property
    def fraction(self) -> float:
        """Share of the files that was read, 0…1."""
        return min(1.0, self.bytes_read / self.bytes_total) if self.bytes_total else 1.0

    @cached_property
    def start_ns_min(self) -> int:
        """Smallest start of an event, or time of a counter's sample; 0 when there is nothing."""
        starts = [track.start_ns for track in self.tracks]
        return min(starts + [int(counter.times_ns[0]) for counter in self.counters], default=0)

    @cached_property
    def end_ns_max(self) -> int:
        """Largest end of an event, or time of a counter's sample."""
        ends = [track.end_ns for track in self.tracks]
        return max(ends + [int(counter.times_ns[-1]) for counter in self.counters], default=0)

    def end_ns(self, event: int) -> int:
        """End of one event."""
        return int(self.start_ns[event]) + int(self.dur_ns[event])

    def name(self, event: int) -> str:
        """Name of one event."""
        return self.names[int(self.name_id[event])]

    def track(self, event: int) -> Track:
        """Lane of one event."""
        return self.tracks[int(self.track_id[event])]

    def is_instant(self, event: int) -> bool:
        """Whether an event is a mark without a duration of its own."""
        at = int(np.searchsorted(self.instants, event))
        return at < len(self.instants) and int(self.instants[at]) == event

    def linked(self, event: int) -> Indices:
        """The other events of its connection."""
        group = self.links.group(int(self.link_id[event]))
        others: Indices = group[group != event]
        return others


def no_flows() -> Flows:
    """No arrows."""
    none = np.empty(0, np.int64)
    return Flows(none, none, np.empty(0, np.int32), none)


def empty_timeline(files: tuple[str, ...] = (), problems: tuple[Problem, ...] = (), **more: Any) -> Timeline:
    """A timeline without events."""
    none, ids = np.empty(0, np.int64), np.empty(0, np.int32)
    return Timeline(
        start_ns=none, dur_ns=none, name_id=ids, track_id=ids, depth=np.empty(0, np.uint16), self_ns=none, link_id=ids,
        place=none, overlap=np.empty(0, np.uint8), names=(), tracks=(), flows=no_flows(),
        links=Links(none, np.zeros(1, np.int64)), counters=(), instants=none, files=files, problems=problems, **more,
    )  # fmt: skip
