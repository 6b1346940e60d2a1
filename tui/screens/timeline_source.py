"""A timeline as the time canvas wants it: lanes in the user's order, events in bins, fills by band or by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _, ngettext
from tui.model.counters import counter_cells, unit_of, value_at
from tui.model.fills import BANDS, OVERLAP_FILLS, QUIET_FILLS, bands_of
from tui.model.kinds import Kinds
from tui.model.lanes import Lane as ModelLane
from tui.model.lanes import LaneGroup, busy_within
from tui.model.levels import bare_name
from tui.model.lod import Rows
from tui.model.timeline import Timeline
from tui.units import GlyphSet, number_text, share_text, span_text
from widgets.tracks import FILL_CODES, Bins, CounterBins, FloatArray, Gap, IntArray, Lane, Row, Slice

Colour = Literal["bands", "category"]

GAP_LAYERS = ("device",)
"""Layers whose idle times are drawn."""
KIND_LAYERS = ("device", "communication")
"""Layers whose colours may go by the kind of the task."""
SUB_ROWS_SHOWN = 3
"""Nested rows of a lane that have lines of their own; the cursor of a deeper event stands on the last one."""


@dataclass(frozen=True)
class LaneChoice:
    """What the user changed about the lanes. Keys are those of lanes."""

    hidden: frozenset[str] = frozenset()
    pinned: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    """Lanes that were moved, from top to bottom; the others keep their place."""
    closed: frozenset[str] = frozenset()
    """Groups that are folded."""
    deep: frozenset[str] = frozenset()
    """Lanes that show all of their nested rows."""


@dataclass(frozen=True)
class Colours:
    """How events are filled."""

    by: Colour = "bands"
    kinds: Kinds | None = None
    """Kinds of device tasks, where colours go by them."""
    bands: tuple[float, float] = (20.0, 50.0)
    span_ns: int = 1
    """What shares are of."""
    window: tuple[int, int] | None = None
    """(start, end) that busy times are counted within; None for the whole trace."""


@dataclass(frozen=True)
class _Line:
    """A lane or the head of a group, as the canvas counts them."""

    shown: Lane
    lane: ModelLane | None
    rows: tuple[int, ...] = field(default=())


class TimelineSource:
    """`widgets.tracks.TrackSource` over a timeline. Immutable; another choice makes another source."""

    def __init__(
        self,
        timeline: Timeline,
        rows: Rows,
        groups: Sequence[LaneGroup],
        choice: LaneChoice,
        colours: Colours,
        glyphs: GlyphSet,
        has_gaps: bool = True,
    ) -> None:
        """
        Args:
            has_gaps: Whether idle times are told; between only some of the tasks there is nothing idle.
        """
        self.timeline = timeline
        self.rows = rows
        self.colours = colours
        self._glyphs: GlyphSet = glyphs
        self._has_gaps = has_gaps
        self._lines = tuple(self._arranged(groups, choice))
        self._layer_fills = self._fills_of_layers()
        self._by_kind = np.array([track.layer in KIND_LAYERS for track in timeline.tracks] or [False], np.bool_)

    # ── lanes ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def lanes(self) -> Sequence[Lane]:
        """Heads and lanes from top to bottom."""
        return [line.shown for line in self._lines]

    def lane(self, index: int) -> ModelLane | None:
        """The lane on a line; None for a head line."""
        return self._lines[index].lane if 0 <= index < len(self._lines) else None

    def row_of(self, index: int, sub_row: int) -> int:
        """Index into `rows.rows` of a sub-row; −1 for a head or a counter."""
        rows = self._lines[index].rows if 0 <= index < len(self._lines) else ()
        return rows[sub_row] if 0 <= sub_row < len(rows) else -1

    def find_event(self, event: int) -> tuple[int, int]:
        """(line, sub-row) that shows an event; (−1, 0) where its lane is hidden."""
        timeline = self.timeline
        try:
            row, _slot = self.rows.place_of(event, int(timeline.track_id[event]), int(timeline.start_ns[event]))
        except LookupError:
            return -1, 0
        for index, line in enumerate(self._lines):
            if row in line.rows:
                return index, line.rows.index(row)
            if line.lane is not None and row in line.lane.rows:
                return index, len(line.rows) - 1
        return -1, 0

    def first_lane(self) -> int:
        """The line of the AscendCL lane, else of the first lane of slices or of a counter; −1 when there is none."""
        slices = [index for index, line in enumerate(self._lines) if line.lane is not None and line.rows]
        host = [index for index in slices if (lane := self._lines[index].lane) is not None and lane.layer == "acl"]
        counters = [index for index, line in enumerate(self._lines) if line.lane is not None]
        return (host or slices or counters or [-1])[0]

    def _arranged(self, groups: Sequence[LaneGroup], choice: LaneChoice) -> list[_Line]:
        pinned: list[_Line] = []
        lines: list[_Line] = []
        for group in groups:
            lanes = self._ordered([lane for lane in group.lanes if lane.key not in choice.hidden], choice)
            deep = choice.deep
            pinned += [self._line(lane, lane.key in deep, pinned=True) for lane in lanes if lane.key in choice.pinned]
            rest = [lane for lane in lanes if lane.key not in choice.pinned]
            if rest:
                closed = group.key in choice.closed
                lines.append(_Line(self._head(group, closed), None))
                lines += [] if closed else [self._line(lane, lane.key in deep) for lane in rest]
        return [*pinned, *lines]

    def _ordered(self, lanes: list[ModelLane], choice: LaneChoice) -> list[ModelLane]:
        places = {key: place for place, key in enumerate(choice.order)}
        if not any(lane.key in places for lane in lanes):
            return lanes
        return sorted(lanes, key=lambda lane: places.get(lane.key, len(places)))

    def _head(self, group: LaneGroup, closed: bool) -> Lane:
        facts = group.os_pid if group.kind == "host" else ""
        if group.kind == "device":
            rows = [row for lane in group.lanes if lane.layer == "device" for row in lane.rows]
            share = self._busy_ns(rows) * 100.0 / self.colours.span_ns
            facts = _("busy {share} of span").format(share=share_text(share, 1, self._glyphs))
        return Lane(group.key, group.title, kind="group", facts=facts, closed=closed)

    def _busy_ns(self, rows: Sequence[int]) -> int:
        """Time that the rows of some lanes cover within what is looked at."""
        return busy_within(self.rows, rows, self.colours.window)

    def _line(self, lane: ModelLane, deep: bool, pinned: bool = False) -> _Line:
        if lane.counter >= 0:
            return _Line(Lane(lane.key, lane.title, self._counter_text(lane), "counter", pinned=pinned), lane)
        rows = lane.rows if deep else lane.rows[:SUB_ROWS_SHOWN]
        hidden = len(lane.rows) - len(rows)
        below = ngettext("+{n} row below: z", "+{n} rows below: z", hidden).format(n=hidden) if hidden else ""
        busy_ns = lane.busy_ns if self.colours.window is None else self._busy_ns(lane.rows)
        share = f"{number_text(busy_ns * 100.0 / self.colours.span_ns, 0, self._glyphs)} %"
        shown = Lane(
            lane.key, lane.title, share, "slices", len(rows),
            first_extra=lane.first_overflow if lane.first_overflow < len(rows) else -1,
            gaps=self._has_gaps and lane.layer in GAP_LAYERS, pinned=pinned, below=below,
        )  # fmt: skip
        return _Line(shown, lane, rows)

    def _counter_text(self, lane: ModelLane) -> str:
        counter = self.timeline.counters[lane.counter]
        value = value_at(counter, int(counter.times_ns[-1])) if len(counter.times_ns) else float("nan")
        return f"{number_text(value, 0, self._glyphs)} {unit_of(counter.series)}".strip()

    # ── what the canvas asks ─────────────────────────────────────────────────────────────────────────────────────────

    def bins(self, rows: Sequence[Row], start_ns: int, end_ns: int, width: int) -> Bins:
        """Events of some sub-rows in equal bins."""
        found = self.rows.bins([self.row_of(*row) for row in rows], start_ns, end_ns, width)
        return Bins(found.event, found.first, found.last, found.count, found.share)

    def counter(self, lane: int, start_ns: int, end_ns: int, width: int) -> CounterBins:
        """Heights of a counter."""
        found = self._lines[lane].lane
        if found is None or found.counter < 0:
            return CounterBins(np.full(width, np.nan), np.zeros(width, np.bool_))
        cells = counter_cells(self.timeline.counters[found.counter], start_ns, end_ns, width)
        return CounterBins(np.where(np.isnan(cells.values), np.nan, cells.heights), cells.off_nominal)

    def spans(self, events: IntArray) -> tuple[IntArray, IntArray]:
        """Start and end of events."""
        starts = np.asarray(self.timeline.start_ns[events])
        return starts, starts + self.timeline.dur_ns[events]

    def fills(self, events: IntArray) -> IntArray:
        """Fill of each event: by its share of the span, or by its name; some layers have one of their own."""
        timeline = self.timeline
        fixed = self._layer_fills[timeline.track_id[events]]
        codes = np.array([FILL_CODES[name] for name in BANDS])
        chosen = codes[bands_of(timeline.dur_ns[events], self.colours.span_ns, self.colours.bands)]
        if self.colours.kinds is not None:
            by_kind = self._kind_fills(self.colours.kinds, timeline.name_id[events])
            chosen = np.where(self._by_kind[timeline.track_id[events]], by_kind, chosen)
        filled = np.where(fixed >= 0, fixed, chosen)
        return np.where(fixed == OVERLAP, self._overlap_fills(timeline.name_id[events]), filled)

    def slice(self, event: int) -> Slice:
        """Texts of one event."""
        start = int(self.timeline.start_ns[event])
        duration = int(self.timeline.dur_ns[event])
        name = bare_name(self.timeline.name(event))
        return Slice(start, start + duration, name, span_text(duration, self._glyphs))

    def gap(self, lane: int, sub_row: int, time_ns: int) -> Gap | None:
        """The idle time around a moment, when no event of the lane runs. Nested rows have none of their own."""
        row = self.row_of(lane, sub_row)
        if row < 0 or sub_row > 0:
            return None
        bounds = (self.timeline.start_ns_min, self.timeline.end_ns_max)
        found = self.rows.gaps(row, time_ns, time_ns + 1, bounds=bounds)
        if not len(found.starts):
            return None
        start, end = int(found.starts[0]), int(found.ends[0])
        if self._runs_beside(lane, start, end):
            return None
        length = span_text(end - start, self._glyphs)
        return Gap(start, end, (_("idle {time}").format(time=length), length))

    def _runs_beside(self, lane: int, start_ns: int, end_ns: int) -> bool:
        """Whether an event that does not nest runs in a time that the first row leaves free."""
        found = self._lines[lane].lane
        extra = [row for row in found.rows if self.rows.rows[row].overflow] if found is not None else []
        return any(not _is_empty(self.rows.window(row, start_ns, end_ns)) for row in extra)

    def overview(self, start_ns: int, end_ns: int, width: int) -> FloatArray:
        """How busy the devices are, else the host."""
        chosen = self._outer_rows("device") or self._outer_rows("acl") or self._outer_rows("")
        if not chosen:
            return np.zeros(width)
        shares = self.rows.bins(chosen, start_ns, end_ns, width).share
        busy: FloatArray = np.minimum(shares.sum(axis=0), 1.0)
        return busy

    def _outer_rows(self, layer: str) -> list[int]:
        return [
            line.rows[0]
            for line in self._lines
            if line.lane is not None and line.rows and layer in ("", line.lane.layer)
        ]

    def _fills_of_layers(self) -> NDArray[np.int64]:
        """Fill of each track whose layer has one of its own, `OVERLAP` for the overlap analysis, −1 for the others."""
        codes = []
        for track in self.timeline.tracks:
            quiet = QUIET_FILLS.get(track.layer)
            codes.append(OVERLAP if track.layer == "overlap" else FILL_CODES[quiet] if quiet else -1)
        return np.array(codes or [-1], np.int64)

    @staticmethod
    def _kind_fills(kinds: Kinds, name_ids: IntArray) -> IntArray:
        places = kinds.of_name[name_ids]
        return np.where(places >= 0, FILL_CODES["cat0"] + places, FILL_CODES["neutral"])

    def _overlap_fills(self, name_ids: IntArray) -> IntArray:
        known = {name: FILL_CODES[fill] for name, fill in OVERLAP_FILLS.items()}
        distinct, codes = np.unique(name_ids, return_inverse=True)
        fills = [known.get(self.timeline.names[int(name_id)], FILL_CODES["neutral"]) for name_id in distinct]
        return np.array(fills or [0])[codes.reshape(-1)].reshape(np.shape(name_ids)) if fills else np.zeros(0, np.int64)


def _is_empty(part: slice) -> bool:
    return bool(part.start >= part.stop)


OVERLAP = -2
"""Marks tracks whose fill goes by the name of the event."""


def moved(order: Sequence[str], key: str, step: int) -> tuple[str, ...]:
    """The order with one key moved by a step."""
    keys = list(order)
    if key not in keys:
        return tuple(keys)
    at = keys.index(key)
    to = min(max(at + step, 0), len(keys) - 1)
    keys.insert(to, keys.pop(at))
    return tuple(keys)


def toggled(choice: LaneChoice, key: str) -> LaneChoice:
    """A lane pinned to the top, or no longer."""
    if key in choice.pinned:
        return replace(choice, pinned=tuple(other for other in choice.pinned if other != key))
    return replace(choice, pinned=(*choice.pinned, key))
