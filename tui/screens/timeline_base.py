"""What the parts of the timeline screen share: what is shown of which timeline, and how its panes lie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray
from textual.widget import Widget

from tui.model.events import lane_events
from tui.model.gaps import Gaps, gap_at
from tui.model.iterations import StepScope
from tui.model.kinds import Kinds, kinds_of, types_of_ops
from tui.model.lanes import Lane, lane_groups
from tui.model.lod import Namesakes, Rows, namesakes
from tui.model.timeline import Timeline
from tui.screens.frame import Frame
from tui.screens.history import History
from tui.screens.timeline_dock import has_room
from tui.screens.timeline_source import Colour, Colours, LaneChoice, TimelineSource
from tui.units import GlyphSet
from widgets.canvas_state import CanvasState, Flow
from widgets.panes import HeadLine, Lines
from widgets.parts import FactsPane, PartedHead
from widgets.timeview import TimeView
from widgets.viewport import Span

DETAILS_LINES = 4
TALL_DETAILS_LINES = 9
TALL_FROM = 34
"""Lines of a terminal from which on the strip is tall, and has room for the arguments of an event."""


@dataclass(frozen=True)
class View:
    """One step of the history: what is seen, and the cursor."""

    span: Span
    lane: int = -1
    sub_row: int = 0
    event: int = -1
    gap: Span | None = None
    choice: LaneChoice = field(default_factory=LaneChoice)
    filter: str = ""
    """Expression that the events shown match; empty for all."""


class TimelineBase(Frame):
    """State and panes of the timeline."""

    DIGIT = "2"
    NAME = "Timeline"

    def __init__(self) -> None:
        super().__init__()
        self._timeline: Timeline | None = None
        self._rows: Rows | None = None
        self._source: TimelineSource | None = None
        self._whole = Span(0, 1)
        """All that can be seen: the trace, or the iterations that everything is limited to."""
        self._share_ns = 1
        """What shares are of."""
        self._trace_start_ns = 0
        self._within: StepScope | None = None
        self._events_shown = 0
        self._history: History[View] = History(View(Span(0, 1)))
        self._colour_by: Colour = "bands"
        self._docked: tuple[object, NDArray[np.int64], int] = (None, np.zeros(0, np.int64), 0)
        """What the list below the lanes was made for, its events, and how many there are in all."""
        self._kinds: Kinds | None = None
        """What colours mean, where they go by the kind of the task."""
        self._range_from: int | None = None
        self._range: Span | None = None
        self._flow: Flow | None = None
        self._names: Namesakes | None = None
        self._names_of: tuple[int, int] = (-1, -1)
        self._reference_ns: int | None = None
        self._unread: tuple[Span, ...] = ()
        """Times in which there may be events that are not read."""
        self._marks: tuple[int, ...] = ()
        """Times that are marked."""
        self._pattern = ""
        self._details_on = True
        self._top = 0
        self._in_view: tuple[int, int] | None = None
        """Lane and sub-row that the lanes were last scrolled to; None when they are to be again."""
        self._wanted = ""
        """An event that another screen asked for before there was a timeline."""
        self._failure: tuple[str, str] = ("", "")

    # ── layout ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def compose_panes(self) -> Iterable[Widget]:
        """Axis and lanes, then the detail strip."""
        yield TimeView(id="time")
        yield Lines(id="legend")
        yield HeadLine(id="dock-head")
        yield Lines(id="dock")
        yield PartedHead(id="details-head")
        yield FactsPane(id="details-lines")

    @property
    def _time(self) -> TimeView:
        return self.query_one(TimeView)

    @property
    def _head(self) -> PartedHead:
        return self.query_one("#details-head", PartedHead)

    @property
    def _lines(self) -> FactsPane:
        return self.query_one("#details-lines", FactsPane)

    @property
    def _is_tall(self) -> bool:
        return self.size.height >= TALL_FROM

    def _arrange(self) -> None:
        self.query_one("#legend", Lines).display = self._colour_by == "category"
        has_dock = self._details_on and has_room(*self.size)
        for name in ("#dock-head", "#dock"):
            self.query_one(name).display = has_dock
        self._lines.styles.height = TALL_DETAILS_LINES if self._is_tall else DETAILS_LINES
        for pane in (self._head, self._lines):
            pane.display = self._details_on

    # ── what is shown ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _view(self) -> View:
        return self._history.current

    @property
    def _glyph_set(self) -> GlyphSet:
        return cast("GlyphSet", self.app.glyphs.name)

    @property
    def _origin_ns(self) -> int:
        return self._trace_start_ns if self._reference_ns is None else self._reference_ns

    @property
    def _lane(self) -> Lane | None:
        return self._source.lane(self._view.lane) if self._source is not None else None

    @property
    def _row(self) -> int:
        """Row of the cursor in `Rows`; −1 for none."""
        return self._row_of(self._view.lane, self._view.sub_row)

    def _row_of(self, lane: int, sub_row: int) -> int:
        return self._source.row_of(lane, sub_row) if self._source is not None else -1

    def _state(self) -> CanvasState:
        """What the canvas shows at this moment."""
        view = self._view
        before, after = self._outside()
        return CanvasState(
            span=view.span, whole=self._whole, origin_ns=self._origin_ns, lane=view.lane, sub_row=view.sub_row,
            event=view.event, gap=view.gap, top=self._top, range=self._range, flow=self._flow,
            range_text=self._range_label(), before=before, after=after, marks=self._marks,
            loading=self._unread,
        )  # fmt: skip

    def _range_label(self) -> str:
        raise NotImplementedError

    def _make_source(self) -> None:
        """Lanes as they are chosen now."""
        timeline, rows = self._timeline, self._rows
        if timeline is None or rows is None:
            return
        window = self._within.window if self._within is not None else None
        self._kinds = kinds_of(timeline, self._op_types()) if self._colour_by == "category" else None
        colours = Colours(self._colour_by, self._kinds, self.app.bands, self._share_ns, window)
        has_gaps = not self._view.filter
        groups = lane_groups(timeline, rows)
        self._source = TimelineSource(timeline, rows, groups, self._view.choice, colours, self._glyph_set, has_gaps)
        self._time.set_source(self._source)
        self._in_view = None

    def _op_types(self) -> dict[str, str]:
        """Types of operators by name, where a table with them is read."""
        change = self.app.tables.get("ops")
        return types_of_ops(change.table if change is not None else None)

    # ── what the cursor is on ────────────────────────────────────────────────────────────────────────────────────────

    def _span_of(self, event: int) -> Span:
        assert self._timeline is not None
        return Span(int(self._timeline.start_ns[event]), self._timeline.end_ns(event))

    def _cursor_span(self) -> Span:
        """The event or gap under the cursor, else the middle of the window."""
        view = self._view
        if view.gap is not None:
            return view.gap
        if view.event >= 0 and self._timeline is not None:
            return self._span_of(view.event)
        return Span(view.span.middle_ns, view.span.middle_ns + 1)

    def _gap_here(self) -> Gaps | None:
        """The idle time under the cursor with its neighbours and cause; None on an event."""
        lane, gap = self._lane, self._view.gap
        if self._timeline is None or lane is None or gap is None or not lane.tracks:
            return None
        return gap_at(self._timeline, lane.tracks[0], gap.start_ns, gap.end_ns)

    def _events_here(self) -> NDArray[np.int64]:
        """Events of the lane, or of its part in the range."""
        lane, rows = self._lane, self._rows
        if lane is None or rows is None:
            return np.zeros(0, np.int64)
        return lane_events(rows, lane.rows, *(self._window or (None, None)))

    @property
    def _window(self) -> tuple[int, int] | None:
        """(start, end) of the range, else of the iterations shown; None for the whole trace."""
        if self._range is not None:
            return self._range.start_ns, self._range.end_ns
        return self._within.window if self._within is not None else None

    def _outside(self) -> tuple[int, int]:
        """Events of the cursor's name before and after the window."""
        names = self._namesakes()
        if names is None:
            return 0, 0
        before, after = names.outside(self._view.span.start_ns, self._view.span.end_ns)
        first, last = names.outside(self._whole.start_ns, self._whole.end_ns)
        return before - first, after - last

    def _namesakes(self) -> Namesakes | None:
        """Events of the lane with the name of the one under the cursor; remembered while the name stays."""
        timeline, rows, lane, event = self._timeline, self._rows, self._lane, self._view.event
        if timeline is None or rows is None or lane is None or event < 0 or not lane.rows:
            return None
        key = (self._view.lane, int(timeline.name_id[event]))
        if key != self._names_of:
            self._names_of, self._names = key, namesakes(timeline, rows, lane.rows, event)
        return self._names
