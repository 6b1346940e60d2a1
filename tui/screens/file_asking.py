"""Asking for a file to write to: one that exists is only replaced after a confirmation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tui.export import write_whole
from tui.i18n import _
from widgets.choice import ConfirmOverlay

if TYPE_CHECKING:
    from tui.screens.frame import Frame

Write = Callable[[Path], str]
"""Writes to a path; returns why it cannot, or empty."""


def ask_file(screen: Frame, name: str, write: Write, note: str = "") -> None:
    """Asks for a file, with a name to begin with."""
    screen.ask(_("export to") + " ", name, (), accept=lambda text: take_file(screen, text, write), note=note)


def take_file(screen: Frame, text: str, write: Write) -> str:
    """Writes to a file that was named; returns why it cannot, or empty."""
    path = Path(os.path.expanduser(text.strip()))
    if not text.strip() or not path.parent.is_dir():
        return _("no such folder: {folder}").format(folder=path.parent)
    if path.exists():
        screen.call_later(_confirm, screen, path, write)
        return ""
    return write(path)


def _confirm(screen: Frame, path: Path, write: Write) -> None:
    def answered(index: int | None) -> None:
        problem = write(path) if index == 1 else ""
        if problem:
            screen.app.tell(problem)

    text = _("{path} exists and would be replaced.").format(path=path)
    title = _("overwrite {name}?").format(name=path.name)
    screen.app.push_screen(ConfirmOverlay(title, text, (_("cancel"), _("overwrite"))), answered)


def written(path: Path, pieces: Iterable[str]) -> str:
    """Writes a text; returns why it cannot, or empty. May be called in a thread."""
    try:
        write_whole(path, pieces)
    except OSError as error:
        return _("cannot be written ({reason}): {path}").format(path=path, reason=error.strerror or error)
    return ""


def write_and_tell(screen: Frame, path: Path, pieces: Iterable[str]) -> str:
    """Writes a text and says so; returns why it cannot, or empty."""
    problem = written(path, pieces)
    if not problem:
        screen.app.tell(_("written to {path}").format(path=path))
    return problem
