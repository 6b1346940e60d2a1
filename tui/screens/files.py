"""Screen 9: what was found, what is used for what, what is missing and which option would have produced it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.widget import Widget

from tui.i18n import N_, _, ngettext
from tui.model.problem import Problem
from tui.model.sources import Missing, Profile, SourceFile, Sources
from tui.screens.facts import Fact, fact, fact_lines
from tui.screens.frame import Frame
from tui.screens.run_start import is_raw, wish_of
from tui.screens.states import waiting_lines
from tui.units import number_text, size_text
from widgets.glyphs import GlyphSet
from widgets.grid import DataGrid
from widgets.lines import LinesPane
from widgets.panes import HeadLine
from widgets.pieces import Piece
from widgets.protocols import Cell, GridColumn

DETAILS_LINES = 5
ROLE_NAMES = {
    "op-types": N_("op types"), "apis": N_("APIs"), "environment": N_("settings"), "communication": N_("comm"),
}  # fmt: skip
"""Roles that are shown in another word than their own (message ids)."""


@dataclass(frozen=True)
class FileRow:
    """One line of the tree."""

    mark: Cell
    name: Cell
    role: Cell
    size: Cell
    content: Cell
    path: str = ""
    notable: bool = False
    file: SourceFile | None = None
    missing: Missing | None = None
    problems: tuple[Problem, ...] = ()
    folder: bool = False
    """A folder that enter opens and closes."""


class FileRows:
    """The tree as the grid's source."""

    def __init__(self, rows: Sequence[FileRow], width: int) -> None:
        self.rows = rows
        name = 30 if width < 100 else 48
        self._columns = (
            GridColumn("mark", "", 1, kind="mark"),
            GridColumn("file", _("File"), name, cut="middle", grow=2, max_width=80),
            GridColumn("role", _("Role"), 9, grow=1, max_width=16),
            GridColumn("size", _("Size"), 9, "right", "never", "number"),
            GridColumn("content", _("Content"), 22, cut="end", grow=4),
        )

    @property
    def columns(self) -> Sequence[GridColumn]:
        """Mark, file, role, size, content."""
        return self._columns

    @property
    def row_count(self) -> int:
        """Lines of the tree."""
        return len(self.rows)

    def block(self, first: int, last: int, columns: Sequence[int]) -> Sequence[Sequence[Cell]]:
        """Cells of some lines."""
        shown = [(row.mark, row.name, row.role, row.size, row.content) for row in self.rows[first:last]]
        return [[cells[index] for index in columns] for cells in shown]

    def row_role(self, row: int) -> str:
        """Cells have their own roles."""
        return ""

    def summary(self, columns: Sequence[int]) -> Sequence[Cell] | None:
        """No sum row."""
        return None

    def sort_marks(self) -> dict[str, tuple[int, bool]]:
        """The tree has its own order."""
        return {}


