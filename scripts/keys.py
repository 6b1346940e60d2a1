"""Writes docs/keys.md from the one registry of actions.

Usage: python scripts/keys.py [--check]

`--check` writes nothing and exits with 1 when the page differs from the registry.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tui.actions import ACTIONS, GROUPS, Action, key_symbol

PAGE = Path(__file__).resolve().parent.parent / "docs" / "keys.md"
HEAD = """\
# Keys

A key means the same everywhere; a screen shows only the keys that do something there (`?` lists them).
Each action can be given other keys in `keys.toml` in the settings folder, by the section and name of the last column.
Punctuation is also accepted in its full-width form, as a Chinese input method sends it.
"""


def code(text: str) -> str:
    """Markdown code that survives in a table cell."""
    return f"`{text}`".replace("|", "\\|")


def row(action: Action) -> str:
    """One line of the table."""
    keys = " ".join(code(key_symbol(key)) for key in action.keys)
    return f"| {keys} | {action.help} | {code(f'{action.scope}.{action.id}')} |"


def lines() -> Iterator[str]:
    """The page, line by line."""
    yield HEAD
    for group in GROUPS:
        yield f"## {group.capitalize()}\n"
        yield "| keys | what they do | name in keys.toml |"
        yield "|---|---|---|"
        yield from (row(action) for action in ACTIONS.values() if action.group == group)
        yield ""


def main() -> int:
    """Writes or compares; the exit code."""
    parser = argparse.ArgumentParser(description="Write docs/keys.md from the registry of actions.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when the page differs")
    page = "\n".join(lines())
    if not parser.parse_args().check:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page:
        return 0
    print("docs/keys.md is not up to date: run python scripts/keys.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
