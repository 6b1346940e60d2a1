"""HO09, HO11, HO12: what lies around the gaps of the device."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.tracks import Events, events_of, evidence_of, tracks_of
from tui.findings.wording import pct, us, whole
from tui.i18n import N_, _
from tui.model.finding import Evidence
from tui.model.gaps import CAUSE_NAMES, CAUSES, Gaps
from tui.model.stages import computing_names, is_synchronous
from tui.model.timeline import Timeline

_COPY = re.compile(r"MEMCPY|PCIE_DMA|SDMA", re.IGNORECASE)


def _gap_causes(facts: Facts, limits: Limits) -> Draft | None:
    gaps = facts.gaps
    if not len(gaps) and not tracks_of(facts.events, "device"):
        raise InputMissing(_("the timeline has no device lanes"))
    between = (gaps.before >= 0) & (gaps.after >= 0) & (gaps.cause != CAUSES.index("uncounted"))
    idle = gaps.take(np.flatnonzero(between)).longest(int(limits["gaps"]))
    total_us = float(idle.length_ns.sum()) / 1000.0
    share = 100.0 * total_us / facts.span_us if facts.span_us else 0.0
    if not len(idle) or share < limits["span_pct"]:
        return None
    sums = sorted(idle.by_cause().items(), key=lambda item: -item[1][1])
    cause = _(CAUSE_NAMES[sums[0][0]])
    title = _("the {count} longest gaps take {time}, mostly: {cause}").format(
        count=len(idle), time=us(total_us), cause=cause
    )
    parts = "; ".join(f"{_(CAUSE_NAMES[name])} {count}× {us(time / 1e3)}" for name, (count, time) in sums)
    measured = _("{parts} = {share} of the span ≥ {limit} %").format(
        parts=parts, share=pct(share), limit=limits.text("span_pct")
    )
    unknown = sums[0][0] == "unknown"
    return Draft(title, measured, total_us, recoverable_us=total_us, total=len(idle),
                 evidence=[_gap_evidence(facts.events, idle, row) for row in range(len(idle))],
                 confidence="hint" if unknown else "likely",
                 why=_("no launches are recorded") if unknown else _("the cause is told from the times of the calls")
                 )  # fmt: skip


def _gap_evidence(timeline: Timeline, gaps: Gaps, row: int) -> Evidence:
    before, after = (timeline.name(int(k)) if k >= 0 else "–" for k in (gaps.before[row], gaps.after[row]))
    figures = (("gap_us", float(gaps.length_ns[row]) / 1000.0), ("cause", _(CAUSE_NAMES[gaps.cause_of(row)])))
    return Evidence(f"{before} → {after}", figures, start_ns=int(gaps.start_ns[row]),
                    end_ns=int(gaps.end_ns[row]), device=gaps.device[int(gaps.device_id[row])])  # fmt: skip


def _outliers(facts: Facts, limits: Limits) -> Draft | None:
    timeline = facts.events
    found = _longest_calls(facts, limits)
    if not found:
        return None
    event, median_us = found[0]
    longest_us = int(timeline.dur_ns[event]) / 1e3
    title = _("one {name} call takes {factor} × its median").format(
        name=evidence_of(timeline, event).text, factor=whole(longest_us / median_us) if median_us else "∞"
    )
    text = _("{longest} > {limit} × {median} and ≥ {least} µs")
    measured = text.format(longest=us(longest_us), limit=limits.text("factor"), median=us(median_us),
                           least=limits.text("dur_us"))  # fmt: skip
    excess_us = sum(int(timeline.dur_ns[call]) / 1e3 - half for call, half in found)
    evidence = [evidence_of(timeline, call, ("p50_us", half)) for call, half in found[:20]]
    return Draft(title, measured, severity="low", recoverable_us=facts.free_us_at_most(excess_us), evidence=evidence,
                 total=len(found), confidence="likely", why=_("what it waited for is not recorded"))  # fmt: skip


def _longest_calls(facts: Facts, limits: Limits) -> list[tuple[int, float]]:
    """(longest call, median in µs) of each API that has an outlier, the farthest one first.

    Raises:
        InputMissing: there are no AscendCL calls.
    """
    timeline = facts.events
    events = facts.calls.named(re.compile(".+"), "acl")
    if not len(events):
        raise InputMissing(_("no AscendCL calls on the timeline"), "--ascendcl=on")
    found: list[tuple[int, float]] = []
    long_calls = events[timeline.dur_ns[events] >= limits["dur_us"] * 1000.0]
    for name_id in np.unique(timeline.name_id[long_calls]).tolist():
        mine = events[timeline.name_id[events] == name_id]
        durations = timeline.dur_ns[mine]
        median = float(np.median(durations))
        waits = is_synchronous(timeline.names[int(name_id)])
        if not waits and len(mine) >= limits["calls"] and durations.max() > limits["factor"] * median:
            found.append((int(mine[np.argmax(durations)]), median / 1e3))
    return sorted(found, key=lambda entry: entry[1] - int(timeline.dur_ns[entry[0]]) / 1e3)


@dataclass(frozen=True)
class _Window:
    """Consecutive compute tasks of a device with many copies between them."""

    share_pct: float
    start_ns: int
    end_ns: int
    copies: Events


def _copies_between(facts: Facts, limits: Limits) -> Draft | None:
    worst = _worst_window(facts.events, int(limits["window"]))
    if worst is None:
        raise InputMissing(_("fewer than {count} compute tasks in a row").format(count=limits.text("window")))
    if worst.share_pct <= limits["copies_pct"]:
        return None
    timeline, window, copies = facts.events, limits.text("window"), worst.copies
    title = _("copies break the pipeline between {share} of the tasks").format(share=pct(worst.share_pct))
    text = _("of {window} consecutive pairs of compute tasks {share} have a copy between them > {limit} %")
    measured = text.format(window=window, share=pct(worst.share_pct), limit=limits.text("copies_pct"))
    whole_window = Evidence(_("window of {count} tasks").format(count=window), (("copies", float(len(copies))),),
                            start_ns=worst.start_ns, end_ns=worst.end_ns)  # fmt: skip
    return Draft(title, measured, severity="medium", total=1 + len(copies), confidence="hint",
                 recoverable_us=float(timeline.dur_ns[copies].sum()) / 1000.0,
                 evidence=[whole_window, *(evidence_of(timeline, event) for event in copies[:19].tolist())],
                 why=_("the lanes do not tell the direction of a copy"))  # fmt: skip


def _worst_window(timeline: Timeline, window: int) -> _Window | None:
    """The one with most copies of all devices; None where no device has so many tasks.

    Raises:
        InputMissing: there are no device lanes.
    """
    tracks = tracks_of(timeline, "device")
    if not tracks:
        raise InputMissing(_("the timeline has no device lanes"))
    found: list[_Window] = []
    for device in sorted({track.device for track in tracks}):
        events = events_of([track for track in tracks if track.device == device])
        tasks, between, copies = _between(timeline, events)
        if len(between) < window:
            continue
        sums = np.concatenate(([0], np.cumsum(between)))
        counts = sums[window:] - sums[:-window]
        place = int(np.argmax(counts))
        first, last = (int(timeline.start_ns[tasks[at]]) for at in (place, place + window))
        inside = copies[(timeline.start_ns[copies] >= first) & (timeline.start_ns[copies] < last)]
        found.append(_Window(100.0 * float(counts[place]) / window, first, last, inside))
    return max(found, key=lambda entry: entry.share_pct, default=None)


def _between(timeline: Timeline, events: Events) -> tuple[Events, NDArray[np.bool_], Events]:
    """(compute tasks by start, whether a copy begins between each and the next one, the copies)."""
    name_ids = timeline.name_id[events]
    distinct, codes = np.unique(name_ids, return_inverse=True)
    is_copy = np.array([_COPY.search(timeline.names[int(k)]) is not None for k in distinct.tolist()], np.bool_)
    copied = is_copy[codes.reshape(-1)] if len(distinct) else np.zeros(0, np.bool_)
    tasks, copies = events[computing_names(timeline, name_ids) & ~copied], events[copied]
    tasks = tasks[np.argsort(timeline.start_ns[tasks], kind="stable")]
    places = np.searchsorted(timeline.start_ns[tasks], timeline.start_ns[copies], side="right") - 1
    between = np.zeros(max(0, len(tasks) - 1), np.bool_)
    between[places[(places >= 0) & (places < len(between))]] = True
    return tasks, between, copies


RULES = (
    Rule("HO09", N_("causes of the longest gaps"), _gap_causes, source="R", next_key="t",
         means=N_("Each gap is laid to the layer that was late: the framework, the launch in CANN, or the device."),
         advice=N_("Go through the gaps from the longest and look at the calls before each."),
         fires=N_("the {gaps} longest gaps take at least {span_pct} % of the span")),
    Rule("HO11", N_("outlier calls"), _outliers, source="N", next_key="t",
         means=N_("The call waited for something that the others of its name did not."),
         advice=N_("Jump to it and look at what ran at that time."),
         fires=N_("of an API that does not wait for the device, with at least {calls} calls one takes more than "
                  "{factor} × the median and {dur_us} µs")),
    Rule("HO12", N_("copies between tasks"), _copies_between, source="D, N", next_key="t",
         means=N_("Many small copies stop work from being queued ahead."),
         advice=N_("Stage the data once before the loop, and copy in larger pieces."),
         fires=N_("more than {copies_pct} % of {window} consecutive pairs of compute tasks have a copy between them")),
)  # fmt: skip
