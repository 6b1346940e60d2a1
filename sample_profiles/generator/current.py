"""Writes a run as CANN 8 exports it for an inference chip: `mindstudio_profiler_output`, a date in every name."""

from __future__ import annotations

from generator import sums
from generator.environment import side_cars
from generator.measures import PIPES, Counters
from generator.run import MODEL, PROCESS, Call, Run, Task
from generator.text import NONE_ID, Cell, micros, one_line, plain, share_pct, stamp, table, tensor_cells

CANN_PID = (PROCESS << 10) | (7 << 5) | 31
DEVICE_PID = (PROCESS << 10) | (14 << 5)
OVERLAP_PID = (PROCESS << 10) | (31 << 5)
LAYERS = {"acl": "AscendCL", "model": "Model", "node": "Node", "runtime": "Runtime"}
PIPE_COLUMNS = ",".join(f"{pipe}_time(us),{pipe}_ratio" for pipe in PIPES)
OP_SUMMARY = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),"
    "Task Wait Time(us),Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
    f"Output Data Types,Output Formats,aicore_time(us),total_cycles,{PIPE_COLUMNS},icache_miss_rate,memory_bound,"
    "cube_utilization(%)"
)
OP_STATISTIC = "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)"
API_STATISTIC = "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance"
TASK_TIME = "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)"
STEP_TRACE = (
    "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),FP to BP Time(us),"
    "Iteration Refresh(us),Data Aug Bound(us),Model ID"
)
FUSION_OP = (
    "Device_id,Model Name,Model ID,Fusion Op,Original Ops,Memory Input(KB),Memory Output(KB),Memory Weight(KB),"
    "Memory Workspace(KB),Memory Total(KB)"
)
README = """Files of this export (device 0, one process):
msprof_*.json         timeline: host calls, device tasks, overlap of computing and idle time
step_trace_*.*        iterations of each model
op_summary_*.csv      one row for each operator that ran on the device
op_statistic_*.csv    operators summed by type and core
api_statistic_*.csv   host calls summed by level and name
task_time_*.csv       every task of the device, with its start and its end
fusion_op_*.csv       operators that the compiler merged, and what they were made of
"""


def counter_cells(counters: Counters | None) -> list[Cell]:
    """The columns of core metrics, `N/A` where the core was not used."""
    if counters is None:
        return ["N/A"] * (2 + 2 * len(PIPES) + 3)
    cells: list[Cell] = [micros(counters.aicore_ns), counters.total_cycles]
    for ratio in counters.ratios:
        cells += [micros(int(counters.aicore_ns * ratio)), plain(ratio)]
    return [*cells, plain(counters.icache_miss_rate), memory_bound(counters), plain(counters.cube_utilization_pct)]


def memory_bound(counters: Counters) -> str:
    """Share of loading over the larger share of the two computing pipes; 0 without either."""
    named = dict(zip(PIPES, counters.ratios))
    busiest = max(named["mac"], named["vec"])
    return plain(round(named["mte2"] / busiest, 3)) if busiest else "0"


