"""Lanes of the timeline: moving between them, hiding, pinning, ordering, folding; and everything the mouse does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual import events
from textual.geometry import Offset

from tests.pilot.timelines import Made, TimeScreen, Trace, on, timeline_of, trace_of, trace_text, with_trace
from tests.pilot.viewer import NARROW, WIDE, Viewer, viewing

HOST = ["AscendCL", "GE", "Node launch", "Runtime"]


@pytest.fixture(scope="module")
def trace(samples: Path) -> Trace:
    """The trace of the reference case."""
    return trace_of(samples / "mish_before")


async def shows_name(screen: TimeScreen, name: str) -> None:
    """Waits until the details are those of an event or idle time of a name."""
    await screen.viewer.until(lambda: screen.name == name, name)


async def length_is(screen: TimeScreen, length_ns: int) -> None:
    """Waits until the window is that long, but for rounding."""
    await screen.viewer.until(lambda: abs(screen.span.length_ns - length_ns) <= 1, f"a window of {length_ns} ns")


# ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_lanes_are_grouped_host_before_device(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        titles = screen.titles
        assert titles[:6] == ["Host", *HOST, "NPU 0"]
        assert titles[6:8] == ["Iteration", "Stream 2"]
        assert titles.index("Overlap") > titles.index("Stream 3")
        for title, busy in [("AscendCL", 98), ("GE", 79), ("Runtime", 58)]:
            assert viewer.lines[screen.line_of(title)][:20].endswith(f" {busy} % ")


async def test_up_and_down_visit_lanes_and_skip_heads(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        for key, title in [
            ("j", "GE"), ("down", "Node launch"), ("j", "Runtime"), ("j", "Iteration"), ("j", "Stream 2"),
            ("k", "Iteration"), ("up", "Runtime"), ("k", "Node launch"), ("k", "GE"), ("k", "AscendCL"),
            ("k", "AscendCL"), ("pagedown", "Free"), ("down", "Free"), ("pageup", "AscendCL"),
        ]:  # fmt: skip
            await viewer.press(key)
            assert screen.lane[2:].startswith(title), (key, screen.lane)


async def test_another_lane_is_entered_at_about_the_same_time(mish: Path, trace: Trace) -> None:
    load = trace.named("aclmdlLoadFromFileWithMem")
    model = trace.named("ModelLoad")
    middle = load.start_ns + load.dur_ns // 2
    assert model.start_ns < middle < model.end_ns
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await screen.find("=aclmdlLoadFromFileWithMem")
        await viewer.press("j")
        await on(screen, model)
        await viewer.press("k")
        await on(screen, load)


async def test_a_lane_without_events_in_view_is_entered_on_its_idle_time(mish: Path, trace: Trace) -> None:
    first = trace.lane("Stream 3")[0]
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.command("zoom 10ms..14ms")
        await screen.to_lane("Stream 3")
        await viewer.until(lambda: screen.name.startswith("idle 210.4 ms"))
        await viewer.press("right")
        await on(screen, first)


async def test_hidden_lanes_come_back(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        before = screen.titles
        assert not viewer.frame.can("unhide")
        await viewer.press("j", "x")
        assert screen.titles == [title for title in before if title != "GE"]
        assert screen.lane[2:].startswith("AscendCL")
        await viewer.press("x")
        assert screen.titles[:3] == ["Host", "Node launch", "Runtime"]
        assert screen.lane, viewer.text
        await viewer.press("u")
        assert "AscendCL" in screen.titles
        await viewer.press("X")
        assert screen.titles == before


async def test_all_lanes_of_a_group_hidden_hide_its_head(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await viewer.press("x", "x", "x", "x")
        assert screen.titles[0] == "NPU 0"
        assert screen.lane
        await viewer.press(*["x"] * 20)
        assert not set(HOST) & set(screen.titles)
        await viewer.press("X")
        assert screen.titles[:5] == ["Host", *HOST]
        await viewer.press("j", "l", "w")
        assert screen.lane


async def test_an_event_of_a_hidden_lane_is_not_gone_to_silently(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await screen.to_lane("Stream 2")
        await viewer.press("x")
        await screen.find("=Conv_0")
        await viewer.shows("its lane is hidden; X brings lanes back")
        await viewer.press("X")
        await screen.find("=Conv_0")
        await on(screen, trace.named("Conv_0"))


async def test_a_pinned_lane_is_on_top_and_goes_back(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        before = screen.titles
        await screen.to_lane("Stream 2")
        await viewer.press("p")
        assert screen.titles[:2] == ["Stream 2", "Host"]
        assert screen.titles.count("Stream 2") == 1
        assert screen.lane[2:].startswith("Stream 2")
        await viewer.press("j")
        assert screen.lane[2:].startswith("AscendCL")
        await viewer.press("k", "p")
        assert screen.titles == before
        await viewer.press("u")
        assert screen.titles[0] == "Stream 2"


async def test_lanes_are_moved_within_their_group(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        before = screen.titles
        await viewer.press("J")
        assert screen.titles[1:5] == ["GE", "AscendCL", "Node launch", "Runtime"]
        assert screen.lane[2:].startswith("AscendCL")
        await viewer.press("J")
        assert screen.titles[1:5] == ["GE", "Node launch", "AscendCL", "Runtime"]
        await viewer.press("K", "K")
        assert screen.titles == before
        await viewer.press("K")
        assert screen.titles == before
        await viewer.press("j", "J", "u")
        assert screen.titles == before


async def test_the_cursor_stays_on_its_event_when_lanes_change(mish: Path, trace: Trace) -> None:
    conv = trace.named("Conv_4")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await screen.find("=Conv_4")
        for key in ("p", "J", "p", "K"):
            await viewer.press(key)
            await on(screen, conv)
            assert screen.lane[2:].startswith("Stream 2")


async def test_many_lanes_scroll_with_the_cursor(mish: Path, tmp_path: Path) -> None:
    made = [Made("call", 0, 1_000_000)]
    made += [Made(f"task{stream}", stream * 1000, 900, stream=stream) for stream in range(1, 41)]
    profile = with_trace(mish, tmp_path / "streams", trace_text(made))
    async with viewing(profile) as viewer:
        screen = await timeline_of(viewer)
        assert "Stream 40" not in viewer.text
        await viewer.press(*["j"] * 40)
        assert screen.lane[2:].startswith("Stream 40")
        assert screen.state.top > 0
        await viewer.press(*["pageup"] * 4)
        assert screen.lane[2:].startswith("AscendCL")
        assert viewer.lines[4].startswith("▾ Host")


async def test_nested_calls_have_rows_of_their_own(mish: Path, tmp_path: Path) -> None:
    made = [Made("outer", 0, 900_000), Made("middle", 100_000, 500_000), Made("inner", 200_000, 300_000)]
    profile = with_trace(mish, tmp_path / "nested", trace_text(made))
    async with viewing(profile) as viewer:
        screen = await timeline_of(viewer)
        for name in ("outer", "middle", "inner"):
            await shows_name(screen, name)
            await viewer.press("j")
        row = screen.line_of("AscendCL")
        shown = "\n".join(viewer.lines[row : screen.line_of("Stream") if "Stream" in viewer.text else row + 9])
        assert [name for name in ("outer", "middle", "inner") if name in shown] == ["outer", "middle", "inner"]


async def test_deeper_calls_are_counted_and_z_shows_them(mish: Path, tmp_path: Path) -> None:
    made = [Made(f"level{depth}", depth * 20_000, 900_000 - depth * 40_000) for depth in range(9)]
    profile = with_trace(mish, tmp_path / "deep", trace_text(made))
    async with viewing(profile) as viewer:
        screen = await timeline_of(viewer)
        await viewer.shows(r"\+6 rows below: z +┊? *▋? level2|\+6 rows below: z")
        assert "level3" not in viewer.text
        await viewer.press("z")
        await viewer.hides("rows below")
        await viewer.shows("level8")
        await screen.find("=level7")
        await viewer.until(lambda: screen.state.sub_row == 7, "its row")
        await viewer.press("u", "u")
        await viewer.shows("rows below")
        assert "level3" not in viewer.text


async def test_c_chooses_lanes_and_their_order(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await viewer.press("c")
        await viewer.shows(r"✓ AscendCL +Host")
        await viewer.press("j", "space", "enter")
        await viewer.until(lambda: "GE" not in screen.titles, "no lane GE")
        await viewer.press("u")
        await viewer.until(lambda: "GE" in screen.titles, "the lane again")


# ── mouse ────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def mouse(viewer: Viewer, kind: type[events.MouseEvent], x: int, y: int, ctrl: bool = False) -> None:
    """One event of the mouse at a cell of the screen."""
    await viewer.pilot._post_mouse_events([kind], offset=(x, y), button=1, control=ctrl)
    await viewer.pilot.pause()


async def drag(viewer: Viewer, start: tuple[int, int], *way: tuple[int, int]) -> None:
    """Presses the button, moves and releases it."""
    await viewer.pilot.mouse_down(offset=start)
    for point in way:
        await viewer.pilot.hover(offset=Offset(*point))
    await viewer.pilot.mouse_up(offset=way[-1])
    await viewer.pilot.pause()


async def test_a_click_puts_the_cursor_on_an_event(mish: Path, trace: Trace) -> None:
    load = trace.named("aclmdlLoadFromFileWithMem")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.pilot.click(offset=(screen.x_of(load.start_ns + load.dur_ns // 2), screen.line_of("AscendCL")))
        await on(screen, load)
        model = trace.named("ModelExecute")
        await viewer.pilot.click(offset=(screen.x_of(model.start_ns + model.dur_ns // 2), screen.line_of("GE")))
        await on(screen, model)
        assert screen.lane[2:].startswith("GE")


async def test_a_click_on_an_idle_time_selects_it(mish: Path, trace: Trace) -> None:
    first = trace.lane("Stream 2")[0]
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.pilot.click(offset=(screen.x_of(first.start_ns // 2), screen.line_of("Stream 2")))
        await viewer.until(lambda: screen.name == "idle 95.19 ms")
        assert screen.state.gap is not None
        assert screen.state.gap.length_ns == first.start_ns


async def test_a_double_click_opens_what_the_call_caused(mish: Path, trace: Trace) -> None:
    execute = trace.named("aclmdlExecute")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        at = (screen.x_of(execute.start_ns + execute.dur_ns // 2), screen.line_of("AscendCL"))
        await viewer.pilot.click(offset=at, times=2)
        await viewer.shows(r"^▌ +Conv_0 .* 3 170\.625 ")


async def test_a_click_on_a_head_folds_the_group_and_another_unfolds_it(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        before = screen.titles
        await viewer.pilot.click(offset=(4, screen.line_of("NPU 0")))
        await viewer.until(lambda: "Stream 2" not in screen.titles)
        assert screen.titles[:6] == before[:6]
        assert screen.titles[6] == "Overlap"
        assert viewer.lines[screen.line_of("NPU 0")].startswith("▸ NPU 0")
        assert screen.lane[2:].startswith("AscendCL")
        await viewer.pilot.click(offset=(4, screen.line_of("NPU 0")))
        await viewer.until(lambda: screen.titles == before)


async def test_folding_the_group_of_the_cursor_leaves_a_cursor(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await viewer.pilot.click(offset=(4, screen.line_of("Host")))
        await viewer.until(lambda: "AscendCL" not in screen.titles)
        assert screen.lane, viewer.text
        await viewer.press("u")
        assert screen.titles[1] == "AscendCL"
        assert screen.lane[2:].startswith("AscendCL")


async def test_a_click_on_a_title_goes_to_the_lane(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await viewer.pilot.click(offset=(4, screen.line_of("Runtime")))
        await viewer.until(lambda: screen.lane[2:].startswith("Runtime"))


async def test_the_wheel_over_the_axis_or_with_ctrl_zooms_at_the_pointer(mish: Path, trace: Trace) -> None:
    async with viewing(mish, WIDE) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        time = trace.named("Conv_4").start_ns
        x = screen.x_of(time)
        lane = screen.line_of("AscendCL")
        for y, ctrl in ((lane - 2, False), (lane, True)):
            before = screen.span
            await mouse(viewer, events.MouseScrollUp, x, y, ctrl)
            await length_is(screen, before.length_ns // 2)
            assert abs(screen.x_of(time) - x) <= 1
            await mouse(viewer, events.MouseScrollDown, x, y, ctrl)
            await length_is(screen, before.length_ns)


@pytest.fixture
def streams(mish: Path, tmp_path: Path) -> Path:
    """More lanes than fit; the call comes a hundred times."""
    made = [Made("call", start, 4_000) for start in range(0, 1_000_000, 10_000)]
    made += [Made(f"task{stream}", stream * 1000, 900, stream=stream) for stream in range(1, 41)]
    return with_trace(mish, tmp_path / "streams", trace_text(made))


async def test_the_wheel_over_the_lanes_scrolls_them(streams: Path) -> None:
    async with viewing(streams) as viewer:
        screen = await timeline_of(viewer)
        y, name = screen.line_of("AscendCL"), screen.name
        await mouse(viewer, events.MouseScrollDown, 50, y)
        await viewer.until(lambda: screen.state.top == 3, "the third line at the top")
        assert "AscendCL" not in screen.titles
        assert screen.name == name  # the cursor stays where it is
        await mouse(viewer, events.MouseScrollUp, 50, y)
        await viewer.until(lambda: screen.state.top == 0, "the first line at the top")
        assert "AscendCL" in screen.titles


async def test_a_step_of_the_cursor_brings_its_lane_back_into_view(streams: Path) -> None:
    async with viewing(streams) as viewer:
        screen = await timeline_of(viewer)
        for _step in range(5):
            await mouse(viewer, events.MouseScrollDown, 10, screen.line_of("Stream"))
        await viewer.until(lambda: screen.state.top > 9)
        await viewer.press("j")
        await viewer.until(lambda: screen.lane[2:].startswith("Stream 1 "), "the next lane")


async def test_counts_of_the_same_name_are_told_where_the_head_line_is_out_of_view(streams: Path) -> None:
    async with viewing(streams) as viewer:
        screen = await timeline_of(viewer)
        await viewer.press("f")
        counts = rf"◂ {screen.state.before} +{screen.state.after} ▸ +1 cell|{screen.state.after} ▸ +1 cell"
        assert screen.state.before + screen.state.after > 90
        assert not re.search(counts, viewer.status)
        await mouse(viewer, events.MouseScrollDown, 50, screen.line_of("AscendCL"))
        await viewer.until(lambda: screen.state.top == 3)
        await viewer.shows(counts)


async def test_dragging_marks_a_range(mish: Path, trace: Trace) -> None:
    calls = trace.lane("AscendCL")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        y = screen.line_of("AscendCL")
        cell = screen.span.length_ns / screen.time.columns
        left, right = screen.x_of(30_000_000), screen.x_of(150_000_000)
        await drag(viewer, (left, y), (left + 4, y), (right, y + 1))
        await viewer.until(lambda: screen.state.range is not None)
        marked = screen.state.range
        assert marked is not None
        start, end = marked.start_ns - trace.origin_ns, marked.end_ns - trace.origin_ns
        assert abs(start - 30_000_000) <= cell
        assert abs(end - 150_000_000) <= cell
        touched = [call for call in calls if call.start_ns < end and call.end_ns > start]
        inside = sum(min(call.end_ns, end) - max(call.start_ns, start) for call in touched)
        await viewer.shows(rf"{len(touched)} events +wall .*busy {inside * 100 / (end - start):.1f} %")
        await viewer.press("escape")
        assert screen.state.range is None


async def test_dragging_to_the_left_and_out_of_the_canvas_marks_a_range_too(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        y, right = screen.line_of("GE"), screen.x_of(100_000_000)
        await drag(viewer, (right, y), (right - 6, y), (2, y))
        await viewer.until(lambda: screen.state.range is not None)
        marked = screen.state.range
        assert marked is not None
        assert marked.start_ns == trace.origin_ns
        assert marked.end_ns - trace.origin_ns >= 100_000_000


async def test_a_click_on_the_minimap_brings_that_time_into_view(mish: Path, trace: Trace) -> None:
    async with viewing(mish, NARROW) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        x = screen.x_of(150_000_000)
        await screen.command("zoom 10ms..14ms")
        await viewer.pilot.click(offset=(x, screen.line_of("Host") - 2))
        await viewer.until(lambda: screen.span.start_ns > 100_000_000)
        cell = trace.span_ns / screen.time.columns
        assert abs(screen.span.middle_ns - 150_000_000) <= cell
        assert screen.span.length_ns == 4_000_000
