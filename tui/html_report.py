"""The report as one HTML page that needs nothing beside it: picture of the timeline, tables, findings with evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui import __version__
from tui.finding_report import CONFIDENCE_NAMES, SEVERITY_NAMES, Section
from tui.i18n import _, current_language, ngettext
from tui.model.finding import Evidence, Finding
from tui.model.ranges import dense_window
from tui.page.markup import PageTable, document, escaped, folded, section, table, tag
from tui.page.picture import Scene, draw
from tui.report_content import Content, health_text, sections, title_text
from tui.units import full_text, number_text, share_text, span_text, time_text

OPEN_FINDINGS = 3
"""Findings whose evidence is open from the start."""
MOST_EVIDENCE = 12
_HEALTH_WORDS = {"ok": "+", "info": "i", "warn": "!", "error": "E"}


def html_report(content: Content, bands: tuple[float, float]) -> str:
    """The page.

    Args:
        bands: Share limits of the colours of the picture, in percent.
    """
    everything = list(sections(content, "blocks"))
    parts = {part.key: part for part in everything}
    tables = [part for part in everything if not part.key]
    body = [
        _header(content),
        "<main>",
        *_picture(content, bands),
        *_environment(parts.get("environment")),
        *_tables([part for part in tables if not part.folded]),
        *_findings(content),
        *(section_of(part) for part in tables if part.folded),
        *_missing(parts["missing"]),
        "</main>",
        tag("footer", f"npuscope {__version__}"),
    ]
    return document(title_text(content.session, "blocks"), current_language(), body)


def section_of(part: Section) -> str:
    """A part of the report as a table; a long one is folded."""
    title = part.title or part.heading
    content = table(PageTable(part.rows, part.columns, part.texts, part.shares))
    if part.folded:
        return f"<section>\n{folded(title, content)}\n</section>"
    return section(title, content, part.note)


def _header(content: Content) -> str:
    session = content.session
    facts = " · ".join(session.facts())
    lines = "\n".join(
        f'<li class="{line.severity}"><b>{_HEALTH_WORDS[line.severity]}</b>{escaped(health_text(line, "blocks"))}</li>'
        for line in content.data.health
    )
    where = tag("p", str(session.profile.root), "note")
    return (
        f"<header>\n{tag('h1', session.profile.name)}\n{tag('p', facts, 'facts')}{where}\n"
        f'<ul class="health">\n{lines}\n</ul>\n</header>'
    )


def _picture(content: Content, bands: tuple[float, float]) -> Iterator[str]:
    session = content.session
    if content.facts is None or not len(session.timeline()):
        return
    timeline = session.timeline()
    within = session.within.window if session.within is not None else None
    dense = dense_window(timeline)
    window = within or (dense.start_ns, dense.end_ns)
    span = content.data.span
    span_ns = span.length_ns if span is not None and span.length_ns else window[1] - window[0]
    scene = Scene(timeline, session.timeline_rows(), window, span_ns, bands, within is not None)
    picture = draw(scene, _("timeline of {profile}").format(profile=session.profile.name))
    notes = list(_picture_notes(picture.lanes_left_out, 0 if within else dense.outside))
    key = f'<p class="key">{"".join(_key(bands))}</p>'
    caption = f"<figcaption>{key}{''.join(tag('p', note) for note in notes)}</figcaption>"
    yield section(_("timeline"), f'<figure><div class="drawing">\n{picture.svg}\n</div>{caption}</figure>')


def _picture_notes(lanes: int, outside: int) -> Iterator[str]:
    if lanes:
        yield ngettext(
            "{n} lane that is less busy is not drawn", "{n} lanes that are less busy are not drawn", lanes
        ).format(n=number_text(lanes, 0))
    if outside:
        yield ngettext(
            "{n} event far from the others is outside of the picture",
            "{n} events far from the others are outside of the picture",
            outside,
        ).format(n=number_text(outside, 0))


def _key(bands: tuple[float, float]) -> Iterator[str]:
    low, high = (f"{limit:g}" for limit in bands)
    for kind, text in (
        ("low", _("below {low} % of span").format(low=low)),
        ("mid", _("{low} to {high} %").format(low=low, high=high)),
        ("high", _("from {high} %").format(high=high)),
    ):
        yield f'<span><i class="{kind}"></i>{escaped(text)}</span>'


def _environment(part: Section | None) -> Iterator[str]:
    if part is not None:
        entries = "".join(f"{tag('dt', label)}{tag('dd', text)}" for label, text in part.rows)
        yield section(part.heading, f"<dl>{entries}</dl>")


def _tables(parts: Sequence[Section]) -> Iterator[str]:
    """Tables beside each other where the window is wide enough."""
    if parts:
        yield '<div class="pair">'
        yield from map(section_of, parts)
        yield "</div>"


def _findings(content: Content) -> Iterator[str]:
    found = content.found.findings
    if found:
        articles = "\n".join(_finding(finding, place < OPEN_FINDINGS) for place, finding in enumerate(found))
        yield section(_("findings"), articles, _("recoverable times are upper bounds; they do not add up"))


def _finding(finding: Finding, is_open: bool) -> str:
    saves = ""
    if finding.recoverable_us is not None:
        saves = f"≤ {span_text(finding.recoverable_us * 1000.0)}"
        saves += f" ({share_text(finding.share_pct)})" if finding.share_pct is not None else ""
    confidence = _(CONFIDENCE_NAMES[finding.confidence])
    parts = [
        '<div class="top">',
        tag("span", _(SEVERITY_NAMES[finding.severity]), f"sev {finding.severity}"),
        tag("h3", finding.title),
        tag("span", saves, "save") if saves else "",
        tag("span", f"{finding.rule} · {confidence}", "rule"),
        "</div>",
        tag("p", finding.measured),
        tag("p", " ".join(part for part in (finding.means, finding.advice) if part)),
        tag("pre", finding.command.text) if finding.command is not None else "",
        tag("p", f"{confidence}: {finding.why}", "note") if finding.why else "",
        _evidence(finding, is_open) if finding.evidence else "",
    ]
    return f"<article>{''.join(parts)}</article>"


def _evidence(finding: Finding, is_open: bool) -> str:
    total = max(finding.evidence_total, len(finding.evidence))
    count = number_text(total, 0)
    heading = ngettext("evidence: {n} entry", "evidence: {n} entries", total).format(n=count)
    first = finding.evidence[:MOST_EVIDENCE]
    more = (_("and {n} more").format(n=number_text(total - len(first), 0)),) if total > len(first) else ()
    return folded(heading, table(_evidence_table(first)) + "".join(tag("p", text, "note") for text in more), is_open)


def _evidence_table(entries: Sequence[Evidence]) -> PageTable:
    """A column per figure where all entries have the same ones, else the figures as a text."""
    keys = [key for key, _value in entries[0].figures]
    if any([key for key, _value in entry.figures] != keys for entry in entries):
        rows = [(entry.text, _figures(entry), _place(entry)) for entry in entries]
        return PageTable(rows, (_("name"), _("figures"), _("where")), texts=(0, 1, 2))
    cells = [(entry.text, *(_figure(value) for _key, value in entry.figures), _place(entry)) for entry in entries]
    words = [place + 1 for place, (_key, value) in enumerate(entries[0].figures) if isinstance(value, str)]
    return PageTable(cells, (_("name"), *keys, _("where")), texts=(0, *words, len(keys) + 1))


def _figures(evidence: Evidence) -> str:
    return " · ".join(f"{key} {_figure(value)}" for key, value in evidence.figures)


def _figure(value: float | str) -> str:
    return value if isinstance(value, str) else full_text(value)


def _place(evidence: Evidence) -> str:
    """Rows of a table, counted from 1 as on its screen, or a range on the timeline in absolute time."""
    if evidence.table and evidence.rows:
        rows = ", ".join(str(row + 1) for row in evidence.rows[:3])
        return f"{evidence.table} {rows}" + ("…" if len(evidence.rows) > 3 else "")
    return f"@{time_text(evidence.start_ns, 'us', 3)} µs" if evidence.start_ns is not None else ""


def _missing(part: Section) -> Iterator[str]:
    if part.rows:
        items = "\n".join(tag("li", text) for (text,) in part.rows)
        lines = folded(f"{part.heading} ({len(part.rows)})", f'<ul class="plain">{items}</ul>')
        yield f"<section>\n{lines}\n</section>"
