"""Event View and statistics: the events of a lane, range or call as a table, and the way back to the timeline."""

from __future__ import annotations

import csv
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from tests.pilot.timelines import (
    Made,
    TimeScreen,
    Trace,
    Traced,
    length_text,
    ms_text,
    spaced,
    timeline_of,
    trace_of,
    trace_text,
    with_trace,
)
from tests.pilot.viewer import WIDE, Viewer, sizes, viewing
from tui.config import cache_dir


@pytest.fixture(scope="module")
def trace(samples: Path) -> Trace:
    """The trace of the reference case."""
    return trace_of(samples / "mish_before")


def longest_first(found: list[Traced]) -> list[Traced]:
    return sorted(found, key=lambda event: (-event.dur_ns, event.start_ns))


def ms(time_ns: int) -> str:
    """Milliseconds with three decimals."""
    return str((Decimal(time_ns) / 1_000_000).quantize(Decimal("0.001"), ROUND_HALF_UP))


async def at_row(viewer: Viewer, name: str) -> None:
    await viewer.shows(rf"^▌ [ ▄█] +{re.escape(name)} ")


@sizes
async def test_events_of_the_lane_are_listed_longest_first(mish: Path, trace: Trace, size: tuple[int, int]) -> None:
    calls = longest_first(trace.lane("AscendCL"))
    async with viewing(mish, size) as viewer:
        await timeline_of(viewer)
        await viewer.press("T")
        await viewer.shows("AscendCL › Event View( › Duration ▼)?")
        await viewer.shows(rf"{len(calls)} events$")
        rows = [line for line in viewer.lines if re.match(r"^[▌ ] [ ▄█]  acl", line)]
        for call, row in zip(calls, rows):
            share = Decimal(call.dur_ns * 100) / trace.span_ns
            assert re.search(rf"  {call.name} .* {re.escape(ms(call.start_ns))} .* {re.escape(ms(call.dur_ns))} ", row)
            assert f" {share.quantize(Decimal('0.1'), ROUND_HALF_UP)} " in row
        assert len(rows) >= 14
        assert [row[2] for row in rows[:3]] == ["█", "▄", " "]


async def test_the_strip_tells_about_the_event_under_the_cursor(mish: Path, trace: Trace) -> None:
    calls = longest_first(trace.lane("AscendCL"))
    async with viewing(mish) as viewer:
        await timeline_of(viewer)
        await viewer.press("T")
        for call in calls[:4]:
            await at_row(viewer, call.name)
            await viewer.shows(re.escape(f"wall      {length_text(call.dur_ns)}"))
            await viewer.shows(re.escape(f"start     {ms_text(call.start_ns)}"))
            await viewer.press("j")


@pytest.mark.parametrize("key", ["t", "enter"])
async def test_back_to_the_timeline_on_the_event_under_the_cursor(mish: Path, trace: Trace, key: str) -> None:
    third = longest_first(trace.lane("AscendCL"))[2]
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await viewer.press("T")
        await viewer.shows("Event View")
        await viewer.press("j", "j", key)
        await viewer.hides("Event View")
        await viewer.until(lambda: screen.name == third.name and screen.start_ns == third.start_ns)
        await viewer.press("u")
        await viewer.until(lambda: screen.name == "aclmdlExecute")


