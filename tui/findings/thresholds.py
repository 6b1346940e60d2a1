"""The thresholds of the rules: those of this folder, and what the user has put in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tui.config import config_dir, toml_values
from tui.i18n import _
from tui.model.finding import Limit

BUILT_IN = Path(__file__).with_name("thresholds.toml")
_LARGEST = 1e18


@dataclass(frozen=True)
class Thresholds:
    """All thresholds by rule and name."""

    limits: Mapping[tuple[str, str], Limit]
    problems: tuple[str, ...] = ()
    """What of the user's file is not used, one line each, translated."""

    def limit(self, rule: str, name: str) -> Limit:
        """One threshold.

        Raises:
            KeyError: the rule has none of that name.
        """
        return self.limits[rule, name]

    def of(self, rule: str) -> tuple[Limit, ...]:
        """Those of one rule, in the order of the file."""
        return tuple(limit for limit in self.limits.values() if limit.rule == rule)

    @property
    def changed(self) -> tuple[Limit, ...]:
        """Those that the user has changed."""
        return tuple(limit for limit in self.limits.values() if limit.changed)


def load_thresholds(path: Path | None = None) -> Thresholds:
    """The thresholds in force.

    Args:
        path: The user's file; None takes `thresholds.toml` of the settings folder, which need not exist.
    """
    problems: list[str] = []
    built_in = {(rule, name): value for rule, values in _tables(BUILT_IN, problems) for name, value in values.items()}
    limits = {key: Limit(*key, _number(value), _number(value)) for key, value in built_in.items()}
    path = path or config_dir() / "thresholds.toml"
    for rule, values in _tables(path, problems):
        for name, value in values.items():
            problem = _wrong(limits, rule, name, value)
            if problem:
                problems.append(f"{path}: {problem}")
            else:
                limits[rule, name] = Limit(rule, name, _number(value), limits[rule, name].default)
    return Thresholds(limits, tuple(problems))


def _tables(path: Path, problems: list[str]) -> list[tuple[str, Mapping[str, object]]]:
    found = toml_values(path, problems)
    for rule, values in found.items():
        if not isinstance(values, dict):
            problems.append(_("{path}: {name} is no rule - it is not used").format(path=path, name=repr(rule)))
    return [(rule, values) for rule, values in found.items() if isinstance(values, dict)]


def _wrong(limits: Mapping[tuple[str, str], Limit], rule: str, name: str, value: object) -> str:
    """Why a value is not used; empty when it is."""
    if (rule, name) not in limits:
        return _("there is no threshold {name} of {rule} - it is not used").format(name=repr(name), rule=repr(rule))
    if not abs(_number(value)) < _LARGEST:
        text = _("{name} of {rule} cannot be {value} - it is not used - accepted: a number")
        return text.format(name=name, rule=rule, value=repr(value))
    return ""


def _number(value: object) -> float:
    """The number of a value; ∞ for one that is no number, or too large."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _LARGEST:
        return float("inf")
    return float(value)
