"""`&` on the timeline: only events that match are on the lanes, everything counts those, `u` and `0` bring all back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pilot.timelines import Trace, timeline_of, trace_of
from tests.pilot.viewer import NARROW, Viewer, sizes, viewing
from tui.screens import timeline_filter


@pytest.fixture(scope="module")
def trace(samples: Path) -> Trace:
    return trace_of(samples / "mish_before")


async def filtered(viewer: Viewer, expression: str) -> None:
    await viewer.press("&")
    await viewer.until(lambda: viewer.frame.prompt.display, "the field")
    await viewer.press("ctrl+u")
    await viewer.type(expression)


@sizes
async def test_only_long_events_stay_and_are_counted(mish: Path, trace: Trace, size: tuple[int, int]) -> None:
    calls = [call for call in trace.lane("AscendCL") if call.dur_ns > 1_000_000]
    async with viewing(mish, size) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await filtered(viewer, "dur>1ms")
        long = [event for event in trace.events if event.dur_ns > 1_000_000]
        await viewer.shows(rf"dur>1ms  {len(long)}/2 278$")
        await viewer.shows(rf"event \d+ of {len(calls)} · AscendCL")
        await viewer.press("g")
        assert (screen.name, screen.start_ns) == (calls[0].name, calls[0].start_ns)
        await viewer.press("l")
        assert screen.start_ns == calls[1].start_ns
        assert "idle" not in viewer.text


async def test_undo_redo_and_reset(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await timeline_of(viewer)
        await filtered(viewer, "name~^Conv")
        await viewer.shows(r"name~\^Conv  \d+/2 278")
        assert "AscendCL" not in "\n".join(viewer.lines[4:-7])
        await viewer.press("u")
        await viewer.shows(r" 2 278 events$")
        await viewer.press("U")
        await viewer.shows(r"name~\^Conv  \d+/2 278")
        await viewer.press("0")
        await viewer.shows(r" 2 278 events$")


async def test_what_is_wrong_or_matches_nothing_is_told_and_the_lanes_stay(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await timeline_of(viewer)
        before = viewer.lines[4:12]
        await filtered(viewer, "zzz>1")
        await viewer.shows("zzz")
        await viewer.press("escape")
        await filtered(viewer, "dur>1h")
        await viewer.shows("no event matches dur>1h")
        await viewer.press("escape")
        assert viewer.lines[4:12] == before


async def test_a_filter_applies_to_lists_and_to_what_is_followed(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await filtered(viewer, "dur>10ms")
        await viewer.shows(r"dur>10ms  \d+/")
        await viewer.press("T")
        rows = int((await viewer.shows(r"(\d+) events$"))[1])
        await viewer.press("q")
        await viewer.shows(rf"event \d+ of {rows} ")
        name = screen.name
        await viewer.press("]", "enter")
        await viewer.shows("the filter leaves it out; 0 clears the filter")
        assert screen.name == name


async def test_many_events_are_filtered_in_a_thread(mish: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline_filter, "INLINE_EVENTS", 10)
    async with viewing(mish, NARROW) as viewer:
        screen = await timeline_of(viewer)
        await screen.command("filter dur>1ms")
        await viewer.shows(r"dur>1ms  \d+/2 278")
        await screen.command("filter dur>1h")
        await viewer.shows("no event matches dur>1h")
        await screen.command("filter zzz>1")
        await viewer.until(lambda: re.search("zzz", viewer.status), "what is wrong")
        await screen.command("filter")
        await viewer.shows(r" 2 278 events$")
