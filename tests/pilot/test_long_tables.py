"""Tables too long to be filtered and sorted while keys wait: a thread does it, and the newest wish wins."""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import pytest

from tests.pilot.viewer import viewing
from tui.model.table import Table
from tui.model.view import Shown, View, apply_view
from tui.screens import table_base, taking


@pytest.fixture(autouse=True)
def every_table_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_base, "INLINE_ROWS", 0)
    monkeypatch.setattr(taking, "INLINE_ROWS", 0)


async def test_export_goes_on_beside_the_screen(mish: Path, tmp_path: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press(":")
        await viewer.type(f"export {tmp_path}/rows.csv")
        await viewer.until(lambda: "430 rows written to" in viewer.app.message_line)
        assert len((tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()) == 431


async def test_export_that_fails_says_so(mish: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, pieces: object, command: str) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("tui.export.write_table", full)
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press(":")
        await viewer.type(f"export {tmp_path}/rows.csv")
        await viewer.until(lambda: "cannot be written (no space left)" in viewer.app.message_line)


async def test_sort_filter_group_and_undo(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.shows(r"^▌.* Conv_0 .*3 170\.625")
        await viewer.press("&")
        await viewer.type("type=Softplus")
        await viewer.shows(r"72/430")
        assert "Softplus_" in viewer.row
        await viewer.press(":")
        await viewer.type("group type")
        await viewer.until(lambda: viewer.shown_rows == 1, "one group")
        await viewer.press("u", "u")
        await viewer.until(lambda: viewer.shown_rows == 430, "all rows")
        await viewer.shows(r"^▌.* Conv_0 .*3 170\.625")


async def test_a_filter_that_cannot_be_read_leaves_the_rows(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press(":")
        await viewer.type("filter dur>1.5q")
        await viewer.until(lambda: "filter" in viewer.text)
        assert viewer.shown_rows == 430


async def test_of_several_wishes_the_last_is_shown(mish: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, applied = threading.Event(), []

    def waits(table: Table, view: View) -> Shown:
        gate.wait(10)
        applied.append(view.filter)
        return apply_view(table, view)

    async with viewing(mish) as viewer:
        await viewer.go("3")
        monkeypatch.setattr(table_base, "apply_view", waits)
        for name in ("Softplus", "Tanh", "Mul"):
            viewer.table_screen.go_to_view(View(filter=f"type={name}"))
        assert viewer.shown_rows == 430
        gate.set()
        await viewer.until(lambda: viewer.shown_rows == 72 and "Mul_" in viewer.row, "the rows of the last filter")
        assert applied == ["type=Softplus", "type=Mul"]


async def test_rows_of_a_profile_that_was_left_are_not_shown(mish: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()

    def waits(table: Table, view: View) -> Shown:
        if view.filter:
            gate.wait(10)
        return apply_view(table, view)

    async with viewing(mish) as viewer:
        await viewer.go("3")
        monkeypatch.setattr(table_base, "apply_view", waits)
        viewer.table_screen.go_to_view(View(filter="type=Softplus"))
        viewer.app.open_path(mish.parent / "mish_after")
        await viewer.until(lambda: viewer.shown_rows, "rows of the other profile")
        rows = viewer.shown_rows
        gate.set()
        await viewer.everything_read()
        assert viewer.shown_rows == rows
        assert "Softplus" not in viewer.row
