"""How much of a large timeline is read: the question before, the mark afterwards, the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pilot.timelines import TimeScreen, timeline_of
from tests.pilot.viewer import NARROW, Viewer, sizes, viewing
from tests.runs import write_runs
from tui.app import NpuscopeApp
from tui.config import cache_dir, load_settings

ORIGIN_NS = 900_000
NOTHING = 0
"""MiB by which every timeline is too large to be read unasked."""


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Not in the store yet."""
    return write_runs(tmp_path)


@sizes
async def test_a_large_timeline_is_asked_about_and_a_part_of_it_read(runs: Path, size: tuple[int, int]) -> None:
    async with viewing(runs, size, trace_mib=NOTHING) as viewer:
        await viewer.until(lambda: viewer.app.session is not None)
        await viewer.press("2")
        await viewer.shows(r"the timeline has [\d.]+ (KiB|bytes|B)")
        await viewer.shows(r"▌ a part of the time +of about 405")
        await viewer.press("enter")
        await viewer.until(lambda: viewer.frame.prompt.display, "the field")
        await viewer.press("ctrl+u")
        await viewer.type("290us..380us")
        screen = TimeScreen(viewer, ORIGIN_NS)
        await screen.go()
        await viewer.shows("a part of the time +2 events")
        assert (screen.span.start_ns, screen.span.end_ns) == (300_000, 360_001)


async def test_only_tables_leaves_it_unread_and_enter_asks_again(runs: Path) -> None:
    async with viewing(runs, trace_mib=NOTHING) as viewer:
        await viewer.until(lambda: viewer.app.session is not None)
        await viewer.press("2")
        await viewer.shows("tables only")
        await viewer.press("escape")
        await viewer.shows("the timeline is not read")
        assert viewer.app.timeline is None
        await viewer.press("enter")
        await viewer.shows("all of it")
        await viewer.press("G", "enter")
        screen = TimeScreen(viewer, ORIGIN_NS)
        await screen.go()
        await viewer.shows("7 events")
        await viewer.hides("a part of the time")


async def test_one_in_the_store_is_read_unasked(runs: Path) -> None:
    async with viewing(runs) as viewer:
        await timeline_of(viewer)
    async with viewing(runs, trace_mib=NOTHING) as viewer:
        await timeline_of(viewer)
        await viewer.shows("7 events")


async def test_window_reads_a_part_and_u_goes_back(runs: Path) -> None:
    async with viewing(runs) as viewer:
        screen = await timeline_of(viewer, ORIGIN_NS)
        await screen.command("window 290us..380us")
        await viewer.shows("a part of the time +2 events")
        await screen.go()
        await viewer.press("u")
        await viewer.shows(r"(?<!time)  7 events")
        await screen.command("window 3..1")
        await viewer.shows("two times, such as")


async def test_iterations_without_the_timeline_are_those_of_a_step_trace(runs: Path) -> None:
    async with viewing(runs, trace_mib=NOTHING) as viewer:
        await viewer.everything_read()
        await TimeScreen(viewer).command("iter 2..")
        await viewer.shows("tables only")
        await viewer.press("escape")
        await viewer.shows("nothing marks an iteration")


async def test_what_is_typed_at_the_start_is_looked_at_first(runs: Path) -> None:
    scope = {"device": "0", "window": "90us..380us", "iter": "2.."}
    app = NpuscopeApp(runs, load_settings({"trace_mib": NOTHING}), None, scope)
    async with app.run_test(size=NARROW) as pilot:
        viewer = Viewer(app, pilot)
        await viewer.shows(r"iter 2\.\.")
        screen = await timeline_of(viewer, ORIGIN_NS)
        await viewer.shows(r"a part of the time +2 events")
        assert screen.span.start_ns + ORIGIN_NS == 1_200_000
        await viewer.go("3")
        await viewer.until(lambda: viewer.shown_rows == 1, "the task")
        await screen.command("copy-command")
        await viewer.shows("copied command")
        copied = (cache_dir() / "last-copy.txt").read_text(encoding="utf-8")
        assert "--device 0 --iter 2.. --window @990000..@1280000" in copied


async def test_a_device_that_is_not_there_is_said_at_the_start(runs: Path) -> None:
    app = NpuscopeApp(runs, load_settings({}), None, {"device": "7"})
    async with app.run_test(size=NARROW) as pilot:
        await Viewer(app, pilot).shows("no device 7; there is 0")
