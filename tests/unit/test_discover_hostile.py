"""Paths that are broken, looped, unreadable or strange end in a sentence."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tui.errors import NotAProfile
from tui.readers import folders
from tui.readers.discover import discover
from tui.readers.folders import Explorer, total_bytes

SUMMARY = "Op Name,Task Type,Task Duration(us)\na,AI_CORE,1\n"


def put(path: Path, text: str = SUMMARY) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(NotAProfile, match="does not exist"):
        discover(tmp_path / "absent")


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(NotAProfile, match="holds no profile") as caught:
        discover(tmp_path)
    assert "PROF_" in caught.value.hint


def test_a_path_with_a_zero_byte() -> None:
    with pytest.raises(NotAProfile):
        discover(Path("a\0b"))


def test_a_broken_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(NotAProfile, match="does not exist"):
        discover(tmp_path / "link")


def test_a_link_to_itself(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(NotAProfile):
        discover(tmp_path / "loop")


def test_links_that_lead_back_are_followed_once(tmp_path: Path) -> None:
    put(tmp_path / "a" / "mindstudio_profiler_output" / "op_summary_20260511093035.csv")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "up").symlink_to(tmp_path)
    sources = discover(tmp_path)
    assert [profile.name for profile in sources.profiles] == ["a"]
    assert ["leads back" in problem.what for problem in sources.problems] == [True]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_folder_costs_only_itself(tmp_path: Path) -> None:
    put(tmp_path / "a" / "mindstudio_profiler_output" / "op_summary_20260511093035.csv")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    sources = discover(tmp_path)
    closed.chmod(0o700)
    assert len(sources.profiles) == 1
    assert [problem.path for problem in sources.problems] == [str(closed)]


def test_a_folder_that_cannot_be_listed_is_a_problem(tmp_path: Path) -> None:
    explorer = Explorer()
    assert explorer.listing(tmp_path / "gone").files == ()
    assert "cannot be read" in explorer.problems[0].what


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/PROF_1_\xff\xfe"
    os.makedirs(folder + b"/mindstudio_profiler_output")
    with open(folder + b"/mindstudio_profiler_output/op_summary_\xff.csv", "wb") as file:
        file.write(SUMMARY.encode())
    (profile,) = discover(tmp_path).profiles
    assert [file.kind for file in profile.files_of("ops")] == ["op_summary"]


def test_names_with_escape_sequences_and_newlines(tmp_path: Path) -> None:
    put(tmp_path / "evil\x1b[31m\nname" / "mindstudio_profiler_output" / "op_summary_20260511093035.csv")
    (profile,) = discover(tmp_path).profiles
    assert profile.name == "evil\x1b[31m\nname"


def test_thousands_of_files(tmp_path: Path) -> None:
    output = tmp_path / "mindstudio_profiler_output"
    output.mkdir()
    for number in range(3000):
        (output / f"op_summary_slice_{number}_20260511093035.csv").write_text(SUMMARY, encoding="utf-8")
    (profile,) = discover(tmp_path).profiles
    assert [file.slice for file in profile.files_of("ops")] == list(range(3000))


def test_a_slice_with_a_huge_number_names_few_holes(tmp_path: Path) -> None:
    put(tmp_path / "mindstudio_profiler_output" / "op_summary_slice_999999999_20260511093035.csv")
    (profile,) = discover(tmp_path).profiles
    assert profile.problems[0].what == "slices 0, 1, 2, 3, 4, 5, 6, 7 of op_summary are missing"


def test_the_search_has_a_depth(tmp_path: Path) -> None:
    put(tmp_path / "a" / "mindstudio_profiler_output" / "op_summary_20260511093035.csv")
    deep = tmp_path.joinpath("d", *"x" * (folders.MAX_DEPTH + 3))
    put(deep / "mindstudio_profiler_output" / "op_summary_20260511093035.csv")
    sources = discover(tmp_path)
    assert [profile.name for profile in sources.profiles] == ["a"]
    assert ["the search for profiles stopped" in problem.consequence for problem in sources.problems] == [True]


def test_the_search_has_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.readers.discover.MAX_FOLDERS", 3)
    for number in range(10):
        put(tmp_path / f"p{number}" / "mindstudio_profiler_output" / "op_summary_20260511093035.csv")
    sources = discover(tmp_path)
    assert len(sources.profiles) == 2
    assert len(sources.problems) == 1


def test_a_folder_named_like_a_file(tmp_path: Path) -> None:
    (tmp_path / "PROF_000001_1_A" / "device_0" / "info.json.0").mkdir(parents=True)
    (tmp_path / "PROF_000001_1_A" / "device_0" / "data").mkdir()
    (profile,) = discover(tmp_path).profiles
    assert profile.kind == "raw"


def test_device_folders_of_something_else_are_no_collection(tmp_path: Path) -> None:
    put(tmp_path / "device_0" / "notes.txt", "x")
    put(tmp_path / "host" / "notes.txt", "x")
    with pytest.raises(NotAProfile):
        discover(tmp_path)


def test_special_files_are_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "mindstudio_profiler_output" / "op_summary_20260511093035.csv")
    os.mkfifo(tmp_path / "mindstudio_profiler_output" / "msprof_20260511093035.json")
    (profile,) = discover(tmp_path).profiles
    assert [file.role for file in profile.files] == ["ops"]


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "msprof.json")
    with pytest.raises(NotAProfile, match="neither"):
        discover(tmp_path / "msprof.json")


def test_sizes_do_not_follow_links(tmp_path: Path) -> None:
    put(tmp_path / "a" / "x", "12345")
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a")
    link_bytes = os.lstat(tmp_path / "a" / "loop").st_size
    assert total_bytes(tmp_path / "a") in (5, 5 + link_bytes)


@pytest.mark.parametrize("name", ["x.txt", "x.json", "x.unknown"])
def test_a_file_that_is_nothing_is_said(tmp_path: Path, name: str) -> None:
    put(tmp_path / name, "hello")
    (profile,) = discover(tmp_path / name).profiles
    assert profile.kind == "file"
    assert "no table, timeline or database" in profile.problems[0].what


def test_an_empty_file_is_said(tmp_path: Path) -> None:
    put(tmp_path / "op_summary_0_1_1.csv", "")
    (profile,) = discover(tmp_path / "op_summary_0_1_1.csv").profiles
    assert [problem.what for problem in profile.problems] == ["the file is empty"]
