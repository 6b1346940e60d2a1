"""Taking things out of a table screen: copy, copy as, export, the shell command of the view."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
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
    from tui.screens.table_screen import TableScreen

FORMATS: dict[str, TableFormat] = {".csv": "csv", ".tsv": "tsv", ".md": "md", ".json": "json", ".txt": "text"}


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


def as_text(screen: TableScreen, form: TableFormat) -> str:
    """The chosen rows of the shown columns in one of the formats."""
    return "".join(table_pieces(shown_columns(screen), chosen_rows(screen), form, screen.words().glyphs))


def copy_cell_or_rows(screen: TableScreen) -> None:
    """The cell under the cursor with every digit, or the selected rows as TSV with a heading."""
    applied, grid = screen.applied, screen.grid
    if applied is None or grid.cursor_row < 0:
        return
    count = len(grid.selection)
    if count:
        screen.app.copy_text(
            as_text(screen, "tsv"), ngettext("{n} row", "{n} rows", count).format(n=number_text(count, 0))
        )
        return
    source = grid.source
    key = source.source_of(grid.cursor_key) if isinstance(source, ShownRows) else ""
    column = column_of(applied.shown.table, key)
    if column is not None:
        text = cell_text(column, int(applied.shown.rows[grid.cursor_row]))
        screen.app.copy_text(text, text if len(text) <= 30 else _("cell"))


def copy_as(screen: TableScreen) -> None:
    """The menu of forms."""
    count = len(chosen_rows(screen))
    rows = ngettext("{n} row", "{n} rows", count).format(n=number_text(count, 0))
    forms = (("tsv", "TSV"), ("csv", "CSV"), ("md", "Markdown"), ("json", "JSON"))
    items = [
        *(ChoiceItem(form, name, rows) for form, name in forms),
        ChoiceItem("command", _("command"), _("the shell command that prints this view")),
        ChoiceItem("path", _("file path")),
    ]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            _copy_form(screen, targets[0], rows)

    hints = [KeyHint("enter", _("copy")), KeyHint("esc", _("close"))]
    screen.app.push_screen(ChoiceOverlay(_("copy as"), items, hints=hints), chosen)


def _copy_form(screen: TableScreen, form: str, rows: str) -> None:
    if form == "command":
        screen.app.copy_text(shell_command(screen), _("command"))
    elif form == "path":
        parts = screen.applied.shown.table.parts if screen.applied is not None else ()
        screen.app.copy_text("\n".join(part.path for part in parts) or str(screen.app.path), _("path"))
    else:
        screen.app.copy_text(as_text(screen, form), rows)  # type: ignore[arg-type]


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


def export_view(screen: TableScreen, name: str) -> str:
    """Writes the rows shown to a file; asks before it overwrites one. Returns why it cannot, or empty."""
    path = Path(os.path.expanduser(name.strip()))
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        return _("{name} ends in none of {ends}").format(name=path.name or name, ends=" ".join(FORMATS))
    if not path.parent.is_dir():
        return _("no such folder: {folder}").format(folder=path.parent)
    if path.exists() and not path.is_file():
        return _("not a regular file: {path}").format(path=path)
    if path.exists():
        _ask_overwrite(screen, path, form)
        return ""
    return _write(screen, path, form)


def _ask_overwrite(screen: TableScreen, path: Path, form: TableFormat) -> None:
    def answered(index: int | None) -> None:
        if index == 1:
            problem = _write(screen, path, form)
            if problem:
                screen.app.tell(problem)

    text = _("{path} exists and would be replaced.").format(path=path)
    screen.app.push_screen(
        ConfirmOverlay(_("overwrite {name}?").format(name=path.name), text, (_("cancel"), _("overwrite"))), answered
    )


def _write(screen: TableScreen, path: Path, form: TableFormat) -> str:
    """Writes the chosen rows, many of them from a thread; returns why it cannot, where that is known at once."""
    rows, command = chosen_rows(screen), shell_command(screen)
    pieces = table_pieces(shown_columns(screen), rows, form, screen.words().glyphs)
    count = ngettext("{n} row", "{n} rows", len(rows)).format(n=number_text(len(rows), 0))
    done = _("{count} written to {path}").format(count=count, path=path)
    if len(rows) > INLINE_ROWS:
        screen.app.tell(_("writing {count} to {path}").format(count=count, path=path))
        write = partial(_write_in_thread, screen, path, pieces, command, done)
        screen.run_worker(write, thread=True, exit_on_error=False)
        return ""
    problem = _written(path, pieces, command)
    if not problem:
        screen.app.tell(done)
    return problem


def _write_in_thread(screen: TableScreen, path: Path, pieces: Iterable[str], command: str, done: str) -> None:
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
