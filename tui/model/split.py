"""Where the time of a profile went: only what its tables can tell without counting anything twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tui.i18n import N_, _
from tui.model import ops
from tui.model.gaps import DeviceTime
from tui.model.table import MISSING_NS, Table

PartKey = Literal["load", "set-up", "computing", "communication", "idle", "other"]

PART_NAMES: dict[str, str] = {
    "load": N_("load"),
    "set-up": N_("set-up"),
    "computing": N_("device computing"),
    "communication": N_("communication"),
    "idle": N_("idle"),
    "other": N_("other"),
}
"""Names of the parts as shown (message ids)."""

_LOAD = re.compile(r"aclmdlLoad\w*")
_SET_UP = re.compile(r"aclInit|aclrtSetDevice\w*|acl(?:rt|mdl)?Create\w*|aclrtMalloc\w*|aclmdlGetDesc")
_DEVICE_BOUND = 0.8
_HOST_BOUND = 0.5


@dataclass(frozen=True)
class Span:
    """The time that a profile covers."""

    start_ns: int
    end_ns: int
    source: str
    """Where it comes from, as shown: a file kind like `msprof` or `op_summary`."""

    @property
    def length_ns(self) -> int:
        """End − start."""
        return self.end_ns - self.start_ns


@dataclass(frozen=True)
class Part:
    """One part of the span."""

    key: PartKey
    time_ns: int
    share_pct: float


@dataclass(frozen=True)
class Split:
    """Parts that add up to the span."""

    span: Span
    parts: tuple[Part, ...]
    """In the order of a run; parts that are not known or empty are left out."""
    verdict: Literal["device-bound", "host-bound", ""]
    """By the busy share of the time between the first and the last operator; empty between the limits."""
    note: str = ""
    """What could not be told apart, and why."""


@dataclass(frozen=True)
class DeviceWork:
    """Times of one device, ns."""

    window: int
    """First start to last end."""
    computing: int
    communication: int
    """Communication that no computing covers."""


def span_of_rows(table: Table, source: str) -> Span | None:
    """First start to last end of the rows of a table; None when it has no starts and durations."""
    spans = ops.spans_ns(table)
    if spans is None or not len(spans[0]):
        return None
    return Span(int(spans[0].min()), int(spans[1].max()), source)


def split_of(table: Table, apis: Table | None, span: Span) -> Split | None:
    """The parts of `span` by operators and API statistics; None when the operators have no start times.

    Several devices run side by side; the busiest one is taken and named in the note.
    """
    devices = device_work(table)
    if not devices:
        return None
    name, device = max(devices.items(), key=lambda item: item[1].computing)
    notes = []
    if len(devices) > 1:
        notes.append(_("device {name}, the busiest of {count}").format(name=name, count=len(devices)))
    if device.window > span.length_ns:
        whole = span_of_rows(table, "op_summary")
        span = whole or span
    outside = span.length_ns - device.window
    load, set_up = api_ns(apis, _LOAD), api_ns(apis, _SET_UP)
    if load + set_up > outside:
        notes.append(_("load and set-up overlap the device work and are not told apart"))
        load = set_up = 0
    idle = device.window - device.computing - device.communication
    known = (load, set_up, device.computing, device.communication, idle)
    parts = _parts(span.length_ns, (*known, span.length_ns - sum(known)))
    return Split(span, parts, _verdict(device), "; ".join(notes))


def split_of_times(times: Sequence[DeviceTime], span: Span) -> Split | None:
    """The parts of `span` by the devices of its timeline, where no operators tell them; None without devices.

    Of several devices the busiest one is taken, as in `split_of`.
    """
    if not times:
        return None
    chosen = max(times, key=lambda time: time.computing_ns)
    notes = [_("by {source}").format(source=_(time_source(chosen)))]
    if len(times) > 1:
        notes.append(_("device {name}, the busiest of {count}").format(name=chosen.device, count=len(times)))
    known = (0, 0, chosen.computing_ns, chosen.communication_ns, chosen.free_ns)
    parts = _parts(span.length_ns, (*known, span.length_ns - sum(known)))
    device = DeviceWork(chosen.span_ns, chosen.computing_ns, chosen.communication_ns)
    return Split(span, parts, _verdict(device), "; ".join(notes))


def time_source(time: DeviceTime) -> str:
    """Where the parts of a device come from (message id)."""
    return N_("the overlap analysis of the trace") if time.recorded else N_("the union of the tasks of its streams")


def _parts(span_ns: int, times_ns: Sequence[int]) -> tuple[Part, ...]:
    keys: tuple[PartKey, ...] = ("load", "set-up", "computing", "communication", "idle", "other")
    return tuple(
        Part(key, time_ns, 100.0 * time_ns / span_ns if span_ns else 0.0)
        for key, time_ns in zip(keys, times_ns)
        if time_ns > 0
    )


def _verdict(device: DeviceWork) -> Literal["device-bound", "host-bound", ""]:
    if device.window <= 0:
        return ""
    busy = (device.computing + device.communication) / device.window
    return "device-bound" if busy >= _DEVICE_BOUND else "host-bound" if busy <= _HOST_BOUND else ""


def device_work(table: Table) -> dict[str, DeviceWork]:
    """Times of each device by its operators, by device id; empty when they have no start times."""
    communication = ops.communication_rows(table)
    computing = ops.busy_ns(table, ~communication)
    covered = ops.busy_ns(table, np.ones(table.row_count, np.bool_))
    windows = _windows(table)
    return {
        name: DeviceWork(windows[name], computing.get(name, 0), union_ns - computing.get(name, 0))
        for name, union_ns in covered.items()
    }


def _windows(table: Table) -> dict[str, int]:
    starts, durations = table.time("start_ns"), ops.durations_us(table)
    if starts is None or durations is None:
        return {}
    known = (starts != MISSING_NS) & np.isfinite(durations)
    ends = starts + np.rint(np.nan_to_num(durations) * 1000.0).astype(np.int64)
    return {
        name: int(ends[mine & known].max() - starts[mine & known].min())
        for name, mine in ops.rows_by_device(table)
        if (mine & known).any()
    }


def api_ns(apis: Table | None, names: re.Pattern[str]) -> int:
    """Total time of the AscendCL calls of those names, ns; lower levels are inside of them and not counted."""
    time = None if apis is None else apis.number("time_us")
    column = None if apis is None else apis.text("api_name")
    if apis is None or time is None or column is None:
        return 0
    hits = np.array([bool(names.fullmatch(text)) for text in column.strings], np.bool_)
    mask: NDArray[np.bool_] = hits[column.codes] if len(hits) else np.zeros(len(time), np.bool_)
    return round(float(np.nansum(time[mask])) * 1000.0)
