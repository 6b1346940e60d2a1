"""Changing one field of a form: a list of its values, or a line to type; and which fields are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.dialogs import history_of, path_completions, remember
from tui.errors import BadExpression
from tui.i18n import _
from tui.tools.command_line import words_of
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.form import Field
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.screens.run_form import FormScreen

_LEFT_OUT = "\0"


def edit_field(screen: FormScreen, field: Field) -> None:
    """Asks for another value."""
    if field.is_choice:
        _choose_value(screen, field)
    else:
        _type_value(screen, field)


def _choose_value(screen: FormScreen, field: Field) -> None:
    default = screen.draft.default(field.key)
    out = _("left out ({default})").format(default=default) if default else _("left out")
    values = screen.draft.choices(field.key)
    items = [*(ChoiceItem(value, value) for value in values), ChoiceItem(_LEFT_OUT, out)]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            screen.set_value(field.key, "" if targets[0] == _LEFT_OUT else targets[0])

    hints = [KeyHint("enter", _("choose")), KeyHint("esc", _("cancel"))]
    screen.app.push_screen(ChoiceOverlay(field.note, items, hints=hints), chosen)


def _type_value(screen: FormScreen, field: Field) -> None:
    sign = f"run {field.key}"

    def accept(text: str) -> str:
        problem = _quotes_problem(text) if field.key == "application" else ""
        if not problem:
            remember(screen.app, sign, text)
            screen.set_value(field.key, text.strip())
        return problem

    def completions(typed: str, _caret: int) -> Sequence[str]:
        head, blank, last = typed.rpartition(" ")
        return [f"{head}{blank}{path}" for path in path_completions(last)]

    screen.ask(f"{field.label} ", screen.draft.values.get(field.key, ""), history_of(screen.app, sign), completions,
               accept=accept, note=field.note)  # fmt: skip


def _quotes_problem(text: str) -> str:
    """What is wrong with the quotes of a command line, or empty."""
    try:
        if text.strip():
            words_of(text)
    except BadExpression as error:
        return error.message
    return ""


def choose_fields(screen: FormScreen) -> None:
    """Asks which fields are shown."""
    draft = screen.draft
    shown = set(draft.fields)
    names = [*draft.fields, *(name for name in draft.options if name not in shown and name != "help")]
    items = [ChoiceItem(name, draft.label(name), draft.note(name), name in shown) for name in names]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets is not None:
            extra = tuple(name for name in targets if name not in draft.values)
            screen.show_fields(replace(draft, extra=extra))

    hints = [KeyHint("space", _("show")), KeyHint("enter", _("accept")), KeyHint("esc", _("cancel"))]
    screen.app.push_screen(ChoiceOverlay(_("fields"), items, checks=True, hints=hints), chosen)
