"""Bindings from the registry of actions, and the user's own keys from keys.toml."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.actions import ACTIONS, is_forbidden
from tui.i18n import _

PRIORITY = frozenset({"cancel", "repaint"})
"""Actions whose keys a focused widget must not swallow."""


@dataclass
class Keymap:
    """The user's changes to the keymap."""

    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Action id → its keys, for changed actions only."""
    problems: list[str] = field(default_factory=list)
    """One line for each entry that was ignored."""


def load_keymap(path: Path) -> Keymap:
    """Reads keys.toml; a missing file is an empty keymap, a wrong entry one problem and otherwise ignored."""
    keymap = Keymap()
    try:
        text = path.read_text(encoding="utf-8")
        sections = _toml(text)
    except FileNotFoundError:
        return keymap
    except (OSError, ValueError) as error:
        keymap.problems.append(
            _("{file} cannot be read: {error}; the default keys are used").format(file=path.name, error=error)
        )
        return keymap
    lines = text.splitlines()
    for section, entries in sections.items():
        if not isinstance(entries, dict):
            keymap.problems.append(_("{file}: {name} is not a section; ignored").format(file=path.name, name=section))
            continue
        for name, keys in entries.items():
            _add(keymap, path.name, lines, section, name, keys)
    return keymap


def _add(keymap: Keymap, file: str, lines: list[str], section: str, name: str, keys: object) -> None:
    wanted = (keys,) if isinstance(keys, str) else tuple(keys) if isinstance(keys, list) else ()
    line = _line_of(lines, section, name)
    action = ACTIONS.get(name)
    reason = ""
    if action is None or action.scope != section:
        reason = _("unknown action {name}").format(name=f"{section}.{name}")
    elif not wanted or not all(isinstance(key, str) and key for key in wanted):
        reason = _("{name} needs a list of key names").format(name=name)
    elif any(is_forbidden(key) for key in wanted):
        reason = _("{key} is taken by terminals").format(key=next(key for key in wanted if is_forbidden(key)))
    else:
        other = _holder(keymap, wanted, name)
        if other:
            reason = _("{name} and {other} would share a key").format(name=name, other=other)
    if reason:
        keymap.problems.append(_("{file} line {line}: {reason}; ignored").format(file=file, line=line, reason=reason))
    else:
        keymap.keys[name] = wanted


def _toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _line_of(lines: list[str], section: str, name: str) -> int:
    """Number of the line that gives the entry, counted from 1; 0 when it is written in another way."""
    inside = ""
    for number, text in enumerate(lines, 1):
        if text.strip().startswith("["):
            inside = text.strip().strip("[] ")
        elif inside == section and text.split("=")[0].strip() == name:
            return number
    return 0


def _holder(keymap: Keymap, wanted: Iterable[str], name: str) -> str:
    """Another action that already has one of the wanted keys, or empty."""
    taken = {key: other.id for other in ACTIONS.values() if other.id not in keymap.keys for key in other.bound_keys}
    taken.update({key: other for other, keys in keymap.keys.items() for key in keys})
    return next((taken[key] for key in wanted if taken.get(key, name) != name), "")
