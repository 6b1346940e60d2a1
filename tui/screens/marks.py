"""Marked rows: kept per profile and table, listed by `'`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.i18n import _
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.screens.table_screen import TableScreen

MARKS_KEPT = 200


def marks_of(screen: TableScreen) -> dict[str, str]:
    """Number of the row in the table, as text → its name."""
    found = screen.app.state.section("marks").get(_profile_key(screen), {})
    rows = found.get(screen.KIND, {}) if isinstance(found, dict) else {}
    return {row: str(name) for row, name in rows.items() if row.isdigit()} if isinstance(rows, dict) else {}


def _profile_key(screen: TableScreen) -> str:
    session = screen.app.session
    return str(session.profile.root) if session is not None else ""


def toggle_mark(screen: TableScreen, row: int, name: str) -> None:
    """Marks a row of the table, or takes its mark away."""
    marks = marks_of(screen)
    if marks.pop(str(row), None) is None:
        marks = dict([*marks.items(), (str(row), name)][-MARKS_KEPT:])
        screen.app.tell(_("{name} marked; ' lists the marks").format(name=name))
    else:
        screen.app.tell(_("mark of {name} taken away").format(name=name))
    key = _profile_key(screen)
    kinds = screen.app.state.section("marks").get(key, {})
    screen.app.state.put("marks", key, {**(kinds if isinstance(kinds, dict) else {}), screen.KIND: marks})


def list_marks(screen: TableScreen) -> None:
    """The marked rows; enter goes to one."""
    items = [
        ChoiceItem(row, name, _("row {n}").format(n=int(row) + 1))
        for row, name in sorted(marks_of(screen).items(), key=lambda item: int(item[0]))
    ]
    if not items:
        screen.app.tell(_("no marks yet; m marks the row under the cursor"))
        return

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            screen.go_to_table_row(int(targets[0]))

    hints = [KeyHint("enter", _("go")), KeyHint("esc", _("close"))]
    screen.app.push_screen(ChoiceOverlay(_("marks"), items, hints=hints), chosen)
