"""The Findings screen as a list: what arrives, the rows, what is folded below them, the frame lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual import on
from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from tui.i18n import _, ngettext
from tui.messages import OpenFailed, TableChanged
from tui.model.finding import Evidence, Finding, Findings
from tui.model.table import Table
from tui.model.view import Shown, View
from tui.screens.dismissed import dismissed
from tui.screens.findings_folds import FoldKind, FoldRow, fold_rows, lines_of
from tui.screens.findings_table import LIST_KEYS, FindingRows, list_plans, screen_table
from tui.screens.rows import Plan, ShownRows, Words
from tui.screens.states import failed_lines, no_match_lines, waiting_lines
from tui.screens.table_screen import TableScreen
from tui.screens.views import is_narrowed
from tui.session import Session
from tui.units import number_text
from widgets.grid import DataGrid
from widgets.listpane import ListPane
from widgets.panes import HeadLine, Lines, state_line, wrapped
from widgets.pieces import Line, Piece, gap


class EvidencePane(Container):
    """The grid of evidence; what its grid tells does not reach the handlers of the list's grid."""

    class Opened(Message):
        """Enter on a piece of evidence."""

    class Highlighted(Message):
        """The cursor came to another piece of evidence."""

    def compose(self) -> Iterable[Widget]:
        """One grid."""
        yield DataGrid(id="evidence-grid")

    @on(DataGrid.RowOpened)
    def _opened(self, event: DataGrid.RowOpened) -> None:
        event.stop()
        self.post_message(self.Opened())

    @on(DataGrid.RowHighlighted)
    def _highlighted(self, event: DataGrid.RowHighlighted) -> None:
        event.stop()
        self.post_message(self.Highlighted())

    @on(DataGrid.ColumnsChanged)
    @on(DataGrid.SelectionChanged)
    @on(DataGrid.HeaderClicked)
    def _rest(self, event: DataGrid.GridMessage) -> None:
        event.stop()


