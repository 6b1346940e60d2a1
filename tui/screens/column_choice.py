"""Choosing columns: the checklist of `c`, and `:cols +a -b`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.i18n import N_, _
from tui.screens.rows import ShownRows
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint
from widgets.grid import DataGrid

if TYPE_CHECKING:
    from tui.screens.frame import Frame

HINTS = (("space", N_("show")), ("J K", N_("move")), ("enter", N_("apply")), ("esc", N_("close")))


def choose_columns(frame: Frame, grid: DataGrid) -> None:
    """The checklist of all columns, the shown ones first and in their order."""
    titles = {column.key: column.title or _("share bar") for column in grid.source.columns if column.kind != "mark"}
    shown = grid.visible_keys
    keys = [*shown, *(key for key in titles if key not in shown)]
    items = [ChoiceItem(key, titles[key], key if key != titles[key] else "", key in shown) for key in keys]
    hints = [KeyHint(key, _(word)) for key, word in HINTS]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            grid.show_columns(targets)

    frame.app.push_screen(ChoiceOverlay(_("columns"), items, checks=True, hints=hints), chosen)


def changed_columns(grid: DataGrid, text: str) -> str:
    """Shows `+name` and hides `-name`; returns what is wrong, or empty."""
    source = grid.source
    if not isinstance(source, ShownRows):
        return _("there are no rows yet")
    keys = list(grid.visible_keys)
    known = [column.key for column in source.columns if column.kind != "mark"]
    for word in text.split():
        sign, name = (word[0], word[1:]) if word[0] in "+-" else ("+", word)
        found = [key for key in known if key == name] or [key for key in known if key.startswith(name.lower())]
        if len(found) != 1:
            return (
                _("{name} is no column; c lists them").format(name=name)
                if not found
                else _("{name} could be {names}").format(name=name, names=", ".join(found[:4]))
            )
        if sign == "+" and found[0] not in keys:
            keys.append(found[0])
        elif sign == "-" and found[0] in keys and len(keys) > 1:
            keys.remove(found[0])
    grid.show_columns(keys)
    return ""