class FilesScreen(Frame):
    """The tree of files of every profile at the path."""

    DIGIT = "9"
    NAME = "Files"
    LABELS: ClassVar[Mapping[str, str]] = {"run": N_("export, run")}
    FOOTER: ClassVar[tuple[str, ...]] = ("open_item", "reread", "notable_next", "open_profile", "copy", "details")

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[FileRow] = ()
        self._opened: set[str] = set()
        """Folders of raw and settings files that the user opened."""

    def compose_panes(self) -> Iterable[Widget]:
        """The tree, and what is to say about the file under the cursor."""
        yield DataGrid(id="grid")
        yield HeadLine(id="details-head")
        yield LinesPane(id="details-lines")

    def command_copy_command(self, _rest: str) -> str:
        """Copies the shell command that lists the files."""
        self.app.copy_text(self.app.shell_command("table", "files"), _("command"))
        return ""

    def ready(self) -> None:
        """Shows the tree if the path is known."""
        self._grid.focus()
        self._lines.styles.height = DETAILS_LINES
        self._show()

    @property
    def _grid(self) -> DataGrid:
        return self.query_one("#grid", DataGrid)

    @property
    def _lines(self) -> LinesPane:
        return self.query_one("#details-lines", LinesPane)

    def session_opened(self, session: object) -> None:
        """The files are known."""
        self._show()

    def session_closed(self) -> None:
        """Another path comes."""
        self._show()

    def table_changed(self, change: object) -> None:
        """A table tells how many rows its files have."""
        self._show()

    def overview_ready(self) -> None:
        """Timelines were scanned."""
        self._show()

    def after_resize(self) -> None:
        """Another width has room for longer names."""
        self._show()

    def _show(self) -> None:
        if not self.is_attached:
            return
        session = self.app.session
        if session is None:
            self._grid.set_source(FileRows((), self.size.width))
            self._grid.set_empty_lines(waiting_lines([str(self.app.path)]))
            return
        self._rows = tuple(tree_rows(session.sources, self._contents(), self.app.glyphs, self._opened, self._lacks()))
        self._grid.set_source(FileRows(self._rows, self.size.width), keep_cursor=True)
        self._show_details()

    def _lacks(self) -> Sequence[Missing]:
        """What a scanned timeline does not hold."""
        from tui.readers.missing import missing_frequency

        session = self.app.session
        if session is None or not session.is_scanned or not session.trace():
            return ()
        return missing_frequency(track.process for summary in session.trace() for track in summary.tracks)

    def _contents(self) -> dict[str, str]:
        """Path → what is in the file, for files that were read."""
        contents = {path: _rows_text(rows) for path, rows in self.app.row_counts.items()}
        for change in self.app.tables.values():
            if change.table is None:
                continue
            for part in change.table.parts:
                contents[part.path] = _rows_text(part.rows)
        session = self.app.session
        if session is not None and session.is_scanned:
            for summary in session.trace():
                count = sum(summary.events_by_phase.values())
                contents[str(summary.path)] = ngettext("{n} event", "{n} events", count).format(n=number_text(count, 0))
        return contents

    def _show_details(self) -> None:
        row = self._grid.cursor_row
        if not 0 <= row < len(self._rows):
            return
        entry = self._rows[row]
        size = entry.size.text
        self.query_one("#details-head", HeadLine).set_content(Path(entry.path).name or entry.name.text.strip(), size)
        look = self._lines.look
        self._lines.set_lines(fact_lines(entry_facts(entry), self.size.width, look.glyphs.ellipsis))

    @on(DataGrid.RowHighlighted)
    def _row_highlighted(self, event: DataGrid.RowHighlighted) -> None:
        event.stop()
        self._show_details()
        self.show_frame()

    @on(DataGrid.RowOpened)
    def _row_opened(self, event: DataGrid.RowOpened) -> None:
        event.stop()
        entry = self._rows[event.row]
        if entry.folder:
            self._opened ^= {entry.path}
            self._show()
            return
        if self._wants_export(entry):
            self.app.run_wish = wish_of(self)
            self.app.follow("8", "export")
            return
        role = entry.file.role if entry.file is not None else ""
        digit = {"ops": "3", "apis": "4", "op-types": "3"}.get(role, "")
        if digit and entry.file is not None and entry.file.used:
            self.app.follow(digit, "types" if role == "op-types" else "")
        elif entry.file is not None:
            self.app.tell(
                _("no screen shows this file in this version; npuscope table {kind} prints it").format(
                    kind=entry.file.kind or "KIND"
                )
            )

    def follow(self, target: str) -> None:
        """What another screen points at: a file by its path or name."""
        at = next((at for at, row in enumerate(self._rows) if target in (row.path, Path(row.path).name)), -1)
        if target and at >= 0:
            self._grid.move_to(at)

    def steps(self) -> Sequence[Piece]:
        """The folder."""
        return [Piece(self.app.path.name or str(self.app.path))]

    def status_left(self) -> Sequence[Piece] | str:
        """Warnings, missing files, damage."""
        problems = [problem for row in self._rows for problem in row.problems]
        warnings = sum(problem.severity == "warn" for problem in problems)
        errors = sum(problem.severity == "error" for problem in problems)
        missing = sum(row.missing is not None and row.missing.expected for row in self._rows)
        return ", ".join((
            ngettext("{n} warning", "{n} warnings", warnings).format(n=warnings),
            ngettext("{n} file missing", "{n} files missing", missing).format(n=missing),
            ngettext("{n} damaged", "{n} damaged", errors).format(n=errors) if errors else _("nothing damaged"),
        ))  # fmt: skip

    def status_right(self) -> Sequence[Piece] | str:
        """Row of rows, and the size of all."""
        session = self.app.session
        if session is None:
            return ""
        total = sum(file.size_bytes for profile in session.profiles for file in profile.files)
        return f"{self._grid.cursor_row + 1}/{len(self._rows)} {self.app.glyphs.dot} {size_text(total)}"

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _forward(self, name: str) -> None:
        pane = self.focused if isinstance(self.focused, (DataGrid, LinesPane)) else self._grid
        getattr(pane, f"action_{name}", lambda: None)()

    def do_up(self) -> None:
        """Row up."""
        self._forward("cursor_up")

    def do_down(self) -> None:
        """Row down."""
        self._forward("cursor_down")

    def do_page_up(self) -> None:
        """Page up."""
        self._forward("page_up")

    def do_page_down(self) -> None:
        """Page down."""
        self._forward("page_down")

    def do_first(self) -> None:
        """First row."""
        self._forward("first")

    def do_last(self) -> None:
        """Last row."""
        self._forward("last")

    def can(self, name: str) -> bool:
        """Only folders that are closed or opened here, and files, can be opened."""
        if name == "open_item":
            entry = self._rows[row] if 0 <= (row := self._grid.cursor_row) < len(self._rows) else None
            return entry is not None and (entry.folder or entry.file is not None or self._wants_export(entry))
        return super().can(name)

    def _wants_export(self, entry: FileRow) -> bool:
        """Whether it is the line that says that the collection was not exported."""
        session = self.app.session
        here = session is not None and entry.path == str(session.profile.root)
        return here and bool(entry.problems) and is_raw(self.app)

    def footer(self) -> Sequence[str]:
        """What was only collected can be exported."""
        return ("open_item", "run", *self.FOOTER[1:]) if is_raw(self.app) else self.FOOTER

    def do_open_item(self) -> None:
        """Opens the screen that shows the file."""
        self._grid.action_open_item()

    def do_details(self) -> None:
        """Shows or hides the details."""
        for name in ("#details-head", "#details-lines"):
            widget = self.query_one(name)
            widget.display = not widget.display

    def do_notable_next(self) -> None:
        """Next row with a problem or a lack."""
        self._step_notable(1)

    def do_notable_prev(self) -> None:
        """Previous row with a problem or a lack."""
        self._step_notable(-1)

    def _step_notable(self, step: int) -> None:
        notable = [at for at, row in enumerate(self._rows) if row.notable]
        here = self._grid.cursor_row
        ahead = [at for at in notable if (at > here if step > 0 else at < here)]
        if not notable:
            self.app.tell(_("nothing needs attention"))
        else:
            self._grid.move_to(
                (ahead[0] if step > 0 else ahead[-1]) if ahead else (notable[0] if step > 0 else notable[-1])
            )

    def do_copy(self) -> None:
        """Copies the path of the row."""
        entry = self._rows[self._grid.cursor_row] if self._rows else None
        if entry is not None and entry.path:
            self.app.copy_text(entry.path, _("path"))


