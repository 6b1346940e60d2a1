"""The contract between the time canvas and the application: lanes of events over time, asked for in bins.

Texts come in ready to be shown; the widgets know neither where events come from nor what they mean. An event is named
by its index; times are integer nanoseconds on one clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.integer]
FloatArray = NDArray[np.floating]
BoolArray = NDArray[np.bool_]

FILLS: tuple[str, ...] = ("low", "mid", "high", "neutral", "bar", *(f"cat{index}" for index in range(8)))
"""What an event may be filled with; each is a role of `widgets.theme` too."""

FILL_CODES = {fill: code for code, fill in enumerate(FILLS)}


class Lane(NamedTuple):
    """One lane, or the head line of a group of lanes (which spans up to the next head line)."""

    key: str
    """Stable name."""
    title: str
    value: str = ""
    """Right end of the gutter, such as `98 %`."""
    kind: Literal["group", "slices", "counter"] = "slices"
    rows: int = 1
    """Sub-rows, one per depth of nesting; 1 for heads and counters."""
    facts: str = ""
    """Right end of a head line."""
    detail: str = ""
    """Second line of the title where the lane is two rows tall."""
    first_extra: int = -1
    """First sub-row that holds events which overlap without nesting; -1 for none."""
    gaps: bool = False
    """Whether idle times of this lane are drawn."""
    pinned: bool = False
    """Leading pinned lanes stay in view while the others scroll."""
    closed: bool = False
    """Whether the lanes of this group are folded away."""
    short: str = ""
    """Shown where the title is too long; when empty, the title is cut in its middle."""
    below: str = ""
    """Beside the last sub-row, where it does not show all that lies below."""


class Row(NamedTuple):
    """One flat row of events that do not overlap."""

    lane: int
    sub_row: int


@dataclass(frozen=True)
class Bins:
    """Events of several rows by time bin, each array of shape (rows, width)."""

    event: IntArray
    """The event that covers most of the bin; -1 for none."""
    first: IntArray
    """The earliest event that touches the bin; -1 for none."""
    last: IntArray
    """The latest event that touches the bin; -1 for none."""
    count: IntArray
    """How many events touch the bin."""
    busy: FloatArray
    """Share of the bin that events cover, 0…1."""


class CounterBins(NamedTuple):
    """A counter by time bin, each array of shape (width,)."""

    heights: FloatArray
    """0…1 of the height of the lane; NaN where there is no value."""
    off: BoolArray
    """Where the value is not what it should be."""


class Slice(NamedTuple):
    """What is written into one event."""

    start_ns: int
    end_ns: int
    name: str
    duration: str
    """The duration with its unit."""


class Gap(NamedTuple):
    """An idle time between two events of a lane."""

    start_ns: int
    end_ns: int
    texts: Sequence[str] = ()
    """What may be written into it, the longest first."""


class TrackSource(Protocol):
    """Lanes and their events. Implementations change only between paints, and the canvas is told then."""

    def lanes(self) -> Sequence[Lane]:
        """All lanes to be shown, from top to bottom."""
        ...

    def bins(self, rows: Sequence[Row], start_ns: int, end_ns: int, width: int) -> Bins:
        """Events of the rows in `width` equal bins of `start_ns` ≤ t < `end_ns`."""
        ...

    def counter(self, lane: int, start_ns: int, end_ns: int, width: int) -> CounterBins:
        """A counter lane in the same bins."""
        ...

    def spans(self, events: IntArray) -> tuple[IntArray, IntArray]:
        """Start and end times (int64) of existing events."""
        ...

    def fills(self, events: IntArray) -> IntArray:
        """Index into `FILLS` for each of the existing events."""
        ...

    def slice(self, event: int) -> Slice:
        """Texts of one event; asked only for those wide enough to be labelled."""
        ...

    def gap(self, lane: int, sub_row: int, time_ns: int) -> Gap | None:
        """The idle time around `time_ns` if it is one to be shown; asked only where `Lane.gaps`."""
        ...

    def overview(self, start_ns: int, end_ns: int, width: int) -> FloatArray:
        """How busy everything is, 0…1 per bin, for the minimap."""
        ...