class CurrentExport:
    """One run, its times moved to `start_ns` (epoch), as files by relative path."""

    def __init__(self, run: Run, start_ns: int, monotonic_ns: int, date: str) -> None:
        self.run = run
        self.start_ns = start_ns
        self.monotonic_ns = monotonic_ns
        self.date = date

    def files(self) -> dict[str, str]:
        """Content of every file of the PROF directory."""
        folder = "mindstudio_profiler_output/"
        texts = {
            "msprof": one_line(self._timeline()),
            "step_trace": one_line(self._step_events()),
            "op_summary": self._op_summary(),
            "op_statistic": self._op_statistic(),
            "api_statistic": self._api_statistic(),
            "task_time": self._task_time(),
            "fusion_op": self._fusion_op(),
        }
        named = {}
        for kind, text in texts.items():
            named[f"{folder}{kind}_{self.date}.{'json' if text[0] == '[' else 'csv'}"] = text
        named[f"{folder}step_trace_{self.date}.csv"] = self._step_trace()
        named[f"{folder}README.txt"] = README
        return {**named, **side_cars(self.start_ns, self.monotonic_ns, self.run, legacy=False)}

    def _at(self, ns: int) -> str:
        return stamp(self.start_ns + ns)

    def _op_summary(self) -> str:
        tasks = self.run.ops
        rows = [self._op_row(task, wait_ns) for task, wait_ns in zip(tasks, sums.waits_ns(tasks))]
        return table(OP_SUMMARY, rows)

    def _op_row(self, task: Task, wait_ns: int) -> list[Cell]:
        op = task.op
        if op is None:
            raise ValueError("not an operator")
        state = "static" if op.core == "AI_CORE" else "dynamic"
        return [
            0, task.model, task.task, task.stream, op.name, op.kind, state, op.core, self._at(task.start_ns) + "\t",
            micros(task.duration_ns), micros(wait_ns), self.run.blocks[op.name], "NO",
            *tensor_cells(op.inputs, op.outputs), *counter_cells(self.run.counters[op.name]),
        ]  # fmt: skip

    def _op_statistic(self) -> str:
        groups = sums.by_type(self.run.ops)
        whole_ns = sum(group.total_ns for _, _, group in groups)
        rows: list[list[Cell]] = [
            [0, kind, core, group.count, micros(group.total_ns), micros(min(group.durations_ns)), micros(group.mean_ns),
             micros(max(group.durations_ns)), share_pct(group.total_ns, whole_ns, 3)]
            for kind, core, group in groups
        ]  # fmt: skip
        return table(OP_STATISTIC, rows)

    def _api_statistic(self) -> str:
        rows: list[list[Cell]] = [
            ["host", call.level, call.name, micros(group.total_ns), group.count, micros(group.mean_ns),
             micros(min(group.durations_ns)), micros(max(group.durations_ns)), plain(group.variance_us2)]
            for call, group in sums.by_call(self.run.calls)
        ]  # fmt: skip
        return table(API_STATISTIC, rows)

    def _task_time(self) -> str:
        rows: list[list[Cell]] = [
            [0, task.name, task.kind, task.stream, task.task, micros(task.duration_ns), self._at(task.start_ns) + "\t",
             self._at(task.end_ns) + "\t"]
            for task in self.run.tasks
        ]  # fmt: skip
        return table(TASK_TIME, rows)

    def _iteration_ns(self) -> tuple[int, int]:
        tasks = [task for task in self.run.tasks if task.model == MODEL]
        return tasks[0].start_ns, max(task.end_ns for task in tasks)

    def _step_trace(self) -> str:
        start_ns, end_ns = self._iteration_ns()
        took = micros(end_ns - start_ns)
        return table(STEP_TRACE, [[0, 1, *_ABSENT[:2], self._at(end_ns) + "\t", took, *_ABSENT, MODEL]])

    def _fusion_op(self) -> str:
        rows: list[list[Cell]] = []
        for task in self.run.ops:
            if task.op and len(task.op.origins) > 1:
                taken, given, weight = fusion_bytes(task)
                sizes: list[Cell] = [plain_kb(size) for size in (taken, given, weight, 0, taken + given + weight)]
                rows.append(["host", "yolov4", MODEL, task.op.name, ";".join(task.op.origins), *sizes])
        return table(FUSION_OP, rows)

    def _timeline(self) -> list[dict[str, object]]:
        return [
            *_process(CANN_PID, "CANN", "CPU", 7, {PROCESS: f"Thread {PROCESS}"}),
            *[self._call_event(call) for call in self.run.calls],
            *_process(DEVICE_PID, "Ascend Hardware", "NPU", 14, self._streams()),
            *[self._task_event(task) for task in self.run.tasks],
            *[event for task in self.run.tasks if task.op for event in self._flow(task)],
            *self._step_events()[1:],
            *_process(OVERLAP_PID, "Overlap Analysis", "NPU", 31, dict(enumerate(_OVERLAP_LANES))),
            *self._overlap(),
        ]

    def _streams(self) -> dict[int, str]:
        return {stream: f"Stream {stream}" for stream in sorted({task.stream for task in self.run.tasks})}

    def _call_event(self, call: Call) -> dict[str, object]:
        args: dict[str, object] = {
            "Thread Id": PROCESS, "Mode": call.mode if call.level in ("acl", "node") else call.name,
            "level": call.level, "id": call.name, "item_id": call.item, "connection_id": call.connection or NONE_ID,
        }  # fmt: skip
        name = f"{LAYERS[call.level]}@{call.name}"
        return self._slice(name, CANN_PID, PROCESS, call.start_ns, call.duration_ns, args)

    def _task_event(self, task: Task) -> dict[str, object]:
        args: dict[str, object] = {
            "Model Id": task.model, "Task Type": task.kind, "Physic Stream Id": task.stream, "Task Id": task.task,
            "Batch Id": 0, "Subtask Id": NONE_ID, "connection_id": task.connection,
        }  # fmt: skip
        if task.size_bytes:
            bandwidth = round(task.size_bytes / task.duration_ns, 3)
            args.update({"size(B)": task.size_bytes, "bandwidth(GB/s)": bandwidth, "operation": task.operation})
        name = task.op.name if task.op else task.kind
        return self._slice(name, DEVICE_PID, task.stream, task.start_ns, task.duration_ns, args)

    def _slice(
        self, name: str, pid: int, tid: int, start_ns: int, duration_ns: int, args: dict[str, object]
    ) -> dict[str, object]:
        return {"name": name, "pid": pid, "tid": tid, "ts": self._at(start_ns), "dur": duration_ns / 1000,
                "args": args, "ph": "X"}  # fmt: skip

    def _flow(self, task: Task) -> list[dict[str, object]]:
        """The line from a launch to its task; the exporter packs stream, task, batch and context into the id."""
        number = (task.stream << 64) + (task.task << 48) + NONE_ID
        shared = {"cat": "HostToDevice", "name": f"HostToDevice{number}", "id": str(number)}
        return [
            {**shared, "ph": "s", "pid": CANN_PID, "tid": PROCESS, "ts": self._at(task.launch_ns)},
            {**shared, "ph": "f", "bp": "e", "pid": DEVICE_PID, "tid": task.stream, "ts": self._at(task.start_ns)},
        ]

    def _step_events(self) -> list[dict[str, object]]:
        start_ns, end_ns = self._iteration_ns()
        lane = 70_000 + MODEL
        args: dict[str, object] = {
            "Iteration ID": 1, "FP Start": "N/A", "BP End": "N/A", "Iteration End": self._at(end_ns),
            "Iteration Time(us)": (end_ns - start_ns) / 1000,
        }  # fmt: skip
        event = self._slice("Iteration 1", DEVICE_PID, lane, start_ns, end_ns - start_ns, args)
        event["cat"] = "Iteration Time"
        return [
            _meta("process_name", DEVICE_PID, 0, "name", "Ascend Hardware"),
            _meta("thread_name", DEVICE_PID, lane, "name", f"Step Trace(Model ID:{MODEL})"),
            _meta("thread_sort_index", DEVICE_PID, lane, "sort_index", lane),
            event,
        ]

    def _overlap(self) -> list[dict[str, object]]:
        """Computing is the union of the operators; idle is the rest between the first and the last task."""
        events = []
        at_ns = self.run.tasks[0].start_ns
        last_ns = max(task.end_ns for task in self.run.tasks)
        for start_ns, end_ns in [*sums.merged_ns(self.run.ops), (last_ns, last_ns)]:
            if start_ns > at_ns:
                events.append(self._slice("Free", OVERLAP_PID, 3, at_ns, start_ns - at_ns, {}))
            if end_ns > start_ns:
                events.append(self._slice("Computing", OVERLAP_PID, 0, start_ns, end_ns - start_ns, {}))
            at_ns = end_ns
        return events


