"""HO01 to HO08: host calls that hold the device up."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tui.findings.api_rows import total_count, total_us
from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.tracks import evidence_of, longest, matching, sum_us, tracks_of
from tui.findings.wording import calls_text, listed, pct, us, whole
from tui.i18n import N_, _
from tui.model.finding import Evidence
from tui.model.timeline import Timeline

Events = NDArray[np.int64]

_SYNC_STREAM = re.compile(r"aclrtSynchronizeStream\w*")
_SYNC = re.compile(r"(?:acl)?(?:rt)?Synchronize\w*", re.IGNORECASE)
_LAUNCH = re.compile(r"launch", re.IGNORECASE)
_COMPILE = re.compile(r"aclopCompileAndExecute\w*")
_ALLOCATE = (re.compile(r"aclMallocMemInner"), re.compile(r"aclrtFreePhysical"), re.compile(r"aclrtFree"))


def _launch_blocking(facts: Facts, limits: Limits) -> Draft | None:
    timeline = facts.events
    launches, waits = facts.calls.named(_LAUNCH, "acl", "node"), facts.calls.named(_SYNC_STREAM, "acl")
    if len(launches) < limits["launches"]:
        raise InputMissing(_("fewer than {count} launches on the timeline").format(count=limits.text("launches")))
    after = waits[_directly_after(timeline, launches, waits)]
    share = 100.0 * len(after) / len(launches)
    if share <= limits["synchronised_pct"]:
        return None
    title = _("{share} of the launches are waited for at once").format(share=pct(share))
    text = _("{count} of {all} launches are followed by a synchronise: {share} > {limit} %")
    measured = text.format(count=whole(len(after)), all=whole(len(launches)), share=pct(share),
                           limit=limits.text("synchronised_pct"))  # fmt: skip
    return Draft(title, measured, severity="high", recoverable_us=facts.free_us_at_most(sum_us(timeline, after)),
                 evidence=longest(timeline, after), total=len(after))  # fmt: skip


def _directly_after(timeline: Timeline, launches: Events, waits: Events) -> NDArray[np.bool_]:
    """For each wait whether the call before it, of both kinds and on the same thread, is a launch."""
    events = np.concatenate((launches, waits))
    threads = {(track.os_pid, track.tid): track.id for track in timeline.tracks}
    thread = np.array([threads[track.os_pid, track.tid] for track in timeline.tracks], np.int64)
    order = np.lexsort((timeline.start_ns[events], thread[timeline.track_id[events]]))
    is_launch = (np.arange(len(events)) < len(launches))[order]
    lanes = thread[timeline.track_id[events]][order]
    follows = np.zeros(len(events), np.bool_)
    follows[1:] = is_launch[:-1] & (lanes[1:] == lanes[:-1])
    found = np.zeros(len(events), np.bool_)
    found[order] = follows
    return found[len(launches) :]


def _synchronise(facts: Facts, limits: Limits) -> Draft | None:
    calls, span_us = facts.api_rows.matching(_SYNC), facts.host_us
    time_us = total_us(calls)
    share = 100.0 * time_us / span_us
    if share < limits["span_pct"]:
        return None
    title = _("waiting for the device takes {share} of the span").format(share=pct(share))
    text = _("{names}: {time} in {calls} = {share} of {span} ≥ {limit} %")
    measured = text.format(names=listed([call.name for call in calls]), time=us(time_us), share=pct(share),
                           calls=calls_text(total_count(calls)), span=us(span_us), limit=limits.text("span_pct")
                           )  # fmt: skip
    return Draft(title, measured, time_us, recoverable_us=facts.free_us_at_most(time_us), confidence="likely",
                 evidence=[call.evidence for call in calls],
                 why=_("the host may wait because the device is busy"))  # fmt: skip


def _compiling(facts: Facts, limits: Limits) -> Draft | None:
    calls = facts.api_rows.matching(_COMPILE)
    count = total_count(calls)
    if count < limits["count"]:
        return None
    title = _("operators are compiled while the model runs, {count} times").format(count=whole(count))
    measured = _("aclopCompileAndExecute: {count} calls ≥ {limit}, {time}").format(
        count=whole(count), limit=limits.text("count"), time=us(total_us(calls))
    )
    return Draft(title, measured, total_us(calls), recoverable_us=total_us(calls),
                 evidence=[call.evidence for call in calls])  # fmt: skip


def _allocator(facts: Facts, limits: Limits) -> Draft | None:
    found = [call for pattern in _ALLOCATE for call in facts.api_rows.matching(pattern)]
    slow = [call for call in found if call.time_us >= limits["total_us"]]
    if not slow:
        return None
    title = _("memory is allocated and freed while the model runs: {time}").format(time=us(total_us(slow)))
    text = _("{names} ≥ {limit} µs")
    names = listed([f"{call.name} {us(call.time_us)}" for call in slow])
    measured = text.format(names=names, limit=limits.text("total_us"))
    unknown = facts.host_span_ns <= 0
    return Draft(title, measured, total_us(slow), severity="high" if unknown else None,
                 recoverable_us=total_us(slow), evidence=[call.evidence for call in slow])  # fmt: skip


def _collections(facts: Facts) -> Events:
    """Runs of Python's garbage collector.

    Raises:
        InputMissing: there are none on the timeline.
    """
    timeline = facts.events
    tracks = [track for track in timeline.tracks if "GC" in track.process.split() or "GC" in track.thread.split()]
    events = matching(timeline, tracks, lambda _name: True, facts.window)
    if not len(events):
        raise InputMissing(_("no garbage collections on the timeline"), "gc_detect_threshold")
    return events


def _garbage(facts: Facts, limits: Limits) -> Draft | None:
    timeline = facts.events
    events = _collections(facts)
    events = events[timeline.dur_ns[events] >= limits["dur_us"] * 1000.0]
    if not len(events):
        return None
    time_us = sum_us(timeline, events)
    title = _("Python collects garbage for {time}").format(time=us(time_us))
    text = _("{count} collections of at least {limit} µs, {time} in all")
    measured = text.format(count=whole(len(events)), limit=limits.text("dur_us"), time=us(time_us))
    return Draft(title, measured, severity="medium", recoverable_us=facts.free_us_at_most(time_us),
                 evidence=longest(timeline, events), total=len(events))  # fmt: skip


def _silent_host(facts: Facts, limits: Limits) -> Draft | None:
    try:
        _collections(facts)
    except InputMissing:
        pass
    else:
        raise InputMissing(_("garbage collections are on the timeline, so HO05 tells"))
    timeline, gaps = facts.events, facts.gaps
    calls = np.sort(facts.calls.named(re.compile(".+"), "acl"))
    if not len(calls):
        raise InputMissing(_("no AscendCL calls on the timeline"), "--ascendcl=on")
    free_us = gaps.length_ns / 1000.0
    count, busy_us = _calls_within(timeline, calls, gaps.start_ns, gaps.end_ns)
    silent = (free_us > limits["free_us"]) & (busy_us * 100.0 < free_us * limits["host_pct"])
    places = np.flatnonzero(silent & (count < free_us * limits["calls_per_us"]))
    if not len(places):
        return None
    time_us = float(free_us[places].sum())
    title = _("the host did nothing for {time} while the device was free").format(time=us(time_us))
    text = _("{count} gaps above {limit} µs with AscendCL calls for less than {share} % of them")
    measured = text.format(count=whole(len(places)), limit=limits.text("free_us"), share=limits.text("host_pct"))
    evidence = [
        Evidence(_("gap of {time}").format(time=us(float(free_us[k]))), (("gap_us", float(free_us[k])),),
                 start_ns=int(gaps.start_ns[k]), end_ns=int(gaps.end_ns[k]), device=gaps.device[int(gaps.device_id[k])])
        for k in places[:20].tolist()
    ]  # fmt: skip
    return Draft(title, measured, severity="medium", recoverable_us=time_us, evidence=evidence, total=len(places),
                 confidence="likely", why=_("what the host did is not recorded"))  # fmt: skip


def _calls_within(
    timeline: Timeline, calls: Events, starts: Events, ends: Events
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(number, time in µs) of the calls that begin within each interval."""
    calls = calls[np.argsort(timeline.start_ns[calls], kind="stable")]
    begun = timeline.start_ns[calls]
    sums = np.concatenate(([0], np.cumsum(timeline.dur_ns[calls])))
    first, last = np.searchsorted(begun, starts), np.searchsorted(begun, ends)
    return last - first, (sums[last] - sums[first]) / 1000.0


