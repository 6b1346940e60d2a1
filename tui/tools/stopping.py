"""Ending a job: SIGINT to the tool and time to save what it has, then harder signals to its group (formats: tools 2.7).

Signals go to the process and the group of the job, told by identity; never to anything by name.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tui.model.jobs import Command, ProcessId, StopStep
from tui.tools.processes import group_members, is_alive, send_to_group, send_to_leader

Target = Literal["leader", "group", "input"]


@dataclass(frozen=True)
class Step:
    """One way to ask a job to end, and how long it may take, in seconds."""

    target: Target
    what: str
    wait_s: float


_HARDER = (Step("group", "SIGINT", 15.0), Step("group", "SIGTERM", 10.0), Step("group", "SIGKILL", 10.0))
MSPROF_EXPORT_S = 600.0
"""After SIGINT msprof exports what it collected, which may take minutes."""


def plan(command: Command, waits_s: Sequence[float] = ()) -> tuple[Step, ...]:
    """The steps that end a job of this kind.

    Args:
        waits_s: Other waiting times, one per step from the first on.
    """
    steps: tuple[Step, ...] = _HARDER
    if command.tool == "msprof":
        steps = (Step("leader", "SIGINT", MSPROF_EXPORT_S), *_HARDER)
    elif command.tool == "aoe":
        steps = (Step("group", "SIGINT", 60.0), *_HARDER[1:])
    if command.reads_input:
        steps = (Step("input", "stop", 5.0), Step("input", "quit", 15.0), *_HARDER)
    waits = [*waits_s, *(step.wait_s for step in steps[len(waits_s) :])]
    return tuple(Step(step.target, step.what, wait) for step, wait in zip(steps, waits))


class Stopping:
    """A stop that goes on. `begin` starts it or, when it runs, goes on to the next step at once."""

    def __init__(self, steps: Sequence[Step], leader: ProcessId, marker: str, pipe: Path) -> None:
        self._waiting = list(steps)
        self._leader = leader
        self._marker = marker
        self._pipe = pipe
        self._current: Step | None = None
        self._until_s = 0.0
        self.sent: list[StopStep] = []

    @property
    def is_asked(self) -> bool:
        """Whether a stop was asked for."""
        return self._current is not None

    @property
    def is_given_up(self) -> bool:
        """Whether nothing is left to try."""
        return self.is_asked and not self._waiting and time.monotonic() >= self._until_s

    def is_over(self) -> bool:
        """Whether no process of the group is left."""
        return not group_members(self._leader, self._marker)

    def begin(self) -> None:
        """Takes the next step."""
        if not self._waiting:
            return
        step = self._waiting.pop(0)
        self._send(step)
        self._current = step
        self._until_s = time.monotonic() + step.wait_s
        self.sent.append(StopStep(time.time(), step.what, step.target))

    def go_on(self) -> bool:
        """Takes the next step when the current one had its time, or when the tool is gone but its group is not.

        Returns whether a step was taken.
        """
        if self._current is None or not self._waiting:
            return False
        orphaned = self._current.target != "group" and not is_alive(self._leader)
        if (time.monotonic() < self._until_s and not orphaned) or self.is_over():
            return False
        self.begin()
        return True

    def _send(self, step: Step) -> None:
        if step.target == "input":
            send_line(self._pipe, step.what)
        elif step.target == "leader":
            send_to_leader(self._leader, signal.Signals[step.what])
        else:
            send_to_group(self._leader, self._marker, signal.Signals[step.what])


def send_line(pipe: Path, line: str) -> bool:
    """Writes a line to the input of a tool; False when nobody reads there any more."""
    try:
        descriptor = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        data = f"{line}\n".encode()
        return os.write(descriptor, data) == len(data)
    except OSError:
        return False
    finally:
        os.close(descriptor)
