"""Settings and the folders that npuscope may write to.

A setting comes from the first of: the command line, an environment variable (`NPUSCOPE_GLYPHS`), the settings file
(`$XDG_CONFIG_HOME/npuscope/config.toml`), its default. A wrong value is reported in one line and passed over.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tui.i18n import _

APP = "npuscope"

COLORS = ("auto", "truecolor", "256", "16", "mono")
GLYPHS = ("auto", "blocks", "braille", "ascii")
UNITS = ("auto", "ns", "us", "ms")
LANGUAGES = ("auto", "en", "zh")

_BYTES_PER_MIB = 1 << 20


@dataclass(frozen=True)
class Settings:
    """What a user may choose for good; the field names are the keys of `config.toml`."""

    colors: str = "auto"
    """One of `COLORS`; `auto` asks the terminal."""
    glyphs: str = "auto"
    """One of `GLYPHS`; `auto` goes by the output encoding and a probe of the terminal."""
    bands: tuple[float, float] = (20.0, 50.0)
    """Limits of the middle and the high colour band, in percent, rising."""
    units: str = "auto"
    """One of `UNITS`: the unit of times on screens."""
    lang: str = "auto"
    """One of `LANGUAGES`; `auto` goes by the locale."""
    cache_mib: int = 4096
    """Cap of the column store, MiB; 0 keeps nothing between runs."""

    trace_mib: int = 2048
    """Timelines larger than this are only read after a question how much of them is wanted, MiB."""

    tools: str = ""
    """Folders or files, separated by `:`, where CANN's tools and msame are looked for first."""

    @property
    def trace_bytes(self) -> int:
        """Size of a timeline that is read without a question, in bytes."""
        return self.trace_mib * _BYTES_PER_MIB

    @property
    def cache_bytes(self) -> int:
        """Cap of the column store in bytes."""
        return self.cache_mib * _BYTES_PER_MIB


@dataclass(frozen=True)
class LoadedSettings:
    """Settings and what was wrong on the way to them."""

    settings: Settings
    problems: tuple[str, ...] = ()
    """One line each, translated: fact, consequence, what is accepted."""


def load_settings(typed: Mapping[str, object] | None = None) -> LoadedSettings:
    """Settings from the command line, the environment and the file.

    Args:
        typed: Values that the user typed on the command line, by field name; None values are not typed.
    """
    problems: list[str] = []
    chosen: dict[str, Any] = {}
    path = config_dir() / "config.toml"
    layers: tuple[tuple[str, Mapping[str, object]], ...] = (
        (str(path), toml_values(path, problems)),
        (_("environment"), _from_environment(os.environ)),
        (_("command line"), {name: value for name, value in (typed or {}).items() if value is not None}),
    )
    for place, values in layers:
        chosen.update(_accepted(place, values, problems))
    return LoadedSettings(Settings(**chosen), tuple(problems))


def config_dir() -> Path:
    """Folder of `config.toml`, `keys.toml` and `thresholds.toml`; need not exist."""
    return _xdg("XDG_CONFIG_HOME", ".config")


def cache_dir() -> Path:
    """Folder of the column store and the last copy; need not exist."""
    return _xdg("XDG_CACHE_HOME", ".cache")


def state_dir() -> Path:
    """Folder of marks, history and the log file; need not exist."""
    return _xdg("XDG_STATE_HOME", ".local/state")


def make_private_dir(folder: Path) -> Path:
    """Creates `folder` for this user only (0700) where it is missing, and returns it.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def log_file() -> Path:
    """File that tracebacks go to; its folder exists. The null device where no folder can be made."""
    try:
        return make_private_dir(state_dir()) / f"{APP}.log"
    except OSError:
        return Path(os.devnull)


def _xdg(variable: str, default: str) -> Path:
    """The XDG base directory plus our name; relative values are passed over, as the XDG specification says."""
    base = os.environ.get(variable, "")
    return (Path(base) if os.path.isabs(base) else Path.home() / default) / APP


def toml_values(path: Path, problems: list[str]) -> Mapping[str, object]:
    """What a TOML file says; nothing where there is none. A file that cannot be read adds a line to `problems`."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        values: dict[str, object] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append(
            _("{path} cannot be read ({reason}) - its settings are not used").format(path=path, reason=error)
        )
    else:
        return values
    return {}


def _from_environment(environ: Mapping[str, str]) -> Mapping[str, object]:
    """`NPUSCOPE_*` by field name, plus the common `NO_COLOR`."""
    values: dict[str, object] = {"colors": "mono"} if environ.get("NO_COLOR") else {}
    for field in fields(Settings):
        text = environ.get(f"NPUSCOPE_{field.name.upper()}")
        if text:
            values[field.name] = text
    return values


def _accepted(place: str, values: Mapping[str, object], problems: list[str]) -> dict[str, Any]:
    accepted: dict[str, Any] = {}
    for name, value in values.items():
        check = _CHECKS.get(name)
        if check is None:
            problems.append(
                _("{place}: there is no setting {name} - it is not used").format(place=place, name=repr(name))
            )
            continue
        try:
            accepted[name] = check(value)
        except ValueError as error:
            problems.append(
                _("{place}: {name} cannot be {value} - it is not used - {accepted}").format(
                    place=place, name=name, value=repr(value), accepted=error
                )
            )
    return accepted


def _one_of(*choices: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        text = str(value)
        if text not in choices:
            raise ValueError(_("accepted: {choices}").format(choices=", ".join(choices)))
        return text

    return check


def _bands(value: object) -> tuple[float, float]:
    """Two rising percentages: a list, or text like `20 50` or `20,50`."""
    wrong = ValueError(_("accepted: two rising percentages, as in {example}").format(example="20 50"))
    parts = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(parts, (list, tuple)) or len(parts) != 2:
        raise wrong
    try:
        low, high = float(parts[0]), float(parts[1])
    except (TypeError, ValueError):
        raise wrong from None
    if not 0 <= low < high <= 100:
        raise wrong
    return low, high


def _mib(value: object) -> int:
    text = str(value)
    if not text.isascii() or not text.isdigit():
        raise ValueError(_("accepted: a whole number of MiB, 0 or more"))
    return int(text)


_CHECKS: Mapping[str, Callable[[object], object]] = {
    "colors": _one_of(*COLORS),
    "glyphs": _one_of(*GLYPHS),
    "bands": _bands,
    "units": _one_of(*UNITS),
    "lang": _one_of(*LANGUAGES),
    "cache_mib": _mib,
    "trace_mib": _mib,
    "tools": str,
}
