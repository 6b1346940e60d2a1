"""The characters that carry meaning, in three sets: `blocks`, `braille` without ambiguous widths, and plain `ascii`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from widgets import timeglyphs
from widgets.timeglyphs import TimeGlyphs


@dataclass(frozen=True)
class GlyphSet:
    """One set of characters. Each is one cell wide except `ellipsis`."""

    name: str
    cursor: str
    selected: str
    focus: str
    step: str
    dot: str
    ellipsis: str
    missing: str
    rule: str
    edge: str
    track: str
    thumb: str
    corners: str
    """Top left, top right, bottom left, bottom right of a frame."""
    descending: str
    ascending: str
    band_mid: str
    band_high: str
    finding: str
    divergence: str
    check: str
    opened: str
    closed: str
    bar: str
    """From empty to full, in equal parts of a cell."""
    bar_track: str
    """Fills the rest of a bar; a space where bars stand out by themselves."""
    gauge: tuple[str, str, str, str]
    """Filled, half filled, rest, limit."""
    heights: str
    """From empty to a full cell, growing upwards."""
    seam: str
    """Between two fills of equal colour; a space where the background alone separates them."""
    axis: str
    tick: str
    time: TimeGlyphs
    """Characters of the time canvas."""
    symbols: Mapping[int, str] = field(default_factory=dict, repr=False)
    """Replacements for characters that this set must not show, as `str.translate` takes them."""
    encoding: str = "utf-8"
    """Characters outside this encoding are shown as escapes."""

    def shown(self, text: str) -> str:
        """`text` (already harmless) in characters of this set."""
        if not self.symbols or text.isascii():
            return text
        text = text.translate(self.symbols)
        if self.encoding == "utf-8":
            return text
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)

    def for_encoding(self, encoding: str) -> GlyphSet:
        """The same set where the terminal takes the characters of `encoding`."""
        return replace(self, encoding=encoding.lower())


_PLAIN = {
    "…": "..",
    "·": ".",
    "–": "-",
    "−": "-",
    "×": "x",
    "±": "+-",
    "°": "deg",
    "Δ": "d",
    "→": "->",
    "←": "<-",
    "↔": "<->",
    "↑": "^",
    "↓": "v",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "▼": "v",
    "▲": "^",
    "▶": ">",
    "◀": "<",
    "●": "o",
    "▌": "|",
    "▐": "|",
    "█": "#",
    "▄": "o",
    "─": "-",
    "│": "|",
    "┃": "|",
    "━": "=",
    "┊": "|",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
}
_ASCII_ONLY = {"›": ">", "µ": "u", "▸": ">", "▾": "v", "◂": "<", "✓": "+"}

BLOCKS = GlyphSet(
    name="blocks",
    cursor="▌",
    selected="▌",
    focus="▸",
    step="›",
    dot="·",
    ellipsis="…",
    missing="–",
    rule="─",
    edge="│",
    track="│",
    thumb="┃",
    corners="╭╮╰╯",
    descending="▼",
    ascending="▲",
    band_mid="▄",
    band_high="█",
    finding="●",
    divergence="▶",
    check="✓",
    opened="▾",
    closed="▸",
    bar=" ▏▎▍▌▋▊▉█",
    bar_track=" ",
    gauge=("━", "╸", "─", "┊"),
    heights=" ▁▂▃▄▅▆▇█",
    seam="▏",
    axis="─",
    tick="┬",
    time=timeglyphs.BLOCKS,
)

BRAILLE = GlyphSet(
    name="braille",
    cursor="⡇",
    selected="⡇",
    focus="▸",
    step="›",
    dot=".",
    ellipsis="..",
    missing="-",
    rule="-",
    edge="|",
    track="|",
    thumb="⡇",
    corners="++++",
    descending="v",
    ascending="^",
    band_mid="⠶",
    band_high="⣿",
    finding="!",
    divergence="*",
    check="✓",
    opened="▾",
    closed="▸",
    bar=" ⡇⣿",
    bar_track=" ",
    gauge=("⠶", "⠆", "-", "|"),
    heights=" ⣀⣤⣶⣿",
    seam=" ",
    axis="-",
    tick="+",
    time=timeglyphs.BRAILLE,
    symbols={ord(char): plain for char, plain in _PLAIN.items()},
)

ASCII = GlyphSet(
    name="ascii",
    cursor=">",
    selected="*",
    focus=">",
    step=">",
    dot=".",
    ellipsis="..",
    missing="-",
    rule="-",
    edge="|",
    track=" ",
    thumb="|",
    corners="++++",
    descending="v",
    ascending="^",
    band_mid="o",
    band_high="#",
    finding="!",
    divergence="*",
    check="+",
    opened="v",
    closed=">",
    bar=" #",
    bar_track=".",
    gauge=("=", "=", "-", "|"),
    heights=" .:-=+*#",
    seam="|",
    axis="-",
    tick="+",
    time=timeglyphs.ASCII,
    symbols={ord(char): plain for char, plain in {**_PLAIN, **_ASCII_ONLY}.items()},
    encoding="ascii",
)

GLYPH_SETS: Mapping[str, GlyphSet] = {"blocks": BLOCKS, "braille": BRAILLE, "ascii": ASCII}
