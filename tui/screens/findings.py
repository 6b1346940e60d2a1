"""Screen 5: why it is slow, what to do: each finding with its numbers, its evidence, the command that acts on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from tui.dialogs import key_text
from tui.findings.engine import RULES
from tui.i18n import N_, _
from tui.model.finding import Finding, NotEvaluated
from tui.screens.dismissed import dismiss, dismissed, restore
from tui.screens.findings_details import RULES_BY_ID
from tui.screens.findings_folds import FoldRow
from tui.screens.findings_moving import FindingsMoving
from tui.screens.run_start import MENU_OF_TOOL, wish_of

FORMS = tuple(MENU_OF_TOOL)
"""Tools whose form Run fills."""


class FindingsScreen(FindingsMoving):
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
        fold = self.fold if self._has_keys == "folds" else None
        if fold is not None and isinstance(fold.entry, NotEvaluated) and fold.entry.option:
            self.take_option(fold.entry.option)
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

    def take_option(self, option: str) -> None:
        """What would produce the missing data: a command of a tool or the viewer, or an option to add to a run."""
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
        fold = self.fold if self._has_keys == "folds" else None
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
            self._give_keys(self._grid)
        elif not self._go_to_missing(rule):
            self._give_keys(self._grid)
            self.explain(rule)

    def _go_to_missing(self, rule: str) -> bool:
        """The row of a rule that was not evaluated, its group opened."""
        found = self._found
        if found is None or all(entry.rule != rule for entry in found.not_evaluated):
            return False
        self._unfold("missing")
        self._show_folds()
        self._arrange()
        at = next(at for at, row in enumerate(self._folds) if getattr(row.entry, "rule", "") == rule)
        self._move_fold(at)
        self._give_keys(self.folds)
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
