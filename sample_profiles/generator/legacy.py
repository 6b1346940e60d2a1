"""Writes a run as CANN 5 and 6 exported it: `device_0/{summary,timeline}`, one iteration, monotonic times."""

from __future__ import annotations

from decimal import Decimal

from generator import sums
from generator.advice import rules
from generator.current import counter_cells, fusion_bytes
from generator.environment import side_cars
from generator.measures import PIPES, rounded
from generator.run import MODEL, PROCESS, Call, Run, Task
from generator.text import Cell, micros, one_line, plain, share_pct, table, tensor_cells

DEVICE_LINE_END = "\r\n"
NAME_SUFFIX = f"_0_{MODEL}_1"
PIPE_COLUMNS = ",".join(f"{pipe}_time(us),{pipe}_ratio" for pipe in PIPES)
OP_SUMMARY = (
    "Model Name,Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,Task Type,Task Start Time,Task Duration(us),"
    "Task Wait Time(us),Block Dim,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,"
    f"Output Formats,aicore_time(us),total_cycles,{PIPE_COLUMNS},icache_miss_rate,memory_bound"
)
OP_STATISTIC = "Model Name,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)"
TASK_TIME = "kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(ns),task_stop(ns)"
ACL = "Name,Type,Start Time,Duration(us),Process ID,Thread ID"
ACL_STATISTIC = "Name,Type,Time(%),Time(us),Count,Avg(us),Min(us),Max(us),Process ID,Thread ID"
AI_STACK_TIME = "Infer ID,Module,API,Start Time,Duration(ns)"
STEP_TRACE = (
    "Iteration ID,FP Start,BP End,Iteration End,Iteration Time(us),FP to BP Time(us),Iteration Refresh(us),"
    "Data Aug Bound(us),Model ID"
)
FUSION_OP = (
    "Model Name,Model ID,Fusion Op,Original Ops,Memory Input(Bytes),Memory Output(Bytes),Memory Weight(Bytes),"
    "Memory Workspace(Bytes),Memory Total(Bytes)"
)
GE_OP_EXECUTE = "Thread ID,OP Name,OP Type,Event Type,Start Time,Duration(us)"
STACK_LANES = {"ACL": 0, "GE": 1, "Runtime": 2, "Task Scheduler": 3}

Event = dict[str, object]


