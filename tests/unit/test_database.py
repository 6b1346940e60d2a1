"""Databases are counted without being touched."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from tui.readers.database import read_database


def made(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE TASK (a INTEGER)")
        connection.executemany("INSERT INTO TASK VALUES (?)", [(number,) for number in range(7)])
        connection.execute('CREATE TABLE "odd ""name"" %" (a)')
        connection.commit()
    return path


def test_rows_are_counted(tmp_path: Path) -> None:
    summary = read_database(made(tmp_path / "msprof_0.db"))
    assert dict(summary.tables) == {"TASK": 7, 'odd "name" %': 0}
    assert summary.problems == ()


def test_nothing_is_written_beside_it(tmp_path: Path) -> None:
    path = made(tmp_path / "a?b#c%20 d.db")
    before = sorted(os.listdir(tmp_path))
    path.chmod(0o400)
    assert read_database(path).tables
    assert sorted(os.listdir(tmp_path)) == before


def test_what_is_no_database_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"not a database at all")
    summary = read_database(path)
    assert (dict(summary.tables), summary.problems[0].what) == ({}, "this is no SQLite database")


def test_a_damaged_database_is_a_problem(tmp_path: Path) -> None:
    path = made(tmp_path / "x.db")
    path.write_bytes(path.read_bytes()[:600] + b"\xff" * 3000)
    assert read_database(path).problems[0].severity == "error"


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    assert "cannot be read" in read_database(tmp_path / "gone.db").problems[0].what


def test_real_databases_agree_with_what_is_known_of_them(shared_data: Path) -> None:
    checked = 0
    for known in shared_data.glob("*/expected.json"):
        for name, facts in json.loads(known.read_text(encoding="utf-8"))["files"].items():
            if facts["kind"] == "sqlite":
                assert dict(read_database(known.parent / name).tables) == facts["tables"], name
                checked += 1
    assert checked == 9
