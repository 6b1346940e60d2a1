"""The lanes of a timeline: which rows each one has, what it is, and in which order they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tui.i18n import _
from tui.model.problem import Problem
from tui.model.timeline import Track
from tui.readers.names import natural_key
from tui.readers.trace_blocks import BlockRows
from tui.readers.trace_columns import Columns, Facts
from tui.readers.trace_intake import Intake, processes_of, segments_of
from tui.readers.trace_layers import HOST_LAYERS, ProcessNames, device_of, layer_of, os_pid_of, pid_scheme
from tui.readers.trace_sort import Lane, Raw, Segment
from tui.readers.trace_spans import paired

_EXAMPLES = 16
"""Events that are looked at to tell what a process without a name does."""
_UNSORTED = 1 << 30
"""Sort index of the first process that has none."""


@dataclass(frozen=True)
class Naming:
    """Everything that tells what lanes and counters are."""

    processes: Mapping[tuple[str, str], ProcessNames]
    scheme: str
    order: Mapping[tuple[str, str], int]
    """Place of each process by its first event."""

    def process(self, scope: str, pid: str) -> ProcessNames:
        """What is known of a process."""
        return self.processes.get((scope, pid)) or ProcessNames()

    def process_sort(self, scope: str, pid: str) -> int:
        """Place of a process in the list."""
        sort_index = self.process(scope, pid).sort_index
        return _UNSORTED + self.order.get((scope, pid), 0) if sort_index is None else sort_index

    def device(self, scope: str, pid: str) -> str:
        """Device of a process; empty for the host."""
        return device_of(pid, self.process(scope, pid), self.scheme, scope)


@dataclass
class Plan:
    """All lanes with their places among the events, and the flow ends with theirs."""

    lanes: list[Lane] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    """One per lane, but for those that only have flow ends; what sorting finds out is still open."""
    events: int = 0
    flow_ends: int = 0
    problems: list[Problem] = field(default_factory=list)

    def add(self, track: Track, slices: Sequence[Segment], spans: Columns | None, flows: Sequence[Segment]) -> None:
        """Adds a lane behind the others; one without events only keeps its flow ends."""
        events = rows_in(slices) + (0 if spans is None else len(spans["name"]))
        if events:
            number = len(self.tracks)
            self.lanes.append(Lane(number, self.events, tuple(slices), spans, self.flow_ends, tuple(flows)))
            self.tracks.append(replace(track, id=number, first=self.events, last=self.events + events))
            self.events += events
            self.flow_ends += rows_in(flows)
        else:
            self.add_flows(flows)

    def add_flows(self, flows: Sequence[Segment]) -> None:
        """Adds flow ends that lie on no event: they count nevertheless."""
        if flows:
            self.lanes.append(Lane(-1, self.events, (), None, self.flow_ends, tuple(flows)))
            self.flow_ends += rows_in(flows)


def rows_in(segments: Iterable[Segment]) -> int:
    """Rows of some segments together."""
    return sum(segment.rows for segment in segments)


def naming_of(intake: Intake, facts: Facts) -> Naming:
    """What the metadata events of all files tell."""
    processes = processes_of(facts)
    pids = [(scope, pid) for scope, pid, _tid in intake.known.tracks]
    pids += [(scope, pid) for scope, pid, _name, _series in intake.known.series]
    order = {key: place for place, key in enumerate(dict.fromkeys(pids))}
    return Naming(processes, pid_scheme((pid, names) for (_scope, pid), names in processes.items()), order)


def is_wanted(device: str, chosen: str) -> bool:
    """Whether lanes of a device are shown when one is chosen; the host's always are."""
    return not chosen or device in ("", chosen)


def plan_lanes(intake: Intake, raw: Raw, rows: Sequence[BlockRows], naming: Naming) -> Plan:
    """The lanes of all rows in the order of their processes and threads."""
    slices, spans, flows = (segments_of(rows, table) for table in ("slices", "spans", "flows"))
    keys, chosen = list(intake.known.tracks), intake.request.device
    names = list(intake.known.names)
    tracks = {number: _track(raw, keys[number], naming, names, slices.get(number, [])) for number in {*slices, *spans}}
    repeated = _repeated(raw, tracks, slices)
    plan, unended, stray = Plan(), 0, 0
    for number in sorted(tracks, key=lambda number: _order(tracks[number])):
        if not is_wanted(tracks[number].device, chosen) or number in repeated:
            continue
        pairs = paired(raw.gather("spans", spans[number])) if number in spans else None
        if pairs:
            unended, stray = unended + pairs.unended, stray + pairs.stray
        plan.add(tracks[number], slices.get(number, []), pairs.slices if pairs else None, flows.pop(number, []))
    plan.add_flows([segment for segments in flows.values() for segment in segments])
    plan.problems = _span_problems(intake, unended, stray)
    return plan


def _track(
    raw: Raw, key: tuple[str, str, str], naming: Naming, names: Sequence[Any], slices: Sequence[Segment]
) -> Track:
    scope, pid, tid = key
    process = naming.process(scope, pid)
    thread = process.threads.get(tid, "")
    examples = [] if process.name or not slices else _examples(raw, names, slices[0])
    layer = layer_of(process, thread, examples)
    return Track(
        id=0,
        process=process.name,
        thread=thread,
        pid=pid,
        tid=tid,
        layer=layer,
        device="" if layer in HOST_LAYERS else naming.device(scope, pid),
        first=0,
        last=0,
        max_depth=1,
        process_sort=naming.process_sort(scope, pid),
        sort_index=process.thread_sorts.get(tid, 0),
        os_pid=os_pid_of(pid, process, naming.scheme),
        label=process.label,
        scope=scope,
    )


def _examples(raw: Raw, names: Sequence[Any], segment: Segment) -> list[str]:
    """Names of the first events of a lane."""
    first = raw.gather("slices", [replace(segment, rows=min(segment.rows, _EXAMPLES))])
    return [str(names[number]) for number in first["name"].tolist()]


def _repeated(raw: Raw, tracks: Mapping[int, Track], slices: Mapping[int, list[Segment]]) -> set[int]:
    """Lanes of the host that the files of several devices repeat: all but the first of each."""
    found, seen = set(), set()
    for number, track in sorted(tracks.items(), key=lambda item: natural_key(item[1].scope)):
        if not track.scope or track.layer not in HOST_LAYERS or number not in slices:
            continue
        first = raw.gather("slices", [replace(slices[number][0], rows=1)])
        key = (track.pid, track.tid, rows_in(slices[number]), int(first["start_ns"][0]), int(first["dur_ns"][0]))
        if key in seen:
            found.add(number)
        seen.add(key)
    return found


def _order(track: Track) -> tuple[Any, ...]:
    return track.process_sort, natural_key(track.pid), track.scope, track.sort_index, natural_key(track.tid)


def _span_problems(intake: Intake, unended: int, stray: int) -> list[Problem]:
    path = intake.request.parts[0].path if intake.request.parts else ""
    found = []
    if unended:
        what = _("{count} events begin but do not end").format(count=unended)
        found.append(Problem(path, "", what, _("they are drawn to the end of their lane"), "", "warn"))
    if stray:
        what = _("{count} events end but do not begin").format(count=stray)
        found.append(Problem(path, "", what, _("they are left out"), "", "warn"))
    return found