class FindingsList(TableScreen):
    """What the rules say about what is looked at."""

    KIND = "findings"

    def __init__(self) -> None:
        super().__init__()
        self._found: Findings | None = None
        self._listed: tuple[Finding, ...] = ()
        """Rows of the table."""
        self._shows_hidden = False
        self._unfolded: frozenset[FoldKind] = frozenset()
        self._folds: Sequence[FoldRow] = ()
        self._explained = ""
        """Rule that the pane explains in place of the finding under the cursor."""
        self._has_keys = "grid"
        """Id of the pane that has the keys, or had them before the input line."""
        self._told: Finding | None = None
        """The finding that the evidence is of."""

    # ── panes ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def compose_panes(self) -> Iterable[Widget]:
        """The list, what is folded, and below them the finding under the cursor."""
        with Container(id="panes", classes="below"):
            yield DataGrid(id="grid")
            yield ListPane(id="folds")
            with Container(id="details"):
                yield Lines(id="space")
                yield HeadLine(id="details-head")
                yield Lines(id="details-lines")
                yield Lines(id="evidence-space")
                yield HeadLine(id="evidence-head")
                yield EvidencePane(id="evidence")
                yield Lines(id="after")

    @property
    def folds(self) -> ListPane:
        """The folded groups."""
        return self.query_one("#folds", ListPane)

    @property
    def evidence_grid(self) -> DataGrid:
        """The evidence of the finding shown."""
        return self.query_one("#evidence-grid", DataGrid)

    @property
    def details_have_keys(self) -> bool:
        """The finding goes with the list; only its evidence has keys of its own."""
        return self._has_keys != "evidence-grid"

    def ready(self) -> None:
        """Shows what is known; the timeline is wanted, since some rules need it."""
        self._grid.focus()
        self.app.need_timeline_for_rules()
        self._take()

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────────

    def findings_changed(self) -> None:
        """The rules were run, or went on."""
        self._take()

    def session_opened(self, session: Session) -> None:
        """The profile is known by name."""
        self._take()

    def session_closed(self) -> None:
        """Another profile comes."""
        self._found, self._listed, self._folds, self._told = None, (), (), None
        self._explained, self._shows_hidden = "", False
        super().session_closed()
        self._take()

    def scope_changed(self) -> None:
        """Other iterations of it."""
        super().scope_changed()

    def overview_ready(self) -> None:
        """Tables are read."""
        if self.is_current:
            self.app.need_timeline_for_rules()

    def open_failed(self, failure: OpenFailed) -> None:
        """There is nothing that rules could be about."""
        self._take()

    def on_screen_resume(self) -> None:
        """What came while another screen was shown."""
        super().on_screen_resume()
        self.app.need_timeline_for_rules()

    def _take(self) -> None:
        """Shows what the application knows now."""
        if not self.is_attached:
            return
        found = self.app.findings
        if found is None:
            self._found, self._folds = None, ()
            self.folds.set_rows([])
            self._grid.set_empty_lines(self._waiting_lines())
            self._arrange()
        elif found is not self._found:
            self._found = found
            self._list_again()
        self.show_frame()

    def _waiting_lines(self) -> list[Line]:
        app = self.app
        if app.failure is not None:
            return failed_lines(app.failure, self.size.width, self._grid.look)
        if app.findings_problem:
            fact = _("the rules cannot be run: {reason}").format(reason=app.findings_problem)
            return [[], state_line(self._grid.look.shown(fact), "", "R", _("reads again"))]
        if not app.is_judging:
            return waiting_lines([app.path.name])
        text = _("running the rules") + f"  {app.findings_progress}"
        return [[], [gap(1), Piece(text.rstrip(), "muted")]]

    def _list_again(self) -> None:
        """Other findings, or others of them hidden: the cursor stays on its rule."""
        found = self._found
        if found is None:
            return
        here = self.finding
        hidden = dismissed(self.app)
        self._listed = tuple(entry for entry in found.findings if self._shows_hidden or entry.rule not in hidden)
        self._show_folds()
        change = self.app.tables[self.KIND] = TableChanged(self.KIND, screen_table(found, self._listed))
        self.table_changed(change)
        if here is not None:
            self.go_to_rule(here.rule)

    def go_to_rule(self, rule: str) -> bool:
        """Puts the cursor on the finding of a rule, if that is shown."""
        applied = self.applied
        if applied is None or applied.shown.groups is not None:
            return False
        places = [at for at, row in enumerate(applied.shown.rows.tolist()) if self._listed[row].rule == rule]
        if places:
            self._grid.move_to(places[0])
            self._show_details()
        return bool(places)

    # ── the list ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def finding(self) -> Finding | None:
        """The finding under the cursor of the list."""
        return self.finding_at(self._grid.cursor_row)

    def finding_at(self, position: int) -> Finding | None:
        """The finding of a row shown; None for a group."""
        applied = self.applied
        if applied is None or applied.shown.groups is not None or not 0 <= position < len(applied.shown.rows):
            return None
        row = int(applied.shown.rows[position])
        return self._listed[row] if row < len(self._listed) else None

    @property
    def evidence(self) -> Evidence | None:
        """The piece of evidence under its cursor; the first one while the list has the keys."""
        finding = self._told
        if finding is None or not finding.evidence:
            return None
        at = self.evidence_grid.cursor_row
        return finding.evidence[at if 0 <= at < len(finding.evidence) else 0]

    def plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        """Severity, bound, title, confidence, rule."""
        return list_plans(table, shown, words)

    def rows_of(self, table: Table, shown: Shown, plans: Sequence[Plan], view: View) -> ShownRows:
        """Hidden ones are set back."""
        hidden = dismissed(self.app)
        rows = frozenset(at for at, entry in enumerate(self._listed) if entry.rule in hidden)
        return FindingRows(table, shown, plans, view, rows)

    def default_keys(self, shown: Shown) -> Sequence[str]:
        """What the line of a finding holds; everything of a group."""
        return shown.table.keys if shown.groups is not None else LIST_KEYS

    def has_sum(self, shown: Shown) -> bool:
        """Bounds of findings overlap: they do not add up."""
        return False

    def _show_rows(self, applied: object, keep: int | None) -> None:
        super()._show_rows(applied, keep)  # type: ignore[arg-type]
        if self._found is not None and not self.has_rows:
            self._grid.set_empty_lines(self._none_lines(self._found))

    def _none_lines(self, found: Findings) -> list[Line]:
        """No row: by a filter, because all are hidden, because nothing stands out, or since nothing can be told."""
        if self.view.filter or self._listed:
            return no_match_lines(self.view.filter or _("this"), len(self._listed))
        hidden = len(found.findings)
        if hidden:
            text = ngettext("{n} finding, hidden by you", "{n} findings, all hidden by you", hidden).format(n=hidden)
            return [[], state_line(text, "", "X", _("shows them"))]
        count = len(found.quiet)
        if not found.says_something:
            fact = _("nothing here that the rules could be about")
            return [[], state_line(fact, "", "9", _("shows what it holds"))]
        text = ngettext("{n} rule was evaluated and does not apply", "{n} rules were evaluated and none applies", count)
        fact = _("nothing stands out") + ": " + text.format(n=number_text(count, 0))
        about = _("what could not be evaluated is listed below")
        return [[], *([gap(1), *line] for line in wrapped([Piece(fact, "text")], self.size.width - 3)),
                [gap(1), Piece(about, "muted")]]  # fmt: skip

    # ── what is folded ───────────────────────────────────────────────────────────────────────────────────────────────

    def _show_folds(self) -> None:
        found = self._found
        self._folds = fold_rows(found, self._unfolded, self.size.width, self.folds.look) if found is not None else ()
        self.folds.set_rows(lines_of(self._folds))
        if not self._folds and self._has_keys == "folds":
            self._grid.focus()

    @property
    def fold(self) -> FoldRow | None:
        """The row under the cursor of the folded groups."""
        at = self.folds.cursor
        return self._folds[at] if 0 <= at < len(self._folds) else None

    def _unfold(self, kind: FoldKind) -> None:
        if kind not in self._unfolded:
            self._unfolded = frozenset((*self._unfolded, kind))

    def toggle_fold(self, kind: FoldKind) -> None:
        """Opens a group, or closes it; the cursor stays at its head."""
        one: frozenset[FoldKind] = frozenset((kind,))
        self._unfolded = self._unfolded ^ one
        self._show_folds()
        self._move_fold(next(at for at, row in enumerate(self._folds) if row.kind == kind))
        self._arrange()
        self._show_details()

    def _move_fold(self, row: int) -> None:
        pane = self.folds
        while pane.cursor < row:
            pane.action_cursor_down()
        while pane.cursor > row:
            pane.action_cursor_up()

    # ── frame lines ──────────────────────────────────────────────────────────────────────────────────────────────────

    def crumbs(self, view: View) -> Sequence[str]:
        """Groups."""
        return list(view.group)

    def count_text(self, shown: Shown) -> str:
        """Findings shown."""
        return ngettext("{n} finding", "{n} findings", shown.total_rows).format(n=number_text(shown.total_rows, 0))

    def steps(self) -> Sequence[Piece]:
        """How many, then the one under the cursor."""
        applied = self.applied
        if self._found is None or applied is None:
            return ()
        here = self._explained or (self._told.rule if self._told is not None else "")
        return [Piece(text) for text in (self.count_text(applied.shown), *self.crumbs(self.view), here) if text]

    def title_right(self) -> Sequence[Piece] | str:
        """What limits the list: a filter, findings that are hidden."""
        applied = self.applied
        pieces = list(super().title_right()) if applied is not None and is_narrowed(applied.view) else []
        count = self.hidden_count
        if count:
            text = ngettext("{n} hidden", "{n} hidden", count).format(n=count)
            pieces += [*([gap(3)] if pieces else []), Piece(text, "fact")]
        return pieces  # type: ignore[return-value]

    @property
    def hidden_count(self) -> int:
        """Findings that the user has hidden, whether or not they are shown now."""
        found = self._found
        hidden = dismissed(self.app)
        return sum(entry.rule in hidden for entry in found.findings) if found is not None else 0

    def status_left(self) -> Sequence[Piece] | str:
        """How far the rules are, else which thresholds were changed."""
        found = self._found
        if self.app.is_judging and self.app.findings_progress:
            return _("running the rules") + f"  {self.app.findings_progress}"
        if self.app.timeline_progress and self._found is not None:
            return _("reading the timeline, then the rules run again")
        if found is None:
            return ""
        if found.problems:
            return found.problems[0]
        if found.changed:
            return _("thresholds changed: {list}").format(
                list=", ".join(f"{limit.rule} {limit.name} {limit.text}" for limit in found.changed)
            )
        return _("thresholds: built in")

    def status_right(self) -> Sequence[Piece] | str:
        """Row of the pane that has the keys."""
        if self._has_keys == "folds" and self._folds:
            return f"{self.folds.cursor + 1}/{len(self._folds)}"
        return super().status_right()

    def position_text(self, shown: Shown, position: int) -> str:
        """The order, while it is the usual one."""
        return _("by recoverable time") if not self.view.sort else ""
