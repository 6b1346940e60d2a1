"""Three sets of characters: what each may and may not contain."""

from __future__ import annotations

import unicodedata
from dataclasses import fields

import pytest
from rich.cells import cell_len

from widgets.glyphs import ASCII, BLOCKS, BRAILLE, GLYPH_SETS, GlyphSet

NOT_GLYPHS = ("name", "symbols", "encoding", "time")


def characters(glyphs: GlyphSet) -> str:
    values = [getattr(glyphs, field.name) for field in fields(glyphs) if field.name not in NOT_GLYPHS]
    values += [text for value in vars(glyphs.time).values() if not isinstance(value, int) for text in value]
    return "".join("".join(value) for value in values)


def test_ascii_has_only_ascii() -> None:
    assert characters(ASCII).isascii()


def test_braille_has_no_ambiguous_width() -> None:
    ambiguous = [char for char in characters(BRAILLE) if unicodedata.east_asian_width(char) in "AWF"]
    assert ambiguous == []


@pytest.mark.parametrize("glyphs", GLYPH_SETS.values(), ids=lambda glyphs: glyphs.name)
def test_every_glyph_is_one_cell(glyphs: GlyphSet) -> None:
    assert all(cell_len(char) == 1 for char in characters(glyphs))
    assert len(glyphs.corners) == 4


@pytest.mark.parametrize("glyphs", GLYPH_SETS.values(), ids=lambda glyphs: glyphs.name)
def test_bars_and_heights_begin_empty(glyphs: GlyphSet) -> None:
    assert glyphs.bar[0] == " "
    assert glyphs.heights[0] == " "


@pytest.mark.parametrize("glyphs", GLYPH_SETS.values(), ids=lambda glyphs: glyphs.name)
def test_bands_differ_without_colour(glyphs: GlyphSet) -> None:
    assert len({" ", glyphs.band_mid, glyphs.band_high, glyphs.finding}) == 4


def test_ascii_shows_signs_in_words_and_other_characters_as_escapes() -> None:
    assert ASCII.shown("1.2 µs · 7.5× → ≥ 0.8 …") == "1.2 us . 7.5x -> >= 0.8 .."
    assert ASCII.shown("卷积") == r"\u5377\u79ef"


def test_ascii_keeps_names_that_the_terminal_can_show() -> None:
    assert ASCII.for_encoding("UTF-8").shown("卷积 · 3 µs") == "卷积 . 3 us"


def test_blocks_change_nothing() -> None:
    assert BLOCKS.shown("卷积 · 3 µs") == "卷积 · 3 µs"
