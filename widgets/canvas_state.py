"""What is to be seen on the time canvas, apart from the events. The screen owns it; the widgets only paint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from widgets.viewport import Span

NO_TIME = Span(0, 1)


class FlowEnd(NamedTuple):
    """One end of a link between two events."""

    lane: int
    sub_row: int
    time_ns: int


class Flow(NamedTuple):
    """A link drawn from one event to another."""

    source: FlowEnd
    target: FlowEnd


@dataclass(frozen=True)
class CanvasState:
    """One view. The same object goes to gutter, ruler, canvas and minimap."""

    span: Span = NO_TIME
    whole: Span = NO_TIME
    """All there is, for the minimap."""
    origin_ns: int = 0
    """The time that the ruler calls zero."""
    lane: int = -1
    """Lane of the cursor; -1 for none."""
    sub_row: int = 0
    event: int = -1
    """The event under the cursor; -1 when it is on a gap."""
    gap: Span | None = None
    """The gap under the cursor."""
    top: int = 0
    """How many lines the lanes are scrolled down by."""
    range: Span | None = None
    """The time range being marked."""
    range_text: str = ""
    """Written into the range on the ruler if it fits."""
    flow: Flow | None = None
    marks: tuple[int, ...] = ()
    """Times with a mark."""
    loading: tuple[Span, ...] = ()
    """Times that were not read yet."""
    before: int = 0
    """Events named like the one under the cursor that end before the window."""
    after: int = 0
    """The same after the window."""
