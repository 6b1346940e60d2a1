"""Both timelines above each other, A over B, on one axis: what is seen of them, and what is said of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from textual.widget import Widget

from tui.i18n import _
from tui.screens.history import History
from tui.screens.stacked_reading import SIGNS, StackedReading
from tui.screens.stacked_side import Kin, Names, Place, StackedSide, partner_of
from tui.screens.stacked_text import Told, detail_lines, head_text, nth_text, shift_text
from tui.session import Session
from tui.sides import run_name
from tui.units import GlyphSet, span_text
from widgets.canvas_state import CanvasState
from widgets.panes import HeadLine, Lines
from widgets.pieces import Line, Piece, gap
from widgets.timeview import TimeView
from widgets.viewport import Span

TALL_FROM = 34
"""Lines from which on B has an axis of its own."""
NO_KIN = Kin(np.zeros(0, np.int64), -1)


@dataclass(frozen=True)
class Stack:
    """One step of the history. Times of `span` count from `zeros_ns`, which lie at the same place of the axis."""

    span: Span
    zeros_ns: tuple[int, int]
    active: int = 0
    """The side that the cursor is on."""
    place: Place = Place()  # noqa: RUF009 (an immutable tuple)
    aligned: tuple[str, str] = ("", "")
    """Names of the events that lie over each other; empty while both begin at the same place."""


class StackedShown(StackedReading):
    """A above B. The cursor stands on an event of one side and shows the one that belongs to it on the other."""

    DIGIT = "6"
    NAME = "Compare"

    def __init__(self, sessions: tuple[Session, Session], start: Names, pairs: Mapping[str, str]) -> None:
        """
        Args:
            start: The operator that both are laid over each other at when they are read.
            pairs: Names of operators in B by those in A, where they differ.
        """
        super().__init__(sessions)
        self._start_at = start
        self._names = (pairs, {theirs: mine for mine, theirs in pairs.items()})
        self._history = History(Stack(Span(0, 1), (0, 0)))
        self._tops = [0, 0]
        self._seen: list[tuple[int, int, int] | None] = [None, None]
        """Lane, sub-row and height that the lanes of each side were last scrolled for."""
        self._details_on = True
        self._is_over = False

    def compose_panes(self) -> Iterable[Widget]:
        """Each side under its head line, then the details of both events."""
        for sign in "ab":
            yield HeadLine(id=f"{sign}-head")
            yield TimeView(id=f"{sign}-time")
            yield Lines(id=f"{sign}-none")
        yield HeadLine(id="pair-head")
        yield Lines(id="pair")

    def ready(self) -> None:
        """Reads both."""
        self._arrange()
        self.begin()

    def _align(self, step: bool, window: bool = False) -> None:
        raise NotImplementedError

    # ── what is there ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _stack(self) -> Stack:
        return self._history.current

    @property
    def _glyphs(self) -> GlyphSet:
        return self.app.glyphs.name  # type: ignore[return-value]

    def _side(self, index: int) -> StackedSide | None:
        return self._readings[index].side

    @property
    def _active(self) -> StackedSide | None:
        return self._side(self._stack.active)

    def _view(self, index: int) -> TimeView:
        return self.query_one(f"#{'ab'[index]}-time", TimeView)

    @property
    def _whole(self) -> Span:
        """All of both, as they lie over each other."""
        spans = [
            (side.whole.start_ns - zero_ns, side.whole.end_ns - zero_ns)
            for side, zero_ns in zip(map(self._side, (0, 1)), self._stack.zeros_ns)
            if side is not None
        ]
        return Span(min(start for start, _end in spans), max(end for _start, end in spans)) if spans else Span(0, 1)

    def _told(self) -> list[Told]:
        """The event under the cursor and the one of the other side."""
        stack, active = self._stack, self._active
        kins = [NO_KIN, NO_KIN]
        if active is not None and stack.place.event >= 0:
            kins[stack.active] = active.kin_of(stack.place.event)
            other = self._side(1 - stack.active)
            if other is not None:
                kins[1 - stack.active] = self._partner(active, stack.place.event, other)
        return [
            Told(run_name(reading.session), reading.side, kin, zero_ns)
            for reading, kin, zero_ns in zip(self._readings, kins, stack.zeros_ns)
        ]

    def _partner(self, side: StackedSide, event: int, other: StackedSide) -> Kin:
        name = side.name_of(event)
        paired = self._names[0 if side is self._side(0) else 1].get(name)
        return partner_of(side, event, other, [name] if paired is None else [paired, name])

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────────

    def side_progressed(self, index: int) -> None:
        """Shows how far it is."""
        self._show_none(index)
        self.show_status()

    def side_came(self, index: int) -> None:
        """Both lie at their starts first; when both are there, over each other at the operator that was asked for."""
        self._arranged(index)
        if all(reading.loader is None for reading in self._readings):
            self._begin()
        self._arrange()
        self.call_after_refresh(self._show)

    def _arranged(self, index: int) -> None:
        side = self._side(index)
        if side is not None:
            self._view(index).set_source(side.arranged(self.app.bands, self._glyphs))

    def _begin(self) -> None:
        sides = [self._side(0), self._side(1)]
        active = next((index for index, side in enumerate(sides) if side is not None), -1)
        if active < 0:
            return
        starts = [side.whole.start_ns if side is not None else 0 for side in sides]
        self._history = History(Stack(Span(0, 1), (starts[0], starts[1]), active))
        self._history.replace(replace(self._stack, span=self._whole))
        for index, side in enumerate(sides):
            event = side.longest_named(self._start_at.on(index)) if side is not None else -1
            if side is not None and event >= 0:
                self._history.replace(replace(self._stack, active=index, place=side.place_of(event)))
                self._align(step=False, window=True)
                return
        side = sides[active]
        assert side is not None
        self._history.replace(replace(self._stack, place=side.first()))
        if self._start_at != Names():
            self.app.tell(_("{name} is not on the timeline").format(name=self._start_at.a or self._start_at.b))

    def session_closed(self) -> None:
        """These two are no longer the ones compared: back to the rows, at once or when it is in front again."""
        self._is_over = True
        if self.is_current:
            self.dismiss(None)

    def baseline_changed(self) -> None:
        """The same."""
        self.session_closed()

    def on_screen_resume(self) -> None:
        """It may be over by now."""
        if self._is_over:
            self.dismiss(None)
        else:
            super().on_screen_resume()

    def settings_changed(self) -> None:
        """Other bands."""
        for index in (0, 1):
            self._arranged(index)
        self._show()

    def after_resize(self) -> None:
        """Other room."""
        self._arrange()
        self._seen = [None, None]
        self.call_after_refresh(self._show)

    # ── what is shown ────────────────────────────────────────────────────────────────────────────────────────────────

    def _arrange(self) -> None:
        for index, reading in enumerate(self._readings):
            self._view(index).display = reading.side is not None
            self.query_one(f"#{'ab'[index]}-none", Lines).display = reading.side is None
            self._show_none(index)
        has_one_axis = self._side(0) is not None and self.size.height < TALL_FROM
        self._view(1).query_one("#time-axis").display = not has_one_axis
        for name in ("#pair-head", "#pair"):
            self.query_one(name).display = self._details_on

    def _show_none(self, index: int) -> None:
        """In place of lanes: progress, or why there are none."""
        reading, lines = self._readings[index], self.query_one(f"#{'ab'[index]}-none", Lines)
        shown = lines.look.shown
        told: list[Line] = [[gap(1), Piece(shown(reading.progress or reading.reason), "text")]]
        if reading.hint:
            told.append([gap(1), Piece(shown(reading.hint), "muted")])
        lines.set_lines([*told, []])

    def _show(self) -> None:
        if not self.is_attached:
            return
        told = self._told()
        for index in (0, 1):
            self._show_side(index, told)
        shown = next((each for each in (told[self._stack.active], *told) if each.event >= 0), None)
        name = shown.side.name_of(shown.event) if shown is not None and shown.side is not None else ""
        self.query_one("#pair-head", HeadLine).set_content(name or _("no event here"), nth_text(told))
        pair = self.query_one("#pair", Lines)
        pair.set_lines(detail_lines(told, pair.look, self.size.width, self._glyphs) if name else [[], [], []])
        self.show_frame()

    def _show_side(self, index: int, told: Sequence[Told]) -> None:
        stack, side, view = self._stack, self._side(index), self._view(index)
        head = self.query_one(f"#{'ab'[index]}-head", HeadLine)
        zero_ns = stack.zeros_ns[index]
        since_ns = zero_ns - side.whole.start_ns if side is not None else 0
        head.set_content(f"{SIGNS[index]} {told[index].name}", head_text(stack.aligned[index], since_ns, self._glyphs))
        head.set_focused(index == stack.active)
        if side is None:
            return
        place = stack.place if index == stack.active else self._place_beside(index, side, told[index].event)
        state = CanvasState(
            span=moved(stack.span, zero_ns), whole=moved(self._whole, zero_ns), origin_ns=zero_ns, lane=place.lane,
            sub_row=place.sub_row, event=place.event, top=self._tops[index],
            marks=(zero_ns,) if stack.aligned[index] else (),
        )  # fmt: skip
        seen = (place.lane, place.sub_row, view.canvas.size.height)
        if self._seen[index] != seen:
            self._seen[index] = seen
            self._tops[index] = view.scrolled_to_cursor(state)
        view.labels.set_lines(*self._axis_labels(index))
        view.set_state(replace(state, top=self._tops[index]))

    def _place_beside(self, index: int, side: StackedSide, event: int) -> Place:
        """Where the other side shows what the cursor is on; without such an event, the lane of the same name."""
        mine = self._side(1 - index)
        if event >= 0 or mine is None or self._stack.place.lane < 0:
            return side.place_of(event)
        title = mine.source.lanes()[self._stack.place.lane].title
        titles = [lane.title for lane in side.source.lanes()]
        return Place(titles.index(title)) if title in titles else Place()

    def _axis_labels(self, index: int) -> tuple[Line, Line]:
        """The window, and how far B is moved."""
        length = span_text(self._stack.span.length_ns, self._glyphs)
        name = _("all") if self._stack.span == self._whole else _("view")
        window: Line = (gap(1), Piece(f"{name}  ", "muted"), Piece(length, "text"))
        return window, () if index == 0 else (gap(1), Piece(_("same axis"), "muted"))

    # ── frame lines ──────────────────────────────────────────────────────────────────────────────────────────────────

    def steps(self) -> Sequence[Piece]:
        """From what to what, and at what both lie over each other."""
        arrow = self.app.glyphs.shown("→")
        aligned = self._stack.aligned[0] or self._stack.aligned[1]
        at = _("aligned at {name}").format(name=aligned) if aligned else _("from their start")
        return [Piece(f"A {arrow} B"), Piece(at)]

    def title_right(self) -> Sequence[Piece] | str:
        """The baseline."""
        return [Piece("A  ", "fact"), Piece(run_name(self._readings[0].session), "bright")]

    def title_facts(self, wide: bool) -> tuple[str, list[str]]:
        """The baseline stands at the right end."""
        name, facts = self.app.title_facts(wide)
        told = self.app.baseline_facts()
        return name, [fact for fact in facts if fact not in told]

    def status_left(self) -> Sequence[Piece] | str:
        """Progress of both, else how far B is moved."""
        progress = [f"{sign} {reading.progress}" for sign, reading in zip(SIGNS, self._readings) if reading.progress]
        if progress:
            return [Piece("   ".join(progress), "text")]
        if None in map(self._side, (0, 1)):
            return ""
        return [Piece(shift_text(self._shift_ns, self._glyphs), "text")]

    @property
    def _shift_ns(self) -> int:
        """How far B is moved to later times, against both starts lying at one place."""
        starts = [side.whole.start_ns for side in map(self._side, (0, 1)) if side is not None]
        before = [zero - start for zero, start in zip(self._stack.zeros_ns, starts)]
        return before[0] - before[1] if len(before) > 1 else 0

    def status_right(self) -> Sequence[Piece] | str:
        """The width of a cell."""
        columns = next((view.columns for view in map(self._view, (0, 1)) if view.display and view.columns), 0)
        if not columns:
            return ""
        cell_ns = max(self._stack.span.length_ns / columns, 1)
        return [Piece(_("1 cell = {time}").format(time=span_text(cell_ns, self._glyphs)))]


def moved(span: Span, by_ns: int) -> Span:
    """The same length so much later."""
    return Span(span.start_ns + by_ns, span.end_ns + by_ns)
