"""Screen 5: why it is slow, what to do: each finding with its numbers, its evidence, the command that acts on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on

from tui.dialogs import key_text
from tui.findings.engine import RULES
from tui.i18n import N_, _
from tui.model.finding import Finding, NotEvaluated
from tui.screens.dismissed import dismiss, dismissed, restore
from tui.screens.findings_folds import FoldRow
from tui.screens.findings_jump import Jump, jump_to_rows, jump_to_time
from tui.screens.findings_list import RULES_BY_ID, EvidencePane, FindingsList
from tui.screens.run_start import wish_of
from widgets.grid import DataGrid
from widgets.lines import LinesPane
from widgets.listpane import ListPane

FORMS = ("msprof", "aoe")
"""Tools whose form Run fills."""


class FindingsScreen(FindingsList):
    """What the user does with findings."""

    DIGIT = "5"
    NAME = "Findings"
    LABELS: ClassVar[Mapping[str, str]] = {
        "run": N_("run it"), "hide": N_("hide"), "unhide": N_("hidden"), "notable_next": N_("next"),
    }  # fmt: skip
    HELPS: ClassVar[Mapping[str, str]] = {
        "notable_next": N_("finding: next, back"),
        "hide": N_("hide finding, show hidden"),
        "run": N_("fill the Run form with it"),
        "copy": N_("copy command; copy as"),
        "open_item": N_("evidence, then its row"),
    }
    FOOTER = (
        "to_timeline", "open_item", "run", "notable_next", "hide", "copy", "export", "unhide", "filter", "undo",
        "screen",
    )  # fmt: skip

    # ── moving ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def on_descendant_focus(self) -> None:
        """Another pane has the keys: the pane below may be about something else."""
        if self.focused is not self.evidence_grid:
            self._explained = ""
        self._arrange()
        self._show_details_of_focus()

    def _show_details_of_focus(self) -> None:
        if self.focused is self.evidence_grid and self._told is not None:
            self._mark_heads()
        else:
            self._show_details()

    def _mark_heads(self) -> None:
        from widgets.panes import HeadLine

        self.query_one("#evidence-head", HeadLine).set_focused(self.focused is self.evidence_grid)
        self.query_one("#details-head", HeadLine).set_focused(self.focused is not self.evidence_grid)
        self.show_frame()

    def _forward(self, name: str) -> None:
        """To the focused pane; past the last finding into the folded groups, and back."""
        here = self.focused
        if self._crosses(name):
            return
        pane = here if isinstance(here, (DataGrid, LinesPane, ListPane)) else self._grid
        getattr(pane, f"action_{name}", lambda: None)()
        if pane is not self.evidence_grid:
            self._explained = ""
            self._follow_cursor()

    def _crosses(self, name: str) -> bool:
        grid, folds = self._grid, self.folds
        if name == "cursor_down" and self.focused is grid and grid.cursor_row >= grid.source.row_count - 1:
            if folds.display:
                folds.focus()
            return folds.display
        if name == "cursor_up" and self.focused is folds and folds.cursor <= 0 and grid.source.row_count:
            grid.focus()
            return True
        return False

    @on(ListPane.Highlighted)
    def _fold_highlighted(self, event: ListPane.Highlighted) -> None:
        event.stop()
        self._show_details()

    @on(ListPane.Opened)
    def _fold_opened(self, event: ListPane.Opened) -> None:
        event.stop()
        row = self.fold
        if row is None:
            return
        if row.entry is None:
            self.toggle_fold(row.kind)
        elif isinstance(row.entry, NotEvaluated):
            self._take_option(row.entry.option)
        elif row.entry.ops:
            self.app.follow("3", f"longest:{row.entry.ops[0]}")

    @on(EvidencePane.Opened)
    def _evidence_opened(self, event: EvidencePane.Opened) -> None:
        event.stop()
        self._jump(jump_to_rows(self._told, self.evidence, self.app.session) if self._told is not None else None)

    @on(EvidencePane.Highlighted)
    def _evidence_highlighted(self, event: EvidencePane.Highlighted) -> None:
        event.stop()
        self.show_frame()

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
            self.evidence_grid.focus()
        else:
            self._jump(jump_to_rows(finding, None, self.app.session))

    def _jump(self, jump: Jump | None) -> None:
        if jump is None:
            self.app.tell(_("it rests on nothing that another screen shows"))
        else:
            self.app.follow(jump.digit, jump.target)

    def do_open_item(self) -> None:
        """Opens what is under the cursor of the focused pane."""
        pane = self.focused if isinstance(self.focused, (DataGrid, ListPane)) else self._grid
        pane.action_open_item()

    def do_to_timeline(self) -> None:
        """The evidence on the timeline; while the list has the keys, the first piece of it."""
        evidence = self.evidence
        jump = jump_to_time(evidence, self.app.session) if evidence is not None else None
        if jump is None:
            self.app.tell(_("it has no place on the timeline"))
        else:
            self._jump(jump)

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
            if self.focused is self.folds:
                grid.focus()
            self._show_details()

    def do_close(self) -> None:
        """Steps out: of the evidence or the folded groups, then of the view."""
        if self._explained:
            self._explained = ""
            self._show_details()
        elif self.focused is not self._grid and self.has_rows:
            self._grid.focus()
        else:
            super().do_close()

    def can(self, name: str) -> bool:
        """What is about a finding only on one."""
        if name == "hide":
            return self.finding is not None and self.focused is not self.folds
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

    # ── hiding ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def do_hide(self) -> None:
        """Asks why, which may stay empty, and hides the finding for this profile; brings a hidden one back."""
        finding = self.finding
        if finding is None:
            return
        if finding.rule in dismissed(self.app):
            restore(self.app, finding.rule)
            self.app.tell(_("{rule} is shown again").format(rule=finding.rule))
            self._list_again()
            return
        rule = finding.rule
        sign = _("hide {rule}, because").format(rule=rule) + " "
        self.ask(sign, "", (), accept=lambda text: self._hide(rule, text), note=_("enter hides, with or without"))

    def _hide(self, rule: str, note: str) -> str:
        dismiss(self.app, rule, note.strip())
        self.app.tell(_("{rule} is hidden for this profile; X shows hidden ones").format(rule=rule))
        self._list_again()
        return ""

    def do_unhide(self) -> None:
        """Shows hidden findings among the others, or no more; excluded values come back first."""
        if self.view.exclude:
            super().do_unhide()
            return
        self._shows_hidden = not self._shows_hidden
        self._list_again()
        if self._shows_hidden:
            self.app.tell(_("hidden ones are shown; x brings one back, X hides them again"))

    # ── acting ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def command_hint(self, finding: Finding) -> str:
        """What the key that acts on the command does."""
        command = finding.command
        if command is None:
            return ""
        if command.tool in FORMS:
            return _("{key} fills the Run form").format(key=key_text(self.app, "run", 1))
        if not command.tool:
            return _("{key} does it").format(key=key_text(self.app, "run", 1))
        return _("{key} copies it for a shell").format(key=key_text(self.app, "copy", 1))

    def do_run(self) -> None:
        """Fills the Run form with the command of the finding, or of what would evaluate a rule."""
        fold = self.fold if self.focused is self.folds else None
        if fold is not None and isinstance(fold.entry, NotEvaluated) and fold.entry.option:
            self._take_option(fold.entry.option)
            return
        command = self.finding.command if self.finding is not None else None
        if command is None:
            super().do_run()
        elif command.tool in FORMS:
            self._fill_form(command.text)
        elif not command.tool:
            problem = self.run_command(command.text)
            if problem:
                self.app.tell(problem)
        else:
            self.do_copy()

    def _fill_form(self, line: str) -> None:
        self.app.run_wish, self.app.run_line = wish_of(self), line
        self.app.follow("8", "line")

    def _take_option(self, option: str) -> None:
        """What would produce the missing data: a command of a tool, of the viewer, or an option to add to a run."""
        if option.startswith(":"):
            self._open_command(option[1:].partition(" ")[0] + " ")
        elif option.split(" ", maxsplit=1)[0] in FORMS:
            self._fill_form(option)
        elif option.startswith("--"):
            self._fill_form(f"msprof {option}")
        elif option:
            self.app.tell(option)
        else:
            self.app.tell(_("no option of the collection produces it"))

    def _open_command(self, text: str) -> None:
        """Opens the command line with the beginning of a command."""
        from tui.dialogs import ask_command

        ask_command(self, text)

    def do_copy(self) -> None:
        """Copies selected rows, else the command of the finding, else what it says."""
        finding = self.finding
        fold = self.fold if self.focused is self.folds else None
        if fold is not None:
            self._copy_fold(fold)
        elif len(self._grid.selection) or finding is None:
            super().do_copy()
        elif finding.command is not None:
            self.app.copy_text(finding.command.text, _("command"))
        else:
            self.app.copy_text(f"{finding.rule} {finding.title}: {finding.measured}", finding.rule)

    def _copy_fold(self, fold: FoldRow) -> None:
        """The option that a rule misses, else all of the entry."""
        entry = fold.entry
        if isinstance(entry, NotEvaluated):
            self.app.copy_text(entry.option or entry.text, entry.rule)
        elif entry is not None:
            self.app.copy_text(entry.suggestion, _("advice"))
        elif self._found is not None:
            self.app.copy_text("\n".join(self._found.missing_lines()), _("list"))

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def follow(self, target: str) -> None:
        """`rule:ID` goes to the finding of a rule, or explains why there is none."""
        kind, _colon, rule = target.partition(":")
        if kind != "rule" or rule not in RULES_BY_ID:
            return
        self._explained = ""
        if rule in dismissed(self.app) and not self._shows_hidden:
            self._shows_hidden = True
            self._list_again()
        if self.go_to_rule(rule):
            self._grid.focus()
        elif not self._go_to_missing(rule):
            self._grid.focus()
            self.explain(rule)

    def _go_to_missing(self, rule: str) -> bool:
        """The row of a rule that was not evaluated, its group opened."""
        found = self._found
        if found is None or all(entry.rule != rule for entry in found.not_evaluated):
            return False
        self._unfolded |= {"missing"}
        self._show_folds()
        self._arrange()
        at = next(at for at, row in enumerate(self._folds) if getattr(row.entry, "rule", "") == rule)
        self._move_fold(at)
        self.folds.focus()
        self._show_details()
        return True

    def command_note(self, text: str) -> str:
        """Says why a finding is hidden; returns why it cannot, or empty."""
        finding = self.finding
        if finding is None or finding.rule not in dismissed(self.app):
            return _("only hidden findings have a note; x hides one")
        dismiss(self.app, finding.rule, text)
        self._show_details()
        return ""

    def completions(self, name: str, rest: str) -> Sequence[str]:
        """Ids of rules."""
        if name in ("rule", "threshold"):
            return [rule.id for rule in RULES if rule.id.startswith(rest.upper())]
        return super().completions(name, rest)
