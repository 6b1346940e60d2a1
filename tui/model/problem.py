"""What went wrong while reading, in one line that a user can act on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warn", "info"]


@dataclass(frozen=True)
class Problem:
    """One thing that could not be read as it should, or that limits what can be said.

    A damaged file costs one problem, not the program: readers return what was readable plus these.
    """

    path: str
    """File or directory concerned, as text."""
    where: str
    """Place inside it ("row 7", "byte 27 866"), or empty."""
    what: str
    """The fact, without a full stop."""
    consequence: str
    """What it means for what is shown."""
    hint: str
    """What to do about it; may be empty."""
    severity: Severity = "warn"
