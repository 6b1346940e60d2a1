"""Writes a large synthetic timeline, the same bytes for the same seed and numpy.

Usage: python -m benchmarks.make_trace OUT.json [--events N] [--seed N]

The mixture is that of a torch_npu `trace_view.json`: 43 % slices in three nested host layers and on device streams,
44 % counter samples, 12 % flow ends, about 219 bytes an event; times are quoted microseconds since the epoch with three
decimals, durations bare numbers, pids above 2^31, flow ids quoted beyond 64 bits or bare. No two slices of a lane
overlap unless one lies inside the other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

START_NS = 1_736_408_883_704_643_212
OS_PID = 3_096_504
STEP_NS = 40_000
CALLS_A_STEP = 2_000
BLOCK_CALLS = 4_000
EVENTS_A_CALL = 16.2
_FRAMES = (f"/usr/lib/python3/site-packages/torch/nn/modules/layer{i}.py({i * 7}): forward" for i in range(4))
STACK = '"Call stack": "' + ";\\r\\n".join(_FRAMES) + '"'
STREAMS = (2, 3, 5, 7)
HOST, LAUNCHER = OS_PID, OS_PID + 3_198

Integers = np.ndarray[Any, np.dtype[np.int64]]


def pid(sort: int, device: int = 0) -> int:
    """Process number of a layer, as torch_npu makes them up."""
    return (OS_PID << 10) | (sort << 5) | device


CANN, HARDWARE, FREQUENCY, HBM, LLC, ACC, QOS = (pid(sort) for sort in (7, 13, 14, 17, 18, 21, 22))

_X = f'{{"ph": "X", "name": "%s", "pid": {OS_PID}, "tid": %d, "ts": "%s", "dur": %s, "cat": "%s", "args": {{%s}}}}'
_CALL_ARGS = (
    '"Sequence number": %d, "Fwd thread id": 0, "Input Dims": "%d,%d;\\r\\n%d", "Input type": "float;\\r\\nScalar", %s'
)
_CANN = (
    f'{{"name": "%s", "pid": {CANN}, "tid": {LAUNCHER}, "ts": "%s", "dur": %s, "args": {{"Thread Id": {LAUNCHER}, '
    '"Mode": "%s", "level": "%s", "id": "0", "item_id": "%s", "connection_id": %d}, "ph": "X"}'
)
_TASK = (
    f'{{"name": "%s", "pid": {HARDWARE}, "tid": %d, "ts": "%s", "dur": %s, "args": {{"Model Id": 4294967295, '
    '"Task Type": "%s", "Physic Stream Id": %d, "Task Id": %d, "Batch Id": 0, "Subtask Id": 4294967295, '
    '"connection_id": %d}, "ph": "X"}'
)
_C = '{"name": "%s", "ts": "%s", "pid": %d, "tid": 0, "args": {"%s": %s}, "ph": "C"}'
_S = (
    '{"name": "HostToDevice%d", "ph": "s", "cat": "HostToDevice", "id": "%d", '
    f'"pid": {CANN}, "tid": {LAUNCHER}, "ts": "%s"}}'
)
_F = (
    '{"name": "HostToDevice%d", "ph": "f", "id": "%d", "ts": "%s", "cat": "HostToDevice", '
    f'"pid": {HARDWARE}, "tid": %d, "bp": "e"}}'
)
_TORCH = (
    '{"ph": "%s", "bp": "e", "name": "torch_to_npu", "id": %d, "pid": %d, "tid": %d, "ts": "%s", "cat": "async_npu"}'
)

WORDS = "add mul matmul copy_ softmax layer_norm gelu view transpose cat slice embedding".split()
COUNTERS = (
    ("AI Core Freq", FREQUENCY, "MHz"), ("HBM 0/Read", HBM, "Read(MB/s)"), ("HBM 0/Write", HBM, "Write(MB/s)"),
    ("LLC 0 Read/Throughput", LLC, "Throughput(MB/s)"), ("LLC 0 Read/Hit Rate", LLC, "Hit Rate(%)"),
    ("read_bandwidth", ACC, "value"), ("QoS OTHERS", QOS, "value"),
)  # fmt: skip


def metadata() -> Iterator[str]:
    """Names of processes and threads."""
    processes = ((OS_PID, "Python", "CPU", 0), (CANN, "CANN", "CPU", 7), (HARDWARE, "Ascend Hardware", "NPU", 13),
                 (FREQUENCY, "AI Core Freq", "NPU", 14), (HBM, "HBM", "NPU", 17), (LLC, "LLC", "NPU", 18),
                 (ACC, "Acc PMU", "NPU", 21), (QOS, "QoS", "NPU", 22))  # fmt: skip
    for number, name, label, sort in processes:
        for kind, args in (("name", f'"name": "{name}"'), ("labels", f'"labels": "{label}"'),
                           ("sort_index", f'"sort_index": {sort}')):  # fmt: skip
            yield f'{{"ph": "M", "name": "process_{kind}", "pid": {number}, "tid": 0, "args": {{{args}}}}}'
    threads = [(number, tid, f"Thread {tid}") for number, tid in ((OS_PID, HOST), (OS_PID, LAUNCHER), (CANN, LAUNCHER))]
    for number, tid, name in threads + [(HARDWARE, stream, f"Stream {stream}") for stream in STREAMS]:
        yield f'{{"ph": "M", "name": "thread_name", "pid": {number}, "tid": {tid}, "args": {{"name": "{name}"}}}}'


def us(times_ns: Integers) -> list[str]:
    """Microseconds with three decimals."""
    whole, rest = np.divmod(times_ns, 1000)
    return [f"{a}.{b:03d}" for a, b in zip(whole.tolist(), rest.tolist())]


def short_us(durations_ns: Integers) -> list[str]:
    """Microseconds as JSON numbers, written as Python does."""
    return [repr(value / 1000) if value % 1000 else str(value // 1000) for value in durations_ns.tolist()]


def calls(rng: np.random.Generator, first: int, count: int) -> list[str]:
    """The events of some calls: three host layers, the task, flow ends and counter samples."""
    index = np.arange(first, first + count)
    begin = START_NS + index * STEP_NS + rng.integers(0, 900, count)
    op = rng.integers(0, len(WORDS) * 12, count).tolist()
    names = [f"{WORDS[i % len(WORDS)]}{i // len(WORDS) or ''}" for i in op]
    numbers = (index + 900).tolist()
    streams = [STREAMS[i % len(STREAMS)] for i in index.tolist()]
    task_starts = us(begin + 30_000 + index % 7)
    task = short_us(rng.integers(1, 38_000, count))
    host, cann = _host(rng, names, numbers, begin)
    tasks = [
        _TASK % (f"aclnn{n}_{n}AiCore_{n}", s, t, d, "AI_CORE", s, c % 65536, c)
        for n, s, t, d, c in zip(names, streams, task_starts, task, numbers)
    ]
    return host + cann + tasks + _flows(streams, task_starts, begin, numbers) + _counters(rng, begin, count)


def _host(
    rng: np.random.Generator, names: list[str], numbers: list[int], begin: Integers
) -> tuple[list[str], list[str]]:
    """Slices of the framework, and those of CANN; each lies inside its caller."""
    count = len(names)
    launch = rng.integers(6_000, 11_000, count)
    acl = launch + rng.integers(2_000, 5_000, count)
    outer, inner = short_us(rng.integers(30_000, 38_000, count)), short_us(rng.integers(18_000, 26_000, count))
    enqueue, dequeue = short_us(rng.integers(2_000, 6_000, count)), short_us(acl + rng.integers(1_000, 3_000, count))
    args = [_CALL_ARGS % (number, number % 64, number % 1024, number % 17, STACK) for number in numbers]
    host = [_X % (f"aten::{n}", HOST, t, d, "cpu_op", a) for n, t, d, a in zip(names, us(begin), outer, args)]
    host += [_X % (f"npu::{n}", HOST, t, d, "cpu_op", a) for n, t, d, a in zip(names, us(begin + 2_000), inner, args)]
    for label, tid, starts, lengths in (
        ("Enqueue", HOST, begin + 4_000, enqueue),
        ("Dequeue", LAUNCHER, begin + 10_000, dequeue),
    ):
        host += [
            _X % (f"{label}@aclnn{n}", tid, t, d, label.lower(), f'"correlation_id": {c}')
            for n, t, d, c in zip(names, us(starts), lengths, numbers)
        ]
    cann = [
        _CANN % (f"AscendCL@aclnn{n}", t, d, "ACL_OP", "acl", "0", c)
        for n, t, d, c in zip(names, us(begin + 11_000), short_us(acl), numbers)
    ]
    cann += [
        _CANN % ("Node@launch", t, d, "launch", "node", n, c)
        for n, t, d, c in zip(names, us(begin + 12_000), short_us(launch), numbers)
    ]
    return host, cann


def _flows(streams: list[int], task_starts: list[str], begin: Integers, numbers: list[int]) -> list[str]:
    """Every other call has a HostToDevice flow, the others one from the framework."""
    inside, starts = us(begin + 13_000), us(begin)
    events = []
    for i, (stream, number) in enumerate(zip(streams, numbers)):
        if i % 2:
            events.append(_TORCH % ("s", START_NS + number, OS_PID, HOST, starts[i]))
            events.append(_TORCH % ("f", START_NS + number, HARDWARE, stream, task_starts[i]))
            continue
        flow = (stream << 64) + ((number % 65536) << 48) + ((number >> 16) << 32)
        events.append(_S % (flow, flow, inside[i]))
        events.append(_F % (flow, flow, task_starts[i], stream))
    return events


def _counters(rng: np.random.Generator, begin: Integers, count: int) -> list[str]:
    events = []
    for series, (name, number, key) in enumerate(COUNTERS):
        values = rng.integers(0, 1 << 20, count).tolist()
        events += [_C % (name, t, number, key, v / 64) for t, v in zip(us(begin + series), values)]
    extra = count // 5
    events += [_C % ("Used", t, HBM, "KB", v) for t, v in zip(us(begin[:extra] + 9), range(extra))]
    return events


def steps(first: int, last: int) -> list[str]:
    """Slices of the training steps that begin among some calls."""
    numbers = range(-(-first // CALLS_A_STEP), -(-last // CALLS_A_STEP))
    begin = START_NS + np.array(list(numbers), np.int64) * CALLS_A_STEP * STEP_NS
    length_us = str(CALLS_A_STEP * STEP_NS // 1000)
    return [_X % (f"ProfilerStep#{n}", HOST, t, length_us, "user_annotation", "") for n, t in zip(numbers, us(begin))]


def write(path: Path, events: int, seed: int) -> int:
    """Writes about `events` events and returns how many there are."""
    rng = np.random.default_rng(seed)
    total = max(1, round(events / EVENTS_A_CALL))
    written = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = list(metadata())
        file.write("[")
        for first in range(0, total, BLOCK_CALLS):
            last = min(total, first + BLOCK_CALLS)
            lines += steps(first, last) + calls(rng, first, last - first)
            file.write((", " if written else "") + ", ".join(lines))
            written, lines = written + len(lines), []
        file.write("]")
    return written


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(write(options.out, options.events, options.seed), "events,", options.out.stat().st_size, "bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
