"""Named sets of options in a form: choosing one, keeping one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.i18n import _
from tui.tools.msprof import PRESET_NAMES, PRESETS
from tui.tools.presets import presets, save_preset
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.screens.run_form import FormScreen


def choose_preset(screen: FormScreen) -> None:
    """Asks for a preset; its options take the place of those in the form."""
    problems: list[str] = []
    known = presets(problems)
    for problem in problems:
        screen.app.tell(problem)
    items = [
        ChoiceItem(name, _(PRESET_NAMES.get(name, name)), " ".join(f"--{key}={value}" for key, value in options))
        for name, options in known.items()
    ]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            screen.take(screen.draft.with_options(targets[0], known[targets[0]]))

    hints = [KeyHint("enter", _("take")), KeyHint("esc", _("cancel"))]
    screen.app.push_screen(ChoiceOverlay(_("presets"), items, hints=hints), chosen)


def ask_preset(screen: FormScreen) -> None:
    """Asks for a name and keeps the options of the form under it."""

    def accept(name: str) -> str:
        if not name.strip() or name in PRESETS:
            return _("a name of its own")
        try:
            path = save_preset(name.strip(), screen.draft.preset_options())
        except OSError as error:
            return _("cannot be written: {reason}").format(reason=error.strerror or error)
        screen.app.tell(_("preset {name} is in {path}").format(name=name.strip(), path=path))
        return ""

    screen.ask(_("save preset as") + " ", "", (), accept=accept)
