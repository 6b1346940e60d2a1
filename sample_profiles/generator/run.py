"""One run of the network: when the host called what and the device ran what, in whole nanoseconds from its start."""

from __future__ import annotations

import random
from dataclasses import dataclass

from generator import measures
from generator.network import Op, build

PROCESS = 31337
MODEL = 1
NO_MODEL = 4294967295
STREAM_COMPUTE, STREAM_AICPU, STREAM_COPY = 2, 3, 7
COMPUTE_START_NS = 95_192_000
LAUNCH_LEAD_NS = 192_000
GAP_AFTER = "Mul_3"
GAP_NS = 1_249_575
LONG_WAITS = 30
UPLOADS = 41
UPLOAD_BYTES_PER_NS = 11


@dataclass(frozen=True)
class Call:
    """A call of the host, as one API of one level saw it."""

    level: str
    name: str
    mode: str
    start_ns: int
    duration_ns: int
    item: str = "0"
    connection: int = 0

    @property
    def end_ns(self) -> int:
        """When it returned."""
        return self.start_ns + self.duration_ns


@dataclass(frozen=True)
class Task:
    """Something that occupied a stream of the device; `op` is set for operators only."""

    kind: str
    stream: int
    task: int
    start_ns: int
    duration_ns: int
    connection: int
    launch_ns: int
    op: Op | None = None
    size_bytes: int = 0
    operation: str = ""
    model: int = MODEL

    @property
    def end_ns(self) -> int:
        """When the device was done with it."""
        return self.start_ns + self.duration_ns

    @property
    def name(self) -> str:
        """Name of the operator, or `N/A`."""
        return self.op.name if self.op else "N/A"


@dataclass(frozen=True)
class Run:
    """Everything one run recorded; calls and tasks in order of their start."""

    mish: bool
    calls: tuple[Call, ...]
    tasks: tuple[Task, ...]
    counters: dict[str, measures.Counters | None]
    blocks: dict[str, int]

    @property
    def ops(self) -> list[Task]:
        """Tasks that are operators."""
        return [task for task in self.tasks if task.op]

    @property
    def end_ns(self) -> int:
        """When the last call returned or the last task was done."""
        return max([call.end_ns for call in self.calls] + [task.end_ns for task in self.tasks])

    def calls_of(self, level: str) -> list[Call]:
        """Calls of one level."""
        return [call for call in self.calls if call.level == level]

    def call(self, name: str) -> Call:
        """The first call of a name."""
        return next(call for call in self.calls if call.name == name)


class _Recorder:
    """Collects calls and tasks and hands out the numbers that tie them together."""

    def __init__(self, mish: bool) -> None:
        self.mish = mish
        self.calls: list[Call] = []
        self.tasks: list[Task] = []
        self._connection = 1000
        self._task = {STREAM_COMPUTE: 0, STREAM_AICPU: 0, STREAM_COPY: 0}
        self.rng = random.Random(f"{measures.SEED}:host:{mish}")

    def call(
        self, level: str, name: str, mode: str, start_ns: int, duration_ns: int, item: str = "0", connection: int = 0
    ) -> Call:
        """Records one call."""
        call = Call(level, name, mode, start_ns, duration_ns, item, connection)
        self.calls.append(call)
        return call

    def connection(self) -> int:
        """The next number tying a launch to its task."""
        self._connection += 1
        return self._connection

    def place(
        self, kind: str, stream: int, start_ns: int, duration_ns: int, launch: Call, op: Op | None = None
    ) -> Task:
        """Records one task of the model on a stream."""
        task = Task(kind, stream, self._next(stream), start_ns, duration_ns, launch.connection, launch.start_ns, op)
        self.tasks.append(task)
        return task

    def copy(self, start_ns: int, duration_ns: int, launch: Call, size_bytes: int, operation: str) -> Task:
        """Records one transfer between host and device, which belongs to no model."""
        task = Task("MEMCPY_ASYNC", STREAM_COPY, self._next(STREAM_COPY), start_ns, duration_ns, launch.connection,
                    launch.start_ns, None, size_bytes, operation, NO_MODEL)  # fmt: skip
        self.tasks.append(task)
        return task

    def _next(self, stream: int) -> int:
        self._task[stream] += 1
        return self._task[stream]

    def noise_ns(self, around_ns: int, spread: float = 0.2) -> int:
        """A duration near the wanted one."""
        return int(around_ns * (1 - spread + 2 * spread * self.rng.random()))


