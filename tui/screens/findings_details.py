"""The Findings screen below its list: one finding in full, its evidence, or a rule without a finding."""

from __future__ import annotations

from tui.findings.engine import RULES
from tui.findings.rule import Rule
from tui.findings.thresholds import Thresholds, load_thresholds
from tui.i18n import _
from tui.model.advice import Advice
from tui.model.finding import Finding, NotEvaluated
from tui.model.table import Table
from tui.model.view import Shown
from tui.screens.dismissed import dismissed
from tui.screens.findings_folds import FoldRow, missing_summary
from tui.screens.findings_list import EvidencePane, FindingsList
from tui.screens.findings_pane import Said, command_lines, finding_pane, fitted, missing_pane, rule_pane, saving_lines
from tui.screens.findings_table import evidence_rows
from tui.screens.op_details import Pane, Room
from tui.units import number_text
from widgets.norows import NoRows
from widgets.panes import HeadLine, Lines
from widgets.pieces import Line, Piece

FRAME_LINES = 4
LEAST_LIST_LINES = 5
EVIDENCE_HEADS = 2
FEWEST_EVIDENCE = 2
AIRY_FROM = 24
"""Lines of all panes from which a blank stands between list and finding, and what follows has panes of its own."""
RULES_BY_ID = {rule.id: rule for rule in RULES}


