"""Two runs set side by side: rows with verdicts, the sums behind them, and what else differs."""

from __future__ import annotations

from collections.abc import Iterator

from tui.compare.comparability import differences, shape_differences
from tui.compare.entries import Entries, can_tell, entries_of, tells
from tui.compare.matching import Matching, matched
from tui.compare.parts import end_to_end, part_changes, wall
from tui.compare.rows import Rows, judged_rows
from tui.errors import NoSuchTable
from tui.i18n import _, ngettext
from tui.model.comparison import BY, By, Comparison, Difference, Side
from tui.model.table import Table

Tables = tuple[Table, Table]
Compared = tuple[tuple[Entries, Entries], Matching, Rows]
"""Rows of one kind, and what they are made of."""


def compare(a: Side, b: Side, by: By = "name") -> Comparison:
    """B, the current run, against A, the baseline.

    Args:
        by: What rows stand for; where a side cannot tell it, the next coarser one that both can.

    Raises:
        NoSuchTable: there is nothing that both sides tell.
    """
    finest: By | None = next((each for each in BY if each != "shape" and _tables(a, b, each) is not None), None)
    chosen: By | None = by if _tables(a, b, by) is not None else finest
    if chosen is None or finest is None:
        raise _nothing_in_common(a, b)
    base = None if finest == "api" else _compared(a, b, finest)
    shown = base[-1] if base is not None and chosen == finest else _compared(a, b, chosen)[-1]
    entries, rows = (base[0], base[-1]) if base is not None else (None, None)
    found = [*differences(a.facts, b.facts)]
    return Comparison(
        a,
        b,
        chosen,
        shown.table,
        end_to_end(entries, rows),
        wall(a.ops, b.ops),
        tuple(part_changes(a, b, entries, rows)),
        (*found, *_of_rows(a, b, base, found)),
        tuple(_notes(by, chosen, shown)),
        shown.a_members,
        shown.b_members,
    )


def _compared(a: Side, b: Side, by: By) -> Compared:
    tables = _tables(a, b, by)
    if tables is None:
        raise _nothing_in_common(a, b)
    entries = entries_of(tables[0], by), entries_of(tables[1], by)
    matching = matched(*entries)
    return entries, matching, judged_rows(*entries, matching)


def _tables(a: Side, b: Side, by: By) -> Tables | None:
    """The tables that both sides tell such rows by; operators rather than their statistics."""
    pairs = [(a.apis, b.apis)] if by == "api" else [(a.ops, b.ops), (a.op_types, b.op_types)]
    for mine, others in pairs:
        if mine is not None and others is not None and can_tell(mine, by) and can_tell(others, by):
            return mine, others
    return None


def _nothing_in_common(a: Side, b: Side) -> NoSuchTable:
    for side in (a, b):
        if not (can_tell(side.ops, "name") or can_tell(side.op_types, "type") or can_tell(side.apis, "api")):
            message = _("{profile} holds no operators, types of operators or API calls to compare")
            return NoSuchTable(message.format(profile=side.name), _("npuscope check says what it holds"))
    message = _("{a} and {b} hold nothing of the same kind to compare")
    return NoSuchTable(message.format(a=a.name, b=b.name), _("npuscope check says what they hold"))


def _of_rows(a: Side, b: Side, base: Compared | None, found: list[Difference]) -> Iterator[Difference]:
    """What the rows themselves tell: types on one side only (task-time l0), other shapes."""
    if a.ops is not None and b.ops is not None and all(each.what != "level" for each in found):
        a_level, b_level = ("l1" if tells(table, "op_type") else "l0" for table in (a.ops, b.ops))
        if a_level != b_level:
            yield Difference("level", a_level, b_level)
    if base is not None:
        yield from shape_differences(*base[0], base[1])


def _notes(wanted: By, chosen: By, rows: Rows) -> Iterator[str]:
    if chosen != wanted:
        names = {"name": _("operator"), "type": _("type"), "shape": _("type and shapes"), "api": _("API of the host")}
        text = _("compared by {chosen}: one of the two does not tell what a comparison by {wanted} needs")
        yield text.format(chosen=names[chosen], wanted=names[wanted])
    if rows.left_out:
        text = ngettext(
            "{count} row has no time on either side", "{count} rows have no time on either side", rows.left_out
        )
        yield text.format(count=rows.left_out)
