"""One of two timelines that lie above each other: its events by name, its lanes, and the event of the other one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.model.lanes import lane_groups
from tui.model.levels import bare_name
from tui.model.lod import Rows
from tui.model.ranges import whole_window
from tui.model.timeline import Timeline, Track
from tui.screens.timeline_source import Colours, LaneChoice, TimelineSource
from tui.units import GlyphSet
from widgets.viewport import Span

Events = NDArray[np.int64]


@dataclass(frozen=True)
class Names:
    """What one operator is called on both sides; empty where it does not exist."""

    a: str = ""
    b: str = ""

    def on(self, index: int) -> str:
        """The name on a side."""
        return (self.a, self.b)[index]


class Place(NamedTuple):
    """Where a cursor stands."""

    lane: int = -1
    sub_row: int = 0
    event: int = -1


class Kin(NamedTuple):
    """Events of one name on lanes of one kind, by their start."""

    events: Events
    at: int
    """The place of the one that was asked about; −1 where it is none of them."""


def names_by_text(names: Sequence[str]) -> Mapping[str, list[int]]:
    """Numbers of names by what people call them, without the level."""
    found: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        found.setdefault(bare_name(name), []).append(number)
    return found


class StackedSide:
    """A timeline that was read. Lanes are those of the Timeline screen."""

    def __init__(self, timeline: Timeline, rows: Rows, window: tuple[int, int] | None = None) -> None:
        """
        Args:
            window: Times of the iterations that are looked at; None for the whole trace.
        """
        whole = whole_window(timeline)
        self.timeline, self.rows, self._window = timeline, rows, window
        self.start_ns = whole.start_ns
        self.whole = Span(*window) if window is not None else Span(whole.start_ns, whole.end_ns)
        self._ids = names_by_text(timeline.names)
        self._groups = lane_groups(timeline, rows)
        self._known: dict[tuple[str, str, str], Events] = {}
        self.source = self.arranged((20.0, 50.0), "blocks")

    def arranged(self, bands: tuple[float, float], glyphs: GlyphSet) -> TimelineSource:
        """Its lanes as they are to be drawn from now on."""
        colours = Colours("bands", None, bands, self.whole.length_ns, self._window)
        self.source = TimelineSource(self.timeline, self.rows, self._groups, LaneChoice(), colours, glyphs)
        return self.source

    def span_of(self, event: int) -> Span:
        """When an event runs."""
        return Span(int(self.timeline.start_ns[event]), self.timeline.end_ns(event))

    def name_of(self, event: int) -> str:
        """Its name without the level."""
        return bare_name(self.timeline.name(event))

    def place_of(self, event: int) -> Place:
        """Where an event is drawn; nowhere for none, and where its group is folded."""
        if event < 0:
            return Place()
        lane, sub_row = self.source.find_event(event)
        return Place(lane, sub_row, event) if lane >= 0 else Place()

    def near(self, lane: int, sub_row: int, time_ns: int) -> int:
        """The event of a row at a time, else the nearest one; −1 for none."""
        row = self.source.row_of(lane, sub_row)
        if row < 0:
            return -1
        found = self.rows.at(row, time_ns)
        if found >= 0:
            return found
        near = [self.rows.previous_event(row, time_ns), self.rows.next_event(row, time_ns)]
        known = [event for event in near if event >= 0]
        return min(known, key=lambda event: abs(int(self.timeline.start_ns[event]) - time_ns), default=-1)

    def beside(self, place: Place, step: int) -> int:
        """The next event of the row, or the one before; −1 for none."""
        row = self.source.row_of(place.lane, place.sub_row)
        if row < 0 or place.event < 0:
            return -1
        start_ns = int(self.timeline.start_ns[place.event])
        return self.rows.next_event(row, start_ns) if step > 0 else self.rows.previous_event(row, start_ns)

    def first(self) -> Place:
        """The longest event of the lane that a cursor starts on."""
        lane = self.source.first_lane()
        row = self.source.row_of(lane, 0)
        if row < 0:
            return Place(lane)
        longest = self.rows.longest_in(row, self.whole.start_ns, self.whole.end_ns, 1)
        return Place(lane, 0, longest[0] if longest else -1)

    # ── by name ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def named(self, name: str, layer: str, device: str = "") -> Events:
        """Events of a name on lanes of one layer, of one device where it has such, by their start."""
        key = (name, layer, device)
        if key not in self._known:
            self._known = {**dict(list(self._known.items())[-7:]), key: self._looked_up(*key)}
        return self._known[key]

    def _looked_up(self, name: str, layer: str, device: str) -> Events:
        tracks = [track for track in self.timeline.tracks if track.layer == layer]
        of_device = [track for track in tracks if track.device == device]
        found = self._on_tracks(of_device or tracks, name)
        return found[np.argsort(self.timeline.start_ns[found], kind="stable")]

    def _on_tracks(self, tracks: Sequence[Track], name: str) -> Events:
        """Events of a name on some tracks, of which each is a piece of the columns."""
        ids = self._ids.get(name, [])
        parts = [np.zeros(0, np.int64)]
        for track in tracks:
            names = self.timeline.name_id[track.first : track.last]
            parts += [track.first + np.flatnonzero(names == number) for number in ids]
        return np.concatenate(parts)

    def kin_of(self, event: int) -> Kin:
        """All of its name beside it, itself included."""
        track = self.timeline.track(event)
        events = self.named(self.name_of(event), track.layer, track.device)
        hits = np.flatnonzero(events == event)
        return Kin(events, int(hits[0]) if len(hits) else -1)

    def longest_named(self, name: str) -> int:
        """The longest event of a name, of tasks of a device where there are any; −1 for none."""
        tracks = self.timeline.tracks
        hits = self._on_tracks([track for track in tracks if track.layer == "device"], name)
        hits = hits if len(hits) else self._on_tracks(tracks, name)
        return int(hits[int(np.argmax(self.timeline.dur_ns[hits]))]) if len(hits) else -1


def partner_of(side: StackedSide, event: int, other: StackedSide, names: Sequence[str]) -> Kin:
    """Events of the other timeline that an event may be told with, and which of them it is.

    The n-th event of a name belongs to the n-th of the other side, the last one to any further ones.

    Args:
        names: What the other side may call it, the likeliest first.
    """
    track, kin = side.timeline.track(event), side.kin_of(event)
    for name in names:
        events = other.named(name, track.layer, track.device)
        if len(events):
            return Kin(events, min(max(kin.at, 0), len(events) - 1))
    return Kin(np.zeros(0, np.int64), -1)
