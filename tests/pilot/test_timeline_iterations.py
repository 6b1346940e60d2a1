"""`:iter`: the picker, what it limits on every screen, the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pilot.timelines import TimeScreen, timeline_of
from tests.pilot.viewer import Viewer, sizes, viewing
from tests.runs import write_runs

ORIGIN_NS = 900_000


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("runs"))


async def command(viewer: Viewer, line: str) -> None:
    await TimeScreen(viewer).command(line)


@sizes
async def test_the_picker_leaves_out_the_first_run(runs: Path, size: tuple[int, int]) -> None:
    async with viewing(runs, size) as viewer:
        screen = await timeline_of(viewer, ORIGIN_NS)
        await command(viewer, "iter")
        await viewer.shows(r"all iterations +3 iterations \(model runs\)")
        await viewer.shows(r"all but the first +2\.\. +the first took 2\.7 times as long")
        await viewer.shows(r"1  aclmdlExecute +150")
        await viewer.press("j", "enter")
        await viewer.shows(r"iter 2\.\.")
        assert (screen.span.start_ns, screen.span.end_ns) == (300_000, 450_000)
        await viewer.shows(r"Timeline › iteration 2\.\.|iteration 2\.\. › bands")
        await viewer.shows(r"4 events")
        assert "73 %" in screen.lane  # 110 of 150 µs
        await viewer.press("s")
        assert screen.span.length_ns == 150_000


async def test_every_screen_is_limited_and_u_goes_back(runs: Path) -> None:
    async with viewing(runs) as viewer:
        await viewer.everything_read()
        await command(viewer, "iter 2..")
        await viewer.shows(r"iter 2\.\.")
        await viewer.everything_read()
        await viewer.shows("where 150 µs went")
        await viewer.go("3")
        await viewer.shows("Conv_1")
        assert "Conv_0" not in viewer.text
        assert viewer.shown_rows == 2
        await viewer.go("4")
        await viewer.shows(r"aclmdlExecute .*110")
        await viewer.press("u")
        await viewer.hides(r"iter 2\.\.")
        await viewer.shows(r"aclmdlExecute .*260")
        await viewer.press("U")
        await viewer.shows(r"iter 2\.\.")


async def test_steps_of_the_screen_are_undone_before_the_iterations(runs: Path) -> None:
    async with viewing(runs) as viewer:
        screen = await timeline_of(viewer, ORIGIN_NS)
        await command(viewer, "iter 1")
        await viewer.until(lambda: screen.span.length_ns == 150_000, "the first run")
        await viewer.press("w")
        assert screen.span.length_ns == 75_000
        await viewer.press("u")
        assert screen.span.length_ns == 150_000
        await viewer.press("u")
        await viewer.until(lambda: screen.span.length_ns == 450_001, "the whole trace")
        await viewer.hides("iter 1")


async def test_the_cursor_does_not_leave_the_iterations(runs: Path) -> None:
    async with viewing(runs) as viewer:
        screen = await timeline_of(viewer, ORIGIN_NS)
        await command(viewer, "iter 2..3")
        await viewer.until(lambda: screen.span.start_ns == 300_000, "the iterations")
        await viewer.press("g")
        assert screen.start_ns == 300_000
        await viewer.press("h")
        await viewer.shows("outside of iteration 2..3")
        assert screen.start_ns == 300_000
        await command(viewer, "iter all")
        await viewer.until(lambda: screen.span.start_ns == 0, "the whole trace")


async def test_a_table_without_times_says_that_it_is_of_the_whole_run(runs: Path) -> None:
    async with viewing(runs) as viewer:
        await viewer.everything_read()
        await command(viewer, "iter 3")
        await viewer.shows("iter 3")
        await viewer.everything_read()
        session = viewer.app.session
        assert session is not None
        assert "whole run" in session.table("communication").note


async def test_a_filter_outlives_the_choice(runs: Path) -> None:
    async with viewing(runs) as viewer:
        await viewer.go("3")
        await viewer.press("&")
        await viewer.type("dur<50")
        await viewer.until(lambda: viewer.shown_rows == 2, "the filter")
        await command(viewer, "iter 3")
        await viewer.shows("iter 3")
        await viewer.until(lambda: viewer.shown_rows == 1, "the third run")
        await viewer.shows("dur<50")


@pytest.mark.parametrize(
    ("typed", "told"),
    [("9", r"no iteration 9; there is 1\.\.3"), ("x", "a number or a range")],
)
async def test_what_there_is_not_is_told(runs: Path, typed: str, told: str) -> None:
    async with viewing(runs) as viewer:
        await timeline_of(viewer)
        await command(viewer, f"iter {typed}")
        await viewer.shows(told)


async def test_one_run_alone_is_no_iteration_and_the_old_layout_has_files_of_each(mish: Path, samples: Path) -> None:
    async with viewing(samples / "legacy_before") as viewer:
        await viewer.everything_read()
        await command(viewer, "iter")
        await viewer.shows("iterations, now 1")
        await viewer.press("enter")
        await viewer.shows("iter 1")
        await command(viewer, "iter 4")
        await viewer.shows("no iteration 4; there is 1")


async def test_a_list_of_events_is_left_when_others_are_looked_at(runs: Path) -> None:
    async with viewing(runs) as viewer:
        screen = await timeline_of(viewer, ORIGIN_NS)
        await viewer.press("T")
        await viewer.shows("Event View")
        await command(viewer, "iter 2..")
        await viewer.hides("Event View")
        await viewer.until(lambda: screen.span.length_ns == 150_000, "the iterations")
        await viewer.press("T")
        await viewer.shows("2 events")
        await viewer.press("3")
        await viewer.until_on("3")
        await command(viewer, "iter all")
        await viewer.until(lambda: viewer.shown_rows == 3, "all rows")
        await viewer.press("2")
        await viewer.until(lambda: "Event View" not in viewer.text and screen.span.length_ns == 450_001, "the trace")
