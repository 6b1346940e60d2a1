"""Rows as each CANN generation writes them, with values worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tui.model.table import MISSING_NS, Table, TextColumn, TimeColumn
from tui.readers.tables import PartRequest, TableRequest, open_table

TENSORS = "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats"

CPP_OP_SUMMARY = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),"
    f"Task Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,{TENSORS},Context ID,aicore_time(us),aic_total_cycles,"
    "aic_mac_ratio,aiv_time(us),aiv_total_cycles,aiv_vec_ratio,cube_utilization(%)\n"
    "0,4294967295,10,1,MatMulV3,MatMulV3,dynamic,AI_CORE,1717575960208020.758\t,151.000,0,20,0,NO,"
    '"8192,512;512,4096",DT_BF16;DT_BF16,ND;ND,"8192,4096",DT_BF16,ND,N/A,148.2,5295467,0.824,0,0,0,79.295\n'
    "0,4294967295,N/A,N/A,hcom_allReduce__428_0_1,hcom_allReduce_,N/A,COMMUNICATION,1717575960208200.000\t,90.500,"
    "28.242000,0,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A\n"
)

PYTHON_OP_SUMMARY = (
    "Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,Task Type,Task Start Time,Task Duration(us),"
    f"Task Wait Time(us),Block Dim,{TENSORS},aicore_time(us),total_cycles,vec_ratio,memory_bound,cube_utilization\r\n"
    '1,3,5,1,Conv_0,Conv2D,AI_CORE,497845389418920,1415.182,0,8,"""1,3,224,224;64,3,7,7""",FLOAT16;FLOAT16,'
    'NC1HWC0;FRACTAL_Z,"""1,64,112,112""",FLOAT16,NC1HWC0,1390.1,12345678,0.81,0.42,71.3\r\n'
)


def read(folder: Path, kind: str, content: str, device: str = "") -> Table:
    path = folder / f"{kind}_0_1_1.csv"
    path.write_bytes(content.encode())
    table = open_table(TableRequest(kind, (PartRequest(str(path), device, kind),)))
    assert table.problems == ()
    return table


def first_row(table: Table, index: int = 0) -> dict[str, object]:
    """Cells of a row; missing ones as None."""
    cells: dict[str, object] = {}
    for column in table.columns:
        if isinstance(column, TextColumn):
            cells[column.info.key] = column.texts(slice(index, index + 1))[0]
        elif isinstance(column, TimeColumn):
            cells[column.info.key] = None if column.values[index] == MISSING_NS else int(column.values[index])
        else:
            cells[column.info.key] = None if np.isnan(column.values[index]) else float(column.values[index])
    return cells


def test_operators_of_the_cpp_exporter(tmp_path: Path) -> None:
    table = read(tmp_path, "op_summary", CPP_OP_SUMMARY)
    compute, communication = first_row(table), first_row(table, 1)
    assert compute["op_name"] == compute["op_type"] == "MatMulV3"
    assert compute["start_ns"] == 1717575960208020758
    assert compute["task_duration_us"] == 151.0
    assert compute["input_shapes"] == "8192,512;512,4096"
    assert compute["context_id"] is None
    assert compute["aic_total_cycles"] == 5295467.0
    assert compute["cube_utilization_pct"] == 79.295
    assert communication["task_type"] == "COMMUNICATION"
    assert communication["task_id"] is None
    assert communication["input_shapes"] == "N/A"
    assert communication["task_wait_time_us"] == 28.242


def test_operators_of_the_oldest_exporter(tmp_path: Path) -> None:
    row = first_row(read(tmp_path, "op_summary", PYTHON_OP_SUMMARY, device="0"))
    assert row["start_ns"] == 497845389418920
    assert row["task_duration_us"] == 1415.182
    assert row["block_num"] == 8.0
    assert row["input_shapes"] == "1,3,224,224;64,3,7,7"
    assert row["output_shapes"] == "1,64,112,112"
    assert row["total_cycles"] == 12345678.0
    assert row["device_id"] == "0"


def test_kernels_of_the_framework_profiler(tmp_path: Path) -> None:
    content = (
        "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim\r\n"
        '50,aclnnMul,Mul,AI_VECTOR_CORE,"1736413971558972.912\t",4.96,0,20\r\n'
        ",aclnnAdd,Add,AI_VECTOR_CORE,1736413971558980.000\t,5,2.128,20\r\n"
    )
    table = read(tmp_path, "kernel_details", content)
    assert first_row(table) == {
        "step_id": 50.0, "op_name": "aclnnMul", "op_type": "Mul", "task_type": "AI_VECTOR_CORE",
        "start_ns": 1736413971558972912, "task_duration_us": 4.96, "task_wait_time_us": 0.0, "block_num": 20.0,
    }  # fmt: skip
    assert first_row(table, 1)["step_id"] is None


def test_api_tables_of_all_generations_share_their_columns(tmp_path: Path) -> None:
    statistic = "Time(us),Count,Avg(us),Min(us),Max(us)"
    owner = "Process ID,Thread ID"
    api_head = f"Device_id,Level,API Name,{statistic},Variance\n"
    api = read(tmp_path, "api_statistic", api_head + "host,acl,aclmdlExecute,3170.6,2,1585.3,1500.1,1670.5,7259.04\n")
    acl_row = "aclmdlExecute,ACL_MODEL,62.293195,31280.72,10,3128.072,3001.1,3301.9,85078,85078\n"
    acl = read(tmp_path, "acl_statistic", f"Name,Type,Time(%),{statistic},{owner}\n{acl_row}")
    runtime_head = f"Name,Stream ID,Time(%),Time(ns),Calls,Avg(ns),Min(ns),Max(ns),{owner}\n"
    runtime_row = "MemCopySync,0,12.5,1500001,3,500000,400001,600000,85078,85078\n"
    runtime = read(tmp_path, "runtime_api", runtime_head + runtime_row)
    assert first_row(api)["level"] == "acl"
    assert first_row(acl)["level"] == "ACL_MODEL"
    assert first_row(acl)["time_ratio_pct"] == 62.293195
    row = first_row(runtime)
    assert (row["api_name"], row["level"], row["count"]) == ("MemCopySync", "runtime", 3.0)
    assert (row["time_us"], row["avg_us"], row["min_us"], row["max_us"]) == (1500.001, 500.0, 400.001, 600.0)


def test_single_api_calls_count_nanoseconds(tmp_path: Path) -> None:
    table = read(tmp_path, "acl", "Name,Type,Start Time,Duration(us),Process ID,Thread ID\n"
                 "aclmdlExecute,ACL_MODEL,497845389418920,3170.6,85078,85078\n")  # fmt: skip
    assert first_row(table)["start_ns"] == 497845389418920
    assert first_row(table)["duration_us"] == 3170.6


def test_operator_launches_count_microseconds_without_saying_so(tmp_path: Path) -> None:
    table = read(tmp_path, "ge_op_execute", "Thread ID,OP Name,OP Type,Event Type,Start Time,Duration(us)\n"
                 "85078,Conv_0,Conv2D,InferShape,497845389418.92,12.5\n")  # fmt: skip
    assert first_row(table)["start_ns"] == 497845389418920


@pytest.mark.parametrize(
    ("unit", "start", "stop"),
    [("ns", "497845389418920", "497845389428920"), ("us", "497845389418.920\t", "497845389428.92")],
)
def test_task_times_in_either_unit(tmp_path: Path, unit: str, start: str, stop: str) -> None:
    head = f"kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start({unit}),task_stop({unit})\n"
    row = first_row(read(tmp_path, "task_time", head + f"N/A,EVENT_WAIT_SQE,3,7,10,{start},{stop}\n"))
    assert row["kernel_name"] == "N/A"
    assert row["start_ns"] == 497845389418920
    assert row["stop_ns"] == 497845389428920
    assert row["task_time_us"] == 10.0


def test_steps_without_forward_and_backward(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "step_trace",
        "Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),FP to BP Time(us),"
        "Iteration Refresh(us),Data Aug Bound(us),Model ID\n1,N/A,N/A,1000.500\t,20.5,N/A,N/A,N/A,1\n",
    )
    row = first_row(table)
    assert row["fp_start_ns"] is None
    assert row["iteration_end_ns"] == 1000500
    assert row["iteration_time_us"] == 20.5
    assert row["data_aug_bound_us"] is None


def test_fusions_and_stack_times(tmp_path: Path) -> None:
    fusion = read(
        tmp_path,
        "fusion_op",
        "Device_id,Model Name,Model ID,Fusion Op,Original Ops,Memory Input(KB),Memory Output(KB)\n"
        "host,resnet50,1,conv1relu,conv1;relu1,294.0,784\n",
    )
    assert first_row(fusion)["original_ops"] == "conv1;relu1"
    assert first_row(fusion)["memory_input_kb"] == 294.0
    stack = read(tmp_path, "ai_stack_time", "Infer ID,Module,API,Start Time,Duration(ns)\n1,ACL,aclmdlExecute,5,7\n")
    assert first_row(stack) == {
        "infer_id": 1.0, "module": "ACL", "api": "aclmdlExecute", "start_ns": 5, "duration_ns": 7.0,
    }  # fmt: skip
