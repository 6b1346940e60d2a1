"""Characters of the time canvas, its ruler and its minimap, in the same three sets as `widgets.glyphs`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TimeGlyphs:
    """One set of characters, each one cell wide. Bodies of events are blanks on a fill and need no character."""

    parts: str
    """The left part of a cell, from empty to full, in equal steps; the last one stands for a blank on a fill."""
    right_parts: str
    """The same for the right part of a cell; empty where `parts` with colours swapped does it."""
    seams: tuple[str, str]
    """A seam near the left and near the right side of a fill."""
    sliver: str
    """An event far shorter than a cell, in the middle of it; empty where there is no such character."""
    dense: str
    """Height of a cell with many events, from empty to full."""
    dense_top: int
    """The highest step of `dense` used in one row, so that dense cells differ from solid ones."""
    crowd: str
    """The same for terminals without colours, where it must differ from `bands`."""
    counter: str
    """Height of a counter, from empty to full."""
    here: tuple[str, str]
    """Left and right edge of the event under the cursor."""
    wide: tuple[str, str]
    """Both ends of an event that fills the window."""
    gap: tuple[str, str, str]
    """Left end, line and right end of an idle time."""
    grid: str
    """In empty cells under the ticks of the ruler; a blank for none."""
    tick: str
    flow: str
    """Vertical, horizontal, then the corners: up-right, up-left, down-right, down-left."""
    loading: str
    """Fills times that were not read yet."""
    mark: str
    minimap: str
    """Height in the minimap, from empty to the highest; a little is left free above it."""
    brackets: tuple[str, str]
    """Both ends of the window in the minimap."""
    bands: str
    """Without colours: fill for low, mid, high, and for everything without a band."""
    labelled: tuple[str, str]
    """Without colours: both ends of an event with a label."""


BLOCKS = TimeGlyphs(
    parts=" ▏▎▍▌▋▊▉█",
    right_parts="",
    seams=("▏", "▕"),
    sliver="│",
    dense=" ▁▂▃▄▅▆▇█",
    dense_top=7,
    crowd=" ▁▂▃▄▅▆▇",
    counter=" ▁▂▃▄▅▆▇█",
    here=("▌", "▐"),
    wide=("◂", "▸"),
    gap=("├", "─", "┤"),
    grid="┊",
    tick="│",
    flow="│─╰╯╭╮",
    loading="╱",
    mark="▾",
    minimap=" ▁▂▃▄▅▆▇",
    brackets=("▌", "▐"),
    bands=".o#=",
    labelled=("[", "]"),
)

BRAILLE = TimeGlyphs(
    parts=" ⡇⣿",
    right_parts=" ⢸⣿",
    seams=("⡇", "⢸"),
    sliver="",
    dense=" ⣀⣤⣶⣿",
    dense_top=4,
    crowd=" ⠿",
    counter=" ⣀⣤⣶⣿",
    here=("⡇", "⢸"),
    wide=("◂", "▸"),
    gap=("|", "-", "|"),
    grid=" ",
    tick="|",
    flow="|-`'.,",
    loading="⠌",
    mark="▾",
    minimap=" ⣀⣤⣶⣿",
    brackets=("⢸", "▐"),
    bands="⠒⠶⣿=",
    labelled=("[", "]"),
)

ASCII = TimeGlyphs(
    parts=" #",
    right_parts="",
    seams=("|", "|"),
    sliver="",
    dense=" %",
    dense_top=1,
    crowd=" %",
    counter=" _-^",
    here=("[", "]"),
    wide=("<", ">"),
    gap=("|", "-", "|"),
    grid=" ",
    tick="|",
    flow="|-`'..",
    loading="/",
    mark="v",
    minimap=" .:-=+*#",
    brackets=("[", "]"),
    bands=".o#=",
    labelled=("[", "]"),
)
