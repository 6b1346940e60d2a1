"""Finding tools, toolkits and NPUs; what may be run and written for the user; the doctor."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.standins import BIN
from tui.cli import run
from tui.tools import survey
from tui.tools.locate import Search, features, find_tool, parse_features
from tui.tools.npu_smi import npu_report, parse_info, with_logical_ids
from tui.tools.ownership import disk_at, make_output, output_problems, unsafe_program
from tui.tools.preflight import Surroundings, device_problems
from tui.tools.query import ask
from tui.tools.toolkits import release_of, script_variables, toolkits, version_of

Capture = pytest.CaptureFixture[str]


def toolkit(root: Path, version: str, script: str = "") -> Path:
    """An installed toolkit that holds msprof and atc."""
    for tool in ("bin/atc", "tools/profiler/bin/msprof"):
        path = root / tool
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    (root / "x86_64-linux").mkdir()
    (root / "x86_64-linux" / "ascend_toolkit_install.info").write_text(
        f"package_name=Ascend-cann-toolkit\nversion={version}\n"
    )
    here = 'export ASCEND_HOME_PATH="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n'
    (root / "set_env.sh").write_text(script or here + 'export PATH="$ASCEND_HOME_PATH/bin:$PATH"\n')
    return root


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment without any tool."""
    return {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}


def test_the_setting_beats_the_path_and_the_path_beats_the_rest(tmp_path: Path, bare: dict[str, str]) -> None:
    home = toolkit(tmp_path / "Ascend" / "cann-8.5.1", "8.5.1")
    mine = toolkit(tmp_path / "mine", "7.0.0")
    bases = (str(tmp_path / "Ascend"),)
    found = find_tool("msprof", Search("", bare, bases))
    assert (found.path, found.found_by) == (str(home / "tools/profiler/bin/msprof"), "default")
    assert found.toolkit is not None
    assert found.toolkit.version == "8.5.1"
    with_home = {**bare, "ASCEND_HOME_PATH": str(mine)}
    assert find_tool("msprof", Search("", with_home, bases)).found_by == "environment"
    with_path = {**with_home, "PATH": f"{BIN}:/usr/bin"}
    assert find_tool("msprof", Search("", with_path, bases)).found_by == "PATH"
    chosen = find_tool("msprof", Search(f"/nowhere:{mine}", with_path, bases))
    assert (chosen.path, chosen.found_by) == (str(mine / "tools/profiler/bin/msprof"), "setting")
    named = find_tool("msprof", Search(str(BIN / "msprof"), bare, bases))
    assert named.path == str(BIN / "msprof")


def test_the_newest_of_the_default_places_comes_first(tmp_path: Path, bare: dict[str, str]) -> None:
    base = tmp_path / "Ascend"
    for name, version in (("ascend-toolkit/8.0.RC3", "8.0.RC3"), ("cann-9.0.0", "9.0.0"), ("cann-8.5.1", "8.5.1")):
        toolkit(base / name, version)
    (base / "ascend-toolkit" / "latest").symlink_to("8.0.RC3")
    found = toolkits((str(base),), bare)
    assert [kit.version for kit in found] == ["9.0.0", "8.5.1", "8.0.RC3"]
    assert found[0].script == str(base / "cann-9.0.0" / "set_env.sh")
    assert toolkits((str(base),), {"ASCEND_TOOLKIT_HOME": str(base / "ascend-toolkit/latest")})[0].version == "8.0.RC3"


