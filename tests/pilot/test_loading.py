"""While a table is read, after it was stopped, and after the process that read it died."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.make_prof import Written, write_prof
from tests.pilot import faulty
from tests.pilot.viewer import NARROW, SentToTerminal, Viewer, sizes, viewing
from tui.readers import tables

ROWS = 8000
"""About 2 MB: the first block has about half of them."""


@pytest.fixture
def large(tmp_path: Path) -> Written:
    return write_prof(tmp_path, "G4", rows=ROWS)


async def first_rows(viewer: Viewer) -> int:
    """Waits for the first rows of the operators; their number."""
    await viewer.press("3")
    await viewer.until(lambda: viewer.frame.DIGIT == "3" and viewer.frame.is_current)
    await viewer.until(lambda: viewer.shown_rows, "the first rows")
    return viewer.shown_rows


@sizes
async def test_rows_are_usable_while_the_rest_is_read(
    large: Written, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "import_to_store", faulty.never_ends)
    async with viewing(large.path, size) as viewer:
        rows = await first_rows(viewer)
        assert 0 < rows < ROWS
        await viewer.shows(r"reading \d+ %")
        share = int((await viewer.shows(r" partial (\d+) % "))[1])
        assert 0 < share < 100
        await viewer.press("j", "j")
        assert viewer.table_screen.grid.cursor_row == 2
        await viewer.press("&")
        await viewer.type("type=MatMulV3")
        await viewer.until(lambda: 0 < viewer.shown_rows < rows)
        await viewer.press("u")
        await viewer.until(lambda: viewer.shown_rows == rows)


@sizes
async def test_ctrl_c_stops_and_keeps_what_was_read(
    large: Written, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "import_to_store", faulty.never_ends)
    sent = SentToTerminal(monkeypatch)
    durations = sorted((op.duration_ns for op in large.ops[:2000]), reverse=True)
    async with viewing(large.path, size) as viewer:
        rows = await first_rows(viewer)
        await viewer.press("ctrl+c")
        await viewer.shows("stopped; the rows read so far stay")
        await viewer.until(lambda: not viewer.app.is_loading, "the end of the worker")
        await viewer.shows(r" partial \d+ % ")
        await viewer.until(lambda: viewer.app.tables["ops"].loading is None)
        assert viewer.shown_rows >= rows
        await viewer.press("right", "right", ">")
        await viewer.press("y")
        await viewer.until(lambda: sent.copied)
        assert float(sent.copied[-1]) * 1000 >= durations[0]  # the longest of more rows than these
        await viewer.press("escape")
        await viewer.shows(r" partial \d+ % ")


async def test_reading_again_after_a_stop_reads_all(large: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(tables, "import_to_store", faulty.never_ends)
        async with viewing(large.path) as viewer:
            await first_rows(viewer)
            await viewer.press("ctrl+c")
            await viewer.until(lambda: not viewer.app.is_loading)
            patch.undo()
            await viewer.press("R")
            await viewer.until(lambda: viewer.shown_rows == ROWS)
            await viewer.hides("partial")


async def test_opening_another_profile_while_one_is_read(
    large: Written, mish: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(tables, "import_to_store", faulty.never_ends)
        async with viewing(large.path) as viewer:
            await first_rows(viewer)
            patch.undo()
            await viewer.press("o", "ctrl+u")
            await viewer.type(str(mish))
            await viewer.shows(r"^▌ +Conv_0 +Conv2D +3 170\.625")
            await viewer.everything_read()
            await viewer.shows("430 tasks")
            assert viewer.shown_rows == 430


@sizes
async def test_a_killed_worker_is_one_line_and_its_rows_stay(
    large: Written, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "import_to_store", faulty.is_killed)
    async with viewing(large.path, size) as viewer:
        rows = await first_rows(viewer)
        assert rows < ROWS
        await viewer.until(lambda: viewer.app.messages_shown)
        (told,) = viewer.app.messages_shown
        assert re.fullmatch(r"reading stopped: killed by SIGKILL - .* R reads again \(op_summary_\d+\.csv\)", told)
        await viewer.shows("reading stopped: killed by SIGKILL")
        await viewer.shows(r" partial \d+ % ")
        await viewer.press("G")
        assert viewer.table_screen.grid.cursor_row == viewer.shown_rows - 1


async def test_a_worker_that_dies_before_the_first_row_leaves_a_line_and_a_living_screen(
    large: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "import_to_store", faulty.is_killed_at_once)
    async with viewing(large.path, NARROW) as viewer:
        await viewer.until(lambda: viewer.app.messages_shown)
        assert all("killed by SIGKILL" in told for told in viewer.app.messages_shown)
        await viewer.press("3")
        await viewer.until(lambda: viewer.frame.DIGIT == "3")
        await viewer.until(lambda: "ops" in viewer.app.tables)
        await viewer.press("down", "enter", "&", "escape")
        assert viewer.app.is_running
        await viewer.hides("reading Ops")
