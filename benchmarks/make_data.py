"""Writes large synthetic profiles for the benchmarks, the same bytes for the same seed and numpy.

Usage: python benchmarks/make_data.py op_summary OUT [--rows N] [--seed N]

`op_summary` writes OUT/PROF_*/mindstudio_profiler_output/op_summary_<date>.csv: 45 columns as msprof wrote them for a
chip with separate cube and vector cores (PipeUtilization), shapes in literal quotes, a TAB after times, `N/A` where a
row has no counters; beyond a million rows it is cut into slices as msprof does. The path of the profile is printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

NAME = "PROF_000001_20240605082600000_ABCDEFGHIJKLMNOP"
DATE = "20240605083000"
START_NS = 1_717_575_960_208_020_758
SLICE_ROWS = 1_000_000
BLOCK_ROWS = 25_000
CUBE_PIPES = ("mac", "scalar", "mte1", "mte2", "fixpipe")
VECTOR_PIPES = ("vec", "scalar", "mte2", "mte3")
CUBE_TYPES = ("MatMulV3", "BatchMatMulV2", "Conv2D", "Conv2DBackpropFilter", "FlashAttentionScore", "GroupedMatmul")
VECTOR_WORDS = ("Add", "Mul", "Cast", "Softmax", "RmsNorm", "Slice", "Concat", "TransData", "ReduceSum", "Gather")
VECTOR_TYPES = tuple(word + tail for word in VECTOR_WORDS for tail in ("", "V2", "Grad", "D"))
OTHER_TYPES = ("Range", "Where", "hcom_allReduce_", "hcom_allGather_")
WEIGHTS = (34, 62, 1, 3)
CUBE, VECTOR, AI_CPU, COMMUNICATION = range(4)
CORES = ("AI_CORE", "AI_VECTOR_CORE", "AI_CPU", "COMMUNICATION")

Integers = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Operators:
    """The distinct operators: class of each, the cells that never change before and after the times."""

    classes: Integers
    heads: list[str]
    tensors: list[str]


def header() -> str:
    """The 45 column names."""
    names = "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),"
    names += "Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,"
    names += "Output Shapes,Output Data Types,Output Formats,Context ID,aicore_time(us),aic_total_cycles,"
    names += "".join(f"aic_{pipe}_time(us),aic_{pipe}_ratio," for pipe in CUBE_PIPES)
    names += "aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,"
    names += "".join(f"aiv_{pipe}_time(us),aiv_{pipe}_ratio," for pipe in VECTOR_PIPES)
    return names + "aiv_icache_miss_rate,cube_utilization(%)"


def operators(rng: np.random.Generator, count: int = 4000, shape_count: int = 500) -> Operators:
    """Some thousand operators of 50 types with some hundred shapes, as layers of a large model have."""
    sides = rng.choice([1, 2, 4, 8, 16, 32, 64, 128, 512, 1024, 4096, 5120, 8192], size=(shape_count, 4)).tolist()
    shapes = [f"{a},{b},{c}" for a, b, c, _ in sides]
    weights = [f"{c},{d}" for _, _, c, d in sides]
    classes = rng.choice(4, size=count, p=np.array(WEIGHTS) / 100).astype(np.int64)
    picks = rng.integers(0, shape_count, size=(count, 3)).tolist()
    heads, tensors = [], []
    for index, (kind, pick) in enumerate(zip(classes.tolist(), picks)):
        op_type = _type_of(kind, pick[2])
        heads.append(f"layers_{index // 60}/{op_type}_{index},{op_type},{CORES[kind]}")
        taken = f'"""{shapes[pick[0]]};{weights[pick[0]]}""",DT_BF16;DT_BF16,ND;FRACTAL_NZ'
        given = f'"""{shapes[pick[1]]}""",DT_BF16,ND'
        tensors.append("N/A,N/A,N/A,N/A,N/A,N/A" if kind == COMMUNICATION else f"{taken},{given}")
    return Operators(classes, heads, tensors)


def _type_of(kind: int, pick: int) -> str:
    if kind == CUBE:
        return CUBE_TYPES[pick % len(CUBE_TYPES)]
    if kind == VECTOR:
        return VECTOR_TYPES[pick % len(VECTOR_TYPES)]
    return OTHER_TYPES[pick % 2 + (2 if kind == COMMUNICATION else 0)]


def _counter_format(pipes: int) -> str:
    return "%d.%03d,%d," + "%d.%03d,0.%03d," * pipes + "0.%03d"


def _counters(rng: np.random.Generator, duration_ns: Integers, pipes: int) -> list[str]:
    """Counter cells of the cores that ran: time, cycles, time and ratio of each pipe, misses."""
    busy_ns = duration_ns * rng.integers(850, 999, size=len(duration_ns)) // 1000
    columns = [busy_ns // 1000, busy_ns % 1000, busy_ns * 36]
    for _ in range(pipes):
        ratio = rng.integers(0, 990, size=len(duration_ns))
        pipe_ns = busy_ns * ratio // 1000
        columns += [pipe_ns // 1000, pipe_ns % 1000, ratio]
    columns.append(rng.integers(0, 60, size=len(duration_ns)))
    pattern = _counter_format(pipes)
    return [pattern % cells for cells in zip(*(column.tolist() for column in columns))]


def _tails(rng: np.random.Generator, classes: Integers, duration_ns: Integers) -> list[str]:
    """The 25 counter cells of each row."""
    idle_vector = ",0.000,0" + ",0.000,0.000" * len(VECTOR_PIPES) + ",0.000,"
    idle_cube = "0.000,0" + ",0.000,0.000" * len(CUBE_PIPES) + ",0.000,"
    tails = [",".join(["N/A"] * 25)] * len(classes)
    cube = np.flatnonzero(classes == CUBE)
    shares = rng.integers(20_000, 99_000, size=len(cube)).tolist()
    for row, cells, share in zip(cube.tolist(), _counters(rng, duration_ns[cube], len(CUBE_PIPES)), shares):
        tails[row] = f"{cells}{idle_vector}{share // 1000}.{share % 1000:03d}"
    vector = np.flatnonzero(classes == VECTOR)
    for row, cells in zip(vector.tolist(), _counters(rng, duration_ns[vector], len(VECTOR_PIPES))):
        tails[row] = f"{idle_cube}{cells},0.000"
    return tails


def blocks(rng: np.random.Generator, rows: int) -> Iterator[list[str]]:
    """Lines of the table, a block at a time, in order of start."""
    known = operators(rng)
    at_ns = START_NS
    for first in range(0, rows, BLOCK_ROWS):
        count = min(BLOCK_ROWS, rows - first)
        picked = rng.integers(0, len(known.heads), size=count)
        duration_ns = (rng.pareto(1.6, size=count) * 9_000).astype(np.int64) % 40_000_000 + 1_120
        wait_ns = np.where(rng.random(count) < 0.3, 0, rng.integers(20, 9_000, size=count))
        starts_ns = at_ns + np.cumsum(wait_ns + duration_ns) - duration_ns
        at_ns = int(starts_ns[-1] + duration_ns[-1])
        tails = _tails(rng, known.classes[picked], duration_ns)
        cells = zip(picked.tolist(), starts_ns.tolist(), duration_ns.tolist(), wait_ns.tolist(),
                    rng.choice([1, 8, 20, 24, 40], size=count).tolist(), tails)  # fmt: skip
        yield [_line(known, first + index, *values) for index, values in enumerate(cells)]


def _line(known: Operators, row: int, op: int, start_ns: int, took_ns: int, wait_ns: int, core: int, tail: str) -> str:
    start = f"{start_ns // 1000}.{start_ns % 1000:03d}\t,{took_ns // 1000}.{took_ns % 1000:03d}"
    ids = "N/A,N/A" if known.classes[op] == COMMUNICATION else f"{row % 65536},{2 + row % 3}"
    wait = f"{wait_ns // 1000}.{wait_ns % 1000:03d}"
    return f"0,4294967295,{ids},{known.heads[op]},{start},{wait},{core},0,NO,{known.tensors[op]},N/A,{tail}\n"


def write_op_summary(folder: Path, rows: int, seed: int = 1) -> Path:
    """Writes the profile below `folder` and returns its path."""
    root = folder / NAME
    output = root / "mindstudio_profiler_output"
    output.mkdir(parents=True, exist_ok=True)
    _side_cars(root)
    lines = blocks(np.random.default_rng(seed), rows)
    for index in range(max(1, -(-rows // SLICE_ROWS))):
        mark = f"_slice_{index}" if rows > SLICE_ROWS else ""
        with (output / f"op_summary{mark}_{DATE}.csv").open("w", encoding="utf-8", newline="") as target:
            target.write(header() + "\n")
            for _ in range(SLICE_ROWS // BLOCK_ROWS):
                target.writelines(next(lines, []))
    return root


def _side_cars(root: Path) -> None:
    device = {"id": 0, "ai_core_num": 24, "aiv_num": 48, "ai_cpu_core_num": 6, "aic_frequency": "1800"}
    info = {"platform_version": "5", "pid": "1000", "pid_name": "benchmark", "DeviceInfo": [device]}
    (root / "host").mkdir(exist_ok=True)
    (root / "host" / "info.json").write_text(json.dumps(info), encoding="utf-8")


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="Write large synthetic profiles.")
    parser.add_argument("kind", choices=["op_summary"])
    parser.add_argument("output", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print(write_op_summary(chosen.output, chosen.rows, chosen.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
