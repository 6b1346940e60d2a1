"""What the report says, whatever its form: everything that was found out, and its parts as rows of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tui.errors import NoSuchTable
from tui.finding_report import Section, findings_sections
from tui.i18n import _, ngettext
from tui.model.finding import Findings, in_glyphs
from tui.model.gaps import CAUSE_NAMES, DeviceTime
from tui.model.ops import column_of
from tui.model.split import PART_NAMES, split_of_times, time_source
from tui.model.table import NumberColumn, Table, TextColumn
from tui.model.text import shown
from tui.model.view import View, apply_view
from tui.overview import TOP_ROWS, HealthLine, OverviewData, TopRow, overview
from tui.session import Session
from tui.timeline_facts import TIME_PARTS, TimelineFacts, parts_ns, timeline_facts
from tui.units import GlyphSet, missing_text, number_text, share_text, span_text, time_text, time_unit, unit_label

TOP_STEPS = 10


@dataclass(frozen=True)
class Content:
    """Everything that a report says."""

    session: Session
    data: OverviewData
    facts: TimelineFacts | None
    """None when the profile has no timeline."""
    found: Findings


def content_of(session: Session, waits: bool = True) -> Content:
    """The timeline first: the span of a profile that is too large for a scan comes from it.

    Args:
        waits: Whether to import a timeline that is not read yet.
    """
    has_timeline = bool(session.profile.files_of("timeline"))
    is_left = has_timeline and not waits and not session.is_timeline_read
    facts = None if is_left else timeline_facts(session)
    data = overview(session, problems=facts.problems if facts else ())
    if data.split is None and facts is not None and data.span is not None:
        split = split_of_times(facts.times, data.span)
        data = replace(data, split=split, split_missing="" if split else data.split_missing)
    unsaid = _("time of the devices, gaps: {reason}")
    absent = _("the timeline is not read yet") if is_left else _("the profile has no timeline")
    reason = absent if facts is None else facts.missing
    more = (unsaid.format(reason=reason),) if reason else ()
    return Content(session, replace(data, not_evaluated=(*data.not_evaluated, *more)), facts, session.findings(waits))


def nothing_to_report(session: Session, data: OverviewData) -> NoSuchTable:
    """One line: the worst problem of the profile, or that it holds no operators, APIs or times."""
    line = next((line for line in data.health[1:] if line.severity in ("error", "warn")), None)
    if line is not None:
        return NoSuchTable(" - ".join(part for part in (line.fact, line.consequence) if part), line.hint)
    message = _("{profile} holds no operators, API calls or timeline to report on").format(profile=session.profile.root)
    return NoSuchTable(message, _("npuscope check says what it holds"))


def title_text(session: Session, glyphs: GlyphSet) -> str:
    """The profile and what is looked at of it."""
    return plain_text(" · ".join((session.profile.name, *session.facts())), glyphs)


def plain_text(text: str, glyphs: GlyphSet) -> str:
    """A text made safe, its dots between facts only where every terminal draws them in one cell."""
    return shown(text) if glyphs == "blocks" else shown(text.replace(" · ", ", "))


def health_text(line: HealthLine, glyphs: GlyphSet) -> str:
    """Fact, consequence and what to do, in one line."""
    return " - ".join(plain_text(part, glyphs) for part in (line.fact, line.consequence, line.hint) if part)


def sections(content: Content, glyphs: GlyphSet) -> Iterator[Section]:
    """Each part of the report that has something to say."""
    data = content.data
    if data.environment:
        rows: list[tuple[str, ...]] = [(shown(label), plain_text(text, glyphs)) for label, text in data.environment]
        yield Section(_("environment"), rows, texts=(0, 1), key="environment")
    yield _split_section(data, glyphs)
    if content.facts is not None:
        yield from _timeline_sections(content.facts, glyphs)
    yield from _steps_sections(content.session, glyphs)
    by_type = data.top_ops_by == "op_type"
    if data.top_ops:
        title = _("top operator types, {unit}") if by_type else _("top operators, {unit}")
        yield _top_section(title, data.top_ops, _("% of device time"), glyphs)
    yield from _longest_section(content.session.optional("ops"), glyphs)
    if data.top_apis:
        yield _top_section(_("top APIs, {unit}"), data.top_apis, _("% of span"), glyphs)
    yield from findings_sections(content.found, glyphs)
    missing = [*data.not_evaluated, *(in_glyphs(line, glyphs) for line in content.found.missing_lines())]
    yield Section(_("not evaluated"), [(text,) for text in missing], key="missing")


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
    shares = tuple(part.share_pct for part in split.parts)
    return Section(f"{heading} ({notes})", rows, heading, _part_columns(), shares, notes)


def _part_columns() -> tuple[str, ...]:
    return _("part"), _("time"), _("share")


def _timeline_sections(facts: TimelineFacts, glyphs: GlyphSet) -> Iterator[Section]:
    """Time of each device, and its gaps: in all by cause, then the longest ones."""
    for time in facts.times:
        yield _device_section(time, glyphs)
    if facts.by_cause:
        rows: list[tuple[str, ...]] = [
            (_(CAUSE_NAMES[entry.cause]), _times(entry.count, glyphs), span_text(entry.total_ns, glyphs))
            for entry in facts.by_cause
        ]
        whole_ns = sum(entry.total_ns for entry in facts.by_cause) or 1
        shares = tuple(100.0 * entry.total_ns / whole_ns for entry in facts.by_cause)
        columns = (_("cause"), _("count"), _("total"))
        yield Section(_("gaps of the devices by cause"), rows, columns=columns, shares=shares)
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
    shares = tuple(100.0 * part_ns / whole for part_ns in parts_ns(time))
    return Section(heading, rows, columns=_part_columns(), shares=shares)


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
    label = unit_label(unit, glyphs)
    start = _("start {unit}").format(unit=label)
    columns = (_("device"), start, _("length"), _("cause"), _("task before and after"))
    return Section(heading.format(unit=label), rows, _("longest gaps"), columns, texts=(0, 3, 4), folded=True)


def _steps_sections(session: Session, glyphs: GlyphSet) -> Iterator[Section]:
    """The longest iterations of those looked at, in the order of the run; one alone says nothing."""
    steps = session.steps()[0]
    inside = np.arange(len(steps))
    if session.within is not None:
        start_ns, end_ns = session.within.window
        inside = np.flatnonzero((steps.start_ns >= start_ns) & (steps.end_ns <= end_ns))
    if len(inside) < 2:
        return
    times_ns = steps.dur_ns
    median_ns = float(np.median(times_ns[inside])) or 1.0
    longest = np.sort(inside[np.argsort(-times_ns[inside], kind="stable")[:TOP_STEPS]])
    rows: list[tuple[str, ...]] = [
        (shown(steps.names[place]), span_text(int(times_ns[place]), glyphs),
         _ratio(float(times_ns[place]) / median_ns, glyphs))
        for place in longest.tolist()
    ]  # fmt: skip
    count = ngettext("{n} iteration", "{n} iterations", len(inside)).format(n=number_text(len(inside), 0))
    columns = (_("iteration"), _("length"), _("of the median"))
    shares = tuple(100.0 * float(times_ns[place]) / float(times_ns[inside].max() or 1) for place in longest.tolist())
    yield Section(f"{_('longest iterations')}: {count}", rows, _("longest iterations"), columns, shares, count)


def _ratio(ratio: float, glyphs: GlyphSet) -> str:
    return f"{number_text(ratio, 2)}{'x' if glyphs == 'ascii' else '×'}"


def _longest_section(table: Table | None, glyphs: GlyphSet) -> Iterator[Section]:
    """Single operators, longest first."""
    columns = _texts_and_numbers(table, ("op_name", "op_type"), ("task_duration_us", "share_pct"))
    if table is None or columns is None:
        return
    (names, types), (times, shares) = columns
    rows = apply_view(table, View()).rows[:TOP_ROWS]
    rows = rows[~np.isnan(times[rows])]
    if not len(rows):
        return
    unit = time_unit(float(times[rows].max()) * 1000.0)
    factor, decimals = _scale(unit)
    cells: list[tuple[str, ...]] = [
        (shown(name), shown(kind), number_text(float(times[row]) * factor, decimals, glyphs),
         number_text(float(shares[row]), 1, glyphs))
        for row, name, kind in zip(rows.tolist(), names.texts(rows), types.texts(rows))
    ]  # fmt: skip
    label, share = unit_label(unit, glyphs), _("% of device time")
    heading = _("longest operators, {unit}").format(unit=label)
    heads = (_("name"), _("type"), label, share)
    bars = tuple(shares[rows].tolist())
    yield Section(f"{heading}, {share}", cells, heading, heads, bars, texts=(0, 1))


def _texts_and_numbers(
    table: Table | None, texts: Sequence[str], numbers: Sequence[str]
) -> tuple[list[TextColumn], list[NDArray[np.float64]]] | None:
    """Columns of a table, derived ones too; None unless it has them all."""
    if table is None:
        return None
    found = [column for key in texts if isinstance(column := column_of(table, key), TextColumn)]
    values = [column.values for key in numbers if isinstance(column := column_of(table, key), NumberColumn)]
    return (found, values) if len(found) == len(texts) and len(values) == len(numbers) else None


def _scale(unit: str) -> tuple[float, int]:
    """Factor from µs to a unit, and the decimals shown in it."""
    return {"ns": 1000.0, "us": 1.0, "ms": 0.001}[unit], 0 if unit == "ns" else 3


def _times(count: int, glyphs: GlyphSet) -> str:
    return f"{count}×" if glyphs != "ascii" else f"{count}x"


def _top_section(title: str, top: Sequence[TopRow], share: str, glyphs: GlyphSet) -> Section:
    unit = time_unit(max(row.total_us for row in top) * 1000.0)
    factor, decimals = _scale(unit)
    rows: list[tuple[str, ...]] = [
        (shown(row.name), _times(row.count, glyphs),
         number_text(row.total_us * factor, decimals, glyphs), number_text(row.share_pct, 1, glyphs))
        for row in top
    ]  # fmt: skip
    heading = title.format(unit=unit_label(unit, glyphs))
    shares = tuple(row.share_pct for row in top)
    columns = (_("name"), _("count"), unit_label(unit, glyphs), share)
    return Section(f"{heading}, {share}", rows, heading, columns, shares)
