"""Colours by role: one table per kind of terminal, and the Textual themes made of them.

Numbers are entries of the terminal's own palette. Textual speaks RGB and rich translates back; so each number becomes
the RGB value, nearest to the entry, that rich's translation maps exactly onto it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from rich._palettes import EIGHT_BIT_PALETTE, STANDARD_PALETTE
from rich.color import Color, ColorSystem
from rich.color_triplet import ColorTriplet
from rich.palette import Palette as RichPalette
from textual.theme import BUILTIN_THEMES, Theme


class Paint(NamedTuple):
    """How a role looks; None keeps what the ground has."""

    fg: int | None = None
    bg: int | None = None
    attributes: str = ""
    """Words of `bold`, `underline`, `reverse`, `dim`."""


@dataclass(frozen=True)
class Ground:
    """What a line is painted on."""

    bg: int | None
    swaps: Mapping[str, str] = field(default_factory=dict)
    """Roles that look like another one here, since their own colour would not be readable."""
    attributes: str = ""


@dataclass(frozen=True)
class Palette:
    """Every role and ground for one kind of terminal."""

    name: str
    system: ColorSystem
    roles: Mapping[str, Paint]
    grounds: Mapping[str, Ground]
    colours: bool = True
    dark: frozenset[int] = frozenset()
    """Entries on which black text cannot be read."""

    def rgb(self, number: int) -> ColorTriplet:
        """RGB that ends as entry `number` on this kind of terminal."""
        return landing_rgb(number, self.system)

    def hex(self, number: int | None) -> str:
        """The same as `#rrggbb`; `ansi_default` for None."""
        return "ansi_default" if number is None else self.rgb(number).hex


@lru_cache(maxsize=512)
def landing_rgb(number: int, system: ColorSystem) -> ColorTriplet:
    """RGB nearest to entry `number` that rich translates back to `number`."""
    own: RichPalette = STANDARD_PALETTE if system is ColorSystem.STANDARD else EIGHT_BIT_PALETTE
    exact = own[number]
    if _lands(exact, number, system):
        return exact
    for distance in range(1, 16):
        for step in (distance, -distance):
            near = ColorTriplet(*(min(255, max(0, part + step)) for part in exact))
            if _lands(near, number, system):
                return near
    return exact


def _lands(rgb: ColorTriplet, number: int, system: ColorSystem) -> bool:
    return Color.from_triplet(rgb).downgrade(system).number == number


_CATEGORIES = (67, 108, 137, 139, 109, 174, 143, 103)

_ROLES_256: dict[str, Paint] = {
    "text": Paint(252),
    "muted": Paint(245),
    "fact": Paint(248),
    "strong": Paint(255),
    "bright": Paint(255, None, "bold"),
    "title": Paint(255, None, "bold"),
    "faint": Paint(242),
    "dimmed": Paint(240),
    "rule": Paint(240),
    "grid": Paint(236),
    "edge": Paint(237),
    "thumb": Paint(242),
    "sum": Paint(252),
    "bar": Paint(67),
    "left": Paint(241),
    "on_better": Paint(241, 74),
    "low": Paint(66),
    "mid": Paint(178, None, "bold"),
    "high": Paint(167, None, "bold"),
    "low_dim": Paint(66),
    "mid_dim": Paint(136),
    "high_dim": Paint(131),
    "counter": Paint(60),
    "counter_off": Paint(136),
    "neutral": Paint(245),
    "window": Paint(237),
    "wide_low": Paint(109),
    "wide_mid": Paint(178),
    "wide_high": Paint(210),
    "outline": Paint(241),
    "outline_in": Paint(248),
    "view": Paint(236),
    "loading": Paint(236),
    "inverse": Paint(16),
    "bare": Paint(233),
    "noise": Paint(238),
    "focus": Paint(45),
    "here": Paint(45, None, "bold"),
    "match": Paint(45, None, "bold underline"),
    "marked": Paint(180),
    "better": Paint(74),
    "worse": Paint(173),
    "error": Paint(203),
    "warn": Paint(214),
    "info": Paint(110),
    "ok": Paint(108),
    "progress": Paint(110),
    "on_progress": Paint(110, 236),
    "on_fill": Paint(255, 241),
    "on_fill_dim": Paint(255, 240),
    "on_bar": Paint(16, 67, "bold"),
    "on_low": Paint(16, 66),
    "on_mid": Paint(16, 178, "bold"),
    "on_high": Paint(16, 167, "bold"),
    "on_focus": Paint(16, 45),
    "on_marked": Paint(16, 180),
    "caret": Paint(16, 45),
    "current": Paint(255, 239, "bold"),
    "field": Paint(255, 237),
    **{f"cat{index}": Paint(number) for index, number in enumerate(_CATEGORIES)},
}

_ON_CURSOR = {"muted": "text", "text": "strong", "fact": "text", "faint": "muted", "rule": "muted", "grid": "faint"}

_GROUNDS_256: dict[str, Ground] = {
    "base": Ground(233),
    "panel": Ground(234),
    "title": Ground(236),
    "raised": Ground(236),
    "field": Ground(237),
    "cursor": Ground(237, _ON_CURSOR),
    "cell": Ground(239, {**_ON_CURSOR, "muted": "strong"}),
    "chosen": Ground(237, {"muted": "text"}),
}

_ROLES_16: dict[str, Paint] = {
    "text": Paint(7),
    "muted": Paint(7),
    "fact": Paint(7),
    "strong": Paint(15),
    "bright": Paint(15, None, "bold"),
    "title": Paint(15, None, "bold"),
    "faint": Paint(8),
    "dimmed": Paint(8),
    "rule": Paint(8),
    "grid": Paint(8),
    "edge": Paint(8),
    "thumb": Paint(7),
    "sum": Paint(7),
    "bar": Paint(6),
    "left": Paint(8),
    "on_better": Paint(8, 14),
    "low": Paint(6),
    "mid": Paint(3, None, "bold"),
    "high": Paint(1, None, "bold"),
    "low_dim": Paint(6),
    "mid_dim": Paint(3),
    "high_dim": Paint(1),
    "counter": Paint(8),
    "counter_off": Paint(3),
    "neutral": Paint(8),
    "window": Paint(0),
    "wide_low": Paint(15),
    "wide_mid": Paint(15),
    "wide_high": Paint(15, None, "bold"),
    "outline": Paint(8),
    "outline_in": Paint(7),
    "view": Paint(0),
    "loading": Paint(8),
    "bare": Paint(0),
    "noise": Paint(8),
    "focus": Paint(14),
    "here": Paint(14, None, "bold"),
    "match": Paint(14, None, "bold underline"),
    "marked": Paint(3),
    "better": Paint(14),
    "worse": Paint(13),
    "error": Paint(9),
    "warn": Paint(11),
    "info": Paint(6),
    "ok": Paint(2),
    "progress": Paint(6),
    "on_progress": Paint(6, 8),
    "on_fill": Paint(0, 7),
    "on_fill_dim": Paint(15, 8),
    "on_bar": Paint(0, 6),
    "on_low": Paint(0, 6),
    "on_mid": Paint(0, 3),
    "on_high": Paint(15, 1, "bold"),
    "on_focus": Paint(0, 14),
    "on_marked": Paint(0, 3),
    "caret": Paint(0, 14),
    "current": Paint(0, 7, "bold"),
    "field": Paint(15, None, "bold"),
    "inverse": Paint(0),
    **{f"cat{index}": Paint(number) for index, number in enumerate((6, 2, 3, 5, 4, 1, 7, 8))},
}

_INVERSE = {
    **dict.fromkeys(("text", "muted", "fact", "strong", "faint", "rule", "warn", "info", "focus"), "inverse"),
    **dict.fromkeys(("bright", "title", "here"), "inverse bold"),
}

_GROUNDS_16: dict[str, Ground] = {
    "base": Ground(0),
    "panel": Ground(0),
    "title": Ground(7, _INVERSE),
    "raised": Ground(0),
    "field": Ground(0),
    "cursor": Ground(4, {"text": "strong", "faint": "text", "rule": "text"}),
    "cell": Ground(4, {"text": "strong", "muted": "strong", "faint": "text"}, "bold underline"),
    "chosen": Ground(4, {"muted": "text"}),
}

_BOLD = Paint(None, None, "bold")
_REVERSE = Paint(None, None, "reverse")
_ROLES_MONO: dict[str, Paint] = {
    **{role: Paint() for role in _ROLES_256},
    **dict.fromkeys(("bright", "title", "mid", "high", "here", "error", "warn", "marked", "field"), _BOLD),
    **dict.fromkeys(("on_fill", "on_bar", "on_low", "on_mid", "on_high", "on_focus", "on_marked", "caret"), _REVERSE),
    "match": Paint(None, None, "bold underline"),
    "current": Paint(None, None, "reverse bold"),
}

_GROUNDS_MONO: dict[str, Ground] = {
    **{ground: Ground(None) for ground in _GROUNDS_256},
    **dict.fromkeys(("title", "cursor", "chosen"), Ground(None, {}, "reverse")),
    "cell": Ground(None, {}, "reverse bold underline"),
}

DARK_256 = Palette("dark-256", ColorSystem.EIGHT_BIT, _ROLES_256, _GROUNDS_256)
COLOURS_16 = Palette("dark-16", ColorSystem.STANDARD, _ROLES_16, _GROUNDS_16, dark=frozenset((0, 1, 4)))
MONO = Palette("mono", ColorSystem.STANDARD, _ROLES_MONO, _GROUNDS_MONO, colours=False)
PALETTES: Mapping[str, Palette] = {"256": DARK_256, "16": COLOURS_16, "mono": MONO}


def textual_theme(palette: Palette) -> Theme:
    """The theme for Textual's own widgets and the application's CSS.

    CSS finds every role as `$role-NAME` and every ground as `$ground-NAME`.
    """
    if not palette.colours:
        plain = BUILTIN_THEMES["ansi-dark"]
        return replace(plain, name=palette.name, variables={**plain.variables, **_variables(palette)})
    return Theme(
        name=palette.name,
        primary=_role_hex(palette, "bar"),
        accent=_role_hex(palette, "focus"),
        warning=_role_hex(palette, "warn"),
        error=_role_hex(palette, "error"),
        success=_role_hex(palette, "ok"),
        foreground=_role_hex(palette, "text"),
        background=palette.hex(palette.grounds["base"].bg),
        surface=palette.hex(palette.grounds["base"].bg),
        panel=palette.hex(palette.grounds["panel"].bg),
        dark=True,
        variables=_variables(palette),
    )


def _role_hex(palette: Palette, role: str) -> str:
    return palette.hex(palette.roles[role].fg)


def _variables(palette: Palette) -> dict[str, str]:
    names = {f"role-{role.replace('_', '-')}": palette.hex(paint.fg) for role, paint in palette.roles.items()}
    return {**names, **{f"ground-{name}": palette.hex(ground.bg) for name, ground in palette.grounds.items()}}
