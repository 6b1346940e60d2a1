"""Idle time of the devices: where it lies, what was before and after it, and which layer let it happen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tui.i18n import N_
from tui.model.intervals import Intervals, clipped, covered_ns, gaps_within, merged
from tui.model.launches import dispatch_of, launches_of
from tui.model.stages import computing_names
from tui.model.timeline import Timeline, Track

Events = NDArray[np.int64]
Cause = Literal["framework", "launch", "device", "uncounted", "unknown"]
CAUSES: tuple[Cause, ...] = ("framework", "launch", "device", "uncounted", "unknown")

CAUSE_NAMES: dict[Cause, str] = {
    "framework": N_("framework idle"),
    "launch": N_("CANN launch"),
    "device": N_("launched in time, the device waited"),
    "uncounted": N_("not idle: an uncounted task ran"),
    "unknown": N_("no launch recorded"),
}
"""What is shown for each cause (message ids)."""

_SLACK_NS = 1
"""A recorded gap is rounded to ns like the tasks beside it."""
_NEAR = 64
"""Tasks looked at on either side of one gap: more than run at a time on one stream."""
_FRAMEWORK_IDLE_NS = 50_000
"""A launch that lags its dispatch by this much more than the one before is the launch's own fault (rule HO09)."""


@dataclass(frozen=True)
class Gaps:
    """Idle intervals, one per row of each array; shape (gaps,)."""

    device: tuple[str, ...]
    """Devices that `device_id` counts."""
    device_id: NDArray[np.int32]
    track: NDArray[np.int32]
    """Stream whose gap it is; −1 for a gap of the whole device."""
    start_ns: Events
    end_ns: Events
    before: Events
    """Task that ended at the start of the gap; −1 for a gap before the first task."""
    after: Events
    """Task that began at its end; −1 for a gap after the last task."""
    launch_before: Events
    """Host call that launched the task before; −1 when there is none or no link is recorded."""
    launch_after: Events
    cause: NDArray[np.int8]
    """Index into `CAUSES`."""

    def __len__(self) -> int:
        return len(self.start_ns)

    @property
    def length_ns(self) -> Events:
        """Length of each gap."""
        return self.end_ns - self.start_ns

    def take(self, rows: NDArray[np.intp]) -> Gaps:
        """Some of the gaps, in the order given."""
        arrays = {name: value[rows] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return Gaps(self.device, **arrays)

    def longest(self, most: int) -> Gaps:
        """The longest gaps first; equal ones by time."""
        return self.take(np.lexsort((self.start_ns, -self.length_ns))[:most])

    def of_track(self, track: int) -> Gaps:
        """Gaps of one stream, by time."""
        return self.take(np.flatnonzero(self.track == track))

    def cause_of(self, row: int) -> Cause:
        """The layer that let one gap happen."""
        return CAUSES[int(self.cause[row])]

    def by_cause(self) -> dict[Cause, tuple[int, int]]:
        """(number, total ns) of each cause that occurs, in the order of `CAUSES`."""
        found: dict[Cause, tuple[int, int]] = {}
        for code, cause in enumerate(CAUSES):
            mine = self.cause == code
            if mine.any():
                found[cause] = (int(mine.sum()), int(self.length_ns[mine].sum()))
        return found


@dataclass(frozen=True)
class DeviceTime:
    """Where the time of one device went between its first task and its last one."""

    device: str
    start_ns: int
    end_ns: int
    computing_ns: int
    communication_ns: int
    """Communication that no computing covers."""
    free_ns: int
    recorded: bool
    """True when the trace's own overlap analysis says so, False when it is computed from the tasks."""

    @property
    def span_ns(self) -> int:
        """The three parts together."""
        return self.computing_ns + self.communication_ns + self.free_ns


def stream_gaps(timeline: Timeline, track: int) -> Gaps:
    """Idle intervals of one stream over the whole timeline."""
    lane = timeline.tracks[track]
    bounds = (timeline.start_ns_min, timeline.end_ns_max)
    tasks = np.arange(lane.first, lane.last, dtype=np.int64)
    others = [other for other in _tracks_of(timeline, "device").get(lane.device, []) if other.id != track]
    idle = gaps_within(merged(*_spans(timeline, tasks)), *bounds)
    return _attributed(timeline, (lane.device, track), (tasks, _events_of(others)), idle)


def gap_at(timeline: Timeline, track: int, start_ns: int, end_ns: int) -> Gaps:
    """One idle interval of a stream, as drawn, with its neighbours and cause: fast however many tasks there are."""
    lane = timeline.tracks[track]
    others = [other for other in _tracks_of(timeline, "device").get(lane.device, []) if other.id != track]
    near = [_near(timeline, other, start_ns, end_ns) for other in (lane, *others)]
    idle = Intervals(np.array([start_ns], np.int64), np.array([end_ns], np.int64))
    return _attributed(timeline, (lane.device, track), (near[0], np.concatenate(near[1:] or [near[0][:0]])), idle)


def device_gaps(timeline: Timeline, window: tuple[int, int] | None = None) -> Gaps:
    """Idle intervals of each device: the free ones of the trace's overlap analysis, so that they add up to its sum.

    Where there is none: the times between the first and the last task in which it neither computed nor communicated.

    Args:
        window: (start, end) that gaps must begin within.
    """
    parts = []
    overlap = _tracks_of(timeline, "overlap")
    for device, tracks in _tracks_of(timeline, "device").items():
        tasks = _events_of(tracks)
        counted = computing_names(timeline, timeline.name_id[tasks])
        communication = _events_of(_tracks_of(timeline, "communication").get(device, []))
        busy = np.concatenate((tasks[counted], communication))
        idle = _recorded_free(timeline, overlap.get(device, []))
        if idle is None:
            union = merged(*_spans(timeline, busy))
            idle = Intervals(union.ends[:-1], union.starts[1:])
        parts.append(_attributed(timeline, (device, -1), (busy, tasks[~counted]), idle))
    gaps = _joined(parts)
    if window is None:
        return gaps
    return gaps.take(np.flatnonzero((gaps.start_ns >= window[0]) & (gaps.start_ns < window[1])))


def device_times(timeline: Timeline, window: tuple[int, int] | None = None) -> tuple[DeviceTime, ...]:
    """Computing, communication and free time of each device that has tasks.

    Args:
        window: (start, end) that everything is cut to.
    """
    recorded = _tracks_of(timeline, "overlap")
    tasks, communication = _tracks_of(timeline, "device"), _tracks_of(timeline, "communication")
    devices = dict.fromkeys([*tasks, *communication, *recorded])
    found = (
        _recorded_time(timeline, device, recorded.get(device, []), window)
        or _computed_time(timeline, device, tasks.get(device, []), communication.get(device, []), window)
        for device in devices
    )
    return tuple(time for time in found if time is not None)


def _tracks_of(timeline: Timeline, layer: str) -> dict[str, list[Track]]:
    found: dict[str, list[Track]] = {}
    for track in timeline.tracks:
        if track.layer == layer and track.events:
            found.setdefault(track.device, []).append(track)
    return found


def _events_of(tracks: list[Track]) -> Events:
    parts = [np.arange(track.first, track.last, dtype=np.int64) for track in tracks]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _near(timeline: Timeline, track: Track, start_ns: int, end_ns: int) -> Events:
    """Tasks of a stream that touch an interval, and some before and after it."""
    starts = timeline.start_ns[track.first : track.last]
    first, last = (track.first + int(place) for place in np.searchsorted(starts, [start_ns, end_ns]))
    return np.arange(max(first - _NEAR, track.first), min(last + _NEAR, track.last), dtype=np.int64)


def _spans(timeline: Timeline, events: Events) -> tuple[Events, Events]:
    starts = timeline.start_ns[events]
    return starts, starts + timeline.dur_ns[events]


def _cut_spans(timeline: Timeline, events: Events, window: tuple[int, int] | None) -> tuple[Events, Events]:
    starts, ends = _spans(timeline, events)
    return (starts, ends) if window is None else clipped(starts, ends, *window)


def _recorded_time(
    timeline: Timeline, device: str, tracks: list[Track], window: tuple[int, int] | None
) -> DeviceTime | None:
    """The sums of the overlap analysis: computing, communication not overlapped, free."""
    events = _events_of(tracks)
    if not len(events):
        return None
    starts, ends = _cut_spans(timeline, events, window)
    sums = dict.fromkeys(("Computing", "Communication(Not Overlapped)", "Free"), 0)
    name_ids, inverse = np.unique(timeline.name_id[events], return_inverse=True)
    for place, name_id in enumerate(name_ids.tolist()):
        name = timeline.names[name_id]
        if name in sums:
            sums[name] += int((ends - starts)[inverse.reshape(-1) == place].sum())
    if not any(sums.values()):
        return None
    computing, communication, free = sums.values()
    return DeviceTime(device, int(starts.min()), int(ends.max()), computing, communication, free, recorded=True)


def _recorded_free(timeline: Timeline, tracks: list[Track]) -> Intervals | None:
    """The free intervals of the overlap analysis of a device; None when it has none."""
    events = _events_of(tracks)
    name_ids, codes = np.unique(timeline.name_id[events], return_inverse=True)
    is_free = np.array([timeline.names[int(name_id)] == "Free" for name_id in name_ids], np.bool_)
    free = events[is_free[codes.reshape(-1)]] if len(events) else events
    return merged(*_spans(timeline, free)) if len(free) else None


def _computed_time(
    timeline: Timeline, device: str, streams: list[Track], collectives: list[Track], window: tuple[int, int] | None
) -> DeviceTime | None:
    tasks = _events_of(streams)
    computing = merged(*_cut_spans(timeline, tasks[computing_names(timeline, timeline.name_id[tasks])], window))
    communication = merged(*_cut_spans(timeline, _events_of(collectives), window))
    both = merged(
        np.concatenate((computing.starts, communication.starts)), np.concatenate((computing.ends, communication.ends))
    )
    if not len(both.starts):
        return None
    start, end = int(both.starts[0]), int(both.ends[-1])
    alone = both.total_ns - computing.total_ns
    return DeviceTime(device, start, end, computing.total_ns, alone, end - start - both.total_ns, recorded=False)


def _attributed(timeline: Timeline, lane: tuple[str, int], tasks: tuple[Events, Events], idle: Intervals) -> Gaps:
    """The neighbours and causes of idle intervals."""
    busy, others = tasks
    before, after = _neighbours(timeline, busy, idle)
    launches = launches_of(timeline, before), launches_of(timeline, after)
    explained = covered_ns(merged(*_spans(timeline, others)), idle.starts, idle.ends)
    cause = _causes(timeline, idle, (before, after), launches, explained)
    none = np.zeros(len(idle.starts), np.int32)
    return Gaps((lane[0],), none, none + lane[1], idle.starts, idle.ends, before, after, *launches, cause)


def _neighbours(timeline: Timeline, busy: Events, idle: Intervals) -> tuple[Events, Events]:
    """For each gap the task that ends where it starts and the one that starts where it ends; −1 at the edges."""
    starts, ends = _spans(timeline, busy)
    full = ends > starts
    busy, starts, ends = busy[full], starts[full], ends[full]
    if not len(busy):
        nobody = np.full(len(idle.starts), -1, np.int64)
        return nobody, nobody
    by_start, by_end = np.argsort(starts, kind="stable"), np.argsort(ends, kind="stable")
    last = np.searchsorted(ends[by_end], idle.starts + _SLACK_NS, side="right") - 1
    first = np.searchsorted(starts[by_start], idle.ends - _SLACK_NS)
    before = np.where(last >= 0, busy[by_end[np.maximum(last, 0)]], -1)
    after = np.where(first < len(busy), busy[by_start[np.minimum(first, len(busy) - 1)]], -1)
    return before, after


def _causes(
    timeline: Timeline,
    idle: Intervals,
    tasks: tuple[Events, Events],
    launches: tuple[Events, Events],
    explained: Events,
) -> NDArray[np.int8]:
    """The layer of each gap by rule HO09.

    A launch that ended before the gap began was queued in time: then the device itself waited. Without framework calls
    the host is taken to have been busy above CANN when the time before the launch exceeds both launches.
    """
    before, after = launches
    earlier, later = (dispatch_of(timeline, task, launch) for task, launch in zip(tasks, launches))
    framed = (before >= 0) & (after >= 0) & (earlier >= 0) & (later >= 0)
    start, length = timeline.start_ns, timeline.dur_ns
    lag_grew = (start[after] - start[later]) - (start[before] - start[earlier]) >= _FRAMEWORK_IDLE_NS
    since = np.where(before >= 0, start[before] + length[before], idle.starts)
    slow = start[after] - since < np.maximum(np.where(before >= 0, length[before], 0), length[after])
    own = np.where(np.where(framed, lag_grew, slow), CAUSES.index("launch"), CAUSES.index("framework"))
    in_time = start[after] + length[after] <= idle.starts
    launched = np.where(in_time, CAUSES.index("device"), own)
    cause = np.where(after >= 0, launched, CAUSES.index("unknown"))
    return np.where(explained * 2 >= idle.ends - idle.starts, CAUSES.index("uncounted"), cause).astype(np.int8)


def _joined(parts: list[Gaps]) -> Gaps:
    nothing = np.zeros(0, np.int64)
    if not parts:
        none = np.zeros(0, np.int32)
        return Gaps(
            (), none, none, nothing, nothing, nothing, nothing, nothing, nothing, none.astype(np.int8)
        )  # fmt: skip
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name, value in vars(parts[0]).items()
        if isinstance(value, np.ndarray) and name != "device_id"
    }
    device_id = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])
    return Gaps(tuple(part.device[0] for part in parts), device_id, **arrays)
