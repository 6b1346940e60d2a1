"""Which iterations are looked at: the picker, and the way from what was typed to what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from tui.errors import BadExpression
from tui.i18n import _, ngettext
from tui.model.iterations import EVERYTHING, check_exported, parse_steps, step_scope
from tui.model.levels import bare_name
from tui.units import GlyphSet, number_text, span_text
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.model.steps import Steps
    from tui.scoped_app import ScopedApp
    from tui.session import Session

LISTED = 1_000
"""Iterations that the picker lists; others are typed."""


def choose_iterations(app: ScopedApp, text: str) -> str:
    """Looks only at some iterations; without a text asks which ones. Returns why it cannot, or empty."""
    session = app.session
    if session is None:
        return _("nothing is open yet")
    if session.profile.iterations:
        return _choose_exported(app, session, text)
    if text == "all":
        app.limit(None)
        return ""
    try:
        if text:
            parse_steps(text)
    except BadExpression as error:
        return error.message
    app.find_iterations(text)
    return ""


def _choose_exported(app: ScopedApp, session: Session, text: str) -> str:
    """Iterations that the old layout exports as files of their own."""
    known = session.profile.iterations
    if not text:
        items = [ChoiceItem(number, _("iteration {text}").format(text=number)) for number in known]
        if len(known) > 2:
            items.insert(0, ChoiceItem(f"{known[1]}..", _("all but the first"), f"{known[1]}.."))
        if len(known) > 1:
            items.insert(0, ChoiceItem("0..", _("all iterations")))
        _ask(app, items, session.iterations_text, _("each has files of its own"))
        return ""
    wanted = "0.." if text == "all" else text
    try:
        check_exported(known, wanted)
    except BadExpression as error:
        return error.message
    app.scope(iteration=wanted)
    return ""


def iterations_found(app: ScopedApp, steps: Steps, run: tuple[int, int], text: str) -> None:
    """Goes on when the iterations are known: limits everything to those typed, or asks which ones."""
    session = app.session
    if session is None:
        return
    app.clear_message()  # that it is being read
    if not len(steps):
        app.tell(_("nothing marks an iteration: no step trace, no steps of a framework, no repeated runs of a model"))
        return
    if text in EVERYTHING:
        _ask(app, step_items(steps, app.glyphs.name), session.iterations_text, _("or type :iter 2..5"))
        return
    try:
        app.limit(step_scope(steps, text, run))
    except BadExpression as error:
        app.tell(error.message)


def step_items(steps: Steps, glyphs: str) -> list[ChoiceItem]:
    """All, all but the first, then each with its length."""
    durations = steps.dur_ns
    count = ngettext("{n} iteration", "{n} iterations", len(steps)).format(n=number_text(len(steps), 0))
    items = [ChoiceItem("all", _("all iterations"), f"{count} ({_(steps.source)})")]
    if len(steps) > 1:
        second = f"{int(steps.numbers[1])}.."
        items.append(ChoiceItem(second, _("all but the first"), _warm_up_text(steps, second)))
    items += [
        ChoiceItem(str(number), _step_name(number, name), span_text(int(length), cast("GlyphSet", glyphs)))
        for number, name, length in zip(steps.numbers[:LISTED].tolist(), steps.names, durations.tolist())
    ]
    return items


def _step_name(number: int, name: str) -> str:
    """Its name with its number, where the trace does not name it by that."""
    name = bare_name(name)
    return name if name.endswith(str(number)) else f"{number}  {name}"


def _warm_up_text(steps: Steps, second: str) -> str:
    """`2..  the first took 2.3 times as long as the others`, where it did."""
    if not steps.warm_up:
        return second
    times = float(steps.dur_ns[0] / max(np.median(steps.dur_ns[1:]), 1.0))
    return _("{range}  the first took {times} times as long").format(range=second, times=number_text(times, 1))


def _ask(app: ScopedApp, items: list[ChoiceItem], now: str, note: str) -> None:
    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            problem = choose_iterations(app, targets[0])
            if problem:
                app.tell(problem)

    title = _("iterations, now {text}").format(text=now) if now else _("iterations")
    hints = [KeyHint("enter", _("show only these")), KeyHint("esc", _("close"))]
    app.push_screen(ChoiceOverlay(title, items, note=note, hints=hints), chosen)
