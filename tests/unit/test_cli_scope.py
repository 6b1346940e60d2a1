"""`--device`, `--iter` and `--window` of the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.runs import write_runs
from tui.cli import run

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_runs(tmp_path)


def rows(capsys: Capture, *arguments: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run((*arguments, "--format", "json")) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_tables_of_some_iterations(runs: Path, capsys: Capture) -> None:
    assert [row["op_name"] for row in rows(capsys, "table", "ops", str(runs), "--iter", "2..")] == ["Conv_1", "Conv_2"]
    (api,) = rows(capsys, "table", "apis", str(runs), "--iter", "1")
    assert (api["api_name"], api["count"], api["time_us"]) == ("aclmdlExecute", 1, 150.0)
    events = rows(capsys, "table", "events", str(runs), "--iter", "3")
    assert [(row["name"], row["start_ns"]) for row in events] == [
        ("AscendCL@aclmdlExecute", 1_300_000),
        ("Conv_2", 1_305_000),
    ]


def test_a_part_of_the_time_is_read_and_said_to_be_one(runs: Path, capsys: Capture) -> None:
    relative = rows(capsys, "table", "events", str(runs), "--window", "290us..380us")
    absolute = rows(capsys, "table", "events", str(runs), "--window", "@1190000..@1280000")
    assert [row["name"] for row in relative] == ["AscendCL@aclmdlExecute", "Conv_1"]
    assert relative == absolute
    assert run(("table", "events", str(runs), "--window", "290us..380us")) == 0
    assert "only 290us..380us of the timeline is read" in capsys.readouterr().err


def test_the_report_is_of_the_iterations(runs: Path, capsys: Capture) -> None:
    assert run(("report", str(runs), "--iter", "2..", "--format", "json")) == 0
    report = json.loads(capsys.readouterr().out)
    assert [(row["op_type"], row["count"]) for row in report["top_ops"]] == [("Conv2D", 2)]
    (device,) = report["split"]["devices"]
    assert (device["computing_ns"], device["free_ns"]) == (70_000, 60_000)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--iter", "9"), "no iteration 9; there is 1..3"),
        (("--iter", "x"), "a number or a range"),
        (("--device", "4"), "no device 4; there is 0"),
        (("--window", "1ms"), "two times, such as 10ms..14ms"),
        (("--window", "2ms..1ms"), "the second time must be later"),
    ],
)
def test_what_there_is_not(runs: Path, options: tuple[str, ...], said: str, capsys: Capture) -> None:
    for command in (("table", "ops"), ("report",)):
        assert run((*command, str(runs), *options)) == 2
        assert said in capsys.readouterr().err
