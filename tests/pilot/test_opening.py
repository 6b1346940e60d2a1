"""What may lie at a path: several profiles, devices, iterations, lacks, damage, foreign folders, hostile names."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.make_prof import Generation, make_ops, write_prof
from tests.pilot.viewer import WIDE, Viewer, sizes, viewing
from widgets.text import cells


async def command(viewer: Viewer, line: str) -> None:
    await viewer.press(":")
    await viewer.type(line)


@sizes
async def test_another_profile_is_opened_and_nothing_of_the_old_one_stays(
    mish: Path, samples: Path, size: tuple[int, int]
) -> None:
    async with viewing(mish, size) as viewer:
        await viewer.go("3")
        await viewer.press("right", "f")
        await viewer.shows("110/430")
        await viewer.press("o")
        await viewer.shows(r"^ open ")
        await viewer.press("ctrl+u")
        await viewer.type(str(samples / "mish_after"))
        await viewer.shows(r"1 415\.182")
        assert "3 170.625" not in viewer.text
        assert not viewer.frame.can("undo")
        await viewer.go("1")
        await viewer.everything_read()
        await viewer.shows("PROF_000002")


async def test_a_path_that_is_not_there_is_refused_and_the_profile_stays(mish: Path, tmp_path: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("o", "ctrl+u")
        await viewer.type(str(tmp_path / "nothing"))
        await viewer.shows("does not exist")
        await viewer.press("escape")
        await viewer.shows(r"^▌ +Conv_0 ")


@sizes
async def test_a_folder_without_a_profile_says_so_and_how_to_go_on(
    mish: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see", encoding="utf-8")
    async with viewing(tmp_path, size) as viewer:
        await viewer.until(lambda: viewer.app.failure is not None)
        await viewer.shows(r"^ E ")
        await viewer.shows("open another path +o open")
        for digit in "349":
            await viewer.press(digit)
            await viewer.until_on(digit)
            assert "Traceback" not in viewer.text
        await viewer.press("o", "ctrl+u")
        await viewer.type(str(mish))
        await viewer.go("3")
        await viewer.shows(r"^▌ +Conv_0 ")


async def test_rereading_finds_what_changed_on_disk(samples_copy: Path) -> None:
    profile = samples_copy / "mish_before"
    async with viewing(profile) as viewer:
        await viewer.go("3")
        await viewer.shows(r"3 170\.625")
        (summary,) = profile.rglob("op_summary_*.csv")
        summary.write_text(summary.read_text(encoding="utf-8").replace("3170.625", "9170.625"), encoding="utf-8")
        await viewer.press("R")
        await viewer.shows(r"^▌ +Conv_0 +Conv2D +9 170\.625")


async def test_one_of_several_profiles_is_chosen(samples: Path, tmp_path: Path) -> None:
    for name in ("mish_before", "mish_after"):
        for folder in (samples / name).iterdir():
            shutil.copytree(folder, tmp_path / folder.name)
    async with viewing(tmp_path) as viewer:
        await viewer.shows("2 profiles here")
        await viewer.shows("PROF_000001.*msprof")
        await viewer.shows("PROF_000002.*msprof")
        await viewer.press("escape")
        await viewer.hides("2 profiles here")
        await viewer.go("3")
        first = viewer.row
        await command(viewer, "profile 2")
        await viewer.until(lambda: viewer.row != first and "Conv" in viewer.text)
        assert {"3 170.625" in first, "3 170.625" in viewer.row} == {True, False}
        await command(viewer, "profile")
        await viewer.shows("2 profiles here")
        await viewer.press("g", "enter")
        await viewer.until(lambda: viewer.row == first)
        await command(viewer, "profile 7")
        await viewer.shows("a number from 1 to 2")


async def test_one_profile_has_no_other_to_choose(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await command(viewer, "profile")
        await viewer.shows("there is one profile here")


@pytest.mark.parametrize("generation", ["G1a", "G2", "G3", "G4"])
async def test_one_of_several_devices_is_chosen(tmp_path: Path, generation: Generation) -> None:
    written = write_prof(tmp_path, generation, devices=2, rows=40)
    counts = {device: sum(op.device == device for op in written.ops) for device in (0, 1)}
    longest = {device: max(op.duration_ns for op in written.ops if op.device == device) for device in (0, 1)}
    async with viewing(written.path) as viewer:
        await viewer.go("3")
        for device in (1, 0):
            await command(viewer, f"device {device}")
            await viewer.until(lambda: viewer.table_screen.applied is not None)
            await viewer.shows(f"{counts[device]} tasks")
            microseconds, rest = divmod(longest[device], 1000)
            await viewer.shows(rf"^▌.* {microseconds}\.{rest:03d} ")
            await viewer.shows(rf"npu{device}\b")
        await command(viewer, "device 5")
        await viewer.shows("no device 5; there is 0, 1")
        await viewer.press("escape")
        await command(viewer, "device all")
        await viewer.until(lambda: viewer.app.session is not None and viewer.app.session.device == "")


async def test_iterations_of_the_old_layout_are_chosen_by_number(samples: Path) -> None:
    async with viewing(samples / "legacy_before") as viewer:
        await viewer.go("3")
        await viewer.shows(r"^▌ +Conv_0 +Conv2D +3 170\.625")
        await viewer.shows("iter 1")
        await command(viewer, "iter 9")
        await viewer.shows("no iteration 9; there is 1")
        await viewer.press("escape")
        await command(viewer, "iter 1")
        await viewer.shows(r"^▌ +Conv_0 +Conv2D +3 170\.625")


@pytest.mark.parametrize("sample", ["mish_before", "mish_after", "legacy_before", "legacy_after"])
async def test_every_sample_fills_every_screen(samples: Path, sample: str) -> None:
    async with viewing(samples / sample, WIDE) as viewer:
        await viewer.everything_read()
        await viewer.shows("✓ complete|1 device")
        await viewer.shows(r"where \d.* went")
        await viewer.go("3")
        await viewer.shows(r"Conv_0 +Conv2D +(3 170\.625|1 415\.182)")
        await viewer.go("4")
        await viewer.shows(r"^▌ [█▄] +aclmdlExecute")
        await viewer.go("9")
        await viewer.shows(r"✓ +op_summary_.* 4?\d\d rows|✓ +op_summary_.* rows")


@sizes
@pytest.mark.parametrize(("kind", "digit", "why"), [("op_summary", "3", "type"), ("api_statistic", "4", "recomputed")])
async def test_without_a_table_the_screen_shows_the_next_best_and_says_from_what(
    samples_copy: Path, size: tuple[int, int], kind: str, digit: str, why: str
) -> None:
    profile = samples_copy / "mish_before"
    for path in profile.rglob(f"{kind}_*.csv"):
        path.unlink()
    async with viewing(profile, size) as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        await viewer.shows(r"^▌ . +(Conv2D|aclmdlExecute)|^▌ +(Conv2D|aclmdlExecute)")
        await viewer.shows(why)


@sizes
async def test_without_operators_the_screen_says_which_option_records_them(
    samples_copy: Path, size: tuple[int, int]
) -> None:
    profile = samples_copy / "mish_before"
    for kind in ("op_summary", "op_statistic"):
        for path in profile.rglob(f"{kind}_*.csv"):
            path.unlink()
    async with viewing(profile, size) as viewer:
        await viewer.everything_read()
        await viewer.press("3")
        await viewer.until(lambda: viewer.frame.DIGIT == "3")
        await viewer.shows("--task-time|--ascendcl|--model-execution|--aic-mode|msprof")
        await viewer.press("down", "enter", "y", "f", "F", "greater_than_sign", "space", "r", "m", "z", "z")
        await viewer.go("9")
        await viewer.shows("missing")


@sizes
async def test_an_empty_table_says_which_file_and_offers_nothing_about_rows(
    samples_copy: Path, size: tuple[int, int]
) -> None:
    (summary,) = samples_copy.rglob("mish_before/**/op_summary_*.csv")
    summary.write_bytes(b"")
    async with viewing(samples_copy / "mish_before", size) as viewer:
        await viewer.everything_read()
        await viewer.press("3")
        await viewer.until_on("3")
        await viewer.shows("the file is empty")
        await viewer.shows("export again")
        await viewer.shows("o open")
        possible = set(viewer.frame.offered())
        assert not possible & {"open_item", "filter", "find", "sort_asc", "choose", "copy", "export", "mark", "focus"}
        assert {"help", "command", "palette", "open_profile", "reread", "screen", "close"} <= possible
        assert not any(word in viewer.footer for word in ("sort", "filter", "columns"))


@sizes
async def test_hostile_and_chinese_names_are_shown_literally_and_aligned(tmp_path: Path, size: tuple[int, int]) -> None:
    names = ["evil\x1b]0;owned\x07", "[red]bold[/red]", "卷积层_第一个_算子", "混合Mixed名_7", "plain_op", "tab\there"]
    shown = [
        r"evil\x1b]0;owned\x07",
        "[red]bold[/red]",
        "卷积层_第一个_算子",
        "混合Mixed名_7",
        "plain_op",
        r"tab\there",
    ]
    ops = [replace(op, name=name) for op, name in zip(make_ops(len(names), communication=False), names)]
    written = write_prof(tmp_path, "G4", rows=ops)
    async with viewing(written.path, size) as viewer:
        await viewer.go("3")
        for op in sorted(ops, key=lambda op: -op.duration_ns):
            await viewer.shows(rf" {re.escape(shown[names.index(op.name)])} ─")
            assert not any(char in viewer.text for char in "\x1b\x07\t")
            await viewer.press("down")
        grid_rows = viewer.strips[3 : 3 + len(names)]
        assert {strip.cell_length for strip in grid_rows} == {size[0]}
        ends = {cells(strip.text[: strip.text.index(".")]) for strip in grid_rows}
        assert len(ends) == 1, "the decimal points do not stand below each other"


HOSTILE = {
    "derived_edge_cases/bom_crlf": r"",
    "derived_edge_cases/header_only": r"",
    "derived_edge_cases/zero_byte": r"",
    "derived_edge_cases/truncated_csv": r"",
    "derived_edge_cases/truncated_json": r"",
    "derived_edge_cases/empty_array": r"",
    "derived_edge_cases/sliced": r"",
    "prof_empty_files_and_slices": r"",
    "opprof_not_a_prof_dir": r"",
    "mindspore_job_raw_unparsed": r"",
    "msopprof_visualize_bin": r"",
    "qwen3_moe_op_statistic": r"",
    "torch_text_level0_2rank": r"",
    "torch_db_level1_2rank": r"",
    "legacy_summary_layout_assembled": r"",
    "msprof_db_text_mixed": r"",
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_every_screen_of_a_difficult_set_says_something_useful(shared_data: Path, name: str) -> None:
    path = shared_data / name
    if not path.exists():
        pytest.skip(f"the set {name} is not here")
    async with viewing(path) as viewer:
        await viewer.everything_read()
        if viewer.app.screen is not viewer.frame:
            await viewer.press("escape")
        for digit in "1349":
            await viewer.press(digit)
            await viewer.until_on(digit)
            await viewer.pilot.pause()
            body = [line for line in viewer.lines[2:-2] if line.strip()]
            assert body, f"screen {digit} is empty"
            assert "reading Ops" not in viewer.text
            assert "reading APIs" not in viewer.text
            assert "failed by a fault" not in "\n".join(viewer.app.messages_shown)
            assert {strip.cell_length for strip in viewer.strips} == {80}
            for key in ("down", "G", "g", "i", "i", "right"):
                await viewer.press(key)