async def test_q_goes_back_and_changes_nothing(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.command("zoom 90ms..110ms")
        await viewer.press("T", "j", "j")
        await viewer.press("q")
        await viewer.hides("Event View")
        assert (screen.span.start_ns, screen.span.end_ns) == (90_000_000, 110_000_000)
        assert screen.name == "aclmdlExecute"


async def test_only_the_events_of_the_range_are_listed(mish: Path, trace: Trace) -> None:
    marked = trace.lane("AscendCL")[18:21]
    async with viewing(mish) as viewer:
        await timeline_of(viewer)
        await viewer.press("l", "l", "v", "l", "l", "v", "T")
        await viewer.shows(r"1/3$")
        rows = [line for line in viewer.lines if re.match(r"^[▌ ] [ ▄█]  acl", line)]
        assert [row[5:30].strip() for row in rows] == [call.name for call in longest_first(marked)]


async def test_starts_count_from_the_same_zero_as_the_timeline(mish: Path, trace: Trace) -> None:
    conv = trace.named("Conv_0")
    async with viewing(mish) as viewer:
        await timeline_of(viewer)
        await viewer.press("right_square_bracket")
        await at_row(viewer, "Conv_0")
        await viewer.shows(re.escape(f"start     {ms_text(conv.start_ns)}"))
        assert f" {ms(conv.start_ns)} " in viewer.row  # 95.670


async def test_events_are_sorted_filtered_and_found_like_any_table(mish: Path, trace: Trace) -> None:
    tasks = trace.lane("Stream 2")
    convs = [task for task in tasks if task.name.startswith("Conv_")]
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await screen.to_lane("Stream 2")
        await viewer.press("T")
        await viewer.shows(rf"1/{len(tasks)}$")
        await viewer.press("&")
        await viewer.type("name~^Conv_")
        await viewer.shows(rf"{len(convs)}/{len(tasks)}")
        await viewer.press("u")
        await viewer.shows(rf"1/{len(tasks)}$")
        await viewer.press("&")
        await viewer.type("dur>1ms")
        long = [task for task in tasks if task.dur_ns > 1_000_000]
        await viewer.shows(rf"1/{len(long)}$")
        await viewer.press("0")
        await viewer.press("/")
        await viewer.type("Softplus_1")
        await at_row(viewer, "Softplus_1")
        await viewer.press("t")
        await viewer.until(lambda: screen.name == "Softplus_1")


async def test_a_range_in_a_table_of_events_is_undone_there_not_on_the_timeline(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer, trace.origin_ns)
        await screen.command("zoom 90ms..110ms")
        await viewer.press("T", "right", "less_than_sign")
        await viewer.shows("Start ▲")
        await viewer.press("u")
        await viewer.shows("Duration ▼")
        await viewer.press("q")
        assert screen.span.start_ns == 90_000_000


# ── statistics ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_events_of_the_lane_are_written_and_copied_from_the_timeline_itself(
    mish: Path, trace: Trace, tmp_path: Path
) -> None:
    calls = trace.lane("AscendCL")
    async with viewing(mish) as viewer:
        await timeline_of(viewer)
        await viewer.press("e", "ctrl+u")
        await viewer.type(str(tmp_path / "calls.csv"))
        await viewer.shows(f"{len(calls)} rows written")
        with open(tmp_path / "calls.csv", encoding="utf-8", newline="") as file:
            written = list(csv.DictReader(file))
        assert [(row["name"], int(row["dur_ns"])) for row in written] == [(call.name, call.dur_ns) for call in calls]
        assert "table events" in (tmp_path / "calls.csv.meta.json").read_text(encoding="utf-8")
        await viewer.press("Y")
        await viewer.shows(f"▌ tsv|TSV +{len(calls)} rows")
        await viewer.press("enter")
        await viewer.shows(f"copied {len(calls)} rows")
        copied = (cache_dir() / "last-copy.txt").read_text(encoding="utf-8")
        assert len(copied.splitlines()) == len(calls) + 1


async def test_statistics_tell_figures_per_name(mish: Path, trace: Trace) -> None:
    by_name: dict[str, list[int]] = {}
    for call in trace.lane("AscendCL"):
        by_name.setdefault(call.name, []).append(call.dur_ns)
    async with viewing(mish) as viewer:
        await timeline_of(viewer)
        await viewer.press("F")
        await viewer.shows("AscendCL › Statistics( › Sum ▼)?")
        await viewer.shows(rf"{len(by_name)} names$")
        ordered = sorted(by_name, key=lambda name: -sum(by_name[name]))
        rows = [line for line in viewer.lines if re.match(r"^[▌ ] [ ▄█]  acl", line)]
        for name, row in zip(ordered, rows):
            count, total = len(by_name[name]), sum(by_name[name])
            assert re.search(rf"  {name} +{count} +{re.escape(ms(total))} .* {re.escape(ms(total))} ", row), row
        await viewer.press("q")
        await viewer.hides("Statistics")


