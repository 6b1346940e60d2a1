"""The command line: routing, options, output files, exit codes, what stays off stdout."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tui.cli
from tui.cli import EXIT_FAULT, EXIT_INTERRUPTED, run
from tui.errors import Cancelled

Capture = pytest.CaptureFixture[str]


def start(repository: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Runs npuscope as a process of its own."""
    command = [sys.executable, "-m", "tui", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(repository)}
    return subprocess.run(command, env=environment, capture_output=True, check=False, timeout=60, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(repository: Path, argument: str) -> None:
    code = (
        "import sys\nfrom tui.__main__ import main\n"
        f"sys.argv = ['npuscope', {argument!r}]\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code\n"
        "print([name for name in ('numpy', 'pandas', 'textual', 'rich', 'orjson') if name in sys.modules])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(repository)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert "npuscope" in done.stdout


def test_a_first_word_that_is_a_command_is_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "check").mkdir()
    monkeypatch.chdir(tmp_path)
    assert run(("check",)) == 2
    assert "PATH" in capsys.readouterr().err
    assert run(("./check",)) == 2
    assert "check holds no profile" in capsys.readouterr().err


def test_a_misspelt_command_is_pointed_out(capsys: Capture) -> None:
    assert run(("reprot",)) == 2
    assert "report" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ("nowhere",),
        ("check", "nowhere"),
        ("report", "nowhere"),
        ("table", "ops", "nowhere"),
        ("table",),
        ("--glyphs", "emoji"),
        ("report", ".", "--format", "docx"),
    ],
)
def test_what_cannot_be_answered_is_2_in_one_line(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.strip()
    assert "Traceback" not in captured.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--filter", "dur>"), "value"),
        (("--filter", "nosuch=1"), "nosuch"),
        (("--sort", "nosuch"), "nosuch"),
        (("--group", "nosuch"), "nosuch"),
        (("--columns", "nosuch"), "nosuch"),
        (("--limit", "-1"), "limit"),
    ],
)
def test_bad_table_options(options: tuple[str, ...], said: str, samples: Path, capsys: Capture) -> None:
    assert run(("table", "ops", str(samples / "mish_before"), *options)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err


def test_findings_of_what_is_no_profile(samples: Path, capsys: Capture) -> None:
    assert run(("table", "findings", str(samples / "dump_fp16"))) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("kind", ["events", "tracks", "gaps"])
def test_tables_of_the_timeline(kind: str, samples: Path, capsys: Capture) -> None:
    assert run(("table", kind, str(samples / "mish_before"), "--format", "json", "--limit", "3")) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3


def test_table_by_the_kind_in_a_file_name(samples: Path, capsys: Capture) -> None:
    assert run(("table", "fusion_op", str(samples / "mish_before"), "--format", "json", "--limit", "1")) == 0
    assert len(json.loads(capsys.readouterr().out)) == 1


def test_table_of_one_file(samples: Path, capsys: Capture) -> None:
    path = next((samples / "mish_before").rglob("op_summary_*.csv"))
    assert run(("table", "ops", str(path), "--limit", "1", "--format", "csv", "--columns", "name,dur")) == 0
    assert capsys.readouterr().out == "op_name,task_duration_us\nConv_0,3170.625\n"


def test_reference_apis(samples: Path, capsys: Capture) -> None:
    """Load takes 20 to 50 % and execute at least 50 % of the span, in both layouts."""
    for layout in ("mish_before", "legacy_before"):
        assert run(("table", "apis", str(samples / layout), "--format", "json")) == 0
        rows = {row["api_name"]: row for row in json.loads(capsys.readouterr().out)}
        assert 20 <= rows["aclmdlLoadFromFileWithMem"]["span_pct"] < 50
        assert rows["aclmdlExecute"]["span_pct"] >= 50


def test_notes_go_to_stderr(samples: Path, capsys: Capture) -> None:
    """Several profiles: the first is used, the others are named; stdout stays data."""
    assert run(("table", "ops", str(samples), "--format", "json", "--limit", "1")) == 0
    captured = capsys.readouterr()
    json.loads(captured.out)
    for name in ("mish_after", "legacy_before", "legacy_after", "mish_before"):
        assert name in captured.err


def test_output_file_and_its_sidecar(samples: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "ops.csv"
    command = (
        "table",
        "ops",
        str(samples / "mish_before"),
        "--filter",
        "type=Mul",
        "--format",
        "csv",
        "-o",
        str(target),
    )
    assert run(command) == 0
    assert capsys.readouterr().out == ""
    rows = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))
    assert len(rows) == 72
    meta = json.loads((tmp_path / "ops.csv.meta.json").read_text(encoding="utf-8"))
    assert meta["filter"] == "type=Mul"
    assert meta["files"][0].endswith(".csv")
    before = target.read_bytes()
    assert run(command) == 2
    assert "--force" in capsys.readouterr().err
    assert target.read_bytes() == before
    assert run((*command, "--force", "--bom")) == 0
    assert target.read_bytes() == b"\xef\xbb\xbf" + before


