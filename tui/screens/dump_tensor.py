"""One pair of tensors looked at closely: figures, distribution on one axis, worst elements, slices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.widget import Widget

from tui.dump.pair_labels import row_label
from tui.i18n import N_, _
from tui.model.dump import DIVERGING, CompareRequest, DumpComparison
from tui.screens.dump_page import (
    Looked,
    beside,
    distribution_lines,
    keep_lines,
    metric_lines,
    metrics_line,
    side_lines,
    verdict_line,
    worst_lines,
)
from tui.screens.dump_runs import messages_of
from tui.screens.dump_slices import TensorSlices
from tui.screens.frame import Frame
from tui.screens.op_details import Room
from tui.units import number_text
from widgets.lines import LinesPane
from widgets.panes import HeadLine, Lines
from widgets.pieces import Line, Piece

if TYPE_CHECKING:
    from tui.dump.pair_view import CloseUp

VIEWS = ("histogram", "worst", "slice")
WIDE_FROM, TALL_FROM = 110, 34
"""Size from which everything but the slices is shown at once."""
MOST_BINS = 14
OTHER_LINES = 11
"""Frame, verdict, figures of both sides, head line; titles and metrics of the distribution."""


class TensorScreen(TensorSlices):
    """One pair, above the pairs; leaves with the pair that is shown last."""

    DIGIT = "7"
    NAME = "Dump"
    LABELS: ClassVar[Mapping[str, str]] = {
        "undo": N_("pairs"), "range": N_("slice"), "pan_left": N_("slice"), "choose": N_("axes"),
        "pane_next": N_("view"),
    }  # fmt: skip
    FOOTER = ("undo", "pane_next", "range", "notable_next", "pan_left", "choose", "export", "copy", "screen")

    def __init__(
        self, comparison: DumpComparison, at: int, request: CompareRequest, title: tuple[str, list[str]]
    ) -> None:
        super().__init__(comparison, at, request)
        self._title = title
        self._worst = 0

    def compose_panes(self) -> Iterable[Widget]:
        """Verdict and figures stay; below them one view."""
        yield Lines(id="verdict")
        yield HeadLine(id="view-head")
        yield LinesPane(id="view")

    def ready(self) -> None:
        """Reads the values of the pair."""
        self.query_one("#view", LinesPane).focus()
        self.query_one("#view-head", HeadLine).set_focused(True)
        self._look_at(self._looked.at)

    def _look_at(self, at: int) -> None:
        """Another pair."""
        self._looked = Looked(self._looked.comparison, at)
        self._worst = 0
        self.begin_slices()
        self._read(self._looked)
        self.show()

    @property
    def _all_at_once(self) -> bool:
        return self.size.width >= WIDE_FROM and self.size.height >= TALL_FROM

    @property
    def _bins(self) -> int:
        return max(4, min(MOST_BINS, self.size.height - OTHER_LINES))

    @work(thread=True, group="closeup", exclusive=True, exit_on_error=False, description="closeup")
    def _read(self, looked: Looked) -> None:
        from tui.dump.pair_view import look_closely

        for found in messages_of(self, look_closely, looked.row, self._request, self._bins):
            self.app.call_from_thread(self._came, looked.at, found)

    def _came(self, at: int, found: CloseUp) -> None:
        if at == self._looked.at and self.is_attached:
            self._looked = replace(self._looked, close=found)
            self.show()

    # ── what is shown ────────────────────────────────────────────────────────────────────────────────────────────────

    def after_resize(self) -> None:
        """Other columns fit."""
        self.show()

    @on(LinesPane.Resized)
    def _pane_resized(self, event: LinesPane.Resized) -> None:
        event.stop()
        self.show()

    def show(self) -> None:
        """Writes the view anew."""
        if not self.is_attached:
            return
        pane = self.query_one("#view", LinesPane)
        room = Room(self.size.width, max(pane.size.height, 1), pane.look, self.app.glyphs.name)  # type: ignore[arg-type]
        self.query_one("#verdict", Lines).set_lines([verdict_line(self._looked, room), *side_lines(self.row, room)])
        title, facts = self._head()
        self.query_one("#view-head", HeadLine).set_content(title, facts)
        pane.set_lines(self._view_lines(room), keep_top=True)
        self.show_frame()

    def _head(self) -> tuple[str, str]:
        if self._view == "slice":
            return _("slice"), self.slice_text()
        if self._view == "worst":
            return _("worst elements"), _("enter shows one in its slice")
        count = self.row.b.count if self.row.b is not None else 0
        return _("value range"), _("share of {n} elements, %").format(n=number_text(count, 0))

    def _view_lines(self, room: Room) -> list[Line]:
        if self._view == "slice":
            return self.slice_page(room)
        if self._view == "worst":
            return worst_lines(self._looked, room, self._worst)
        if self._all_at_once:
            return self._whole_page(room)
        lines = distribution_lines(self._looked, room)
        return [*lines, metrics_line(self.row, room)]

    def _whole_page(self, room: Room) -> list[Line]:
        """Distribution above worst elements and metrics."""
        upper = [*distribution_lines(self._looked, room), []]
        half, height = room.width // 2, max(room.height - len(upper) - 1, 3)
        left, right = replace(room, width=half - 1, height=height), replace(room, width=room.width - half)
        worst = [left.rule(_("worst elements")), *worst_lines(self._looked, left)]
        figures = [right.rule(_("metrics")), *metric_lines(self.row, self._looked.comparison.threshold, right)]
        if self._kept:
            figures += [[], right.rule(_("keep in fp32"), _("e writes the file")), *keep_lines(self._kept, right)]
        return [*upper, *beside(worst, figures, half)]

    @property
    def _kept(self) -> list[str]:
        """What the export keeps in float32: this operator, where it should be."""
        names = self.row.originals or (self.row.op_name,)
        kept = self._looked.comparison.keep_float32.by_name
        return [name for name in names if name in kept]

    def title_facts(self, wide: bool) -> tuple[str, list[str]]:
        """Those of the pairs."""
        return self._title

    def title_right(self) -> Sequence[Piece] | str:
        """Which pair of how many."""
        of = number_text(len(self._looked.comparison.rows), 0)
        return _("pair {n} of {all}").format(n=number_text(self._looked.at + 1, 0), all=of)

    def steps(self) -> Sequence[Piece]:
        """The tensor and the view."""
        names = {"histogram": _("histogram"), "worst": _("worst elements"), "slice": _("slice")}
        return [Piece(row_label(self.row)), Piece(names[self._view])]

    def status_left(self) -> Sequence[Piece] | str:
        """How the sides were stored."""
        sides = ((name, stats) for name, stats in (("A", self.row.a), ("B", self.row.b)) if stats is not None)
        layouts = [f"{name} {stats.format}" for name, stats in sides if stats.format]
        dot = f" {self.app.glyphs.dot} "
        return _("stored as {layouts}, shown in logical order").format(layouts=dot.join(layouts)) if layouts else ""

    def status_right(self) -> Sequence[Piece] | str:
        """The element under the cursor of a slice."""
        return self.element_text() if self._view == "slice" else _("slice view: v")

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def can(self, name: str) -> bool:
        """What the view has: slices move sideways, the worst elements can be opened."""
        if name in ("left", "right", "choose", "pan_left", "pan_right", "goto"):
            return self._view == "slice" and (name not in ("choose", "pan_left", "pan_right") or len(self.shape) > 2)
        if name == "open_item":
            return self._view == "worst" and bool(self._looked.close and self._looked.close.worst)
        if name == "undo":
            return True
        return name not in ("redo", "baseline", "swap") and super().can(name)

    def _go(self, view: str) -> None:
        self._view = view
        if view == "slice":
            self.move_to(self._slice.at)
        self.show()

    def do_pane_next(self) -> None:
        """Histogram, worst elements, slice."""
        self._go(VIEWS[(VIEWS.index(self._view) + 1) % len(VIEWS)])

    def do_pane_prev(self) -> None:
        """The view before."""
        self._go(VIEWS[(VIEWS.index(self._view) - 1) % len(VIEWS)])

    def do_range(self) -> None:
        """The slice, and back."""
        self._go("histogram" if self._view == "slice" else "slice")

    def do_open_item(self) -> None:
        """The worst element in its slice."""
        close = self._looked.close
        if close is not None and close.worst:
            index = close.worst[self._worst].index or (0,)
            self._view = "slice"
            self.move_to(index)

    def _vertical(self, step: int, name: str) -> None:
        """Rows of the slice, the worst elements, else the lines of the view."""
        if self._view == "slice":
            rows, columns = self._slice.axes
            if rows != columns:
                self._step(rows, step)
        elif self._view == "worst":
            count = len(self._looked.close.worst) if self._looked.close is not None else 0
            self._worst = max(0, min(self._worst + step, count - 1))
            self.show()
        else:
            getattr(self.query_one("#view", LinesPane), f"action_{name}")()

    def do_up(self) -> None:
        """Row up."""
        self._vertical(-1, "cursor_up")

    def do_down(self) -> None:
        """Row down."""
        self._vertical(1, "cursor_down")

    def do_page_up(self) -> None:
        """Page up."""
        self._vertical(-self.query_one("#view", LinesPane).size.height // 2, "page_up")

    def do_page_down(self) -> None:
        """Page down."""
        self._vertical(self.query_one("#view", LinesPane).size.height // 2, "page_down")

    def do_first(self) -> None:
        """First row."""
        self._vertical(-(1 << 40), "first")

    def do_last(self) -> None:
        """Last row."""
        self._vertical(1 << 40, "last")

    def do_notable_next(self) -> None:
        """The next tensor that differs."""
        self._step_notable(1)

    def do_notable_prev(self) -> None:
        """The one before."""
        self._step_notable(-1)

    def _step_notable(self, step: int) -> None:
        rows, at = self._looked.comparison.rows, self._looked.at + step
        while 0 <= at < len(rows):
            if rows[at].verdict in DIVERGING and rows[at].counted and not rows[at].is_input:
                self._look_at(at)
                return
            at += step
        self.app.tell(_("no further tensor differs"))

    def do_export(self) -> None:
        """Asks what to write."""
        from tui.screens.dump_taking import choose_tensor_export

        choose_tensor_export(self, self._looked.comparison, self.row, self._request)

    def command_convert(self, text: str) -> str:
        """Writes both sides as .npy and .txt; returns why it cannot, or empty."""
        from tui.screens.dump_taking import convert_pair

        return convert_pair(self, self.row, self._request, text)

    def do_copy(self) -> None:
        """Copies the figures of the view."""
        lines = self._view_lines(self._copy_room())
        text = "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)
        self.app.copy_text(text + "\n", self._head()[0])

    def _copy_room(self) -> Room:
        pane = self.query_one("#view", LinesPane)
        return Room(self.size.width, max(pane.size.height, 1), pane.look, self.app.glyphs.name)  # type: ignore[arg-type]

    def do_undo(self) -> None:
        """Back to the pairs."""
        self.dismiss(self._looked.at)  # type: ignore[arg-type]

    def do_close(self) -> None:
        """Back to the pairs."""
        self.do_undo()

    def follow(self, target: str) -> None:
        """What another screen asks for is shown by the pairs below."""
        below = self.app.screen_stack[-2]
        self.dismiss(None)
        if isinstance(below, Frame):
            below.follow(target)
