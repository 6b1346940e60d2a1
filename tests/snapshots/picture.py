"""A screen as plain text: its characters, then how they are painted.

Below a line of dashes stands one line per row: runs of `cells:foreground/background` with `b`, `u`, `r` for bold,
underlined and reverse; a run in the commonest style of the screen is its number of cells alone. Colours are numbers of
the terminal's own palette, `-` is its default.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.color import Color, ColorSystem
from rich.style import Style
from textual.strip import Strip

EXPECTED = Path(__file__).with_name("expected")
BETWEEN = "-" * 20


def picture_of(strips: Sequence[Strip], system: ColorSystem = ColorSystem.EIGHT_BIT) -> str:
    """The picture of a painted screen."""
    rows = [_runs(strip, system) for strip in strips]
    cells: Counter[str] = Counter()
    for row in rows:
        for count, style in row:
            cells[style] += count
    (commonest, _count), *_others = cells.most_common(1)
    styles = [" ".join(_run_text(count, style, commonest) for count, style in row) for row in rows]
    texts = [strip.text.rstrip() for strip in strips]
    return "\n".join([*texts, f"{BETWEEN} {commonest}", *styles, ""])


class Album:
    """Pictures taken of one viewer, each compared with the expected one or written in its place."""

    def __init__(self, update: bool) -> None:
        self._update = update
        self._differences: list[str] = []

    def add(self, name: str, picture: str) -> None:
        """Compares one picture; what differs is told by `check`."""
        path = EXPECTED / f"{name}.txt"
        if self._update:
            path.write_text(picture, encoding="utf-8")
        elif not path.exists():
            self._differences.append(f"there is no {path.name} yet: --update-snapshots writes it")
        elif picture != path.read_text(encoding="utf-8"):
            expected = path.read_text(encoding="utf-8").splitlines()
            found = difflib.unified_diff(expected, picture.splitlines(), "expected", "now", lineterm="", n=0)
            self._differences.append("\n".join([f"{name} looks different:", *found]))

    def check(self) -> None:
        """Asserts that nothing differs."""
        assert not self._differences, "\n\n".join(self._differences)


def _runs(strip: Strip, system: ColorSystem) -> list[tuple[int, str]]:
    runs: list[tuple[int, str]] = []
    for segment in strip:
        style = _style_text(segment.style, system)
        if runs and runs[-1][1] == style:
            runs[-1] = (runs[-1][0] + segment.cell_length, style)
        else:
            runs.append((segment.cell_length, style))
    return runs


def _run_text(count: int, style: str, commonest: str) -> str:
    return str(count) if style == commonest else f"{count}:{style}"


def _style_text(style: Style | None, system: ColorSystem) -> str:
    if style is None:
        return "-/-"
    words = "".join(letter for letter, on in (("b", style.bold), ("u", style.underline), ("r", style.reverse)) if on)
    return f"{_number(style.color, system)}/{_number(style.bgcolor, system)}{words}"


def _number(colour: Color | None, system: ColorSystem) -> str:
    number = None if colour is None else colour.downgrade(system).number
    return "-" if number is None else str(number)
