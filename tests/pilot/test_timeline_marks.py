"""Marks on the timeline: of events, of ranges, of idle times; drawn, listed, kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pilot.timelines import TimeScreen, timeline_of
from tests.pilot.viewer import NARROW, Viewer, sizes, viewing
from tests.runs import write_runs

ORIGIN_NS = 900_000


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("runs"))


def marked_columns(screen: TimeScreen, line: int) -> list[int]:
    """Cells of the minimap (line 2) or the ruler (line 3) with the sign of a mark, from the left end of the axis."""
    x = screen.time.canvas.content_region.x
    text = screen.viewer.lines[line][x:]
    return [column for column, char in enumerate(text) if char == screen.viewer.app.glyphs.time.mark]


@sizes
async def test_an_event_is_marked_on_the_axis_and_found_again(runs: Path, size: tuple[int, int]) -> None:
    async with viewing(runs, size) as viewer:
        screen = await timeline_of(viewer, ORIGIN_NS)
        await viewer.press("'")
        await viewer.shows("no marks yet; m marks what is under the cursor, or the range")
        await viewer.press("G", "m")
        await viewer.shows("aclmdlExecute marked")
        assert screen.state.marks == (1_300_000,)
        column = screen.state.whole.column(1_300_000, screen.time.canvas.columns)
        assert marked_columns(screen, 2) == [column]
        await viewer.press("g", "'")
        await viewer.shows(r"aclmdlExecute +0\.400000 ms")
        await viewer.press("enter")
        await viewer.until(lambda: screen.start_ns == 400_000, "the marked event")
        await viewer.press("m")
        await viewer.shows("mark of aclmdlExecute taken away")
        await viewer.until(lambda: not screen.state.marks, "no marks")
        assert marked_columns(screen, 2) == []


async def test_a_range_is_marked_with_both_ends(runs: Path) -> None:
    async with viewing(runs) as viewer:
        screen = await timeline_of(viewer, ORIGIN_NS)
        await viewer.press("g", "v", "l", "v")
        marked = screen.state.range
        assert marked is not None
        await viewer.press("m")
        await viewer.shows("range of 250 .*marked")
        assert screen.state.marks == (marked.start_ns, marked.end_ns - 1)
        await viewer.press("escape", "'", "enter")
        await viewer.until(lambda: screen.state.range == marked, "the range")
        await viewer.press("u")
        assert screen.span.length_ns == 450_001


async def test_marks_are_kept_with_their_names(runs: Path) -> None:
    async with viewing(runs) as viewer:
        screen = await timeline_of(viewer, ORIGIN_NS)
        await screen.command("mark the slow one")
        await viewer.shows("the slow one marked")
    async with viewing(runs) as viewer:
        screen = await timeline_of(viewer, ORIGIN_NS)
        assert screen.state.marks == (1_000_000,)
        await viewer.press("'")
        await viewer.shows(r"the slow one +0\.100000 ms")
        await viewer.press("enter", "m")
        await viewer.shows("mark of the slow one taken away|mark of aclmdlExecute taken away")


async def test_an_idle_time_is_marked(runs: Path) -> None:
    async with viewing(runs) as viewer:
        screen = await timeline_of(viewer, ORIGIN_NS)
        await screen.to_lane("Ascend…")
        await viewer.press("g", "l")
        await viewer.shows("idle 100")
        await viewer.press("m")
        await viewer.shows("idle 100 .*marked")
        assert screen.state.marks == (1_105_000, 1_204_999)


@pytest.mark.parametrize("junk", [["x"], {"timeline": 3}, {"timeline": {"abc": "x", "1..": "y", "9" * 40: "z"}}])
async def test_remembered_marks_that_cannot_be_read_are_left_out(runs: Path, junk: object) -> None:
    async with viewing(runs, NARROW) as viewer:
        viewer.app.state.put("marks", str(runs), junk)
        screen = await timeline_of(viewer, ORIGIN_NS)
        assert not screen.state.marks
        await viewer.press("m")
        await marked(viewer)


async def marked(viewer: Viewer) -> None:
    await viewer.shows("aclmdlExecute marked")
