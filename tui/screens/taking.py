"""Taking rows out of a screen: copy, copy as, export, the shell command of the view."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tui.i18n import _, ngettext
from tui.model.columns import cell_text
from tui.model.ops import column_of
from tui.model.table import Column
from tui.model.view import View
from tui.model.writers import TableFormat, table_pieces
from tui.screens.rows import ShownRows
from tui.screens.table_base import INLINE_ROWS
from tui.units import number_text
from widgets.choice import ChoiceItem, ChoiceOverlay, ConfirmOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.screens.frame import Frame
    from tui.screens.table_screen import TableScreen
    from tui.units import GlyphSet

FORMATS: dict[str, TableFormat] = {".csv": "csv", ".tsv": "tsv", ".md": "md", ".json": "json", ".txt": "text"}


@dataclass(frozen=True)
class Taken:
    """Rows to be taken out."""

    columns: Sequence[Column]
    rows: NDArray[np.intp]
    command: str
    """Prints the same rows; empty where no command does."""
    glyphs: GlyphSet
    paths: Sequence[str] = ()
    """Files that they come from."""

    @property
    def count_text(self) -> str:
        """`430 rows`."""
        return ngettext("{n} row", "{n} rows", len(self.rows)).format(n=number_text(len(self.rows), 0))

    def pieces(self, form: TableFormat) -> Iterable[str]:
        """All of them in one of the formats."""
        return table_pieces(self.columns, self.rows, form, self.glyphs)


def taken_of(screen: TableScreen) -> Taken:
    """The selected rows of a table, else all that are shown."""
    parts = screen.applied.shown.table.parts if screen.applied is not None else ()
    paths = [part.path for part in parts] or [str(screen.app.path)]
    return Taken(shown_columns(screen), chosen_rows(screen), shell_command(screen), screen.words().glyphs, paths)


def shown_columns(screen: TableScreen) -> list[Column]:
    """The table columns behind the grid columns shown, in their order; bars and marks have none of their own."""
    source, applied = screen.grid.source, screen.applied
    if not isinstance(source, ShownRows) or applied is None:
        return []
    columns = (column_of(applied.shown.table, key) for key in screen.grid.visible_keys)
    return [column for column in columns if column is not None]


def chosen_rows(screen: TableScreen) -> NDArray[np.intp]:
    """Table rows that are selected, else all that are shown."""
    applied = screen.applied
    if applied is None:
        return np.zeros(0, np.intp)
    selection = screen.grid.selection
    if not len(selection):
        return applied.shown.rows
    return np.asarray(applied.shown.rows)[np.fromiter(selection, np.intp, len(selection))]


def copy_cell_or_rows(screen: TableScreen) -> None:
    """The cell under the cursor with every digit, or the selected rows as TSV with a heading."""
    applied, grid = screen.applied, screen.grid
    if applied is None or grid.cursor_row < 0:
        return
    if len(grid.selection):
        _copy_form(screen, taken_of(screen), "tsv")
        return
    source = grid.source
    key = source.source_of(grid.cursor_key) if isinstance(source, ShownRows) else ""
    column = column_of(applied.shown.table, key)
    if column is not None:
        text = cell_text(column, int(applied.shown.rows[grid.cursor_row]))
        screen.app.copy_text(text, text if len(text) <= 30 else _("cell"))


def copy_as(screen: Frame, taken: Taken) -> None:
    """The menu of forms."""
    forms = (("tsv", "TSV"), ("csv", "CSV"), ("md", "Markdown"), ("json", "JSON"))
    items = [ChoiceItem(form, name, taken.count_text) for form, name in forms]
    if taken.command:
        items.append(ChoiceItem("command", _("command"), _("the shell command that prints this view")))
    if taken.paths:
        items.append(ChoiceItem("path", _("file path")))

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            _copy_form(screen, taken, targets[0])

    hints = [KeyHint("enter", _("copy")), KeyHint("esc", _("close"))]
    screen.app.push_screen(ChoiceOverlay(_("copy as"), items, hints=hints), chosen)


def _copy_form(screen: Frame, taken: Taken, form: str) -> None:
    if form == "command":
        screen.app.copy_text(taken.command, _("command"))
    elif form == "path":
        screen.app.copy_text("\n".join(taken.paths), _("path"))
    elif len(taken.rows) > INLINE_ROWS:
        screen.app.tell(_("{rows} are too many to copy; e writes them to a file").format(rows=taken.count_text))
    else:
        screen.app.copy_text("".join(taken.pieces(form)), taken.count_text)  # type: ignore[arg-type]


def shell_command(screen: TableScreen) -> str:
    """The command that prints the same rows, quoted for a shell."""
    own = screen.own_command()
    if own:
        return shlex.join([*own, *view_words(screen.view)])
    kind = screen.applied.shown.table.kind if screen.applied is not None else screen.KIND
    return screen.app.shell_command("table", kind, options=view_words(screen.view))


def view_words(view: View) -> list[str]:
    """The options by which `table`, `compare` and `dump` show the same rows in the same order."""
    conditions = [f"{key}=={_quoted(text)}" for key, text in view.only]
    conditions += [f"!{key}=={_quoted(text)}" for key, text in view.exclude]
    if view.filter:
        conditions.insert(0, f"({view.filter})" if conditions and "|" in view.filter else view.filter)
    words = ["--filter", " ".join(conditions)] if conditions else []
    if view.group:
        words += ["--group", ",".join(view.group)]
    if view.sort:
        words += ["--sort", ", ".join(f"{key} desc" if descending else key for key, descending in view.sort)]
    return words


def _quoted(text: str) -> str:
    """A value of the filter grammar: in quotation marks wherever it is not a plain word."""
    return text if _PLAIN.fullmatch(text) else '"' + text.replace('"', '""') + '"'


_PLAIN = re.compile(r"[\w./@:+-]+")


def export_rows(screen: Frame, taken: Taken, name: str) -> str:
    """Writes rows to a file; asks before it overwrites one. Returns why it cannot, or empty."""
    path = Path(os.path.expanduser(name.strip()))
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        return _("{name} ends in none of {ends}").format(name=path.name or name, ends=" ".join(FORMATS))
    if not path.parent.is_dir():
        return _("no such folder: {folder}").format(folder=path.parent)
    if path.exists() and not path.is_file():
        return _("not a regular file: {path}").format(path=path)
    if path.exists():
        _ask_overwrite(screen, taken, path, form)
        return ""
    return _write(screen, taken, path, form)


def _ask_overwrite(screen: Frame, taken: Taken, path: Path, form: TableFormat) -> None:
    def answered(index: int | None) -> None:
        if index == 1:
            problem = _write(screen, taken, path, form)
            if problem:
                screen.app.tell(problem)

    text = _("{path} exists and would be replaced.").format(path=path)
    screen.app.push_screen(
        ConfirmOverlay(_("overwrite {name}?").format(name=path.name), text, (_("cancel"), _("overwrite"))), answered
    )


def _write(screen: Frame, taken: Taken, path: Path, form: TableFormat) -> str:
    """Writes the rows, many of them from a thread; returns why it cannot, where that is known at once."""
    pieces = taken.pieces(form)
    done = _("{count} written to {path}").format(count=taken.count_text, path=path)
    if len(taken.rows) > INLINE_ROWS:
        screen.app.tell(_("writing {count} to {path}").format(count=taken.count_text, path=path))
        write = partial(_write_in_thread, screen, path, pieces, taken.command, done)
        screen.run_worker(write, thread=True, exit_on_error=False)
        return ""
    problem = _written(path, pieces, taken.command)
    if not problem:
        screen.app.tell(done)
    return problem


def _write_in_thread(screen: Frame, path: Path, pieces: Iterable[str], command: str, done: str) -> None:
    problem = _written(path, pieces, command)
    screen.app.call_from_thread(screen.app.tell, problem or done)


def _written(path: Path, pieces: Iterable[str], command: str) -> str:
    """Writes a file; returns why it cannot be written, or empty."""
    from tui.export import write_table

    try:
        write_table(path, pieces, command)
    except OSError as error:
        return _("cannot be written ({reason}): {path}").format(path=path, reason=error.strerror or error)
    return ""
