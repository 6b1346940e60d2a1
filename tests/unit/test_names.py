"""What names of files and folders say."""

from __future__ import annotations

import pytest

from tui.readers import layouts
from tui.readers.names import FileName, Ids, ids_of, natural_key, parse_name, role_of, sidecar_kind


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("op_summary_20230919172304.csv", FileName("op_summary", ".csv", (), None, "20230919172304")),
        ("msprof_slice_10_20240101000000.json", FileName("msprof", ".json", (), 10, "20240101000000")),
        ("acl_statistic_0_1_1.csv", FileName("acl_statistic", ".csv", ("0", "1", "1"))),
        ("acl_0_1.csv", FileName("acl", ".csv", ("0", "1"))),
        ("prof_rule_0.json", FileName("prof_rule", ".json", ("0",))),
        ("l2_cache_20240101000000.csv", FileName("l2_cache", ".csv", (), None, "20240101000000")),
        ("msprof_tx_0_1.json", FileName("msprof_tx", ".json", ("0", "1"))),
        ("op_summary_slice_2.csv", FileName("op_summary", ".csv", (), 2)),
        ("OpBasicInfo_20260731195922781.csv", FileName("OpBasicInfo", ".csv", (), None, "20260731195922")),
        ("aicore_intermediate_1_detail.csv", FileName("aicore_intermediate_detail", ".csv")),
        ("kernel_details.csv", FileName("kernel_details", ".csv")),
        ("trace_view.json.gz", FileName("trace_view", ".json.gz")),
        ("op_summary_0.resnet.pb.1.2.csv", FileName("op_summary", ".csv", ("0",))),
        ("op_summary_0_4294967295_3_20240101000000.csv",
         FileName("op_summary", ".csv", ("0", "4294967295", "3"), None, "20240101000000")),
        ("测试.csv", FileName("测试", ".csv")),
    ],
)  # fmt: skip
def test_a_name_is_split(name: str, expected: FileName) -> None:
    assert parse_name(name) == expected


@pytest.mark.parametrize(
    ("name", "per_device", "expected"),
    [
        ("op_summary_3_7_2.csv", True, Ids("3", "7", "2")),
        ("acl_0_1.csv", True, Ids("0", "", "1")),
        ("prof_rule_5.json", True, Ids("5")),
        ("op_summary_1.csv", False, Ids()),
        ("op_summary_0_4294967295_3_20240101000000.csv", False, Ids("0", "", "3")),
        ("op_statistic_1_9_8_4.csv", True, Ids("1", "9", "4")),
    ],
)
def test_numbers_mean_what_the_folder_says(name: str, per_device: bool, expected: Ids) -> None:
    assert ids_of(parse_name(name), per_device) == expected


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("op_summary_0_1_1.csv", "ops"),
        ("kernel_details.csv", "ops"),
        ("op_statistic_20240101000000.csv", "op-types"),
        ("acl_0_1.csv", "apis"),
        ("acl_0_1.json", "timeline"),
        ("task_time_0_1.json", "timeline"),
        ("task_time_0_1.csv", "tasks"),
        ("step_trace_time.csv", "steps"),
        ("hccl_statistic_20240101000000.csv", "communication"),
        ("npu_module_mem.csv", "memory"),
        ("npu_mem_20240101000000.csv", "memory"),
        ("aicpu_mi_20240101000000.csv", "table"),
        ("prof_rule_0.json", "advice"),
        ("msprof_20240101000000.db", "database"),
        ("README.txt", "other"),
    ],
)
def test_the_kind_gives_the_role(name: str, role: str) -> None:
    assert role_of(parse_name(name)) == role


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("info.json", ("info.json", "")),
        ("info.json.12", ("info.json", "12")),
        ("end_info.0", ("end_info", "0")),
        ("sample.json", ("sample.json", "")),
        ("profiler_info_3.json", ("profiler_info", "3")),
        ("profiler_info.json", ("profiler_info", "")),
        ("profiler_metadata.json", ("profiler_metadata", "")),
        ("info.json.0.done", None),
        ("my_info.json", None),
    ],
)
def test_side_car_files_are_told_by_name(name: str, expected: tuple[str, str] | None) -> None:
    assert sidecar_kind(name) == expected


def test_numbers_in_names_sort_as_numbers() -> None:
    assert sorted(["rank10", "rank2", "rank1", "b²"], key=natural_key) == ["b²", "rank1", "rank2", "rank10"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("PROF_000001_20230818142704322_COJGGGCANRMICFBC", True),
        ("PROF_000001_20260511093035123_00012345ABCDEFGH", True),
        ("PROF_001", True),
        ("PROFILE", False),
        ("OPPROF_20260731195916_AUUTUREFIPRQTJNR", False),
    ],
)
def test_collections_are_told_by_name(name: str, found: bool) -> None:
    assert layouts.is_prof_name(name) is found


@pytest.mark.parametrize(
    ("name", "device"), [("device_12", "12"), ("host", "host"), ("device_x", None), ("devices", None)]
)
def test_device_folders_are_told_by_name(name: str, device: str | None) -> None:
    assert layouts.device_of(name) == device
