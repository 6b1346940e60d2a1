"""Headless twin of the Compare screen: `compare A B` as text or data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.i18n import N_, _, ngettext
from tui.model.comparison import MATCHES, VERDICTS, By, Change, Comparison, Difference, Match, PartKey, Verdict
from tui.model.exact import decimals_of
from tui.model.inventory import text_column
from tui.model.table import Column, ColumnInfo, NumberColumn, TextColumn
from tui.model.text import escaped_unicode, markdown_text, shown
from tui.model.view import View, apply_view
from tui.model.writers import TableFormat, json_number, table_pieces
from tui.units import GlyphSet, TimeChoice, delta_text, missing_text, number_text, time_unit, unit_label

EXIT_GOOD, EXIT_SLOWER, EXIT_INCOMPARABLE = 0, 1, 2

ROW_KEYS = (
    "op_name op_type match a_total_us b_total_us delta_us delta_pct a_count b_count band_us verdict"
    " claimed_us claimed_pct cosine drift"
).split()
"""Keys of a row in JSON, CSV and TSV; rows by shape have `input_shapes` after the type.

What a tuning claims and how dumps drift is there only where that is known."""

_FIGURES = "a_total_us b_total_us delta_us delta_pct a_call_us b_call_us a_count b_count band_us"
SHOWN_KEYS: dict[By, Sequence[str]] = {
    "name": f"op_name op_type {_FIGURES} claimed_pct cosine drift match verdict".split(),
    "type": f"op_type {_FIGURES} verdict".split(),
    "shape": f"op_type input_shapes {_FIGURES} verdict".split(),
    "api": f"op_name op_type {_FIGURES} verdict".split(),
}
"""Columns that people are shown, by what the rows stand for."""

PART_NAMES: dict[PartKey, str] = {
    "load": N_("load"),
    "execute": N_("execute"),
    "computing": N_("computing"),
    "conversion": N_("conversion"),
    "ai_cpu": N_("AI CPU"),
    "communication": N_("uncovered communication"),
    "free": N_("free"),
}
"""Names of the categories as shown (message ids)."""

VERDICT_NAMES: dict[Verdict, str] = {
    "faster": N_("faster"),
    "slower": N_("slower"),
    "same": N_("same"),
    "new": N_("new"),
    "gone": N_("gone"),
    "count_changed": N_("count changed"),
    "incomparable": N_("incomparable"),
}

MATCH_NAMES: dict[Match, str] = {
    "name": N_("name"),
    "normalised": N_("name but index"),
    "sequence": N_("type and shapes"),
    "type": N_("type"),
    "shape": N_("shapes"),
    "none": N_("none"),
}

_FACT_NAMES = {
    "chip": N_("chip"),
    "device_count": N_("devices"),
    "cann_version": N_("CANN"),
    "level": N_("level of the collection"),
    "metrics": N_("core metrics"),
    "iterations": N_("iterations"),
}


def exit_code(comparison: Comparison, gate_pct: float | None) -> int:
    """0 when B is the same or faster, or no gate is set; 1 when it is slower beyond the gate; 2 when incomparable."""
    if comparison.end_to_end.verdict == "incomparable":
        return EXIT_INCOMPARABLE
    return EXIT_SLOWER if gate_pct is not None and beyond_gate(comparison, gate_pct) else EXIT_GOOD


def beyond_gate(comparison: Comparison, gate_pct: float) -> str:
    """What is slower beyond the gate, in a sentence; empty when nothing is.

    The sum of the operators counts by percent and noise; the wall time, where both sides know it, by percent alone.
    """
    total, wall = comparison.end_to_end, comparison.wall
    if total.verdict == "slower" and _longer_pct(total) > gate_pct:
        text = _("beyond {gate} %: the operators take {share} % longer in total, outside noise")
        return text.format(gate=f"{gate_pct:g}", share=f"{_longer_pct(total):.1f}")
    if wall is not None and _longer_pct(wall) > gate_pct:
        text = _("beyond {gate} %: the run takes {share} % longer, its operators do not: look at the host")
        return text.format(gate=f"{gate_pct:g}", share=f"{_longer_pct(wall):.1f}")
    return ""


def _longer_pct(change: Change) -> float:
    """Difference in percent of A; what took no time at all in A took endlessly longer in B."""
    return change.delta_pct if change.a_us else float("inf" if change.delta_us > 0 else "nan")


def compare_output(
    comparison: Comparison,
    form: TableFormat = "text",
    glyphs: GlyphSet = "blocks",
    view: View | None = None,
    limit: int | None = None,
) -> Iterator[str]:
    """What `compare` prints, in pieces that end with a newline.

    Args:
        view: Which rows in which order; None takes all as they are. Sums and counts are always of all.
        limit: At most so many rows.

    Raises:
        BadExpression: the filter cannot be read; raised before the first piece.
    """
    rows = np.arange(comparison.table.row_count) if view is None else apply_view(comparison.table, view).rows
    rows = rows if limit is None else rows[:limit]
    if form == "json":
        return _json_pieces(comparison, rows)
    if form in ("csv", "tsv"):
        return table_pieces(_columns(comparison, row_keys(comparison.by)), rows, form)
    return _readable_pieces(comparison, rows, form, glyphs)


def row_keys(by: By) -> Sequence[str]:
    """Keys of a row as data."""
    return [*ROW_KEYS[:2], "input_shapes", *ROW_KEYS[2:]] if by == "shape" else ROW_KEYS


def _columns(comparison: Comparison, keys: Sequence[str]) -> list[Column]:
    return [column for key in keys if (column := comparison.table.get(key)) is not None]


def shown_columns(comparison: Comparison) -> list[Column]:
    """The columns that people are shown, verdicts as words."""
    columns = _columns(comparison, SHOWN_KEYS[comparison.by])
    return [_worded(column) if isinstance(column, TextColumn) else column for column in columns]


def _worded(column: TextColumn) -> TextColumn:
    if column.info.key == "verdict":
        return replace(column, strings=[_(VERDICT_NAMES[verdict]) for verdict in VERDICTS])
    return (
        replace(column, strings=[_(MATCH_NAMES[match]) for match in MATCHES]) if column.info.key == "match" else column
    )


def change_object(change: Change) -> dict[str, Any]:
    """A change as JSON values."""
    return {
        "a_us": json_number(change.a_us),
        "b_us": json_number(change.b_us),
        "delta_us": json_number(change.delta_us),
        "delta_pct": json_number(change.delta_pct),
        "band_us": json_number(change.band_us),
        "verdict": change.verdict,
    }


def _json_pieces(comparison: Comparison, rows: NDArray[np.intp]) -> Iterator[str]:
    """One object: `end_to_end wall categories rows warnings`; the rows piece by piece."""
    wall = comparison.wall
    categories = [{"category": entry.part, **change_object(entry.change)} for entry in comparison.parts]
    yield f'{{\n"end_to_end": {json.dumps(change_object(comparison.end_to_end))},\n'
    yield f'"wall": {json.dumps(None if wall is None else change_object(wall))},\n'
    yield f'"categories": {json.dumps(categories)},\n"rows": '
    yield from table_pieces(_columns(comparison, row_keys(comparison.by)), rows, "json")
    warnings = [*map(difference_text, comparison.differences), *comparison.notes]
    yield f',\n"warnings": {escaped_unicode(json.dumps(warnings, ensure_ascii=False))}\n}}\n'


def _readable_pieces(
    comparison: Comparison, rows: NDArray[np.intp], form: TableFormat, glyphs: GlyphSet
) -> Iterator[str]:
    for line in summary_lines(comparison, glyphs):
        yield f"- {markdown_text(line)}\n" if form == "md" else f"{shown(line)}\n"
    if comparison.parts:
        yield "\n"
        columns, unit = part_columns(comparison), part_unit(comparison)
        yield from table_pieces(columns, np.arange(len(comparison.parts)), form, glyphs, unit)
    yield "\n"
    yield from table_pieces(shown_columns(comparison), rows, form, glyphs)


def summary_lines(comparison: Comparison, glyphs: GlyphSet = "blocks") -> Iterator[str]:
    """What a comparison comes to, one fact per line."""
    yield _("A, baseline: {name}").format(name=comparison.a.name)
    yield _("B, current: {name}").format(name=comparison.b.name)
    yield _("end to end: {change}").format(change=change_text(comparison.end_to_end, glyphs))
    if comparison.wall is not None:
        yield _("wall: {change}").format(change=change_text(comparison.wall, glyphs))
        if comparison.wall.verdict == "slower" and comparison.end_to_end.verdict in ("same", "faster"):
            yield _("the operators do not take longer, the run does: look at the host")
    yield from map(difference_text, comparison.differences)
    yield from comparison.notes
    yield counts_line(comparison)


def counts_line(comparison: Comparison) -> str:
    """How many rows have which verdict, the telling ones first."""
    verdicts = comparison.table.text("verdict")
    counts = np.zeros(len(VERDICTS), int) if verdicts is None else np.bincount(verdicts.codes, minlength=len(VERDICTS))
    told = [
        f"{counts[VERDICTS.index(verdict)]} {_(name)}"
        for verdict, name in VERDICT_NAMES.items()
        if counts[VERDICTS.index(verdict)]
    ]
    rows = comparison.table.row_count
    return ngettext("{count} row", "{count} rows", rows).format(count=rows) + ": " + ", ".join(told or [_("none")])


def change_text(change: Change, glyphs: GlyphSet = "blocks") -> str:
    """A change in a sentence: `12.66 → 9.32 µs, −3.34 µs (−26.4 %), noise ±0.38 µs: faster, outside noise`."""
    values = np.array([change.a_us, change.b_us])
    if change.verdict == "incomparable":
        return _("incomparable: one of the two has no such times")
    unit = time_unit(float(values.max()) * 1000.0)
    factor = {"ns": 1000.0, "us": 1.0, "ms": 0.001}[unit]
    decimals = 3 if unit == "ms" else min(3, decimals_of(values * factor))
    before, after = (number_text(float(value) * factor, decimals, glyphs) for value in values)
    text = _("{before} {arrow} {after} {unit}, {delta} {unit} ({share} %), noise {sign}{band} {unit}: {verdict}")
    return text.format(
        before=before,
        after=after,
        arrow="→" if glyphs == "blocks" else "->",
        unit=unit_label(unit, glyphs),
        delta=delta_text(change.delta_us * factor, decimals, glyphs),
        share=_share(change.delta_pct, glyphs),
        sign="±" if glyphs == "blocks" else "+-",
        band=number_text(change.band_us * factor, max(1, decimals), glyphs),
        verdict=verdict_text(change.verdict),
    )


def _share(share_pct: float, glyphs: GlyphSet) -> str:
    return delta_text(share_pct, 1, glyphs) if np.isfinite(share_pct) else missing_text(glyphs)


def verdict_text(verdict: Verdict) -> str:
    """The verdict with what it says about noise."""
    if verdict == "same":
        return _("same, inside noise")
    name = _(VERDICT_NAMES[verdict])
    return _("{verdict}, outside noise").format(verdict=name) if verdict in ("faster", "slower") else name


def difference_text(difference: Difference) -> str:
    """What differs besides the operators, and what that means."""
    a, b = difference.a, difference.b
    if difference.what == "shapes":
        return _(
            "{count} of {total} operators of the same name have other input shapes: it is not the same work"
        ).format(count=a, total=b)
    name = difference.name or _(_FACT_NAMES[difference.what])
    return _("{fact}: {a} against {b}, so the times do not compare as they are").format(fact=name, a=a, b=b)


def part_columns(comparison: Comparison) -> list[Column]:
    """The categories as columns, in the order of the comparison."""
    changes = [entry.change for entry in comparison.parts]
    return [
        text_column("part", [_(PART_NAMES[entry.part]) for entry in comparison.parts]),
        _number("a_total_us", [change.a_us for change in changes], "us"),
        _number("b_total_us", [change.b_us for change in changes], "us"),
        _number("delta_us", [change.delta_us for change in changes], "us"),
        _number("delta_pct", [change.delta_pct for change in changes], "pct"),
        _number("band_us", [change.band_us for change in changes], "us"),
        text_column("verdict", [_(VERDICT_NAMES[change.verdict]) for change in changes]),
    ]


def part_unit(comparison: Comparison) -> TimeChoice:
    """One unit for all columns of the categories."""
    known = [value for entry in comparison.parts for value in (entry.change.a_us, entry.change.b_us) if value == value]
    return "us" if time_unit(max(known, default=0.0) * 1000.0) != "ms" else "ms"


def _number(key: str, values: Sequence[float], unit: str) -> NumberColumn:
    return NumberColumn(ColumnInfo(key, "", "number", unit), np.array(values, np.float64))
