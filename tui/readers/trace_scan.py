"""One pass over a timeline file: what it holds, without keeping its events (formats: msprof 4).

The pass is a generator, so that a worker can report progress and stop between pieces.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tui.i18n import _
from tui.model.problem import Problem
from tui.readers.trace_pieces import Ending, file_bytes, pieces
from tui.readers.trace_times import MAX_TIME_NS, ns_of_us

LEVELS = {"AscendCL": "acl", "ACL": "acl", "Model": "model", "GE": "model", "Node": "node", "Hccl": "communication"}
"""Level of `api_statistic` by the prefix that the timeline writes; any other prefix is its level in lower case."""
API_PROCESSES = {"CANN": "", "AscendCL": "acl", "Runtime": "runtime"}
"""Processes whose slices are calls of an API; the level of those that carry no prefix."""
DEVICE_PROCESSES = frozenset({"Ascend Hardware", "Task Scheduler"})

Key = tuple[str, str]
"""(pid, tid) as text: pids are numbers or texts by generation."""


@dataclass(frozen=True)
class Progress:
    """How far a scan is."""

    bytes_done: int
    bytes_total: int
    events: int


@dataclass(frozen=True)
class TrackSummary:
    """One (pid, tid) that has events other than names."""

    process: str
    thread: str
    pid: str
    tid: str
    slices: int
    counters: int


@dataclass(frozen=True)
class ApiSpan:
    """Calls of one API over the whole file."""

    level: str
    """`acl`, `model`, `node`, `communication`, `runtime` …"""
    name: str
    count: int
    sum_ns: int
    min_ns: int
    max_ns: int


@dataclass(frozen=True)
class TraceSummary:
    """What a timeline file holds."""

    path: str
    events: int
    events_by_phase: Mapping[str, int]
    flow_pairs: int
    """Groups of (category, id) with both a start `s` and a finish `f`."""
    flow_pairs_s_with_t: int
    """Groups that an older export closes with `t`."""
    first_ts: str
    """Smallest `ts` of a slice, in us, as written; empty without slices."""
    last_ts: str
    """Largest `ts` of a slice, in us, as written."""
    start_ns: int
    """Smallest start of a slice; 0 without slices."""
    end_ns: int
    """Largest end of a slice."""
    tracks: tuple[TrackSummary, ...]
    api_spans: tuple[ApiSpan, ...]
    device_busy_ns: Mapping[str, int]
    """By device: time in which at least one task ran on one of its streams."""
    recovered: int
    lost: int
    problems: tuple[Problem, ...]
    half_flows: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """(category, id) of flows with only a start (1) or only a finish (2): another slice may hold the other half."""
    processes: Mapping[str, str] = field(default_factory=dict)
    """Name by pid."""
    unnamed_calls: Mapping[str, tuple[ApiSpan, ...]] = field(default_factory=dict)
    """Slices by name, without a level, of each pid that this file does not name: another slice may."""

    @property
    def span_ns(self) -> int:
        """First start to last end, over host and devices."""
        return self.end_ns - self.start_ns


def scan_trace(path: Path) -> TraceSummary:
    """Scans a whole timeline file; see `scan_trace_steps`."""
    summary: TraceSummary | None = None
    for step in scan_trace_steps(path):
        if isinstance(step, TraceSummary):
            summary = step
    assert summary is not None
    return summary


def scan_trace_steps(path: Path) -> Iterator[Progress | TraceSummary]:
    """Scans a timeline file (`.json` or `.json.gz`), a step for each piece; the last step is the summary.

    A file that cannot be opened or is damaged gives a summary of what was readable, with problems.
    """
    total = file_bytes(path)
    scan = _Scan()
    ending = Ending(0, 0, ())
    try:
        for piece in pieces(path):
            if isinstance(piece, Ending):
                ending = piece
            else:
                scan.add(piece.events)
                yield Progress(piece.bytes_done, total, scan.events)
    except OSError as error:
        ending = Ending(0, 0, (_unreadable(path, error),))
    yield scan.summary(path, ending)


def _unreadable(path: Path, error: OSError) -> Problem:
    what = _("cannot be read: {reason}").format(reason=error.strerror or type(error).__name__)
    return Problem(str(path), "", what, _("there are no events to show"), _("check its permissions"), "error")


@dataclass
class _Calls:
    count: int = 0
    sum_ns: int = 0
    min_ns: int = MAX_TIME_NS
    max_ns: int = 0

    def add(self, dur_ns: int) -> None:
        self.count += 1
        self.sum_ns += dur_ns
        self.min_ns = min(self.min_ns, dur_ns)
        self.max_ns = max(self.max_ns, dur_ns)


@dataclass
class _Track:
    slices: int = 0
    counters: int = 0
    bounds_ns: array[int] = field(default_factory=lambda: array("q"))
    """Start and end of each slice in turn, for tracks that may be streams."""


@dataclass
class _Scan:
    """Running totals. Names of processes may come after their events, so totals are by pid until the end."""

    events: int = 0
    phases: Counter[str] = field(default_factory=Counter)
    flows: dict[tuple[str, str], int] = field(default_factory=dict)
    processes: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    threads: dict[Key, str] = field(default_factory=dict)
    tracks: dict[Key, _Track] = field(default_factory=dict)
    calls: dict[tuple[str, str], _Calls] = field(default_factory=dict)
    first: tuple[int, str] = (MAX_TIME_NS, "")
    last: tuple[int, str] = (-MAX_TIME_NS, "")
    end_ns: int = -MAX_TIME_NS
    untimed: int = 0
    strangers: int = 0
    """Members of the list that are no events."""

    def add(self, events: list[Any]) -> None:
        for event in events:
            phase = event.get("ph") if isinstance(event, dict) else None
            if not isinstance(phase, str):
                self.strangers += 1
                continue
            self.events += 1
            self.phases[phase] += 1
            if phase == "X":
                self._add_slice(event)
            elif phase in _FLOW_BITS:
                key = (str(event.get("cat", "")), str(event.get("id", "")))
                self.flows[key] = self.flows.get(key, 0) | _FLOW_BITS[phase]
            elif phase == "M":
                self._add_name(event)
            elif phase == "C":
                self._track(event).counters += 1

    def _track(self, event: dict[str, Any]) -> _Track:
        key = (str(event.get("pid", "")), str(event.get("tid", "")))
        track = self.tracks.get(key)
        if track is None:
            track = self.tracks[key] = _Track()
        return track

    def _add_slice(self, event: dict[str, Any]) -> None:
        track = self._track(event)
        track.slices += 1
        text = str(event.get("ts", ""))
        start_ns, dur_ns = ns_of_us(text), ns_of_us(event.get("dur", "0"))
        if start_ns is None or dur_ns is None:
            self.untimed += 1
            return
        self._add_time(start_ns, dur_ns, text)
        pid = str(event.get("pid", ""))
        process = self.processes.get(pid)
        if process is None or process in DEVICE_PROCESSES:
            track.bounds_ns.extend((start_ns, start_ns + max(dur_ns, 0)))
        if process is None or process in API_PROCESSES:
            self.calls.setdefault((pid, str(event.get("name", ""))), _Calls()).add(dur_ns)

    def _add_time(self, start_ns: int, dur_ns: int, text: str) -> None:
        if start_ns < self.first[0]:
            self.first = (start_ns, text.strip())
        if start_ns > self.last[0]:
            self.last = (start_ns, text.strip())
        self.end_ns = max(self.end_ns, start_ns + max(dur_ns, 0))

    def _add_name(self, event: dict[str, Any]) -> None:
        args = event.get("args")
        if not isinstance(args, dict):
            return
        pid = str(event.get("pid", ""))
        if event.get("name") == "process_name":
            self.processes[pid] = str(args.get("name", ""))
        elif event.get("name") == "process_labels":
            self.labels[pid] = str(args.get("labels", ""))
        elif event.get("name") == "thread_name":
            self.threads[(pid, str(event.get("tid", "")))] = str(args.get("name", ""))

    def summary(self, path: Path, ending: Ending) -> TraceSummary:
        has_slices = self.first[0] < MAX_TIME_NS
        return TraceSummary(
            path=str(path),
            events=self.events,
            events_by_phase=dict(sorted(self.phases.items())),
            flow_pairs=_with_bits(self.flows, _PAIR),
            flow_pairs_s_with_t=_with_bits(self.flows, _FLOW_BITS["s"] | _FLOW_BITS["t"]),
            first_ts=self.first[1],
            last_ts=self.last[1],
            start_ns=self.first[0] if has_slices else 0,
            end_ns=self.end_ns if has_slices else 0,
            tracks=tuple(self._track_summaries()),
            api_spans=tuple(self._api_spans()),
            device_busy_ns=self._device_busy_ns(),
            recovered=ending.recovered,
            lost=ending.lost + self.strangers,
            problems=(*ending.problems, *self._problems(path)),
            half_flows={key: bits & _PAIR for key, bits in self.flows.items() if bits & _PAIR in (1, 2)},
            processes=dict(self.processes),
            unnamed_calls=self._unnamed_calls(),
        )

    def _track_summaries(self) -> Iterator[TrackSummary]:
        for (pid, tid), track in self.tracks.items():
            process, thread = self.processes.get(pid, ""), self.threads.get((pid, tid), "")
            yield TrackSummary(process, thread, pid, tid, track.slices, track.counters)

    def _api_spans(self) -> Iterator[ApiSpan]:
        found: dict[tuple[str, str], _Calls] = {}
        for (pid, name), calls in self.calls.items():
            process = self.processes.get(pid, "")
            if process in API_PROCESSES:
                key = level_and_name(name, API_PROCESSES[process])
                found[key] = _sum(found.get(key, _Calls()), calls)
        for (level, name), calls in sorted(found.items()):
            yield ApiSpan(level, name, calls.count, calls.sum_ns, calls.min_ns, calls.max_ns)

    def _unnamed_calls(self) -> dict[str, tuple[ApiSpan, ...]]:
        found: dict[str, list[ApiSpan]] = {}
        for (pid, name), calls in self.calls.items():
            if pid not in self.processes:
                span = ApiSpan("", name, calls.count, calls.sum_ns, calls.min_ns, calls.max_ns)
                found.setdefault(pid, []).append(span)
        return {pid: tuple(spans) for pid, spans in found.items()}

    def _device_busy_ns(self) -> dict[str, int]:
        bounds: dict[str, list[array[int]]] = {}
        for (pid, tid), track in self.tracks.items():
            if self.processes.get(pid) in DEVICE_PROCESSES and self.threads.get((pid, tid), "Stream").startswith(
                "Stream"
            ):
                bounds.setdefault(_device(self.labels.get(pid, ""), pid), []).append(track.bounds_ns)
        return {
            device: union_ns(np.concatenate([np.asarray(part) for part in parts])) for device, parts in bounds.items()
        }

    def _problems(self, path: Path) -> Iterator[Problem]:
        if self.strangers:
            what = _("{count} members of the list are no events").format(count=self.strangers)
            yield Problem(str(path), "", what, _("they are left out"), "", "warn")
        if self.untimed:
            what = _("{count} slices have no readable time").format(count=self.untimed)
            yield Problem(str(path), "", what, _("they are counted but have no place in the timeline"), "", "warn")


_FLOW_BITS = {"s": 1, "f": 2, "t": 4}
_PAIR = _FLOW_BITS["s"] | _FLOW_BITS["f"]


def flow_pairs_across(summaries: Sequence[TraceSummary]) -> int:
    """Flow pairs of several files opened together: those within each, and those whose halves lie in two of them."""
    halves: dict[tuple[str, str], int] = {}
    for summary in summaries:
        for key, bits in summary.half_flows.items():
            halves[key] = halves.get(key, 0) | bits
    return sum(summary.flow_pairs for summary in summaries) + _with_bits(halves, _PAIR)


def api_spans_across(summaries: Sequence[TraceSummary]) -> Iterator[ApiSpan]:
    """API calls of several files opened together: often only the first slice names the processes of all."""
    processes = {pid: name for summary in summaries for pid, name in summary.processes.items()}
    for summary in summaries:
        yield from summary.api_spans
        for pid, calls in summary.unnamed_calls.items():
            process = processes.get(pid, "")
            if process in API_PROCESSES:
                yield from (_named(call, process) for call in calls)


def _named(call: ApiSpan, process: str) -> ApiSpan:
    level, name = level_and_name(call.name, API_PROCESSES[process])
    return replace(call, level=level, name=name)


def _with_bits(flows: Mapping[tuple[str, str], int], bits: int) -> int:
    return sum(1 for found in flows.values() if found & bits == bits)


def _sum(first: _Calls, second: _Calls) -> _Calls:
    return _Calls(
        first.count + second.count,
        first.sum_ns + second.sum_ns,
        min(first.min_ns, second.min_ns),
        max(first.max_ns, second.max_ns),
    )


def level_and_name(name: str, level: str) -> tuple[str, str]:
    """(level of an API, its name without prefix); `level` is that of its process."""
    prefix, at, rest = name.partition("@")
    return (LEVELS.get(prefix, prefix.lower()), rest) if at else (level or "acl", name)


def _device(label: str, pid: str) -> str:
    """Device of a hardware process: the number of its label, else the low digits or bits of its pid."""
    labelled = re.search(r"(\d+)\s*$", label)
    if labelled:
        return labelled[1]
    number = int(pid) if pid.isdecimal() and len(pid) < 20 else 0
    return str(number % 100 if number < 1024 else number & 31)


def union_ns(bounds_ns: Any) -> int:
    """Length of the union of intervals, given as start and end in turn (int64 ns)."""
    pairs = np.asarray(bounds_ns, dtype=np.int64).reshape(-1, 2)
    if not len(pairs):
        return 0
    ordered = pairs[np.argsort(pairs[:, 0], kind="stable")]
    reach = np.maximum.accumulate(ordered[:, 1])
    begins = ordered[1:, 0]
    gaps = np.maximum(begins - reach[:-1], 0).sum()
    return int(reach[-1] - ordered[0, 0] - gaps)
