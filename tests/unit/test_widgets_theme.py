"""Every colour lands on exactly the palette entry that was meant, and no palette forgets a role."""

from __future__ import annotations

import pytest
from rich.color import Color, ColorSystem

from widgets.roles import ROLES, Look
from widgets.theme import COLOURS_16, DARK_256, MONO, PALETTES, Palette, textual_theme


def numbers_of(palette: Palette) -> set[int]:
    paints = [number for paint in palette.roles.values() for number in (paint.fg, paint.bg)]
    return {number for number in [*paints, *(ground.bg for ground in palette.grounds.values())] if number is not None}


@pytest.mark.parametrize("palette", [DARK_256, COLOURS_16], ids=lambda palette: palette.name)
def test_each_hex_downgrades_to_its_own_number(palette: Palette) -> None:
    for number in numbers_of(palette):
        assert Color.parse(palette.hex(number)).downgrade(palette.system).number == number


@pytest.mark.parametrize("number", range(16, 256))
def test_every_entry_of_256_can_be_reached_except_twins(number: int) -> None:
    landed = Color.from_triplet(DARK_256.rgb(number)).downgrade(ColorSystem.EIGHT_BIT).number
    assert landed is not None
    twins = Color.from_ansi(landed).get_truecolor() == Color.from_ansi(number).get_truecolor()
    assert (
        landed == number or twins or number in (59, 102, 145, 188, 231)
    )  # greys of the cube: rich prefers the grey ramp


def test_numbers_of_the_roles_that_carry_the_story() -> None:
    roles = DARK_256.roles
    assert [roles[name].fg for name in ("bright", "text", "muted", "faint", "rule")] == [255, 252, 245, 242, 240]
    assert [roles[name].fg for name in ("low", "mid", "high", "focus", "marked")] == [66, 178, 167, 45, 180]
    assert [DARK_256.grounds[name].bg for name in ("base", "panel", "title", "cursor")] == [233, 234, 236, 237]
    assert [COLOURS_16.roles[name].fg for name in ("low", "mid", "high", "focus")] == [6, 3, 1, 14]


@pytest.mark.parametrize("palette", PALETTES.values(), ids=lambda palette: palette.name)
def test_every_palette_knows_every_role_on_every_ground(palette: Palette) -> None:
    look = Look(palette)
    for role in ROLES:
        for ground in DARK_256.grounds:
            assert look.style(role, ground) is look.style(role, ground)
            look.style(f"{role} bold", ground)


def test_mono_uses_no_colour_and_still_tells_cursor_title_and_bands() -> None:
    look = Look(MONO)
    for role in ROLES:
        for ground in MONO.grounds:
            style = look.style(role, ground)
            assert style.color is None
            assert style.bgcolor is None
    assert look.style("text", "cursor").reverse
    assert look.style("text", "title").reverse
    assert look.style("high").bold
    assert not look.style("low").bold


def test_muted_text_is_readable_on_the_cursor_row() -> None:
    look = Look(DARK_256)
    assert look.style("muted", "cursor").color == look.style("text").color


@pytest.mark.parametrize("palette", PALETTES.values(), ids=lambda palette: palette.name)
def test_the_theme_offers_roles_and_grounds_to_css(palette: Palette) -> None:
    variables = textual_theme(palette).variables
    assert variables["role-muted"] == palette.hex(palette.roles["muted"].fg)
    assert variables["role-on-mid"] == palette.hex(palette.roles["on_mid"].fg)
    assert variables["ground-panel"] == palette.hex(palette.grounds["panel"].bg)
