"""Changes one threshold in the user's file; what else stands there, comments included, stays as it is."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tui.config import config_dir, make_private_dir
from tui.errors import BadExpression
from tui.export import write_whole
from tui.findings.thresholds import Thresholds, load_thresholds
from tui.i18n import _

_HEADING = re.compile(r"\s*\[\s*[\"']?([\w-]+)[\"']?\s*\]\s*(?:#.*)?$")
_ANY_HEADING = re.compile(r"\s*\[")
_ENTRY = re.compile(r"\s*[\"']?([\w-]+)[\"']?\s*=\s*[^#]*?\s*(#.*)?$")


def user_file() -> Path:
    """`thresholds.toml` of the settings folder; need not exist."""
    return config_dir() / "thresholds.toml"


def set_threshold(rule: str, name: str, value: float | None, path: Path | None = None) -> Thresholds:
    """Writes one threshold to the user's file and returns those in force then.

    Args:
        value: None takes the user's value away, so that the built-in one counts.
        path: None takes the usual file.

    Raises:
        BadExpression: there is no such threshold, or the file is written in a way that cannot be changed here.
        OSError: it cannot be written.
    """
    path = path or user_file()
    if (rule, name) not in load_thresholds(path).limits:
        raise BadExpression(_("there is no threshold {name} of {rule}").format(name=name, rule=rule))
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    wanted = edited(text, rule, name, value)
    if not _says(wanted, rule, name, value):
        message = _("{path} cannot be changed here: its lines are not read line by line - edit it by hand")
        raise BadExpression(message.format(path=path))
    make_private_dir(path.parent)
    write_whole(path, [wanted])
    return load_thresholds(path)


def edited(text: str, rule: str, name: str, value: float | None) -> str:
    """The text of a file with another value for one threshold; None takes the line out."""
    lines = text.splitlines()
    heading = next((at for at, line in enumerate(lines) if _named(_HEADING, line) == rule), None)
    entry = "" if value is None else f"{name} = {_written(value)}"
    if heading is None:
        return text if value is None else "\n".join([*lines, *([""] if lines else []), f"[{rule}]", entry]) + "\n"
    end = next((at for at in range(heading + 1, len(lines)) if _ANY_HEADING.match(lines[at])), len(lines))
    at = next((at for at in range(heading + 1, end) if _named(_ENTRY, lines[at]) == name), None)
    if at is not None:
        remark = _remark(lines[at])
        lines[at : at + 1] = [] if value is None else [f"{entry}  {remark}".rstrip()]
    elif value is not None:
        lines.insert(heading + 1, entry)
    return "\n".join(lines) + "\n"


def _named(pattern: re.Pattern[str], line: str) -> str:
    found = pattern.match(line)
    return found[1] if found else ""


def _remark(line: str) -> str:
    found = _ENTRY.match(line)
    return (found[2] or "") if found else ""


def _written(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _says(text: str, rule: str, name: str, value: float | None) -> bool:
    """Whether the text is read as wanted."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        section = tomllib.loads(text).get(rule, {})
    except tomllib.TOMLDecodeError:
        return False
    return isinstance(section, dict) and section.get(name) == value
