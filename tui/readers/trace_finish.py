"""The rows of all blocks → a finished timeline store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.model.timeline import Summary
from tui.readers.names import natural_key
from tui.readers.trace_blocks import BlockRows
from tui.readers.trace_columns import Facts
from tui.readers.trace_intake import Intake, facts_of, problems_of, segments_of
from tui.readers.trace_lanes import Naming, Plan, is_wanted, naming_of, plan_lanes, rows_in
from tui.readers.trace_links import Arrows, arrows, groups
from tui.readers.trace_sort import CONNECTION, FLOW_ENDS, Lane, LaneFacts, Raw, sort_lanes
from tui.store import workers
from tui.store.strings import storable
from tui.store.timeline_store import EVENT_COLUMNS, FixedArray, column_path, write_array, write_header, write_names

SHARED_EVENTS = 300_000
"""From this many slices on a second process takes half of the lanes."""


@dataclass
class _Store:
    """One store in the making."""

    intake: Intake
    source: Path
    """Folder of the raw files."""
    target: Path
    rows: list[BlockRows]
    facts: Facts
    naming: Naming
    plan: Plan
    lengths: dict[str, int] = field(default_factory=dict)
    instants: list[NDArray[np.int64]] = field(default_factory=list)

    def raw(self) -> Raw:
        """The raw files, open."""
        return Raw(self.source, self.intake.readers, self.intake.translations())

    def put(self, name: str, values: NDArray[Any]) -> None:
        """Writes an array as a whole."""
        write_array(self.target, name, values)
        self.lengths[name] = len(values)

    def pop(self, name: str, dtype: np.dtype[Any], rows: int) -> NDArray[Any]:
        """Reads a column that only the import needs, and removes it."""
        path = column_path(self.target, name)
        with closing(FixedArray(path, dtype, rows, create=False)) as array:
            values = array.get(0, rows)
        path.unlink()
        return values


def finish_steps(
    intake: Intake, source: Path, target: Path, bytes_total: int, complete: bool, helper: bool
) -> Iterator[float]:
    """Makes a store in `target` of what was taken in so far; yields the share of the work done.

    Args:
        source: Folder of the raw files.
        complete: Whether everything was read.
        helper: Whether a second process may take part.

    Raises:
        OSError: the store cannot be written.
    """
    store = _planned(intake, source, target)
    for name, dtype in {**EVENT_COLUMNS, "connection": CONNECTION}.items():
        FixedArray(column_path(target, name), dtype, store.plan.events).close()
    for name, dtype in FLOW_ENDS.items():
        FixedArray(column_path(target, name), dtype, store.plan.flow_ends).close()
    for events in _sort(store, helper and store.plan.events >= SHARED_EVENTS):
        yield 0.7 * events / max(1, store.plan.events)
    _write_links(store)
    yield 0.8
    found = _write_flows(store)
    yield 0.9
    counters = _write_counters(store)
    store.put("instants", np.sort(np.concatenate([np.empty(0, np.int64), *store.instants])))
    names = [storable(str(name)) for name in intake.known.names]
    store.lengths["names.bytes"], store.lengths["names.ends"] = write_names(target, names)
    timeline = _timeline_facts(store, found, bytes_total, complete)
    write_header(target, store.plan.events, store.lengths, timeline, store.plan.tracks, counters)
    yield 1.0


def _planned(intake: Intake, source: Path, target: Path) -> _Store:
    rows = intake.used()
    facts = facts_of(rows)
    naming = naming_of(intake, facts)
    with closing(Raw(source, intake.readers, intake.translations())) as raw:
        plan = plan_lanes(intake, raw, rows, naming)
    return _Store(intake, source, target, rows, facts, naming, plan)


def _sort(store: _Store, shared: bool) -> Iterator[int]:
    """Writes the columns of all lanes; yields the events done."""
    own, other = _halves(store.plan.lanes) if shared else (store.plan.lanes, [])
    args = (store.source, store.target, store.intake.readers, store.intake.translations())
    running = workers.start(sort_lanes, *args, other) if other else None
    events = 0
    for facts in sort_lanes(*args, own):
        events += _take(store, facts)
        yield events
    done = set()
    for message in running.messages() if running else ():
        if isinstance(message, LaneFacts):
            done.add(message.track)
            events += _take(store, message)
        yield events
    for facts in sort_lanes(*args, [lane for lane in other if lane.track not in done]):
        _take(store, facts)


def _halves(lanes: Sequence[Lane]) -> tuple[list[Lane], list[Lane]]:
    """Lanes in two shares of about as many rows; lanes without events stay in the first."""
    shares: tuple[list[Lane], list[Lane]] = ([], [])
    loads = [0, 0]
    for lane in sorted(lanes, key=_load, reverse=True):
        lighter = 1 if loads[1] < loads[0] and lane.track >= 0 else 0
        shares[lighter].append(lane)
        loads[lighter] += _load(lane)
    return shares


def _load(lane: Lane) -> int:
    return rows_in(lane.slices) + rows_in(lane.flows)


def _take(store: _Store, facts: LaneFacts) -> int:
    """Keeps what sorting a lane found out; returns its events."""
    if facts.track < 0:
        return 0
    track = store.plan.tracks[facts.track]
    store.plan.tracks[facts.track] = replace(
        track, max_depth=facts.max_depth, start_ns=facts.start_ns, end_ns=facts.end_ns
    )
    store.instants.append(facts.instants)
    return track.events


def _write_links(store: _Store) -> None:
    tracks = store.plan.tracks
    programs = {
        pid: number for number, pid in enumerate(dict.fromkeys(track.os_pid for track in tracks if track.os_pid))
    }
    unknown = 0 if len(programs) == 1 else len(programs)
    numbers = np.array([programs.get(track.os_pid, unknown) for track in tracks], np.int32)
    process = np.repeat(numbers, np.array([track.events for track in tracks], np.int64))
    found = groups(store.pop("connection", CONNECTION, store.plan.events), process)
    dtype = EVENT_COLUMNS["link_id"]
    with closing(FixedArray(column_path(store.target, "link_id"), dtype, 0, create=False)) as array:
        array.put(0, found.link_id)
    store.put("link_events", found.events)
    store.put("link_starts", found.starts)


def _write_flows(store: _Store) -> Arrows:
    found = arrows(*(store.pop(name, dtype, store.plan.flow_ends) for name, dtype in FLOW_ENDS.items()))
    store.put("flow_source", found.source)
    store.put("flow_target", found.target)
    store.put("flow_category", found.category)
    store.put("flow_by_target", found.by_target)
    return found


def _write_counters(store: _Store) -> list[dict[str, Any]]:
    """Writes the samples of every counter, each in order of time; returns the fields of the counters."""
    segments = segments_of(store.rows, "samples")
    counters = [
        {**fields, "number": number}
        for number, key in enumerate(store.intake.known.series)
        if number in segments
        and is_wanted((fields := _counter_fields(store, key))["device"], store.intake.request.device)
    ]
    counters.sort(key=_counter_order)
    total = sum(rows_in(segments[each["number"]]) for each in counters)
    store.lengths.update(sample_ts_ns=total, sample_value=total)
    with closing(store.raw()) as raw, closing(_new(store, "sample_ts_ns", "<i8", total)) as times, \
            closing(_new(store, "sample_value", "<f8", total)) as values:  # fmt: skip
        at = 0
        for place, each in enumerate(counters):
            samples = raw.gather("samples", segments[each.pop("number")])
            order = np.argsort(samples["ts_ns"], kind="stable")
            times.put(at, samples["ts_ns"][order])
            values.put(at, samples["value"][order])
            each.update(id=place, first=at, last=at + len(order))
            at += len(order)
    return counters


def _new(store: _Store, name: str, dtype: str, rows: int) -> FixedArray:
    return FixedArray(column_path(store.target, name), np.dtype(dtype), rows)


def _counter_fields(store: _Store, key: tuple[str, str, str, str]) -> dict[str, Any]:
    scope, pid, name, series = key
    return {
        "process": store.naming.process(scope, pid).name,
        "name": name,
        "series": series,
        "pid": pid,
        "device": store.naming.device(scope, pid),
        "process_sort": store.naming.process_sort(scope, pid),
        "scope": scope,
    }


def _counter_order(fields: dict[str, Any]) -> tuple[Any, ...]:
    keys = (natural_key(fields[name]) for name in ("pid", "scope", "name", "series"))
    return fields["process_sort"], *keys


def _timeline_facts(store: _Store, found: Arrows, bytes_total: int, complete: bool) -> dict[str, Any]:
    intake, facts = store.intake, store.facts
    endings = [block.ending for block in store.rows if block.ending]
    summary = Summary(
        events=facts.events,
        events_by_phase=dict(sorted(facts.phases.items())),
        flow_pairs=found.pairs,
        flow_pairs_s_with_t=found.pairs_s_with_t,
        unbound_flows=found.unbound,
        first_ts=facts.first[1] if facts.first else "",
        last_ts=facts.last[1] if facts.last else "",
        recovered=sum(ending.recovered for ending in endings),
        lost=sum(ending.lost for ending in endings) + facts.strangers,
    )
    problems = [*problems_of(intake.request, store.rows), *store.plan.problems]
    return {
        "files": [part.path for part in intake.request.parts],
        "problems": [asdict(problem) for problem in problems],
        "complete": complete,
        "bytes_read": intake.bytes_read,
        "bytes_total": bytes_total,
        "summary": asdict(summary),
        "categories": [category for _scope, category in intake.known.categories],
    }
