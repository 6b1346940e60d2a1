"""Marks: kept per profile and per table or timeline, listed by `'`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.i18n import _
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tui.app import NpuscopeApp
    from tui.screens.table_screen import TableScreen

MARKS_KEPT = 200


def kept_marks(app: NpuscopeApp, kind: str) -> dict[str, str]:
    """Key of what is marked → its name, of one kind of table or of the timeline."""
    found = app.state.section("marks").get(_profile_key(app), {})
    marks = found.get(kind, {}) if isinstance(found, dict) else {}
    return {str(key): str(name) for key, name in marks.items()} if isinstance(marks, dict) else {}


def _profile_key(app: NpuscopeApp) -> str:
    return str(app.session.profile.root) if app.session is not None else ""


def toggle_kept(app: NpuscopeApp, kind: str, key: str, name: str) -> None:
    """Marks something, or takes its mark away."""
    marks = kept_marks(app, kind)
    if marks.pop(key, None) is None:
        marks = dict([*marks.items(), (key, name)][-MARKS_KEPT:])
        app.tell(_("{name} marked; ' lists the marks").format(name=name))
    else:
        app.tell(_("mark of {name} taken away").format(name=name))
    profile = _profile_key(app)
    kinds = app.state.section("marks").get(profile, {})
    app.state.put("marks", profile, {**(kinds if isinstance(kinds, dict) else {}), kind: marks})


def ask_mark(app: NpuscopeApp, items: Sequence[ChoiceItem], empty: str, go: Callable[[str], None]) -> None:
    """Lists marks; enter goes to one.

    Args:
        empty: Told where there are none.
        go: Goes to what a key marks.
    """
    if not items:
        app.tell(empty)
        return

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            go(targets[0])

    hints = [KeyHint("enter", _("go")), KeyHint("esc", _("close"))]
    app.push_screen(ChoiceOverlay(_("marks"), items, hints=hints), chosen)


def marks_of(screen: TableScreen) -> dict[str, str]:
    """Number of the row in the table, as text → its name."""
    return {row: name for row, name in kept_marks(screen.app, screen.KIND).items() if row.isdigit()}


def toggle_mark(screen: TableScreen, row: int, name: str) -> None:
    """Marks a row of the table, or takes its mark away."""
    toggle_kept(screen.app, screen.KIND, str(row), name)


def list_marks(screen: TableScreen) -> None:
    """The marked rows; enter goes to one."""
    items = [
        ChoiceItem(row, name, _("row {n}").format(n=int(row) + 1))
        for row, name in sorted(marks_of(screen).items(), key=lambda item: int(item[0]))
    ]
    empty = _("no marks yet; m marks the row under the cursor")
    ask_mark(screen.app, items, empty, lambda row: screen.go_to_table_row(int(row)))