def test_output_that_cannot_be_written(samples: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "no" / "such" / "folder.txt"
    assert run(("report", str(samples / "mish_before"), "-o", str(target))) == 2
    assert "folder.txt" in capsys.readouterr().err


def test_report_file(samples: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.md"
    assert run(("report", str(samples / "mish_before"), "--format", "md", "-o", str(target))) == 0
    assert target.read_text(encoding="utf-8").startswith("# ")


def test_check_codes(samples: Path, tmp_path: Path, capsys: Capture) -> None:
    assert run(("check", str(samples / "mish_before"), "--format", "json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) >= {"kind", "generation", "devices", "files", "problems"}
    broken = tmp_path / "op_summary_20240101000001.csv"
    broken.write_text("Op Name,OP Type,Task Duration(us)\na,b,1.0\nc,d\n", encoding="utf-8")
    assert run(("check", str(broken))) == 1
    broken.write_bytes(b"")
    assert run(("check", str(broken))) == 2


def test_a_fault_of_ours_is_70_with_a_log(
    private_home: Path, samples: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fail(*_arguments: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(tui.cli, "_report", fail)
    assert run(("report", str(samples / "mish_before"))) == EXIT_FAULT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    log = private_home / "state" / "npuscope" / "npuscope.log"
    assert str(log) in captured.err
    assert "broken on purpose" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), Cancelled("stopped")])
def test_interruption_is_130(stop: BaseException, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_arguments: object) -> None:
        raise stop

    monkeypatch.setattr(tui.cli, "_report", interrupt)
    assert run(("report", str(samples / "mish_before"))) == EXIT_INTERRUPTED


def test_without_a_terminal_the_report_is_printed(repository: Path, samples: Path) -> None:
    done = start(repository, str(samples / "mish_before"), stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert b"214.6 ms" in done.stdout
    assert b"terminal" in done.stderr


def test_demo_without_a_terminal(repository: Path) -> None:
    done = start(repository, "demo", stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert b"Conv2D" in done.stdout


def test_no_path_and_no_terminal_lists_the_profiles_below(repository: Path, samples: Path, tmp_path: Path) -> None:
    done = start(repository, cwd=samples, stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 4
    assert start(repository, cwd=tmp_path, stdin=subprocess.DEVNULL).returncode == 2


def test_a_reader_that_goes_away_is_no_error(repository: Path, samples: Path) -> None:
    command = [sys.executable, "-m", "tui", "table", "ops", str(samples / "mish_before"), "--format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(repository)}
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            command, env=environment, stdout=write_end, stderr=subprocess.PIPE, check=False, timeout=60
        )
    finally:
        os.close(write_end)
    assert done.returncode == 0
    assert done.stderr == b""


def test_output_that_is_not_utf8_stays_valid(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "op_summary_20240101000001.csv"
    path.write_text("Op Name,Task Duration(us)\n卷积\U0001f600,1.5\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(repository), "PYTHONIOENCODING": "latin-1"}
    for form in ("json", "text"):
        command = [sys.executable, "-m", "tui", "table", "ops", str(path), "--format", form]
        done = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        if form == "json":
            assert json.loads(done.stdout.decode("latin-1"))[0]["op_name"] == "卷积\U0001f600"


def test_language_option(capsys: Capture) -> None:
    assert run(("--lang", "en", "table", "--help")) == 0
    assert "--filter" in capsys.readouterr().out
