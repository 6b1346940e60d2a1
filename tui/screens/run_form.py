"""The form for msprof and aoe: fields from the option tables, the exact command line, what speaks against it, Start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events, on, work
from textual.widget import Widget

from tui.dialogs import ask_command, history_of, path_completions, remember
from tui.errors import BadExpression, NotStarted
from tui.i18n import N_, _
from tui.model.jobs import Command, Job
from tui.model.problem import Problem
from tui.screens.run_base import RunFrame
from tui.screens.run_log import LogScreen
from tui.screens.run_page import heading_line, job_line, machine_lines, problem_lines
from tui.tools import jobs
from tui.tools.command_line import command_text
from tui.tools.drafts import Draft
from tui.tools.launching import surroundings
from tui.tools.locate import Search, features
from tui.tools.msprof import PRESET_NAMES, PRESETS
from tui.tools.preflight import Surroundings, problems_of
from tui.tools.presets import presets, save_preset
from tui.tools.problems import errors, sentence, wrong
from widgets.choice import ChoiceItem, ChoiceOverlay, ConfirmOverlay
from widgets.form import ButtonRow, Field, Form
from widgets.frame import KeyHint
from widgets.listpane import ListPane
from widgets.panes import HeadLine, Lines, wrapped
from widgets.pieces import Line, Piece, gap

MOST_COMMAND_LINES = 4
TALL_FROM = 34
"""Height from which the jobs are listed below the form."""
_LEFT_OUT = "\0"


class FormScreen(RunFrame):
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
        super().__init__()
        self._draft = draft
        self._around: Surroundings | None = None
        self._checked_text = ""
        """The command line that the problems are about."""
        self._problems: Sequence[Problem] | None = None
        self._wants_start = False
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
        if self._draft.tool == "msprof":
            buttons[1:1] = [("preset", _("Preset")), ("save", _("Save preset"))]
        self.query_one(ButtonRow).set_buttons(buttons, _("asks once, then runs detached: SSH may drop"))
        self._take(self._draft)

    # ── what is shown ────────────────────────────────────────────────────────────────────────────────────────────────

    def _take(self, draft: Draft) -> None:
        """Other values: shows them, and looks again at what speaks against them."""
        self._draft = draft
        self._wants_start = False
        self._show()
        self._check()

    def _show(self) -> None:
        if not self.is_attached:
            return
        draft, width = self._draft, self.size.width
        form = self.query_one(Form)
        form.set_fields([self._field(name) for name in draft.fields])
        form.styles.max_height = max(3, self.size.height - 15)
        tool = _("collect with msprof") if draft.tool == "msprof" else _("tune with aoe")
        name = _(PRESET_NAMES.get(draft.preset, draft.preset))
        facts = _("preset: {name}").format(name=name) if name else _("c adds fields")
        self.query_one("#form-head", HeadLine).set_content(tool, facts)
        is_high = self.size.height >= 24
        self.query_one("#form-gap", Lines).set_lines([[]] if is_high else [])
        self.query_one("#command-head", HeadLine).set_content(_("command"), _("y copies, : edits"))
        lines = self._command_lines(width)
        self.query_one("#command-text", Lines).set_lines([*lines, []] if is_high else lines)
        self._show_machine()
        self._show_problems()
        self._show_focus()
        self.show_frame()

    def _field(self, name: str) -> Field:
        draft = self._draft
        value = draft.values.get(name, "")
        shown = value or draft.default(name)
        return Field(name, draft.label(name), shown, draft.note(name), bool(draft.choices(name)), not value)

    def _command_lines(self, width: int) -> list[Line]:
        look = self.query_one(Form).look
        try:
            text = self._draft.text()
        except BadExpression as error:
            return [[gap(1), Piece("E", "error bold"), gap(1), Piece(error.message, "text")]]
        broken = wrapped([Piece(look.shown(text), "bright")], width - 4)
        lines: list[Line] = [[gap(1 if not at else 3), *line] for at, line in enumerate(broken)]
        if len(lines) > MOST_COMMAND_LINES:
            more = _("the rest: y copies all of it")
            lines = [*lines[: MOST_COMMAND_LINES - 1], [gap(3), Piece(more, "muted")]]
        return lines

    def _show_machine(self) -> None:
        pane = self.query_one("#machine", Lines)
        lines = machine_lines(self.app.machine, pane.look, self.size.width)
        pane.set_lines([*lines[:2], []])

    def _show_problems(self) -> None:
        pane = self.query_one("#problems", Lines)
        room = 3 if self.size.height < TALL_FROM else 8
        pane.set_lines(problem_lines(self._problems, pane.look, self.size.width, room))
        is_tall = self.size.height >= TALL_FROM
        head, listed = self.query_one("#jobs-head", HeadLine), self.query_one("#jobs", Lines)
        head.display = listed.display = is_tall and bool(self.app.job_rows)
        if head.display:
            rows = [[gap(1), *job_line(row, pane.look, self.size.width - 1)] for row in self.app.job_rows[:6]]
            head.set_content(_("jobs"), str(len(self.app.job_rows)))
            listed.set_lines([heading_line(self.size.width), *rows])

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
        return (Piece(self._draft.tool), Piece(_("new job")))

    def status_left(self) -> str:
        """What the field is."""
        field = self.query_one(Form).field
        if self._on_buttons or field is None:
            return ""
        if field.key == "application":
            return _("field application: the program and its arguments, one line")
        choices = ", ".join(self._draft.choices(field.key))
        return _("field {name}: {what}").format(name=field.label, what=choices or field.note)

    def status_right(self) -> str:
        """Which field."""
        form = self.query_one(Form)
        return f"{form.cursor + 1}/{len(form.fields)}"

    # ── what speaks against it ───────────────────────────────────────────────────────────────────────────────────────

    def _command(self) -> Command | None:
        try:
            return self._draft.command()
        except BadExpression:
            return None

    def _check(self) -> None:
        command = self._command()
        self._problems = None
        if command is None:
            self._problems = [wrong(_("application"), _("the command line has a quote that is not closed"))]
        else:
            self._checked_text = command_text(command)
            self._check_in_thread(command)
        self._show_problems()

    @work(thread=True, group="preflight", exclusive=True, exit_on_error=False, description="preflight")
    def _check_in_thread(self, command: Command) -> None:
        found = self._draft.found
        if self._around is None:
            known = features(found) if command.tool == "msprof" else None
            self._around = surroundings(Search(self.app.settings.tools), known, found)
        problems = problems_of(command, self._around)
        if not found.usable:
            problems.insert(0, wrong("", found.problem or command.tool, found.hint))
        self.app.call_from_thread(self._checked, command_text(command), problems)

    def _checked(self, text: str, problems: Sequence[Problem]) -> None:
        if text != self._checked_text or not self.is_attached:
            return
        self._problems = problems
        self._show_problems()
        if self._wants_start:
            self._start()

    # ── buttons ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @on(ButtonRow.Chosen)
    def _pressed_button(self, event: ButtonRow.Chosen) -> None:
        event.stop()
        acts = {"start": self._start, "cancel": self.do_close, "preset": self._choose_preset, "save": self._ask_preset}
        acts[event.key]()

    def _start(self) -> None:
        """Asks once; errors keep it from being started."""
        command, problems = self._command(), self._problems
        self._wants_start = problems is None
        if command is None or problems is None:
            return
        against = errors(problems)
        if against:
            self.app.tell(sentence(against[0]))
            return
        text = "\n".join((command_text(command), *map(sentence, problems[:2])))
        hints = [KeyHint("← →", _("choose")), KeyHint("enter", _("accept")), KeyHint("esc", _("cancel"))]

        def answered(index: int | None) -> None:
            if index == 1:
                self._launch(command)

        title = _("start {tool}?").format(tool=command.tool)
        self.app.push_screen(ConfirmOverlay(title, text, (_("cancel"), _("start")), hints), answered)

    @work(thread=True, group="launch", exit_on_error=False, description="launch")
    def _launch(self, command: Command) -> None:
        try:
            job = jobs.start(command, self.app.settings.lang if self.app.settings.lang != "auto" else "")
        except NotStarted as error:
            self.app.call_from_thread(self.app.tell, " - ".join(filter(None, (error.message, error.hint))))
            return
        self.app.call_from_thread(self._launched, job)

    def _launched(self, job: Job) -> None:
        from tui.screens.run import RunScreen

        for screen in self.app.screen_stack:
            if isinstance(screen, RunScreen):
                screen.started(job)
        if self.is_current:
            self.app.switch_screen(LogScreen(job))
        self.app.tell(_("job {number} runs, with or without this terminal").format(number=job.id))

    def _choose_preset(self) -> None:
        problems: list[str] = []
        known = presets(problems)
        for problem in problems:
            self.app.tell(problem)
        items = [
            ChoiceItem(name, _(PRESET_NAMES.get(name, name)), " ".join(f"--{key}={value}" for key, value in options))
            for name, options in known.items()
        ]

        def chosen(targets: tuple[str, ...] | None) -> None:
            if targets:
                self._take(self._draft.with_options(targets[0], known[targets[0]]))

        hints = [KeyHint("enter", _("take")), KeyHint("esc", _("cancel"))]
        self.app.push_screen(ChoiceOverlay(_("presets"), items, hints=hints), chosen)

    def _ask_preset(self) -> None:
        def accept(name: str) -> str:
            if not name.strip() or name in PRESETS:
                return _("a name of its own")
            try:
                path = save_preset(name.strip(), self._draft.preset_options())
            except OSError as error:
                return _("cannot be written: {reason}").format(reason=error.strerror or error)
            self.app.tell(_("preset {name} is in {path}").format(name=name.strip(), path=path))
            return ""

        self.ask(_("save preset as") + " ", "", (), accept=accept)

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
        if field is None:
            return
        if field.is_choice:
            self._choose_value(field)
        else:
            self._type_value(field)

    def _choose_value(self, field: Field) -> None:
        default = self._draft.default(field.key)
        out = _("left out ({default})").format(default=default) if default else _("left out")
        values = self._draft.choices(field.key)
        items = [*(ChoiceItem(value, value) for value in values), ChoiceItem(_LEFT_OUT, out)]

        def chosen(targets: tuple[str, ...] | None) -> None:
            if targets:
                self._set(field.key, "" if targets[0] == _LEFT_OUT else targets[0])

        hints = [KeyHint("enter", _("choose")), KeyHint("esc", _("cancel"))]
        self.app.push_screen(ChoiceOverlay(field.note, items, hints=hints), chosen)

    def _type_value(self, field: Field) -> None:
        sign = f"run {field.key}"

        def accept(text: str) -> str:
            if field.key == "application":
                problem = _quotes_problem(text)
                if problem:
                    return problem
            remember(self.app, sign, text)
            self._set(field.key, text.strip())
            return ""

        def completions(typed: str, _caret: int) -> Sequence[str]:
            head, blank, last = typed.rpartition(" ")
            return [f"{head}{blank}{path}" for path in path_completions(last)]

        self.ask(f"{field.label} ", self._draft.values.get(field.key, ""), history_of(self.app, sign), completions,
                 accept=accept, note=field.note)  # fmt: skip

    def _set(self, name: str, value: str) -> None:
        self._take(self._draft.changed(name, value))
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
            values = ("", *self._draft.choices(field.key))
            at = values.index(now) if (now := self._draft.values.get(field.key, "")) in values else 0
            self._take(self._draft.changed(field.key, values[(at + step) % len(values)]))

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
        draft = self._draft
        shown = set(draft.fields)
        names = [*draft.fields, *(name for name in draft.options if name not in shown and name != "help")]
        items = [ChoiceItem(name, draft.label(name), draft.note(name), name in shown) for name in names]

        def chosen(targets: tuple[str, ...] | None) -> None:
            if targets is not None:
                self._draft = replace(draft, extra=tuple(name for name in targets if name not in draft.values))
                self._show()

        hints = [KeyHint("space", _("show")), KeyHint("enter", _("accept")), KeyHint("esc", _("cancel"))]
        self.app.push_screen(ChoiceOverlay(_("fields"), items, checks=True, hints=hints), chosen)

    def do_copy(self) -> None:
        """Copies the command line."""
        command = self._command()
        if command is not None:
            self.app.copy_text(command_text(command), _("command"))

    def do_command(self) -> None:
        """The command line with what would be run."""
        command = self._command()
        ask_command(self, f"run {command_text(command)}" if command is not None else "run ")

    def command_run(self, text: str) -> str:
        """Takes an edited command line; returns what is wrong with it, or empty."""
        try:
            draft = self._draft.with_line(text)
        except BadExpression as error:
            return error.message
        self._take(draft)
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


def _quotes_problem(text: str) -> str:
    """What is wrong with the quotes of a command line, or empty."""
    from tui.tools.command_line import words_of

    try:
        if text.strip():
            words_of(text)
    except BadExpression as error:
        return error.message
    return ""
