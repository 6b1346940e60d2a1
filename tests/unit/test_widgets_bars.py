"""Bars have the asked width in every glyph set, and the length that the value asks for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.bars import bar, gauge, histogram, share_widths, signed_bar, sparkline, split_bar, two_part_bar
from widgets.glyphs import ASCII, BLOCKS, BRAILLE, GLYPH_SETS, GlyphSet
from widgets.pieces import Piece, width_of

SETS = st.sampled_from(sorted(GLYPH_SETS.values(), key=lambda glyphs: glyphs.name))
WIDTHS = st.integers(1, 40)


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("fraction", "shown"),
    [(1.0, "████████"), (0.5, "████    "), (17.6 / 41.0, "███▍    "), (0.0001, "▏       "), (0.0, "        ")],
)
def test_bar_in_eighths(fraction: float, shown: str) -> None:
    assert bar(fraction, 8, BLOCKS) == shown


def test_bar_in_the_other_sets() -> None:
    assert bar(0.44, 8, BRAILLE) == "⣿⣿⣿⡇    "
    assert bar(0.5, 8, ASCII) == "####...."
    assert bar(math.nan, 4, ASCII) == "...."


@given(st.floats(-1, 2), WIDTHS, SETS)
def test_bars_are_exactly_as_wide_as_asked(fraction: float, width: int, glyphs: GlyphSet) -> None:
    assert len(bar(fraction, width, glyphs)) == width
    assert width_of(gauge(fraction, width, glyphs, 0.8)) == width
    assert width_of(signed_bar(fraction, width, glyphs, ("better", "worse"))) == width


def test_gauge_shows_its_limit_until_it_is_passed() -> None:
    assert text_of(gauge(0.21, 20, BLOCKS, 0.8)) == "━━━━────────────┊───"
    assert text_of(gauge(0.9, 20, BLOCKS, 0.8)) == "━━━━━━━━━━━━━━━━━━──"
    assert text_of(gauge(0.5, 10, ASCII, 0.8)) == "=====---|-"


def test_signed_bar_grows_from_its_axis() -> None:
    assert text_of(signed_bar(-0.5, 9, BLOCKS, ("better", "worse"))) == "  ██▏    "
    assert text_of(signed_bar(1.0, 9, BLOCKS, ("better", "worse"))) == "    ▏████"


def test_sparkline_leaves_headroom_and_shows_small_values() -> None:
    assert sparkline([0, 1, 50, 100], BLOCKS) == " ▁▃▆"
    assert sparkline([0, 100], BLOCKS, headroom=False) == " █"
    assert sparkline([0, 0], BLOCKS) == "  "


def test_histogram_rows_stack() -> None:
    assert histogram([0, 1, 2], 2, BLOCKS) == ["  █", " ██"]
    assert histogram([4, 3], 1, BLOCKS) == ["█▆"]


def test_histogram_shows_the_smallest_count() -> None:
    assert histogram([10_000, 1], 3, BLOCKS)[-1] == "█▁"


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=8), st.integers(8, 100))
def test_shares_fill_the_width_and_none_is_lost(shares: list[float], width: int) -> None:
    widths = share_widths(shares, width)
    assert sum(widths) == (width if sum(shares) > 0 else 0)
    if sum(shares) > 0:
        assert all(cells >= 1 for share, cells in zip(shares, widths) if share > 0)


def test_split_bar_drops_labels_that_do_not_fit() -> None:
    pieces = split_bar([(3, "load", "on_fill"), (6, "computing", "on_bar"), (1, "idle", "on_mid")], 20, BLOCKS)
    assert text_of(pieces) == " load ▏computing  ▏ "


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (3170.625, 2204.310, "███████▋███"),
        (1482.310, 1201.774, "████▏▏     "),
        (1012.044, 846.120, "██▉▌       "),
        (884.201, 742.008, "██▋▏       "),
        (984.410, 871.932, "███▍       "),
        (571.120, 544.871, "█▉         "),
        (72.055, 72.046, "▎          "),
    ],
)
def test_what_is_left_and_what_was_saved_in_one_bar(before: float, after: float, shown: str) -> None:
    longest = 3170.625
    pieces = two_part_bar(after / longest, (before - after) / longest, 11, BLOCKS, "left")
    assert text_of(pieces) == shown


def test_the_two_parts_are_told_apart_without_colours_and_without_blocks() -> None:
    assert [piece for piece in two_part_bar(0.7, 0.3, 10, BLOCKS, "left") if piece.text] == [
        Piece("███████", "left"), Piece("███", "better")
    ]  # fmt: skip
    assert [piece.role for piece in two_part_bar(0.75, 0.25, 10, BLOCKS, "left")][1] == "on_better"
    assert text_of(two_part_bar(0.7, 0.2, 10, ASCII, "left")) == "#######-- "
    assert text_of(two_part_bar(0.7, 0.2, 10, BLOCKS, "left", colours=False)) == "███████── "
    assert text_of(two_part_bar(0.01, 0.0, 10, ASCII, "left")) == "#         "
    assert text_of(two_part_bar(0.7, 0.2, 10, BRAILLE, "left")) == "⣿⣿⣿⣿⣿⣿⣿⣿⣿ "


@given(st.floats(0, 1), st.floats(0, 1), WIDTHS, SETS, st.booleans())
def test_bars_of_two_parts_are_exactly_as_wide_as_asked(
    first: float, share: float, width: int, glyphs: GlyphSet, colours: bool
) -> None:
    pieces = two_part_bar(first * share, first * (1 - share), width, glyphs, "left", colours)
    assert width_of(pieces) == width