class FindingsDetails(FindingsList):
    """One finding, closely."""

    # ── layout ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _room(self) -> int:
        return max(self.size.height - FRAME_LINES, 8)

    def _list_lines(self) -> int:
        """Lines of the list: its rows, but no more than leaves room for the finding."""
        count = self._grid.source.row_count
        return min(max(count, 1) + 1, max(LEAST_LIST_LINES, self._room() * 7 // 20)) if count else LEAST_LIST_LINES

    def _arrange(self) -> None:
        """List, folded groups, finding, one below the other."""
        grid, folds, details = self._grid, self.folds, self.query_one("#details")
        inside = self._has_keys == "evidence-grid"
        details.display = self._found is not None and self._details_on and (self.has_rows or bool(self._folds))
        details.display = details.display and not (self._maximised and not inside)
        grid.display = folds.display = not (self._maximised and inside and details.display)
        folds.display = folds.display and bool(self._folds)
        most = self._room() // 2 if self._unfolded else 2
        grid.styles.height = self._list_lines() if details.display else "1fr"
        folds.styles.height = min(len(self._folds), most)
        details.styles.height = "1fr"

    def _lines_above(self) -> int:
        """Lines of the panes above the finding."""
        folds = min(len(self._folds), self._room() // 2 if self._unfolded else 2)
        return self._list_lines() + folds if self._grid.display else 0

    def after_resize(self) -> None:
        """Another width or height."""
        self._show_folds()
        super().after_resize()

    @property
    def _is_airy(self) -> bool:
        return self._room() >= AIRY_FROM

    # ── one finding ──────────────────────────────────────────────────────────────────────────────────────────────────

    def pane(self, table: Table, shown: Shown, position: int, room: Room) -> Pane:
        """The finding of a row."""
        finding = self.finding_at(position)
        if finding is None:
            return Pane("", "", [])
        return finding_pane(finding, self._note_of(finding), room)

    def _note_of(self, finding: Finding) -> str | None:
        return dismissed(self.app).get(finding.rule)

    def _show_details(self) -> None:
        """The pane below: of the finding, of the folded entry, or of the rule asked for."""
        self._details_row = self._grid.cursor_row
        if not self.is_attached or not self.query_one("#details").display:
            return
        pane, finding = self._chosen_pane()
        self._told = finding
        self.query_one("#space", Lines).set_lines([[]] if self._is_airy else [])
        head = self.query_one("#details-head", HeadLine)
        head.set_content(pane.title, pane.facts)
        head.set_focused(self.details_have_keys)
        body = self.query_one("#details-lines", Lines)
        body.styles.height = len(pane.lines)
        body.set_lines(pane.lines)
        self._show_evidence(finding, len(pane.lines))
        self.show_frame()

    def _chosen_pane(self) -> tuple[Pane, Finding | None]:
        """What the pane says, and the finding whose evidence follows."""
        if self._explained:
            return self._rule_pane(self._explained, self._details_room(None)), None
        fold = self.fold if self._has_keys == "folds" else None
        if fold is not None:
            return self._fold_pane(fold, self._details_room(None)), None
        finding = self.finding
        if finding is None:
            pane = self._fold_pane(self._folds[0], self._details_room(None)) if self._folds else Pane("", "", [])
            return pane, None
        return finding_pane(finding, self._note_of(finding), self._details_room(finding)), finding

    def _details_room(self, finding: Finding | None) -> Room:
        """What the texts may take: all but head and evidence."""
        count = len(finding.evidence) if finding is not None else 0
        evidence = EVIDENCE_HEADS + min(count, FEWEST_EVIDENCE) if count else 0
        height = self._room() - self._lines_above() - 1 - evidence - (2 if self._is_airy else 0)
        return Room(self.size.width, max(height, 2), self._grid.look, self.words().glyphs)

    def _show_evidence(self, finding: Finding | None, said: int) -> None:
        """The evidence, and below it command and saving where the terminal is tall."""
        space, head = self.query_one("#evidence-space", Lines), self.query_one("#evidence-head", HeadLine)
        pane, after = self.query_one("#evidence", EvidencePane), self.query_one("#after", Lines)
        rows = finding.evidence if finding is not None else ()
        head.display = pane.display = bool(rows)
        space.set_lines([[]] if rows and self._is_airy else [])
        after_lines = self._after_lines(finding)
        after.set_lines(after_lines)
        source = evidence_rows(rows, self.words()) if rows else NoRows()
        self.evidence_grid.set_source(source)
        if finding is None or not rows:
            return
        room = self._room() - self._lines_above() - 1 - said - EVIDENCE_HEADS - (2 if self._is_airy else 0)
        lines = min(len(rows), max(room - len(after_lines), FEWEST_EVIDENCE, 1))
        pane.styles.height = lines + 1
        head.set_content(_("evidence"), _evidence_facts(finding))
        head.set_focused(self._has_keys == "evidence-grid")

    def _after_lines(self, finding: Finding | None) -> list[Line]:
        room = self._details_room(finding)
        if finding is None or not room.tall:
            return []
        found, hint = self._found, self.command_hint(finding)
        span_ns = found.span_ns if found is not None else 0
        return [*command_lines(finding, hint, room), *saving_lines(finding, span_ns, room)]

    def command_hint(self, finding: Finding) -> str:
        """What the key that acts on the command does."""
        raise NotImplementedError

    # ── rules without a finding ──────────────────────────────────────────────────────────────────────────────────────

    def explain(self, rule: str) -> None:
        """Shows what a rule looks at and why it says nothing, until the cursor moves."""
        self._explained = rule
        self._arrange()
        self._show_details()

    def _thresholds(self) -> Thresholds:
        return load_thresholds()

    def _rule_pane(self, rule_id: str, room: Room) -> Pane:
        rule: Rule = RULES_BY_ID[rule_id]
        found, limits = self._found, self._thresholds().of(rule_id)
        if found is not None and rule_id in found.quiet:
            return rule_pane(rule, [Piece(_("evaluated; it does not apply"), "text")], limits, room)
        return rule_pane(rule, [Piece(_("not evaluated yet"), "muted")], limits, room)

    def _fold_pane(self, row: FoldRow, room: Room) -> Pane:
        entry = row.entry
        if isinstance(entry, NotEvaluated):
            limits = self._thresholds().of(entry.rule)
            return missing_pane(entry, RULES_BY_ID.get(entry.rule), limits, room)
        if isinstance(entry, Advice):
            return _advice_pane(entry, room)
        if row.kind == "missing" and self._found is not None:
            lines = missing_summary(self._found, room.width, room.look)
            return Pane(_("what is missing"), _("enter lists the rules"), lines[: room.height])
        text = _("what msprof wrote beside its own tables, in prof_rule_0.json; the findings above are ours")
        return Pane(_("advice of msprof"), _("enter lists it"), fitted([Said("", [Piece(text, "muted")])], room))


def _advice_pane(entry: Advice, room: Room) -> Pane:
    said = [Said(_("try"), [Piece(entry.suggestion, "text")])]
    if entry.ops:
        said.append(Said(_("operators"), [Piece(", ".join(entry.ops), "muted")]))
    title = " ".join(part for part in (entry.rule_type, entry.subtype) if part)
    return Pane(title, _("by msprof"), fitted(said, room))


def _evidence_facts(finding: Finding) -> str:
    """How many pieces there are, and how many of them were kept."""
    total = max(finding.evidence_total, len(finding.evidence))
    if len(finding.evidence) >= total:
        return number_text(total, 0)
    return _("{n} of {all}").format(n=number_text(len(finding.evidence), 0), all=number_text(total, 0))
