"""What a tuning came to: its operators by what they save, the loop, and how the result is used."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from textual import work
from textual.widget import Widget

from tui.i18n import N_, _, ngettext
from tui.job_report import STATE_NAMES, kind_text
from tui.messages import TableChanged
from tui.model.jobs import Job
from tui.model.table import Table
from tui.model.tuning import TuningOutcome, TuningResult
from tui.model.tuning_table import tuning_table
from tui.model.view import Shown, View
from tui.screens.op_details import Pane, Room
from tui.screens.rows import Plan, Words
from tui.screens.run_base import RunFrame
from tui.screens.run_measured import loop_steps, measured_change, measured_pieces
from tui.screens.run_page import STATE_ROLES, loop_line
from tui.screens.table_screen import TableScreen
from tui.screens.tuning_rows import NOTICED_PCT, tuning_keys, tuning_pane, tuning_plans
from tui.tools.following import elapsed_s
from tui.tools.tuning_dirs import all_ops, export_line, tuning_outcome
from tui.units import elapsed_text, number_text
from widgets.columns import ColumnState
from widgets.panes import HeadLine, Lines, wrapped
from widgets.pieces import Line, Piece, gap, spread
from widgets.text import cells, cut_middle


class TuningScreen(RunFrame, TableScreen):
    """The operators that a tuning changed, above the list of jobs; opens by itself when the tuning is over."""

    KIND = "tuning"
    LABELS: ClassVar[Mapping[str, str]] = {"run": N_("measure it"), "undo": N_("undo")}
    FOOTER = ("run", "copy", "sort_desc", "filter", "select", "export", "undo", "screen")

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.tuned = job
        self.outcome: TuningOutcome | None = None
        self.result: TuningResult | None = None
        self._details_on = False

    def compose_panes(self) -> Iterable[Widget]:
        """What it came to, the grid, how to use it."""
        yield Lines(id="tuning-summary")
        yield HeadLine(id="tuning-head")
        yield from super().compose_panes()
        yield HeadLine(id="use-head")
        yield Lines(id="use")

    def ready(self) -> None:
        """Reads the reports."""
        self._grid.focus()
        self._arrange()
        self._grid.set_empty_lines([[], [gap(1), Piece(_("reading the reports"), "muted")]])
        self.query_one("#tuning-head", HeadLine).set_focused(True)
        self._show_around()
        self._read()

    @work(thread=True, group="tuning", exclusive=True, exit_on_error=False, description="tuning")
    def _read(self) -> None:
        outcome = tuning_outcome(self.tuned)
        found = all_ops(outcome)
        table = tuning_table(found) if found is not None else None
        self.app.call_from_thread(self._came, outcome, found, table)

    def _came(self, outcome: TuningOutcome, found: TuningResult | None, table: Table | None) -> None:
        if not self.is_attached:
            return
        self.outcome, self.result = outcome, found
        self.app.tuning_read(outcome, [row.job for row in self.app.job_rows])
        self._show_around()
        change = TableChanged(self.KIND, table, reason=self._none_text())
        self.app.tables[self.KIND] = change
        self.table_changed(change)
        if table is None:
            self._grid.set_empty_lines([[], [gap(1), Piece(self._none_text(), "text")]])

    def _none_text(self) -> str:
        if self.outcome is not None and self.outcome.problems:
            problem = self.outcome.problems[0]
            return " - ".join(filter(None, (problem.where, problem.what, problem.hint)))
        return _("the tuning left no report of single operators; job type 2 leaves one")

    def session_closed(self) -> None:
        """A tuning is no part of the profile: it stays."""

    def scope_changed(self) -> None:
        """It is not limited to iterations of the profile either."""

    def overview_ready(self) -> None:
        """Nothing of it is shown here."""

    def open_failed(self, failure: object) -> None:
        """Nothing of it is shown here."""

    # ── around the grid ──────────────────────────────────────────────────────────────────────────────────────────────

    def _show_around(self) -> None:
        summary, use = self.query_one("#tuning-summary", Lines), self.query_one("#use", Lines)
        look = summary.look
        loop = loop_line(loop_steps(self.app), look, self.size.width)
        lines = [look.cut(self._summary(), self.size.width - 1), loop, []]
        summary.set_lines(lines)
        self.query_one("#tuning-head", HeadLine).set_content(_("tuned operators"), _("by time saved"))
        used = list(self._use_lines())
        self.query_one("#use-head", HeadLine).set_content(_("use it"))
        use.set_lines([look.cut([piece._replace(text=look.shown(piece.text)) for piece in line], self.size.width - 1)
                       for line in used])  # fmt: skip

    def _summary(self) -> list[Piece]:
        job = self.tuned
        line = [gap(1), Piece(_(STATE_NAMES[job.state]), f"{STATE_ROLES[job.state]} bold"), gap(1),
                Piece(elapsed_text(elapsed_s(job)), "text")]  # fmt: skip
        claimed = job.claimed_gain_pct
        if claimed is not None:
            line += [gap(4), Piece(_("claimed") + " ", "muted"), Piece(f"{claimed:g} %", "better bold")]
        line += [gap(3), *measured_pieces(measured_change(self.app, job))]
        if self.result is not None:
            n, gained = len(self.result.ops), sum(op.gain_pct >= NOTICED_PCT for op in self.result.ops)
            told = _("{gained} of {n} gained ≥ 1 %").format(gained=gained, n=number_text(n, 0))
            line += [gap(3), Piece(told, "text")]
        return line

    def _use_lines(self) -> Iterable[Line]:
        """The export line of the bank, the tuned model, measuring it."""
        job, width = self.tuned, self.size.width - 1
        look = self.query_one("#use", Lines).look
        if job.command.bank:
            yield from self._export_lines(look.shown(export_line(job.command.bank)))
        else:
            yield [gap(1), Piece(_("the bank is the one of aoe: later builds use it without a variable"), "muted")]
        for model in self.outcome.models[:1] if self.outcome is not None else ():
            end = _("tuned model")
            path = look.shown(os.path.relpath(model, job.command.cwd))
            shown = cut_middle(path, width - cells(end) - 4, look.glyphs.ellipsis)
            yield spread([gap(1), Piece(shown, "text")], [Piece(end, "muted")], width)
        text = _("measure it: the same msprof command on the tuned model, then compare")
        yield [gap(1), Piece("!", "bright"), gap(1), Piece(text, "muted")]

    def _export_lines(self, text: str) -> Iterable[Line]:
        """The line in full, however long it is."""
        end, width = _(":copy-export copies"), self.size.width - 1
        if cells(text) + cells(end) + 4 <= width:
            yield spread([gap(1), Piece(text, "bright")], [Piece(end, "muted")], width)
            return
        yield from ([gap(1), *line] for line in wrapped([Piece(text, "bright")], width - 2))
        yield [gap(1), Piece(end, "muted")]

    def findings_changed(self) -> None:
        """What they were made of may be a comparison, which measures the tuning."""
        self.run_changed()

    def run_changed(self) -> None:
        """Other jobs: the loop has gone on."""
        if self.is_ready and self.is_attached:
            self._show_around()

    def after_resize(self) -> None:
        """Other widths."""
        super().after_resize()
        self._show_around()

    # ── the grid ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        """Name, type, before, after, saved, gain, a bar of what is left and saved, share of the model."""
        return tuning_plans(table, shown, words)

    def default_keys(self, shown: Shown) -> Sequence[str]:
        """What fits; everything of a group."""
        if shown.groups is not None:
            return shown.table.keys
        return tuning_keys(shown.table)

    def first_view(self, table: Table) -> View:
        """What saves most comes first."""
        return View(sort=(("saved_us" if "saved_us" in table.keys else "saved_ticks", True),))

    def do_reset(self) -> None:
        """By time saved, all columns as they were."""
        if self._table is not None:
            self.app.state.put("columns", self.KIND, None)
            self.go_to_view(self.first_view(self._table), ColumnState())

    def beside(self, shown: Shown | None) -> bool:
        """The bars need the width."""
        return False

    def pane(self, table: Table, shown: Shown, position: int, room: Room) -> Pane:
        """The name in full, and what the tool claims."""
        return tuning_pane(table, shown, position, room)

    def crumbs(self, view: View) -> Sequence[str]:
        """`job 12 aoe 2 › result`."""
        job = self.tuned
        return [_("job {number} {kind}").format(number=job.id, kind=kind_text(job)), _("result")]

    def steps(self) -> Sequence[Piece]:
        """The same while there are no rows."""
        found = super().steps()
        return found or [Piece(text) for text in self.crumbs(View())]

    def count_text(self, shown: Shown) -> str:
        """Operators tuned."""
        n = shown.total_rows
        return ngettext("{n} operator", "{n} operators", n).format(n=number_text(n, 0))

    def position_text(self, shown: Shown, position: int) -> str:
        """What all of them save."""
        result = self.result
        if result is None:
            return ""
        unit = "µs" if result.unit == "us" and self.app.glyphs.name != "ascii" else result.unit
        return _("saved {saved} {unit} of {before}").format(
            saved=number_text(result.before - result.after, 0), unit=unit, before=number_text(result.before, 0)
        )

    def status_left(self) -> Sequence[Piece] | str:
        """Where the rows are from."""
        return os.path.basename(self.result.path) if self.result is not None else ""

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def chosen_job(self) -> Job:
        """The tuning."""
        return self.tuned

    def can(self, name: str) -> bool:
        """`u` goes back to the jobs once there is nothing to undo."""
        return name == "undo" or super().can(name)

    def do_undo(self) -> None:
        """One view step back, then back to the jobs."""
        if self._history.can_undo:
            super().do_undo()
        else:
            self.dismiss(None)

    def do_close(self) -> None:
        """Back to the jobs."""
        self.dismiss(None)

    def command_copy_export(self, _rest: str) -> str:
        """Copies the line that makes later builds use the bank; returns why it cannot, or empty."""
        if not self.tuned.command.bank:
            return _("there is no line to copy: the bank is the one of aoe")
        self.app.copy_text(export_line(self.tuned.command.bank), _("line"))
        return ""
