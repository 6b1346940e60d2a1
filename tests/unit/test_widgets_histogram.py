"""Two distributions on one axis: widths, ends of bars, every glyph set."""

from __future__ import annotations

import pytest

from widgets.bars import limited_bar
from widgets.glyphs import ASCII, BLOCKS, BRAILLE, GlyphSet
from widgets.histogram import Bin, two_sided
from widgets.pieces import width_of
from widgets.roles import Look
from widgets.text import cells
from widgets.theme import DARK_256, MONO, Palette

BINS = [
    Bin("65.5", "80 k", 0.0, 75.0, label_role="error", note="limit 65 504"),
    Bin("50", "65.5 k", 50.0, 0.02, "high", bold=True),
    Bin("0", "50 k", 50.0, 24.98),
]


def lines(width: int, look: Look) -> list[str]:
    return ["".join(piece.text for piece in line) for line in two_sided(BINS, ("A fp16", "B fp32"), width, look)]


@pytest.mark.parametrize("glyphs", [BLOCKS, BRAILLE, ASCII], ids=lambda glyphs: glyphs.name)
@pytest.mark.parametrize("palette", [DARK_256, MONO], ids=lambda palette: palette.name)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_is_wider_than_the_room(width: int, palette: Palette, glyphs: GlyphSet) -> None:
    look = Look(palette, glyphs)
    assert all(width_of(line) <= width for line in two_sided(BINS, ("A", "B"), width, look))


def test_bins_line_up_and_bars_are_scaled_to_the_largest() -> None:
    head, beyond, plateau, rest = lines(80, Look())
    assert "A fp16" in head
    assert "B fp32" in head
    assert len({line.index("–") for line in (beyond, plateau, rest)}) == 1
    assert beyond.startswith(" limit 65 504 ──")
    assert beyond.endswith(" 75.0")
    assert "50.0" in plateau
    assert plateau.endswith("<0.1")
    full = beyond.count("█")
    assert rest.split("–")[1].count("█") == pytest.approx(full / 3, abs=1)


def test_left_bars_end_in_the_same_cell() -> None:
    _head, _beyond, plateau, rest = lines(80, Look())
    ends = {line[: line.index("–")].rstrip("0123456789. ").rindex("█") for line in (plateau, rest)}
    assert len(ends) == 1


@pytest.mark.parametrize("glyphs", [BLOCKS, BRAILLE, ASCII], ids=lambda glyphs: glyphs.name)
@pytest.mark.parametrize("fraction", [0.0, 0.01, 0.4, 0.6, 0.99, 1.0])
@pytest.mark.parametrize("limit", [0.0, 0.5, 0.999, 1.0])
def test_a_limited_bar_fills_its_width(fraction: float, limit: float, glyphs: GlyphSet) -> None:
    for width in (1, 8, 20):
        assert sum(cells(piece.text) for piece in limited_bar(fraction, limit, width, glyphs, "bar")) == width


def test_what_lies_beyond_the_limit_is_an_error() -> None:
    below, line, above = limited_bar(1.0, 0.5, 10, BLOCKS, "high")
    assert (below.text, below.role) == ("█████", "high")
    assert (line.text, line.role) == ("▏", "on_high cutout")
    assert (above.text, above.role) == ("████", "error")
    below, line, above = limited_bar(0.2, 0.5, 10, BLOCKS, "bar")
    assert (line.text, line.role) == ("▏", "faint")
    assert above.text.strip() == ""
