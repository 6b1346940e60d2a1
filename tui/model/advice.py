"""Advice that a profile brings along."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Advice:
    """One suggestion that msprof wrote beside its tables (`prof_rule_*.json`, until CANN 8.0)."""

    rule_type: str
    """`Model/Operator Computation`, `Operator Schedule` …; as in the file."""
    subtype: str
    """`Vector`, `Cube`, `Memory`, or empty."""
    suggestion: str
    ops: tuple[str, ...]
    """Names of the operators it is about; may be empty."""