def record(mish: bool) -> Run:
    """The run of the network with Mish, or with LeakyRelu in its place."""
    ops = build(mish)
    took = measures.durations_ns(ops, mish)
    block_num = {op.name: measures.blocks(op, mish) for op in ops}
    tape = _Recorder(mish)
    _set_up(tape)
    _load(tape, 62_400_218 if mish else 62_600_431)
    _inputs(tape)
    end_ns = _execute(tape, ops, took)
    _tear_down(tape, end_ns)
    counted = {op.name: measures.counters(op, took[op.name], block_num[op.name], mish) for op in ops}
    calls = tuple(sorted(tape.calls, key=lambda call: (call.start_ns, -call.duration_ns)))
    tasks = tuple(sorted(tape.tasks, key=lambda task: (task.start_ns, task.stream)))
    return Run(mish, calls, tasks, counted, block_num)


def _set_up(tape: _Recorder) -> None:
    tape.call("acl", "aclInit", "ACL_OTHERS", 0, 8_100_330)
    tape.call("acl", "aclrtSetDevice", "ACL_RTS", 9_200_000, 14_200_114)
    tape.call("runtime", "rtSetDevice", "N/A", 9_410_000, 5_600_210)
    tape.call("acl", "aclrtCreateContext", "ACL_RTS", 23_420_000, 29_010)
    tape.call("acl", "aclrtCreateStream", "ACL_RTS", 23_470_000, 31_020)
    tape.call("acl", "aclrtGetRunMode", "ACL_RTS", 23_520_000, 23_400)
    tape.call("acl", "aclmdlQuerySize", "ACL_MODEL", 23_560_000, 120_060)
    _malloc(tape, 23_700_000, 1_300_140)
    _malloc(tape, 25_010_000, 900_080)


