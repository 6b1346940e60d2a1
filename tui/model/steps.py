"""Iterations of a run: from the step trace, the framework's step marks, or repeated runs of the model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tui.model.levels import split_name
from tui.model.timeline import Timeline

Source = Literal["step trace", "framework", "model runs", ""]

_ITERATION = re.compile(r"(?:iteration|step)[ #]*(\d+)", re.IGNORECASE)
_FRAMEWORK_STEP = re.compile(r"(?:ProfilerStep#|step[ #:_]*)(\d+)", re.IGNORECASE)
_MODEL_RUN = re.compile(r"aclmdlExecute(?:Async)?(?:V\d)?")
_WARM_UP_FACTOR = 2.0


@dataclass(frozen=True)
class Steps:
    """Iterations in order of time; arrays of shape (steps,)."""

    source: Source
    names: tuple[str, ...]
    """Name of each, as the trace has it."""
    numbers: NDArray[np.int64]
    """Its own number, else its place counted from 1."""
    start_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    events: NDArray[np.int64]
    """Event that marks it."""
    warm_up: bool
    """Whether the first took more than twice the median of the others."""

    def __len__(self) -> int:
        return len(self.names)

    @property
    def dur_ns(self) -> NDArray[np.int64]:
        """Length of each."""
        return self.end_ns - self.start_ns

    def window(self, first: int, last: int) -> tuple[int, int] | None:
        """(start, end) of the iterations with numbers first…last; None when there are none of them."""
        mine = np.flatnonzero((self.numbers >= first) & (self.numbers <= last))
        return (int(self.start_ns[mine].min()), int(self.end_ns[mine].max())) if len(mine) else None

    def at(self, time_ns: int) -> int:
        """Place of the iteration that holds a time; −1 for none."""
        inside = np.flatnonzero((self.start_ns <= time_ns) & (time_ns < self.end_ns))
        return int(inside[0]) if len(inside) else -1


def steps_of(timeline: Timeline) -> Steps:
    """The iterations of a timeline; none when nothing marks them. One run of the model alone is no iteration."""
    for source, layers, pattern, least in (
        ("step trace", ("steps",), _ITERATION, 1),
        ("framework", ("framework",), _FRAMEWORK_STEP, 1),
        ("model runs", ("acl",), _MODEL_RUN, 2),
    ):
        events = _matching(timeline, layers, pattern)
        if len(events) >= least:
            return _steps(timeline, source, events, pattern)  # type: ignore[arg-type]
    nothing = np.zeros(0, np.int64)
    return Steps("", (), nothing, nothing, nothing, nothing, False)


def _matching(timeline: Timeline, layers: tuple[str, ...], pattern: re.Pattern[str]) -> NDArray[np.int64]:
    """Events of some layers whose name matches; of several lanes only the one with most of them.

    Devices that run side by side mark the same iterations, each on a lane of its own.
    """
    best = np.zeros(0, np.int64)
    verdicts: dict[int, bool] = {}
    for track in timeline.tracks:
        if track.layer not in layers:
            continue
        name_ids = timeline.name_id[track.first : track.last]
        used = np.zeros(len(timeline.names), np.bool_)
        used[name_ids] = True
        for name_id in np.flatnonzero(used).tolist():
            if name_id not in verdicts:
                verdicts[name_id] = pattern.fullmatch(split_name(timeline.names[int(name_id)])[1]) is not None
            used[name_id] = verdicts[name_id]
        events = track.first + np.flatnonzero(used[name_ids])
        if len(events) > len(best):
            best = events
    return best


def _steps(timeline: Timeline, source: Source, events: NDArray[np.int64], pattern: re.Pattern[str]) -> Steps:
    names = tuple(timeline.name(event) for event in events.tolist())
    starts = timeline.start_ns[events]
    ends = starts + timeline.dur_ns[events]
    numbers = np.arange(1, len(events) + 1, dtype=np.int64)
    if pattern.groups:
        found = [pattern.fullmatch(split_name(name)[1]) for name in names]
        numbers = np.array([int(match[1]) if match else 0 for match in found], np.int64)
    return Steps(source, names, numbers, starts, ends, events, _is_warm_up(ends - starts))


def _is_warm_up(durations: NDArray[np.int64]) -> bool:
    return len(durations) > 1 and bool(durations[0] > _WARM_UP_FACTOR * np.median(durations[1:]))
