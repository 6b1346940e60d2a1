"""`profiler_metadata.json`: environment variables of the process that was collected (formats: frameworks §1.1)."""

from __future__ import annotations

import json
from pathlib import Path

from tui.readers.sidecar import MAX_BYTES


def read_variables(path: Path) -> dict[str, str] | None:
    """Name → value, empty for one that was unset; None where the file does not tell."""
    try:
        with path.open("rb") as file:
            values = json.loads(file.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    found = values.get("ENV_VARIABLES") if isinstance(values, dict) else None
    if not isinstance(found, dict):
        return None
    return {str(name): "" if value is None else str(value) for name, value in found.items()}
