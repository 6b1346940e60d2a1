"""Overlays and prompts made from the registry: help, palette, command line, path, messages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.actions import ACTIONS, GROUPS, PAIRS, key_symbol
from tui.commands import COMMANDS
from tui.i18n import _
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint
from widgets.help import HelpGroup, HelpOverlay, HelpTexts
from widgets.keytest import KeyTestOverlay
from widgets.palette import PaletteChoice, PaletteItem, PaletteOverlay, PaletteTexts
from widgets.pieces import Line

if TYPE_CHECKING:
    from tui.app import NpuscopeApp
    from tui.scoped_app import ScopedApp
    from tui.screens.frame import Frame

HISTORY_KEPT = 100


def key_text(app: NpuscopeApp, name: str, count: int = 2) -> str:
    """The first keys of an action as written in hints."""
    if name == "screen":
        return "1-9"
    keys = app.user_keys.keys.get(name, ACTIONS[name].keys)
    return " ".join(key_symbol(key) for key in keys[:count])


def help_lines(frame: Frame, group: str) -> list[tuple[str, str]]:
    """Keys and what they do of one group, counterparts in one line."""
    offered = [name for name in frame.offered() if ACTIONS[name].group == group]
    seconds = {PAIRS[name][0] for name in offered if name in PAIRS and PAIRS[name][0] in offered}
    lines = []
    for name in offered:
        if name in seconds:
            continue
        pair = PAIRS.get(name)
        if pair is not None and pair[0] in offered:
            text = _(frame.HELPS.get(name, pair[1]))
            lines.append((f"{key_text(frame.app, name, 1)} {key_text(frame.app, pair[0], 1)}", text))
        else:
            lines.append((key_text(frame.app, name, 1), _(frame.HELPS.get(name, ACTIONS[name].help))))
    return lines


def show_help(frame: Frame) -> None:
    """The keys that are possible on this screen."""
    groups = [HelpGroup(_(group), lines) for group in GROUPS if (lines := help_lines(frame, group))]
    texts = HelpTexts(
        _("{screen} keys").format(screen=_(frame.NAME)), _("type to search"), _("q closes"), _("no key does that here"),
    )  # fmt: skip
    frame.app.push_screen(HelpOverlay(groups, texts, [KeyHint("q", _("close"))]))


def show_palette(frame: Frame) -> None:
    """Everything that is possible here; enter runs it."""
    app = frame.app
    items = [
        PaletteItem(f":{name}", f":{name}", COMMANDS[name].usage, _(COMMANDS[name].help)) for name in frame.commands()
    ] + [
        PaletteItem(name, _(ACTIONS[name].label), "", _(frame.HELPS.get(name, ACTIONS[name].help)), key_text(app, name))
        for name in frame.offered()
        if name not in ("palette", "screen")
    ]  # fmt: skip

    def count(found: int, of: int) -> str:
        return _("{found} of {all}").format(found=found, all=of)

    texts = PaletteTexts(_("palette"), count, _("preview"), _("nothing matches"))
    hints = [
        KeyHint("enter", _("run")),
        KeyHint("tab", _("complete")),
        KeyHint("↑ ↓", _("choose")),
        KeyHint("esc", _("close")),
    ]

    def preview(item: PaletteItem, typed: str) -> Sequence[Line]:
        return frame.preview(item.target, typed)

    def chosen(choice: PaletteChoice | None) -> None:
        if choice is not None:
            _run_choice(frame, choice)

    app.push_screen(PaletteOverlay(items, texts, preview=preview, hints=hints), chosen)


def _run_choice(frame: Frame, choice: PaletteChoice) -> None:
    """A command gets the arguments that were typed after its name; without them it opens the command line."""
    typed = choice.text.strip()
    if not choice.target.startswith(":"):
        frame.action_act(choice.target) if choice.target else None
        return
    arguments = typed.partition(" ")[2] if typed.lstrip(":").startswith(choice.target[1:]) else ""
    if COMMANDS[choice.target[1:]].usage and not arguments:
        ask_command(frame, f"{choice.target[1:]} ")
    else:
        run_line(frame, f"{choice.target} {arguments}")


def ask_command(frame: Frame, text: str = "") -> None:
    """Opens the command line."""
    app = frame.app

    def completions(typed: str, _caret: int) -> Sequence[str]:
        name, blank, rest = typed.partition(" ")
        if not blank:
            return [
                f"{known} " if COMMANDS[known].usage else known for known in frame.commands() if known.startswith(name)
            ]
        return [f"{name} {more}" for more in frame.completions(name, rest)]

    def accept(line: str) -> str:
        remember(app, ":", line)
        return run_line(frame, line)

    frame.ask(":", text, history_of(app, ":"), completions, accept=accept)


def run_line(frame: Frame, line: str) -> str:
    """Runs a command line; what is wrong with it is shown and returned."""
    problem = frame.run_command(line)
    if problem:
        frame.app.tell(problem)
    return problem


def remember(app: NpuscopeApp, sign: str, line: str) -> None:
    """Keeps a line for the history of its prompt."""
    lines = app.prompt_history.setdefault(sign, [])
    if line and (not lines or lines[-1] != line):
        lines.append(line)
        del lines[:-HISTORY_KEPT]


def history_of(app: NpuscopeApp, sign: str) -> Sequence[str]:
    """Earlier lines of a prompt, oldest first."""
    return app.prompt_history.get(sign, [])


def ask_path(frame: Frame) -> None:
    """Asks for the path of another profile."""
    app = frame.app

    def accept(text: str) -> str:
        return app.command_open(text)

    frame.ask(_("open") + " ", f"{app.path}", (), lambda typed, _caret: path_completions(typed), accept=accept)


def path_completions(typed: str) -> list[str]:
    """Folders and files that begin like the typed path."""
    folder, prefix = os.path.split(os.path.expanduser(typed))
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    found = [
        os.path.join(folder, name) for name in names if name.startswith(prefix) and (prefix or not name.startswith("."))
    ]
    return [f"{path}{os.sep}" if os.path.isdir(path) else path for path in found[:50]]


def show_messages(app: NpuscopeApp) -> None:
    """The last messages, newest first."""
    items = [ChoiceItem(str(at), text) for at, text in enumerate(reversed(app.messages_shown))]
    title = _("messages")
    app.push_screen(
        ChoiceOverlay(title, items or [ChoiceItem("", _("no messages yet"))], hints=[KeyHint("q", _("close"))])
    )


def show_key_test(app: NpuscopeApp) -> None:
    """What the terminal sends for a key, and the action that it is bound to."""
    known = {key: action for action in ACTIONS.values() for key in app.user_keys.keys.get(action.id, action.bound_keys)}

    def meaning(key: str) -> str:
        return _(known[key].help) if key in known else ""

    hints = [KeyHint("q q", _("close"))]
    app.push_screen(KeyTestOverlay(_("keys"), _("press any key; q twice closes"), meaning, hints))


def choose_profile(app: ScopedApp) -> None:
    """Asks which of several profiles at the path to show."""
    session = app.session
    if session is None or len(session.profiles) < 2:
        return
    items = [
        ChoiceItem(
            str(at),
            profile.name,
            " · ".join(text for text in (profile.kind, profile.generation, _rank(profile.environment.rank)) if text),
        )
        for at, profile in enumerate(session.profiles)
    ]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets and int(targets[0]) != session.profile_index:
            app.scope(profile=int(targets[0]))

    hints = [KeyHint("enter", _("open")), KeyHint("esc", _("stay with the first"))]
    app.push_screen(ChoiceOverlay(_("{n} profiles here").format(n=len(items)), items, hints=hints), chosen)


def _rank(rank: str) -> str:
    return _("rank {n}").format(n=rank) if rank and rank != "-1" else ""


def about_items(app: NpuscopeApp) -> list[ChoiceItem]:
    """Version, terminal, folders."""
    import platform

    from textual import __version__ as textual_version

    from tui import __version__
    from tui.config import cache_dir, config_dir, log_file

    size = app.size
    return [
        ChoiceItem("", "npuscope", __version__),
        ChoiceItem("", "Python", platform.python_version()),
        ChoiceItem("", "Textual", textual_version),
        ChoiceItem("", _("terminal"), f"{os.environ.get('TERM', '?')} {size.width}×{size.height}"),
        ChoiceItem("", _("glyphs"), app.glyphs.name),
        ChoiceItem("", _("colours"), app.theme),
        ChoiceItem("", _("settings"), str(config_dir())),
        ChoiceItem("", _("cache"), str(cache_dir())),
        ChoiceItem("", _("log"), str(log_file())),
    ]


def show_about(app: NpuscopeApp) -> None:
    """Version, terminal, folders."""
    app.push_screen(ChoiceOverlay(_("about"), about_items(app), hints=[KeyHint("q", _("close"))]))


def home_path(path: Path) -> str:
    """A path with the home folder as `~`."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)
