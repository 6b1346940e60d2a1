"""What npuscope remembers between runs, in one small file of the user's state folder. Losing it loses no data."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.config import make_private_dir, state_dir

RECENT_KEPT = 20


@dataclass
class State:
    """Remembered things; anything unreadable counts as not remembered."""

    path: Path
    values: dict[str, Any] = field(default_factory=dict)

    def section(self, name: str) -> Mapping[str, Any]:
        """A named group of values."""
        found = self.values.get(name)
        return found if isinstance(found, dict) else {}

    def put(self, name: str, key: str, value: object) -> None:
        """Remembers one value of a group."""
        self.values[name] = {**self.section(name), key: value}

    @property
    def recent(self) -> list[str]:
        """Paths opened, newest first."""
        found = self.values.get("recent")
        return [path for path in found if isinstance(path, str)] if isinstance(found, list) else []

    def opened(self, path: Path) -> None:
        """Puts a path in front of the recent ones."""
        text = str(path.absolute())
        self.values["recent"] = [text, *(other for other in self.recent if other != text)][:RECENT_KEPT]

    def save(self) -> None:
        """Writes the file, whole or not at all; a folder that cannot be written to means that nothing is remembered."""
        import json

        try:
            folder = make_private_dir(self.path.parent)
            handle, name = tempfile.mkstemp(dir=folder, prefix=".state-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(self.values, file, ensure_ascii=True, indent=1)
            os.replace(name, self.path)
        except OSError:
            return


def load_state() -> State:
    """The remembered state of this user."""
    path = state_dir() / "state.json"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return State(path)
    import json

    try:
        values = json.loads(text)
    except ValueError:
        values = {}
    return State(path, values if isinstance(values, dict) else {})
