"""What the Dump screen shows of a comparison: its pairs, what it comes to, the details of the pair under the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.timer import Timer
from textual.widget import Widget

from tui.dialogs import key_text
from tui.i18n import _, ngettext
from tui.model.dump import CompareRequest, DumpComparison, PairRow
from tui.model.table import Table
from tui.model.view import Shown, View
from tui.screens.dump_facts import bytes_of, counts_text, titles
from tui.screens.dump_page import Looked, distribution_lines
from tui.screens.dump_pane import pair_pane, summary_lines
from tui.screens.dump_runs import DumpRuns, messages_of
from tui.screens.dump_table import FIRST_VIEW, WIDE_FROM, PairRows, comparison_of, default_keys, pair_plans
from tui.screens.event_view import row_title
from tui.screens.op_details import Pane, Room
from tui.screens.rows import Plan, ShownRows, Words
from tui.units import number_text
from widgets.panes import Lines, state_line, wrapped
from widgets.pieces import Line, Piece, gap

if TYPE_CHECKING:
    from tui.dump.pair_view import CloseUp

REST_S = 0.25
"""The cursor rests on a pair for this time before its values are read."""
LEAST_BINS, MOST_BINS = 6, 14
BESIDE_BINS = 8
"""Lines of the details that are no bins."""
MOST_BYTES = 256 << 20
"""Larger pairs are only read when they are opened."""


class DumpPairs(DumpRuns):
    """Pairs of two dumps, or of a comparison that another tool made."""

    DIGIT = "7"
    NAME = "Dump"
    DETAILS_LINES = 5

    def __init__(self) -> None:
        super().__init__()
        self._close_ups: dict[int, CloseUp] = {}
        self._look_timer: Timer | None = None

    def ready(self) -> None:
        """A comparison table that the program was started with is shown at once."""
        from tui.screens.dump_opening import dump_opened

        opened = dump_opened(self.app)
        if opened is not None and opened.is_file() and self.app.dump_request is None:
            self.app.dump_request = CompareRequest(str(opened), "")
        super().ready()

    def compose_panes(self) -> Iterable[Widget]:
        """What the comparison comes to, above its rows."""
        yield Lines(id="summary")
        yield from super().compose_panes()

    def none_lines(self) -> list[Line]:
        """Why there are no pairs, and how to get some."""
        from tui.screens.dump_opening import dump_opened

        pane = self.query_one("#summary", Lines)
        change, open_key, opened = self._change, key_text(self.app, "open_profile", 1), dump_opened(self.app)
        reason = change.reason if change is not None and change.reason else _("no dumps are open")
        if opened is not None and self.request is None:
            reason = _("A is {name}").format(name=opened.name)
            return [[], state_line(reason, "", open_key, _("asks for the golden dump to compare it with"))]
        told = wrapped([Piece(pane.look.shown(reason), "text")], self.size.width - 3)
        return [
            [],
            *([gap(1), *line] for line in told),
            [],
            state_line("", "", open_key, _("opens a pair of dumps or a comparison table")),
            [],
            [gap(1), Piece(_("A is the run under test, B the golden one; as a command:"), "muted"), gap(1),
             Piece(":dump A B", "bright")],
            [gap(1), Piece(_("no dumps yet?"), "muted"), gap(1), Piece(":acl-json FILE MODEL", "bright"), gap(1),
             Piece(_("writes what makes a model dump its operators"), "muted")],
        ]  # fmt: skip

    def plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        """Name, shape, telling metrics, head-room, verdict; the rest can be chosen."""
        glyphs = self.app.glyphs
        return pair_plans(table, shown, words, glyphs.divergence, glyphs.edge, self.size.width)

    def rows_of(self, table: Table, shown: Shown, plans: Sequence[Plan], view: View) -> ShownRows:
        """Rows that only inherit a fault are set back."""
        return PairRows(table, shown, plans, view)

    def default_keys(self, shown: Shown) -> Sequence[str]:
        """Everything of a group; else what fits the width."""
        return shown.table.keys if shown.groups is not None else default_keys(self.size.width)

    def beside(self, shown: Shown | None) -> bool:
        """The head-room needs the width."""
        return False

    def pair_at(self, position: int) -> int:
        """Index among the pairs of the row shown at a position; -1 for a group."""
        applied = self.applied
        if applied is None or applied.shown.groups is not None or not 0 <= position < len(applied.shown.rows):
            return -1
        return int(applied.shown.rows[position])

    @property
    def pair(self) -> PairRow | None:
        """The pair under the cursor."""
        at, comparison = self.pair_at(self.grid.cursor_row), self.comparison
        return comparison.rows[at] if at >= 0 and comparison is not None else None

    def pane(self, table: Table, shown: Shown, position: int, room: Room) -> Pane:
        """Ranges of both sides, and what to do next."""
        at, comparison = self.pair_at(position), self.comparison
        if at < 0 or comparison is None:
            return Pane(row_title(shown.table, int(shown.rows[position])), "", [])
        keys = [
            (key_text(self.app, name, 1), word)
            for name, word in (
                ("open_item", _("histogram")),
                ("select", _("choose")),
                ("export", _("write keep-dtype for chosen ops")),
            )
        ]
        return pair_pane(comparison, at, room, keys, self._distribution(comparison, at, room))

    def _distribution(self, comparison: DumpComparison, at: int, room: Room) -> list[Line]:
        """Both sides on one axis, where there is room; read when the cursor has come to rest."""
        row = comparison.rows[at]
        if not room.tall or row.metrics is None or not row.counted or bytes_of(row) > MOST_BYTES:
            return []
        known = self._close_ups.get(at)
        if known is None:
            self._look_soon(at, max(LEAST_BINS, min(MOST_BINS, room.height - BESIDE_BINS)))
            return []
        return [[], *distribution_lines(Looked(comparison, at, known), room)]

    def _look_soon(self, at: int, bins: int) -> None:
        if self._look_timer is not None:
            self._look_timer.stop()
        self._look_timer = self.set_timer(REST_S, partial(self._look_now, at, bins))

    def _look_now(self, at: int, bins: int) -> None:
        comparison, request = self.comparison, self.request
        rests = self.is_current and at == self.pair_at(self.grid.cursor_row)
        if rests and comparison is not None and request is not None:
            self._look(comparison.rows[at], at, request, bins)

    @work(thread=True, group="closeup", exclusive=True, exit_on_error=False, description="closeup")
    def _look(self, row: PairRow, at: int, request: CompareRequest, bins: int) -> None:
        from tui.dump.pair_view import look_closely

        for found in messages_of(self, look_closely, row, request, bins):
            self.app.call_from_thread(self._looked, at, request, found)

    def _looked(self, at: int, request: CompareRequest, found: CloseUp) -> None:
        if request is self.request:
            self._close_ups[at] = found
            self._show_details()

    def compare(self, request: CompareRequest) -> None:
        """What was seen of the pairs so far is of no use any more."""
        self._close_ups.clear()
        super().compare(request)

    def title_facts(self, wide: bool) -> tuple[str, list[str]]:
        """The model, and both sides with their types."""
        request, table = self.request, self._table
        if request is None:
            return super().title_facts(wide)
        if not request.path_b:
            return Path(request.path_a).name, [_("comparison table")]
        sides = ((request.path_a, "A"), (request.path_b, "B"))
        model, types = ("", ("", "")) if table is None else table.once("titles", partial(titles, comparison_of(table)))
        names = [f"{side} {kind} {Path(path).name}".replace("  ", " ") for (path, side), kind in zip(sides, types)]
        return model or Path(request.path_a).name, [f" {self.app.glyphs.dot} ".join(names)]

    def crumbs(self, view: View) -> Sequence[str]:
        """Execution order, unless something else was chosen."""
        if view.group:
            return [_("by {column}").format(column=view.group[-1])]
        return [] if view.sort else [_("execution order")]

    def count_text(self, shown: Shown) -> str:
        """All pairs."""
        n = shown.total_rows
        return ngettext("{n} pair", "{n} pairs", n).format(n=number_text(n, 0))

    def title_right(self) -> Sequence[Piece] | str:
        """The first view is no narrowed one."""
        applied = self.applied
        if applied is not None and replace(applied.view, sort=()) == FIRST_VIEW and not self._is_partial():
            n = len(applied.shown.base_rows)
            pairs = ngettext("{n} pair", "{n} pairs", n).format(n=number_text(n, 0))
            hidden = applied.shown.total_rows - n
            inputs = ngettext("and {n} input", "and {n} inputs", hidden).format(n=number_text(hidden, 0))
            told = [Piece(f" {inputs}", "muted")] if hidden and self.size.width >= WIDE_FROM else []
            return [Piece(pairs), *told]
        return super().title_right()

    def position_text(self, shown: Shown, position: int) -> str:
        """How many pairs do not agree."""
        table = self._table
        return table.once("counts", partial(counts_text, comparison_of(table))) if table is not None else ""

    def status_left(self) -> Sequence[Piece] | str:
        """Progress, else how long it took."""
        text = self.progress_text()
        return [Piece(text, "text")] if self.is_comparing else text

    def show_frame(self) -> None:
        """The lines of the frame, and what the comparison comes to."""
        super().show_frame()
        if self.is_attached:
            table, pane = self._table, self.query_one("#summary", Lines)
            pane.display = table is not None
            if table is not None:
                look, width = pane.look, self.size.width
                make = partial(summary_lines, comparison_of(table), look, width)
                pane.set_lines(table.once(("summary", look.glyphs.name, width), make))

    def compared(self) -> None:
        """The cursor goes to the first divergence, unless the user is on his way already."""
        comparison, grid = self.comparison, self.grid
        if comparison is not None and comparison.first_divergence is not None and not self._was_moved:
            self.go_to_table_row(comparison.first_divergence.row)
            self.call_after_refresh(self._show_around)
        grid.move_to_column("cosine")

    def _show_around(self) -> None:
        """Brings what inherits the first divergence into view too."""
        grid = self.grid
        place = grid.cursor_row
        for row in (0, place + grid.size.height // 3, place):
            grid.move_to(row)
