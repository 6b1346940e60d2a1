"""The timeline at the keyboard: opening, the cursor, zoom and pan."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from tests.pilot.timelines import (
    RED,
    TEAL,
    YELLOW,
    Made,
    TimeScreen,
    Trace,
    Traced,
    about,
    length_text,
    ms_text,
    on,
    spaced,
    timeline_of,
    trace_of,
    trace_text,
    whole_ns,
    with_trace,
)
from tests.pilot.viewer import NARROW, WIDE, viewing
from tui.loading import Loader
from tui.session import Session

HUGE = (200, 60)


@pytest.fixture(scope="module")
def trace(samples: Path) -> Trace:
    """The trace of the reference case."""
    return trace_of(samples / "mish_before")


# ── opening ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("size", [NARROW, WIDE, HUGE], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_it_opens_on_the_longest_call_of_ascendcl_with_everything_in_view(
    mish: Path, trace: Trace, size: tuple[int, int]
) -> None:
    longest = max(trace.lane("AscendCL"), key=lambda event: event.dur_ns)
    async with viewing(mish, size) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.until(lambda: screen.name == longest.name)
        assert screen.lane.startswith("▌ AscendCL")
        assert screen.state.top == 0
        assert (screen.span.start_ns, screen.span.end_ns) == (0, whole_ns(trace))
        await viewer.shows(f"wall +{re.escape(length_text(longest.dur_ns))}")
        await viewer.shows(f"start +{re.escape(ms_text(longest.start_ns))}")
        await viewer.shows(f"end +{re.escape(ms_text(longest.end_ns))}")
        await viewer.shows(rf"{spaced(len(trace.events))} events$")
        await viewer.shows("whole trace › bands 20/50 of span")


async def test_the_head_counts_events_of_the_lane_and_the_strip_what_the_call_caused(mish: Path, trace: Trace) -> None:
    calls = trace.lane("AscendCL")
    execute = trace.named("aclmdlExecute")
    caused = trace.tasks_during(execute)
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await viewer.shows(rf"event {calls.index(execute) + 1} of {len(calls)} · AscendCL")
        await viewer.shows(rf"caused +{len(caused)} device tasks, .*longest {caused[0].name} 3\.17 ms")
        busy = sum(event.dur_ns for event in calls)  # no call lies in another one
        assert all(one.end_ns <= two.start_ns for one, two in zip(calls, calls[1:]))
        assert re.match(rf"▌ AscendCL +{round(busy * 100 / trace.span_ns)} %", screen.lane)


async def test_percent_tells_times_in_the_next_unit(mish: Path, trace: Trace) -> None:
    longest_ns = max(call.dur_ns for call in trace.lane("AscendCL"))
    digits = f"{longest_ns:,}".replace(",", " ")
    assert longest_ns > 10_000_000  # told in ms unless a unit is chosen
    async with viewing(mish) as viewer:
        await timeline_of(viewer)
        await viewer.shows(rf"wall +{digits[:-8]}\.{digits[-7:].replace(' ', '')} ms ")
        await viewer.press("percent_sign")
        await viewer.shows("times in ns")
        await viewer.shows(rf"wall +{digits} ns ")
        await viewer.press("percent_sign")
        await viewer.shows(rf"wall +{digits[:-4]}\.{digits[-3:]} µs ")


async def test_bands_show_execute_red_and_load_yellow(mish: Path, trace: Trace) -> None:
    execute, load = trace.named("aclmdlExecute"), trace.named("aclmdlLoadFromFileWithMem")
    assert execute.dur_ns * 2 >= trace.span_ns
    assert trace.span_ns <= load.dur_ns * 5 < trace.span_ns * 2.5
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.press("g")  # the cursor's own event has another name colour
        at = [event.start_ns + event.dur_ns * 9 // 10 for event in (execute, load)]
        assert [screen.fill("AscendCL", time) for time in at] == [RED, YELLOW]
        await screen.command("bands 5 10")
        await viewer.shows("bands 5/10 of span")
        assert [screen.fill("AscendCL", time) for time in at] == [RED, RED]
        await screen.command("bands 30 60")
        await viewer.shows("<30 .*≥30 .*≥60 %")
        assert [screen.fill("AscendCL", time) for time in at] == [YELLOW, TEAL]


async def test_keys_typed_before_the_timeline_is_read_wait_for_it(
    mish: Path, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, may_read, read = trace.lane("AscendCL"), threading.Event(), Loader.read_timeline

    def read_later(loader: Loader, session: Session, most_bytes: int | None = None) -> None:
        may_read.wait()
        read(loader, session, most_bytes)

    monkeypatch.setattr(Loader, "read_timeline", read_later)
    async with viewing(mish) as viewer:
        try:
            await viewer.until(lambda: viewer.app.session is not None)
            await viewer.press("2")
            await viewer.shows("reading the timeline")
            await viewer.press("g", "l", "l", "f")
            assert viewer.app.timeline is None
        finally:
            may_read.set()
        await viewer.until(lambda: viewer.app.timeline is not None, "the timeline")
        screen = TimeScreen(viewer, trace.origin_ns)
        await on(screen, calls[2])
        assert screen.span.length_ns < trace.span_ns // 100


# ── along the lane ───────────────────────────────────────────────────────────────────────────────────────────────────


async def test_left_and_right_visit_every_call_in_order(mish: Path, trace: Trace) -> None:
    calls = trace.lane("AscendCL")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await viewer.press("g")
        seen = [(screen.name, screen.start_ns)]
        for _step in calls[1:]:
            await viewer.press("right")
            seen.append((screen.name, screen.start_ns))
        assert seen == [(call.name, call.start_ns) for call in calls]
        await viewer.press("l")
        assert screen.start_ns == calls[-1].start_ns
        await viewer.press("h", "left")
        await on(screen, calls[-3])
        await viewer.press("home")
        await on(screen, calls[0])
        await viewer.press("left")
        await on(screen, calls[0])
        await viewer.press("G")
        await on(screen, calls[-1])


async def test_idle_times_of_a_stream_are_stops_where_they_are_wide_enough(mish: Path, trace: Trace) -> None:
    tasks = trace.lane("Stream 2")
    before, after = next(pair for pair in zip(tasks, tasks[1:]) if pair[1].start_ns - pair[0].end_ns > 1_000_000)
    assert (before.name, after.name) == ("Mul_3", "Conv_4")
    one, two = (max(trace.launches(task), key=lambda event: event.dur_ns) for task in (before, after))
    assert two.start_ns > before.end_ns  # too late: the device had run out of work
    assert two.start_ns - one.end_ns > max(one.dur_ns, two.dur_ns)  # and launching was not what took the time
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.to_lane("Stream 2")
        await screen.find("=Mul_3")
        await on(screen, before)
        await viewer.press("right")
        await on(screen, after)  # with all in view the idle time is less than three cells wide
        await viewer.press("left", "f", "right")
        length = after.start_ns - before.end_ns
        await viewer.until(lambda: screen.name == "idle 1.25 ms")
        assert screen.start_ns == before.end_ns
        await viewer.shows(re.escape(f"length    {length_text(length)}"))
        await viewer.shows(rf"before +Mul_3 .*launched {re.escape(ms_text(_launched(trace, before)))}")
        await viewer.shows(rf"after +Conv_4 .*launched {re.escape(ms_text(_launched(trace, after)))}")
        await viewer.shows("cause +framework idle")
        await viewer.press("right")
        await on(screen, after)
        await viewer.press("left")
        await viewer.until(lambda: screen.name == "idle 1.25 ms")
        await viewer.press("enter")
        await on(screen, after)
        await viewer.press("left", "left")
        await on(screen, before)


def _launched(trace: Trace, task: Traced) -> int:
    return min(event.start_ns for event in trace.launches(task) if event.lane == "Node launch")


async def test_the_time_before_the_first_task_is_idle_too(mish: Path, trace: Trace) -> None:
    first = trace.lane("Stream 2")[0]
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.to_lane("Stream 2")
        await viewer.press("g", "left")
        await viewer.shows(re.escape(f"length    {length_text(first.start_ns)}"))
        assert screen.start_ns == 0
        await viewer.shows(rf"after +{first.name}")
        assert "before " not in viewer.text


async def test_comma_and_full_stop_visit_events_of_the_same_name(mish: Path, trace: Trace) -> None:
    mallocs = [call for call in trace.lane("AscendCL") if call.name == "aclrtMalloc"]
    assert len(mallocs) == 4
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.find("aclrtMalloc")
        await viewer.press("comma", "comma", "comma", "comma")
        await on(screen, mallocs[0])
        await viewer.shows("no more of this name")
        for malloc in mallocs[1:]:
            await viewer.press("full_stop")
            await on(screen, malloc)
        await viewer.press("full_stop")
        await viewer.shows("no more of this name")
        await on(screen, mallocs[-1])
        await viewer.press("f")
        left = screen.span.start_ns
        await viewer.shows(f"◂ {sum(malloc.end_ns <= left for malloc in mallocs)} ")
        await viewer.press("comma", "comma")
        await on(screen, mallocs[1])
        span = screen.span
        assert span.start_ns <= mallocs[1].start_ns < span.end_ns
        await viewer.shows(f" {sum(malloc.start_ns >= span.end_ns for malloc in mallocs)} ▸")


async def test_find_goes_over_all_lanes_by_time_and_wraps(mish: Path, trace: Trace) -> None:
    hits = sorted((event for event in trace.events if "memcpy" in event.name.lower()), key=lambda e: e.start_ns)
    execute = trace.named("aclmdlExecute")
    after = [event for event in hits if event.start_ns > execute.start_ns]
    assert len({event.lane for event in after}) == 3
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await screen.find("memcpy")
        await on(screen, after[0])
        for event in after[1:]:
            await viewer.press("n")
            await on(screen, event)
        await viewer.press("n")
        await on(screen, hits[0])
        await viewer.press("N")
        await on(screen, after[-1])
        await screen.find("nothing like it")
        await viewer.shows("no event is named like nothing like it")
        await viewer.press("escape")
        await on(screen, after[-1])


async def test_find_is_smart_about_case(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await screen.find("CONV_0")
        await viewer.shows("no event is named like CONV_0")
        await viewer.press("escape")
        await screen.find("conv_0")
        await on(screen, trace.named("Conv_0"))


# ── zoom and pan ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("key", "back", "factor"), [("w", "s", 2), ("W", "S", 4), ("plus", "minus", 2)])
async def test_zoom_keeps_the_cursor_in_place(mish: Path, trace: Trace, key: str, back: str, factor: int) -> None:
    load = trace.named("aclmdlLoadFromFileWithMem")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.find("=aclmdlLoadFromFileWithMem")
        await on(screen, load)
        middle = load.start_ns + load.dur_ns // 2
        column = screen.x_of(middle)
        await viewer.press(key)
        assert about(whole_ns(trace) // factor, screen.span.length_ns)
        assert abs(screen.x_of(middle) - column) <= 1
        await viewer.press(back)
        assert about(whole_ns(trace), screen.span.length_ns)
        await viewer.press(back)
        assert (screen.span.start_ns, screen.span.end_ns) == (0, whole_ns(trace))
        await on(screen, load)


async def test_zoom_ends_at_one_nanosecond(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.press(*["W"] * 20)
        assert screen.span.length_ns == 1
        assert screen.name == "aclmdlExecute"
        await viewer.press(*["S"] * 20)
        assert screen.span.length_ns == whole_ns(trace)


async def test_pan_moves_by_a_quarter_or_a_whole_window_and_stops_at_the_ends(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.command("zoom 100ms..104ms")
        for key, start_ms in [("d", 101), ("D", 105), ("a", 104), ("A", 100), ("a", 99)]:
            await viewer.press(key)
            assert screen.span.start_ns == start_ms * 1_000_000, key
            assert screen.span.length_ns == 4_000_000
        await viewer.press(*["A"] * 30)
        assert screen.span.start_ns == 0
        await viewer.press(*["D"] * 60)
        assert screen.span.end_ns == whole_ns(trace)
        assert screen.span.length_ns == 4_000_000


async def test_fit_shows_the_event_with_a_margin(mish: Path, trace: Trace) -> None:
    load = trace.named("aclmdlLoadFromFileWithMem")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.find("=aclmdlLoadFromFileWithMem")
        await viewer.press("f")
        margin = load.dur_ns / 16
        assert about(round(load.start_ns - margin), screen.span.start_ns)
        assert about(round(load.end_ns + margin), screen.span.end_ns)
        await viewer.press("0")
        assert screen.span.length_ns == whole_ns(trace)


async def test_undo_and_redo_walk_through_the_views(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        assert not viewer.frame.can("undo")
        seen = [screen.span]
        for key in ("w", "W", "d", "f", "0"):
            await viewer.press(key)
            seen.append(screen.span)
        assert len(set(seen[:-1])) == 5
        for span in reversed(seen[:-1]):
            await viewer.press("u")
            assert screen.span == span
        await viewer.press("u")
        assert screen.span == seen[0]
        for span in seen[1:]:
            await viewer.press("U")
            assert screen.span == span
        assert not viewer.frame.can("redo")
        await viewer.press("backspace", "backspace", "w")
        assert not viewer.frame.can("redo")


async def test_zero_fits_the_dense_part_first_when_few_events_lie_far_away(mish: Path, tmp_path: Path) -> None:
    dense = [Made(f"call{n % 7}", n * 1000, 500) for n in range(3000)]
    far = [Made("late", 60_000_000_000 + n, 0) for n in range(2)]
    profile = with_trace(mish, tmp_path / "far", trace_text([*dense, *far]))
    async with viewing(profile) as viewer:
        screen = await timeline_of(viewer, trace_of(profile).origin_ns)
        assert screen.span.length_ns == 60_000_000_002
        await viewer.press("0")
        await viewer.shows("events lie outside; 0 again shows everything")
        assert screen.span.length_ns < 4_000_000
        assert screen.span.start_ns < 10_000
        await viewer.press("0")
        assert screen.span.length_ns == 60_000_000_002


async def test_full_stop_on_an_idle_time_goes_to_the_next_long_one(mish: Path, trace: Trace) -> None:
    tasks = trace.lane("Stream 2")
    idle = [(one.end_ns, two.start_ns - one.end_ns) for one, two in zip(tasks, tasks[1:]) if two.start_ns > one.end_ns]
    start, length = next(gap for gap in idle if gap[1] == 1_249_575)
    following = next(gap for gap in idle if gap[0] > start and gap[1] * 4 >= length)
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.to_lane("Stream 2")
        await screen.find("=Mul_3")
        await viewer.press("f", "right", "full_stop")
        await viewer.until(lambda: screen.start_ns == following[0], "the next idle time")
        await viewer.shows(re.escape(f"length    {length_text(following[1])}"))
        gap = screen.state.gap
        assert gap is not None
        assert screen.state.span.touches(gap)
        await viewer.press("comma")
        await viewer.until(lambda: screen.start_ns == start, "the idle time before")


async def test_a_cursor_that_falls_out_of_the_window_goes_to_an_event_inside(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.find("=Conv_0")
        await viewer.press("f", "D", "D")
        assert screen.name != "Conv_0"
        seen = screen.span
        inside = [
            task for task in trace.lane("Stream 2") if task.start_ns < seen.end_ns and task.end_ns > seen.start_ns
        ]
        assert (screen.name, screen.start_ns) in [(task.name, task.start_ns) for task in inside]
