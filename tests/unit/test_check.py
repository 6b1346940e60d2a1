"""`check`: the same facts as the files, a line for every problem, an exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui.check import CheckResult, check, to_json, to_text
from tui.errors import NotAProfile

DATE = "20260511093035"
OPS = (
    "Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\n"
    "0,a,A,AI_CORE,1.000\t,2.5\n0,b,B,AI_CORE,9.000\t,1\n"
)
TRACE = (
    '[{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"CANN"}},'
    '{"name":"x","ph":"X","pid":1,"tid":1,"ts":"1.500","dur":2},{"name":"y","ph":"X","pid":1,"tid":1,"ts":"9.250","dur":2}]'
)


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    root = tmp_path / "PROF_000001_1_A"
    put(root / "mindstudio_profiler_output" / f"op_summary_{DATE}.csv", OPS)
    put(root / "mindstudio_profiler_output" / f"msprof_{DATE}.json", TRACE)
    info = {
        "platform_version": "5",
        "cannVersion": "8.0.0",
        "DeviceInfo": [{"id": 0, "ai_core_num": 24, "aiv_num": 48}],
    }
    put(root / "device_0" / "info.json.0", json.dumps(info))
    put(root / "device_0" / "start_info.0", "{}")
    put(root / "device_0" / "end_info.0", "{}")
    return root


def entry(result: CheckResult, name: str) -> dict[str, Any]:
    (found,) = (file for file in to_json(result)["files"] if Path(file["path"]).name == name)
    return dict(found)


def test_the_object_has_its_keys(profile: Path) -> None:
    result = check(profile)
    found = to_json(result)
    assert list(found) == ["kind", "generation", "devices", "files", "problems"]
    assert (found["kind"], found["problems"]) == ("msprof", [])
    assert found["devices"][0]["chip"] == "Ascend910B"
    assert (found["devices"][0]["ai_core_num"], found["devices"][0]["ended_cleanly"]) == (24, True)
    assert result.exit_code == 0
    json.dumps(found)


def test_tables_have_rows_and_timelines_their_counts(profile: Path) -> None:
    result = check(profile)
    assert entry(result, f"op_summary_{DATE}.csv") == {
        "path": f"mindstudio_profiler_output/op_summary_{DATE}.csv",
        "role": "ops",
        "rows": 2,
        "problem": None,
    }
    assert entry(result, f"msprof_{DATE}.json") == {
        "path": f"mindstudio_profiler_output/msprof_{DATE}.json",
        "role": "timeline",
        "rows": None,
        "problem": None,
        "events_by_phase": {"M": 1, "X": 2},
        "flow_pairs": 0,
        "first_ts": "1.500",
        "last_ts": "9.250",
    }


def test_one_timeline_has_its_counts_on_top(profile: Path) -> None:
    found = to_json(check(profile / "mindstudio_profiler_output" / f"msprof_{DATE}.json"))
    assert (found["kind"], found["events_by_phase"], found["first_ts"]) == ("file", {"M": 1, "X": 2}, "1.500")
    assert found["files"][0]["path"] == f"msprof_{DATE}.json"


def test_several_profiles_are_named(tmp_path: Path) -> None:
    for name in ("PROF_000001_1_A", "PROF_000002_1_A"):
        put(tmp_path / name / "mindstudio_profiler_output" / f"op_summary_{DATE}.csv", OPS)
    found = to_json(check(tmp_path))
    assert found["profiles"] == ["PROF_000001_1_A", "PROF_000002_1_A"]
    assert [file["rows"] for file in found["files"]] == [2, 2]


def test_an_older_export_is_listed_but_not_read(profile: Path) -> None:
    put(profile / "mindstudio_profiler_output" / "op_summary_20200101000000.csv", OPS)
    assert entry(check(profile), "op_summary_20200101000000.csv")["rows"] is None


def test_warnings_give_one(profile: Path) -> None:
    put(profile / "mindstudio_profiler_output" / f"step_trace_{DATE}.csv", "")
    result = check(profile)
    assert result.exit_code == 1
    (problem,) = to_json(result)["problems"]
    assert list(problem) == ["path", "where", "what", "consequence", "hint"]
    assert problem["path"] == f"mindstudio_profiler_output/step_trace_{DATE}.csv"
    assert entry(result, f"step_trace_{DATE}.csv")["problem"] == "the file is empty"


def test_nothing_usable_gives_two(tmp_path: Path) -> None:
    put(tmp_path / "mindstudio_profiler_output" / f"op_summary_{DATE}.csv", "")
    assert check(tmp_path).exit_code == 2
    put(tmp_path / "b" / "visualize_data.bin", "x")
    assert check(tmp_path / "b").exit_code == 2


def test_a_path_with_nothing_raises(tmp_path: Path) -> None:
    with pytest.raises(NotAProfile):
        check(tmp_path)


def test_a_truncated_timeline_is_usable_and_said(profile: Path) -> None:
    put(profile / "mindstudio_profiler_output" / f"msprof_{DATE}.json", TRACE[:-30])
    result = check(profile)
    assert result.exit_code == 1
    assert entry(result, f"msprof_{DATE}.json")["events_by_phase"] == {"M": 1, "X": 1}
    assert entry(result, f"msprof_{DATE}.json")["problem"] == "the file ends inside its list of events"


def test_progress_is_reported(profile: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    check(profile, lambda file, done, total: seen.append((Path(file).name, done, total)))
    assert seen[-1] == (f"msprof_{DATE}.json", len(TRACE), len(TRACE))


def test_the_text_says_what_is_there_and_what_is_not(profile: Path) -> None:
    put(profile / "mindstudio_profiler_output" / f"step_trace_{DATE}.csv", "")
    lines = to_text(check(profile)).splitlines()
    assert lines[0].split() == ["PROF_000001_1_A", "msprof", "G3", "CANN", "8.0.0"]
    assert lines[1].split("  ")[1:] == ["device 0", "Ascend910B", "24 AI cores", "48 vector cores", "ended cleanly"]
    (ops,) = (line for line in lines if "op_summary_2026" in line)
    assert ops.split() == [
        "+",
        f"mindstudio_profiler_output/op_summary_{DATE}.csv",
        "ops",
        f"{len(OPS)}",
        "B",
        "2",
        "rows",
    ]
    (missing,) = (line for line in lines if "api_statistic_*.csv" in line)
    assert missing.split()[:4] == ["-", "api_statistic_*.csv", "APIs", "--ascendcl=on"]
    assert any(line.startswith("!") and "the file is empty" in line for line in lines)
    assert lines[-1] == "1 warning, 3 files missing"


def test_no_escape_sequence_reaches_the_terminal(tmp_path: Path) -> None:
    put(tmp_path / "evil\x1b[31m\nname" / "mindstudio_profiler_output" / f"op_summary_{DATE}.csv", "")
    text = to_text(check(tmp_path))
    assert "\x1b" not in text
    assert "evil\\x1b[31m\\nname" in text


def facts_of(shared_data: Path) -> list[tuple[str, dict[str, Any]]]:
    return [
        (known.parent.name, json.loads(known.read_text(encoding="utf-8"))["files"])
        for known in sorted(shared_data.glob("*/expected.json"))
    ]


def test_every_real_set_is_explained_and_counted(shared_data: Path) -> None:
    tables = 0
    for name, facts in facts_of(shared_data):
        result = check(shared_data / name)
        found = {file["path"]: file for file in to_json(result)["files"]}
        assert result.exit_code == 0 or result.problems, name
        assert "Traceback" not in to_text(result)
        for path, fact in facts.items():
            if fact["kind"] == "csv" and not fact.get("empty"):
                assert found[path]["rows"] == fact["rows"], (name, path)
                tables += 1
            elif fact["kind"] == "trace":
                assert found[path]["events_by_phase"] == fact["by_phase"], (name, path)
                assert (found[path]["first_ts"], found[path]["last_ts"]) == (fact["first_ts"], fact["last_ts"]), (
                    name,
                    path,
                )
                assert found[path]["flow_pairs"] == fact["flow_pairs"], (name, path)
            elif fact["kind"] == "sqlite":
                assert found[path]["tables"] == fact["tables"], (name, path)
    assert tables > 60


@pytest.mark.parametrize(
    ("name", "exit_code"),
    [
        ("prof_triton_matmul_910b", 0),
        ("torch_text_level1_2rank", 0),
        ("prof_910_train_device0_legacy", 0),
        ("derived_edge_cases", 1),
        ("opprof_not_a_prof_dir", 1),
        ("mindspore_job_raw_unparsed", 1),
        ("prof_empty_files_and_slices", 2),
        ("msopprof_visualize_bin", 2),
    ],
)
def test_exit_codes_of_real_sets(shared_data: Path, name: str, exit_code: int) -> None:
    assert check(shared_data / name).exit_code == exit_code
