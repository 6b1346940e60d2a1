"""From a call to the device tasks it caused, and back: by connection, by the trace's arrows, or by time as a guess."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _
from tui.model.intervals import union_ns
from tui.model.levels import bare_name
from tui.model.stages import DEVICE, NODE, is_synchronous, may_launch, stage_of, stages_of
from tui.model.timeline import Timeline, Track
from tui.units import GlyphSet, span_text

Events = NDArray[np.int64]
How = Literal["connection", "flow", "inside", "time", "nearest", ""]
"""`inside`: through the launches within the call, or the call around it on the same thread. `time` and `nearest` are
guesses: what ran during a call that waits, and what is closest in time. Empty: nothing found."""

_MINOR_FLOWS = ("fwdbwd",)
"""Arrows between two host calls, followed only where there is no other."""


@dataclass(frozen=True)
class Trail:
    """Events that a link leads to."""

    events: Events
    """By start; shape (targets,)."""
    how: How

    @property
    def guess(self) -> bool:
        """True when the trace records no such link and only the times suggest it."""
        return self.how in ("time", "nearest")

    def __bool__(self) -> bool:
        return len(self.events) > 0


_HOST_LAYERS = ("framework", "acl", "model", "node", "communication_host", "runtime", "host_other")
_NOWHERE = Trail(np.zeros(0, np.int64), "")


@dataclass(frozen=True)
class Caused:
    """Device tasks that a call caused."""

    tasks: Events
    wall_ns: int
    """Time that at least one of them covers."""
    longest: int
    """The longest of them; −1 when there are none."""
    how: How


def forward(timeline: Timeline, event: int) -> Trail:
    """What an event led to: the tasks of a call, the call that took up an enqueued one, the backward of a forward."""
    if stage_of(timeline, event) == DEVICE:
        return _trail(timeline, _flow_targets(timeline, event), "flow")
    if timeline.track(event).layer not in _HOST_LAYERS:
        return _NOWHERE
    for events, how in _causes(timeline, event):
        if len(events):
            return _trail(timeline, events, how)
    return _nearest_task(timeline, event) if may_launch(timeline.name(event)) else _NOWHERE


def back(timeline: Timeline, event: int) -> Trail:
    """What led to an event: the launch of a task, the call around a launch, the enqueue of a dequeued one."""
    if stage_of(timeline, event) == DEVICE:
        return _launches(timeline, event)
    arrows = _flow_sources(timeline, event)
    if len(arrows):
        return _trail(timeline, arrows, "flow")
    around = enclosing(timeline, event)
    return _trail(timeline, np.array([around], np.int64), "inside") if around >= 0 else _NOWHERE


def caused(timeline: Timeline, event: int) -> Caused:
    """All device tasks of a call, by recorded links where there are any, else those inside of a call that waits."""
    for events, how in _causes(timeline, event):
        tasks = events[stages_of(timeline, events) == DEVICE]
        if len(tasks):
            ends = timeline.start_ns[tasks] + timeline.dur_ns[tasks]
            longest = int(tasks[np.argmax(timeline.dur_ns[tasks])])
            return Caused(tasks, union_ns(timeline.start_ns[tasks], ends), longest, how)
    return Caused(np.zeros(0, np.int64), 0, -1, "")


def caused_text(timeline: Timeline, found: Caused, glyphs: GlyphSet = "blocks") -> str:
    """`566 device tasks, wall 112.95 ms, longest Conv_0 3.17 ms`; empty when there are none."""
    if found.longest < 0:
        return ""
    text = _("1 device task") if len(found.tasks) == 1 else _("{count} device tasks").format(count=len(found.tasks))
    longest = span_text(int(timeline.dur_ns[found.longest]), glyphs)
    wall = span_text(found.wall_ns, glyphs)
    return _("{tasks}, wall {wall}, longest {name} {time}").format(
        tasks=text, wall=wall, name=bare_name(timeline.name(found.longest)), time=longest
    )


def enclosing(timeline: Timeline, event: int) -> int:
    """The innermost call around an event: on its own track, else on another lane of the same thread; −1 for none."""
    start, end = int(timeline.start_ns[event]), timeline.end_ns(event)
    own = timeline.track(event)
    found = _around(timeline, own, event - 1, start, end)
    if found >= 0:
        return found
    best = -1
    for track in _thread_tracks(timeline, own):
        last = track.first + int(np.searchsorted(timeline.start_ns[track.first : track.last], start, side="right")) - 1
        found = _around(timeline, track, last, start, end)
        if found >= 0 and (best < 0 or timeline.dur_ns[found] < timeline.dur_ns[best]):
            best = found
    return best


def inside(timeline: Timeline, event: int) -> Events:
    """Events of the same thread that lie within a call, on all its lanes."""
    start, end = int(timeline.start_ns[event]), timeline.end_ns(event)
    own = timeline.track(event)
    parts = []
    for track in (own, *_thread_tracks(timeline, own)):
        first = event + 1 if track is own else track.first + _place(timeline, track, start)
        last = track.first + _place(timeline, track, end)
        events = np.arange(first, last, dtype=np.int64)
        parts.append(events[timeline.start_ns[events] + timeline.dur_ns[events] <= end])
    return np.sort(np.concatenate(parts))


def _causes(timeline: Timeline, event: int) -> Iterator[tuple[Events, How]]:
    """Ways from a host call to what it caused, the surest first."""
    group = timeline.linked(event)
    yield group[stages_of(timeline, group) == DEVICE], "connection"
    yield _flow_targets(timeline, event), "flow"
    yield _through(timeline, inside(timeline, event)), "inside"
    if is_synchronous(timeline.name(event)):
        yield _during(timeline, event), "time"


def _through(timeline: Timeline, calls: Events) -> Events:
    """Device tasks of the connections and arrows of some calls."""
    if not len(calls):
        return calls
    link_ids = np.unique(timeline.link_id[calls])
    groups = [timeline.links.group(link_id) for link_id in link_ids[link_ids >= 0].tolist()]
    arrows = timeline.flows
    leaving = np.searchsorted(calls, arrows.source)
    leaving[leaving == len(calls)] = 0
    groups.append(arrows.target[calls[leaving] == arrows.source] if len(arrows) else calls[:0])
    members: Events = np.unique(np.concatenate(groups))
    found: Events = members[stages_of(timeline, members) == DEVICE]
    return found


def _during(timeline: Timeline, event: int) -> Events:
    """Device tasks that ran wholly within a call."""
    start, end = int(timeline.start_ns[event]), timeline.end_ns(event)
    parts = [np.zeros(0, np.int64)]
    for track in timeline.tracks:
        if track.layer == "device":
            first, last = (track.first + _place(timeline, track, time) for time in (start, end))
            events = np.arange(first, last, dtype=np.int64)
            parts.append(events[timeline.start_ns[events] + timeline.dur_ns[events] <= end])
    return np.concatenate(parts)


def _launches(timeline: Timeline, task: int) -> Trail:
    """Calls that launched a task: of its connection the launch itself first, else arrows, else a guess by time."""
    group = timeline.linked(task)
    stages = stages_of(timeline, group)
    host = group[stages < DEVICE]
    if len(host):
        rank = np.abs(stages[stages < DEVICE].astype(np.int64) - NODE)
        return Trail(host[np.lexsort((timeline.start_ns[host], rank))], "connection")
    arrows = _flow_sources(timeline, task)
    if len(arrows):
        return _trail(timeline, arrows, "flow")
    collective = _collective_of(timeline, task)
    if collective >= 0:
        return Trail(np.array([collective], np.int64), "inside")
    return _call_around(timeline, task)


def _collective_of(timeline: Timeline, task: int) -> int:
    """The linked collective around a step of it on another lane of the same device; −1 for none."""
    own = timeline.track(task)
    start, end = int(timeline.start_ns[task]), timeline.end_ns(task)
    if own.layer != "communication":
        return -1
    for track in timeline.tracks:
        if track.layer == "communication" and track.device == own.device and track is not own:
            last = track.first + int(np.searchsorted(timeline.start_ns[track.first : track.last], start, "right")) - 1
            around = _around(timeline, track, last, start, end)
            if around >= 0 and timeline.link_id[around] >= 0:
                return around
    return -1


def _call_around(timeline: Timeline, task: int) -> Trail:
    """The shortest waiting call that holds a task in time, else the nearest call that began before it."""
    start, end = int(timeline.start_ns[task]), timeline.end_ns(task)
    best = nearest = -1
    for track in _callers(timeline, task):
        last = track.first + int(np.searchsorted(timeline.start_ns[track.first : track.last], start, side="right")) - 1
        if last < track.first:
            continue
        around = _around(timeline, track, last, start, end)
        while around >= 0 and not is_synchronous(timeline.name(around)):
            around = _around(timeline, track, around - 1, start, end)
        if around >= 0 and (best < 0 or timeline.dur_ns[around] < timeline.dur_ns[best]):
            best = around
        if nearest < 0 or timeline.start_ns[last] > timeline.start_ns[nearest]:
            nearest = last
    if best >= 0:
        return Trail(np.array([best], np.int64), "time")
    return Trail(np.array([nearest], np.int64), "nearest") if nearest >= 0 else _NOWHERE


def _callers(timeline: Timeline, task: int) -> Sequence[Track]:
    """Host lanes that can have launched a task: those of its own process where the trace tells it."""
    hosts = [track for track in timeline.tracks if track.layer in _HOST_LAYERS]
    own = [track for track in hosts if track.os_pid and track.os_pid == timeline.track(task).os_pid]
    return own or hosts


def _nearest_task(timeline: Timeline, call: int) -> Trail:
    """The first device task that begins at or after a call."""
    best = -1
    for track in timeline.tracks:
        place = track.first + _place(timeline, track, int(timeline.start_ns[call]))
        if track.layer != "device" or place >= track.last:
            continue
        if best < 0 or timeline.start_ns[place] < timeline.start_ns[best]:
            best = place
    return Trail(np.array([best], np.int64), "nearest") if best >= 0 else _NOWHERE


def _around(timeline: Timeline, track: Track, last: int, start: int, end: int) -> int:
    """The last event of a track, up to `last`, that holds [start, end]; looks back in growing steps; −1 for none."""
    step = 64
    while last >= track.first:
        first = max(track.first, last + 1 - step)
        window = slice(first, last + 1)
        ends = timeline.start_ns[window] + timeline.dur_ns[window]
        holds = np.flatnonzero((ends >= end) & (timeline.start_ns[window] <= start))
        if len(holds):
            return first + int(holds[-1])
        if timeline.depth[first] == 0:
            return -1
        last, step = first - 1, step * 4
    return -1


def _thread_tracks(timeline: Timeline, own: Track) -> Sequence[Track]:
    """The other host lanes of the thread of a lane."""
    if own.layer not in _HOST_LAYERS:
        return ()
    return tuple(
        track
        for track in timeline.tracks
        if track is not own and track.tid == own.tid and track.os_pid == own.os_pid and track.layer in _HOST_LAYERS
    )


def _flow_targets(timeline: Timeline, event: int) -> Events:
    return _main_arrows(timeline, timeline.flows.leaving(event), timeline.flows.target)


def _flow_sources(timeline: Timeline, event: int) -> Events:
    return _main_arrows(timeline, timeline.flows.arriving(event), timeline.flows.source)


def _main_arrows(timeline: Timeline, arrows: Events, ends: Events) -> Events:
    flows = timeline.flows
    minor = [number for number, category in enumerate(flows.categories) if category in _MINOR_FLOWS]
    main = arrows[~np.isin(flows.category_id[arrows], minor)]
    return ends[main if len(main) else arrows]


def _place(timeline: Timeline, track: Track, time_ns: int) -> int:
    return int(np.searchsorted(timeline.start_ns[track.first : track.last], time_ns))


def _trail(timeline: Timeline, events: Events, how: How) -> Trail:
    ordered = np.unique(events)
    return Trail(ordered[np.argsort(timeline.start_ns[ordered], kind="stable")], how if len(ordered) else "")
