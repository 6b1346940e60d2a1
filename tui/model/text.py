"""Text from files made safe to show, and how wide it is on a terminal."""

from __future__ import annotations

import json
import re
import unicodedata

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""Control characters, and marks that hide or turn text around; none of them may reach a terminal."""

_MARKUP = re.compile(r"[\\|`*<\[~&]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown would obey; an underscore between letters and digits means nothing to it."""

MISSING_TEXTS = frozenset(("N/A", "NA", ""))
"""Cell texts that stand for "no value"."""


def shown(text: str) -> str:
    """`text` with control characters written out (`\\x1b`, `\\n`, `\\u202e`), so that no escape sequence survives."""
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_written_out, text)


def markdown_text(text: str) -> str:
    """`text` for a cell or a line of Markdown, so that a name is neither markup nor the end of the cell."""
    return _MARKUP.sub(r"\\\g<0>", shown(text))


def escaped_unicode(text: str) -> str:
    """`text` with the same characters as JSON escapes (`\\u001b`), for output that is JSON already."""
    return _HIDDEN.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def json_document(value: object) -> str:
    """`value` as indented JSON with a newline at the end and no character that a terminal could obey."""
    lines = json.dumps(value, ensure_ascii=False, indent=1).split("\n")
    return "\n".join(map(escaped_unicode, lines)) + "\n"


def _written_out(match: re.Match[str]) -> str:
    character = match.group()
    names = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    code = ord(character)
    return names.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def cell_width(text: str) -> int:
    """Terminal cells that `text` takes: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, width_cells: int, right: bool = False) -> str:
    """`text` filled with spaces to `width_cells`; longer text is returned as it is."""
    fill = " " * max(0, width_cells - cell_width(text))
    return fill + text if right else text + fill


def is_missing(text: str) -> bool:
    """True for cell texts that stand for "no value"."""
    return text in MISSING_TEXTS
