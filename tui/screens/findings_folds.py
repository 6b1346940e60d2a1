"""What stands folded below the list of findings: rules that were not evaluated, and the advice of msprof itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal, Union

from tui.i18n import ngettext
from tui.model.advice import Advice
from tui.model.finding import Findings, NotEvaluated
from tui.units import number_text
from widgets.pieces import Line, Piece, gap
from widgets.roles import Look
from widgets.text import cells, fit

FoldKind = Literal["missing", "advice"]
Entry = Union[NotEvaluated, Advice]
ABOUT_CELLS = 30
MISSING_CELLS = 56
OPTION_CELLS = 42
WIDE_FROM = 112
"""Width from which the option stands in the row; the pane below has it anyway."""


@dataclass(frozen=True)
class FoldRow:
    """One row: the head of a group, or one of its entries."""

    kind: FoldKind
    line: Line
    entry: Entry | None = None
    """None for the head."""


def fold_rows(found: Findings, opened: Set[FoldKind], width: int, look: Look) -> list[FoldRow]:
    """The groups that are not empty; those opened with their entries."""
    rows: list[FoldRow] = []
    for kind, entries, title, about in _groups(found):
        if not entries:
            continue
        mark = look.glyphs.opened if kind in opened else look.glyphs.closed
        head = [gap(1), Piece(mark, "muted"), gap(1), Piece(title, "muted"), gap(3), Piece(about, "faint")]
        rows.append(FoldRow(kind, look.cut(_shown(head, look), width - 2)))
        if kind in opened:
            rows += [FoldRow(kind, line, entry) for entry, line in _entry_lines(entries, width, look)]
    return rows


def _groups(found: Findings) -> Iterator[tuple[FoldKind, Sequence[Entry], str, str]]:
    missing, advice = found.not_evaluated, found.advice
    title = ngettext("{n} rule not evaluated", "{n} rules not evaluated", len(missing))
    reasons = Counter(entry.missing for entry in missing).most_common()
    yield "missing", missing, title.format(n=number_text(len(missing), 0)), ", ".join(reason for reason, _n in reasons)
    title = ngettext("{n} suggestion of msprof itself", "{n} suggestions of msprof itself", len(advice))
    about = ", ".join(dict.fromkeys(entry.suggestion for entry in advice))
    yield "advice", advice, title.format(n=number_text(len(advice), 0)), about


def _entry_lines(entries: Sequence[Entry], width: int, look: Look) -> Iterator[tuple[Entry, Line]]:
    """Entries in columns that line up; the last one, which the pane below has too, only where there is room."""
    texts = [[look.shown(text) for text in _texts(entry)] for entry in entries]
    needed = [max(cells(text[at]) for text in texts) for at in range(4)]
    first, second = min(needed[0], ABOUT_CELLS), min(needed[1], ABOUT_CELLS)
    if width < WIDE_FROM:
        second = min(second, width // 4)
    option = min(needed[3], OPTION_CELLS) + 2 if width >= WIDE_FROM else 0
    third = min(needed[2], MISSING_CELLS, width - first - second - option - 11)
    for entry, text in zip(entries, texts):
        columns = zip(text, (first, second, third), ("muted", "text", "muted"))
        line = [gap(3)]
        for part, wide, role in columns:
            line += [Piece(fit(part, wide, cut="end", ellipsis=look.glyphs.ellipsis), role), gap(2)]
        line += [Piece(text[3], "info")] if width >= WIDE_FROM else []
        yield entry, look.cut(line, width - 2)


def _texts(entry: Entry) -> tuple[str, str, str, str]:
    """Which rule, what it is about, what is missing or advised, what would produce it or which operators."""
    if isinstance(entry, NotEvaluated):
        return entry.rule, entry.title, entry.missing, entry.option
    return entry.rule_type, entry.subtype, entry.suggestion, ", ".join(entry.ops)


def _shown(pieces: Sequence[Piece], look: Look) -> list[Piece]:
    return [piece._replace(text=look.shown(piece.text)) for piece in pieces]


def lines_of(rows: Sequence[FoldRow]) -> list[Line]:
    """The rows for a list."""
    return [row.line for row in rows]


def missing_summary(found: Findings, width: int, look: Look) -> list[Line]:
    """What keeps rules from being evaluated, most rules first: what is missing, what would produce it, which rules."""
    groups: dict[tuple[str, str], list[str]] = {}
    for entry in found.not_evaluated:
        groups.setdefault((entry.missing, entry.option), []).append(entry.rule)
    lines: list[Line] = []
    for (missing, option), rules in sorted(groups.items(), key=lambda group: -len(group[1])):
        pieces = [gap(1), Piece(missing, "text"), gap(2)]
        pieces += [Piece(option, "info"), gap(2)] if option else []
        lines.append(look.cut(_shown([*pieces, Piece(" ".join(rules), "muted")], look), width - 2))
    return lines
