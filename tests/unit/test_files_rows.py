"""The tree of files: what is used, what is wrong, what is missing."""

from __future__ import annotations

from pathlib import Path

from tui.model.problem import Problem
from tui.model.sources import Device, Environment, Missing, Profile, SourceFile, Sources
from tui.screens.files import FileRow, FileRows, entry_facts, tree_rows
from widgets.glyphs import ASCII, BLOCKS

ROOT = Path("/data/PROF_1")
OUTPUT = ROOT / "mindstudio_profiler_output"
OPS = SourceFile(OUTPUT / "op_summary_20240605083000.csv", "op_summary", "ops", 4096, date="20240605083000")
OLD = SourceFile(OUTPUT / "op_summary_20240101000000.csv", "op_summary", "ops", 99, used=False, note="older export")
L2 = SourceFile(OUTPUT / "l2_cache_1.csv", "l2_cache", "table", 10)
RAW = SourceFile(ROOT / "device_0" / "data.slice_0", "", "raw", 5000)
INFO = SourceFile(ROOT / "device_0" / "info.json.0", "", "environment", 100)


def profile(*files: SourceFile, missing: tuple[Missing, ...] = (), problems: tuple[Problem, ...] = ()) -> Profile:
    devices = (Device("0", ended_cleanly=False),)
    return Profile("PROF_1", ROOT, "msprof", "G4", files, devices, Environment(), (), missing, problems)


def tree(found: Profile, contents: dict[str, str] | None = None, opened: frozenset[str] = frozenset()) -> list[FileRow]:
    return list(tree_rows(Sources(ROOT, (found,)), contents or {}, BLOCKS, set(opened)))


def names(rows: list[FileRow]) -> list[str]:
    return [row.name.text for row in rows]


def test_a_profile_is_a_heading_its_folders_and_their_files() -> None:
    rows = tree(profile(OPS, OLD, L2), {str(OPS.path): "430 rows"})
    assert names(rows) == [
        "▾ PROF_1", "  ▾ mindstudio_profiler_output", "    op_summary_20240605083000.csv",
        "    op_summary_20240101000000.csv", "    l2_cache_1.csv",
    ]  # fmt: skip
    heading, _folder, ops, old, table = rows
    assert (heading.role.text, heading.size.text) == ("msprof", "4.1 KiB")  # 4096 + 99 + 10 bytes
    assert (ops.mark.text, ops.role.text, ops.size.text, ops.content.text) == ("✓", "ops", "4.0 KiB", "430 rows")
    assert (old.mark.text, old.content.text, old.name.role) == ("", "older export", "muted")
    assert table.role.text == "l2_cache"


def test_folders_without_data_are_closed_until_opened_and_tell_how_the_collection_ended() -> None:
    rows = tree(profile(OPS, RAW, INFO))
    assert names(rows)[-1] == "  ▸ device_0"
    assert (rows[-1].role.text, rows[-1].content.text, rows[-1].folder) == ("raw", "did not end cleanly", True)
    opened = tree(profile(OPS, RAW, INFO), opened=frozenset([str(ROOT / "device_0")]))
    assert names(opened)[-3:] == ["  ▾ device_0", "    data.slice_0", "    info.json.0"]


def test_data_comes_before_the_rest_whatever_the_order_found() -> None:
    rows = tree(profile(RAW, INFO, L2, OPS))
    assert names(rows)[1] == "  ▾ mindstudio_profiler_output"


def test_a_damaged_file_is_marked_and_says_what_so_and_do() -> None:
    problem = Problem(str(OPS.path), "row 7", "3 cells instead of 30", "the row is left out", "export again", "error")
    (row,) = [row for row in tree(profile(OPS, problems=(problem,))) if row.file is OPS]
    assert (row.mark.text, row.notable, row.content.text) == ("E", True, "3 cells instead of 30")
    facts = [(entry.label, entry.value[0].text) for entry in entry_facts(row)]
    assert facts == [
        ("path", str(OPS.path)), ("what", "row 7: 3 cells instead of 30"), ("so", "the row is left out"),
        ("do", "export again"),
    ]  # fmt: skip


def test_a_warning_is_an_exclamation_mark_and_a_note_is_none() -> None:
    warn = Problem(str(OPS.path), "", "2 rows are ragged", "", "", "warn")
    info = Problem(str(L2.path), "", "empty", "", "", "info")
    rows = {row.file.path: row for row in tree(profile(OPS, L2, problems=(warn, info))) if row.file is not None}
    assert (rows[OPS.path].mark.text, rows[OPS.path].notable) == ("!", True)
    assert (rows[L2.path].mark.text, rows[L2.path].notable) == ("✓", False)


def test_a_problem_of_no_file_has_a_line_of_its_own() -> None:
    problem = Problem(str(ROOT / "timeline"), "", "cannot be listed", "", "", "error")
    row = tree(profile(OPS, problems=(problem,)))[-1]
    assert (row.mark.text, row.name.text, row.content.text, row.notable) == (
        "E",
        "  timeline",
        "cannot be listed",
        True,
    )


def test_a_damaged_folder_is_open() -> None:
    problem = Problem(str(INFO.path), "", "no JSON", "", "", "warn")
    rows = tree(profile(OPS, RAW, INFO, problems=(problem,)))
    assert "    info.json.0" in names(rows)


def test_what_is_missing_comes_last_the_expected_first_with_its_option() -> None:
    wanted = Missing("op_statistic_*.csv", "op-types", "--task-time=l1", "sums by type are recomputed", True)
    usual = Missing("l2_cache_*.csv", "table", "--l2=on", "no cache hits", False)
    rows = tree(profile(OPS, missing=(usual, wanted)))
    assert names(rows)[-3:] == ["▾ missing", "  op_statistic_*.csv", "  l2_cache_*.csv"]
    assert [row.mark.text for row in rows[-2:]] == ["–", ""]
    assert [row.notable for row in rows[-2:]] == [True, False]
    assert [row.content.text for row in rows[-2:]] == ["--task-time=l1", "--l2=on"]
    facts = {entry.label: entry.value[0].text for entry in entry_facts(rows[-2])}
    assert facts == {
        "what": "not among the files", "so": "sums by type are recomputed", "enable": "collect with --task-time=l1",
    }  # fmt: skip


def test_a_file_says_which_screen_or_command_shows_it() -> None:
    rows = {row.file.path: row for row in tree(profile(OPS, L2)) if row.file is not None}
    ops = {entry.label: entry.value[0].text for entry in entry_facts(rows[OPS.path])}
    assert ops == {"path": str(OPS.path), "shown": "3 Ops", "exported": "2024-06-05 08:30:00"}
    other = {entry.label: entry.value[0].text for entry in entry_facts(rows[L2.path])}
    assert other["shown"] == "npuscope table l2_cache"


def test_other_glyphs_are_those_of_the_set() -> None:
    rows = list(tree_rows(Sources(ROOT, (profile(OPS, RAW),)), {}, ASCII, set()))
    shown = "".join(cell.text for row in rows for cell in (row.mark, row.name, row.role, row.size, row.content))
    assert shown.isascii()


def test_the_source_gives_cells_of_the_asked_lines_and_columns() -> None:
    rows = tree(profile(OPS, L2))
    source = FileRows(rows, 80)
    assert source.row_count == len(rows)
    assert [column.key for column in source.columns] == ["mark", "file", "role", "size", "content"]
    (cells,) = source.block(2, 3, [1, 3])
    assert [cell.text for cell in cells] == ["    op_summary_20240605083000.csv", "4.0 KiB"]
    assert source.summary([0]) is None
    assert source.sort_marks() == {}