def _malloc(tape: _Recorder, start_ns: int, duration_ns: int) -> None:
    tape.call("acl", "aclrtMalloc", "ACL_RTS", start_ns, duration_ns)
    tape.call("runtime", "rtMalloc", "N/A", start_ns + 4_000, duration_ns * 6 // 10)


def _load(tape: _Recorder, duration_ns: int) -> None:
    """The model file is parsed, then its weights go to the device piece by piece."""
    load = tape.call("acl", "aclmdlLoadFromFileWithMem", "ACL_MODEL", 26_000_000, duration_ns)
    inner = tape.call("model", "ModelLoad", "N/A", load.start_ns + 9_200_400, duration_ns - 11_000_900, item="yolov4")
    at_ns = inner.start_ns + 11_300_000
    for _ in range(UPLOADS):
        size = (tape.rng.randrange(40_000, 5_900_000) // 512) * 512
        copy_ns = size // UPLOAD_BYTES_PER_NS + tape.rng.randrange(900, 4_000)
        number = tape.connection()
        api = tape.call("runtime", "rtMemcpyAsync", "N/A", at_ns, tape.noise_ns(143_000), connection=number)
        done_ns = tape.copy(api.end_ns - 20_000, copy_ns, api, size, "host to device").end_ns
        at_ns = max(api.end_ns, done_ns) + tape.noise_ns(330_000)


def _inputs(tape: _Recorder) -> None:
    tape.call("acl", "aclmdlCreateDesc", "ACL_MODEL", 88_700_000, 300_040)
    tape.call("acl", "aclmdlGetDesc", "ACL_MODEL", 89_020_000, 25_200)
    _malloc(tape, 89_100_000, 700_060)
    _malloc(tape, 89_820_000, 499_980)
    tape.call("acl", "aclmdlCreateDataset", "ACL_MODEL", 90_340_000, 6_080)
    tape.call("acl", "aclmdlAddDatasetBuffer", "ACL_MODEL", 90_360_000, 4_020)
    _copy(tape, 92_000_000, 1_900_110, 3 * 608 * 608 * 4, "host to device")


def _copy(tape: _Recorder, start_ns: int, duration_ns: int, size: int, operation: str) -> None:
    tape.call("acl", "aclrtMemcpy", "ACL_RTS", start_ns, duration_ns)
    number = tape.connection()
    api = tape.call("runtime", "rtMemcpyAsync", "N/A", start_ns + 30_000, duration_ns - 60_000, connection=number)
    copy_ns = size // UPLOAD_BYTES_PER_NS + 2_140
    tape.copy(api.start_ns + 120_000, copy_ns, api, size, operation)


def _execute(tape: _Recorder, ops: list[Op], took: dict[str, int]) -> int:
    """All operators in their order; returns when `aclmdlExecute` returned."""
    waits = _waits_ns(tape, ops)
    starts: list[int] = []
    at_ns = COMPUTE_START_NS
    for op in ops:
        at_ns += waits[op.name]
        starts.append(at_ns)
        at_ns += took[op.name]
    launches = _launches(tape, ops, starts)
    for op, start_ns, launch in zip(ops, starts, launches):
        _run_op(tape, op, start_ns, took[op.name], launch)
    begin_ns = 94_600_000
    synchronised_ns = launches[-1].end_ns + 3_000
    tape.call("runtime", "rtStreamSynchronize", "N/A", synchronised_ns, at_ns + 41_300 - synchronised_ns)
    tape.call("model", "ModelExecute", "N/A", begin_ns + 310_700, at_ns + 96_400 - begin_ns - 310_700, item="yolov4")
    end_ns = begin_ns + 118_300_127 if tape.mish else at_ns + 201_300
    tape.call("acl", "aclmdlExecute", "ACL_MODEL", begin_ns, end_ns - begin_ns)
    return end_ns


def _waits_ns(tape: _Recorder, ops: list[Op]) -> dict[str, int]:
    """Idle time of the device before each operator; a late launch leaves one long gap after the first activation."""
    names = [op.name for op in ops]
    waits = {name: int(measures.rng_of("wait", name).random() * 2_600) + 400 for name in names}
    for name in names[8 :: len(names) // LONG_WAITS][:LONG_WAITS]:
        waits[name] = 30_000 + int(measures.rng_of("pause", name).random() * 84_000)
    waits[names[0]] = 0
    waits["Conv_0"] = 6_210
    waits["Conv_4"] = GAP_NS
    waits["NonMaxSuppression_406"] = 61_480
    return waits


def _launches(tape: _Recorder, ops: list[Op], starts: list[int]) -> list[Call]:
    """Launches one after another, each before its operator starts, the fifth graph node late."""
    launches = []
    at_ns = COMPUTE_START_NS - LAUNCH_LEAD_NS
    for op, start_ns in zip(ops, starts):
        if op.name == "Conv_4":
            at_ns = max(at_ns, start_ns - 115_000)
        number = tape.connection()
        node = tape.call("node", "launch", "launch", at_ns, tape.noise_ns(15_400), item=op.name, connection=number)
        tape.call("runtime", "rtKernelLaunch", "N/A", at_ns + 1_900, node.duration_ns - 3_200, connection=number)
        launches.append(node)
        at_ns = node.end_ns + tape.noise_ns(2_400)
    return launches


def _run_op(tape: _Recorder, op: Op, start_ns: int, duration_ns: int, launch: Call) -> None:
    if op.core == "AI_CORE":
        tape.place("AI_CORE", STREAM_COMPUTE, start_ns, duration_ns, launch, op)
        return
    tape.place("EVENT_RECORD", STREAM_COMPUTE, start_ns - 58_020, 1_240, launch)
    tape.place("EVENT_WAIT", STREAM_AICPU, start_ns - 54_000, 31_060, launch)
    tape.place(op.core, STREAM_AICPU, start_ns, duration_ns, launch, op)
    tape.place("EVENT_RECORD", STREAM_AICPU, start_ns + duration_ns + 20, 180, launch)
    tape.place("EVENT_WAIT", STREAM_COMPUTE, start_ns + duration_ns + 210, 140, launch)


def _tear_down(tape: _Recorder, execute_end_ns: int) -> None:
    """What follows `aclmdlExecute`; in the profile with Mish the whole run is 214.6 ms."""
    shift_ns = execute_end_ns - 212_900_127
    _copy(tape, 212_950_300 + shift_ns, 900_020, 22_743 * 85 * 4, "device to host")
    for start_ns, duration_ns in ((213_900_000, 300_140), (214_210_000, 199_860)):
        tape.call("acl", "aclrtFree", "ACL_RTS", start_ns + shift_ns, duration_ns)
        tape.call("runtime", "rtFree", "N/A", start_ns + shift_ns + 3_000, duration_ns * 6 // 10)
    ending = ("aclmdlUnload", "aclmdlDestroyDesc", "aclrtDestroyStream", "aclrtDestroyContext", "aclrtResetDevice")
    for index, name in enumerate(ending):
        mode = "ACL_MODEL" if name.startswith("aclmdl") else "ACL_RTS"
        tape.call("acl", name, mode, 214_420_000 + 30_000 * index + shift_ns, 19_080 - 1_010 * index)
    tape.call("acl", "aclFinalize", "ACL_OTHERS", 214_586_940 + shift_ns, 13_060)
