"""A bar around zero: direction, ends in eighths, the zone of noise."""

from __future__ import annotations

import pytest

from widgets.bars import change_bar
from widgets.glyphs import GLYPH_SETS
from widgets.text import cells

BLOCKS, ASCII, BRAILLE = GLYPH_SETS["blocks"], GLYPH_SETS["ascii"], GLYPH_SETS["braille"]


def text(change: float, zone: float, width: int, glyphs: str = "blocks", colours: bool = True) -> str:
    return "".join(piece.text for piece in change_bar(change, zone, width, GLYPH_SETS[glyphs], colours))


def test_less_grows_to_the_left_and_more_to_the_right() -> None:
    assert text(-1.0, 0.0, 9) == "████▏    "
    assert text(1.0, 0.0, 9) == "    ▏████"
    assert text(0.0, 0.0, 9) == "    ▏    "
    assert text(float("nan"), 0.0, 9) == "    ▏    "


def test_ends_are_eighths_of_a_cell() -> None:
    assert text(0.375, 0.0, 9) == "    ▏█▌  "
    pieces = change_bar(-0.3125, 0.0, 9, BLOCKS, True)  # 1.25 cells: the rest of the cell is 6 eighths, colours swapped
    assert [piece.text for piece in pieces if piece.role == "better reverse"] == ["▊"]
    assert text(1e-9, 0.0, 9) == "    ▏▏   "


def test_noise_is_shaded_on_both_sides_and_bars_stand_before_it() -> None:
    pieces = change_bar(-0.5, 0.75, 9, BLOCKS, True)
    assert [(piece.text, piece.role) for piece in pieces if piece.text.strip()] == [
        ("█", "noise"), ("██", "better"), ("▏", "faint"), ("███", "noise"),
    ]  # fmt: skip
    assert text(-0.5, 0.75, 9, colours=False) == " ·██▏··· "


def test_other_glyphs_have_whole_cells() -> None:
    assert text(-0.5, 0.25, 9, "ascii") == "  <<|.   "
    assert text(0.3, 0.0, 9, "ascii") == "    |>   "
    assert "⣿⣿" in text(0.5, 0.0, 9, "braille")


@pytest.mark.parametrize("glyphs", ["blocks", "ascii", "braille"])
@pytest.mark.parametrize("change", [-2.0, -1.0, -0.99, -0.01, 0.0, 0.4, 1.0, 5.0, float("nan"), float("inf")])
def test_the_width_is_exact(change: float, glyphs: str) -> None:
    for width in (1, 2, 8, 13, 29):
        for zone in (0.0, 0.3, 1.0, 7.0):
            assert cells(text(change, zone, width, glyphs)) == width