def _loader(facts: Facts, limits: Limits) -> Draft | None:
    timeline = facts.events
    events = _framework(facts, "dataloader")
    slow = events[timeline.dur_ns[events] >= limits["dur_us"] * 1000.0]
    if not len(slow):
        return None
    time_us = sum_us(timeline, slow)
    title = _("the data loader takes {time}").format(time=us(time_us))
    text = _("{count} loads of at least {limit} µs, the longest {longest}")
    longest_us = float(timeline.dur_ns[slow].max()) / 1000.0
    measured = text.format(count=whole(len(slow)), limit=limits.text("dur_us"), longest=us(longest_us))
    return Draft(title, measured, severity="high", recoverable_us=facts.free_us_at_most(time_us),
                 evidence=longest(timeline, slow), total=len(slow))  # fmt: skip


def _batch_norm(facts: Facts, limits: Limits) -> Draft | None:
    timeline = facts.events
    events = _framework(facts, "syncbatchnorm")
    if len(events) < limits["count"]:
        return None
    title = _("batch norm synchronises across devices, {count} times").format(count=whole(len(events)))
    measured = _("syncbatchnorm: {count} calls ≥ {limit}").format(count=whole(len(events)), limit=limits.text("count"))
    evidence = [evidence_of(timeline, event) for event in events[:20].tolist()]
    return Draft(title, measured, severity="high", evidence=evidence, total=len(events))


