"""The host calls behind many device tasks at once: launch and framework call of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.model.stages import DEVICE, FRAMEWORK, NODE, stages_of
from tui.model.timeline import Timeline

Events = NDArray[np.int64]


def launches_of(timeline: Timeline, tasks: Events) -> Events:
    """The call that launched each task by its connection, else by an arrow from CANN; −1 where none is recorded."""
    found = np.full(len(tasks), -1, np.int64)
    if not len(tasks):
        return found
    link_ids = np.where(tasks >= 0, timeline.link_id[tasks], -1)
    distinct, groups = np.unique(link_ids, return_inverse=True)
    known = distinct >= 0
    launches = np.full(len(distinct), -1, np.int64)
    launches[known] = _launch_of_groups(timeline, distinct[known])
    found = launches[groups.reshape(-1)]
    left = np.flatnonzero((found < 0) & (tasks >= 0))
    found[left] = _arrow_sources(timeline, tasks[left], framework=False)
    return found


def dispatch_of(timeline: Timeline, tasks: Events, launches: Events) -> Events:
    """The framework call behind each task: by an arrow, else the last one that began before its launch on its thread.

    −1 where the trace has no framework lane for it.
    """
    found = _arrow_sources(timeline, tasks, framework=True)
    threads = {(track.os_pid, track.tid): track for track in timeline.tracks if track.layer == "framework"}
    for track in timeline.tracks:
        caller = threads.get((track.os_pid, track.tid))
        mine = np.flatnonzero((found < 0) & (launches >= track.first) & (launches < track.last))
        if caller is None or not len(mine):
            continue
        starts = timeline.start_ns[caller.first : caller.last]
        place = np.searchsorted(starts, timeline.start_ns[launches[mine]], side="right") - 1
        found[mine] = np.where(place >= 0, caller.first + place, -1)
    return found


def _launch_of_groups(timeline: Timeline, link_ids: NDArray[np.int32]) -> Events:
    """For each connection the host event nearest to the launch stage; −1 for a connection without one."""
    starts, ends = timeline.links.starts[link_ids], timeline.links.starts[link_ids + 1]
    if not len(link_ids):
        return starts
    members = timeline.links.events[_ranges(starts, ends)]
    stages = stages_of(timeline, members).astype(np.int64)
    rank = np.where(stages < DEVICE, np.abs(stages - NODE), DEVICE)
    firsts = np.concatenate((np.zeros(1, np.int64), np.cumsum(ends - starts)[:-1]))
    best = np.minimum.reduceat(rank * len(timeline) + members, firsts)
    return np.where(best // len(timeline) < DEVICE, best % len(timeline), -1)


def _arrow_sources(timeline: Timeline, tasks: Events, framework: bool) -> Events:
    """Source of the first arrow to each task that leaves a framework call, or another host call; −1 for none."""
    flows = timeline.flows
    found = np.full(len(tasks), -1, np.int64)
    if not len(flows) or not len(tasks):
        return found
    targets = flows.target[flows.by_target]
    firsts, lasts = np.searchsorted(targets, tasks), np.searchsorted(targets, tasks, side="right")
    arrows = flows.by_target[_ranges(firsts, lasts)]
    owners = np.repeat(np.arange(len(tasks)), lasts - firsts)
    stages = stages_of(timeline, flows.source[arrows])
    wanted = np.flatnonzero(stages == FRAMEWORK if framework else (stages > FRAMEWORK) & (stages < DEVICE))[::-1]
    found[owners[wanted]] = flows.source[arrows[wanted]]
    return found


def _ranges(starts: Events, ends: Events) -> Events:
    """All numbers of half-open ranges, one range after the other."""
    lengths = ends - starts
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)[:-1])) if len(lengths) else lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths), np.int64)
