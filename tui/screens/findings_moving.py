"""The Findings screen under the keys: between its panes, through the findings, to what they rest on."""

from __future__ import annotations

from textual import on
from textual.widget import Widget

from tui.i18n import _
from tui.model.finding import NotEvaluated
from tui.screens.findings_details import FindingsDetails
from tui.screens.findings_jump import Jump, jump_to_rows, jump_to_time
from tui.screens.findings_list import EvidencePane
from widgets.grid import DataGrid
from widgets.lines import LinesPane
from widgets.listpane import ListPane
from widgets.panes import HeadLine

PANES = ("grid", "folds", "evidence-grid")


class FindingsMoving(FindingsDetails):
    """Moving and jumping."""

    def take_option(self, option: str) -> None:
        """Does what would produce data that a rule misses."""
        raise NotImplementedError

    # ── which pane has the keys ──────────────────────────────────────────────────────────────────────────────────────

    def _give_keys(self, pane: Widget) -> None:
        """To a pane at once, for keys typed ahead; also when the input line is about to close and to give them back."""
        self._focus_before = pane
        self.set_focus(pane)
        self._keys_went_to(pane.id or "")

    def on_descendant_focus(self) -> None:
        """A click or tab gave the keys to a pane. The input line is no pane."""
        self._keys_went_to((self.focused.id or "") if self.focused is not None else "")

    def _keys_went_to(self, pane: str) -> None:
        """The pane below may be about something else now."""
        if pane not in PANES or pane == self._has_keys:
            return
        self._has_keys = pane
        self._arrange()
        if pane == "evidence-grid" and self._told is not None:
            self._mark_heads()
        else:
            self._explained = ""
            self._show_details()

    def _mark_heads(self) -> None:
        self.query_one("#evidence-head", HeadLine).set_focused(not self.details_have_keys)
        self.query_one("#details-head", HeadLine).set_focused(self.details_have_keys)
        self.show_frame()

    # ── moving ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _forward(self, name: str) -> None:
        """To the focused pane; past the last finding into the folded groups, and back."""
        if self._crosses(name):
            return
        pane = self.focused if isinstance(self.focused, (DataGrid, LinesPane, ListPane)) else self._grid
        getattr(pane, f"action_{name}", lambda: None)()
        if pane is not self.evidence_grid:
            self._explained = ""
            self._follow_cursor()

    def _crosses(self, name: str) -> bool:
        """Whether the step left its pane."""
        grid, folds = self._grid, self.folds
        if name == "cursor_down" and self._has_keys == "grid" and grid.cursor_row >= grid.source.row_count - 1:
            if folds.display:
                self._give_keys(folds)
            return folds.display
        if name == "cursor_up" and self._has_keys == "folds" and folds.cursor <= 0 and grid.source.row_count:
            self._give_keys(grid)
            return True
        return False

    @on(ListPane.Highlighted)
    def _fold_highlighted(self, event: ListPane.Highlighted) -> None:
        event.stop()
        self._show_details()

    @on(EvidencePane.Highlighted)
    def _evidence_highlighted(self, event: EvidencePane.Highlighted) -> None:
        event.stop()
        self.show_frame()

    def do_notable_next(self) -> None:
        """The next finding, wherever the keys are."""
        self._step_finding(1)

    def do_notable_prev(self) -> None:
        """The finding before."""
        self._step_finding(-1)

    def _step_finding(self, step: int) -> None:
        count, grid = self._grid.source.row_count, self._grid
        if count:
            self._explained = ""
            grid.move_to((grid.cursor_row + step) % count)
            if self._has_keys == "folds":
                self._give_keys(grid)
            self._show_details()

    def do_close(self) -> None:
        """Steps out: of the evidence or the folded groups, then of the view."""
        if self._explained:
            self._explained = ""
            self._show_details()
        elif self._has_keys != "grid" and self.has_rows:
            self._give_keys(self._grid)
        else:
            super().do_close()

    # ── opening ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def do_open_item(self) -> None:
        """Opens what is under the cursor of the focused pane."""
        if self._has_keys == "evidence-grid":
            self._open_evidence()
        elif self._has_keys == "folds":
            self._open_fold()
        elif self.has_rows:
            self.opened(self._grid.cursor_row)

    @on(ListPane.Opened)
    def _fold_opened(self, event: ListPane.Opened) -> None:
        event.stop()
        self._open_fold()

    @on(EvidencePane.Opened)
    def _evidence_opened(self, event: EvidencePane.Opened) -> None:
        event.stop()
        self._open_evidence()

    def opened(self, position: int) -> None:
        """Enter on a finding: to its evidence; where it has none, to the screen that it names."""
        finding = self.finding_at(position)
        if finding is None:
            super().opened(position)
            return
        self._details_on = True
        self._arrange()
        self._show_details()
        if finding.evidence:
            self._give_keys(self.evidence_grid)
        else:
            self._jump(jump_to_rows(finding, None, self.app.session))

    def _open_evidence(self) -> None:
        if self._told is not None:
            self._jump(jump_to_rows(self._told, self.evidence, self.app.session))

    def _open_fold(self) -> None:
        """Unfolds a group; does what would produce what a rule misses; shows an operator that msprof names."""
        row = self.fold
        if row is None:
            return
        if row.entry is None:
            self.toggle_fold(row.kind)
        elif isinstance(row.entry, NotEvaluated):
            self.take_option(row.entry.option)
        elif row.entry.ops:
            self.app.follow("3", f"longest:{row.entry.ops[0]}")

    def _jump(self, jump: Jump | None) -> None:
        if jump is None:
            self.app.tell(_("it rests on nothing that another screen shows"))
        else:
            self.app.follow(jump.digit, jump.target)

    def do_to_timeline(self) -> None:
        """The evidence on the timeline; while the list has the keys, the first piece of it."""
        evidence = self.evidence
        self._jump(jump_to_time(evidence, self.app.session) if evidence is not None else None)

    def can(self, name: str) -> bool:
        """What is about a finding only on one."""
        if name == "hide":
            return self.finding is not None and self._has_keys != "folds" and not self._explained
        if name in ("notable_next", "notable_prev"):
            return self.finding is not None
        if name == "unhide":
            return self.hidden_count > 0 or super().can(name)
        if name == "open_item":
            return self.has_rows or bool(self._folds)
        if name == "to_timeline":
            evidence = self.evidence
            return evidence is not None and jump_to_time(evidence, self.app.session) is not None
        return super().can(name)