_ABSENT = ("N/A", "N/A", "N/A")
_OVERLAP_LANES = ("Computing", "Communication", "Communication(Not Overlapped)", "Free")


def fusion_bytes(task: Task) -> tuple[int, int, int]:
    """Bytes read, written and held as weights by a merged operator."""
    if task.op is None:
        return 0, 0, 0
    taken, given = task.op.tensor_bytes
    weight = 2 * sum(tensor.elements for tensor in task.op.inputs[1:]) if task.op.kind == "Conv2D" else 0
    return taken, given, weight


def plain_kb(size_bytes: int) -> str:
    """Bytes as KB with the decimals a division by 1024 leaves, at most three."""
    return f"{size_bytes / 1024:.3f}".rstrip("0").rstrip(".")


def _meta(name: str, pid: object, tid: int, key: str, value: object) -> dict[str, object]:
    return {"name": name, "pid": pid, "tid": tid, "args": {key: value}, "ph": "M"}


def _process(pid: int, name: str, label: str, sort: int, lanes: dict[int, str]) -> list[dict[str, object]]:
    events = [
        _meta("process_name", pid, 0, "name", name),
        _meta("process_labels", pid, 0, "labels", label),
        _meta("process_sort_index", pid, 0, "sort_index", sort),
    ]
    for tid, text in lanes.items():
        events.append(_meta("thread_name", pid, tid, "name", text))
        events.append(_meta("thread_sort_index", pid, tid, "sort_index", tid))
    return events
