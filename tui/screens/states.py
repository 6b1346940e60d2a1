"""What panes show instead of rows: reading, failed, nothing matches, not collected."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.i18n import _
from tui.messages import Loading, OpenFailed, TableChanged
from tui.units import elapsed_text, number_text, size_text
from widgets.panes import loading_line, state_line, wrapped
from widgets.pieces import Line, Piece, gap
from widgets.roles import Look

if TYPE_CHECKING:
    from tui.app import NpuscopeApp
    from tui.model.table import Table


def failed_lines(failure: OpenFailed, width_cells: int, look: Look) -> list[Line]:
    """Nothing readable at the path, in as many lines as it takes: paths are long."""
    if failure.is_dump:
        return _dump_lines(failure, width_cells, look)
    told = wrapped([Piece(look.shown(failure.message), "strong")], width_cells - 4)
    hint = wrapped([Piece(look.shown(failure.hint), "muted")], width_cells - 4) if failure.hint else []
    lines: list[Line] = [[], [gap(1), Piece("E", "error bold"), gap(1), *told[0]]]
    lines += [[gap(3), *line] for line in (*told[1:], *hint)]
    return [*lines, [], state_line(_("open another path"), "", "o", _("open"))]


def _dump_lines(failure: OpenFailed, width_cells: int, look: Look) -> list[Line]:
    """A path that another screen takes."""
    told = wrapped([Piece(look.shown(failure.message), "strong")], width_cells - 4)
    first: Line = [gap(1), Piece("I", "info bold"), gap(1), *told[0]]
    rest: list[Line] = [[gap(3), *line] for line in told[1:]]
    return [[], first, *rest, [], state_line(_("compare it"), "", "7", _("Dump screen"))]


def reading_lines(app: NpuscopeApp, look: Look) -> list[Line]:
    """What is being read: the files by role with their sizes, and the progress of each load."""
    if app.session is None:
        return [[], [gap(1), Piece(_("looking at {path}").format(path=app.path), "muted")]]
    lines: list[Line] = [[]]
    for change in app.tables.values():
        if change.loading is not None:
            lines.append(progress_line(change.loading, look))
    used = [file for file in app.session.profile.files if file.used and file.size_bytes][:8]
    lines += [
        [gap(1), Piece(f"{file.path.name}  ", "muted"), Piece(size_text(file.size_bytes), "faint")] for file in used
    ]
    return lines


def progress_line(loading: Loading, look: Look) -> Line:
    """Name, bar, share, rows, time left."""
    facts = [f"{loading.fraction * 100:.0f} %", _("{n} rows").format(n=number_text(loading.rows, 0))]
    if loading.fraction > 0.02:
        left_s = loading.elapsed_s / loading.fraction - loading.elapsed_s
        facts.append(_("ETA {time}").format(time=elapsed_text(max(left_s, 0))))
    return loading_line(look.glyphs, loading.file, loading.fraction, facts, 20)


def rate_text(loading: Loading) -> str:
    """`reading 43 %  146 MiB of 338 MiB  112 MiB/s` for the status line."""
    rate = size_text(int(loading.done_bytes / loading.elapsed_s)) if loading.elapsed_s > 0 else ""
    parts = (
        _("reading {share} %").format(share=f"{loading.fraction * 100:.0f}"),
        _("{done} of {all}").format(done=size_text(loading.done_bytes), all=size_text(loading.total_bytes)),
        f"{rate}/s" if rate else "",
    )
    return "  ".join(part for part in parts if part)


def no_match_lines(expression: str, total_rows: int) -> list[Line]:
    """A filter that leaves nothing."""
    fact = [Piece(_("no rows match") + " "), Piece(expression, "bright")]
    return [[], state_line(fact, _("{n} rows").format(n=number_text(total_rows, 0)), "0", _("clears"))]


def no_rows_lines(table: Table) -> list[Line]:
    """A table without a single row, and why if that is known."""
    problem = next(iter(table.problems), None)
    paths = [part.path for part in table.parts] or ([problem.path] if problem else [])
    names = ", ".join(dict.fromkeys(Path(path).name for path in paths))
    fact = f"{names}: {problem.what if problem else _('no rows')}" if names else _("no rows")
    lines: list[Line] = [[], state_line(fact)]
    return [*lines, [gap(1), Piece(problem.hint, "muted")]] if problem and problem.hint else lines


def no_table_lines(change: TableChanged) -> list[Line]:
    """A table that the profile does not have, and what would have produced it."""
    lines: list[Line] = [[], state_line(change.reason or _("no rows"))]
    return [*lines, [gap(1), Piece(change.hint, "muted")]] if change.hint else lines


def waiting_lines(names: Sequence[str]) -> list[Line]:
    """A table that is asked for and not here yet."""
    return [[], [gap(1), Piece(_("reading {names}").format(names=", ".join(names)), "muted")]]
