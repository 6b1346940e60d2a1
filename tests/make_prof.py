"""Seeded writer of PROF directories for tests: any generation and column layout of msprof's tables, any size.

`write_prof` returns what it wrote as whole nanoseconds, so that a test computes its expectations from the facts and not
from the files. Values are invented; the dialects are those of formats "msprof output" (column order, units, quoting).
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

Generation = Literal["G1a", "G2", "G3", "G4"]
Chip = Literal["910B", "310P"]

EPOCH_NS = 1_717_575_960_208_020_758
MONOTONIC_NS = 497_845_389_418_920
NO_ID = 4294967295
KINDS = (
    ("MatMulV3", "AI_CORE"), ("Conv2D", "AI_CORE"), ("Add", "AI_VECTOR_CORE"), ("Cast", "AI_VECTOR_CORE"),
    ("Softmax", "AI_VECTOR_CORE"), ("TransData", "AI_VECTOR_CORE"), ("FlashAttentionScore", "MIX_AIC"),
    ("Range", "AI_CPU"),
)  # fmt: skip
SHAPES = ("8192,512;512,4096", "1,3,224,224;64,3,7,7", "32,128,1024", "16", ";")
APIS = (("acl", "aclrtMemcpy"), ("acl", "aclrtSynchronizeStream"), ("node", "launch"), ("runtime", "KernelLaunch"))
TENSOR_BLOCK = [f"{side} {what}" for side in ("Input", "Output") for what in ("Shapes", "Data Types", "Formats")]
FUSED_PIPES = ("vec", "mac", "scalar", "mte1", "mte2", "mte3")
SUM_COLUMNS = ("Count", "Total Time(us)", "Min Time(us)", "Avg Time(us)", "Max Time(us)", "Ratio(%)")
SPLIT_PIPES = {"aic": ("mac", "scalar", "mte1", "mte2", "fixpipe"), "aiv": ("vec", "scalar", "mte2", "mte3")}


@dataclass(frozen=True)
class MadeOp:
    """One row of op_summary; times in ns, `ratio` in thousandths (the busiest pipe)."""

    name: str
    kind: str
    task_type: str
    start_ns: int
    duration_ns: int
    device: int = 0
    stream: int = 2
    task: int = 0
    blocks: int = 8
    shape: str = SHAPES[0]
    ratio: int = 500
    wait_ns: int = 0

    @property
    def is_communication(self) -> bool:
        return self.kind.startswith("hcom_")

    @property
    def has_counters(self) -> bool:
        return self.task_type not in ("AI_CPU", "COMMUNICATION", "HCCL")


@dataclass(frozen=True)
class MadeCall:
    """One host call; times in ns."""

    level: str
    name: str
    start_ns: int
    duration_ns: int


@dataclass(frozen=True)
class Written:
    """A written PROF directory and the facts in its newest export."""

    path: Path
    ops: tuple[MadeOp, ...]
    calls: tuple[MadeCall, ...]
    dates: tuple[str, ...] = ()

    def table(self, kind: str) -> Path:
        """The file of a kind in the newest export (the first slice, the first device)."""
        found = sorted(
            path for path in self.path.rglob(f"{kind}_[0-9s]*.csv") if not self.dates or self.dates[-1] in path.name
        )
        return found[0]


def make_ops(count: int, generation: Generation = "G4", chip: Chip = "910B", device: int = 0, seed: int = 1,
             names: Sequence[str] = (), communication: bool = True) -> list[MadeOp]:  # fmt: skip
    """Rows of one device in order of start; on a 910B every seventh is a collective if wanted."""
    rng = random.Random(f"{seed}:{device}")
    at_ns = MONOTONIC_NS if generation == "G1a" else EPOCH_NS
    made = []
    for index in range(count):
        kind, core = KINDS[rng.randrange(len(KINDS))]
        if chip == "310P" and core != "AI_CPU":
            core = "AI_CORE"
        if communication and chip == "910B" and generation != "G1a" and index % 7 == 6:
            kind, core = "hcom_allReduce_", "HCCL" if generation == "G2" else "COMMUNICATION"
        at_ns += rng.choice((0, 740, 2_308, 51_020))
        took_ns = rng.randrange(1_000, 900_000)
        name = names[index % len(names)] if names else f"{kind}_{index}"
        made.append(MadeOp(name, kind, core, at_ns, took_ns, device, 2 + index % 2, (index + 1) % 65536,
                           rng.choice((1, 8, 20, 40)), rng.choice(SHAPES), rng.randrange(1000)))  # fmt: skip
        at_ns += took_ns
    return made


def with_waits(ops: Iterable[MadeOp]) -> list[MadeOp]:
    """Rows by device (as text) and start, each with the idle time since the row before it on its device."""
    ordered = sorted(ops, key=lambda op: (str(op.device), op.start_ns))
    found: list[MadeOp] = []
    for op in ordered:
        before = found[-1] if found and found[-1].device == op.device else None
        wait_ns = max(0, op.start_ns - before.start_ns - before.duration_ns) if before else 0
        found.append(replace(op, wait_ns=wait_ns))
    return found


def make_calls(count: int, generation: Generation = "G4", seed: int = 1) -> list[MadeCall]:
    """Host calls one after another."""
    rng = random.Random(f"{seed}:calls")
    at_ns = MONOTONIC_NS if generation == "G1a" else EPOCH_NS
    made = []
    for index in range(count):
        level, name = APIS[index % (2 if generation == "G1a" else len(APIS))]
        took_ns = rng.randrange(500, 4_000_000)
        made.append(MadeCall(level, name, at_ns, took_ns))
        at_ns += took_ns + rng.randrange(1, 9_000)
    return made


def write_prof(
    folder: Path,
    generation: Generation = "G4",
    devices: int = 1,
    rows: int | Sequence[MadeOp] = 50,
    chip: Chip = "910B",
    slices: int = 1,
    exports: Sequence[str] = ("20240605083000",),
    seed: int = 1,
    names: Sequence[str] = (),
    line_end: str = "\n",
    name: str = "PROF_000001_20240605082600000_ABCDEFGHIJKLMNOP",
) -> Written:
    """Writes one PROF directory below `folder`.

    `rows` is a count per device or the rows themselves. Every export but the last holds only the first half of them.
    `slices` cuts op_summary and task_time of the dated layouts. Shapes are quoted as the writer of that chip does.
    """
    if isinstance(rows, int):
        wanted = [op for device in range(devices) for op in make_ops(rows, generation, chip, device, seed, names)]
    else:
        wanted = list(rows)
    ops, calls, root = with_waits(wanted), make_calls(24, generation, seed), folder / name
    layout = _Layout(generation, chip, line_end)
    _side_cars(root, sorted({op.device for op in ops}), layout)
    if generation == "G1a":
        _write_old(root, layout, ops, calls)
        return Written(root, tuple(ops), tuple(calls))
    dates = tuple(sorted(exports))
    for date in dates:
        _write_dated(root, layout, ops if date == dates[-1] else ops[: len(ops) // 2], calls, date, slices)
    return Written(root, tuple(ops), tuple(calls), dates)


def micros(ns: int) -> str:
    """Whole nanoseconds as microseconds with three decimals."""
    return f"{ns // 1000}.{ns % 1000:03d}"


@dataclass(frozen=True)
class _Layout:
    """Which columns and which quoting a generation and chip have."""

    generation: Generation
    chip: Chip
    line_end: str

    @property
    def old(self) -> bool:
        return self.generation == "G1a"

    @property
    def split(self) -> bool:
        return self.chip == "910B" and not self.old

    @property
    def unquoted(self) -> bool:
        """The newer writer joins cells with commas and quotes nothing but shapes."""
        return self.chip == "910B" and self.generation in ("G3", "G4")

    def header(self) -> list[str]:
        """Columns of op_summary."""
        word = "Num" if self.generation == "G4" else "Dim"
        start = "Task Start Time" if self.old else "Task Start Time(us)"
        state = ["OP State"] if self.generation in ("G3", "G4") else []
        mix = [f"Mix Block {word}"] if self.split else []
        return [
            *([] if self.old else ["Device_id"]), "Model ID", "Task ID", "Stream ID", "Op Name", "OP Type", *state,
            "Task Type", start, "Task Duration(us)", "Task Wait Time(us)", f"Block {word}", *mix,
            *([] if self.old else ["HF32 Eligible"]), *TENSOR_BLOCK, *(["Context ID"] if self.split else []),
            *self.counter_names(),
        ]  # fmt: skip

    def counter_names(self) -> list[str]:
        """Columns of the group PipeUtilization."""
        if not self.split:
            pipes = [column for pipe in FUSED_PIPES for column in (f"{pipe}_time(us)", f"{pipe}_ratio")]
            last = [] if self.old else ["cube_utilization(%)"]
            return ["aicore_time(us)", "total_cycles", *pipes, "icache_miss_rate", "memory_bound", *last]
        columns = []
        for core, pipes_of_core in SPLIT_PIPES.items():
            columns += ["aicore_time(us)" if core == "aic" else "aiv_time(us)", f"{core}_total_cycles"]
            columns += [c for pipe in pipes_of_core for c in (f"{core}_{pipe}_time(us)", f"{core}_{pipe}_ratio")]
            columns.append(f"{core}_icache_miss_rate")
        return [*columns, "cube_utilization(%)"]

    def row(self, op: MadeOp) -> list[str]:
        """Cells of one op_summary row."""
        ids = ["N/A", "N/A"] if op.is_communication else [str(op.task), str(op.stream)]
        state = ["N/A" if op.is_communication else "dynamic"] if self.generation in ("G3", "G4") else []
        blocks = "0" if op.is_communication else str(op.blocks)
        start = str(op.start_ns) if self.old else self.stamp(op.start_ns)
        tensors = ["N/A"] * 6 if op.is_communication else [f'"{op.shape}"', "FLOAT16", "ND"] * 2
        return [
            *([] if self.old else [str(op.device)]), str(NO_ID), *ids, op.name, op.kind, *state, op.task_type,
            start, micros(op.duration_ns), micros(op.wait_ns), blocks, *(["0"] if self.split else []),
            *([] if self.old else ["N/A" if op.is_communication else "NO"]), *tensors, *(["N/A"] if self.split else []),
            *self.counters(op),
        ]  # fmt: skip

    def counters(self, op: MadeOp) -> list[str]:
        """Cells of the counters: `N/A` without a core, 0 on the core that did not take part."""
        names = self.counter_names()
        if not op.has_counters:
            return ["N/A"] * len(names)
        idle = "aiv_" if op.task_type == "AI_CORE" else "aic_"
        return ["0" if self.split and name.startswith(idle) else _counter(name, op) for name in names]

    def stamp(self, ns: int) -> str:
        """A point in time as these tables write it."""
        return str(ns) if self.old else micros(ns) + "\t"

    def text(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
        """A table in the quoting of this layout's writer."""
        if self.unquoted:
            return "".join(",".join(cells) + self.line_end for cells in [header, *rows])
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator=self.line_end).writerows([header, *rows])
        return buffer.getvalue()


