"""OV: where does the time go?"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tui.findings.api_rows import total_count, total_us
from tui.findings.facts import Facts, blocks_within
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.tracks import Events, events_of, evidence_of, longest, named_of, tracks_of
from tui.findings.variables import variables_rule
from tui.findings.wording import calls_text, pct, us, whole
from tui.i18n import N_, _
from tui.model.finding import Command, Evidence
from tui.model.gaps import DeviceTime
from tui.model.intervals import Intervals, covered_ns, merged
from tui.model.split import time_source
from tui.model.stages import computing_names
from tui.model.timeline import Timeline

_SYNCHRONISE = re.compile(r"aclrtSynchronize\w*")
_LOAD = re.compile(r"aclmdlLoadFromFile\w*")
_EXECUTE = re.compile(r"aclmdlExecute\w*")


def _free(facts: Facts, limits: Limits) -> Draft | None:
    """Between this limit and that of OV02, which says the same more loudly."""
    time = facts.idlest()
    loud = limits.thresholds.limit("OV02", "free_pct").value
    if not limits["free_pct"] < _free_pct(time) < loud:
        return None
    return _free_draft(facts, time, limits.text("free_pct"), ">")


def _severely_free(facts: Facts, limits: Limits) -> Draft | None:
    time = facts.idlest()
    if _free_pct(time) < limits["free_pct"]:
        return None
    draft = _free_draft(facts, time, limits.text("free_pct"), "≥")
    synchronised = _device_synchronisations(facts)
    advice = _("There are {count} calls that wait for the whole device: look at those first.")
    said = advice.format(count=whole(synchronised)) if synchronised > 1 else ""
    return Draft(draft.title, draft.measured, severity="high", recoverable_us=draft.recoverable_us,
                 evidence=draft.evidence, confidence=draft.confidence, why=draft.why, advice=said)  # fmt: skip


def _device_synchronisations(facts: Facts) -> int:
    try:
        return total_count(facts.api_rows.matching(re.compile(r"aclrtSynchronizeDevice\w*")))
    except InputMissing:
        return 0


def _free_pct(time: DeviceTime) -> float:
    return 100.0 * time.free_ns / time.span_ns if time.span_ns else 0.0


def _free_draft(facts: Facts, time: DeviceTime, limit: str, sign: str) -> Draft:
    name = time.device or "0"
    free_us = time.free_ns / 1000.0
    title = _("device {name} is free for {share} of the time").format(name=name, share=pct(_free_pct(time)))
    text = _("{free} free of {all} = {share} {sign} {limit} % (by {source})")
    measured = text.format(free=us(free_us), all=us(time.span_ns / 1e3), share=pct(_free_pct(time)), sign=sign,
                           limit=limit, source=_(time_source(time)))  # fmt: skip
    evidence = [
        Evidence(f"device {name}", (("free_us", free_us), ("computing_us", time.computing_ns / 1e3),
                 ("communication_us", time.communication_ns / 1e3)), device=time.device,
                 start_ns=time.start_ns or None, end_ns=time.end_ns if time.start_ns else None)
    ]  # fmt: skip
    sure = facts.timeline is not None
    why = "" if sure else _("told without a timeline, so what runs beside the operators is not seen")
    return Draft(title, measured, free_us, recoverable_us=free_us, evidence=evidence,
                 confidence="sure" if sure else "likely", why=why)  # fmt: skip


def _small_blocks(facts: Facts, limits: Limits) -> Draft | None:
    worst: tuple[float, Intervals, Events, NDArray[np.intp]] | None = None
    for blocks, gaps in _blocks_and_gaps(facts):
        if len(blocks.starts) < limits["blocks"]:
            continue
        small = gaps * 100.0 > limits["gap_pct"] * (blocks.ends - blocks.starts)[:-1]
        share = 100.0 * float(np.count_nonzero(small)) / len(blocks.starts)
        if worst is None or share > worst[0]:
            worst = share, blocks, gaps, np.flatnonzero(small)
    if worst is None or worst[0] <= limits["blocks_pct"]:
        return None
    share, blocks, gaps, places = worst
    text = _("{count} of {all} blocks of computing ({share} > {limit} %) are followed by a gap above {gap} % of them")
    measured = text.format(count=whole(len(places)), all=whole(len(blocks.starts)), share=pct(share),
                           limit=limits.text("blocks_pct"), gap=limits.text("gap_pct"))  # fmt: skip
    order = places[np.argsort(-gaps[places], kind="stable")][:20]
    evidence = [
        Evidence(_("gap of {time}").format(time=us(int(gaps[k]) / 1e3)), (("gap_us", int(gaps[k]) / 1e3),),
                 start_ns=int(blocks.ends[k]), end_ns=int(blocks.starts[k + 1]))
        for k in order.tolist()
    ]  # fmt: skip
    title = _("{share} of the computing blocks are small beside the gap after them").format(share=pct(share))
    return Draft(title, measured, severity="medium", evidence=evidence, total=len(places),
                 recoverable_us=facts.free_us_at_most(float(gaps[places].sum()) / 1000.0))  # fmt: skip


def _blocks_and_gaps(facts: Facts) -> Iterator[tuple[Intervals, Events]]:
    """Times in which each device computed without a break, and how long it then neither computed nor communicated.

    By the overlap analysis where there is one, else by the tasks.

    Raises:
        InputMissing: there are no device lanes.
    """
    timeline = facts.events
    devices = sorted({track.device for track in tracks_of(timeline, "device", "overlap")})
    if not devices:
        raise InputMissing(_("the timeline has no device lanes"))
    for device in devices:
        overlap, streams, collectives = (
            events_of([track for track in tracks_of(timeline, layer) if track.device == device])
            for layer in ("overlap", "device", "communication")
        )
        recorded = named_of(timeline, overlap, "Computing")
        computing = recorded if len(recorded) else streams[computing_names(timeline, timeline.name_id[streams])]
        blocks = blocks_within(_union(timeline, computing), facts.run_window)
        starts, ends = blocks.ends[:-1], blocks.starts[1:]
        yield blocks, ends - starts - covered_ns(_union(timeline, collectives), starts, ends)


def _union(timeline: Timeline, events: Events) -> Intervals:
    starts = timeline.start_ns[events]
    return merged(starts, starts + timeline.dur_ns[events])


def _warm_up(facts: Facts, limits: Limits) -> Draft | None:
    steps = facts.steps
    if steps is None or len(steps) < 2:
        raise InputMissing(_("fewer than two iterations or runs of the model are marked"))
    durations = steps.dur_ns
    median = float(np.median(durations[1:]))
    if not durations[0] > limits["factor"] * median:
        return None
    factor = float(durations[0]) / median if median else float("inf")
    title = _("the first iteration takes {factor} × the others: warm-up").format(factor=f"{factor:.1f}")
    text = _("{first} > {limit} × {median}, the median of the {count} others")
    measured = text.format(first=us(float(durations[0]) / 1e3), limit=limits.text("factor"), median=us(median / 1e3),
                           count=whole(len(steps) - 1))  # fmt: skip
    second = int(steps.numbers[1])
    evidence = [
        Evidence(steps.names[0], (("dur_us", float(durations[0]) / 1e3),), start_ns=int(steps.start_ns[0]),
                 end_ns=int(steps.end_ns[0]), table="steps", rows=(0,), event=int(steps.events[0]))
    ]  # fmt: skip
    return Draft(title, measured, severity="info", evidence=evidence, command=Command("", (f":iter {second}..",)))


def _load(facts: Facts, limits: Limits) -> Draft | None:
    return _share_of_calls(facts, limits, _LOAD, lead=False)


def _execute(facts: Facts, limits: Limits) -> Draft | None:
    return _share_of_calls(facts, limits, _EXECUTE, lead=True)


def _share_of_calls(facts: Facts, limits: Limits, pattern: re.Pattern[str], lead: bool) -> Draft | None:
    """Calls that take at least a share of the span. They can be looked into, not tuned: nothing is recoverable."""
    calls, span_us = facts.api_rows.matching(pattern), facts.host_us
    share = min(100.0, 100.0 * total_us(calls) / span_us)
    if share < limits["span_pct"]:
        return None
    name = calls[0].name
    words = _("{name} takes {share}: it leads to the device") if lead else _("{name} takes {share}: not tunable")
    text = _("{time} in {calls} = {share} of {span} ≥ {limit} %")
    measured = text.format(time=us(total_us(calls)), calls=calls_text(total_count(calls)), share=pct(share),
                           span=us(span_us), limit=limits.text("span_pct"))  # fmt: skip
    evidence = [*_call_events(facts, pattern), *(call.evidence for call in calls)]
    beyond = total_us(calls) > span_us
    why = _("the calls add up to more than the span: several threads, or files of several runs") if beyond else ""
    return Draft(words.format(name=name, share=pct(share)), measured, severity="info", evidence=evidence, lead=lead,
                 confidence="likely" if beyond else "sure", why=why)  # fmt: skip


def _call_events(facts: Facts, pattern: re.Pattern[str]) -> list[Evidence]:
    """The longest of the calls on the timeline, where there is one."""
    if facts.timeline is None:
        return []
    events = facts.calls.named(pattern, "acl")
    if len(events) == 1:
        return [evidence_of(facts.timeline, int(events[0]))]
    return longest(facts.timeline, events, 10)


RULES = (
    Rule("OV01", N_("free time of the device"), _free, source="A, D", next_key="2",
         means=N_("The device waits for the host."),
         advice=N_("Look at the HO findings and the longest gaps first: operators are not what limits this run."),
         fires=N_("free ÷ (computing + communication not overlapped + free) is above {free_pct} %, while the model "
                  "runs; from the limit of OV02 on, that rule says it")),
    Rule("OV02", N_("severe idling"), _severely_free, source="A", next_key="2",
         means=N_("The device waits for the host most of the time it could work."),
         advice=N_("Look at the HO findings and the longest gaps first: operators are not what limits this run."),
         fires=N_("the same share is at least {free_pct} %")),
    Rule("OV03", N_("small blocks of computing"), _small_blocks, source="A", next_key="2",
         means=N_("Kernels are short beside what launching them costs."),
         advice=N_("Use a larger batch, fuse operators, or run the model as a graph."),
         fires=N_("more than {blocks_pct} % of at least {blocks} blocks are followed by a gap above {gap_pct} % of "
                  "their length")),
    variables_rule(),
    Rule("OV05", N_("first iteration"), _warm_up, source="N", next_key="colon",
         means=N_("The first run compiles, allocates and fills caches; it says nothing about the steady state."),
         advice=N_("Leave it out: all views are then computed without it."),
         fires=N_("the first iteration takes more than {factor} × the median of the others")),
    Rule("OV06", N_("share of the model load"), _load, source="S", next_key="4",
         means=N_("Load time depends on the size of the model file and cannot be tuned by work on operators."),
         advice=N_("Judge the run by its execute calls."),
         fires=N_("aclmdlLoadFromFile* takes at least {span_pct} % of the span")),
    Rule("OV07", N_("share of model execution"), _execute, source="S", next_key="t",
         means=N_("The call runs the model and waits: its time is that of the device tasks inside of it."),
         advice=N_("Follow it to its device tasks, then look at the longest operators."),
         fires=N_("aclmdlExecute* takes at least {span_pct} % of the span")),
)  # fmt: skip
