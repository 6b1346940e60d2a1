"""Processes by identity, not by number alone: alive or not, members of a group, signals to exactly those.

A process is told by its pid and its start time; every process of a job also carries the variable `MARKER`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from tui.model.jobs import ProcessId

MARKER = "NPUSCOPE_JOB"
"""Environment variable of every process of a job, with the folder of the job as value."""


@dataclass(frozen=True)
class _Stat:
    state: str
    group: int
    session: int
    start_ticks: int


def _stat(pid: int) -> _Stat | None:
    """Fields of `/proc/PID/stat`; the name in parentheses may hold anything, so that fields are counted behind it."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return _Stat(fields[0].decode("ascii"), int(fields[2]), int(fields[3]), int(fields[19]))
    except (OSError, IndexError, ValueError):
        return None


def identity(pid: int) -> ProcessId | None:
    """Who has this number now; None when nobody has."""
    stat = _stat(pid)
    return ProcessId(pid, stat.start_ticks) if stat else None


def is_alive(process: ProcessId | None) -> bool:
    """Whether exactly this process still runs; a zombie does not."""
    stat = _stat(process.pid) if process else None
    return stat is not None and process is not None and stat.start_ticks == process.start_ticks and stat.state != "Z"


def boot_id() -> str:
    """Identity of this run of the kernel; empty when it cannot be read."""
    with suppress(OSError), open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()
    return ""


def host_name() -> str:
    """Name of this machine or container."""
    return os.uname().nodename


def group_members(leader: ProcessId, marker: str) -> list[int]:
    """Living processes of the group that `leader` made, the leader included; empty when the group is gone.

    Only processes of its session that started after it are named, and only if they carry the marker of the job or
    nobody else has its number: a number that was given away again never leads to another's processes.

    Args:
        marker: Value of `MARKER` in the environment of the job.
    """
    return [pid for pid, stat in _processes() if stat.group == leader.pid and _belongs(pid, stat, leader, marker)]


def strays(leader: ProcessId | None, marker: str) -> list[int]:
    """Living processes that carry the marker of a job but left its group."""
    group = leader.pid if leader else -1
    return [pid for pid, stat in _processes() if stat.group != group and carries(pid, marker)]


def _belongs(pid: int, stat: _Stat, leader: ProcessId, marker: str) -> bool:
    if pid == leader.pid:
        return stat.start_ticks == leader.start_ticks
    if stat.start_ticks < leader.start_ticks or stat.session != leader.pid:
        return False
    return carries(pid, marker) or _is_first(leader)


def _is_first(leader: ProcessId) -> bool:
    """Whether nobody else has the leader's number now."""
    found = identity(leader.pid)
    return found is None or found == leader


def carries(pid: int, marker: str) -> bool:
    """Whether the environment of a process has the marker; False when it may not be read."""
    wanted = f"{MARKER}={marker}".encode(errors="surrogateescape")
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return wanted in file.read().split(b"\0")
    except OSError:
        return False


def _processes() -> Iterator[tuple[int, _Stat]]:
    """All processes but zombies."""
    for name in os.listdir("/proc"):
        if name.isdecimal():
            stat = _stat(int(name))
            if stat is not None and stat.state not in "ZX":
                yield int(name), stat


def send_to_leader(leader: ProcessId, number: signal.Signals) -> bool:
    """Signals exactly this process; False when it is gone."""
    if not is_alive(leader):
        return False
    with suppress(ProcessLookupError, PermissionError):
        os.kill(leader.pid, number)
        return True
    return False


def send_to_group(leader: ProcessId, marker: str, number: signal.Signals) -> bool:
    """Signals the group of a job, if it still is this job's; False when nobody is left."""
    if not group_members(leader, marker):
        return False
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader.pid, number)
        return True
    return False