def _rows_text(rows: int) -> str:
    return ngettext("{n} row", "{n} rows", rows).format(n=number_text(rows, 0))


def entry_facts(entry: FileRow) -> list[Fact]:
    """What is to say about one row."""
    facts = []
    if entry.path:
        facts.append(fact(_("path"), entry.path, "muted", wide=True))
    for problem in entry.problems:
        facts.append(fact(_("what"), ": ".join(text for text in (problem.where, problem.what) if text), wide=True))
        if problem.consequence:
            facts.append(fact(_("so"), problem.consequence, wide=True))
        if problem.hint:
            facts.append(fact(_("do"), problem.hint, wide=True))
    if entry.file is not None and not entry.problems:
        facts += _file_facts(entry.file)
    if entry.missing is not None:
        facts.append(fact(_("what"), _("not among the files"), wide=True))
        facts.append(fact(_("so"), entry.missing.consequence, wide=True))
        if entry.missing.option:
            facts.append(fact(_("enable"), _("collect with {option}").format(option=entry.missing.option), wide=True))
    return facts


def _file_facts(file: SourceFile) -> list[Fact]:
    """What the name and place of a file tell."""
    shown = {"ops": "3 Ops", "apis": "4 APIs", "op-types": "3 Ops"}.get(file.role, "")
    date = file.date
    exported = f"{date[:4]}-{date[4:6]}-{date[6:8]} {date[8:10]}:{date[10:12]}:{date[12:]}" if len(date) == 14 else ""
    facts = (
        fact(
            _("shown"), shown or (f"npuscope table {file.kind}" if _is_data(file) and file.role != "timeline" else "")
        ),
        fact(_("exported"), exported),
        fact(_("device"), file.device),
        fact(_("iteration"), file.iteration),
    )
    return [entry for entry in facts if entry.value[0].text]


def tree_rows(
    sources: Sources, contents: dict[str, str], glyphs: GlyphSet, opened: set[str], extra: Sequence[Missing] = ()
) -> Iterable[FileRow]:
    """The lines of the tree: profiles, their folders, their files, what is missing.

    Args:
        extra: What only the content of a timeline tells to be missing.
    """
    for problem in sources.problems:
        yield _problem_row(problem)
    for profile in sources.profiles:
        yield _heading(f"{glyphs.opened} {profile.name}", _(profile.kind), profile.files, profile.root)
        yield from _profile_rows(profile, contents, glyphs, opened)
        for problem in profile.problems:
            if problem.path not in {str(file.path) for file in profile.files}:
                yield _problem_row(problem)
        lacks = (*profile.missing, *extra)
        if lacks:
            yield FileRow(
                Cell(""), Cell(f"{glyphs.opened} {_('missing')}", "strong bold"), Cell(""), Cell(""), Cell("")
            )
            yield from (
                _missing_row(entry, glyphs.missing) for entry in sorted(lacks, key=lambda entry: not entry.expected)
            )


