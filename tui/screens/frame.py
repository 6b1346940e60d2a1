"""What every screen has: title, breadcrumb, panes, prompt, status, footer; and the way from a key to a method.

A screen offers an action of the registry by having a method `do_ID`, and a command by having `command_NAME`. What it
does not have cannot be bound, is not in the footer and not in the palette.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.widget import Widget

from tui.actions import ACTIONS, key_symbol
from tui.commands import COMMANDS, closest, split_command
from tui.i18n import _
from tui.keymap import PRIORITY
from tui.screens.guide_strip import guide_lines
from widgets.frame import FooterBar, KeyHint, NavBar, ScreenTab, StatusBar, TitleBar
from widgets.lines import LineWidget
from widgets.panes import Lines
from widgets.pieces import Line, Piece
from widgets.prompt import Completer, PromptLine

if TYPE_CHECKING:
    from tui.app import NpuscopeApp
    from tui.messages import OpenFailed, TableChanged, TimelineChanged
    from tui.session import Session

SCREEN_NAMES = {
    "1": "Overview", "2": "Timeline", "3": "Ops", "4": "APIs", "5": "Findings", "6": "Compare", "7": "Dump", "8": "Run",
    "9": "Files",
}  # fmt: skip
"""Digit → name of each screen (message ids)."""

FOOTER_HINTS = 8
LEAST_COLUMNS = 60
LEAST_ROWS = 15
FIRST_CJK = "\u2e80"


def registry_bindings() -> list[BindingType]:
    """One binding per action and key; the id lets the user's keymap replace the keys."""
    bindings: list[BindingType] = []
    for action in ACTIONS.values():
        if action.id == "screen":
            bindings += [Binding(digit, f"go('{digit}')", show=False) for digit in action.keys]
        else:
            keys = ",".join(action.bound_keys)
            bindings.append(
                Binding(keys, f"act('{action.id}')", show=False, priority=action.id in PRIORITY, id=action.id)
            )
    return bindings


