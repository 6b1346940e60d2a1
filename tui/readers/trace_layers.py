"""What the lanes of a trace show, by the names and labels of its processes, and whose they are (formats: msprof 4.3).

Numbers of processes and their sort order changed with nearly every generation, so layers are known by name only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tui.model.timeline import Layer

_LAYERS: dict[str, Layer] = {
    "python": "framework", "python gc": "framework", "msproftx": "framework", "mstx": "framework",
    "cann": "acl", "ascendcl": "acl", "acl": "acl", "ge": "model", "ge op execute": "node", "runtime": "runtime",
    "cann/dpu": "host_other", "os runtime api": "host_other", "thread group": "host_other",
    "ai stack time": "host_other", "cpu usage": "host_other", "memory usage": "host_other",
    "disk usage": "host_other", "network usage": "host_other",
    "ascend hardware": "device", "task scheduler": "device", "ai cpu": "device",
    "hccl": "communication", "communication": "communication", "all reduce": "communication", "ccu": "communication",
    "overlap analysis": "overlap", "step trace": "steps", "training trace": "steps",
}  # fmt: skip
_PREFIXES: dict[str, Layer] = {"AscendCL": "acl", "ACL": "acl", "GE": "acl", "Runtime": "acl", "Node": "acl"}
"""Layers of processes without a name, by what their events begin with; all of these are the host's calls."""


HOST_LAYERS: frozenset[Layer] = frozenset(
    ("framework", "acl", "model", "node", "communication_host", "runtime", "host_other")
)


@dataclass(frozen=True)
class ProcessNames:
    """What the metadata events tell about one process."""

    name: str = ""
    label: str = ""
    sort_index: int | None = None
    threads: Mapping[str, str] = field(default_factory=dict)
    thread_sorts: Mapping[str, int] = field(default_factory=dict)


def layer_of(process: ProcessNames, thread: str, examples: Sequence[str]) -> Layer:
    """The layer of one (pid, tid).

    Args:
        examples: Names of a few of its events, for processes without a name.
    """
    if thread.startswith("Step Trace"):
        return "steps"
    known = _LAYERS.get(process.name.strip().lower())
    if known:
        return known
    if process.label.startswith("NPU"):
        return "other"
    if process.name:
        return "framework" if process.label == "CPU" else "other"
    for prefix in sorted({name.partition("@")[0] for name in examples if "@" in name}):
        if prefix in _PREFIXES:
            return _PREFIXES[prefix]
    return "other"


def device_of(pid: str, process: ProcessNames, scheme: str, scope: str) -> str:
    """The device of a process: the number in its label, else that of its file, else what its pid encodes."""
    if process.label.startswith("CPU") or _LAYERS.get(process.name.strip().lower()) in HOST_LAYERS:
        return ""
    labelled = re.search(r"(\d+)\s*$", process.label)
    if labelled:
        return labelled[1]
    if scope or not process.label.startswith("NPU") or not pid.isdecimal() or len(pid) > 18:
        return scope
    number = int(pid)
    if scheme == "bits":
        return str(number & 31)
    return str(number % 100) if scheme == "decimal" and number >= 100 else ""


def os_pid_of(pid: str, process: ProcessNames, scheme: str) -> str:
    """The process of the operating system that a lane's process stands for; empty when the pid does not tell."""
    kind, at, rest = pid.partition("_")
    if at and kind.isdecimal():
        return "" if rest == "0" else rest
    if not pid.isdecimal() or len(pid) > 18 or scheme == "raw" or process.sort_index is None:
        return pid
    if process.sort_index == 0 and process.label.startswith("CPU"):
        return pid
    number = int(pid)
    found = number >> 10 if scheme == "bits" else _decimal_pid(number, process.sort_index)
    return str(found) if found else ""


def pid_scheme(processes: Iterable[tuple[str, ProcessNames]]) -> str:
    """How pids are made up: `bits` (pid << 10 | sort << 5 | device), `decimal` (pid · 100 + sort …), else `raw`."""
    votes = {"bits": 0, "decimal": 0}
    for pid, process in processes:
        if process.sort_index is None or not pid.isdecimal() or len(pid) > 18 or int(pid) < 100:
            continue
        number = int(pid)
        votes["bits"] += (number >> 5) & 31 == process.sort_index & 31
        votes["decimal"] += process.sort_index in (number % 100, number // 100 % 100)
    if not any(votes.values()):
        return "raw"
    return "bits" if votes["bits"] >= votes["decimal"] else "decimal"


def _decimal_pid(number: int, sort_index: int) -> int:
    """The pid in pid · 100 + sort of the first layers, (pid · 100 + sort) · 100 + device of others; hardware has 0."""
    if number % 100 == sort_index:
        return number // 100
    return number // 10000 if number // 100 % 100 == sort_index else 0
