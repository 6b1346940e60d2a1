"""What msprof prints in its versions, and in real text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.model.jobs import Command, Job
from tui.tools.consoles import atc_console, infer_console, msprof_console
from tui.tools.log_lines import lines_of
from tui.tools.outcome import judged
from tui.tools.prof_dirs import NAME, names_in, state_of, unexported

PROF = "PROF_000001_20260723133445164_JOJGBELOFFNAFPDC"


def exported(prof: Path) -> Path:
    """A PROF folder as it is after an export, new layout."""
    for part in ("host/data", "device_0/data", "mindstudio_profiler_output"):
        (prof / part).mkdir(parents=True)
    (prof / "host" / "data" / "x").touch()
    (prof / "mindstudio_profiler_output" / "op_summary_1.csv").write_text("a\n")
    return prof


def test_real_text_of_cann_8_5(shared_data: Path, tmp_path: Path) -> None:
    log = shared_data / "console_msprof_cann850_910b4" / "msprof.log"
    console = msprof_console(lines_of(log))
    assert console.succeeded
    assert console.name == PROF
    assert len(console.notes) == 3
    assert all(" data to export for " in note for note in console.notes)
    assert [line for line in console.warnings if "running as root" in line]
    exported(tmp_path / PROF)
    command = Command("msprof", ("msprof", "app"), str(tmp_path), output=str(tmp_path))
    job = judged(Job(1, command, "running", started_s=1.0, exit_code=0), log)
    assert (job.state, job.reason, len(job.notes)) == ("done", "", 3)
    assert [Path(result.path).name for result in job.results] == [PROF]


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("[INFO] Process profiling data complete. Data is saved in /w/out/PROF_x.", "saved_in", "/w/out/PROF_x"),
        ("[INFO] Process profiling data complete. Data is saved in /w/my out/PROF_x", "saved_in", "/w/my out/PROF_x"),
        ("50 %[INFO] Process profiling data complete. Data is saved in /w/PROF_y", "saved_in", "/w/PROF_y"),
        ("[ERROR] The specified program cannot exit normally, exitCode:139", "app_failure", "139"),
        ("[ERROR] An exception has occurred in process App, return code: Key has expired.", "app_failure",
         "127 (Key has expired)"),
        ("[ERROR] An exception has occurred in process Query", "failed_steps", ("Query",)),
        ("[ERROR] Running profiling failed. Please check the driver package is correctly installed.", "no_driver",
         "[ERROR] Running profiling failed. Please check the driver package is correctly installed."),
        ("msprof: unrecognized option '--foo=1'", "refused", "unrecognized option '--foo=1'"),
        ("[ERROR] Argument --l2: invalid value: x. Please input 'on' or 'off'.", "refused",
         "[ERROR] Argument --l2: invalid value: x. Please input 'on' or 'off'."),
        ("write failed: No space left on device", "full", "write failed: No space left on device"),
    ],
)  # fmt: skip
def test_each_line_of_msprof_is_understood(line: str, field: str, value: object) -> None:
    assert getattr(msprof_console([line]), field) == value


def test_an_endless_number_of_errors_keeps_the_first() -> None:
    console = msprof_console(f"[ERROR] number {number}" for number in range(10_000))
    assert len(console.errors) == 50
    assert console.errors[0] == "[ERROR] number 0"


def test_atc_and_msame_say_how_it_went() -> None:
    assert atc_console(["ATC start working now", "....ATC run success, welcome to the next use."]).succeeded
    failed = atc_console(["ATC run failed, Please check the detail log", "E10007: --soc_version is required."])
    assert (failed.succeeded, failed.codes) == (False, (("E10007", "--soc_version is required."),))
    assert infer_console(["Inference average time : 81.11 ms"]).mean_ms == 81.11
    assert infer_console(["Inference average time: 81.110000 ms"]).mean_ms == 81.11
    bench = "NPU_compute_time (ms): min = 3.21, max = 3.9, mean = 3.3, median = 3.25, percentile(99%) = 3.8"
    assert infer_console([bench]).mean_ms == 3.3
    assert not infer_console([]).succeeded


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        (PROF, True),
        ("PROF_000001_20261130101112345_00012345ABCDEFGH", True),
        ("PROF_000001_20261130101112345_0001234512345678", True),
        ("PROF_000001_20261130101112345_00012345abcdefgh", False),
        ("PROF_1_2_3", False),
        ("OPPROF_20260101", False),
    ],
)
def test_names_of_collections(name: str, is_one: bool) -> None:
    assert bool(NAME.fullmatch(name)) == is_one


def test_how_far_a_collection_got(tmp_path: Path) -> None:
    assert state_of(exported(tmp_path / "whole" / PROF)) == "exported"
    raw = tmp_path / "raw" / PROF
    (raw / "device_0" / "data").mkdir(parents=True)
    assert state_of(raw) == "empty"
    (raw / "device_0" / "data" / "slice_0").touch()
    assert state_of(raw) == "incomplete"
    (raw / "device_0" / "end_info.0").touch()
    assert state_of(raw) == "collected"
    assert unexported(str(raw)) == [raw] == unexported(str(tmp_path / "raw"))
    assert unexported(str(tmp_path / "whole")) == []
    (raw / "device_0" / "summary").mkdir()
    (raw / "device_0" / "summary" / "op_summary_0_1_1.csv").write_text("x")
    assert state_of(raw) == "exported"
    (tmp_path / "void" / PROF).mkdir(parents=True)
    assert state_of(tmp_path / "void" / PROF) == "empty"
    assert state_of(tmp_path / "none") == "empty"
    assert names_in(str(tmp_path)) == (f"raw/{PROF}", f"void/{PROF}", f"whole/{PROF}")
