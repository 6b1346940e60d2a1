"""Tables and row counts of an exported database (formats: db 1). Opened so that nothing is written beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tui.i18n import _
from tui.model.problem import Problem

_MAGIC = b"SQLite format 3\x00"


@dataclass(frozen=True)
class DatabaseSummary:
    """What a database holds."""

    tables: Mapping[str, int]
    """Rows by table, in the order of their names."""
    problems: tuple[Problem, ...] = ()


def read_database(path: Path) -> DatabaseSummary:
    """Counts the rows of every table; damage, or a file that is no database, gives a problem."""
    tables: dict[str, int] = {}
    try:
        if _first_bytes(path) != _MAGIC:
            return DatabaseSummary({}, (_problem(path, _("this is no SQLite database"), tables),))
        with closing(sqlite3.connect(_address(path), uri=True)) as connection:
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            ).fetchall():
                tables[str(name)] = _rows(connection, str(name))
    except OSError as error:
        return DatabaseSummary(tables, (_problem(path, _unreadable(error.strerror or type(error).__name__), tables),))
    except sqlite3.Error as error:
        return DatabaseSummary(tables, (_problem(path, _unreadable(str(error)), tables),))
    return DatabaseSummary(tables)


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_MAGIC))


def _address(path: Path) -> str:
    return f"file:{quote(str(path).encode('utf-8', 'surrogateescape'))}?mode=ro&immutable=1"


def _rows(connection: sqlite3.Connection, table: str) -> int:
    name = table.replace('"', '""')
    return int(connection.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0])


def _unreadable(reason: str) -> str:
    return _("cannot be read: {reason}").format(reason=reason)


def _problem(path: Path, what: str, counted: Mapping[str, int]) -> Problem:
    consequence = _("the tables after {name} are not counted").format(name=list(counted)[-1]) if counted else ""
    return Problem(str(path), "", what, consequence or _("its tables are not counted"), _("export again"), "error")
