"""HTML from untrusted texts: whatever comes from a profile is written as text; nothing runs, nothing is loaded."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from tui.model.text import shown
from tui.page.style import STYLE

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class PageTable:
    """A table as text."""

    rows: Sequence[Sequence[str]]
    columns: Sequence[str] = ()
    texts: Sequence[int] = (0,)
    """Places of the columns that are texts; the others are numbers, which are set flush right."""
    shares: Sequence[float] = ()
    """Percent, one per row, drawn as a bar; NaN draws none."""


def escaped(text: str) -> str:
    """A text as HTML, in attributes too: control characters and marks that turn text around are written out."""
    return html.escape(shown(text), quote=True)


def tag(name: str, text: str, kind: str = "") -> str:
    """One element that holds a text.

    Args:
        kind: Its classes, words of our own.
    """
    return f"<{name}{_classes(kind)}>{escaped(text)}</{name}>"


def document(title: str, language: str, body: Iterable[str]) -> str:
    """A whole page."""
    return "\n".join((
        "<!DOCTYPE html>",
        f'<html lang="{escaped(language)}">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{escaped(title)}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        *body,
        "</body>",
        "</html>",
        "",
    ))  # fmt: skip


def folded(summary: str, body: str, is_open: bool = False) -> str:
    """A part that opens by mouse and keyboard."""
    return f"<details{' open' if is_open else ''}><summary>{escaped(summary)}</summary>\n{body}\n</details>"


def section(title: str, body: str, note: str = "", kind: str = "") -> str:
    """A part of the page below its heading."""
    below = tag("p", note, "note") if note else ""
    return f"<section{_classes(kind)}>\n{tag('h2', title)}\n{below}{body}\n</section>"


def table(content: PageTable) -> str:
    """A table that scrolls by itself where the window is narrower."""
    heads = [_head(place, text, content) for place, text in enumerate(content.columns)]
    if heads and content.shares:
        heads.append('<th class="bar" aria-hidden="true"></th>')
    head = f"<thead><tr>{''.join(heads)}</tr></thead>" if heads else ""
    rows = "\n".join(_row(place, row, content) for place, row in enumerate(content.rows))
    return f'<div class="wide"><table>{head}<tbody>\n{rows}\n</tbody></table></div>'


def _head(place: int, text: str, content: PageTable) -> str:
    kind = "" if place in content.texts else "n"
    return f'<th scope="col"{_classes(kind)}>{escaped(text)}</th>'


def _row(number: int, row: Sequence[str], content: PageTable) -> str:
    cells = [tag("td", text, "" if place in content.texts else "n") for place, text in enumerate(row)]
    if content.shares:
        cells.append(f'<td class="bar">{_bar(content.shares[number])}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _bar(share_pct: float) -> str:
    if not isfinite(share_pct):
        return ""
    width = min(max(share_pct, 0.0), 100.0)
    return f'<i class="{band_of(share_pct)}" style="width:{width:.1f}%"></i>'


def band_of(share_pct: float, limits: tuple[float, float] = (20.0, 50.0)) -> str:
    """Class of the colour band of a share."""
    return "high" if share_pct >= limits[1] else "mid" if share_pct >= limits[0] else "low"


def _classes(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
