"""Trace files for tests: events by hand, written in any of the usual ways, read back as a timeline."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tui.model.timeline import Timeline
from tui.readers.timelines import TimelineRequest, TracePart, open_timeline

Event = dict[str, Any]

HOST_PID = (77 << 10) | (7 << 5) | 31
NPU_PID = (77 << 10) | (13 << 5) | 2


def x(name: str, ts: object, dur: object = 1.0, pid: object = HOST_PID, tid: object = 1, **args: object) -> Event:
    """A slice."""
    return {"name": name, "ph": "X", "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def flow(
    phase: str, number: object, ts: object, pid: object = HOST_PID, tid: object = 1, cat: str = "HostToDevice"
) -> Event:
    """One end of a flow."""
    return {"name": f"{cat}{number}", "ph": phase, "cat": cat, "id": number, "pid": pid, "tid": tid, "ts": ts}


def sample(name: str, ts: object, pid: object = NPU_PID, **values: object) -> Event:
    """A sample of a counter."""
    return {"name": name, "ph": "C", "pid": pid, "tid": 0, "ts": ts, "args": values}


def naming(pid: object, name: str, label: str = "", sort: int | None = None, **threads: str) -> list[Event]:
    """Metadata of a process; threads as `t1="Thread 1"`."""
    found: list[tuple[str, object, Event]] = [("process_name", 0, {"name": name})]
    if label:
        found.append(("process_labels", 0, {"labels": label}))
    if sort is not None:
        found.append(("process_sort_index", 0, {"sort_index": sort}))
    found += [("thread_name", int(tid[1:]), {"name": thread}) for tid, thread in threads.items()]
    return [{"name": kind, "ph": "M", "pid": pid, "tid": tid, "args": args} for kind, tid, args in found]


def written(path: Path, events: Iterable[Any], compact: bool = True, wrapped: bool = False) -> Path:
    """A trace file of some events."""
    value = (
        {"schemaVersion": 1, "traceEvents": list(events), "more": [{"x": 1}, {"y": [2]}]} if wrapped else list(events)
    )
    path.write_text(json.dumps(value, separators=(",", ":") if compact else None), encoding="utf-8")
    return path


def request(*paths: Path, **limits: Any) -> TimelineRequest:
    """All files as one timeline."""
    return TimelineRequest(tuple(TracePart(str(path)) for path in paths), **limits)


def timeline(*paths: Path, **limits: Any) -> Timeline:
    """All files as one timeline, imported if need be."""
    return open_timeline(request(*paths, **limits))


def rows(found: Timeline, names: Sequence[str] = ("name", "start_ns", "dur_ns")) -> list[tuple[Any, ...]]:
    """Events as tuples."""
    columns = {"name": [found.name(event) for event in range(len(found))]}
    columns.update({name: getattr(found, name).tolist() for name in names if name != "name"})
    return list(zip(*(columns[name] for name in names)))