class Frame(Screen[None], inherit_bindings=False):
    """Base of the screens."""

    BINDINGS = registry_bindings()
    DIGIT: ClassVar[str] = ""
    NAME: ClassVar[str] = ""
    LABELS: ClassVar[Mapping[str, str]] = {}
    """Footer words (message ids) where an action means something more telling on this screen."""
    HELPS: ClassVar[Mapping[str, str]] = {}
    """Help (message ids) of actions that mean something of their own on this screen; of pairs by their first one."""
    FOOTER: ClassVar[tuple[str, ...]] = ()
    """Actions for the footer, most useful first."""
    app: NpuscopeApp
    is_ready = False
    """Whether its panes are there."""
    _accept: Callable[[str], str] | None = None
    _changed: Callable[[str], None] | None = None
    _focus_before: Widget | None = None

    def compose(self) -> ComposeResult:
        """Frame lines around the panes of the screen."""
        yield TitleBar(id="title")
        yield NavBar(id="nav")
        yield Lines(id="guide")
        with Container(id="body"):
            yield from self.compose_panes()
        yield PromptLine(id="prompt")
        yield StatusBar(id="status")
        yield FooterBar(id="footer")
        yield Lines(id="small")

    def compose_panes(self) -> Iterable[Widget]:
        """The panes between breadcrumb and status."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Shows what is known already."""
        self.app.register_frame(self)
        self.ready()
        self.show_frame()
        self.is_ready = True

    def on_screen_resume(self) -> None:
        """Says what has changed while another screen was shown."""
        self.show_frame()

    def ready(self) -> None:
        """The panes are there: shows what is known already."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Leaves once: a key typed ahead must not take the screen below along."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────────

    def session_opened(self, session: Session) -> None:
        """A profile was opened; its tables come later."""

    def table_changed(self, change: TableChanged) -> None:
        """A table grew, is complete, or does not exist."""

    def session_closed(self) -> None:
        """Another profile comes; what was shown of the old one goes."""

    def overview_ready(self) -> None:
        """Everything that the Overview says is known."""

    def guide_changed(self) -> None:
        """The guide is at another step, or over."""

    def findings_changed(self) -> None:
        """The rules were run, or went on; `NpuscopeApp.findings` has what they say."""

    def open_failed(self, failure: OpenFailed) -> None:
        """There is nothing readable at the path."""

    def timeline_changed(self, change: TimelineChanged) -> None:
        """Events of the timeline arrived."""

    def scope_changed(self) -> None:
        """Other iterations of the same files are looked at: their rows come again."""
        self.session_closed()

    def baseline_changed(self) -> None:
        """Another profile is the baseline, or none."""

    def settings_changed(self) -> None:
        """Units or bands are shown differently now."""

    def run_changed(self) -> None:
        """Jobs went on, or the machine was looked at."""

    def after_resize(self) -> None:
        """The terminal has another size."""

    def follow(self, target: str) -> None:
        """Shows what another screen pointed at."""

    # ── frame lines ──────────────────────────────────────────────────────────────────────────────────────────────────

    def steps(self) -> Sequence[Piece]:
        """Steps of the breadcrumb after the screen's name."""
        return ()

    def title_facts(self, wide: bool) -> tuple[str, list[str]]:
        """What is looked at, and facts about it: the profile, unless the screen shows something else."""
        return self.app.title_facts(wide)

    def title_right(self) -> Sequence[Piece] | str:
        """What limits the view, at the right end of the title."""
        return ""

    def status_left(self) -> Sequence[Piece] | str:
        """What stands at the left of the status line while there is no message."""
        return ""

    def status_right(self) -> Sequence[Piece] | str:
        """Position, selection, units."""
        return ""

    def show_frame(self) -> None:
        """Writes title, breadcrumb, status and footer anew; what did not change is not painted."""
        if not self.is_attached:
            return
        name, facts = self.title_facts(self.size.width >= 112)
        self.query_one(TitleBar).set_content(name, facts, self.title_right())
        tabs = [ScreenTab(digit, _(text), f"go:{digit}") for digit, text in SCREEN_NAMES.items()]
        self.query_one(NavBar).set_content(_(self.NAME), self.steps(), tabs, self.DIGIT)
        self._show_guide()
        self.show_status()
        self.query_one(FooterBar).set_hints(list(self._hints()), [self._hint("command"), self._hint("help")])

    def _show_guide(self) -> None:
        """The step of the guide, above the panes."""
        strip, steps = self.query_one("#guide", Lines), self.app.guide
        strip.display = bool(steps)
        if steps:
            strip.set_lines(guide_lines(steps, self.app.guide_at, self.size.width, strip.look))

    def show_status(self) -> None:
        """Writes the status line anew."""
        status = self.query_one(StatusBar)
        status.set_left(self.app.message_line or self.status_left())
        status.set_right(self.status_right())

    def footer(self) -> Sequence[str]:
        """Actions for the footer, most useful first."""
        return self.FOOTER

    def _hints(self) -> Iterable[KeyHint]:
        yield from (self._hint(name) for name in [name for name in self.footer() if self.can(name)][:FOOTER_HINTS])

    def _hint(self, name: str) -> KeyHint:
        action, changed = ACTIONS[name], self.app.user_keys.keys.get(name)
        key = key_symbol(changed[0]) if changed else action.hint or key_symbol(action.keys[0])
        return KeyHint(key, _(self.LABELS.get(name, action.label)), f"act:{name}")

    def on_resize(self, event: events.Resize) -> None:
        """Another width shows more or fewer facts."""
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        columns, rows = self.size
        small = columns < LEAST_COLUMNS or rows < LEAST_ROWS
        self.set_class(small, "-small")
        if small:
            text = _("enlarge the terminal (now {columns}×{rows})").format(columns=columns, rows=rows)
            self.query_one("#small", Lines).set_lines([[Piece(text)]])
            return
        self.after_resize()
        self.show_frame()

    def on_key(self, event: events.Key) -> None:
        """Letters of an input method cannot be keys: says so once."""
        if event.character is not None and event.character > FIRST_CJK:
            self._warn_input_method()

    def on_paste(self, event: events.Paste) -> None:
        """The same for text that an input method pastes."""
        if any(char > FIRST_CJK for char in event.text):
            self._warn_input_method()

    def _warn_input_method(self) -> None:
        if not self.app.input_method_told:
            self.app.input_method_told = True
            self.app.tell(_("the input method is on - switch to English (usually Shift)"))

    @on(LineWidget.Pressed)
    def _pressed(self, event: LineWidget.Pressed) -> None:
        verb, _colon, name = event.target.partition(":")
        if verb == "act":
            self.action_act(name)
        elif verb == "go":
            self.action_go(name)
        else:
            self.pressed(event.target)

    def pressed(self, target: str) -> None:
        """A click on something of the screen's own."""

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def can(self, name: str) -> bool:
        """Whether the action does something here and now."""
        if name == "undo":
            return self.app.can_undo_scope
        if name == "redo":
            return self.app.can_redo_scope
        if name in ("baseline", "swap"):
            return self.app.can_compare(name)
        return name == "screen" or hasattr(self, f"do_{name}")

    def action_act(self, name: str) -> None:
        """Runs an action of the registry."""
        if self.can(name):
            self.app.clear_message()
            getattr(self, f"do_{name}")()
            self.app.did(name)
            self.show_frame()

    def action_go(self, digit: str) -> None:
        """Goes to a screen."""
        self.app.go(digit)

    def offered(self) -> list[str]:
        """Ids of the actions that are possible here."""
        return [name for name in ACTIONS if self.can(name)]

    def do_screen(self) -> None:
        """The digits do it."""

    def do_undo(self) -> None:
        """Back to the device and iterations looked at before; screens with steps of their own undo those first."""
        self.app.undo_scope()

    def do_redo(self) -> None:
        """The undone scope again."""
        self.app.redo_scope()

    def do_baseline(self) -> None:
        """What is open becomes the baseline that others are compared with."""
        self.app.keep_baseline()

    def do_swap(self) -> None:
        """The baseline is looked at, and what was looked at becomes the baseline."""
        self.app.swap_baseline()

    def do_help(self) -> None:
        """Shows the keys that are possible here."""
        from tui.dialogs import show_help

        show_help(self)

    def do_palette(self) -> None:
        """Shows everything that is possible here."""
        from tui.dialogs import show_palette

        show_palette(self)

    def do_command(self) -> None:
        """Opens the command line."""
        from tui.dialogs import ask_command

        ask_command(self)

    def do_open_profile(self) -> None:
        """Asks for a path."""
        from tui.dialogs import ask_path

        ask_path(self)

    def do_run(self) -> None:
        """Asks what to run, filled in from what is selected here."""
        from tui.screens.run_start import wish_of

        self.app.run_wish = wish_of(self)
        self.app.follow("8", "new")

    def do_reread(self) -> None:
        """Reads everything again."""
        self.app.open_path(self.app.path)

    def do_mouse(self) -> None:
        """Gives the mouse to the terminal, or takes it back."""
        self.app.toggle_mouse()

    def do_repaint(self) -> None:
        """Paints everything again."""
        self.app.refresh(layout=True)
        self.refresh(layout=True)

    def do_cancel(self) -> None:
        """Stops the running load; twice: offers to quit."""
        self.app.cancel_or_quit()

    def do_pane_next(self) -> None:
        """Next pane."""
        self.focus_next()

    def do_pane_prev(self) -> None:
        """Previous pane."""
        self.focus_previous()

    def do_leave(self) -> None:
        """Drops the message; screens drop more."""
        self.app.clear_message()

    def do_close(self) -> None:
        """At the top: asks whether to quit. Screens step out first."""
        self.app.ask_quit()

    # ── prompt ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def prompt(self) -> PromptLine:
        """The input line."""
        return self.query_one(PromptLine)

    def ask(
        self, sign: str, text: str = "", history: Sequence[str] = (), completer: Completer | None = None, *,
        accept: Callable[[str], str], changed: Callable[[str], None] | None = None, note: str = "",
    ) -> None:  # fmt: skip
        """Opens the input line in place of the status line.

        Args:
            accept: Does what the text says and returns what is wrong with it; the line stays open then.
            changed: Hears every change of the text.
        """
        self._accept, self._changed = accept, changed
        self._focus_before = self.focused
        self.query_one(StatusBar).display = False
        self.prompt.open(sign, text, history, completer, note)
        if changed is not None and text:
            changed(text)

    def _close_prompt(self) -> None:
        self.prompt.display = False
        self.query_one(StatusBar).display = True
        if self._focus_before is not None and self._focus_before.is_attached:
            self._focus_before.focus()
        self.show_frame()

    @on(PromptLine.Changed)
    def _prompt_changed(self, event: PromptLine.Changed) -> None:
        event.stop()
        if self._changed is not None and self.prompt.display:
            self._changed(event.text)

    @on(PromptLine.Accepted)
    def _prompt_accepted(self, event: PromptLine.Accepted) -> None:
        event.stop()
        problem = self._accept(event.text) if self._accept is not None else ""
        if problem:
            self.prompt.set_error(problem)
        else:
            self._close_prompt()

    @on(PromptLine.Left)
    def _prompt_left(self, event: PromptLine.Left) -> None:
        event.stop()
        self._close_prompt()

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def commands(self) -> list[str]:
        """Names of the commands that are possible here."""
        return [
            name
            for name, command in COMMANDS.items()
            if hasattr(self, command.method) or hasattr(self.app, command.method)
        ]

    def run_command(self, line: str) -> str:
        """Runs a line of the command line; returns why it could not, or empty."""
        name, rest = split_command(line.lstrip(":"))
        if not name:
            return ""
        if name not in self.commands():
            like = ", ".join(f":{other}" for other in closest(name, self.commands()))
            return _("nearest: {like} - there is no :{name} here").format(name=name, like=like)
        method = COMMANDS[name].method
        problem: str = getattr(self if hasattr(self, method) else self.app, method)(rest)
        self.show_frame()
        return problem

    def completions(self, name: str, rest: str) -> Sequence[str]:
        """Completed arguments of a command."""
        from tui.dialogs import path_completions

        return path_completions(rest) if name in ("open", "export", "report") else ()

    def preview(self, target: str, typed: str) -> Sequence[Line]:
        """What a palette entry would do, in up to three lines."""
        name = target.lstrip(":")
        text = COMMANDS[name].help if target.startswith(":") else ACTIONS[name].help
        return [[Piece(_(text), "text")]]
