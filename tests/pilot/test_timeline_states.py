"""The timeline in terminals of all sizes and glyphs, of hostile, damaged and absent traces, and at random."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import pytest

from tests.pilot.timelines import (
    RED,
    YELLOW,
    Made,
    TimeScreen,
    Trace,
    on,
    timeline_of,
    trace_of,
    trace_text,
    whole_ns,
    with_trace,
)
from tests.pilot.viewer import NARROW, WIDE, Viewer, viewing

HUGE = (200, 60)


@pytest.fixture(scope="module")
def trace(samples: Path) -> Trace:
    """The trace of the reference case."""
    return trace_of(samples / "mish_before")


async def has_rows(viewer: Viewer, rows: int) -> None:
    """Waits until a resize is painted."""
    await viewer.until(lambda: len(viewer.lines) == rows, f"{rows} rows")


# ── look ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_details_can_be_hidden_and_lanes_get_their_room(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        before = screen.time.canvas.size.height
        await viewer.press("i")
        await viewer.hides("^ wall ")
        await viewer.until(lambda: screen.time.canvas.size.height == before + 5)
        await viewer.press("i")
        await viewer.shows("^ wall ")


async def test_a_tall_terminal_shows_the_arguments_of_an_event(mish: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        screen = await timeline_of(viewer)
        await viewer.shows("id +aclmdlExecute +item_id +0")
        await viewer.shows(rf"raw +{screen.state.whole.start_ns // 10**9}\d+ ns")


async def test_a_tall_terminal_shows_what_the_table_says_about_a_task(mish: Path) -> None:
    async with viewing(mish, WIDE) as viewer:
        await viewer.everything_read()
        screen = await timeline_of(viewer)
        await screen.find("=Conv_0")
        await viewer.shows(r"wait +6\.210 µs")  # the first row of op_summary of this profile
        await viewer.shows(r"shapes +1,3,608,608 ; 32,3,3,3 ; 32 → 1,32,608,608")
        await viewer.shows(r"blocks +2 of 8 cores")
        await viewer.shows(r"mac .* 0\.21 +scalar.* 0\.12 +mte1 .* 0\.18 +mte2 .* 0\.74")


async def test_a_very_large_terminal_lists_the_longest_events_of_the_lane(mish: Path, trace: Trace) -> None:
    calls = sorted(trace.lane("AscendCL"), key=lambda call: (-call.dur_ns, call.start_ns))
    async with viewing(mish, HUGE) as viewer:
        screen = await timeline_of(viewer)
        await viewer.shows(rf"AscendCL events ─+ 10 of {len(calls)} events by Duration, T shows all")
        listed = [line for line in viewer.lines if re.search(r" Thread \d+$", line) and "event " not in line]
        assert [line[2:].split()[0] for line in listed] == [call.name for call in calls[:10]]
        assert [line.startswith("▌") for line in listed] == [True] + [False] * 9
        await screen.to_lane("GE")
        await viewer.shows("GE events ─")
        await viewer.press("i")
        await viewer.hides("GE events ─")


async def test_resizing_keeps_cursor_and_window(mish: Path, trace: Trace) -> None:
    conv = trace.named("Conv_4")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.find("=Conv_4")
        await viewer.press("f")
        span = screen.span
        for columns, rows in (WIDE, HUGE, (60, 15), (40, 10), NARROW):
            await viewer.pilot.resize_terminal(columns, rows)
            await has_rows(viewer, rows)
            if columns < 60:
                await viewer.shows(f"enlarge the terminal .now {columns}×{rows}")
                continue
            await viewer.until(lambda: screen.lane.startswith("▌ Stream 2"), "the lane of the cursor")
            assert screen.span == span
            assert screen.state.event >= 0
        await on(screen, conv)


async def test_ascii_glyphs_are_ascii_only(mish: Path, trace: Trace) -> None:
    async with viewing(mish, glyphs="ascii") as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        assert viewer.text.isascii()
        names = ("aclmdlExecute", "aclmdlLoadFromFileWithMem")
        await viewer.press("g")
        at = [trace.named(name).start_ns + trace.named(name).dur_ns * 9 // 10 for name in names]
        assert [screen.fill("AscendCL", time) for time in at] == [RED, YELLOW]
        await screen.find("=Conv_0")
        await viewer.press("f", "v")
        assert viewer.text.isascii()
        await viewer.press("left", "right", "right")
        await viewer.press("f", "T")
        await viewer.shows("Conv_0")
        assert viewer.text.isascii()


# ── hostile, damaged, absent ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("卷积层_第一个", "卷积层_第一个"),
        ("[red]loud[/red]", "[red]loud[/red]"),
        ("[/]", "[/]"),
        ("evil\x1b]0;owned\x07", r"evil\x1b]0;owned\x07"),
        ("two\nlines\tand", r"two\nlines\tand"),
        ("混合Mixed名_7[bold]", "混合Mixed名_7[bold]"),
    ],
    ids=["chinese", "markup", "closing", "escape", "lines", "mixed"],
)
async def test_names_are_shown_as_text(mish: Path, tmp_path: Path, name: str, shown: str) -> None:
    made = [Made(name, 0, 900_000), Made("other", 1_000_000, 100_000), Made(name, 300_000, 400_000, stream=2)]
    profile = with_trace(mish, tmp_path / "names", trace_text(made))
    async with viewing(profile) as viewer:
        screen = await timeline_of(viewer)
        await viewer.until(lambda: screen.name == shown)
        assert "\x1b" not in viewer.text
        assert shown in viewer.lines[screen.line_of("AscendCL")]
        assert all(strip.cell_length == NARROW[0] for strip in viewer.strips)
        await viewer.press("T")
        await viewer.shows(re.escape(shown))
        assert all(strip.cell_length == NARROW[0] for strip in viewer.strips)
        await viewer.press("t", "y")
        await viewer.shows("copied")


async def test_a_profile_without_a_trace_says_so_and_what_to_do(mish: Path, tmp_path: Path) -> None:
    profile = Path(shutil.copytree(mish, tmp_path / "none"))
    for path in profile.rglob("*.json"):
        if path.parent.name == "mindstudio_profiler_output":
            path.unlink()
    async with viewing(profile) as viewer:
        await viewer.press("2")
        await viewer.until(lambda: viewer.app.timeline is not None)
        change = viewer.app.timeline
        assert change is not None
        assert change.timeline is None
        await viewer.until(lambda: change.reason in viewer.text, "the reason")
        assert change.hint
        await viewer.until(lambda: change.hint[:40] in viewer.text, "the hint")
        for key in ("w", "l", "j", "T", "F", "right_square_bracket", "v", "r", "x", "p", "0", "f", "enter", "n", "u"):
            await viewer.press(key)
        assert viewer.frame.DIGIT == "2"
        assert change.reason in viewer.text
        await viewer.go("3")
        await viewer.shows(r"^▌ +Conv_0 ")


async def test_a_trace_that_ends_in_the_middle_shows_what_it_has(mish: Path, tmp_path: Path) -> None:
    made = [Made(f"call{n}", n * 1000, 900) for n in range(50)]
    text = trace_text(made)
    cut = text.index('"AscendCL@call40"') + 5
    profile = with_trace(mish, tmp_path / "cut", text[:cut])
    async with viewing(profile) as viewer:
        await viewer.press("2")
        await viewer.shows(r"^▌ AscendCL")
        await viewer.shows(r" 40 events")
        screen = TimeScreen(viewer)
        await viewer.press("G")
        await viewer.until(lambda: screen.name == "call39")


@pytest.mark.parametrize("kind", ["truncated_json", "empty_array", "zero_byte", "bom_crlf"])
async def test_damaged_real_traces_never_stop_the_viewer(shared_data: Path, kind: str) -> None:
    folder = shared_data / "derived_edge_cases" / kind
    if not folder.is_dir():
        pytest.skip(f"{folder} is not among the real data sets here")
    async with viewing(folder) as viewer:
        await viewer.until(lambda: viewer.app.session is not None or viewer.app.failure is not None)
        await viewer.press("2")
        if viewer.app.failure is not None:
            await viewer.shows("^ E ")
            return
        await viewer.until(lambda: viewer.app.timeline is not None, "the timeline")
        change = viewer.app.timeline
        assert change is not None
        if change.timeline is None:
            await viewer.until(lambda: change.reason in viewer.text)
        elif len(change.timeline):
            await viewer.shows("^▌ ")
        await viewer.press("w", "l", "j", "G", "T", "q")


async def test_an_empty_trace_and_one_with_counters_only_can_be_looked_at(mish: Path, tmp_path: Path) -> None:
    counter = [
        {"name": "AI Core Freq", "ph": "C", "pid": 5, "tid": 0, "ts": str(1000 + n), "args": {"MHz": 900 + n % 3}}
        for n in range(50)
    ]
    named = {"name": "process_name", "ph": "M", "pid": 5, "tid": 0, "args": {"name": "AI Core Freq"}}
    for name, text, said in (
        ("empty", "[]", r"^ the trace holds no events"),
        ("counters", json.dumps([named, *counter]), r"^ 50 samples"),
    ):
        profile = with_trace(mish, tmp_path / name, text)
        for path in profile.rglob("step_trace*.json"):
            path.unlink()
        async with viewing(profile) as viewer:
            await viewer.press("2")
            await viewer.shows(said)
            assert ("Counters" in viewer.text) == (name == "counters")
            if name == "counters":
                await viewer.shows(r"^ value +90[012]\.0 MHz +lowest +900\.0 MHz")
                await viewer.shows(r"^ highest +902\.0 MHz +samples +50")
            keys = (
                "w s d f 0 l h g G j k T F v v enter left_square_bracket right_square_bracket r x X p n comma u U i y"
            )
            await viewer.press(*keys.split())
            assert viewer.frame.DIGIT == "2"
            await viewer.shows(said)


async def test_the_older_layout_shows_the_same_story(samples: Path) -> None:
    async with viewing(samples / "legacy_before") as viewer:
        screen = await timeline_of(viewer)
        await viewer.until(lambda: screen.name == "aclmdlExecute")
        assert screen.lane.startswith("▌ AscendCL")
        await viewer.shows(r"wall +118\.300127 ms +55\.\d % span")
        await viewer.press("T")
        await viewer.shows(r"^▌ █ +aclmdlExecute .* 118\.300 ")
        await viewer.shows(r"^  ▄ +aclmdlLoadFromFileWithMem .* 62\.400 ")


async def test_another_profile_brings_its_own_timeline(mish: Path, samples: Path, trace: Trace) -> None:
    after = trace_of(samples / "mish_after")
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.press("w", "w", "v", "r")
        await viewer.press("o", "ctrl+u")
        await viewer.type(str(samples / "mish_after"))
        await viewer.shows("PROF_000002")
        await screen.go()
        screen.origin_ns = after.origin_ns
        await viewer.until(lambda: screen.span.length_ns == after.span_ns + 1, "all of the other trace")
        await on(screen, max(after.lane("AscendCL"), key=lambda event: event.dur_ns))
        assert screen.state.range is None
        assert not viewer.frame.can("undo")


# ── at random ────────────────────────────────────────────────────────────────────────────────────────────────────────

WALK = (
    "w w s W S a d A D f 0 u U h l h l h l j k j k g G n N comma full_stop v r p x X J K plus minus i "
    "pagedown pageup left_square_bracket right_square_bracket escape enter T F q t 2"
).split()


async def settled_on_the_timeline(viewer: Viewer) -> None:
    if viewer.frame.DIGIT != "2":
        await viewer.press("2")
        await viewer.until(lambda: viewer.frame.DIGIT == "2")
    while type(viewer.app.screen).__name__ != "TimelineScreen":
        await viewer.press("q")


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_random_walk_never_loses_the_cursor_or_leaves_the_trace(mish: Path, trace: Trace, seed: int) -> None:
    chance = random.Random(seed)
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await viewer.everything_read()
        pressed: list[str] = []
        for _step in range(200):
            key = chance.choice(WALK)
            pressed.append(key)
            event_before = screen.state.event
            await viewer.press(key)
            await settled_on_the_timeline(viewer)
            state, where = screen.state, " ".join(pressed)
            assert 0 <= screen.span.start_ns < screen.span.end_ns <= whole_ns(trace), where
            if state.lane >= 0:
                assert screen.lane, where
            moves = key in ("h", "l", "g", "G", "comma", "full_stop", "n", "N")
            if moves and state.event >= 0 and state.event != event_before:
                change = viewer.app.timeline
                assert change is not None
                assert change.timeline is not None
                start = int(change.timeline.start_ns[state.event])
                assert start <= state.span.end_ns, where
                assert change.timeline.end_ns(state.event) >= state.span.start_ns, where
