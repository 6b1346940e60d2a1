"""The lanes of a timeline in the order shown: host, then each device with its communication and overlap, then counters.

A lane is a track, one level of a track that merges several (`AscendCL@…`, `Node@…`), or one series of a counter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tui.i18n import N_, _
from tui.model.intervals import Intervals, clipped, merged
from tui.model.levels import LEVELS
from tui.model.lod import Rows
from tui.model.timeline import Counter, Layer, Timeline, Track

GroupKind = Literal["host", "device", "communication", "overlap", "counters", "other"]

LAYER_TITLES: dict[str, str] = {
    "acl": N_("AscendCL"),
    "model": N_("GE"),
    "node": N_("Node launch"),
    "communication_host": N_("Communication"),
    "runtime": N_("Runtime"),
    "steps": N_("Iteration"),
}
"""Titles of lanes that are named by their layer (message ids); others have the trace's own name."""

_HOST_ORDER: tuple[Layer, ...] = (
    "acl", "model", "node", "communication_host", "runtime", "framework", "host_other",
)  # fmt: skip
_KIND_OF_LAYER: dict[Layer, GroupKind] = {
    **dict.fromkeys(_HOST_ORDER, "host"),
    "steps": "device",
    "device": "device",
    "communication": "communication",
    "overlap": "overlap",
    "counter": "counters",
    "other": "other",
}
_KIND_ORDER: tuple[GroupKind, ...] = ("host", "device", "communication", "overlap", "other", "counters")
_KIND_TITLES: dict[GroupKind, str] = {
    "host": N_("Host"),
    "device": N_("NPU"),
    "communication": N_("Communication"),
    "overlap": N_("Overlap"),
    "counters": N_("Counters"),
    "other": N_("Other"),
}
_COUNTER_ORDER = ("AI Core Freq", "NPU MEM", "AI Core Utilization", "HBM", "DDR", "HCCS", "PCIe")
_MAIN_PROCESSES = ("Ascend Hardware", "Task Scheduler")
_SAMPLE = 4096
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Lane:
    """One line of the lane list, with its sub-rows."""

    key: str
    """The same for the same lane each time a file is opened: for pins, hidden lanes and order."""
    title: str
    layer: Layer
    device: str
    rows: tuple[int, ...]
    """Indices into `Rows.rows`, in the order of its sub-rows; empty for a counter."""
    first_overflow: int
    """Index in `rows` of the first sub-row that holds events overlapping without nesting."""
    tracks: tuple[int, ...]
    events: int
    busy_ns: int
    """Wall time: what at least one of its events covers."""
    counter: int = -1
    """Index in `Timeline.counters`; −1 for a lane of slices."""

    def is_overflow(self, sub_row: int) -> bool:
        """Whether a sub-row is one of those marked `~`."""
        return sub_row >= self.first_overflow


@dataclass(frozen=True)
class LaneGroup:
    """Lanes below one head line."""

    key: str
    kind: GroupKind
    title: str
    device: str
    os_pid: str
    """Process of the operating system, of a host group; empty when not recorded."""
    lanes: tuple[Lane, ...]


@dataclass(frozen=True)
class _Draft:
    """A lane before it is named among its neighbours."""

    lane: Lane
    group: tuple[GroupKind, str, str]
    order: tuple[object, ...]
    thread: str
    """Told in the title when several lanes of the group have the same one."""


def lane_groups(timeline: Timeline, rows: Rows) -> tuple[LaneGroup, ...]:
    """All lanes that have events, grouped and in order."""
    drafts = [*_slice_drafts(timeline, rows), *_counter_drafts(timeline.counters)]
    groups: dict[tuple[GroupKind, str, str], list[_Draft]] = {}
    for draft in sorted(drafts, key=lambda draft: _group_order(draft.group)):
        groups.setdefault(draft.group, []).append(draft)
    numbered = {kind for kind in _KIND_ORDER if sum(group[0] == kind for group in groups) > 1}
    return tuple(
        LaneGroup(":".join(group), group[0], _group_title(group, group[0] in numbered), group[1], group[2], named)
        for group, members in groups.items()
        for named in [tuple(_named(sorted(members, key=lambda draft: draft.order)))]
    )


def _group_order(group: tuple[GroupKind, str, str]) -> tuple[object, ...]:
    """Host, then device by device, then counters."""
    kind, device, os_pid = group
    section = 0 if kind == "host" else 2 if kind == "counters" else 1
    return section, natural(device), _KIND_ORDER.index(kind), natural(os_pid)


def _group_title(group: tuple[GroupKind, str, str], numbered: bool) -> str:
    kind, device, os_pid = group
    title = _(_KIND_TITLES[kind])
    number = os_pid if kind == "host" else device
    return f"{title} {number}" if number and (numbered or kind == "device") else title


def _named(drafts: Sequence[_Draft]) -> Iterator[Lane]:
    """Lanes with a title of their own: the thread is added where several would be alike."""
    titles = [draft.lane.title for draft in drafts]
    for draft in drafts:
        lane = draft.lane
        if titles.count(lane.title) > 1 and draft.thread:
            yield Lane(**{**vars(lane), "title": f"{lane.title} {draft.thread}"})
        else:
            yield lane


