"""The environment of a tool (formats: tools 0, rule 10)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tui.model.jobs import Command
from tui.tools.locate import environment_with
from tui.tools.processes import MARKER

ALWAYS: tuple[tuple[str, str | None], ...] = (
    ("LC_ALL", "C.UTF-8"),
    ("PYTHONUNBUFFERED", "1"),
    ("ASCEND_SLOG_PRINT_TO_STDOUT", None),
)
"""Line formats follow the locale, Python buffers what it prints into a file, and logs would flood the output."""


def child_environment(command: Command, marker: str, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """The whole environment of a tool: ours, what its command asks for, what keeps its output readable, its marker."""
    return environment_with((*command.env, *ALWAYS, (MARKER, marker)), os.environ if base is None else base)
