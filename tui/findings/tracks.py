"""Events of a timeline as rules ask for them: by layer and by name, asked once per distinct name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.findings.rule import MOST_EVIDENCE
from tui.model.finding import Evidence
from tui.model.levels import LEVELS, bare_name, split_name
from tui.model.timeline import Layer, Timeline, Track

Events = NDArray[np.int64]

HOST_LAYERS: tuple[Layer, ...] = ("acl", "model", "node", "communication_host", "runtime", "host_other")
_MODEL_RUN = re.compile(r"aclmdlExecute(?:Async)?(?:V\d)?")


def matching(
    timeline: Timeline,
    tracks: Iterable[Track],
    wanted: Callable[[str], object],
    window: tuple[int, int] | None = None,
) -> Events:
    """Events of some lanes whose name satisfies a predicate, asked once per distinct name; lane after lane."""
    verdicts: dict[int, bool] = {}
    parts = [np.zeros(0, np.int64)]
    for track in tracks:
        name_ids = timeline.name_id[track.first : track.last]
        used = np.zeros(len(timeline.names), np.bool_)
        used[name_ids] = True
        for name_id in np.flatnonzero(used).tolist():
            if name_id not in verdicts:
                verdicts[name_id] = bool(wanted(timeline.names[int(name_id)]))
            used[name_id] = verdicts[name_id]
        if used.any():
            parts.append(track.first + np.flatnonzero(used[name_ids]))
    events = np.concatenate(parts)
    if window is None:
        return events
    starts = timeline.start_ns[events]
    return events[(starts >= window[0]) & (starts < window[1])]


def tracks_of(timeline: Timeline, *layers: str) -> list[Track]:
    """Lanes of some layers that have events."""
    return [track for track in timeline.tracks if track.layer in layers and track.events]


def events_of(tracks: Iterable[Track]) -> Events:
    """All events of some lanes."""
    parts = [np.arange(track.first, track.last, dtype=np.int64) for track in tracks]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def named_of(timeline: Timeline, events: Events, name: str) -> Events:
    """Those of some events that have one name."""
    ids = [place for place, text in enumerate(timeline.names) if text == name] if len(events) else []
    return events[np.isin(timeline.name_id[events], ids)]


def model_runs(timeline: Timeline) -> tuple[int, int] | None:
    """(start of the first, end of the last) run of the model; None when the trace shows none."""
    events = Calls(timeline, None).named(_MODEL_RUN, "acl")
    if not len(events):
        return None
    ends = timeline.start_ns[events] + timeline.dur_ns[events]
    return int(timeline.start_ns[events].min()), int(ends.max())


def sum_us(timeline: Timeline, events: Events) -> float:
    """Sum of the durations of some events."""
    return float(timeline.dur_ns[events].sum()) / 1000.0


def evidence_of(timeline: Timeline, event: int, *figures: tuple[str, float | str]) -> Evidence:
    """One event as evidence: its duration, then more figures."""
    track = timeline.track(event)
    duration_us = int(timeline.dur_ns[event]) / 1000.0
    return Evidence(
        bare_name(timeline.name(event)), (("dur_us", duration_us), *figures),
        start_ns=int(timeline.start_ns[event]), end_ns=timeline.end_ns(event),
        device=track.device, track=track.id, event=event,
    )  # fmt: skip


def longest(timeline: Timeline, events: Events, most: int = MOST_EVIDENCE) -> list[Evidence]:
    """The longest of some events as evidence."""
    order = np.argsort(-timeline.dur_ns[events], kind="stable")[:most]
    return [evidence_of(timeline, event) for event in events[order].tolist()]


@dataclass(frozen=True)
class Calls:
    """The host calls of a timeline."""

    timeline: Timeline
    window: tuple[int, int] | None

    def named(self, pattern: re.Pattern[str], *layers: str) -> Events:
        """Calls of some layers whose whole name, without the prefix of its level, matches; lane after lane."""
        parts = [np.zeros(0, np.int64)]
        for layer in HOST_LAYERS:
            tracks = tracks_of(self.timeline, layer)

            def wanted(name: str, own: str = layer) -> bool:
                code, bare = split_name(name)
                return (LEVELS[code - 1] if code else own) in layers and pattern.fullmatch(bare) is not None

            parts.append(matching(self.timeline, tracks, wanted, self.window))
        return np.concatenate(parts)
