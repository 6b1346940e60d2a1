"""Headings of all CANN generations and frameworks give one canonical name, kind and unit each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.readers.headings import canonical, canonical_headings, family_of


@pytest.mark.parametrize(
    ("heading", "file_kind", "key", "kind", "unit"),
    [
        ("Task Duration(us)", "op_summary", "task_duration_us", "number", "us"),
        ("Duration(us)", "kernel_details", "task_duration_us", "number", "us"),
        ("Duration(us)", "op_summary", "task_duration_us", "number", "us"),
        ("Duration(us)", "acl", "duration_us", "number", "us"),
        ("Wait Time(us)", "kernel_details", "task_wait_time_us", "number", "us"),
        ("Task Start Time(us)", "op_summary", "start_ns", "time", "ns"),
        ("Task Start Time", "op_summary", "start_ns", "time", "ns"),
        ("Start Time(us)", "op_summary", "start_ns", "time", "ns"),
        ("Start Time(us)", "kernel_details", "start_ns", "time", "ns"),
        ("Start Time", "acl", "start_ns", "time", "ns"),
        ("Name", "kernel_details", "op_name", "text", ""),
        ("Type", "kernel_details", "op_type", "text", ""),
        ("Accelerator Core", "kernel_details", "task_type", "text", ""),
        ("Core Type", "op_statistic", "core_type", "text", ""),
        ("Block Dim", "op_summary", "block_num", "number", ""),
        ("Block Num", "kernel_details", "block_num", "number", ""),
        ("Mix Block Dim", "op_summary", "mix_block_num", "number", ""),
        ("Device_id", "op_summary", "device_id", "text", ""),
        ("Device Id", "page_fault", "device_id", "text", ""),
        ("cube_utilization(%)", "op_summary", "cube_utilization_pct", "number", "pct"),
        ("aic_l0a_read_bw(GB/s)", "op_summary", "aic_l0a_read_bw_gb_s", "number", "gb_s"),
        ("GM_to_L1_datas(KB)", "op_summary", "gm_to_l1_datas_kb", "number", "kb"),
        ("aic_total_cycles", "op_summary", "aic_total_cycles", "number", "cycles"),
        ("vec_ratio", "op_summary", "vec_ratio", "number", "ratio"),
        ("memory_bound", "op_summary", "memory_bound", "number", "ratio"),
        ("Total Time(us)", "op_statistic", "total_time_us", "number", "us"),
        ("Min Time(us)", "op_statistic", "min_us", "number", "us"),
        ("Ratio(%)", "op_statistic", "ratio_pct", "number", "pct"),
        ("API Name", "api_statistic", "api_name", "text", ""),
        ("Name", "acl_statistic", "api_name", "text", ""),
        ("Type", "acl_statistic", "level", "text", ""),
        ("Time(%)", "acl_statistic", "time_ratio_pct", "number", "pct"),
        ("Time(us)", "api_statistic", "time_us", "number", "us"),
        ("Time(ns)", "runtime_api", "time_us", "number", "us"),
        ("Calls", "runtime_api", "count", "number", ""),
        ("task_start(us)", "task_time", "start_ns", "time", "ns"),
        ("task_stop(ns)", "task_time", "stop_ns", "time", "ns"),
        ("task_time(us)", "task_time", "task_time_us", "number", "us"),
        ("FP Start", "step_trace", "fp_start_ns", "time", "ns"),
        ("Iteration End(us)", "step_trace", "iteration_end_ns", "time", "ns"),
        ("Iteration Time(us)", "step_trace", "iteration_time_us", "number", "us"),
        ("Communication(Not Overlapped)", "step_trace_time", "communication_not_overlapped", "number", "us"),
        ("Timestamp(us)", "memory_record", "timestamp_ns", "time", "ns"),
        ("Allocation Time(us)", "operator_memory", "allocation_time_ns", "time", "ns"),
        ("Device Start_time(us)", "msprof_tx", "device_start_ns", "time", "ns"),
        ("Node Index End", "static_op_mem", "node_index_end", "text", ""),
        ("  Op Name  ", "op_summary", "op_name", "text", ""),
        ("rxPacket/s", "nic", "rxpacket_s", "text", ""),
        ("算子 名称", "whatever", "算子_名称", "text", ""),
        ("", "op_summary", "column", "text", ""),
    ],
)
def test_canonical_names(heading: str, file_kind: str, key: str, kind: str, unit: str) -> None:
    info = canonical(heading, file_kind).info
    assert (info.key, info.kind, info.unit) == (key, kind, unit)
    assert info.heading == heading.strip()


def test_only_runtime_api_is_divided() -> None:
    assert canonical("Avg(ns)", "runtime_api").divisor == 1000
    assert canonical("Avg(us)", "api_statistic").divisor == 1
    assert canonical("Duration(ns)", "ai_stack_time").info.key == "duration_ns"
    assert canonical("Duration(ns)", "ai_stack_time").info.kind == "number"


@pytest.mark.parametrize(("heading", "places"), [("Start Time(us)", 3), ("Start Time(ns)", 0), ("Start Time", None)])
def test_the_unit_of_times(heading: str, places: int | None) -> None:
    found = canonical(heading, "acl")
    assert found.scale == places
    assert found.certain == (places is not None)


def test_unknown_headings_leave_the_kind_open() -> None:
    assert not canonical("Frobnication", "gadgets").certain
    assert canonical("Frobnication(us)", "gadgets").certain


def test_repeated_headings_are_numbered_before_their_unit() -> None:
    headings = ["Reduce Start(us)", "Reduce Duration(us)"] * 3 + ["Note", "Note", "Note_2"]
    assert [heading.info.key for heading in canonical_headings(headings, "step_trace")] == [
        "reduce_start_ns", "reduce_duration_us", "reduce_start_2_ns", "reduce_duration_2_us",
        "reduce_start_3_ns", "reduce_duration_3_us", "note", "note_2", "note_2_2",
    ]  # fmt: skip


@given(st.lists(st.text(max_size=12), max_size=12), st.sampled_from(["op_summary", "kernel_details", "step_trace", ""]))
def test_keys_are_unique_whatever_the_headings(headings: list[str], file_kind: str) -> None:
    keys = [heading.info.key for heading in canonical_headings(headings, file_kind)]
    assert len(set(keys)) == len(keys) == len(headings)


def test_families() -> None:
    assert family_of("kernel_details") == family_of("op_summary") == "ops"
    assert family_of("l2_cache") == "l2_cache"
