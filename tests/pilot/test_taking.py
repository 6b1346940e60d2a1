"""Selecting, copying, exporting, marks and the reference row: what leaves the screen is what the file says."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pilot.oracle import longest_first
from tests.pilot.viewer import NARROW, SentToTerminal, Viewer, sizes, viewing
from tui.config import cache_dir


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> SentToTerminal:
    return SentToTerminal(monkeypatch)


def last_copy() -> str:
    return (cache_dir() / "last-copy.txt").read_text(encoding="utf-8")


async def command(viewer: Viewer, line: str) -> None:
    await viewer.press(":")
    await viewer.type(line)


@sizes
async def test_y_copies_the_cell_with_every_digit(mish: Path, size: tuple[int, int], sent: SentToTerminal) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("y")
        await viewer.shows(r"copied Conv_0 \(also in ")
        assert sent.copied == ["Conv_0"]
        assert last_copy() == "Conv_0"
        await viewer.press("right", "right", "y")
        await viewer.until(lambda: len(sent.copied) == 2)
        assert sent.copied[1] == last_copy() == "3170.625"


async def test_selected_rows_are_copied_as_tab_separated_rows_with_a_head(mish: Path, sent: SentToTerminal) -> None:
    longest = longest_first(mish)
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("space", "down", "space")
        await viewer.shows("2 rows selected")
        await viewer.press("v", "down", "down", "v")
        await viewer.shows("5 rows selected")
        await viewer.press("y")
        await viewer.shows("copied 5 rows")
        head, *rows = sent.copied[-1].splitlines()
        assert sent.copied[-1] == last_copy()
        assert head.split("\t")[:3] == ["op_name", "op_type", "task_duration_us"]
        picked = [longest[at] for at in (0, 2, 3, 4, 5)]
        assert [row.split("\t")[:3] for row in rows] == [
            [row["Op Name"], row["OP Type"], row["Task Duration(us)"]] for row in picked
        ]
        await viewer.press("escape")
        await viewer.hides("selected")


async def test_space_deselects_and_a_range_can_be_given_up(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("space")
        await viewer.shows("1 row selected")
        await viewer.press("up", "space")
        await viewer.hides("selected")
        await viewer.press("v", "down", "down")
        await viewer.shows("3 rows selected|4 rows selected")
        await viewer.press("escape")
        await viewer.hides("selected")


@pytest.mark.parametrize(
    ("steps", "check"),
    [
        (0, lambda text: text.splitlines()[1].startswith("Conv_0\tConv2D\t3170.625\t")),
        (1, lambda text: text.splitlines()[1].startswith("Conv_0,Conv2D,3170.625,")),
        (2, lambda text: text.startswith("| Op Name") and "| Conv_0" in text),
        (3, lambda text: json.loads(text)[0]["task_duration_us"] == 3170.625),
    ],
    ids=["tsv", "csv", "markdown", "json"],
)
async def test_copy_as(mish: Path, sent: SentToTerminal, steps: int, check: Callable[[str], bool]) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("space", "Y")
        await viewer.shows(r"TSV +1 row")
        await viewer.press(*["down"] * steps, "enter")
        await viewer.shows("copied 1 row")
        assert check(last_copy()), last_copy()
        assert sent.copied == [last_copy()]


async def test_copy_as_path_and_command(mish: Path, sent: SentToTerminal) -> None:
    (summary,) = mish.rglob("op_summary_*.csv")
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("Y", "G", "enter")
        await viewer.shows("copied path")
        assert last_copy() == str(summary)
        await viewer.press("right", "f", "&")
        await viewer.type("dur>1ms")
        await viewer.press("Y", "G", "up", "enter")
        await viewer.shows("copied command")
        assert last_copy() == f"npuscope table ops {mish} --filter 'dur>1ms op_type==Conv2D'"
        assert sent.copied[-1] == last_copy()


async def test_a_long_copy_goes_to_the_file_only(mish: Path, sent: SentToTerminal) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press(":")
        await viewer.type("cols +input_data_types +output_shapes +input_formats +output_formats +aicore_time_us")
        await viewer.press("v", "G", "v", "y")
        await viewer.shows("copied 430 rows|copied 430")
        if len(last_copy().encode()) > 64 << 10:
            assert sent.copied == []
            await viewer.shows("too long for the terminal's clipboard")
        else:
            assert sent.copied == [last_copy()]


@sizes
async def test_export_writes_what_is_shown_and_where_it_came_from(
    mish: Path, size: tuple[int, int], tmp_path: Path
) -> None:
    convs = [row for row in longest_first(mish) if row["OP Type"] == "Conv2D"]
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("right", "f", "e")
        await viewer.shows("export to ops.csv")
        await viewer.press("ctrl+u")
        await viewer.type(str(tmp_path / "out.csv"))
        await viewer.shows("110 rows written")
        with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [row["op_name"] for row in rows] == [row["Op Name"] for row in convs]
        assert [row["task_duration_us"] for row in rows] == [row["Task Duration(us)"] for row in convs]
        origin = json.loads((tmp_path / "out.csv.meta.json").read_text(encoding="utf-8"))
        assert origin["command"] == f"npuscope table ops {mish} --filter op_type==Conv2D"
        assert origin["program"].startswith("npuscope ")


async def test_export_asks_before_it_overwrites_and_the_safe_answer_is_the_default(mish: Path, tmp_path: Path) -> None:
    target = tmp_path / "kept.tsv"
    target.write_text("precious", encoding="utf-8")
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await command(viewer, f"export {target}")
        await viewer.shows("overwrite kept.tsv")
        await viewer.press("enter")
        await viewer.hides("overwrite kept.tsv")
        assert target.read_text(encoding="utf-8") == "precious"
        await command(viewer, f"export {target}")
        await viewer.shows("overwrite kept.tsv")
        await viewer.press("right", "enter")
        await viewer.shows("430 rows written")
        assert target.read_text(encoding="utf-8").startswith("op_name\top_type\t")


@pytest.mark.parametrize(
    ("name", "why"),
    [("out.xls", "ends in none of"), ("nowhere/out.csv", "no such folder"), ("folder.csv", "not a regular file")],
)
async def test_an_export_that_cannot_be_says_why(mish: Path, tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await command(viewer, f"export {tmp_path / name}")
        await viewer.shows(why)
    assert (tmp_path / "folder.csv").is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv"]


async def test_the_reference_row_gives_differences(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("r")
        await viewer.shows("compared with Conv_0")
        await viewer.press("down", "down")
        await viewer.shows(r"3/430 · −1 688\.315 µs \(−53\.2 %\) to Conv_0")  # 1482.310 - 3170.625
        await viewer.press("escape")
        await viewer.shows(r"3/430 · 1 482\.310 of 112 951 µs")


async def test_marks_are_listed_kept_and_taken_away(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("'")
        await viewer.shows("no marks yet")
        await viewer.press("down", "down", "m")
        await viewer.shows("Conv_4 marked")
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("'")
        await viewer.shows(r"Conv_4 +row")
        await viewer.press("enter")
        await viewer.until(lambda: viewer.table_screen.grid.cursor_row == 2)
        await viewer.press("m")
        await viewer.shows("mark of Conv_4 taken away")


async def test_files_copy_their_path(mish: Path, sent: SentToTerminal) -> None:
    (summary,) = mish.rglob("op_summary_*.csv")
    async with viewing(mish, NARROW) as viewer:
        await viewer.everything_read()
        await viewer.go("9")
        await viewer.press(*["down"] * 6, "y")
        await viewer.shows("copied path")
        assert last_copy() == str(summary)
        assert sent.copied == [str(summary)]
