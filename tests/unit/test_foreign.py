"""Things that are no profile get one clear line, and their readable part is listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.model.sources import Profile
from tui.readers.discover import discover
from tui.readers.foreign import FOREIGN, foreign_file, foreign_folder


def put(path: Path, content: str = "a,b\n1,2\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def only(path: Path) -> Profile:
    (profile,) = discover(path).profiles
    return profile


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("OPPROF_20260731195916_AUUTUREFIPRQTJNR", "opprof"),
        ("PLATFORM_20260731195916", "platform"),
        ("msmemscope_1234_20260101_ascend", "memscope"),
        ("leaksDumpResults", "memscope"),
        ("JOB_results", None),
        ("PROF_000001_1_A", None),
    ],
)
def test_folders_by_name(name: str, key: str | None) -> None:
    found = foreign_folder(name)
    assert (found.key if found else None) == key


@pytest.mark.parametrize(
    ("name", "head", "key"),
    [
        ("visualize_data.bin", b"", "visualize"),
        ("memscope_dump_20260101000000.db", b"", "memscope"),
        ("training_trace.46.dev.profiler_default_tag.0.slice_0", b"", "raw-slices"),
        ("aoe_result_opat_20230101000000000_pid00001.json", b"", "aoe"),
        ("tune_result_20220813_115510216_pid13162.json", b"", "aoe"),
        ("fusion_result.json", b"", "fusion"),
        ("compare_result_20230703104808.csv", b"", "comparison"),
        ("acl.json", b' {\n "dump" : {"dump_path": "./"}}', "dump-config"),
        ("acl.json", b'{"profiler": {}}', None),
        ("dump.json", b'{"task": "statistics"}', "dump"),
        ("Sigmoid.decoder_out.7.0.1670000000000001", b"", "dump"),
        ("det1.npy", b"", "dump"),
        ("msprof.log", b"", "console"),
        ("op_summary_0_1_1.csv", b"", None),
        ("kernel_details.csv", b"", None),
    ],
)
def test_files_by_name_and_first_bytes(name: str, head: bytes, key: str | None) -> None:
    found = foreign_file(name, head)
    assert (found.key if found else None) == key


def test_every_kind_says_what_it_is_and_what_follows() -> None:
    assert all(kind.what and kind.consequence and (kind.folder or kind.file) for kind in FOREIGN)
    assert len({kind.key for kind in FOREIGN}) == len(FOREIGN)


def test_files_of_msprof_op_are_listed_as_tables(tmp_path: Path) -> None:
    put(tmp_path / "OPPROF_20260731_A" / "kernel_0" / "0" / "PipeUtilization_20260731195922781.csv")
    put(tmp_path / "OPPROF_20260731_A" / "kernel_0" / "0" / "notes.txt")
    for path in (tmp_path, tmp_path / "OPPROF_20260731_A", tmp_path / "OPPROF_20260731_A" / "kernel_0"):
        profile = only(path)
        tables = [file.kind for file in profile.files if file.role == "table"]
        assert (profile.kind, tables) == ("foreign", ["PipeUtilization"])
        (problem,) = profile.problems
        assert "msprof op" in problem.what


def test_one_foreign_file_opens_alone(tmp_path: Path) -> None:
    profile = only(put(tmp_path / "OpBasicInfo_20260731195922781.csv"))
    assert (profile.kind, profile.files[0].role) == ("file", "table")
    assert "msprof op" in profile.problems[0].what


def test_a_foreign_binary_is_named(tmp_path: Path) -> None:
    profile = only(put(tmp_path / "visualize_data.bin", "\0" * 40))
    (problem,) = profile.problems
    assert "MindStudio Insight" in problem.what
    assert profile.files[0].role == "foreign"


def test_foreign_things_beside_a_profile_are_noted(tmp_path: Path) -> None:
    put(tmp_path / "PROF_000001_1_A" / "mindstudio_profiler_output" / "op_summary_20260511093035.csv")
    put(tmp_path / "dump" / "x.npy", "n")
    put(tmp_path / "OPPROF_1" / "PipeUtilization_1.csv")
    sources = discover(tmp_path)
    assert [(profile.kind, profile.name) for profile in sources.profiles] == [
        ("msprof", "PROF_000001_1_A"),
        ("foreign", "OPPROF_1"),
    ]
    assert [problem.what for problem in sources.problems] == ["dumped tensors or tensor statistics, not a profile"]


def test_a_job_folder_may_hold_collections(tmp_path: Path) -> None:
    put(tmp_path / "JOB_7" / "PROF_000001_1_A" / "mindstudio_profiler_output" / "op_summary_20260511093035.csv")
    assert only(tmp_path / "JOB_7").kind == "msprof"


def test_unknown_tables_still_open(tmp_path: Path) -> None:
    put(tmp_path / "results" / "numbers.csv")
    put(tmp_path / "results" / "notes.md")
    profile = only(tmp_path)
    assert (profile.kind, [file.kind for file in profile.files]) == ("other", ["numbers"])
    assert profile.problems[0].what == "no profile of a known layout"


def test_a_cluster_report_is_told_from_a_profile(tmp_path: Path) -> None:
    put(tmp_path / "cluster_analysis_output" / "cluster_step_trace_time.csv")
    put(tmp_path / "cluster_analysis_output" / "cluster_communication.json", "{}")
    for path in (tmp_path, tmp_path / "cluster_analysis_output"):
        profile = only(path)
        assert profile.kind == "cluster"
        assert [file.kind for file in profile.files_of("steps")] == ["cluster_step_trace_time"]
        assert [problem.severity for problem in profile.problems] == ["info"]


@pytest.mark.parametrize(
    ("name", "word", "tables"),
    [
        ("opprof_not_a_prof_dir", "msprof op", 2),
        ("msopprof_visualize_bin", "visualize_data.bin", 0),
        ("mindspore_job_raw_unparsed", "never exported", 2),
        ("acl_dump_config_samples", "configuration of an operator dump", 0),
        ("aoe_opat_doc_snippet", "tuning run", 0),
        ("console_msprof_cann850_910b4", "console text", 0),
        ("derived_dump_dirs_autoencoder", "dumped tensors", 0),
    ],
)
def test_real_foreign_sets(shared_data: Path, name: str, word: str, tables: int) -> None:
    sources = discover(shared_data / name)
    problems = [*sources.problems, *(problem for profile in sources.profiles for problem in profile.problems)]
    assert sum(word in problem.what for problem in problems) == 1
    assert sum(file.role == "table" for profile in sources.profiles for file in profile.files) == tables
