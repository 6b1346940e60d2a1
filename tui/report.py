"""Headless twins of the screens: the same numbers as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tui.errors import NoSuchTable
from tui.i18n import _
from tui.model.names import resolve_key
from tui.model.ops import column_of
from tui.model.order import parse_sort
from tui.model.split import PART_NAMES, Split
from tui.model.table import Column, Table
from tui.model.text import cell_width, json_document, padded, shown
from tui.model.view import Shown, View, apply_view
from tui.model.writers import TableFormat, json_number, table_pieces
from tui.overview import HealthLine, OverviewData, TopRow, overview
from tui.session import Session
from tui.units import GlyphSet, TimeChoice, number_text, share_text, span_text, time_unit, unit_label

ReportFormat = Literal["text", "md", "json"]
REPORT_FORMATS: tuple[ReportFormat, ...] = ("text", "md", "json")

_SCREEN_COLUMNS = {
    "ops": "op_name op_type task_type task_duration_us share_pct task_wait_time_us block_num input_shapes bound",
    "apis": "api_name level time_us span_pct count avg_us max_us variance",
}
"""Columns that people are shown unless they ask for others; the other kinds show all."""


def table_view(table: Table, filter_: str = "", sort: str = "", group: str = "") -> View:
    """The view that the options of `table` describe.

    Raises:
        BadExpression: an unknown column.
    """
    keys = tuple(dict.fromkeys(resolve_key(table, name) for name in group.split(",") if name.strip()))
    view = View(filter=filter_, group=keys)
    if not sort:
        return view
    sorted_table = apply_view(table, View(group=keys)).table if keys else table
    return View(filter=filter_, group=keys, sort=parse_sort(sorted_table, sort))


def table_columns(shown_view: Shown, names: str, form: TableFormat) -> list[Column]:
    """The columns to print: those named, else for people those of the screen and for programs all of the file.

    Raises:
        BadExpression: an unknown column.
    """
    table = shown_view.table
    if names:
        keys: Sequence[str] = [resolve_key(table, name) for name in names.split(",") if name.strip()]
    elif form in ("text", "md") and shown_view.groups is None and table.kind in _SCREEN_COLUMNS:
        keys = _SCREEN_COLUMNS[table.kind].split()
    else:
        keys = table.keys
    return [column for key in keys if (column := column_of(table, key)) is not None]


def table_output(
    table: Table,
    view: View,
    columns: str = "",
    limit: int | None = None,
    form: TableFormat = "text",
    glyphs: GlyphSet = "blocks",
    units: TimeChoice = "auto",
) -> Iterator[str]:
    """What the `table` command prints, in pieces that end with a newline.

    Raises:
        BadExpression: the filter or a column name cannot be read; raised before the first piece.
    """
    shown_view = apply_view(table, view)
    chosen = table_columns(shown_view, columns, form)
    rows = shown_view.rows if limit is None else shown_view.rows[: max(0, limit)]
    return table_pieces(chosen, rows, form, glyphs, units)


def report_output(session: Session, form: ReportFormat = "text", glyphs: GlyphSet = "blocks") -> str:
    """What the `report` command prints.

    Raises:
        NoSuchTable: the profile holds nothing that a report is about.
    """
    data = overview(session)
    if data.is_empty:
        raise _nothing_to_report(session, data)
    if form == "json":
        return json_document(report_object(session, data))
    if form == "md":
        return "\n".join(_markdown_lines(session, data, glyphs)) + "\n"
    return "\n".join(_text_lines(session, data, glyphs)) + "\n"


def _nothing_to_report(session: Session, data: OverviewData) -> NoSuchTable:
    """One line: the worst problem of the profile, or that it holds no operators, APIs or times."""
    line = next((line for line in data.health[1:] if line.severity in ("error", "warn")), None)
    if line is not None:
        return NoSuchTable(" - ".join(part for part in (line.fact, line.consequence) if part), line.hint)
    message = _("{profile} holds no operators, API calls or timeline to report on").format(profile=session.profile.root)
    return NoSuchTable(message, _("npuscope check says what it holds"))


def report_object(session: Session, data: OverviewData) -> dict[str, Any]:
    """The report as one object: `profile split top_ops top_apis findings not_evaluated`."""
    return {
        "profile": _profile_object(session, data),
        "split": _split_object(data.split),
        "top_ops": [
            {
                data.top_ops_by: row.name,
                "count": row.count,
                "total_us": row.total_us,
                "share_pct": json_number(row.share_pct),
            }
            for row in data.top_ops
        ],
        "top_apis": [
            {
                "api_name": row.name,
                "level": row.level,
                "time_us": row.total_us,
                "count": row.count,
                "span_pct": json_number(row.share_pct),
            }
            for row in data.top_apis
        ],
        "findings": [],
        "not_evaluated": list(data.not_evaluated),
    }


def _profile_object(session: Session, data: OverviewData) -> dict[str, Any]:
    profile = session.profile
    environment = profile.environment
    return {
        "path": str(profile.root),
        "name": profile.name,
        "kind": profile.kind,
        "generation": profile.generation,
        "devices": [
            {
                "device_id": device.id,
                "chip": device.chip,
                "ai_core_num": device.ai_core_num or None,
                "aiv_num": device.aiv_num or None,
                "aic_frequency_mhz": device.aic_frequency_mhz or None,
            }
            for device in profile.devices
        ],
        "cann_version": environment.cann_version,
        "level": environment.level,
        "metrics": environment.metrics,
        "span_ns": data.span.length_ns if data.span else None,
        "problems": [
            {"path": problem.path, "where": problem.where, "what": problem.what,
             "consequence": problem.consequence, "hint": problem.hint}
            for problem in profile.problems
        ],
        "missing": [
            {"name": entry.name, "option": entry.option, "consequence": entry.consequence}
            for entry in profile.missing
            if entry.expected
        ],
    }  # fmt: skip


def _split_object(split: Split | None) -> dict[str, Any] | None:
    if split is None:
        return None
    return {
        "span_ns": split.span.length_ns,
        "start_ns": split.span.start_ns,
        "source": split.span.source,
        "verdict": split.verdict,
        "note": split.note,
        "parts": [{"part": part.key, "time_ns": part.time_ns, "share_pct": part.share_pct} for part in split.parts],
    }


def _title(session: Session, glyphs: GlyphSet) -> str:
    return _plain(" · ".join((session.profile.name, *session.facts())), glyphs)


def _plain(text: str, glyphs: GlyphSet) -> str:
    """A text made safe, its dots between facts only where every terminal draws them in one cell."""
    return shown(text) if glyphs == "blocks" else shown(text.replace(" · ", ", "))


def _health(line: HealthLine, glyphs: GlyphSet) -> str:
    return " - ".join(_plain(part, glyphs) for part in (line.fact, line.consequence, line.hint) if part)


def _text_lines(session: Session, data: OverviewData, glyphs: GlyphSet) -> Iterator[str]:
    yield _title(session, glyphs)
    for line in data.health:
        mark = {"ok": "+", "info": "i", "warn": "!", "error": "E"}[line.severity]
        yield f"{mark} {_health(line, glyphs)}"
    for section in _sections(data, glyphs):
        yield ""
        yield section.heading
        yield from _aligned(section)


def _markdown_lines(session: Session, data: OverviewData, glyphs: GlyphSet) -> Iterator[str]:
    yield f"# {_title(session, glyphs)}"
    yield ""
    for line in data.health:
        yield f"- {_health(line, glyphs)}"
    for section in _sections(data, glyphs):
        yield f"\n## {section.heading}\n"
        yield from _markdown_table(section)


@dataclass(frozen=True)
class _Section:
    """One part of the report."""

    heading: str
    rows: list[tuple[str, ...]]
    """Cells; the first one of each row is a name."""
    numbers: bool = True
    """Whether the cells after the name are numbers, which are set flush right."""


def _sections(data: OverviewData, glyphs: GlyphSet) -> Iterator[_Section]:
    """Each part of the report that has something to say."""
    if data.environment:
        rows: list[tuple[str, ...]] = [(shown(label), _plain(text, glyphs)) for label, text in data.environment]
        yield _Section(_("environment"), rows, numbers=False)
    yield _split_section(data, glyphs)
    by_type = data.top_ops_by == "op_type"
    if data.top_ops:
        title = _("top operator types, {unit}") if by_type else _("top operators, {unit}")
        yield _top_section(title, data.top_ops, _("% of device time"), glyphs)
    if data.top_apis:
        yield _top_section(_("top APIs, {unit}"), data.top_apis, _("% of span"), glyphs)
    yield _Section(_("not evaluated"), [(text,) for text in data.not_evaluated])


def _split_section(data: OverviewData, glyphs: GlyphSet) -> _Section:
    split = data.split
    if split is None:
        return _Section(_("where the time went"), [(data.split_missing,)])
    heading = _("where {time} went").format(time=span_text(split.span.length_ns, glyphs))
    rows: list[tuple[str, ...]] = [
        (_(PART_NAMES[part.key]), span_text(part.time_ns, glyphs), share_text(part.share_pct, 1, glyphs))
        for part in split.parts
    ]
    source = _("span of {source}").format(source=split.span.source)
    notes = "; ".join(text for text in (split.verdict, split.note, source) if text)
    return _Section(f"{heading} ({notes})", rows)


def _top_section(title: str, top: Sequence[TopRow], share: str, glyphs: GlyphSet) -> _Section:
    unit = time_unit(max(row.total_us for row in top) * 1000.0)
    factor = {"ns": 1000.0, "us": 1.0, "ms": 0.001}[unit]
    decimals = 0 if unit == "ns" else 3
    rows: list[tuple[str, ...]] = [
        (shown(row.name), f"{row.count}×" if glyphs != "ascii" else f"{row.count}x",
         number_text(row.total_us * factor, decimals, glyphs), number_text(row.share_pct, 1, glyphs))
        for row in top
    ]  # fmt: skip
    return _Section(f"{title.format(unit=unit_label(unit, glyphs))}, {share}", rows)


def _aligned(section: _Section) -> Iterator[str]:
    if not section.rows:
        return
    widths = [max(map(cell_width, column)) for column in zip(*section.rows)]
    for row in section.rows:
        cells = [
            padded(cell, width, right=section.numbers and place > 0)
            for place, (cell, width) in enumerate(zip(row, widths))
        ]
        yield "  " + "  ".join(cells).rstrip()


def _markdown_table(section: _Section) -> Iterator[str]:
    if not section.rows:
        return
    further = len(section.rows[0]) - 1
    yield "| |" + " |" * further
    yield "| --- |" + (" ---: |" if section.numbers else " --- |") * further
    for row in section.rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
