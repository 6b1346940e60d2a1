"""Files that are written: whole or not at all, never over something that is no file."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui import __version__
from tui.export import write_table, write_whole


def test_a_table_and_where_it_came_from(tmp_path: Path) -> None:
    write_table(tmp_path / "out.csv", ["a,b\n", "1,算\n"], "npuscope table ops PROF --sort 'a desc'")
    assert (tmp_path / "out.csv").read_bytes() == "a,b\n1,算\n".encode()
    origin = json.loads((tmp_path / "out.csv.meta.json").read_text(encoding="utf-8"))
    assert origin == {"program": f"npuscope {__version__}", "command": "npuscope table ops PROF --sort 'a desc'"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.csv.meta.json"]


def test_an_existing_file_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("long old content", encoding="utf-8")
    write_whole(target, ["new"])
    assert target.read_text(encoding="utf-8") == "new"


def test_the_mode_is_that_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "out.txt", ["x"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o640


def test_a_fault_half_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "new"
        raise RuntimeError("planted")

    target = tmp_path / "out.txt"
    target.write_text("old", encoding="utf-8")
    with pytest.raises(RuntimeError, match="planted"):
        write_whole(target, pieces())
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a regular file"):
        write_whole(pipe, ["x"])
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(OSError, match="not a regular file"):
        write_whole(Path(os.devnull), ["x"])
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(OSError, match="not a regular file"):
        write_table(tmp_path / "out.csv", ["x"], "")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "nowhere" / "out.csv", ["x"])
