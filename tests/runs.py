"""A profile of three runs of a model, which are its iterations: at 1000, 1200 and 1300 µs, each with one task."""

from __future__ import annotations

import json
from pathlib import Path

SPANS_US = ((1000, 150), (1200, 60), (1300, 50))
"""Start and length of the runs."""
TASKS_US = ((1005, 100), (1205, 40), (1305, 30))

_OPS = "Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Block Dim,Input Shapes\n" + "".join(
    f"0,Conv_{place},Conv2D,AI_CORE,{start}.000\t,{duration},8,1\n" for place, (start, duration) in enumerate(TASKS_US)
)
_APIS = (
    "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n"
    "host,acl,aclmdlExecute,260,3,86.667,50,150,1\n"
)
_COMMUNICATION = (
    "Device_id,OP Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n0,hcom,1,2,2,2,2,100\n"
)


def _slice(name: str, pid: int, start_us: int, dur_us: int) -> dict[str, object]:
    return {"name": name, "ph": "X", "pid": pid, "tid": 3, "ts": f"{start_us}.000", "dur": dur_us}


def _trace() -> str:
    names = {1: "CANN", 2: "Ascend Hardware"}
    events: list[dict[str, object]] = [
        {"name": "process_name", "ph": "M", "pid": pid, "tid": 0, "args": {"name": name}} for pid, name in names.items()
    ]
    events.append(_slice("AscendCL@aclInit", 1, 900, 50))
    events += [_slice("AscendCL@aclmdlExecute", 1, start, length) for start, length in SPANS_US]
    events += [_slice(f"Conv_{place}", 2, start, length) for place, (start, length) in enumerate(TASKS_US)]
    return json.dumps(events)


def write_runs(folder: Path) -> Path:
    """The profile below `folder`: operators and timeline with times, statistics of APIs and collectives without."""
    root = folder / "PROF_000001_20240101000000000_ABCDEFGHIJKLMNOP"
    output = root / "mindstudio_profiler_output"
    output.mkdir(parents=True)
    (root / "device_0").mkdir()
    for name, content in (
        ("op_summary_20240101000001.csv", _OPS),
        ("api_statistic_20240101000001.csv", _APIS),
        ("communication_statistic_20240101000001.csv", _COMMUNICATION),
        ("msprof_20240101000001.json", _trace()),
    ):
        (output / name).write_text(content, encoding="utf-8")
    return root