def _heading(name: str, role: str, files: Sequence[SourceFile], path: Path) -> FileRow:
    size = size_text(sum(file.size_bytes for file in files))
    return FileRow(Cell(""), Cell(name, "strong bold"), Cell(role, "muted"), Cell(size), Cell(""), str(path))


def _profile_rows(profile: Profile, contents: dict[str, str], glyphs: GlyphSet, opened: set[str]) -> Iterable[FileRow]:
    """Files by folder, data first; a folder without data is one closed line."""
    problems: dict[str, list[Problem]] = {}
    for problem in profile.problems:
        problems.setdefault(problem.path, []).append(problem)
    folders: dict[Path, list[SourceFile]] = {}
    for file in sorted(profile.files, key=lambda file: not _is_data(file)):
        folders.setdefault(file.path.parent, []).append(file)
    for folder, files in folders.items():
        indent = "  " if folder == profile.root else "    "
        closed = (
            not any(map(_is_data, files))
            and folder != profile.root
            and not any(str(file.path) in problems for file in files)
        )
        if folder != profile.root:
            name = folder.relative_to(profile.root) if profile.root in folder.parents else folder
            is_open = not closed or str(folder) in opened
            yield _folder_row(f"  {glyphs.opened if is_open else glyphs.closed} {name}", files, folder, profile, closed)
            if not is_open:
                continue
        for file in files:
            yield _file_row(
                file, indent, contents.get(str(file.path), ""), tuple(problems.get(str(file.path), ())), glyphs.check
            )


def _folder_row(name: str, files: Sequence[SourceFile], folder: Path, profile: Profile, closed: bool) -> FileRow:
    if not closed:
        return FileRow(Cell(""), Cell(name, "text"), Cell(""), Cell(""), Cell(""), str(folder))
    device = next((device for device in profile.devices if folder.name == f"device_{device.id}"), None)
    ended = device.ended_cleanly if device is not None else None
    note = "" if ended is None else _("ended cleanly") if ended else _("did not end cleanly")
    role = _("raw") if any(file.role == "raw" for file in files) else _("settings")
    size = size_text(sum(file.size_bytes for file in files))
    return FileRow(
        Cell(""),
        Cell(name, "muted"),
        Cell(role, "muted"),
        Cell(size, "muted"),
        Cell(note, "muted"),
        str(folder),
        folder=True,
    )


def _file_row(file: SourceFile, indent: str, content: str, problems: tuple[Problem, ...], check: str) -> FileRow:
    worst = next(
        (severity for severity in ("error", "warn") if any(problem.severity == severity for problem in problems)), ""
    )
    mark = (
        Cell("E", "error bold")
        if worst == "error"
        else Cell("!", "warn bold")
        if worst
        else Cell(check, "ok")
        if file.used and _is_data(file)
        else Cell("")
    )
    text = problems[0].what if problems else file.note or content
    role = "" if file.used and _is_data(file) else "muted"
    return FileRow(
        mark,
        Cell(f"{indent}{file.path.name}", "bright" if worst else role),
        Cell(file.kind if file.role == "table" else _(ROLE_NAMES.get(file.role, file.role)), "muted"),
        Cell(size_text(file.size_bytes)),
        Cell(text, "warn" if worst else "muted" if file.note else "text"),
        str(file.path), bool(worst), file, None, problems,
    )  # fmt: skip


def _is_data(file: SourceFile) -> bool:
    return file.role not in ("raw", "other", "foreign", "environment", "folder", "profile")


def _problem_row(problem: Problem) -> FileRow:
    sign, role = ("E", "error bold") if problem.severity == "error" else ("!", "warn bold")
    name = Path(problem.path).name or problem.path
    return FileRow(
        Cell(sign, role),
        Cell(f"  {name}", "bright"),
        Cell(""),
        Cell(""),
        Cell(problem.what, "warn"),
        problem.path,
        True,
        None,
        None,
        (problem,),
    )


def _missing_row(entry: Missing, missing: str) -> FileRow:
    role = "warn" if entry.expected else "muted"
    content = entry.option or entry.consequence
    mark = Cell(missing, "warn bold") if entry.expected else Cell("")
    return FileRow(
        mark,
        Cell(f"  {entry.name}", "text" if entry.expected else "muted"),
        Cell(_(ROLE_NAMES.get(entry.role, entry.role)), "muted"),
        Cell(""),
        Cell(content, role),
        "",
        entry.expected,
        None,
        entry,
    )