class LegacyExport:
    """One run, its times moved to `monotonic_ns`, as files by relative path; only side-cars use `start_ns` (epoch)."""

    def __init__(self, run: Run, start_ns: int, monotonic_ns: int) -> None:
        self.run = run
        self.start_ns = start_ns
        self.monotonic_ns = monotonic_ns
        self.tasks = [task for task in run.tasks if task.model == MODEL]

    def files(self) -> dict[str, str]:
        """Content of every file of the PROF directory."""
        named = {f"device_0/summary/{kind}{NAME_SUFFIX}.csv": text for kind, text in self._summary().items()}
        named["device_0/summary/prof_rule_0.json"] = one_line(rules(self.run))
        for kind, events in self._timeline().items():
            named[f"device_0/timeline/{kind}{NAME_SUFFIX}.json"] = one_line(events)
        return {**named, **side_cars(self.start_ns, self.monotonic_ns, self.run, legacy=True)}

    def _summary(self) -> dict[str, str]:
        return {
            "acl": self._acl(),
            "acl_statistic": self._acl_statistic(),
            "op_summary": self._op_summary(),
            "op_statistic": self._op_statistic(),
            "step_trace": self._step_trace(),
            "task_time": self._task_time(),
            "ai_stack_time": self._table(AI_STACK_TIME, self._stack_rows()),
            "fusion_op": self._fusion_op(),
            "ge_op_execute": self._ge_op_execute(),
        }

    def _timeline(self) -> dict[str, list[Event]]:
        thread = {PROCESS: f"Thread {PROCESS}"}
        layers: dict[str, tuple[int, str, int, dict[int, str], list[Event]]] = {
            "step_trace": (1, "Step Trace", PROCESS, {PROCESS: f"Model ID:{MODEL}"}, self._step_events()),
            "acl": (2, "AscendCL", PROCESS, thread, self._acl_events()),
            "ge": (4, "GE", PROCESS, thread, self._ge_events()),
            "ge_op_execute": (5, "GE Op Execute", PROCESS, thread, self._ge_op_events()),
            "task_time": (7, "Task Scheduler", 0, self._streams(), self._task_events()),
        }
        whole: list[Event] = []
        alone = {}
        for kind, (sort, name, pid, lanes, events) in layers.items():
            alone[kind] = [*_head(pid, name, lanes), *_of(pid, events)]
            whole += [*_head(f"{sort}_{pid}", name, lanes, sort), *_of(f"{sort}_{pid}", events)]
        lanes = {lane: module for module, lane in STACK_LANES.items()}
        stack = [*_head(PROCESS, "AI Stack Time", lanes), *_of(PROCESS, self._stack_events())]
        return {"msprof": whole, **alone, "ai_stack_time": stack, "thread_group": self._thread_group()}

    def _table(self, header: str, rows: list[list[Cell]]) -> str:
        return table(header, rows, DEVICE_LINE_END)

    def _at(self, ns: int) -> int:
        return self.monotonic_ns + ns

    def _slice(self, name: str, tid: object, start_ns: int, duration_ns: int, args: Event) -> Event:
        at_us = self._at(start_ns) / 1000
        return {"name": name, "tid": tid, "ts": at_us, "dur": duration_ns / 1000, "args": args, "ph": "X"}

    def _op_summary(self) -> str:
        """Waits are counted over all tasks of the iteration, events included, as this generation did."""
        rows: list[list[Cell]] = []
        for task, wait_ns in zip(self.tasks, sums.waits_ns(self.tasks)):
            op = task.op
            if op:
                rows.append([
                    "yolov4", task.model, task.task, task.stream, 1, op.name, op.kind, op.core, self._at(task.start_ns),
                    micros(task.duration_ns), micros(wait_ns), self.run.blocks[op.name],
                    *tensor_cells(op.inputs, op.outputs), *counter_cells(self.run.counters[op.name])[:-1],
                ])  # fmt: skip
        return self._table(OP_SUMMARY, rows)

    def _op_statistic(self) -> str:
        groups = sums.by_type(self.tasks)
        whole_ns = sum(group.total_ns for _, _, group in groups)
        rows: list[list[Cell]] = [
            ["yolov4", kind, core, group.count, micros(group.total_ns), micros(min(group.durations_ns)), _mean(group),
             micros(max(group.durations_ns)), share_pct(group.total_ns, whole_ns, 6)]
            for kind, core, group in groups
        ]  # fmt: skip
        return self._table(OP_STATISTIC, rows)

    def _task_time(self) -> str:
        rows: list[list[Cell]] = [
            [task.name, task.kind, task.stream, task.task, micros(task.duration_ns), self._at(task.start_ns),
             self._at(task.end_ns)]
            for task in self.tasks
        ]  # fmt: skip
        return self._table(TASK_TIME, rows)

    def _acl(self) -> str:
        rows: list[list[Cell]] = [
            [call.name, call.mode, self._at(call.start_ns), micros(call.duration_ns), PROCESS, PROCESS]
            for call in self.run.calls_of("acl")
        ]
        return self._table(ACL, rows)

    def _acl_statistic(self) -> str:
        groups = sorted(sums.by_call(self.run.calls_of("acl")), key=lambda group: -group[1].total_ns)
        whole_ns = sum(group.total_ns for _, group in groups)
        rows: list[list[Cell]] = [
            [call.name, call.mode, share_pct(group.total_ns, whole_ns, 6), micros(group.total_ns), group.count,
             _mean(group), micros(min(group.durations_ns)), micros(max(group.durations_ns)), PROCESS, PROCESS]
            for call, group in groups
        ]  # fmt: skip
        return self._table(ACL_STATISTIC, rows)

    def _iteration_ns(self) -> tuple[int, int]:
        return self.tasks[0].start_ns, max(task.end_ns for task in self.tasks)

    def _step_trace(self) -> str:
        start_ns, end_ns = self._iteration_ns()
        absent = ["N/A"] * 3
        return self._table(STEP_TRACE, [[1, *absent[:2], self._at(end_ns), micros(end_ns - start_ns), *absent, MODEL]])

    def _step_events(self) -> list[Event]:
        start_ns, end_ns = self._iteration_ns()
        args: Event = {"Iteration ID": 1, "FP Start": "N/A", "BP End": "N/A", "Iteration End": self._at(end_ns) / 1000,
                       "Iteration Time(ns)": end_ns - start_ns}  # fmt: skip
        return [{**self._slice("Iteration 1", PROCESS, start_ns, end_ns - start_ns, args), "cat": "Iteration Time"}]

    def _acl_events(self) -> list[Event]:
        return [
            self._slice(call.name, PROCESS, call.start_ns, call.duration_ns,
                        {"Mode": call.mode, "Process Id": PROCESS, "Thread Id": PROCESS})
            for call in self.run.calls_of("acl")
        ]  # fmt: skip

    def _ge_phases(self) -> list[Call]:
        """Input, Infer and Output of the model, one after another inside its execution."""
        model = self.run.call("ModelExecute")
        wait = self.run.call("rtStreamSynchronize")
        edges = {
            "Input": (model.start_ns + 2_000, model.start_ns + 71_000),
            "Infer": (model.start_ns + 73_000, wait.end_ns),
            "Output": (wait.end_ns + 2_000, model.end_ns - 1_000),
        }
        return [Call("ge", name, "N/A", start, end - start) for name, (start, end) in edges.items()]

    def _ge_events(self) -> list[Event]:
        args: Event = {"Model Name": "yolov4", "Model Id": MODEL}
        return [self._slice(one.name, PROCESS, one.start_ns, one.duration_ns, args) for one in self._ge_phases()]

    def _ge_op_calls(self) -> list[tuple[Task, Call]]:
        """What the host did for the one operator whose output size is known only at run time."""
        found = []
        for task in self.tasks:
            if task.op and task.op.core == "AI_CPU":
                launch = next(call for call in self.run.calls if call.connection == task.connection)
                third_ns = launch.duration_ns // 3
                found.append((task, Call("ge", "InferShape", "N/A", launch.start_ns, third_ns)))
                found.append((task, Call("ge", "LaunchTask", "N/A", launch.start_ns + third_ns + 100, third_ns)))
        return found

    def _ge_op_events(self) -> list[Event]:
        return [
            self._slice(f"{task.op.kind}_{call.name}", PROCESS, call.start_ns, call.duration_ns, {})
            for task, call in self._ge_op_calls()
            if task.op
        ]

    def _ge_op_execute(self) -> str:
        rows: list[list[Cell]] = [
            [PROCESS, task.op.name, task.op.kind, call.name, micros(self._at(call.start_ns)), micros(call.duration_ns)]
            for task, call in self._ge_op_calls()
            if task.op
        ]
        return self._table(GE_OP_EXECUTE, rows)

    def _streams(self) -> dict[int, str]:
        return {stream: f"Stream {stream}" for stream in sorted({task.stream for task in self.tasks})}

    def _task_events(self) -> list[Event]:
        events = []
        for task in self.tasks:
            counters = self.run.counters[task.op.name] if task.op else None
            args: Event = {"Task Type": task.kind, "Stream Id": task.stream, "Task Id": task.task}
            if counters:
                args.update({"Aicore Time(ms)": counters.aicore_ns / 1_000_000, "Total Cycle": counters.total_cycles})
            events.append(self._slice(task.name, task.stream, task.start_ns, task.duration_ns, args))
        return events

    def _stack(self) -> list[tuple[str, str, int, int]]:
        """Module, API, start and duration (ns) of the layers the iteration passed through."""
        execute, wait = self.run.call("aclmdlExecute"), self.run.call("rtStreamSynchronize")
        start_ns, end_ns = self._iteration_ns()
        first = self.run.call("rtKernelLaunch")
        return [
            ("ACL", execute.name, execute.start_ns, execute.duration_ns),
            *[("GE", phase.name, phase.start_ns, phase.duration_ns) for phase in self._ge_phases()],
            ("Runtime", "N/A", first.start_ns, wait.end_ns - first.start_ns),
            ("Task Scheduler", "N/A", start_ns, end_ns - start_ns),
        ]

    def _stack_rows(self) -> list[list[Cell]]:
        return [[1, module, api, self._at(start_ns), took_ns] for module, api, start_ns, took_ns in self._stack()]

    def _stack_events(self) -> list[Event]:
        """Starts are whole microseconds here, as the exporter cuts them."""
        events = []
        for module, api, start_ns, duration_ns in self._stack():
            args: Event = {"Iter ID": 1, "Start Time": self._at(start_ns), "End Time": self._at(start_ns + duration_ns),
                           "Duration Time(ns)": duration_ns}  # fmt: skip
            event = self._slice(api, STACK_LANES[module], start_ns, duration_ns, args)
            events.append({**event, "ts": self._at(start_ns) // 1000})
        return events

    def _thread_group(self) -> list[Event]:
        """All host layers of one thread; its lane is a text and no metadata comes with it."""
        lane = f"Thread {PROCESS}"
        model: Event = {"Model Name": "yolov4", "Model ID": MODEL}
        events = [self._slice(f"ACL@{call.name}", lane, call.start_ns, call.duration_ns, {"Mode": call.mode})
                  for call in self.run.calls_of("acl")]  # fmt: skip
        for one in self._ge_phases():
            events.append(self._slice(f"GE@{one.name}", lane, one.start_ns, one.duration_ns, model))
        events += [{**event, "name": f"GE_OP_EXECUTE@{event['name']}", "tid": lane} for event in self._ge_op_events()]
        return _of(PROCESS, events)

    def _fusion_op(self) -> str:
        rows: list[list[Cell]] = []
        for task in self.tasks:
            if task.op and len(task.op.origins) > 1:
                sizes = fusion_bytes(task)
                origins = ";".join(task.op.origins)
                rows.append(["yolov4", MODEL, task.op.name, origins, *sizes, 0, sum(sizes)])
        return self._table(FUSION_OP, rows)


def _mean(group: sums.Sum) -> str:
    return plain(rounded(Decimal(group.total_ns) / group.count / 1000, 6))


def _of(pid: object, events: list[Event]) -> list[Event]:
    return [{"name": event["name"], "pid": pid, **event} for event in events]


def _head(pid: object, name: str, lanes: dict[int, str], sort: int = 0) -> list[Event]:
    events: list[Event] = [{"name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}, "ph": "M"}]
    if sort:
        events.append({"name": "process_sort_index", "pid": pid, "tid": 0, "args": {"sort_index": sort}, "ph": "M"})
    for tid, text in lanes.items():
        events.append({"name": "thread_name", "pid": pid, "tid": tid, "args": {"name": text}, "ph": "M"})
    return events