def test_releases_are_compared_as_numbers() -> None:
    versions = ["7.0.0", "8.0.RC1", "8.0.RC3", "8.0.RC10", "8.0.0", "8.0.1", "8.2.RC1", "8.5.1", "9.0.0", "10.0.0"]
    assert sorted(versions, key=release_of) == versions
    assert release_of("what") == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("version.cfg", "# version: 1.0\nruntime_running_version=[8.0.RC2:8.0.RC2]\n", "8.0.RC2"),
        ("compiler/version.info", "Version=7.6.0.1.220\n", "7.6.0.1.220"),
        ("version.cfg", "nothing", ""),
    ],
)
def test_versions_stand_in_several_files(tmp_path: Path, name: str, text: str, version: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    assert version_of(tmp_path) == version


def test_missing_variables_come_from_the_script_without_a_shell_string(
    tmp_path: Path, bare: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    root = toolkit(tmp_path / "an $(touch x) 'odd; name" / "cann", "8.5.1")
    found = find_tool("msprof", Search(str(root), bare, ()))
    variables = dict(found.variables)
    assert variables["ASCEND_HOME_PATH"] == str(root)
    assert variables["PATH"] == f"{root}/bin:/usr/bin:/bin"
    assert not (tmp_path / "x").exists()
    has_them = find_tool("msprof", Search(str(root), {**bare, "ASCEND_HOME_PATH": str(root)}, ()))
    assert has_them.variables == ()
    of_another = find_tool("msprof", Search(str(root), {**bare, "ASCEND_HOME_PATH": "/x"}, ()))
    assert dict(of_another.variables)["ASCEND_HOME_PATH"] == str(root)
    built = find_tool("msame", Search(f"{BIN}:{root}", bare, ()))
    assert (built.toolkit, dict(built.variables)["ASCEND_HOME_PATH"]) == (None, str(root))


def test_a_script_that_others_may_write_is_not_run(tmp_path: Path, bare: dict[str, str]) -> None:
    root = toolkit(tmp_path / "cann", "8.5.1", "touch ran\n")
    (root / "set_env.sh").chmod(0o666)
    found = find_tool("msprof", Search(str(root), bare, ()))
    assert found.variables == ()
    assert "everybody may write" in found.hint
    assert "cannot be looked at" in script_variables(str(tmp_path / "none"), bare)[1]


def test_a_tool_that_may_not_be_executed_says_so(tmp_path: Path, bare: dict[str, str]) -> None:
    (tmp_path / "aoe").write_text("x")
    found = find_tool("aoe", Search(str(tmp_path), bare, ()))
    assert not found.usable
    assert "may not be executed" in found.problem


def test_what_is_not_there_says_what_to_do(bare: dict[str, str]) -> None:
    for name in ("msprof", "aoe", "atc", "msame", "ais_bench", "msaccucmp", "npu-smi"):
        found = find_tool(name, Search("", bare, ()))
        if not found.path:
            assert found.problem == f"{name} is not found"
            assert found.hint


def test_the_help_is_the_list_of_features() -> None:
    known = features(find_tool("msprof", Search(str(BIN))))
    assert known is not None
    assert {"output", "task-time", "aic-metrics"} <= known
    assert "sys-lp" not in known
    assert parse_features("      --l2                              <Optional> x\n--no <Optional> y\n") == {"l2"}


def test_the_real_table_of_a_910b(shared_data: Path) -> None:
    report = parse_info((shared_data / "console_msprof_cann850_910b4" / "npu_smi_info.txt").read_text())
    (npu,) = report.npus
    assert (npu.npu, npu.name, npu.total_mb, npu.used_mb) == (6, "910B4-1", 65536, 3416)
    assert (npu.health, npu.power_w, npu.temp_c, npu.aicore_pct, npu.is_busy) == ("OK", 97.1, 34.0, 0.0, False)
    assert (report.version, npu.soc_version) == ("25.5.1", "Ascend910B4-1")


def test_the_tables_of_three_families(monkeypatch: pytest.MonkeyPatch) -> None:
    smi = str(BIN / "npu-smi")
    first, second = npu_report(smi).npus
    assert (first.name, first.device, first.used_mb, first.total_mb) == ("910B3", 0, 53984, 65536)
    assert [(process.pid, process.name, process.memory_mb) for process in first.processes] == [(1234, "python3", 512)]
    assert (first.is_busy, second.is_busy, second.device) == (True, False, 1)
    monkeypatch.setenv("STANDIN_NPU", "310P")
    (npu,) = npu_report(smi).npus
    assert (npu.npu, npu.device, npu.name, npu.power_w) == (1, 0, "310P3", None)
    assert (npu.used_mb, npu.total_mb, npu.soc_version) == (1851, 21527, "Ascend310P3")
    monkeypatch.setenv("STANDIN_NPU", "910A3")
    chips = npu_report(smi).npus
    assert [(npu.npu, npu.chip, npu.device, npu.power_w) for npu in chips] == [(0, 0, 0, 180.4), (0, 1, 1, None)]
    assert [npu.soc_version for npu in chips] == ["Ascend910", "Ascend910"]
    assert [process.name for process in chips[1].processes] == ["vllm worker"]


def test_a_wider_table_with_one_more_cell_is_read() -> None:
    text = (
        "+--+\n| NPU Chip | Process id | Process id in container | Process name | Process memory(MB) |\n+==+\n"
        "| 0 0 | 11 | 7 | x | 5 |\n+==+\n"
    )
    head = "+--+\n| NPU Name | Health | Power(W) Temp(C) |\n| Chip | Bus-Id | AICore(%) HBM-Usage(MB) |\n+==+\n"
    table = head + "| 0 910B3 | OK | 1.0 2 |\n| 0 | 0:0 | 3 4 / 8 |\n+==+\n"
    (npu,) = parse_info(table + text).npus
    assert [(process.pid, process.name, process.memory_mb) for process in npu.processes] == [(11, "x", 5)]
    assert (npu.used_mb, npu.total_mb) == (4, 8)


@pytest.mark.parametrize(
    "text", ["", "garbage", "+==+\n| | |\n", "| 0 910B3 | OK | x |\n" * 3, "+--+\n+==+\n|||||\n|\n"]
)
def test_text_that_is_no_table_names_no_npu(text: str) -> None:
    assert parse_info(text).npus == ()
    assert with_logical_ids((), text) == ()


def test_a_driver_that_is_missing_or_hangs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    smi = str(BIN / "npu-smi")
    monkeypatch.setenv("STANDIN_NPU", "none")
    assert npu_report(smi).problem == "npu-smi cannot reach the driver"
    monkeypatch.setenv("STANDIN_NPU", "hang")
    begin_s = time.monotonic()
    assert npu_report(smi, limit_s=0.1).problem == "npu-smi does not answer"
    assert time.monotonic() - begin_s < 30
    assert npu_report("/no/npu-smi").problem == "npu-smi is not found"


def test_a_short_question_ends_with_all_it_started() -> None:
    answer = ask(("bash", "-c", "echo $$; sleep 60 & wait"), limit_s=0.2)
    assert answer.timed_out
    assert ask(("printf", "a\\377b")).text == "a\ufffdb"


def test_a_busy_npu_is_told_before_the_start() -> None:
    npus = npu_report(str(BIN / "npu-smi")).npus
    from tui.model.jobs import Command

    (problem,) = device_problems(Command("msprof", ("x",), "/", devices=(0,)), Surroundings(npus))
    assert problem.what == "is used by python3 (1234)"
    assert list(device_problems(Command("msprof", ("x",), "/", devices=(1,)), Surroundings(npus))) == []


def test_folders_for_results_are_looked_at(tmp_path: Path) -> None:
    assert list(output_problems(str(tmp_path / "new"))) == []
    tmp_path.chmod(0o777)
    assert [problem.what for problem in output_problems(str(tmp_path))] == ["everybody may write the output folder"]
    tmp_path.chmod(0o1777)
    assert list(output_problems(str(tmp_path))) == []
    (tmp_path / "file").touch()
    assert [problem.what for problem in output_problems(str(tmp_path / "file"))] == [
        "the output is a file, not a folder"
    ]
    assert [problem.what for problem in output_problems("relative")] == ["the output folder is not absolute"]
    assert any("too long" in problem.what for problem in output_problems("/" + "x" * 2000))
    make_output(str(tmp_path / "a" / "b"))
    assert oct((tmp_path / "a" / "b").stat().st_mode & 0o777) == "0o750"
    room = disk_at(str(tmp_path / "not" / "yet"))
    assert room is not None
    assert 0 < room.free_bytes <= room.total_bytes


def test_programs_of_others_are_not_run(tmp_path: Path) -> None:
    script = tmp_path / "x.sh"
    script.write_text("true")
    assert unsafe_program(script) == ""
    script.chmod(0o646)
    assert "everybody may write" in unsafe_program(script)
    assert "cannot be looked at" in unsafe_program(tmp_path / "none")


def test_a_parent_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere: needs an ordinary user")
    tmp_path.chmod(0o500)
    assert any("cannot be made" in problem.what for problem in output_problems(str(tmp_path / "new")))


def test_the_doctor_names_what_there_is(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    monkeypatch.setenv("TUNE_BANK_PATH", "/no/bank")
    assert run(("doctor",)) == 0
    text = capsys.readouterr().out
    assert f"msprof     {BIN}/msprof" in text
    assert "npu0 910B3  busy: python3 (1234)" in text
    assert "TUNE_BANK_PATH names /no/bank, which is not there" in text
    assert run(("doctor", "--format", "json")) == 0
    data = json.loads(capsys.readouterr().out)
    assert [npu["soc_version"] for npu in data["npus"]] == ["Ascend910B3", "Ascend910B3"]
    assert next(tool for tool in data["tools"] if tool["name"] == "aoe")["usable"]


def test_without_anything_the_doctor_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = survey.machine(Search("", {"PATH": str(tmp_path)}, ()), (str(tmp_path),))
    assert found.tool("aoe").problem == "aoe is not found"
    assert found.npus.problem
    assert any(problem.where == "python3" for problem in found.problems)
    assert found.disks[0].path == str(tmp_path)


def test_the_doctor_offers_to_export_what_was_only_collected(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    prof = tmp_path / "PROF_000001_20260723133445164_JOJGBELOFFNAFPDC"
    (prof / "device_0" / "data").mkdir(parents=True)
    (prof / "device_0" / "data" / "slice_0").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    assert run(("doctor",)) == 0
    said = f"{prof.name} was collected but not exported – npuscope run msprof -- --export=on --output={prof}"
    assert said in capsys.readouterr().out
    assert run(("run", "msprof", "--wait", "--", "--export=on", f"--output={prof}")) == 0
