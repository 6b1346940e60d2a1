"""Screen 4: which host calls. The APIs by time, each with its share of its level and of the profile's span."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tui.glossary import about_api
from tui.i18n import _, ngettext
from tui.model.columns import cell_text
from tui.model.ops import device_time_us
from tui.model.table import Table, TextColumn
from tui.model.view import Shown, View, apply_view
from tui.screens.facts import BarRow, Fact, bar_lines, fact, fact_lines
from tui.screens.op_details import Pane, Room
from tui.screens.rows import Plan, Width, Words, bar_plan, column_plan, mark_plan, other_plans
from tui.screens.table_screen import TableScreen
from tui.units import number_text, share_text, span_text
from widgets.columns import ColumnState
from widgets.pieces import Line, Piece, gap

KEYS = (
    "api_name",
    "level",
    "time_us",
    "span_pct",
    "share_bar",
    "count",
    "avg_us",
    "max_us",
    "min_us",
    "variance",
    "time_ratio_pct",
)
GROUP_KEYS = ("count", "total_us", "share_pct", "share_bar", "max_us", "mean_us")
INSIDE_ROWS = 8
ACL_ONLY = View(only=(("level", "acl"),))


class ApisScreen(TableScreen):
    """api_statistic, acl_statistic, or what was counted from calls."""

    DIGIT = "4"
    NAME = "APIs"
    KIND = "apis"
    DETAILS_LINES = 5

    def plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        """Columns of APIs, or of groups of them."""
        return self._api_plans(table, shown, words) if shown.groups is None else self._group_plans(shown, words)

    def _api_plans(self, table: Table, shown: Shown, words: Words) -> Sequence[Plan]:
        span = table.number("span_pct")
        known = span is not None and bool(np.isfinite(span).any())
        shares = span if span is not None and known else table.number("time_ratio_pct")
        shares = np.full(table.row_count, np.nan) if shares is None else shares
        title = _("% span") if known else _("% level")
        planned = [
            mark_plan(shares, "time_us", words),
            column_plan(table, "api_name", words, title="API Name", width=Width(27, 2, 48)),
            column_plan(table, "level", words, title=_("Level"), role="muted", width=Width(9, 0, 14)),
            column_plan(table, "time_us", words, title=_("Time")),
            column_plan(table, "span_pct" if known else "time_ratio_pct", words, title=title),
            bar_plan("share_bar", shares, shown.rows, "time_us", words, Width(8, 4, 40)),
            column_plan(table, "count", words, title=_("Count")),
            column_plan(table, "avg_us", words, title=_("Avg"), role="muted"),
            column_plan(table, "max_us", words, title=_("Max"), role="muted"),
            column_plan(table, "min_us", words, title=_("Min"), role="muted"),
            column_plan(table, "variance", words, title=_("Variance"), role="muted"),
        ]
        return [plan for plan in (*planned, *other_plans(table, planned, words)) if plan is not None]

    def _group_plans(self, shown: Shown, words: Words) -> Sequence[Plan]:
        groups = shown.table
        shares = groups.number("share_pct")
        assert shares is not None
        keys = [column.info.key for column in groups.columns if isinstance(column, TextColumn)]
        planned = [
            mark_plan(shares, "total_us", words),
            *(column_plan(groups, key, words, width=Width(18, 2, 44)) for key in keys),
            column_plan(groups, "count", words, title=_("Count")),
            column_plan(groups, "total_us", words, title=_("Total")),
            column_plan(groups, "share_pct", words, title=_("% of all")),
            bar_plan("share_bar", shares, shown.rows, "total_us", words, Width(8, 4, 40)),
            column_plan(groups, "max_us", words, title=_("Max")),
            column_plan(groups, "mean_us", words, title=_("Mean"), role="muted"),
        ]
        return [plan for plan in planned if plan is not None]

    def default_keys(self, shown: Shown) -> Sequence[str]:
        """APIs: what ux asks for; groups: their keys and figures."""
        if shown.groups is None:
            return KEYS
        return (*(column.info.key for column in shown.table.columns if isinstance(column, TextColumn)), *GROUP_KEYS)

    def has_sum(self, shown: Shown) -> bool:
        """Levels contain each other, so a sum over them would count twice."""
        return False

    def beside(self, shown: Shown | None) -> bool:
        """Bars need the width."""
        return False

    def pane(self, table: Table, shown: Shown, position: int, room: Room) -> Pane:
        """One API: what it is, its spread, and where it is the model's execution what ran inside."""
        row = int(shown.rows[position])
        if shown.groups is not None:
            title = " ".join(cell_text(column, row) for column in shown.table.columns if isinstance(column, TextColumn))
            return Pane(title, "", [])
        name = cell_text(table.get("api_name"), row) if table.get("api_name") is not None else ""  # type: ignore[arg-type]
        counts = table.number("count")
        count = int(counts[row]) if counts is not None and counts[row] == counts[row] else 0
        calls = ngettext("{n} call", "{n} calls", count).format(n=number_text(count, 0))
        lines = fact_lines(self._facts(table, row, name, room), room.width, room.glyphs.ellipsis)
        if room.tall and name.startswith("aclmdlExecute"):
            lines += self._inside(room)
        if room.tall:
            lines += self._levels(table, room)
        return Pane(name, calls, lines)

    def _facts(self, table: Table, row: int, name: str, room: Room) -> list[Fact]:
        def value(key: str) -> float:
            values = table.number(key)
            return float("nan") if values is None else float(values[row])

        def time(key: str) -> str:
            return span_text(value(key) * 1000, room.number_glyphs)

        spread = value("variance") ** 0.5 / value("avg_us") if value("avg_us") else float("nan")
        share = (
            _("{share} of the span").format(share=share_text(value("span_pct")))
            if value("span_pct") == value("span_pct")
            else ""
        )
        level = (
            _("{share} of its level").format(share=share_text(value("time_ratio_pct")))
            if value("time_ratio_pct") == value("time_ratio_pct")
            else ""
        )
        facts = [
            fact(
                _("Time"),
                time("time_us"),
                "bright",
                note=f"  {room.glyphs.dot}  ".join(text for text in (share, level) if text),
                wide=True,
            ),
            fact(_("Avg"), time("avg_us")),
            fact(_("Max"), time("max_us")),
            fact(_("Min"), time("min_us")),
            fact(_("Spread"), f"CV {number_text(spread, 2)}" if spread == spread else ""),
        ]
        about = about_api(name)
        if about:
            facts.append(fact(_("what"), about, "muted", wide=True))
        return [entry for entry in facts if entry.value[0].text and entry.value[0].text != room.glyphs.missing]

    def _inside(self, room: Room) -> list[Line]:
        """Device time by type of operator: what a synchronous execution waits for."""
        change = self.app.tables.get("ops")
        ops = change.table if change is not None else None
        if ops is None or ops.text("op_type") is None:
            return []
        base = device_time_us(ops)
        bars = group_bars(ops, "op_type", lambda total_us: self._band(total_us / base * 100 if base else 0.0))
        title = _("device work of the whole run, by OP type")
        return [[], room.rule(title, _("device ms")), *bar_lines(bars, room.width, room.glyphs)]

    def _band(self, share_pct: float) -> str:
        band = self.words().band(share_pct)
        return "bar" if band == "low" else band

    def _levels(self, table: Table, room: Room) -> list[Line]:
        """Time per level; a level runs inside the one above it."""
        bars = group_bars(table, "level", lambda _total_us: "bar")
        if len(bars) < 2:
            return []
        note: Line = [gap(1), Piece(_("lower levels run inside acl calls; their times are not added"), "muted")]
        return [[], room.rule(_("levels"), "ms"), *bar_lines(bars, room.width, room.glyphs), note]

    def first_view(self, table: Table) -> View:
        """The AscendCL level where there are several: the lower ones run inside of it."""
        level = table.text("level")
        return ACL_ONLY if level is not None and "acl" in level.strings and len(level.strings) > 1 else View()

    def do_reset(self) -> None:
        """The AscendCL level in its default order; once more: all levels."""
        if self._table is not None:
            first = self.first_view(self._table)
            self.app.state.put("columns", self.KIND, None)
            self.go_to_view(View() if self.view == first else first, ColumnState())

    def crumbs(self, view: View) -> Sequence[str]:
        """All levels, or one."""
        steps = ["AscendCL" if text == "acl" else text for _key, text in view.only]
        if view.group:
            return [*steps, _("by {column}").format(column=view.group[-1])]
        return steps or [_("all levels")]

    def count_text(self, shown: Shown) -> str:
        """All APIs."""
        return ngettext("{n} API", "{n} APIs", shown.total_rows).format(n=number_text(shown.total_rows, 0))

    def position_text(self, shown: Shown, position: int) -> str:
        """The span that the shares are of."""
        session = self.app.session
        span = session.host_span() if session is not None and session.is_scanned else None
        if span is None:
            return ""
        return _("span {time}").format(time=span_text(span.length_ns, self.words().glyphs))

    def do_to_timeline(self) -> None:
        """The longest call of the API under the cursor on the timeline."""
        applied, row = self._applied, self.grid.cursor_row
        names = applied.shown.table.text("api_name") if applied is not None else None
        if applied is None or names is None or row < 0:
            self.app.tell(_("only an API can be shown on the timeline"))
        else:
            self.app.follow("2", names.strings[int(names.codes[int(applied.shown.rows[row])])])

    def follow(self, target: str) -> None:
        """What another screen points at: an API by its name, or by its row in the table."""
        if target.startswith("row:"):
            self.go_to_table_row(int(target.partition(":")[2]))
            return
        self.go_to_view(View(), ColumnState())
        self.command_goto(target)


def group_bars(table: Table, key: str, role_of: Callable[[float], str]) -> list[BarRow]:
    """Groups of a table by total, longest first, as rows of a bar chart in ms.

    Args:
        role_of: Total in µs → role of the bar.
    """
    shown = apply_view(table, View(group=(key,)))
    names, totals, counts = shown.table.text(key), shown.table.number("total_us"), shown.table.number("count")
    if names is None or totals is None or counts is None:
        return []
    rows = shown.rows[:INSIDE_ROWS].tolist()
    top = max((float(totals[row]) for row in rows), default=0.0) or 1.0
    return [
        BarRow(
            names.strings[int(names.codes[row])],
            f"{number_text(float(counts[row]), 0)}×",
            number_text(float(totals[row]) / 1000, 2),
            float(totals[row]) / top,
            role_of(float(totals[row])),
        )
        for row in rows
    ]
