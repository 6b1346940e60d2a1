"""Screen 6: did it help. The open profile against a baseline, end to end, by category and row by row, beside noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.widget import Widget

from tui.dialogs import key_text
from tui.i18n import N_, _, ngettext
from tui.model.comparison import BY, VERDICTS, By
from tui.model.table import MISSING_NS, Table
from tui.model.view import Shown, View
from tui.screens.compare_names import comparison_pairs, names_of
from tui.screens.compare_opening import choose_run
from tui.screens.compare_pair import Pair
from tui.screens.compare_pane import Paper, alike_text, pair_pane, rows_facts, summary_lines, warnings_of
from tui.screens.compare_runs import CompareRuns
from tui.screens.compare_table import BY_NAMES, default_keys, row_plans
from tui.screens.op_details import Pane, Room
from tui.screens.rows import Plan, Words
from tui.screens.states import waiting_lines
from tui.screens.table_base import TALL_FROM
from tui.screens.views import is_narrowed
from tui.session import Session
from tui.sides import run_name
from tui.units import missing_text, number_text
from widgets.panes import HeadLine, Lines, state_line, wrapped
from widgets.pieces import Line, Piece, gap

NOTABLE = frozenset(VERDICTS.index(verdict) for verdict in ("slower", "new", "count_changed", "incomparable"))
"""Verdicts of rows that got worse, or need a look."""
TALL_DETAILS_LINES = 8


class CompareScreen(CompareRuns):
    """The baseline A against the open profile B."""

    DIGIT = "6"
    NAME = "Compare"
    DETAILS_LINES = 7
    LABELS: ClassVar[Mapping[str, str]] = {
        "aggregate": N_("by"), "notable_next": N_("worse"), "to_timeline": N_("timelines"),
    }  # fmt: skip
    HELPS: ClassVar[Mapping[str, str]] = {
        "to_timeline": N_("both timelines; in Ops"),
        "aggregate": N_("by operator, type, shapes, API"),
        "notable_next": N_("row that got worse: next, back"),
    }
    FOOTER = (
        "open_item", "baseline", "swap", "aggregate", "notable_next", "to_timeline", "filter", "units", "export",
        "undo", "screen", "open_profile",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._details_on = False
        self._earlier_by: list[By] = []

    def compose_panes(self) -> Iterable[Widget]:
        """What the runs come to, above the rows."""
        yield Lines(id="summary")
        yield HeadLine(id="rows-head")
        yield from super().compose_panes()

    def ready(self) -> None:
        """Details have a place of their own where the terminal is tall."""
        self._details_on = self.size.height >= TALL_FROM
        super().ready()

    def none_lines(self, reason: str = "", hint: str = "") -> list[Line]:
        """Why nothing is compared, and which key changes that."""
        app, look = self.app, self._grid.look
        keys = {name: key_text(app, name, 1) for name in ("baseline", "open_item")}
        if reason:
            told = wrapped([Piece(look.shown(reason), "text")], self.size.width - 4)
            again = state_line("", "", keys["open_item"], _("picks another baseline"))
            return [[], *([gap(1), *line] for line in told), [gap(1), Piece(look.shown(hint), "muted")], [], again]
        if app.session is None:
            return waiting_lines([app.path.name])
        name = look.shown(run_name(app.session))
        if app.is_own_baseline:
            return [
                [], [gap(1), Piece(_("the baseline A is {name}, which is open now").format(name=name), "text")], [],
                state_line("", "", keys["open_item"], _("picks the run B to compare it with")),
                [], self._command_line(":compare PATH"),
            ]  # fmt: skip
        return [
            [], [gap(1), Piece(_("there is no baseline to compare {name} with").format(name=name), "text")], [],
            state_line("", "", keys["open_item"], _("picks the run before the change as the baseline A")),
            state_line("", "", keys["baseline"], _("makes {name} the baseline, for a run after it").format(name=name)),
            [], self._command_line(":baseline PATH"),
        ]  # fmt: skip

    def _command_line(self, command: str) -> Line:
        return [gap(1), Piece(_("as a command:"), "muted"), gap(1), Piece(command, "bright")]

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def shown_by(self) -> By:
        """What the rows stand for."""
        return self.comparison.by if self.comparison is not None else self.by

    def plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        """Both sides, the difference as number, bar and word."""
        return row_plans(table, shown, words, self.shown_by, self.size.width)

    def default_keys(self, shown: Shown) -> Sequence[str]:
        """What fits the width."""
        return default_keys(self.shown_by, self.size.width, shown.table)

    def beside(self, shown: Shown | None) -> bool:
        """The bars need the width."""
        return False

    def pair_at(self, position: int) -> Pair | None:
        """The row shown at a position."""
        applied, comparison = self.applied, self.comparison
        if applied is None or comparison is None or not 0 <= position < len(applied.shown.rows):
            return None
        return Pair(comparison, int(applied.shown.rows[position]), self.baseline, self.app.session)

    @property
    def pair(self) -> Pair | None:
        """The row under the cursor."""
        return self.pair_at(self.grid.cursor_row)

    def pane(self, table: Table, shown: Shown, position: int, room: Room) -> Pane:
        """Both sides of the row, and why it is judged so."""
        pair = self.pair_at(position)
        return pair_pane(pair, room) if pair is not None else Pane("", "", [])

    def _details_lines(self) -> int:
        return TALL_DETAILS_LINES if self.size.height >= TALL_FROM else self.DETAILS_LINES

    def _lines_above(self) -> int:
        return len(self._summary()) + 1 if self.is_attached else 0

    def _summary(self) -> list[Line]:
        """What the runs come to; categories give way to details where the terminal is short."""
        comparison = self.comparison
        if comparison is None:
            return []
        tall, pane = self.size.height >= TALL_FROM, self.query_one("#summary", Lines)
        paper = Paper(pane.look, self.size.width, tall, self.words().glyphs)
        with_parts = not self._maximised and (tall or not self._details_on)
        key = ("summary", paper.look.glyphs.name, paper.width, tall, with_parts)
        return comparison.table.once(key, partial(summary_lines, comparison, paper, with_parts))

    def _arrange(self) -> None:
        super()._arrange()
        summary, head, comparison = (
            self.query_one("#summary", Lines),
            self.query_one("#rows-head", HeadLine),
            self.comparison,
        )
        summary.display = head.display = comparison is not None
        if comparison is not None:
            summary.set_lines(self._summary())
            facts = comparison.table.once("facts", partial(rows_facts, comparison))
            title = {"api": _("APIs"), "type": _("types"), "shape": _("types and shapes")}.get(
                comparison.by, _("operators")
            )
            head.set_content(title, facts)
            head.set_focused(self.focused is self.grid)

    def on_descendant_focus(self) -> None:
        """The focused pane is marked."""
        super().on_descendant_focus()
        self.query_one("#rows-head", HeadLine).set_focused(self.focused is self.grid)

    # ── frame lines ──────────────────────────────────────────────────────────────────────────────────────────────────

    def title_facts(self, wide: bool) -> tuple[str, list[str]]:
        """The baseline stands at the right end."""
        name, facts = self.app.title_facts(wide)
        told = self.app.baseline_facts()
        return name, [fact for fact in facts if fact not in told]

    def title_right(self) -> Sequence[Piece] | str:
        """The baseline; a filter with its rows where there is one."""
        applied, baseline = self.applied, self.app.baseline
        if applied is not None and is_narrowed(applied.view):
            return super().title_right()
        if baseline is None:
            return ""
        session = baseline.session
        short = "" if session is None else "_".join(session.profile.name.split("_")[:2])
        short = "" if short in baseline.name else short
        return [Piece("A  ", "fact"), Piece(baseline.name, "bright"), Piece(f" {short}" if short else "", "fact")]

    def crumbs(self, view: View) -> Sequence[str]:
        """From what to what, and what rows stand for."""
        if self.comparison is None:
            return []
        return [f"A {self._arrow} B", _(BY_NAMES[self.shown_by])]

    @property
    def _arrow(self) -> str:
        return self._grid.look.shown("→")

    def count_text(self, shown: Shown) -> str:
        """All rows."""
        n = shown.total_rows
        return ngettext("{n} row", "{n} rows", n).format(n=number_text(n, 0))

    def position_text(self, shown: Shown, position: int) -> str:
        """Both sides with every digit."""
        pair = self.pair_at(position)
        if pair is None:
            return ""
        glyphs = self.words().glyphs
        before, after = (
            number_text(pair.number(f"{of}_total_us"), 3, glyphs)
            if pair.number(f"{of}_count")
            else missing_text(glyphs)
            for of in "ab"
        )
        return f"{before} {self._arrow} {after} {'us' if glyphs == 'ascii' else 'µs'}"

    def status_left(self) -> Sequence[Piece] | str:
        """Progress, else whether the runs can be compared."""
        comparison = self.comparison
        if comparison is None:
            return [Piece(self._progress, "text")] if self._progress else ""
        told = len(warnings_of(comparison))
        if told:
            text = ngettext("{n} thing besides the operators differs", "{n} things besides the operators differ", told)
            return [Piece("! ", "warn bold"), Piece(text.format(n=told), "warn")]
        alike = alike_text(comparison)
        if not alike:
            return _("nothing is known that speaks against comparing")
        return [Piece(f"{self.app.glyphs.check} ", "ok"), Piece(_("comparable: same {what}").format(what=alike))]

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def can(self, name: str) -> bool:
        """Rows are compared with the other side, not with each other; marks belong to rows of a profile."""
        if name in ("reference", "mark", "marks"):
            return False
        if name == "open_item":
            return self.has_rows or (not self.is_comparing and self.app.session is not None)
        if name == "undo" and self._earlier_by:
            return True
        if name == "aggregate":
            return self.comparison is not None
        if name in ("to_timeline", "to_table", "notable_next", "notable_prev"):
            return self.has_rows
        return super().can(name)

    def do_open_item(self) -> None:
        """The pair closely; where nothing is compared, asks with what."""
        if self.comparison is None:
            choose_run(self)
        else:
            super().do_open_item()

    def opened(self, position: int) -> None:
        """Enter on a row: both sides closely."""
        self.do_details_focus()
        self.call_after_refresh(self._show_details)

    def do_close(self) -> None:
        """Out of the details, which leave with the focus where the terminal is short."""
        was_inside = self.focused is self._lines
        super().do_close()
        if was_inside and self.size.height < TALL_FROM:
            self._details_on = False
            self._arrange()

    def do_aggregate(self) -> None:
        """By operator, type, type and shapes, API: the next one."""
        self._look_by(BY[(BY.index(self.shown_by) + 1) % len(BY)], keep=True)

    def command_group(self, text: str) -> str:
        """Compares by something else; returns what is wrong, or empty."""
        wanted = text.strip()
        found: By | None = next((by for by in BY if by == wanted), None)
        if found is None:
            return _("one of {names}").format(names=" ".join(BY))
        self._look_by(found, keep=True)
        return ""

    def _look_by(self, by: By, keep: bool) -> None:
        if keep:
            self._earlier_by.append(self.by)
        self.by = by
        self.begin()

    def do_undo(self) -> None:
        """One view step back; before the first, what rows stood for before."""
        if self._history.can_undo or not self._earlier_by:
            super().do_undo()
        else:
            self._look_by(self._earlier_by.pop(), keep=False)

    def do_notable_next(self) -> None:
        """Next row that got worse."""
        self._step_notable(1)

    def do_notable_prev(self) -> None:
        """The one before."""
        self._step_notable(-1)

    def _step_notable(self, step: int) -> None:
        applied, at = self.applied, self.grid.cursor_row
        verdicts = applied.shown.table.text("verdict") if applied is not None else None
        if applied is None or verdicts is None:
            return
        codes = verdicts.codes[applied.shown.rows].tolist()
        places = range(at + 1, len(codes)) if step > 0 else range(at - 1, -1, -1)
        found = next((place for place in places if codes[place] in NOTABLE), None)
        if found is None:
            self.app.tell(_("no further row got worse"))
        else:
            self.grid.move_to(found)

    def do_to_timeline(self) -> None:
        """Both timelines above each other, laid over each other at the operator."""
        from tui.screens.stacked import StackedScreen

        pair, session = self.pair, self.app.session
        if pair is not None and session is not None and self.baseline is not None:
            names = comparison_pairs(pair.comparison)
            self.app.push_screen(StackedScreen((self.baseline, session), names_of(pair), names))

    def _to_timeline_of_b(self) -> None:
        """The operator, or the longest of its type, on the timeline of B."""
        pair = self.pair
        name = names_of(pair).b if pair is not None else ""
        if pair is None or not name:
            self.app.go("2")
            return
        ops, row = pair.comparison.b.ops, pair.op_row("b")
        starts = ops.time("start_ns") if ops is not None and row >= 0 else None
        start = "" if starts is None or int(starts[row]) == MISSING_NS else f"@{int(starts[row])}"
        self.app.follow("2", name + start)

    def do_to_table(self) -> None:
        """The operator in the table of B."""
        pair = self.pair
        if pair is not None and pair.comparison.by == "api" and pair.number("b_count") > 0:
            self.app.follow("4", pair.name)
        elif pair is not None and pair.op_row("b") >= 0:
            self.app.follow("3", f"row:{pair.op_row('b')}")
        else:
            self.app.tell(_("B has no task of it to show; B swaps the sides"))

    def action_go(self, digit: str) -> None:
        """Ops and Timeline open on the operator under the cursor."""
        pair = self.pair
        if digit == "2":
            self._to_timeline_of_b()
        elif digit == "3" and pair is not None and pair.op_row("b") >= 0:
            self.do_to_table()
        else:
            super().action_go(digit)

    def own_command(self) -> Sequence[str]:
        """`npuscope compare A B`, each side limited to what is looked at of it."""
        a, b = self.baseline, self.app.session
        if a is None or b is None:
            return ["npuscope", "compare", *(side.target for side in (a, b) if side is not None)]
        by = ("--by", self.shown_by) if self.shown_by != "name" else ()
        scope = b.scope_options
        other = () if a.scope_options == scope else _scope_of_baseline(a, b)
        return ["npuscope", "compare", a.target, b.target, *by, *scope, *other]

    def follow(self, target: str) -> None:
        """What another screen points at: a row by its name."""
        if self.has_rows:
            self.command_goto(target)


def _scope_of_baseline(a: Session, b: Session) -> list[str]:
    """The options that limit the baseline, where they are not those of the other side."""
    mine, others = (dict(zip(side.scope_options[::2], side.scope_options[1::2])) for side in (a, b))
    names = dict.fromkeys([*mine, *others])
    return [word for name in names if mine.get(name) != others.get(name) for word in (f"{name}-a", mine.get(name, ""))]