def _slice_drafts(timeline: Timeline, rows: Rows) -> Iterator[_Draft]:
    members: dict[tuple[int, int], list[int]] = {}
    for number, row in enumerate(rows.rows):
        members.setdefault((row.track, row.level), []).append(number)
    for (number, level), lane_rows in members.items():
        track = timeline.tracks[number]
        layer = LEVELS[level - 1] if level else track.layer
        key = f"{track.scope}|{track.pid}|{track.tid}|{level}"
        overflow = [place for place, row in enumerate(lane_rows) if rows.rows[row].overflow]
        events = sum(rows.rows[row].last - rows.rows[row].first for row in lane_rows)
        first_overflow = overflow[0] if overflow else len(lane_rows)
        busy = lane_busy(rows, lane_rows).total_ns if overflow else _outer_ns(rows, lane_rows[0])
        title = _slice_title(timeline, rows, lane_rows)
        lane = Lane(key, title, layer, track.device, tuple(lane_rows), first_overflow, (number,), events, busy)
        yield _Draft(lane, _group_of(track, layer), _slice_order(track, layer, busy), _thread_id(track))


def _outer_ns(rows: Rows, row: int) -> int:
    info = rows.rows[row]
    return int(rows.sums[info.last] - rows.sums[info.first])


def lane_busy(rows: Rows, lane_rows: Iterable[int]) -> Intervals:
    """Times that the rows of some lanes cover; nested rows lie inside of the outermost and are left out."""
    outer = [rows.span(row) for row in lane_rows if rows.rows[row].overflow or rows.rows[row].depth == 0]
    if not outer:
        nothing = np.zeros(0, np.int64)
        return Intervals(nothing, nothing)
    return merged(
        np.concatenate([starts for starts, _ends in outer]), np.concatenate([ends for _starts, ends in outer])
    )


def busy_within(rows: Rows, lane_rows: Iterable[int], window: tuple[int, int] | None) -> int:
    """Time in ns that the rows of some lanes cover within (start, end), or in all."""
    busy = lane_busy(rows, lane_rows)
    if window is None:
        return busy.total_ns
    starts, ends = clipped(busy.starts, busy.ends, *window)
    return int((ends - starts).sum())


def _group_of(track: Track, layer: Layer) -> tuple[GroupKind, str, str]:
    kind = _KIND_OF_LAYER[layer]
    return (kind, "", track.os_pid) if kind == "host" else (kind, track.device, "")


def _slice_title(timeline: Timeline, rows: Rows, lane_rows: Sequence[int]) -> str:
    """By the layer, or by the trace's own names; a stream that mostly copies says so."""
    row = rows.rows[lane_rows[0]]
    track = timeline.tracks[row.track]
    layer = LEVELS[row.level - 1] if row.level else track.layer
    title = _title(track, layer)
    return f"{title} memcpy" if layer == "device" and _mostly_copies(timeline, rows, lane_rows[0]) else title


def _mostly_copies(timeline: Timeline, rows: Rows, row: int) -> bool:
    """Whether the copies take over half of the time of some thousand tasks of a row."""
    info = rows.rows[row]
    some = slice(info.first, info.last, (info.last - info.first) // _SAMPLE + 1)
    name_ids, codes = np.unique(timeline.name_id[rows.event[some]], return_inverse=True)
    copies = np.array([timeline.names[int(name_id)].upper().startswith("MEMCPY") for name_id in name_ids], np.bool_)
    durations = rows.durations[some]
    return bool(durations[copies[codes.reshape(-1)]].sum() * 2 > durations.sum())


def _title(track: Track, layer: Layer) -> str:
    if layer in LAYER_TITLES:
        return _(LAYER_TITLES[layer])
    if layer in ("framework", "host_other", "other"):
        return track.process or track.thread or track.tid
    if layer == "device" and track.process not in _MAIN_PROCESSES:
        return f"{track.process} {track.tid}".strip()
    return track.thread or f"{track.process} {track.tid}".strip()


def _thread_id(track: Track) -> str:
    found = _DIGITS.search(track.thread)
    return track.tid if track.tid.isdecimal() or found is None else found[1]


def _slice_order(track: Track, layer: Layer, busy_ns: int) -> tuple[object, ...]:
    """Important lanes first: AscendCL, then by how much they tell."""
    place = (track.process_sort, track.sort_index, natural(track.tid))
    if layer in _HOST_ORDER:
        return (_HOST_ORDER.index(layer), -busy_ns, *place)
    if layer == "steps":
        return (0, 0, *place)
    return (1, -busy_ns, *place) if layer == "device" else (1, 0, *place)


def _counter_drafts(counters: Sequence[Counter]) -> Iterator[_Draft]:
    series: dict[tuple[str, str, str], int] = {}
    for counter in counters:
        name = (counter.process, counter.device, counter.name)
        series[name] = series.get(name, 0) + 1
    for number, counter in enumerate(counters):
        several = series[(counter.process, counter.device, counter.name)] > 1
        title = f"{counter.name} {_bare_series(counter.series)}" if several else counter.name
        key = f"{counter.scope}|{counter.pid}|{counter.name}|{counter.series}"
        lane = Lane(key, title.strip(), "counter", counter.device, (), 0, (), len(counter.times_ns), 0, number)
        yield _Draft(lane, ("counters", counter.device, ""), _counter_order(counter), "")


def _bare_series(series: str) -> str:
    return re.sub(r"\s*\([^)]*\)$", "", series)


def _counter_order(counter: Counter) -> tuple[object, ...]:
    place = next((place for place, name in enumerate(_COUNTER_ORDER) if counter.process.startswith(name)), 99)
    return place, counter.process_sort, counter.process, natural(counter.name), counter.series


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """Sort key that puts `Stream 9` before `Stream 10`."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(text) if part)
