"""Choosing what to compare with: baselines that were kept, runs beside the open one, profiles opened lately."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tui.dialogs import home_path
from tui.i18n import _
from tui.sides import Baseline
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.app import NpuscopeApp
    from tui.screens.frame import Frame

BESIDE_LOOKED_AT = 200
"""Folders beside the open one that are looked at, at most."""
BESIDE_SHOWN = 8
OFFERED = 16


def choose_run(frame: Frame) -> None:
    """Asks for the baseline; where the open profile is the baseline itself, for the run to compare it with."""
    app = frame.app
    items = list(islice(_items(app), OFFERED))
    if not items:
        ask_run(frame)
        return

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            problem = take_run(app, targets[0])
            if problem:
                app.tell(problem)

    title = _("current run (B)") if app.is_own_baseline else _("baseline (A)")
    hints = [KeyHint("enter", _("compare")), KeyHint("esc", _("close"))]
    note = _("another path: :compare PATH") if app.is_own_baseline else _("another path: :baseline PATH")
    app.push_screen(ChoiceOverlay(title, items, note=note, hints=hints), chosen)


def ask_run(frame: Frame) -> None:
    """Asks for a path."""
    from tui.dialogs import path_completions

    app = frame.app
    sign = _("current run (B)") if app.is_own_baseline else _("baseline (A)")
    start = f"{app.path.absolute().parent}{os.sep}"
    frame.ask(
        f"{sign} ", start, (), lambda typed, _caret: path_completions(typed), accept=lambda text: take_run(app, text)
    )


def take_run(app: NpuscopeApp, text: str) -> str:
    """Compares with a path; returns why it cannot, or empty."""
    path = Path(os.path.expanduser(text.strip()))
    if not text.strip() or not path.exists():
        return _("does not exist: {path}").format(path=text.strip() or _("nothing"))
    if app.is_own_baseline:
        app.open_path(path)
    else:
        app.set_baseline(Baseline(path.absolute(), path.name))
    return ""


def _items(app: NpuscopeApp) -> Iterator[ChoiceItem]:
    """Without the profile that is open, each path once."""
    seen = {str(app.path.absolute())}
    for name, path in _offers(app):
        if path not in seen and Path(path).exists():
            seen.add(path)
            yield ChoiceItem(path, name, home_path(Path(path).parent))


def _offers(app: NpuscopeApp) -> Iterator[tuple[str, str]]:
    if not app.is_own_baseline:
        yield from app.baselines.items()
    yield from ((path.name, str(path)) for path in runs_beside(app.path.absolute()))
    yield from ((Path(path).name, path) for path in app.state.recent)


def runs_beside(path: Path) -> list[Path]:
    """Folders beside a path that look like collections by their names, those named most like it first."""
    try:
        beside = [Path(entry.path) for entry in islice(os.scandir(path.parent), BESIDE_LOOKED_AT) if entry.is_dir()]
    except OSError:
        return []
    runs = [folder for folder in beside if folder != path and _looks_like_run(folder)]
    runs.sort(key=lambda folder: (-_begin_alike(folder.name, path.name), folder.name))
    return runs[:BESIDE_SHOWN]


def _begin_alike(name: str, other: str) -> int:
    """Characters up to the first that differs."""
    return next((at for at, (mine, its) in enumerate(zip(name, other)) if mine != its), min(len(name), len(other)))


def _looks_like_run(folder: Path) -> bool:
    """`PROF_*` or `*_ascend_pt`, or a folder that holds such a one."""
    try:
        names = (folder.name, *(entry.name for entry in islice(os.scandir(folder), BESIDE_LOOKED_AT)))
    except OSError:
        return False
    return any(name.startswith("PROF_") or name.endswith(("_ascend_pt", "_ascend_ms")) for name in names)
