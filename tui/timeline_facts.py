"""What a timeline adds to the report: where the time of each device went, and why it had nothing to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tui.i18n import N_, _
from tui.model.gaps import CAUSE_NAMES, Cause, DeviceTime, Gaps, device_gaps, device_times
from tui.model.problem import Problem
from tui.model.timeline import Timeline
from tui.session import Session

TOP_GAPS = 10
TIME_PARTS = (N_("computing"), N_("communication, not overlapped"), N_("free"))
"""Parts of the time of a device (message ids), in the order of `parts_ns`."""


@dataclass(frozen=True)
class GapSum:
    """Idle intervals that one layer let happen."""

    cause: Cause
    count: int
    total_ns: int


@dataclass(frozen=True)
class Gap:
    """One idle interval of a device."""

    device: str
    start_ns: int
    end_ns: int
    cause: Cause
    before: str
    """Task that ended at its start; empty before the first one."""
    after: str

    @property
    def length_ns(self) -> int:
        """End − start."""
        return self.end_ns - self.start_ns


@dataclass(frozen=True)
class TimelineFacts:
    """What the timeline of a profile says about its devices; empty without a timeline or without device lanes."""

    times: tuple[DeviceTime, ...]
    gaps: tuple[Gap, ...]
    """The longest idle intervals, longest first."""
    by_cause: tuple[GapSum, ...]
    """Largest first."""
    start_ns: int
    """Start of the timeline, which times of gaps count from."""
    problems: tuple[Problem, ...]
    missing: str
    """Why there is nothing to say; empty when there is something."""


def timeline_facts(session: Session, top_gaps: int = TOP_GAPS) -> TimelineFacts | None:
    """The facts of the chosen profile; None when it has no timeline, which is imported when that was not done yet."""
    timeline = session.optional_timeline()
    window = session.within.window if session.within is not None else None
    return None if timeline is None else facts_of(timeline, top_gaps, window)


def facts_of(timeline: Timeline, top_gaps: int = TOP_GAPS, window: tuple[int, int] | None = None) -> TimelineFacts:
    """The facts of a timeline.

    Args:
        window: (start, end) of the part that they are about; None for all of it.
    """
    gaps, times = device_gaps(timeline, window), device_times(timeline, window)
    sums = [GapSum(cause, count, total_ns) for cause, (count, total_ns) in gaps.by_cause().items()]
    return TimelineFacts(
        times=times,
        gaps=tuple(_gaps(timeline, gaps.longest(top_gaps))),
        by_cause=tuple(sorted(sums, key=lambda entry: -entry.total_ns)),
        start_ns=timeline.start_ns_min,
        problems=timeline.problems,
        missing="" if times else _("the timeline has no tasks of a device"),
    )


def _gaps(timeline: Timeline, gaps: Gaps) -> Iterator[Gap]:
    for row in range(len(gaps)):
        before, after = int(gaps.before[row]), int(gaps.after[row])
        yield Gap(
            gaps.device[int(gaps.device_id[row])],
            int(gaps.start_ns[row]),
            int(gaps.end_ns[row]),
            gaps.cause_of(row),
            timeline.name(before) if before >= 0 else "",
            timeline.name(after) if after >= 0 else "",
        )


def parts_ns(time: DeviceTime) -> tuple[int, int, int]:
    """Computing, communication that no computing covers, and free time of a device."""
    return time.computing_ns, time.communication_ns, time.free_ns


def times_object(facts: TimelineFacts | None) -> list[dict[str, Any]]:
    """The time of each device as plain values, times in whole ns."""
    return [
        {
            "device_id": time.device,
            "start_ns": time.start_ns,
            "end_ns": time.end_ns,
            "computing_ns": time.computing_ns,
            "communication_ns": time.communication_ns,
            "free_ns": time.free_ns,
            "source": "overlap analysis" if time.recorded else "tasks",
        }
        for time in (facts.times if facts else ())
    ]


def gaps_object(facts: TimelineFacts | None) -> list[dict[str, Any]]:
    """The longest gaps as plain values, with keys of `table gaps`."""
    return [
        {
            "device_id": gap.device,
            "start_ns": gap.start_ns,
            "end_ns": gap.end_ns,
            "length_ns": gap.length_ns,
            "before": gap.before,
            "after": gap.after,
            "cause": _(CAUSE_NAMES[gap.cause]),
        }
        for gap in (facts.gaps if facts else ())
    ]


def causes_object(facts: TimelineFacts | None) -> list[dict[str, Any]]:
    """How much of the gaps each layer let happen."""
    entries = facts.by_cause if facts else ()
    return [
        {"cause": _(CAUSE_NAMES[entry.cause]), "count": entry.count, "total_ns": entry.total_ns} for entry in entries
    ]
