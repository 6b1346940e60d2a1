"""Text by display cells: measuring, cutting, padding, and making foreign text harmless.

A double-width character is never split. Everything here expects one line.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

from rich.cells import cell_len, get_character_cell_size

Align = Literal["left", "right"]
Cut = Literal["middle", "end", "never"]


def cells(text: str) -> int:
    """Number of terminal cells that `text` takes."""
    return len(text) if text.isascii() else cell_len(text)


def clean(text: str) -> str:
    r"""The text with everything that could move the cursor or hide itself shown as an escape, such as `\x1b`.

    Control, format, unassigned and zero-width characters and lone surrogates are escaped; other blanks become spaces.
    """
    if text.isprintable() and (text.isascii() or all(get_character_cell_size(char) for char in text)):
        return text
    return "".join(map(_shown_char, text))


def _shown_char(char: str) -> str:
    if unicodedata.category(char) == "Zs":
        return " " * get_character_cell_size(char)
    if char.isprintable() and get_character_cell_size(char):
        return char
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def head(text: str, width_cells: int) -> str:
    """The longest start of `text` that fits."""
    if text.isascii():
        return text[: max(width_cells, 0)]
    used = 0
    for position, char in enumerate(text):
        used += get_character_cell_size(char)
        if used > width_cells:
            return text[:position]
    return text


def tail(text: str, width_cells: int) -> str:
    """The longest end of `text` that fits."""
    if text.isascii():
        return text[-width_cells:] if width_cells > 0 else ""
    return head(text[::-1], width_cells)[::-1]


def cut_end(text: str, width_cells: int, ellipsis: str = "…") -> str:
    """`text`, shortened at its end to at most `width_cells`."""
    if cells(text) <= width_cells:
        return text
    room = width_cells - cells(ellipsis)
    return head(text, room) + ellipsis if room > 0 else head(ellipsis, width_cells)


def cut_middle(text: str, width_cells: int, ellipsis: str = "…") -> str:
    """`text`, shortened in its middle to at most `width_cells`, so that both ends stay readable."""
    if cells(text) <= width_cells:
        return text
    room = width_cells - cells(ellipsis)
    if room < 2:
        return cut_end(text, width_cells, ellipsis)
    left = head(text, (room + 1) // 2)
    return left + ellipsis + tail(text, room - cells(left))


def pad(text: str, width_cells: int, align: Align = "left") -> str:
    """`text` with spaces up to `width_cells`; a longer text stays as it is."""
    blanks = " " * (width_cells - cells(text))
    return blanks + text if align == "right" else text + blanks


def fit(text: str, width_cells: int, align: Align = "left", cut: Cut = "end", ellipsis: str = "…") -> str:
    """`text` cut or padded to exactly `width_cells`."""
    if cells(text) > width_cells:
        text = cut_middle(text, width_cells, ellipsis) if cut == "middle" else cut_end(text, width_cells, ellipsis)
    return pad(text, width_cells, align)
