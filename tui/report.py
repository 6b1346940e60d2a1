"""Headless twins of the screens: the same numbers as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from tui.finding_report import Section
from tui.html_report import html_report
from tui.model.finding import finding_object
from tui.model.names import resolve_key
from tui.model.ops import column_of
from tui.model.split import Split
from tui.model.table import Column, Table
from tui.model.text import cell_width, json_document, markdown_text, padded
from tui.model.view import Shown, View, apply_view
from tui.model.writers import TableFormat, json_number, table_pieces
from tui.overview import OverviewData
from tui.report_content import Content, content_of, health_text, nothing_to_report, sections, title_text
from tui.session import Session
from tui.timeline_facts import TimelineFacts, causes_object, gaps_object, times_object
from tui.units import GlyphSet, TimeChoice

ReportFormat = Literal["text", "md", "html", "json"]
REPORT_FORMATS: tuple[ReportFormat, ...] = ("text", "md", "html", "json")

_SCREEN_COLUMNS = {
    "ops": "op_name op_type task_type task_duration_us share_pct task_wait_time_us block_num input_shapes bound",
    "apis": "api_name level time_us span_pct count avg_us max_us variance",
    "events": "track name start_ns dur_ns self_ns depth",
    "tracks": "process thread layer device_id pid tid events max_depth wall_ns sum_ns",
    "gaps": "device_id start_ns length_ns cause before after",
    "findings": "severity recoverable_us title rule confidence evidence",
}
"""Columns that people are shown unless they ask for others; the other kinds show all."""


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


def report_output(
    session: Session,
    form: ReportFormat = "text",
    glyphs: GlyphSet = "blocks",
    bands: tuple[float, float] = (20.0, 50.0),
    waits: bool = True,
) -> str:
    """What the `report` command prints.

    Args:
        bands: Share limits of the colours of the picture, in percent; only for HTML.
        waits: Whether to import a timeline that is not read yet; without, the report says that it is not.

    Raises:
        NoSuchTable: the profile holds nothing that a report is about.
    """
    content = content_of(session, waits)
    if content.data.is_empty:
        raise nothing_to_report(session, content.data)
    if form == "json":
        return json_document(_report_object(content))
    if form == "html":
        return html_report(content, bands)
    lines = _markdown_lines if form == "md" else _text_lines
    return "\n".join(lines(content, glyphs)) + "\n"


def _report_object(content: Content) -> dict[str, Any]:
    """The report as one object: `profile split top_ops top_apis findings not_evaluated`."""
    session, data, facts = content.session, content.data, content.facts
    return {
        "profile": _profile_object(session, data),
        "split": _split_object(data.split, facts),
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
        "findings": [finding_object(finding) for finding in content.found.findings],
        "not_evaluated": [*data.not_evaluated, *(entry.text for entry in content.found.not_evaluated)],
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


def _split_object(split: Split | None, facts: TimelineFacts | None) -> dict[str, Any] | None:
    if split is None:
        return None
    return {
        "span_ns": split.span.length_ns,
        "start_ns": split.span.start_ns,
        "source": split.span.source,
        "verdict": split.verdict,
        "note": split.note,
        "parts": [{"part": part.key, "time_ns": part.time_ns, "share_pct": part.share_pct} for part in split.parts],
        "devices": times_object(facts),
        "top_gaps": gaps_object(facts),
        "gaps_by_cause": causes_object(facts),
    }


def _text_lines(content: Content, glyphs: GlyphSet) -> Iterator[str]:
    yield title_text(content.session, glyphs)
    for line in content.data.health:
        mark = {"ok": "+", "info": "i", "warn": "!", "error": "E"}[line.severity]
        yield f"{mark} {health_text(line, glyphs)}"
    for section in sections(content, glyphs):
        yield ""
        yield section.heading
        yield from _aligned(section)


def _markdown_lines(content: Content, glyphs: GlyphSet) -> Iterator[str]:
    yield f"# {markdown_text(title_text(content.session, glyphs))}"
    yield ""
    for line in content.data.health:
        yield f"- {markdown_text(health_text(line, glyphs))}"
    for section in sections(content, glyphs):
        yield f"\n## {markdown_text(section.heading)}\n"
        yield from _markdown_table(section)


def _aligned(section: Section) -> Iterator[str]:
    if not section.rows:
        return
    widths = [max(map(cell_width, column)) for column in zip(*section.rows)]
    for row in section.rows:
        cells = [
            padded(cell, width, right=place not in section.texts)
            for place, (cell, width) in enumerate(zip(row, widths))
        ]
        yield "  " + "  ".join(cells).rstrip()


def _markdown_table(section: Section) -> Iterator[str]:
    if not section.rows:
        return
    cells = range(len(section.rows[0]))
    heads = section.columns or ("",) * len(cells)
    yield "|" + "".join(f" {markdown_text(head)} |" if head else " |" for head in heads)
    yield "|" + "".join(" --- |" if place in section.texts else " ---: |" for place in cells)
    for row in section.rows:
        yield "| " + " | ".join(map(markdown_text, row)) + " |"
