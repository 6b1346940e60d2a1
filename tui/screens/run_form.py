"""The form of a job: fields from the option tables, the exact command line, what speaks against it, Start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from textual import events, on
from textual.widget import Widget

from tui.dialogs import ask_command
from tui.errors import BadExpression
from tui.i18n import N_, _
from tui.screens.run_fields import choose_fields, edit_field
from tui.screens.run_launch import LaunchFrame
from tui.screens.run_page import heading_line, job_line, machine_lines, problem_lines
from tui.screens.run_presets import ask_preset, choose_preset
from tui.tools.command_line import command_text, variables_and_words
from tui.tools.drafts import Draft
from tui.tools.form_kinds import kind_of_tool
from tui.tools.msprof import PRESET_NAMES
from widgets.form import ButtonRow, Field, Form
from widgets.listpane import ListPane
from widgets.panes import HeadLine, Lines, wrapped
from widgets.pieces import Line, Piece, gap

TALL_FROM = 34
"""Height from which the jobs are listed below the form."""
OTHER_ROWS = 12
"""Rows that are taken besides fields, command and problems."""
LEAST_FIELDS = 4
"""Fields that stay in view beside a long command; the others scroll."""


class FormScreen(LaunchFrame):
    """A command while it is filled in. Nothing starts before its exact line was seen and confirmed."""

    LABELS: ClassVar[Mapping[str, str]] = {
        "open_item": N_("change"), "choose": N_("fields"), "close": N_("back"), "undo": N_("back"),
        "details": N_("explain"), "select": N_("choose"),
    }  # fmt: skip
    HELPS: ClassVar[Mapping[str, str]] = {
        "open_item": N_("change the field, press the button"), "choose": N_("choose which fields are shown"),
        "select": N_("next value of the field"), "left": N_("value before, next value"),
        "copy": N_("copy the command line"), "command": N_("edit the command line"), "up": N_("field up, down"),
        "first": N_("first field, buttons"),
    }  # fmt: skip
    FOOTER = ("open_item", "pane_next", "select", "choose", "copy", "undo", "screen")

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._on_buttons = False
        """Whether keys go to the buttons: known at once, while the focus itself comes a little later."""

    def compose_panes(self) -> Iterable[Widget]:
        """Machine, fields, command line, buttons, problems."""
        yield Lines(id="machine")
        yield HeadLine(id="form-head")
        yield Form(id="form")
        yield Lines(id="form-gap")
        yield HeadLine(id="command-head")
        yield Lines(id="command-text")
        yield ButtonRow(id="buttons")
        yield Lines(id="problems")
        yield HeadLine(id="jobs-head")
        yield Lines(id="jobs")

    def ready(self) -> None:
        """The first field has the cursor."""
        self.query_one(Form).focus()
        buttons = [("start", _("Start")), ("cancel", _("Cancel"))]
        if self.draft.takes_presets:
            buttons[1:1] = [("preset", _("Preset")), ("save", _("Save preset"))]
        self.query_one(ButtonRow).set_buttons(buttons, _("asks once, then runs detached: SSH may drop"))
        self.take(self.draft)

    # ── what is shown ────────────────────────────────────────────────────────────────────────────────────────────────

    def problems_changed(self) -> None:
        """Another draft, or what speaks against it is known now."""
        self._show()

    def _show(self) -> None:
        if not self.is_attached:
            return
        draft, width = self.draft, self.size.width
        self.query_one(Form).set_fields([self._field(name) for name in draft.fields])
        name = _(PRESET_NAMES.get(draft.preset, draft.preset))
        facts = _("preset: {name}").format(name=name) if name else _("c adds fields")
        self.query_one("#form-head", HeadLine).set_content(_(draft.form.title), facts)
        is_high = self.size.height >= 24
        self.query_one("#form-gap", Lines).set_lines([[]] if is_high else [])
        self.query_one("#command-head", HeadLine).set_content(_("command"), _("y copies, : edits"))
        lines = self._command_lines(width)
        self.query_one("#command-text", Lines).set_lines([*lines, []] if is_high else lines)
        self._show_machine()
        told = self._show_problems()
        self.query_one(Form).styles.max_height = max(3, self.size.height - OTHER_ROWS - len(lines) - told)
        self._show_focus()
        self.show_frame()

    def _field(self, name: str) -> Field:
        draft = self.draft
        value = draft.values.get(name, "")
        shown = value or draft.default(name)
        return Field(name, draft.label(name), shown, draft.note(name), bool(draft.choices(name)), not value)

    def _command_lines(self, width: int) -> list[Line]:
        look = self.query_one(Form).look
        try:
            text = self.draft.text()
        except BadExpression as error:
            return [[gap(1), Piece("E", "error bold"), gap(1), Piece(error.message, "text")]]
        broken = wrapped([Piece(look.shown(text), "bright")], width - 4)
        lines: list[Line] = [[gap(1 if not at else 3), *line] for at, line in enumerate(broken)]
        most = max(3, self.size.height - OTHER_ROWS - LEAST_FIELDS - 1)
        if len(lines) > most:
            more = _("the rest: y copies all of it")
            lines = [*lines[: most - 1], [gap(3), Piece(more, "muted")]]
        return lines

    def _show_machine(self) -> None:
        pane = self.query_one("#machine", Lines)
        lines = machine_lines(self.app.machine, pane.look, self.size.width)
        pane.set_lines([*lines[:2], []])

    def _show_problems(self) -> int:
        """Shows them, and the jobs where there is room; returns how many lines the problems take."""
        pane = self.query_one("#problems", Lines)
        room = 3 if self.size.height < TALL_FROM else 8
        lines = problem_lines(self.problems, pane.look, self.size.width, room)
        pane.set_lines(lines)
        is_tall = self.size.height >= TALL_FROM
        head, listed = self.query_one("#jobs-head", HeadLine), self.query_one("#jobs", Lines)
        head.display = listed.display = is_tall and bool(self.app.job_rows)
        if head.display:
            rows = [[gap(1), *job_line(row, pane.look, self.size.width - 1)] for row in self.app.job_rows[:6]]
            head.set_content(_("jobs"), str(len(self.app.job_rows)))
            listed.set_lines([heading_line(self.size.width), *rows])
        return len(lines)

    def _show_focus(self) -> None:
        self.query_one("#form-head", HeadLine).set_focused(self.focused is self.query_one(Form))

    def run_changed(self) -> None:
        """The machine, or other jobs."""
        if self.is_ready and self.is_attached:
            self._show_machine()
            self._show_problems()

    def after_resize(self) -> None:
        """Other widths."""
        self._show()

    def steps(self) -> Sequence[Piece]:
        """`msprof › new job`."""
        return (Piece(self.draft.tool), Piece(_("new job")))

    def status_left(self) -> str:
        """What the field is."""
        field = self.query_one(Form).field
        if self._on_buttons or field is None:
            return ""
        if field.key == "application":
            return _("field application: the program and its arguments, one line")
        choices = ", ".join(self.draft.choices(field.key))
        return _("field {name}: {what}").format(name=field.label, what=choices or field.note)

    def status_right(self) -> str:
        """Which field."""
        form = self.query_one(Form)
        return f"{form.cursor + 1}/{len(form.fields)}"

    # ── buttons ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @on(ButtonRow.Chosen)
    def _pressed_button(self, event: ButtonRow.Chosen) -> None:
        event.stop()
        if event.key == "start":
            self.start()
        elif event.key == "cancel":
            self.do_close()
        else:
            (choose_preset if event.key == "preset" else ask_preset)(self)

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def can(self, name: str) -> bool:
        """No second form above this one; `u` goes back."""
        if name in ("run", "redo", "reread", "open_profile"):
            return False
        return name == "undo" or super().can(name)

    def _go_to(self, buttons: bool) -> None:
        self._on_buttons = buttons
        self.query_one(ButtonRow if buttons else Form).focus()

    def on_click(self, event: events.Click) -> None:
        """The keys follow the mouse."""
        self._on_buttons = isinstance(event.widget, ButtonRow)

    def do_pane_next(self) -> None:
        """Fields, buttons, fields."""
        self._go_to(not self._on_buttons)

    def do_pane_prev(self) -> None:
        """The same backwards."""
        self._go_to(not self._on_buttons)

    def do_open_item(self) -> None:
        """Changes the field, or presses the button."""
        if self._on_buttons:
            self.query_one(ButtonRow).action_open_item()
        else:
            self._edit()

    @on(ListPane.Opened)
    def _opened(self) -> None:
        self._edit()

    def _edit(self) -> None:
        field = self.query_one(Form).field
        if field is not None:
            edit_field(self, field)

    def set_value(self, name: str, value: str) -> None:
        """Takes another value for a field and goes on to the next one; an empty one leaves it out."""
        self.take(self.draft.changed(name, value))
        form = self.query_one(Form)
        if form.cursor < len(form.fields) - 1:
            form.action_cursor_down()

    def _step(self, step: int) -> None:
        """The next value of a field that is chosen; the first one before the others leaves it out."""
        if self._on_buttons:
            self.query_one(ButtonRow).action_move(step)
            return
        field = self.query_one(Form).field
        if field is not None and field.is_choice:
            values = ("", *self.draft.choices(field.key))
            at = values.index(now) if (now := self.draft.values.get(field.key, "")) in values else 0
            self.take(self.draft.changed(field.key, values[(at + step) % len(values)]))

    def do_select(self) -> None:
        """Next value; on a button presses it."""
        if self._on_buttons:
            self.do_open_item()
        else:
            self._step(1)

    def do_left(self) -> None:
        """Value or button before."""
        self._step(-1)

    def do_right(self) -> None:
        """Next value or button."""
        self._step(1)

    def do_up(self) -> None:
        """Field above; from the buttons back to the fields."""
        if self._on_buttons:
            self._go_to(False)
        else:
            self.query_one(Form).action_cursor_up()

    def do_down(self) -> None:
        """Field below; from the last one to the buttons."""
        if not self._on_buttons:
            self.query_one(Form).action_cursor_down()

    @on(Form.Left)
    def _left_form(self) -> None:
        self._go_to(True)

    def do_first(self) -> None:
        """First field."""
        self._go_to(False)
        self.query_one(Form).action_first()

    def do_last(self) -> None:
        """The buttons."""
        self._go_to(True)

    def on_descendant_focus(self) -> None:
        """Another pane has the keys."""
        self._show_focus()
        self.show_status()

    @on(ListPane.Highlighted)
    def _highlighted(self) -> None:
        self.show_status()

    def do_choose(self) -> None:
        """Which fields are shown."""
        choose_fields(self)

    def show_fields(self, draft: Draft) -> None:
        """The same command with other fields to fill in."""
        self.draft = draft
        self._show()

    def do_copy(self) -> None:
        """Copies the command line."""
        command = self.command()
        if command is not None:
            self.app.copy_text(command_text(command), _("command"))

    def do_command(self) -> None:
        """The command line with what would be run."""
        command = self.command()
        ask_command(self, f"run {command_text(command)}" if command is not None else "run ")

    def command_run(self, text: str) -> str:
        """Takes an edited command line; returns what is wrong with it, or empty."""
        try:
            _variables, words = variables_and_words(text)
            draft = self.draft.with_line(text)
        except BadExpression as error:
            return error.message
        other = words[0].rpartition("/")[2]
        if kind_of_tool(other) and other != self.draft.tool:
            return _("this form is for {tool}: q leaves it, then :run {other}").format(
                tool=self.draft.tool, other=other
            )
        self.take(draft)
        return ""

    def command_copy_command(self, _rest: str) -> str:
        """Copies the command line."""
        self.do_copy()
        return ""

    def do_undo(self) -> None:
        """Back, nothing is started."""
        self.dismiss(None)

    def do_close(self) -> None:
        """Back, nothing is started."""
        self.dismiss(None)
