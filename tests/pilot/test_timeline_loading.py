"""The timeline while it is read and after it was stopped: what is not read is drawn as such."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pilot import faulty
from tests.pilot.timelines import Made, TimeScreen, trace_text, with_trace
from tests.pilot.viewer import Viewer, sizes, viewing
from tui.readers import timelines

CALLS = 4000
"""About 600 KB in order of time."""
STEP_NS = 10_000
ORIGIN_NS = 1_717_575_960_000_000_000


@pytest.fixture
def long(mish: Path, tmp_path: Path) -> Path:
    calls = [Made(f"aclrtCall{place}", place * STEP_NS, STEP_NS // 2) for place in range(CALLS)]
    return with_trace(mish, tmp_path / "long", trace_text(calls, ORIGIN_NS))


async def half_read(viewer: Viewer) -> TimeScreen:
    """Waits until a part is drawn that ends in the second half."""
    screen = TimeScreen(viewer, ORIGIN_NS)
    await viewer.press("2")
    await viewer.until(lambda: viewer.app.timeline is not None and screen.state.loading, "a part")
    await viewer.until(lambda: screen.state.loading[0].start_ns > ORIGIN_NS + CALLS * STEP_NS * 2 // 5, "half of it")
    return screen


@sizes
async def test_what_is_not_read_is_drawn_as_loading(
    long: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timelines, "import_timeline_to_store", faulty.stays_half_read)
    async with viewing(long, size) as viewer:
        screen = await half_read(viewer)
        await viewer.shows(r" partial \d+ % ")
        await viewer.shows(r"reading \d+ %")
        columns = screen.time.canvas.columns
        assert screen.span.end_ns > CALLS * STEP_NS * 9 // 10  # all of the time is in view
        glyph = viewer.app.glyphs.time.loading
        x = screen.time.canvas.content_region.x
        lane = screen.lane[x:].ljust(columns)
        (waiting,) = screen.state.loading
        first = screen.state.span.column(waiting.start_ns, columns)
        assert set(lane[first + 1 : columns - 1]) == {glyph}
        assert glyph not in lane[: first - 1]
        assert viewer.lines[2][x:].count(glyph) >= (columns - first) * 9 // 10


async def test_a_stopped_import_keeps_its_part_and_says_how_much_it_is(
    long: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(timelines, "import_timeline_to_store", faulty.stays_half_read)
        async with viewing(long) as viewer:
            screen = await half_read(viewer)
            await viewer.press("ctrl+c")
            await viewer.until(lambda: not viewer.app.is_loading and not viewer.app.timeline_progress, "the end")
            await viewer.shows(r" partial [4-9]\d % ")
            assert screen.state.loading
            await viewer.press("G")
            await viewer.shows(r"aclrtCall\d+ ─+ event [\d ]+ of [\d ]+ ")
            patch.undo()
            await viewer.press("R")
            await viewer.until(lambda: not screen.state.loading and not viewer.app.timeline_progress, "all of it")
            await viewer.shows(r"4 000 events")
            await viewer.hides("partial")
