"""Both timelines above each other: aligned at an operator, one window for both, a cursor that stands on both sides."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.pilot.test_compare_screen import against, spaced
from tests.pilot.viewer import NARROW, WIDE, Viewer, sizes
from tui.screens.stacked import StackedScreen
from widgets.canvas_state import CanvasState
from widgets.timeview import TimeView


@pytest.fixture
def after(samples: Path) -> Path:
    return samples / "mish_after"


def slices(profile: Path) -> Iterator[tuple[str, int, int]]:
    """(name, start since the first, duration) in ns, read without any of our code."""
    [path] = profile.rglob("msprof_*.json")
    events = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    found = [
        (event["name"], Decimal(event["ts"]), Decimal(str(event["dur"]))) for event in events if event["ph"] == "X"
    ]
    first = min(start for _name, start, _length in found)
    for name, start, length in found:
        yield name, int((start - first) * 1000), int(length * 1000)


def only(profile: Path, name: str) -> tuple[int, int]:
    """Start and duration of the one slice of a name."""
    [(start_ns, dur_ns)] = [(start, length) for other, start, length in slices(profile) if other == name]
    return start_ns, dur_ns


def states(viewer: Viewer) -> tuple[CanvasState, CanvasState]:
    """What the canvases of A and B show."""
    a, b = viewer.frame.query(TimeView)
    return a.state, b.state


async def stacked(viewer: Viewer, pattern: str) -> StackedScreen:
    """Opens both timelines at the row under the cursor and waits for what the breadcrumb says."""
    await viewer.press("t")
    await viewer.shows(pattern)
    screen = viewer.frame
    assert isinstance(screen, StackedScreen)
    return screen


@sizes
async def test_both_lie_over_each_other_at_the_operator(mish: Path, after: Path, size: tuple[int, int]) -> None:
    (a_start, a_dur), (b_start, b_dur) = only(mish, "Conv_0"), only(after, "Conv_0")
    async with against(mish, after, size) as viewer:
        await stacked(viewer, "B › aligned at Conv_0")
        await viewer.shows(rf"^ A mish_before .* {spaced(a_dur / 1000)} µs   at 0\.000000 ms")
        await viewer.shows(rf"^ B mish_after .* {spaced(b_dur / 1000)} µs   at 0\.000000 ms")
        await viewer.shows(r"^ Δ −1 755\.443 µs \(−55\.4 %\) shorter   both begin at once")
        await viewer.shows(rf"Conv_0 is {spaced(a_start / 1e6, 6)} ms after the start")
        shift_us = (a_start - b_start) / 1000
        await viewer.shows(rf"^ B moved by −{spaced(abs(shift_us))} µs")
        assert shift_us < 0
        a, b = states(viewer)
        assert a.span.start_ns - a.origin_ns == b.span.start_ns - b.origin_ns
        assert a.span.length_ns == b.span.length_ns
        assert (a.event >= 0, b.event >= 0) == (True, True)


async def test_zoom_and_pan_move_both_and_reset_undoes_the_alignment(mish: Path, after: Path) -> None:
    async with against(mish, after) as viewer:
        await stacked(viewer, "aligned at Conv_0")
        before = states(viewer)
        await viewer.press("w", "d")
        zoomed = states(viewer)
        for was, now in zip(before, zoomed):
            assert now.span.length_ns == -(-was.span.length_ns // 2)
        assert zoomed[0].span.start_ns - zoomed[0].origin_ns == zoomed[1].span.start_ns - zoomed[1].origin_ns
        await viewer.press("u", "u")
        assert states(viewer) == before
        await viewer.press("0", "0")
        await viewer.shows("B › from their start")
        await viewer.shows("both from their start")
        a, b = states(viewer)
        assert (a.origin_ns, b.origin_ns) == (a.whole.start_ns, b.whole.start_ns)
        await viewer.press("u")
        await viewer.shows("aligned at Conv_0")


async def test_the_cursor_moves_and_r_aligns_there(mish: Path, after: Path) -> None:
    async with against(mish, after) as viewer:
        screen = await stacked(viewer, "aligned at Conv_0")
        await viewer.press("right")
        await viewer.shows("^ Softplus_1 ─.* 1 of 1 in A$")
        await viewer.shows("^ B mish_after +not there")
        await viewer.press("r")
        await viewer.shows("B has no Softplus_1: both stay where they are")
        await viewer.shows("aligned at Conv_0")
        await viewer.press("g", "tab")
        await viewer.shows("^▸ B mish_after")
        name = viewer.lines[-6].split()[0]
        await viewer.press("r")
        await viewer.shows(rf"^▸ B mish_after ─+ {name} is ")
        await viewer.shows("both begin at once")
        assert screen.can("to_timeline")
        await viewer.press("t")
        await viewer.until_on("2")
        await viewer.shows(name)


async def test_an_operator_of_one_side_only_and_back_to_the_rows(mish: Path, after: Path) -> None:
    async with against(mish, after) as viewer:
        await viewer.press("down")
        await viewer.shows("^▌ Softplus_1 ")
        await stacked(viewer, "B › from their start")
        await viewer.shows("B has no Softplus_1")
        await viewer.press("q")
        await viewer.shows("^▌ Softplus_1 .* gone")
        await viewer.press("t")
        await viewer.shows("B › from their start")
        await viewer.press("B")
        await viewer.shows(r"^▌ Conv_0 +1 415\.2 +3 170\.6")


async def test_it_ends_when_another_profile_is_opened_elsewhere(mish: Path, after: Path) -> None:
    async with against(mish, after) as viewer:
        await stacked(viewer, "aligned at Conv_0")
        await viewer.go("1")
        assert viewer.app.command_open(str(mish)) == ""
        await viewer.everything_read()
        await viewer.press("6")
        await viewer.shows("^▌ .* same")
        assert not isinstance(viewer.frame, StackedScreen)


async def test_a_side_without_a_timeline_says_so(mish: Path, after: Path, tmp_path: Path) -> None:
    [path] = mish.rglob("op_summary_*.csv")
    (tmp_path / "bare").mkdir()
    shutil.copy(path, tmp_path / "bare")
    async with against(tmp_path / "bare", after, WIDE) as viewer:
        await viewer.press("t")
        await viewer.shows("^ A bare +no timeline")
        await viewer.shows(r"^ B mish_after +█+ .* 1 415\.182 µs")
        await viewer.press("r")
        await viewer.shows("A has no timeline to align with")
        assert "right" in viewer.frame.offered()


async def test_a_large_timeline_is_asked_about(mish: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "other"):
        shutil.copytree(mish, tmp_path / name)
    monkeypatch.setattr("tui.config.Settings.trace_bytes", 1000)
    async with against(tmp_path / "one", tmp_path / "other", NARROW) as viewer:
        await viewer.press("t")
        for _side in "AB":
            await viewer.shows("the timeline of [AB] has")
            await viewer.press("escape")
        await viewer.shows("the timeline is not read: its files have")
        assert viewer.frame.can("open_item")
        await viewer.press("enter")
        await viewer.shows("the timeline of A has")
        await viewer.press("G", "enter")
        await viewer.shows(r"^ A one +█+ .* µs   at ")
        await viewer.shows("^ B other +no timeline")
