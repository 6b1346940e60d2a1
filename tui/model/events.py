"""Events, statistics, tracks, gaps and steps of a timeline as tables: shown and written like any other table.

Keys are the canonical ones of `table events|tracks|gaps|steps`; times are ns. Headings are ours: a trace has none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tui.i18n import N_, _
from tui.model.gaps import CAUSE_NAMES, CAUSES, Gaps
from tui.model.intervals import clipped, union_ns
from tui.model.inventory import text_column
from tui.model.lod import Rows
from tui.model.steps import Steps
from tui.model.table import MISSING_NS, Column, ColumnInfo, NumberColumn, Table, TextColumn, TimeColumn
from tui.model.timeline import Timeline, Track

Events = NDArray[np.int64]

_HEADINGS = {
    "name": N_("Name"),
    "track": N_("Track"),
    "process": N_("Process"),
    "thread": N_("Thread"),
    "layer": N_("Layer"),
    "pid": N_("PID"),
    "tid": N_("TID"),
    "start_ns": N_("Start"),
    "end_ns": N_("End"),
    "dur_ns": N_("Duration"),
    "self_ns": N_("Self"),
    "span_pct": N_("% of span"),
    "depth": N_("Depth"),
    "count": N_("Count"),
    "wall_ns": N_("Wall"),
    "sum_ns": N_("Sum"),
    "mean_ns": N_("Mean"),
    "p50_ns": N_("p50"),
    "p95_ns": N_("p95"),
    "min_ns": N_("Min"),
    "max_ns": N_("Max"),
    "events": N_("Events"),
    "max_depth": N_("Nesting"),
    "device_id": N_("Device"),
    "stream": N_("Stream"),
    "length_ns": N_("Length"),
    "before": N_("Before"),
    "after": N_("After"),
    "launch_before_ns": N_("Launch before"),
    "launch_after_ns": N_("Launch after"),
    "cause": N_("Cause"),
    "step": N_("Step"),
    "note": N_("Note"),
}


def events_table(timeline: Timeline, events: Events | None = None, span_ns: int = 0) -> Table:
    """One row per event: `track process name start_ns dur_ns depth self_ns` and with a span `span_pct`.

    Args:
        events: Which, in the order wanted; None takes all without copying.
        span_ns: What shares are of; 0 leaves them out.
    """
    rows: Events | slice = slice(None) if events is None else events
    durations = np.asarray(timeline.dur_ns[rows], np.float64)
    tracks = timeline.track_id[rows]
    columns: list[Column] = [
        _of_tracks("track", tracks, [_thread(track) for track in timeline.tracks]),
        _of_tracks("process", tracks, [track.process for track in timeline.tracks]),
        _names(timeline, "name", timeline.name_id[rows]),
        TimeColumn(_info("start_ns", "time", "ns"), timeline.start_ns[rows]),
        _time("dur_ns", durations),
        _number("depth", np.asarray(timeline.depth[rows], np.float64)),
        _time("self_ns", np.asarray(timeline.self_ns[rows], np.float64)),
    ]
    if span_ns > 0:
        columns.append(NumberColumn(_info("span_pct", "number", "pct"), durations * 100.0 / span_ns))
    return Table("events", tuple(columns), problems=timeline.problems, complete=timeline.complete)


def lane_events(rows: Rows, lane_rows: Sequence[int], start_ns: int | None = None, end_ns: int | None = None) -> Events:
    """Events of the rows of some lanes, in order of track and start; with a window those that touch it."""
    parts = []
    for row in lane_rows:
        if start_ns is None or end_ns is None:
            parts.append(rows.events(row))
        else:
            parts.append(rows.event[rows.window(row, start_ns, end_ns)])
    return np.sort(np.concatenate(parts)).astype(np.int64) if parts else np.zeros(0, np.int64)


def statistics_table(timeline: Timeline, events: Events, span_ns: int, window: tuple[int, int] | None = None) -> Table:
    """Figures per name, longest sum first: `name count wall_ns sum_ns self_ns mean_ns p50_ns p95_ns min_ns max_ns`.

    Args:
        span_ns: What `span_pct`, the share of the wall time, is of; 0 leaves it out.
        window: Wall times count only inside of it; the other figures are of whole events.
    """
    name_ids, codes = np.unique(timeline.name_id[events], return_inverse=True)
    order = np.lexsort((timeline.dur_ns[events], codes.reshape(-1)))
    events, codes = events[order], codes.reshape(-1)[order]
    bounds = np.concatenate((np.flatnonzero(np.diff(codes, prepend=-1)), [len(codes)])).astype(np.intp)
    firsts, counts = bounds[:-1], np.diff(bounds)
    durations = timeline.dur_ns[events]
    walls = _walls(timeline, events, codes, len(name_ids), window)
    if not len(events):
        sums = selves = durations
    else:
        sums, selves = (np.add.reduceat(values, firsts) for values in (durations, timeline.self_ns[events]))
    ranking = np.lexsort((name_ids, -sums))
    figures: list[Column] = [
        _number("count", counts.astype(np.float64)),
        _time("wall_ns", walls.astype(np.float64)),
        _time("sum_ns", sums.astype(np.float64)),
        _time("self_ns", selves.astype(np.float64)),
        _time("mean_ns", sums / np.maximum(counts, 1), whole=False),
        _time("p50_ns", _percentile(durations, firsts, counts, 0.50), whole=False),
        _time("p95_ns", _percentile(durations, firsts, counts, 0.95), whole=False),
        _time("min_ns", durations[firsts].astype(np.float64)),
        _time("max_ns", durations[bounds[1:] - 1].astype(np.float64) if len(events) else durations.astype(np.float64)),
    ]
    if span_ns > 0:
        figures.append(NumberColumn(_info("span_pct", "number", "pct"), walls * 100.0 / span_ns))
    ranked = [
        NumberColumn(column.info, column.values[ranking]) for column in figures if isinstance(column, NumberColumn)
    ]
    names = text_column("name", [timeline.names[int(name_id)] for name_id in name_ids[ranking].tolist()], _("Name"))
    return Table("statistics", (names, *ranked), complete=timeline.complete)


def tracks_table(timeline: Timeline) -> Table:
    """One row per (pid, tid) with slices: `process thread layer pid tid events start_ns end_ns max_depth device_id`,
    then `wall_ns`, the time that at least one of its events covers, and `sum_ns` of their durations.
    """
    tracks = [track for track in timeline.tracks if track.events]
    columns = (
        _text("process", [track.process for track in tracks]),
        _text("thread", [track.thread for track in tracks]),
        _text("layer", [track.layer for track in tracks]),
        _text("pid", [track.pid for track in tracks]),
        _text("tid", [track.tid for track in tracks]),
        _number("events", np.array([track.events for track in tracks], np.float64)),
        TimeColumn(_info("start_ns", "time", "ns"), np.array([track.start_ns for track in tracks], np.int64)),
        TimeColumn(_info("end_ns", "time", "ns"), np.array([track.end_ns for track in tracks], np.int64)),
        _number("max_depth", np.array([track.max_depth for track in tracks], np.float64)),
        _text("device_id", [track.device for track in tracks]),
        _time("wall_ns", np.array([_wall(timeline, track) for track in tracks], np.float64)),
        _time("sum_ns", np.array([timeline.dur_ns[track.first : track.last].sum() for track in tracks], np.float64)),
    )
    return Table("tracks", columns, problems=timeline.problems, complete=timeline.complete)


def _wall(timeline: Timeline, track: Track) -> int:
    starts = timeline.start_ns[track.first : track.last]
    return union_ns(starts, starts + timeline.dur_ns[track.first : track.last])


def gaps_table(timeline: Timeline, gaps: Gaps) -> Table:
    """One row per gap: where, how long, the tasks and launches on either side, and the cause."""
    streams = ["", *(_thread(track) for track in timeline.tracks)]
    columns = (
        _of_tracks("device_id", gaps.device_id, gaps.device),
        _of_tracks("stream", gaps.track + 1, streams),
        TimeColumn(_info("start_ns", "time", "ns"), gaps.start_ns),
        TimeColumn(_info("end_ns", "time", "ns"), gaps.end_ns),
        _time("length_ns", gaps.length_ns.astype(np.float64)),
        _names_of(timeline, "before", gaps.before),
        _names_of(timeline, "after", gaps.after),
        _start_of("launch_before_ns", timeline, gaps.launch_before),
        _start_of("launch_after_ns", timeline, gaps.launch_after),
        TextColumn(_info("cause", "text"), gaps.cause.astype(np.int32), [_(CAUSE_NAMES[cause]) for cause in CAUSES]),
    )
    return Table("gaps", columns, complete=timeline.complete)


def steps_table(steps: Steps) -> Table:
    """One row per iteration: `step name start_ns end_ns dur_ns note`; the note flags a first run that warms up."""
    note = [
        _("first run, more than twice the median") if steps.warm_up and not row else "" for row in range(len(steps))
    ]
    columns = (
        _number("step", steps.numbers.astype(np.float64)),
        _text("name", steps.names),
        TimeColumn(_info("start_ns", "time", "ns"), steps.start_ns),
        TimeColumn(_info("end_ns", "time", "ns"), steps.end_ns),
        _time("dur_ns", steps.dur_ns.astype(np.float64)),
        _text("note", note),
    )
    return Table("steps", columns, note=_(steps.source) if steps.source else "")


def _info(key: str, kind: str, unit: str = "", whole: bool = False) -> ColumnInfo:
    return ColumnInfo(key, _(_HEADINGS[key]), kind, unit, whole)  # type: ignore[arg-type]


def _number(key: str, values: NDArray[np.float64]) -> NumberColumn:
    return NumberColumn(_info(key, "number", whole=True), values)


def _time(key: str, values: NDArray[np.float64], whole: bool = True) -> NumberColumn:
    return NumberColumn(_info(key, "number", "ns", whole), values)


def _text(key: str, texts: Sequence[str]) -> TextColumn:
    return text_column(key, texts, _(_HEADINGS[key]))


def _of_tracks(key: str, ids: NDArray[np.int32], texts: Sequence[str]) -> TextColumn:
    """A text column of small ids into texts that may repeat."""
    distinct = list(dict.fromkeys(texts))
    place = {text: code for code, text in enumerate(distinct)}
    codes = np.array([place[text] for text in texts], np.int32)
    return TextColumn(_info(key, "text"), codes[ids] if len(codes) else np.zeros(len(ids), np.int32), distinct)


def _names(timeline: Timeline, key: str, name_ids: NDArray[np.int32]) -> TextColumn:
    """A column of names; few events do not drag all names of the trace along."""
    if len(name_ids) >= len(timeline.names):
        return TextColumn(_info(key, "text"), name_ids, timeline.names)
    distinct, codes = np.unique(name_ids, return_inverse=True)
    texts = [timeline.names[int(name_id)] for name_id in distinct.tolist()]
    return TextColumn(_info(key, "text"), codes.reshape(-1).astype(np.int32), texts)


def _names_of(timeline: Timeline, key: str, events: Events) -> TextColumn:
    """Names of events, empty for −1."""
    distinct, codes = np.unique(np.where(events >= 0, timeline.name_id[events], -1), return_inverse=True)
    texts = [timeline.names[int(name_id)] if name_id >= 0 else "" for name_id in distinct.tolist()]
    return TextColumn(_info(key, "text"), codes.reshape(-1).astype(np.int32), texts)


def _start_of(key: str, timeline: Timeline, events: Events) -> TimeColumn:
    known = events >= 0
    starts = np.full(len(events), MISSING_NS, np.int64)
    starts[known] = timeline.start_ns[events[known]]
    return TimeColumn(_info(key, "time", "ns"), starts)


def _thread(track: Track) -> str:
    return track.thread or track.tid


def _percentile(
    durations: Events, firsts: NDArray[np.intp], counts: NDArray[np.intp], share: float
) -> NDArray[np.float64]:
    """Percentile of each group of ascending durations, between two interpolated linearly."""
    place = (counts - 1) * share
    low = np.floor(place).astype(np.intp)
    high = np.minimum(low + 1, counts - 1)
    below, above = durations[firsts + low], durations[firsts + high]
    return np.asarray(below + (above - below) * (place - low), np.float64)


def _walls(
    timeline: Timeline, events: Events, codes: NDArray[np.intp], names: int, window: tuple[int, int] | None
) -> Events:
    """Time that at least one event of each name covers."""
    starts = timeline.start_ns[events]
    ends = starts + timeline.dur_ns[events]
    if window is not None:
        starts, ends = clipped(starts, ends, *window)
    order = np.lexsort((starts, codes))
    starts, ends, codes = starts[order], ends[order], codes[order]
    covered = _grouped_reach(ends, codes)
    fresh = np.diff(codes, prepend=-1) != 0
    before = np.where(fresh, starts, np.concatenate((starts[:1], covered[:-1])))
    added = np.maximum(0, ends - np.maximum(starts, before))
    walls = np.zeros(names, np.int64)
    np.add.at(walls, codes, added)
    return walls


def _grouped_reach(ends: Events, codes: NDArray[np.intp]) -> Events:
    """Running maximum of the ends within each run of equal codes.

    Ends are replaced by their rank, so that adding a group's offset cannot overflow.
    """
    distinct, ranks = np.unique(ends, return_inverse=True)
    offset = codes.astype(np.int64) * len(distinct)
    reach = np.maximum.accumulate(ranks.reshape(-1) + offset) - offset
    return np.asarray(distinct[reach], np.int64) if len(distinct) else ends
