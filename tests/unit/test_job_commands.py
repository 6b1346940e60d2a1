"""`npuscope run` and `npuscope jobs`: numbers on stdout, notes on stderr, exit codes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.standins import BIN, QUICK_STOP, SLEEPER, collection, finished, says, until
from tui.cli import run
from tui.job_report import detail_lines, list_lines
from tui.tools import jobs

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The stand-ins are the tools, and their NPU is idle."""
    monkeypatch.setenv("NPUSCOPE_TOOLS", str(BIN))
    monkeypatch.setenv("STANDIN_NPU", "310P")
    monkeypatch.setattr("tui.tools.aoe.NEEDED_DISK_BYTES", 0)
    monkeypatch.chdir(tmp_path)


def test_waiting_for_a_good_run_exits_with_0(tmp_path: Path, capsys: Capture) -> None:
    assert run(("run", "msprof", "--wait", "--", f"--output={tmp_path}/out", "true")) == 0
    captured = capsys.readouterr()
    assert captured.out == "1\n"
    assert "PROF_000001_" in captured.err
    assert run(("jobs",)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Job", "Kind", "State", "Elapsed", "Result"]
    assert lines[1].split()[:3] == ["1", "msprof", "done"]


def test_waiting_for_a_bad_run_exits_with_1(tmp_path: Path, capsys: Capture) -> None:
    assert run(("run", "msprof", "--wait", "--", f"--output={tmp_path}/out", "false")) == 1
    assert "the program failed with 1 (Operation not permitted); msprof itself" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "msprof", "--wait", "--", "--output=/tmp", "--aic-freq=0", "true"), "--aic-freq cannot be '0'"),
        (("run", "msaccucmp", "--", "compare"), "msaccucmp is not found"),
        (("run", "aoe", "--", "--model=none.onnx", "--job_type=1"), "none.onnx is not there"),
        (("run", "sl"), "Invalid value"),
        (("jobs", "7"), "there is no job 7"),
        (("jobs", "--stop"), "name the job"),
    ],
)
def test_what_is_not_started_exits_with_2(arguments: tuple[str, ...], said: str, capsys: Capture) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
    assert jobs.jobs() == []


def test_without_waiting_the_number_comes_at_once(tmp_path: Path, capsys: Capture) -> None:
    code = (
        "import os, time\nend = time.time() + 120\n"
        "while not os.path.exists('go') and time.time() < end: time.sleep(0.02)"
    )
    assert run(("run", "msprof", "--", f"--output={tmp_path}/out", sys.executable, "-c", code)) == 0
    assert capsys.readouterr().out == "1\n"
    assert jobs.jobs()[0].state == "running"
    (tmp_path / "go").touch()
    assert run(("jobs", "1", "--follow")) == 0
    assert "[INFO] Profiling finished." in capsys.readouterr().out


def test_a_job_is_stopped_by_its_number(tmp_path: Path, capsys: Capture) -> None:
    job = jobs.start(collection(tmp_path, SLEEPER), stop_waits_s=QUICK_STOP)
    until(says(job, "app runs"))
    assert run(("jobs", str(job.id), "--stop")) == 0
    assert "stopped by you; 1 result is usable" in capsys.readouterr().out
    assert run(("jobs", str(job.id), "--stop")) == 2
    assert "is over already" in capsys.readouterr().err


def test_followed_output_cannot_reach_the_terminal(tmp_path: Path, capsys: Capture) -> None:
    code = "import sys; sys.stdout.buffer.write(b'\\x1b]0;owned\\x07 \\xff\\r 50%\\r100%\\n\\x1b[2Jlast')"
    job = finished(collection(tmp_path, (sys.executable, "-c", code)))
    assert run(("jobs", str(job.id), "--follow")) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "100%\n" in out
    assert "\\x1b[2Jlast[INFO] Start export" in out


def test_a_tuning_is_shown_with_its_operators_and_how_to_use_it(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m.onnx").touch()
    (tmp_path / "bank").mkdir()
    monkeypatch.setenv("TUNE_BANK_PATH", str(tmp_path / "bank"))
    assert run(("run", "aoe", "--wait", "--", "--model=m.onnx", "--framework=5", "--job_type=2")) == 0
    captured = capsys.readouterr()
    assert "run --job_type=1 first" in captured.err
    assert run(("jobs", "1")) == 0
    text = capsys.readouterr().out
    assert f"use it  export TUNE_BANK_PATH={tmp_path}/bank" in text
    assert "Conv_0    Conv2D  3 170.625  2 204.310  +966.315   30.48     7.79" in text
    assert run(("jobs", "1", "--format", "json")) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["claimed_gain_pct"] == 10.05
    assert [row["op_name"] for row in data["tuning"][0]["ops"]] == ["Conv_0", "Conv_8", "Conv_125"]
    assert "env" not in data["command"]


def test_lists_and_details_escape_what_tools_and_people_wrote(tmp_path: Path) -> None:
    job = finished(collection(tmp_path, ("echo", "\x1b[31m\u202e[bold]")))
    text = "\n".join((*list_lines([job]), *detail_lines(job)))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold]" in text


def test_nothing_heavy_is_loaded_by_the_supervisor(tmp_path: Path) -> None:
    job = jobs.start(collection(tmp_path, SLEEPER), stop_waits_s=QUICK_STOP)
    assert job.supervisor is not None
    maps = Path(f"/proc/{job.supervisor.pid}/maps").read_text()
    assert not any(name in maps for name in ("numpy", "pandas", "orjson"))
    assert os.getsid(job.supervisor.pid) != os.getsid(0)
    jobs.stop(job.id)
    jobs.wait(job.id, 30)
