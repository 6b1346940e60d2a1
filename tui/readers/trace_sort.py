"""The raw rows of trace blocks, lane by lane → the columns of a timeline: order, nesting, ends of flows.

Each lane is gathered, sorted and written on its own, so that memory is bounded by the largest lane, and two processes
can share the lanes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.model.depth import nesting
from tui.readers.trace_blocks import Section, raw_file, read_segment
from tui.readers.trace_columns import GROUPED_BY, TABLES, Columns
from tui.store.timeline_store import EVENT_COLUMNS, FixedArray, column_path

Indices = NDArray[np.int64]

CONNECTION = np.dtype("<i8")
FLOW_ENDS: dict[str, np.dtype[Any]] = {
    "ends.event": np.dtype("<i8"), "ends.kind": np.dtype("<i4"), "ends.ts_ns": np.dtype("<i8"),
    "ends.id_high": np.dtype("<i8"), "ends.id_low": np.dtype("<i8"),
}  # fmt: skip
"""Flow ends with the event that each lies on (-1: none); gone when the store is finished."""


_EARLIEST = -(1 << 62)


@dataclass(frozen=True)
class Segment:
    """Rows of one lane in one section."""

    reader: int
    section: Section
    first: int
    rows: int


@dataclass(frozen=True)
class Lane:
    """One lane to write. Picklable."""

    track: int
    first: int
    """Its first row among all events."""
    slices: tuple[Segment, ...]
    spans: Columns | None
    """Begins and ends that were paired, as slices."""
    flows_first: int
    flows: tuple[Segment, ...]


@dataclass(frozen=True)
class LaneFacts:
    """What is known of a lane once it is sorted."""

    track: int
    max_depth: int
    start_ns: int
    end_ns: int
    instants: Indices


@dataclass(frozen=True)
class Translations:
    """Numbers of each reader → common numbers; shape (things known to that reader,)."""

    names: tuple[NDArray[np.int32], ...]
    categories: tuple[NDArray[np.int32], ...]
    texts: tuple[Indices, ...]


class Raw:
    """The raw files of all readers."""

    def __init__(self, folder: Path, readers: int, translations: Translations) -> None:
        self._files = [os.open(raw_file(folder, number), os.O_RDONLY | os.O_CLOEXEC) for number in range(readers)]
        self._translations = translations

    def close(self) -> None:
        """Closes the files."""
        for file in self._files:
            os.close(file)

    def gather(self, table: str, segments: Sequence[Segment], names: Sequence[str] = ()) -> Columns:
        """The rows of some segments, one after another, with common numbers.

        Args:
            names: Columns to take; none takes all but the one that rows are grouped by.
        """
        rows = sum(segment.rows for segment in segments)
        chosen = names or [name for name in TABLES[table] if name != GROUPED_BY[table]]
        columns = {name: np.empty(rows, TABLES[table][name]) for name in chosen}
        at = 0
        for segment in segments:
            read_segment(self._files[segment.reader], table, segment.section, segment.first, columns, at, segment.rows)
            self._translate(segment.reader, {name: column[at : at + segment.rows] for name, column in columns.items()})
            at += segment.rows
        return columns

    def _translate(self, reader: int, columns: Columns) -> None:
        if not reader:
            return
        if "name" in columns:
            named = columns["name"] >= 0
            columns["name"][named] = self._translations.names[reader][columns["name"][named]]
        if "kind" in columns:
            kind = columns["kind"]
            kind[:] = self._translations.categories[reader][kind >> 2] * 4 + (kind & 3)
            worded = columns["id_high"] < 0
            columns["id_low"][worded] = self._translations.texts[reader][columns["id_low"][worded]]


def sort_lanes(
    folder: Path, target: Path, readers: int, translations: Translations, lanes: Sequence[Lane]
) -> Iterator[LaneFacts]:
    """Writes the columns of some lanes into the prepared files of `target`; yields what is known of each.

    Raises:
        OSError: raw rows cannot be read, or columns not be written.
    """
    columns = {**EVENT_COLUMNS, "connection": CONNECTION, **FLOW_ENDS}
    with ExitStack() as stack:
        raw = stack.enter_context(closing(Raw(folder, readers, translations)))
        files = {
            name: stack.enter_context(closing(FixedArray(column_path(target, name), dtype, 0, create=False)))
            for name, dtype in columns.items()
            if name != "link_id"
        }
        for lane in lanes:
            yield _write_lane(raw, files, lane)


def _write_lane(raw: Raw, files: Mapping[str, FixedArray], lane: Lane) -> LaneFacts:
    start_ns, dur_ns = _times(raw, lane)
    marks = np.flatnonzero(dur_ns < 0)
    np.maximum(dur_ns, 0, out=dur_ns)
    order = order_of(start_ns, dur_ns)
    if order is not None:
        start_ns, dur_ns = start_ns[order], dur_ns[order]
        marks = np.flatnonzero(np.isin(order, marks)) if len(marks) else marks
    found = nesting(start_ns, dur_ns)
    files["start_ns"].put(lane.first, start_ns)
    files["dur_ns"].put(lane.first, dur_ns)
    files["depth"].put(lane.first, found.depth)
    files["self_ns"].put(lane.first, found.self_ns)
    files["overlap"].put(lane.first, found.overlap)
    _put_flow_ends(raw, files, lane, start_ns, dur_ns, found.parent)
    facts = LaneFacts(
        lane.track,
        int(found.depth.max(initial=0)) + 1,
        int(start_ns[0]) if len(start_ns) else 0,
        int((start_ns + dur_ns).max(initial=_EARLIEST)),
        lane.first + marks,
    )
    rows = len(start_ns)
    del start_ns, dur_ns, found
    files["track_id"].put(lane.first, np.full(rows, lane.track, np.int32))
    for name, target in (("name", "name_id"), ("place", "place"), ("connection", "connection")):
        column = _column(raw, lane, name)
        files[target].put(lane.first, column if order is None else column[order])
    return facts


def _times(raw: Raw, lane: Lane) -> tuple[Indices, Indices]:
    rows = raw.gather("slices", lane.slices, ("start_ns", "dur_ns"))
    if lane.spans is None:
        return rows["start_ns"], rows["dur_ns"]
    start_ns, dur_ns = (np.concatenate((rows[name], lane.spans[name])) for name in ("start_ns", "dur_ns"))
    return start_ns, dur_ns


def _column(raw: Raw, lane: Lane, name: str) -> NDArray[Any]:
    column = raw.gather("slices", lane.slices, (name,))[name]
    return column if lane.spans is None else np.concatenate((column, lane.spans[name]))


def _put_flow_ends(
    raw: Raw, files: Mapping[str, FixedArray], lane: Lane, start_ns: Indices, dur_ns: Indices, parent: Indices
) -> None:
    if not lane.flows:
        return
    ends = raw.gather("flows", lane.flows)
    event = enclosing(start_ns, dur_ns, parent, ends["ts_ns"])
    files["ends.event"].put(lane.flows_first, np.where(event < 0, -1, event + lane.first))
    for name in ("kind", "ts_ns", "id_high", "id_low"):
        files[f"ends.{name}"].put(lane.flows_first, ends[name])


def order_of(start_ns: Indices, dur_ns: Indices) -> Indices | None:
    """The permutation into order of start, longest first, then as they stand; None when they are in order."""
    in_order = (start_ns[1:] > start_ns[:-1]) | ((start_ns[1:] == start_ns[:-1]) & (dur_ns[1:] <= dur_ns[:-1]))
    if bool(in_order.all()):
        return None
    order = np.argsort(start_ns, kind="stable")
    starts, durations = start_ns[order], dur_ns[order]
    twin = starts[1:] == starts[:-1]
    if bool((twin & (durations[1:] > durations[:-1])).any()):
        order = np.lexsort((-dur_ns, start_ns))
    return order


def enclosing(start_ns: Indices, dur_ns: Indices, parent: Indices, moments_ns: Indices) -> Indices:
    """The innermost event that runs at each moment, or begins with it; -1 where none does."""
    event = np.searchsorted(start_ns, moments_ns, side="right") - 1
    active = np.flatnonzero(event >= 0)
    while len(active):
        reached, moment = event[active], moments_ns[active]
        over = (start_ns[reached] + dur_ns[reached] <= moment) & (start_ns[reached] != moment)
        active = active[over]
        event[active] = parent[event[active]]
        active = active[event[active] >= 0]
    return event