async def test_a_share_among_the_figures_is_told_as_a_share(mish: Path, trace: Trace) -> None:
    execute = trace.named("aclmdlExecute")
    async with viewing(mish, WIDE) as viewer:
        await timeline_of(viewer)
        await viewer.press("F")
        await viewer.shows("AscendCL › Statistics( › Sum ▼)?")
        await viewer.press("tab", "G")
        await viewer.shows(rf"% of span +{execute.dur_ns * 100 / trace.span_ns:.1f} %( |$)")


async def test_statistics_of_equal_names_are_those_of_the_definitions(mish: Path, tmp_path: Path) -> None:
    durations = [100_000, 200_000, 300_000, 400_000, 1_000_000]
    made = [Made("call", 2_000_000 * n, length) for n, length in enumerate(durations)]
    made.append(Made("inner", 8_100_000, 250_000))
    profile = with_trace(mish, tmp_path / "statistics", trace_text(made))
    async with viewing(profile, WIDE) as viewer:
        await timeline_of(viewer)
        await viewer.press("F")
        await viewer.shows("2 names$")
        for label, figure in [
            ("Count", "5"), ("Wall", "2.00 ms"), ("Sum", "2.00 ms"), ("Self", "1.75 ms"), ("Mean", "400 µs"),
            ("p50", "300 µs"), ("Min", "100 µs"), ("Max", "1.00 ms"),
        ]:  # fmt: skip
            await viewer.shows(rf" {label} +{re.escape(figure)}\b")
        await viewer.press("j")
        await viewer.shows(r" Sum +250 µs\b")


async def test_statistics_of_a_range_count_what_lies_inside(mish: Path, tmp_path: Path) -> None:
    made = [Made("a", 0, 100_000), Made("b", 200_000, 100_000), Made("a", 400_000, 100_000), Made("c", 600_000, 50)]
    profile = with_trace(mish, tmp_path / "range", trace_text(made))
    async with viewing(profile) as viewer:
        await timeline_of(viewer)
        await viewer.press("g", "l", "v", "l", "v", "F")
        await viewer.shows("2 names$")
        assert sorted(line[5:10].strip() for line in viewer.lines if re.match(r"^[▌ ] [ ▄█]  [abc] ", line)) == [
            "a", "b",
        ]  # fmt: skip


async def test_chinese_names_keep_the_columns_in_place(mish: Path, tmp_path: Path) -> None:
    names = ["卷积层_主干_第一个", "plain", "混合Mixed名_7", "[red]x[/red]"]
    made = [Made(name, 1_000_000 * n, 400_000 - n * 50_000) for n, name in enumerate(names)]
    profile = with_trace(mish, tmp_path / "chinese", trace_text(made))
    async with viewing(profile) as viewer:
        await timeline_of(viewer)
        await viewer.press("T")
        for name in names:
            await viewer.shows(rf"  {re.escape(name)} ")
        assert {strip.cell_length for strip in viewer.strips} == {80}
        await viewer.press("F")
        assert {strip.cell_length for strip in viewer.strips} == {80}


async def test_another_screen_and_back_keeps_the_event_view_or_the_timeline_usable(mish: Path) -> None:
    async with viewing(mish) as viewer:
        screen = await timeline_of(viewer)
        await viewer.press("T")
        await viewer.shows("Event View")
        await viewer.go("3")
        await viewer.shows(r"^▌ +Conv_0 ")
        await viewer.press("2")
        await viewer.until(lambda: viewer.frame.DIGIT == "2")
        if "Event View" in viewer.text:
            await viewer.press("q")
        await viewer.until(lambda: screen.lane[2:].startswith("AscendCL"))
        await viewer.press("j")
        assert screen.lane[2:].startswith("GE")


async def test_jumps_from_ops_while_an_event_view_is_open_show_the_event(mish: Path, trace: Trace) -> None:
    async with viewing(mish) as viewer:
        screen: TimeScreen = await timeline_of(viewer)
        await viewer.press("T")
        await viewer.shows("Event View")
        await viewer.go("3")
        await viewer.shows(r"^▌ +Conv_0 ")
        await viewer.press("t")
        await viewer.until(lambda: viewer.frame.DIGIT == "2")
        await viewer.hides("Event View")
        conv = trace.named("Conv_0")
        await viewer.until(lambda: screen.name == "Conv_0" and screen.start_ns == conv.start_ns)
        await viewer.shows(rf"{spaced(len(trace.events))} events$")