def _counter(name: str, op: MadeOp) -> str:
    if name.endswith("_ratio"):
        return f"0.{op.ratio:03d}"
    if name.endswith("cycles"):
        return str(op.duration_ns)
    return micros(op.duration_ns * op.ratio // 1000) if name.endswith("_time(us)") else f"0.{op.ratio % 50:03d}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def _side_cars(root: Path, devices: Sequence[int], layout: _Layout) -> None:
    described = [{"id": device, "ai_core_num": 8 if layout.chip == "310P" else 24,
                  "aiv_num": 7 if layout.chip == "310P" else 48, "ai_cpu_core_num": 6,
                  "aic_frequency": "1800", "aiv_frequency": "1800"} for device in devices]  # fmt: skip
    info = {"platform_version": "4" if layout.chip == "310P" else "5", "pid": "1000", "pid_name": "main",
            "hostname": "host", "DeviceInfo": described}  # fmt: skip
    begin = {"collectionTimeBegin": str(EPOCH_NS // 1000 - 1000), "clockMonotonicRaw": str(MONOTONIC_NS)}
    end = {
        "collectionTimeEnd": str(EPOCH_NS // 1000 + 60_000_000),
        "clockMonotonicRaw": str(MONOTONIC_NS + 60_000_000_000),
    }
    for folder, suffix in [("host", ""), *((f"device_{device}", f".{device}") for device in devices)]:
        _write(root / folder / f"info.json{suffix}", json.dumps(info))
        _write(root / folder / "sample.json", json.dumps({"ai_core_metrics": "PipeUtilization", "profLevel": "l1"}))
        _write(root / folder / f"start_info{suffix}", json.dumps(begin))
        _write(root / folder / f"end_info{suffix}", json.dumps(end))


def _write_old(root: Path, layout: _Layout, ops: Sequence[MadeOp], calls: Sequence[MadeCall]) -> None:
    for device in sorted({op.device for op in ops}):
        own = [op for op in ops if op.device == device]
        summary = root / f"device_{device}" / "summary"
        _write(summary / f"op_summary_{device}_1.csv", layout.text(layout.header(), map(layout.row, own)))
        _write(summary / f"op_statistic_{device}_1.csv", _op_statistic(layout, own))
        _write(summary / f"task_time_{device}_1.csv", _task_time(layout, own))
        header = ["Name", "Type", "Start Time", "Duration(us)", "Process ID", "Thread ID"]
        rows = [[c.name, "ACL_RTS", str(c.start_ns), micros(c.duration_ns), "1000", "1001"] for c in calls]
        _write(summary / f"acl_{device}_1.csv", layout.text(header, rows))
        _write(summary / f"acl_statistic_{device}_1.csv", _acl_statistic(layout, calls))


def _write_dated(
    root: Path, layout: _Layout, ops: Sequence[MadeOp], calls: Sequence[MadeCall], date: str, slices: int
) -> None:
    output = root / "mindstudio_profiler_output"
    size = max(1, -(-len(ops) // slices))
    for index in range(slices):
        part = ops[index * size : (index + 1) * size]
        mark = f"_slice_{index}" if slices > 1 else ""
        _write(output / f"op_summary{mark}_{date}.csv", layout.text(layout.header(), map(layout.row, part)))
        _write(output / f"task_time{mark}_{date}.csv", _task_time(layout, part))
    _write(output / f"op_statistic_{date}.csv", _op_statistic(layout, ops))
    _write(output / f"api_statistic_{date}.csv", _api_statistic(layout, calls))
    if any(op.is_communication for op in ops):
        kind = "hccl_statistic" if layout.generation == "G2" else "communication_statistic"
        _write(output / f"{kind}_{date}.csv", _communication(layout, ops))


def _op_statistic(layout: _Layout, ops: Sequence[MadeOp]) -> str:
    header = ["OP Type", "Core Type", *SUM_COLUMNS]
    rows = _sums([(op.device, (op.kind, op.task_type), op.duration_ns) for op in ops if not op.is_communication])
    return layout.text(_with_device(layout, header), [cells if not layout.old else cells[1:] for cells in rows])


def _communication(layout: _Layout, ops: Sequence[MadeOp]) -> str:
    header = ["Device_id", "OP Type", *SUM_COLUMNS]
    return layout.text(header, _sums([(op.device, (op.kind,), op.duration_ns) for op in ops if op.is_communication]))


def _sums(entries: Sequence[tuple[int, tuple[str, ...], int]]) -> list[list[str]]:
    """Device, group, count, total, min, mean, max and share of the device's total."""
    groups: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    whole: dict[int, int] = {}
    for device, group, took_ns in entries:
        groups.setdefault((device, group), []).append(took_ns)
        whole[device] = whole.get(device, 0) + took_ns
    found = []
    for (device, group), times in sorted(groups.items(), key=lambda item: -sum(item[1])):
        total = sum(times)
        share_thousandths = round(100_000 * total / whole[device])
        found.append([str(device), *group, str(len(times)), micros(total), micros(min(times)),
                      micros(round(total / len(times))), micros(max(times)), micros(share_thousandths)])  # fmt: skip
    return found


def _task_time(layout: _Layout, ops: Sequence[MadeOp]) -> str:
    unit = "ns" if layout.old else "us"
    header = [
        "kernel_name",
        "kernel_type",
        "stream_id",
        "task_id",
        "task_time(us)",
        f"task_start({unit})",
        f"task_stop({unit})",
    ]
    rows = [
        [*([] if layout.old else [str(op.device)]), op.name, op.task_type, str(op.stream), str(op.task),
         micros(op.duration_ns), layout.stamp(op.start_ns), layout.stamp(op.start_ns + op.duration_ns)]
        for op in ops if not op.is_communication
    ]  # fmt: skip
    return layout.text(_with_device(layout, header), rows)


def _with_device(layout: _Layout, header: list[str]) -> list[str]:
    return header if layout.old else ["Device_id", *header]


def _api_statistic(layout: _Layout, calls: Sequence[MadeCall]) -> str:
    rows = []
    for (level, name), times in _by_name(calls).items():
        mean = round(sum(times) / len(times))
        variance = sum((took - mean) ** 2 for took in times) / len(times) / 1_000_000
        rows.append(["host", level, name, micros(sum(times)), str(len(times)), micros(mean), micros(min(times)),
                     micros(max(times)), f"{variance:.3f}"])  # fmt: skip
    return layout.text("Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance".split(","), rows)


def _acl_statistic(layout: _Layout, calls: Sequence[MadeCall]) -> str:
    whole = sum(call.duration_ns for call in calls)
    rows = [
        [name, "ACL_RTS", f"{100 * sum(times) / whole:.6f}", micros(sum(times)), str(len(times)),
         micros(round(sum(times) / len(times))), micros(min(times)), micros(max(times)), "1000", "1001"]
        for (_, name), times in _by_name(calls).items()
    ]  # fmt: skip
    return layout.text("Name,Type,Time(%),Time(us),Count,Avg(us),Min(us),Max(us),Process ID,Thread ID".split(","), rows)


def _by_name(calls: Sequence[MadeCall]) -> dict[tuple[str, str], list[int]]:
    groups: dict[tuple[str, str], list[int]] = {}
    for call in calls:
        groups.setdefault((call.level, call.name), []).append(call.duration_ns)
    return groups
