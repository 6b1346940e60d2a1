"""Timelines built in memory for tests: from a list of slices, by the definitions, one event at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tui.model.timeline import Counter, Flows, Layer, Links, Timeline, Track


@dataclass(frozen=True)
class Slice:
    """One event of a lane."""

    lane: str
    """Key of a `Lane`; its own name when it is not among the lanes given."""
    name: str
    start_ns: int
    dur_ns: int
    link: int = -1
    """Events of one `link` share a connection; −1 for none."""


@dataclass(frozen=True)
class Lane:
    """Facts of a track; a lane that is only named is a device stream of NPU 0."""

    key: str
    layer: Layer = "device"
    process: str = "Ascend Hardware"
    thread: str = ""
    pid: str = "800"
    device: str = "0"
    os_pid: str = "1"
    process_sort: int = 0
    sort_index: int = 0


def make_timeline(
    slices: Sequence[Slice | tuple[str, str, int, int]],
    lanes: Sequence[Lane] = (),
    flows: Sequence[tuple[int, int, str]] = (),
    counters: Sequence[Counter] = (),
) -> Timeline:
    """A timeline of slices in any order.

    Args:
        flows: (index of the source in `slices`, index of the target, category).
    """
    items = [item if isinstance(item, Slice) else Slice(*item) for item in slices]
    known = {lane.key: lane for lane in lanes}
    keys = [lane.key for lane in lanes]
    keys += [key for key in dict.fromkeys(item.lane for item in items) if key not in known]
    ids = {key: number for number, key in enumerate(keys)}
    order = sorted(range(len(items)), key=lambda i: (ids[items[i].lane], items[i].start_ns, -items[i].dur_ns))
    ordered = [items[place] for place in order]
    names = list(dict.fromkeys(item.name for item in ordered))
    depths, overlaps, selves = _nested(ordered)
    placed = {place: event for event, place in enumerate(order)}
    links, link_ids = _links(ordered)
    return Timeline(
        start_ns=np.array([item.start_ns for item in ordered], np.int64),
        dur_ns=np.array([item.dur_ns for item in ordered], np.int64),
        name_id=np.array([names.index(item.name) for item in ordered], np.int32),
        track_id=np.array([ids[item.lane] for item in ordered], np.int32),
        depth=np.array(depths, np.uint16),
        self_ns=np.array(selves, np.int64),
        link_id=np.array(link_ids, np.int32),
        place=np.arange(len(items), dtype=np.int64),
        overlap=np.array(overlaps, np.uint8),
        names=names,
        tracks=tuple(_tracks(keys, known, ordered, depths)),
        flows=_flows([(placed[source], placed[target], category) for source, target, category in flows]),
        links=links,
        counters=tuple(counters),
        instants=np.empty(0, np.int64),
        files=("trace.json",),
    )


def event_named(timeline: Timeline, name: str) -> int:
    """The first event of that name."""
    return next(event for event in range(len(timeline)) if timeline.name(event) == name)


def _tracks(
    keys: Sequence[str], known: dict[str, Lane], ordered: Sequence[Slice], depths: Sequence[int]
) -> list[Track]:
    tracks, first = [], 0
    for number, key in enumerate(keys):
        lane = known.get(key, Lane(key))
        last = first + sum(item.lane == key for item in ordered)
        deepest = max((depth + 1 for depth in depths[first:last]), default=0)
        mine = ordered[first:last]
        tracks.append(
            Track(
                id=number, process=lane.process, thread=lane.thread or key, pid=lane.pid, tid=key, layer=lane.layer,
                device=lane.device, first=first, last=last, max_depth=deepest,
                start_ns=min((item.start_ns for item in mine), default=0),
                end_ns=max((item.start_ns + item.dur_ns for item in mine), default=0),
                process_sort=lane.process_sort, sort_index=lane.sort_index, os_pid=lane.os_pid,
            )
        )  # fmt: skip
        first = last
    return tracks


def _nested(ordered: Sequence[Slice]) -> tuple[list[int], list[int], list[int]]:
    """Depth, overlap and self time of each event, by the definition: how many are open when it starts."""
    depths, overlaps, selves = [], [], [item.dur_ns for item in ordered]
    opened: list[int] = []
    for event, item in enumerate(ordered):
        end = item.start_ns + item.dur_ns
        opened = [
            other
            for other in opened
            if ordered[other].lane == item.lane and ordered[other].start_ns + ordered[other].dur_ns > item.start_ns
        ]
        depths.append(len(opened))
        overlaps.append(int(any(ordered[other].start_ns + ordered[other].dur_ns < end for other in opened)))
        if opened and not overlaps[-1]:
            selves[opened[-1]] -= item.dur_ns
        opened.append(event)
    return depths, overlaps, selves


def _links(ordered: Sequence[Slice]) -> tuple[Links, list[int]]:
    wanted = sorted({item.link for item in ordered if item.link >= 0})
    groups = [[event for event, item in enumerate(ordered) if item.link == link] for link in wanted]
    starts = np.cumsum([0, *map(len, groups)]).astype(np.int64)
    events = np.array([event for group in groups for event in group], np.int64)
    ids = [wanted.index(item.link) if item.link >= 0 else -1 for item in ordered]
    return Links(events, starts), ids


def _flows(arrows: Sequence[tuple[int, int, str]]) -> Flows:
    arrows = sorted(arrows)
    categories = list(dict.fromkeys(category for _source, _target, category in arrows))
    targets = np.array([target for _source, target, _category in arrows], np.int64)
    return Flows(
        np.array([source for source, _target, _category in arrows], np.int64),
        targets,
        np.array([categories.index(category) for _source, _target, category in arrows], np.int32),
        np.argsort(targets, kind="stable"),
        tuple(categories),
    )
