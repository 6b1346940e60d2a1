"""How a collection was made, from its side-car files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui.model.problem import Problem
from tui.readers.sidecar import Sidecar, devices_of, environment_of, read_sidecar

INFO = {
    "version": "1.0",
    "hostname": "node7",
    "platform_version": "4",
    "cannVersion": "8.0.0",
    "rank_id": "-1",
    "pid_name": "main",
    "DeviceInfo": [
        {"id": 0, "ai_core_num": 8, "aiv_num": "7", "ai_cpu_core_num": 4, "aic_frequency": "1080"},
        {"id": 1, "ai_core_num": "N/A", "aic_frequency": None},
    ],
}


def sidecar(kind: str, values: dict[str, Any], device: str = "") -> Sidecar:
    return Sidecar(kind, device, values)


def test_only_the_first_line_of_an_info_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "info.json.0"
    path.write_text(json.dumps(INFO) + "\nnot json", encoding="utf-8")
    found = read_sidecar(path, "info.json", "0")
    assert isinstance(found, Sidecar)
    assert found.values["hostname"] == "node7"


def test_devices_are_described() -> None:
    devices = devices_of([sidecar("info.json", INFO)])
    first, second = devices["0"], devices["1"]
    assert (first.chip, first.ai_core_num, first.aiv_num, first.ai_cpu_num) == ("Ascend310P", 8, 7, 4)
    assert first.aic_frequency_mhz == 1080.0
    assert (second.chip, second.ai_core_num, second.aic_frequency_mhz) == ("Ascend310P", 0, 0.0)


def test_an_unknown_chip_keeps_its_number() -> None:
    devices = devices_of([sidecar("info.json", {"platform_version": 99, "DeviceInfo": [{"id": "3"}]})])
    assert devices["3"].chip == "platform 99"


def test_the_environment_is_joined_from_all_files() -> None:
    environment = environment_of(
        [
            sidecar("info.json", INFO),
            sidecar("sample.json", {"ai_core_metrics": "PipeUtilization", "profLevel": "l1", "devices": "0,1"}),
            sidecar("start_info", {"collectionTimeBegin": "1692340024324979"}),
            sidecar("start_info", {"collectionTimeBegin": "1692340024300000"}),
            sidecar("end_info", {"collectionTimeEnd": "1692340082430569"}),
        ]
    )
    assert (environment.cann_version, environment.host_name, environment.process_name) == ("8.0.0", "node7", "main")
    assert (environment.rank, environment.level, environment.metrics) == ("", "l1", "PipeUtilization")
    assert environment.start_ns == 1692340024300000_000
    assert environment.end_ns == 1692340082430569_000
    assert ("ai_core_metrics", "PipeUtilization") in environment.options


@pytest.mark.parametrize("prefix", ["", "_"])
def test_settings_of_a_framework_are_read(prefix: str) -> None:
    values = {
        "config": {
            "common_config": {"record_shapes": True, "with_stack": False},
            "experimental_config": {f"{prefix}profiler_level": "Level1", f"{prefix}aic_metrics": "ACL_AICORE_NONE"},
        },
        "end_info": {"collectionTimeEnd": 1736408884023552840},
        "rank_id": 0,
    }
    environment = environment_of([sidecar("profiler_info", values, "0")])
    assert (environment.level, environment.metrics, environment.rank) == ("Level1", "ACL_AICORE_NONE", "0")
    assert environment.end_ns == 1736408884023552840
    assert dict(environment.options)["record_shapes"] == "on"
    assert dict(environment.options)["with_stack"] == "off"


def test_a_single_card_has_no_rank() -> None:
    assert environment_of([sidecar("profiler_info", {"rank_id": -1})]).rank == ""


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe{}", b"[" * 100_000])
def test_a_damaged_file_is_a_problem(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "info.json"
    path.write_bytes(content)
    found = read_sidecar(path, "info.json", "")
    assert isinstance(found, Problem)
    assert found.severity == "warn"


@pytest.mark.parametrize(
    "values", [{"DeviceInfo": "x"}, {"DeviceInfo": [1, None]}, {"DeviceInfo": {}}, {"rank_id": [[]]}]
)
def test_values_of_a_wrong_shape_are_passed_over(values: dict[str, Any]) -> None:
    assert devices_of([sidecar("info.json", values)]) == {}
    assert environment_of([sidecar("info.json", values)]).rank == ""


def test_a_list_instead_of_an_object_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "sample.json"
    path.write_text("[1]", encoding="utf-8")
    found = read_sidecar(path, "sample.json", "")
    assert isinstance(found, Sidecar)
    assert not found.values
