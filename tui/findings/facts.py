"""What the rules look at: the tables and the timeline of one profile, and what several rules ask of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tui.findings.api_rows import ApiRows
from tui.findings.op_rows import OpRows
from tui.findings.rule import InputMissing
from tui.findings.tracks import Calls, model_runs
from tui.findings.type_sums import type_sums
from tui.i18n import _
from tui.model import ops
from tui.model.gaps import DeviceTime, Gaps, device_gaps, device_times
from tui.model.intervals import Intervals

if TYPE_CHECKING:
    from tui.model.comparison import Comparison
    from tui.model.dump import DumpComparison
    from tui.model.finding import LinkUse, Rank
    from tui.model.sources import Device, Profile
    from tui.model.steps import Steps
    from tui.model.table import Table
    from tui.model.timeline import Timeline
    from tui.model.tuning import TuningOutcome

_STEP_TRACE_PARTS = ("computing", "communication_not_overlapped", "free")


@dataclass(frozen=True)
class Facts:
    """Everything that rules may look at. What is None or empty was not collected, or is not open."""

    profile: Profile
    span_ns: int = 0
    """The time looked at; 0 when not known."""
    host_span_ns: int = 0
    """The same where it covers the host's calls; 0 when not known."""
    window: tuple[int, int] | None = None
    """(start, end) of the iterations looked at; None for the whole run."""
    ops: Table | None = None
    op_types: Table | None = None
    """Statistics of operator types; needed only where there are no operators."""
    apis: Table | None = None
    step_table: Table | None = None
    steps: Steps | None = None
    timeline: Timeline | None = None
    unread: str = ""
    """Why the timeline is not there although the profile has one; empty when it is, or there is none."""
    links: Sequence[LinkUse] = ()
    """Bandwidth of collectives."""
    ranks: Sequence[Rank] = ()
    """All ranks at the path, where there are several."""
    variables: Mapping[str, str] | None = None
    """Environment of the process; None when it was not recorded."""
    comparison: Comparison | None = None
    """Against the baseline that is open."""
    dumps: DumpComparison | None = None
    tuning: TuningOutcome | None = None
    job_order: tuple[str, ...] = field(default=())
    """Job types of the tuning runs that are known, oldest first."""

    @cached_property
    def span_us(self) -> float:
        """What shares are of: the span, else the time of the devices; 0 when neither is known."""
        if self.span_ns > 0:
            return self.span_ns / 1000.0
        if self.ops is not None:
            return ops.device_time_us(self.ops)
        return sum(entry.total_us for entry in type_sums(self))

    @cached_property
    def op_rows(self) -> OpRows:
        """The operators.

        Raises:
            InputMissing: there are none, or they have no durations.
        """
        if self.ops is None or not self.ops.row_count or ops.durations_us(self.ops) is None:
            raise self._missing("ops", _("no table of operators (op_summary, kernel_details)"))
        return OpRows(self.ops, self.span_us)

    @cached_property
    def api_rows(self) -> ApiRows:
        """Statistics of host calls.

        Raises:
            InputMissing: there are none.
        """
        if self.apis is None or self.apis.number("time_us") is None or self.apis.text("api_name") is None:
            raise self._missing("apis", _("no API statistics and no timeline with API calls"))
        return ApiRows(self.apis)

    @property
    def events(self) -> Timeline:
        """The timeline.

        Raises:
            InputMissing: there is none.
        """
        if self.timeline is None or not len(self.timeline):
            raise self._missing("timeline", _("no timeline"))
        return self.timeline

    @property
    def host_us(self) -> float:
        """The span that shares of host calls are of.

        Raises:
            InputMissing: it is not known.
        """
        if self.host_span_ns <= 0:
            raise self._missing("timeline", _("no timeline, so the time that the calls are a share of is not known"))
        return self.host_span_ns / 1000.0

    @cached_property
    def calls(self) -> Calls:
        """The host calls of the timeline.

        Raises:
            InputMissing: there is no timeline.
        """
        return Calls(self.events, self.window)

    @cached_property
    def run_window(self) -> tuple[int, int] | None:
        """(start, end) of the part in which the model ran: the iterations looked at, else from its first run to the
        last one; None for everything. What the host does before the first run is set-up, not waiting.
        """
        if self.window is not None or self.timeline is None:
            return self.window
        return model_runs(self.timeline)

    @cached_property
    def times(self) -> tuple[DeviceTime, ...]:
        """Computing, communication and free time of each device while the model ran.

        Raises:
            InputMissing: nothing tells them.
        """
        found: tuple[DeviceTime, ...] = ()
        if self.timeline is not None:
            found = device_times(self.timeline, self.run_window)
        found = found or self._times_of_steps() or self._times_of_ops()
        if not found:
            raise self._missing("timeline", _("no timeline with device lanes and no start times of operators"))
        return found

    def idlest(self) -> DeviceTime:
        """The device with the largest share of free time.

        Raises:
            InputMissing: nothing tells the times of devices.
        """
        return max(self.times, key=lambda time: time.free_ns / time.span_ns if time.span_ns else 0.0)

    def free_us_at_most(self, bound_us: float) -> float:
        """A time that the host takes: no more of it can be won than the device was free, where that is known."""
        try:
            return min(bound_us, self.idlest().free_ns / 1000.0)
        except InputMissing:
            return bound_us

    @cached_property
    def gaps(self) -> Gaps:
        """Idle intervals of the devices while the model ran.

        Raises:
            InputMissing: there is no timeline.
        """
        return device_gaps(self.events, self.run_window)

    def device(self, device_id: str = "") -> Device | None:
        """What is known of one device; the first where rows name none."""
        devices = self.profile.devices
        return next((device for device in devices if device.id == device_id or not device_id), None)

    def _times_of_steps(self) -> tuple[DeviceTime, ...]:
        """The sums of a step trace of the framework."""
        if self.step_table is None:
            return ()
        columns = [self.step_table.number(key) for key in _STEP_TRACE_PARTS]
        if any(column is None for column in columns):
            return ()
        computing, communication, free = (
            round(float(np.nansum(column)) * 1000.0) for column in columns if column is not None
        )
        total = computing + communication + free
        return (DeviceTime("", 0, total, computing, communication, free, recorded=True),) if total > 0 else ()

    def _times_of_ops(self) -> tuple[DeviceTime, ...]:
        """By the rows of operators, between the first and the last one of each device."""
        if self.ops is None or self.ops.time("start_ns") is None or ops.durations_us(self.ops) is None:
            return ()
        computing = ops.busy_ns(self.ops)
        both = ops.busy_ns(self.ops, np.ones(self.ops.row_count, np.bool_))
        found = []
        for device, (start, end) in OpRows(self.ops, self.span_us).device_windows().items():
            alone = both.get(device, 0) - computing.get(device, 0)
            free = end - start - both.get(device, 0)
            found.append(DeviceTime(device, start, end, computing.get(device, 0), alone, free, recorded=False))
        return tuple(found)

    def _missing(self, role: str, what: str) -> InputMissing:
        """With the option that would have produced files of a role, as far as the profile knows it."""
        if role == "timeline" and self.unread:
            return InputMissing(self.unread)
        option = next((entry.option for entry in self.profile.missing if entry.role == role and entry.option), "")
        return InputMissing(what, option)


def blocks_within(blocks: Intervals, window: tuple[int, int] | None) -> Intervals:
    """The intervals that begin within a window."""
    if window is None:
        return blocks
    inside = (blocks.starts >= window[0]) & (blocks.starts < window[1])
    return Intervals(blocks.starts[inside], blocks.ends[inside])
