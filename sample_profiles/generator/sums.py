"""Sums over operators and calls, in whole nanoseconds, rounded only when written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from generator.measures import rounded
from generator.run import Call, Task


@dataclass(frozen=True)
class Sum:
    """Durations of one group, ns."""

    durations_ns: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many."""
        return len(self.durations_ns)

    @property
    def total_ns(self) -> int:
        """All together."""
        return sum(self.durations_ns)

    @property
    def mean_ns(self) -> int:
        """Mean, rounded to the nanosecond, ties to even."""
        return int(rounded(Decimal(self.total_ns) / self.count, 0))

    @property
    def variance_us2(self) -> Decimal:
        """Population variance from the rounded mean, µs²."""
        squares = sum((ns - self.mean_ns) ** 2 for ns in self.durations_ns)
        return rounded(Decimal(squares) / self.count / 1_000_000, 3)


def by_type(tasks: Sequence[Task]) -> list[tuple[str, str, Sum]]:
    """Operators by type and core, the greatest total first."""
    groups: dict[tuple[str, str], list[int]] = {}
    for task in tasks:
        if task.op:
            groups.setdefault((task.op.kind, task.op.core), []).append(task.duration_ns)
    found = [(kind, core, Sum(tuple(taken))) for (kind, core), taken in groups.items()]
    return sorted(found, key=lambda group: (-group[2].total_ns, group[0]))


def by_call(calls: Sequence[Call]) -> list[tuple[Call, Sum]]:
    """Calls by level and name in the order they were first seen, each with its first call."""
    groups: dict[tuple[str, str], list[Call]] = {}
    for call in calls:
        groups.setdefault((call.level, call.name), []).append(call)
    return [(group[0], Sum(tuple(call.duration_ns for call in group))) for group in groups.values()]


def merged_ns(tasks: Sequence[Task]) -> list[tuple[int, int]]:
    """Union of the tasks' intervals as (start, end), in order."""
    found: list[tuple[int, int]] = []
    for task in sorted(tasks, key=lambda one: one.start_ns):
        if found and task.start_ns <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], task.end_ns))
        else:
            found.append((task.start_ns, task.end_ns))
    return found


def waits_ns(tasks: Sequence[Task]) -> list[int]:
    """Idle time before each task, counted from the end of the one listed before it; 0 for the first."""
    found = [0] if tasks else []
    for before, task in zip(tasks, tasks[1:]):
        found.append(max(0, task.start_ns - before.start_ns - before.duration_ns))
    return found
