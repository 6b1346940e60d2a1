"""What a run is called, and which one is the baseline. Light, since the application starts with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.session import Session


@dataclass(frozen=True)
class Baseline:
    """Side A of comparisons."""

    path: Path
    name: str
    session: Session | None = None
    """What was looked at when it was made the baseline; None until the path is read."""


def run_name(session: Session) -> str:
    """What a run is called as a baseline: by the folder or file that was opened, unless that is a name by msprof."""
    name = session.path.absolute().name
    if not name.startswith("PROF_"):
        return name
    return f"{session.profile.environment.process_name} {'_'.join(name.split('_')[:2])}".lstrip()