def _framework(facts: Facts, word: str) -> Events:
    """Calls of the framework whose name holds a word.

    Raises:
        InputMissing: the timeline has no lane of a framework.
    """
    timeline = facts.events
    tracks = tracks_of(timeline, "framework")
    if not tracks:
        raise InputMissing(_("no framework lane on the timeline"), "activities: CPU")
    return matching(timeline, tracks, lambda name: word in name.lower(), facts.window)


RULES = (
    Rule("HO01", N_("synchronise after each launch"), _launch_blocking, source="A", next_key="t",
         means=N_("Every launch is waited for, so nothing is queued ahead; launch-blocking is probably on."),
         advice=N_("Unset ASCEND_LAUNCH_BLOCKING, or take the synchronise out of the loop."),
         fires=N_("more than {synchronised_pct} % of at least {launches} launches are directly followed by "
                  "aclrtSynchronizeStream")),
    Rule("HO02", N_("synchronise calls"), _synchronise, source="D, N", next_key="4",
         means=N_("The host asks for results before it queues more work."),
         advice=N_("Look at the code that reads a result in each step, and read less often."),
         fires=N_("all synchronise APIs take at least {span_pct} % of the span")),
    Rule("HO03", N_("compiling at run time"), _compiling, source="A, D", next_key="4",
         means=N_("No binary was found for these operators: package missing, JIT compile on, or unusual shapes."),
         advice=N_("Install the operator package, turn JIT compile off, or fix the shapes if it is only some."),
         fires=N_("aclopCompileAndExecute was called at least {count} times")),
    Rule("HO04", N_("memory allocation"), _allocator, source="A", next_key="4",
         means=N_("The allocator returns memory and asks for it again."),
         advice=N_("Use expandable segments, a smaller batch, and take explicit cache emptying out."),
         fires=N_("aclMallocMemInner, aclrtFreePhysical or aclrtFree takes at least {total_us} µs")),
    Rule("HO05", N_("Python garbage collection"), _garbage, source="A", next_key="t",
         means=N_("The interpreter stops while it collects, and launches come late."),
         advice=N_("Raise the thresholds of the collector, or freeze it after start-up."),
         fires=N_("a collection takes at least {dur_us} µs")),
    Rule("HO06", N_("silent host"), _silent_host, source="A", next_key="t",
         means=N_("Garbage collection is the usual cause, else work before or after the model."),
         advice=N_("Collect with gc_detect_threshold set, or look at what the program does at that time."),
         fires=N_("free for more than {free_us} µs with AscendCL calls for less than {host_pct} % of it and fewer than "
                  "{calls_per_us} per µs")),
    Rule("HO07", N_("data loader"), _loader, source="A", next_key="t",
         means=N_("The input pipeline cannot keep up."),
         advice=N_("Use more workers and pinned memory, faster storage, or an archive format."),
         fires=N_("a call with dataloader in its name takes at least {dur_us} µs")),
    Rule("HO08", N_("batch norm across devices"), _batch_norm, source="A", next_key="t",
         means=N_("Each of them waits for all devices."),
         advice=N_("Replace or remove it."),
         fires=N_("at least {count} calls with syncbatchnorm in their name")),
)  # fmt: skip
