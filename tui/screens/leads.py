"""Where to look next: what stands out in the Overview's numbers, with the screen that shows it. Facts, no rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tui.i18n import _, ngettext
from tui.model.finding import Finding
from tui.model.ops import communication_rows
from tui.model.stats import percentiles
from tui.model.table import Table
from tui.overview import HealthLine, OverviewData
from tui.units import number_text, share_text, span_text
from widgets.pieces import Line, Piece, gap, spread
from widgets.roles import Look
from widgets.text import cut_end

LIMITS_SHOWN = 4


class Lead(NamedTuple):
    """One thing worth looking at."""

    digit: str
    """Screen that shows it."""
    text: str
    value: str
    role: str
    """Of the sign before the text."""
    target: str = ""
    """What the screen should show: `types`, `longest`, or a name."""


def leads(data: OverviewData, ops: Table | None, is_raw: bool = False) -> Sequence[Lead]:
    """Leads in the order of a triage: device, operators, host, limits of the data.

    Args:
        is_raw: The data were collected but not exported: an export comes before everything else.
    """
    export = [Lead("8", _("export it with msprof: makes its tables and its timeline"), "", "info", "export")]
    found = (*_device_leads(data, ops), *_host_leads(data), *_limit_leads(data.health[1:]))
    return (*export, *found) if is_raw else found


def _device_leads(data: OverviewData, ops: Table | None) -> Iterator[Lead]:
    if data.top_ops:
        top = data.top_ops[0]
        calls = ngettext("{n} call", "{n} calls", top.count).format(n=number_text(top.count, 0))
        text = _("{name} takes {share} of device time, {calls}").format(
            name=top.name, share=share_text(top.share_pct), calls=calls
        )
        yield Lead("3", text, span_text(top.total_us * 1000), "info", "types")
    if ops is not None:
        yield from _longest(ops)


def _longest(ops: Table) -> Iterator[Lead]:
    """The longest task, beside the median of its type."""
    durations, names, types = ops.number("task_duration_us"), ops.text("op_name"), ops.text("op_type")
    if durations is None or names is None or not len(durations):
        return
    values = np.where(communication_rows(ops), np.nan, durations)
    if np.isnan(values).all():
        return
    row = int(np.nanargmax(values))
    name = names.strings[int(names.codes[row])]
    text = _("{name} is the longest task").format(name=name)
    if types is not None:
        same = values[types.codes == types.codes[row]]
        (median,) = percentiles(same[np.isfinite(same)], (50,))
        if median and values[row] >= 2 * median and len(same) >= 3:
            kind = types.strings[int(types.codes[row])]
            text = _("{name} takes {n}× the median {kind}").format(
                name=name, n=number_text(values[row] / median, 1), kind=kind
            )
    yield Lead("3", text, span_text(float(values[row]) * 1000), "info", f"longest:{name}")


def _host_leads(data: OverviewData) -> Iterator[Lead]:
    for row in data.top_apis[:2]:
        if row.share_pct != row.share_pct or row.share_pct >= 20:
            share = share_text(row.share_pct) if row.share_pct == row.share_pct else ""
            text = _("{name} takes {share} of the span").format(name=row.name, share=share) if share else row.name
            yield Lead("4", text, span_text(row.total_us * 1000), "info", row.name)


def _limit_leads(health: Sequence[HealthLine]) -> Iterator[Lead]:
    for line in health[:LIMITS_SHOWN]:
        text = " - ".join(part for part in (line.fact, line.consequence) if part)
        yield Lead("9", text, line.hint, line.severity)


def finding_leads(found: Sequence[Finding]) -> Sequence[Lead]:
    """Findings as leads to their screen."""
    return [Lead("5", finding.title, "", "info", f"rule:{finding.rule}") for finding in found]


def lead_rows(found: Sequence[Lead], width_cells: int, look: Look) -> list[Line]:
    """One line per lead: digit, text, value at the right end."""
    return [_row(lead, width_cells - 1, look) for lead in found]


def _row(lead: Lead, width_cells: int, look: Look) -> Line:
    value = cut_end(look.shown(lead.value), width_cells // 2, look.glyphs.ellipsis)
    right = [Piece(value, "text"), gap(2)] if value else []
    sign = {"error": "E", "warn": "!", "info": lead.digit}.get(lead.role, lead.digit)
    left = [
        gap(1),
        Piece(sign, f"{lead.role} bold" if lead.role != "info" else "bright"),
        gap(2),
        Piece(look.shown(lead.text), "text"),
    ]
    room = width_cells - sum(len(piece.text) for piece in right) - 2
    return spread(look.cut(left, room), right, width_cells)
