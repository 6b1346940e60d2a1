"""Presets: named sets of options, those that come along and those that the user saved in `presets.toml`."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tui.config import config_dir, make_private_dir, toml_values
from tui.tools.msprof import PRESETS, Options

FILE = "presets.toml"


def presets(problems: list[str] | None = None) -> Mapping[str, Options]:
    """All presets by name; one of the user replaces that of the same name.

    Args:
        problems: Gets a line when the file cannot be read.
    """
    return {**PRESETS, **_own(problems if problems is not None else [])}


def _own(problems: list[str]) -> dict[str, Options]:
    values = toml_values(_path(), problems)
    return {
        name: tuple((key, value) for key, value in options.items() if isinstance(value, str))
        for name, options in values.items()
        if isinstance(options, dict)
    }


def save_preset(name: str, options: Options) -> Path:
    """Keeps a preset of the user; returns the file, which is written whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    kept = {**_own([]), name: options}
    path = _path()
    handle, temporary = tempfile.mkstemp(dir=make_private_dir(path.parent), prefix=".presets-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("\n".join(_section(title, values) for title, values in kept.items()))
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    return path


def _path() -> Path:
    return config_dir() / FILE


def _section(name: str, options: Options) -> str:
    """JSON strings are TOML strings, but for the one character that TOML wants escaped too."""
    lines = (f"{_quoted(key)} = {_quoted(value)}\n" for key, value in options)
    return f"[{_quoted(name)}]\n{''.join(lines)}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=True).replace("\x7f", "\\u007f")
