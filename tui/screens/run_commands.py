"""The commands `:run`, `:stop` and `:forget`, from any screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.errors import BadExpression
from tui.i18n import _
from tui.screens.run_base import RunFrame
from tui.screens.run_start import MENU_OF_TOOL, Wish, wish_of
from tui.tools.command_line import variables_and_words

if TYPE_CHECKING:
    from tui.app import NpuscopeApp


def run_line(app: NpuscopeApp, text: str) -> str:
    """Fills the form from a command line; without one asks what to run. Returns what is wrong, or empty."""
    frame = app.frame
    app.run_wish = wish_of(frame) if frame is not None else Wish()
    if not text.strip():
        app.follow("8", "new")
        return ""
    try:
        _variables, words = variables_and_words(text)
    except BadExpression as error:
        return error.message
    if words[0].rpartition("/")[2] not in MENU_OF_TOOL:
        known = ", ".join(MENU_OF_TOOL)
        return _("the form knows {tools}; others: npuscope run {tool} …").format(tools=known, tool=words[0])
    app.run_line = text.strip()
    app.follow("8", "line")
    return ""


def stop_job(app: NpuscopeApp, text: str) -> str:
    """Asks, then stops a job; returns why it cannot, or empty."""
    return _asked(app, text, RunFrame.stop_job)


def forget_job(app: NpuscopeApp, text: str) -> str:
    """Asks, then forgets a job; returns why it cannot, or empty."""
    return _asked(app, text, RunFrame.forget_job)


def _asked(app: NpuscopeApp, text: str, ask: Callable[[RunFrame, int | None], str]) -> str:
    frame = app.frame
    if text.strip() and not text.strip().isdecimal():
        return _("name a job by its number")
    if not isinstance(frame, RunFrame):
        app.go("8")
        return _("choose the job here, then again")
    return ask(frame, int(text) if text.strip() else None)
