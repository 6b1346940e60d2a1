"""Headless twins of the screens: the same numbers as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tui.errors import NoSuchTable
from tui.finding_report import Section, findings_sections
from tui.i18n import _
from tui.model.finding import Findings, finding_object, in_glyphs
from tui.model.gaps import CAUSE_NAMES, DeviceTime
from tui.model.names import resolve_key
from tui.model.ops import column_of
from tui.model.order import parse_sort
from tui.model.split import PART_NAMES, Split, split_of_times, time_source
from tui.model.table import Column, Table
from tui.model.text import cell_width, json_document, padded, shown
from tui.model.view import Shown, View, apply_view
from tui.model.writers import TableFormat, json_number, table_pieces
from tui.overview import HealthLine, OverviewData, TopRow, overview
from tui.session import Session
from tui.timeline_facts import (
    TIME_PARTS,
    TimelineFacts,
    causes_object,
    gaps_object,
    parts_ns,
    timeline_facts,
    times_object,
)
from tui.units import (
    GlyphSet,
    TimeChoice,
    missing_text,
    number_text,
    share_text,
    span_text,
    time_text,
    time_unit,
    unit_label,
)

ReportFormat = Literal["text", "md", "json"]
REPORT_FORMATS: tuple[ReportFormat, ...] = ("text", "md", "json")

_SCREEN_COLUMNS = {
    "ops": "op_name op_type task_type task_duration_us share_pct task_wait_time_us block_num input_shapes bound",
    "apis": "api_name level time_us span_pct count avg_us max_us variance",
    "events": "track name start_ns dur_ns self_ns depth",
    "tracks": "process thread layer device_id pid tid events max_depth wall_ns sum_ns",
    "gaps": "device_id start_ns length_ns cause before after",
    "findings": "severity recoverable_us title rule confidence evidence",
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


@dataclass(frozen=True)
class _Content:
    """Everything that a report says."""

    session: Session
    data: OverviewData
    facts: TimelineFacts | None
    """None when the profile has no timeline."""
    found: Findings


def report_output(session: Session, form: ReportFormat = "text", glyphs: GlyphSet = "blocks") -> str:
    """What the `report` command prints.

    Raises:
        NoSuchTable: the profile holds nothing that a report is about.
    """
    content = _content(session)
    if content.data.is_empty:
        raise _nothing_to_report(session, content.data)
    if form == "json":
        return json_document(_report_object(content))
    lines = _markdown_lines if form == "md" else _text_lines
    return "\n".join(lines(content, glyphs)) + "\n"


def _content(session: Session) -> _Content:
    """The timeline first: the span of a profile that is too large for a scan comes from it."""
    facts = timeline_facts(session)
    data = overview(session, problems=facts.problems if facts else ())
    if data.split is None and facts is not None and data.span is not None:
        split = split_of_times(facts.times, data.span)
        data = replace(data, split=split, split_missing="" if split else data.split_missing)
    unsaid = _("time of the devices, gaps: {reason}")
    reason = _("the profile has no timeline") if facts is None else facts.missing
    more = (unsaid.format(reason=reason),) if reason else ()
    return _Content(session, replace(data, not_evaluated=(*data.not_evaluated, *more)), facts, session.findings())


def _nothing_to_report(session: Session, data: OverviewData) -> NoSuchTable:
    """One line: the worst problem of the profile, or that it holds no operators, APIs or times."""
    line = next((line for line in data.health[1:] if line.severity in ("error", "warn")), None)
    if line is not None:
        return NoSuchTable(" - ".join(part for part in (line.fact, line.consequence) if part), line.hint)
    message = _("{profile} holds no operators, API calls or timeline to report on").format(profile=session.profile.root)
    return NoSuchTable(message, _("npuscope check says what it holds"))


def _report_object(content: _Content) -> dict[str, Any]:
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


def _title(session: Session, glyphs: GlyphSet) -> str:
    return _plain(" · ".join((session.profile.name, *session.facts())), glyphs)


def _plain(text: str, glyphs: GlyphSet) -> str:
    """A text made safe, its dots between facts only where every terminal draws them in one cell."""
    return shown(text) if glyphs == "blocks" else shown(text.replace(" · ", ", "))


def _health(line: HealthLine, glyphs: GlyphSet) -> str:
    return " - ".join(_plain(part, glyphs) for part in (line.fact, line.consequence, line.hint) if part)


def _text_lines(content: _Content, glyphs: GlyphSet) -> Iterator[str]:
    yield _title(content.session, glyphs)
    for line in content.data.health:
        mark = {"ok": "+", "info": "i", "warn": "!", "error": "E"}[line.severity]
        yield f"{mark} {_health(line, glyphs)}"
    for section in _sections(content, glyphs):
        yield ""
        yield section.heading
        yield from _aligned(section)


def _markdown_lines(content: _Content, glyphs: GlyphSet) -> Iterator[str]:
    yield f"# {_title(content.session, glyphs)}"
    yield ""
    for line in content.data.health:
        yield f"- {_health(line, glyphs)}"
    for section in _sections(content, glyphs):
        yield f"\n## {section.heading}\n"
        yield from _markdown_table(section)


def _sections(content: _Content, glyphs: GlyphSet) -> Iterator[Section]:
    """Each part of the report that has something to say."""
    data = content.data
    if data.environment:
        rows: list[tuple[str, ...]] = [(shown(label), _plain(text, glyphs)) for label, text in data.environment]
        yield Section(_("environment"), rows, texts=(0, 1))
    yield _split_section(data, glyphs)
    if content.facts is not None:
        yield from _timeline_sections(content.facts, glyphs)
    by_type = data.top_ops_by == "op_type"
    if data.top_ops:
        title = _("top operator types, {unit}") if by_type else _("top operators, {unit}")
        yield _top_section(title, data.top_ops, _("% of device time"), glyphs)
    if data.top_apis:
        yield _top_section(_("top APIs, {unit}"), data.top_apis, _("% of span"), glyphs)
    yield from findings_sections(content.found, glyphs)
    missing = [*data.not_evaluated, *(in_glyphs(line, glyphs) for line in content.found.missing_lines())]
    yield Section(_("not evaluated"), [(text,) for text in missing])


def _split_section(data: OverviewData, glyphs: GlyphSet) -> Section:
    split = data.split
    if split is None:
        return Section(_("where the time went"), [(data.split_missing,)])
    heading = _("where {time} went").format(time=span_text(split.span.length_ns, glyphs))
    rows: list[tuple[str, ...]] = [
        (_(PART_NAMES[part.key]), span_text(part.time_ns, glyphs), share_text(part.share_pct, 1, glyphs))
        for part in split.parts
    ]
    source = _("span of {source}").format(source=split.span.source)
    notes = "; ".join(text for text in (split.verdict, split.note, source) if text)
    return Section(f"{heading} ({notes})", rows)


def _timeline_sections(facts: TimelineFacts, glyphs: GlyphSet) -> Iterator[Section]:
    """Time of each device, and its gaps: in all by cause, then the longest ones."""
    for time in facts.times:
        yield _device_section(time, glyphs)
    if facts.by_cause:
        rows: list[tuple[str, ...]] = [
            (_(CAUSE_NAMES[entry.cause]), _times(entry.count, glyphs), span_text(entry.total_ns, glyphs))
            for entry in facts.by_cause
        ]
        yield Section(_("gaps of the devices by cause"), rows)
    if facts.gaps:
        yield _gaps_section(facts, glyphs)


def _device_section(time: DeviceTime, glyphs: GlyphSet) -> Section:
    heading = _("where {time} of device {name} went (by {source})").format(
        time=span_text(time.span_ns, glyphs), name=shown(time.device) or "?", source=_(time_source(time))
    )
    whole = time.span_ns or 1
    rows: list[tuple[str, ...]] = [
        (_(name), span_text(part_ns, glyphs), share_text(100.0 * part_ns / whole, 1, glyphs))
        for name, part_ns in zip(TIME_PARTS, parts_ns(time))
    ]
    return Section(heading, rows)


def _gaps_section(facts: TimelineFacts, glyphs: GlyphSet) -> Section:
    """The longest gaps: device, start on the clock of the timeline, length, cause, task before and task after."""
    gaps = facts.gaps
    unit = time_unit(float(max(gap.start_ns for gap in gaps) - facts.start_ns))
    arrow, nobody = "->" if glyphs == "ascii" else "→", missing_text(glyphs)
    rows: list[tuple[str, ...]] = [
        (shown(gap.device) or "?", time_text(gap.start_ns - facts.start_ns, unit, 3), span_text(gap.length_ns, glyphs),
         _(CAUSE_NAMES[gap.cause]), f"{shown(gap.before) or nobody} {arrow} {shown(gap.after) or nobody}")
        for gap in gaps
    ]  # fmt: skip
    heading = _("longest gaps: device, start {unit}, length, cause, task before and after")
    return Section(heading.format(unit=unit_label(unit, glyphs)), rows, texts=(0, 3, 4))


def _times(count: int, glyphs: GlyphSet) -> str:
    return f"{count}×" if glyphs != "ascii" else f"{count}x"


def _top_section(title: str, top: Sequence[TopRow], share: str, glyphs: GlyphSet) -> Section:
    unit = time_unit(max(row.total_us for row in top) * 1000.0)
    factor = {"ns": 1000.0, "us": 1.0, "ms": 0.001}[unit]
    decimals = 0 if unit == "ns" else 3
    rows: list[tuple[str, ...]] = [
        (shown(row.name), _times(row.count, glyphs),
         number_text(row.total_us * factor, decimals, glyphs), number_text(row.share_pct, 1, glyphs))
        for row in top
    ]  # fmt: skip
    return Section(f"{title.format(unit=unit_label(unit, glyphs))}, {share}", rows)


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
    yield "|" + " |" * len(cells)
    yield "|" + "".join(" --- |" if place in section.texts else " ---: |" for place in cells)
    for row in section.rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
