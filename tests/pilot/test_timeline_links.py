"""The timeline at the keyboard: references, ranges, commands, and the way from calls to tasks and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pilot.timelines import (
    YELLOW,
    Made,
    Trace,
    Traced,
    about,
    ms_text,
    on,
    timeline_of,
    trace_of,
    trace_text,
    whole_ns,
    with_trace,
)
from tests.pilot.viewer import viewing

HUGE = (200, 60)


@pytest.fixture(scope="module")
def trace(samples: Path) -> Trace:
    """The trace of the reference case."""
    return trace_of(samples / "mish_before")


# ── times and ranges ─────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_range_is_counted_and_measured_while_it_grows(mish: Path, trace: Trace) -> None:
    last = trace.lane("AscendCL")[18:21]
    length, busy = last[-1].end_ns - last[0].start_ns, sum(call.dur_ns for call in last)
    assert (length // 1000, busy // 1000) == (539, 519)
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.press("right", "right", "v")
        await on(screen, last[0])
        await viewer.shows(r"1 events? +wall 300 µs +sum 300 µs +busy 100")
        await viewer.press("right", "right")
        await viewer.shows(rf"539 µs +3 events +wall 519 µs +sum 519 µs +busy {busy * 100 / length:.1f} %")
        await viewer.press("v", "left", "left", "left")
        await viewer.shows("539 µs +3 events")
        marked = screen.state.range
        assert marked is not None
        assert (marked.start_ns, marked.end_ns) == (
            trace.origin_ns + last[0].start_ns, trace.origin_ns + last[-1].end_ns
        )  # fmt: skip
        await viewer.press("f")
        assert about(round(last[0].start_ns - length / 16), screen.span.start_ns)
        await viewer.press("v")
        assert screen.state.range is None
        await viewer.shows(f"{len(trace.lane('AscendCL'))} events, wall")
        await viewer.press("v", "escape")
        assert screen.state.range is None


async def test_a_range_tells_wall_sum_and_busy_apart(mish: Path, tmp_path: Path) -> None:
    made = [Made("outer", 0, 100_000), Made("inner", 20_000, 30_000), Made("last", 150_000, 50_000)]
    profile = with_trace(mish, tmp_path / "nested", trace_text(made))
    async with viewing(profile) as viewer:
        await timeline_of(viewer)
        await viewer.press("g", "v", "G")
        # 0..200 µs: covered 100 + 50, added 100 + 30 + 50
        await viewer.shows(r"200 µs +3 events +wall 150 µs +sum 180 µs +busy 75\.0 %")


async def test_times_count_from_the_reference(mish: Path, trace: Trace) -> None:
    calls = trace.lane("AscendCL")
    execute = trace.named("aclmdlExecute")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.press("r")
        await viewer.shows(r"start +0\.000000 ms")
        after = calls[calls.index(execute) + 1]
        await viewer.press("right")
        await viewer.shows(rf"start +{re.escape(ms_text(after.start_ns - execute.start_ns))}")
        await screen.command("goto 118ms")
        assert about(execute.start_ns + 118_000_000, screen.span.middle_ns, whole_ns(trace))
        await viewer.press("g")
        before = execute.start_ns - calls[0].start_ns
        await viewer.shows(rf"start +[-−]{before // 1_000_000}\.{before % 1_000_000:06d} ms")
        await viewer.press("r")
        await viewer.shows(r"start +0\.000000 ms")
        await viewer.press("r")
        await viewer.shows(rf"start +{re.escape(ms_text(calls[0].start_ns))}")


async def test_go_to_a_time_or_a_name(mish: Path, trace: Trace) -> None:
    load = trace.named("aclmdlLoadFromFileWithMem")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.command("zoom 10ms..14ms")
        assert (screen.span.start_ns, screen.span.end_ns) == (10_000_000, 14_000_000)
        await screen.command("goto 50ms")
        assert (screen.span.start_ns, screen.span.end_ns) == (48_000_000, 52_000_000)
        await on(screen, load)
        await screen.command(f"goto @{trace.origin_ns + 100_000_000}")
        assert screen.span.middle_ns == 100_000_000
        await viewer.press("ctrl+g")
        await viewer.type("Conv_4")
        await on(screen, trace.named("Conv_4"))
        await viewer.press("u", "u")
        assert screen.span.middle_ns == 50_000_000
        await viewer.press("ctrl+g")
        await viewer.type("1.5s")
        assert screen.span.end_ns == whole_ns(trace)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("zoom 5ms", "two times, such as 10ms..14ms"),
        ("zoom 5..9", "two times, such as"),
        ("zoom 14ms..10ms", "the second time must be later"),
        ("goto nosuchname", "no event is named like nosuchname"),
        ("color rainbow", "one of bands category"),
        ("bands 50 20", ""),
    ],
)
async def test_a_command_that_cannot_be_done_says_why_and_changes_nothing(
    mish: Path, trace: Trace, line: str, message: str
) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.command(line)
        await viewer.shows(re.escape(message))
        assert viewer.frame.prompt.display  # the line stays open, to be mended
        await viewer.press("escape")
        assert screen.span.length_ns == whole_ns(trace)
        await viewer.shows("bands 20/50 of span")
        assert not viewer.frame.can("undo")


async def test_colours_by_type_give_tasks_of_one_type_one_fill_and_say_which(mish: Path, tmp_path: Path) -> None:
    names = ["Conv_0", "Mul_3", "Conv_4", "Mul_3"]  # types by the table of operators of the profile: Conv2D and Mul
    made = [Made(name, n * 100_000, 100_000, stream=5) for n, name in enumerate(names)]
    profile = with_trace(mish, tmp_path / "names", trace_text(made))
    async with viewing(profile) as viewer:
        await viewer.go("3")
        screen = await timeline_of(viewer, trace_of(profile).origin_ns)

        def fills() -> list[str]:
            return [screen.fill("Stream 5", n * 100_000 + 90_000) for n in range(4)]

        await viewer.press("G")
        assert fills()[:3] == [YELLOW] * 3  # each is a quarter
        await screen.command("color category")
        await viewer.shows("colour by type")
        await viewer.shows("█ Conv2D  █ Mul|█ Mul  █ Conv2D")
        first, second, third, _under_the_cursor = fills()
        assert first == third != second
        await screen.command("color bands")
        await viewer.shows("bands 20/50 of span")
        await viewer.hides("█ Conv2D")
        assert fills()[:3] == [YELLOW] * 3


# ── links ────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_from_a_call_to_its_tasks_and_back_to_the_launch(mish: Path, trace: Trace) -> None:
    caused = trace.tasks_during(trace.named("aclmdlExecute"))
    assert (caused[0].name, caused[0].dur_ns) == ("Conv_0", 3_170_625)
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.press("right_square_bracket")
        await viewer.shows(r"^▌ +Conv_0 .* 3 170\.625 ")
        await viewer.shows(rf"1/{len(caused)}$")
        await viewer.press("enter")
        await on(screen, caused[0])
        assert screen.lane.startswith("▌ Stream 2")
        launch = next(event for event in trace.launches(caused[0]) if event.lane == "Node launch")
        await viewer.press("left_square_bracket")
        await on(screen, launch)
        assert screen.lane.startswith("▌ Node launch")
        assert screen.state.flow is not None
        await viewer.press("right_square_bracket")
        await on(screen, caused[0])
        await viewer.press("u", "u", "u")
        await on(screen, trace.named("aclmdlExecute"))


async def test_several_tasks_of_one_launch_are_listed(mish: Path, trace: Trace) -> None:
    shared: dict[int, list[Traced]] = {}
    for task in trace.tasks():
        shared.setdefault(task.link, []).append(task)
    several = max(shared.values(), key=len)
    assert len(several) > 2
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.to_lane("Stream 3")
        await screen.find(f"={several[0].name}")
        await on(screen, several[0])
        await viewer.press("left_square_bracket", "right_square_bracket")
        await viewer.shows(rf"1/{len(several)}$")
        for task in several:
            await viewer.shows(rf"^[▌ ] +{task.name} ")
        await viewer.press("j", "enter")
        await on(screen, several[1])


async def test_what_has_no_link_says_so(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await viewer.press("g", "right_square_bracket")
        await viewer.shows("no link recorded")
        await on(screen, trace.lane("AscendCL")[0])
        await viewer.press("left_square_bracket")
        await viewer.shows("no link recorded")


async def test_a_task_without_a_recorded_link_is_led_to_the_nearest_call_as_a_guess(mish: Path, tmp_path: Path) -> None:
    made = [Made("aclmdlExecute", 0, 900_000), Made("Conv", 300_000, 200_000, stream=2)]
    profile = with_trace(mish, tmp_path / "unlinked", trace_text(made))
    async with viewing(profile) as viewer:
        screen = await timeline_of(viewer)
        await screen.to_lane("Stream 2")
        await viewer.press("g")
        await viewer.shows("a guess by time")
        await viewer.press("left_square_bracket")
        await viewer.until(lambda: screen.name == "aclmdlExecute")
        await viewer.shows(r"\(guess\)")


async def test_enter_on_a_task_opens_its_row_in_ops_and_t_comes_back(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.everything_read()
        await screen.find("=Conv_4")
        await on(screen, trace.named("Conv_4"))
        await viewer.press("enter")
        await viewer.until(lambda: viewer.frame.DIGIT == "3")
        await viewer.shows(r"^▌ +Conv_4 ")
        await viewer.press("j")
        await viewer.shows(r"^▌ +Conv_20 ")
        await viewer.press("t")
        await viewer.until(lambda: viewer.frame.DIGIT == "2")
        await on(screen, trace.named("Conv_20"))


async def test_an_operator_or_api_asked_for_before_the_timeline_is_read_is_found(
    samples_copy: Path, trace: Trace
) -> None:
    async with viewing(samples_copy / "mish_before") as viewer:
        await viewer.go("4")
        await viewer.until(lambda: "aclmdlLoadFromFileWithMem" in viewer.text)
        await viewer.press("j")
        await viewer.shows(r"^▌ ▄ +aclmdlLoadFromFileWithMem")
        await viewer.press("t")
        screen = await timeline_of(viewer, trace.origin_ns)
        await on(screen, trace.named("aclmdlLoadFromFileWithMem"))
        await viewer.go("3")
        await viewer.shows(r"^▌ +Conv_0 ")
        await viewer.press("t")
        await viewer.until(lambda: viewer.frame.DIGIT == "2")
        await on(screen, trace.named("Conv_0"))
