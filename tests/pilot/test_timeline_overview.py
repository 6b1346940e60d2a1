"""What the timeline does for the Overview: the split of the time where no operators tell it, and no second reading."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pilot.timelines import timeline_of
from tests.pilot.viewer import Viewer, sizes, viewing
from tests.runs import write_runs
from tui.readers import trace_scan


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_runs(tmp_path)


def all_is_stored(viewer: Viewer) -> bool:
    """A viewer that ends before leaves no store."""
    change = viewer.app.timeline
    return change is not None and change.timeline is not None and change.timeline.complete


@sizes
async def test_a_trace_alone_tells_where_the_time_went(runs: Path, size: tuple[int, int]) -> None:
    (trace,) = runs.rglob("msprof_*.json")
    async with viewing(trace, size) as viewer:
        await viewer.shows("where 450 µs went")
        await viewer.shows(r"device computing 38 %")
        await viewer.shows("by the union of the tasks of its streams")
        await viewer.everything_read()
        assert viewer.app.timeline is not None


async def test_an_imported_timeline_is_not_scanned_again(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with viewing(runs) as viewer:
        await timeline_of(viewer)
        await viewer.everything_read()
        await viewer.until(lambda: all_is_stored(viewer), "the whole timeline")
        before = viewer.app.overview
    monkeypatch.setattr(trace_scan, "scan_trace_steps", _unwanted)
    async with viewing(runs) as viewer:
        await viewer.everything_read()
        assert viewer.app.overview == before
        await viewer.go("9")
        await viewer.shows(r"timeline +796 B +9 events")


async def test_a_large_timeline_is_not_read_unasked(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for the split nor for the rules."""
    (trace,) = runs.rglob("msprof_*.json")
    monkeypatch.setattr("tui.session.SCAN_LIMIT_BYTES", 10)
    monkeypatch.setattr("tui.judged_app.SMALL_TIMELINE_BYTES", 10)
    async with viewing(trace) as viewer:
        await viewer.everything_read()
        assert viewer.app.timeline is None
        await viewer.press("2")
        await viewer.until(lambda: viewer.app.timeline is not None, "the timeline")
        await viewer.press("1")
        await viewer.shows(r"where .* went|device computing")


async def test_samples_beside_the_slices_change_no_share(runs: Path) -> None:
    (trace,) = runs.rglob("msprof_*.json")
    samples = [
        {"name": "AI Core Freq", "ph": "C", "pid": 3, "tid": 0, "ts": f"{time_us}.000", "args": {"MHz": 1000}}
        for time_us in (500, 3000)
    ]
    trace.write_text(json.dumps([*json.loads(trace.read_text(encoding="utf-8")), *samples]), encoding="utf-8")
    async with viewing(runs) as viewer:
        await viewer.shows("where 450 µs went")  # 900 … 1350
        await viewer.go("2")
        await viewer.shows(r"wall +150\.000 µs +33\.3 % span")
        await viewer.shows(r"all +2\.50 ms")  # 500 … 3000


async def test_short_totals_are_told_in_microseconds(runs: Path) -> None:
    async with viewing(runs) as viewer:
        await viewer.shows("top operators ─+ µs, 3 opens")
        await viewer.shows(r"Conv2D +3× +170\.00")


def _unwanted(_path: Path) -> None:
    raise AssertionError("the file was scanned")
