"""CO11, CO17, CO18, CO20: operators that stand out, clocks that fall, waits between tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.findings.commands import tune
from tui.findings.facts import Facts
from tui.findings.op_rows import Numbers, OpRows
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import exact_us, operators, pct, us, whole
from tui.i18n import N_, _
from tui.model.finding import Evidence
from tui.model.groups import Groups, group_rows
from tui.model.table import MISSING_NS
from tui.model.timeline import Counter


def _suspect(facts: Facts, limits: Limits) -> Draft | None:
    """The operator that takes most, or far more than its like.

    What stands out by its share may be all saved; what stands out among its like, down to their median.
    """
    rows = facts.op_rows
    durations = np.where(rows.computing, rows.durations_us, 0.0)
    share = durations * (100.0 / rows.device_us if rows.device_us else 0.0)
    median = _type_median(rows)
    large = share >= limits["device_pct"]
    mine = large | ((durations > limits["factor"] * median) & (share >= limits["least_pct"]))
    if not mine.any():
        return None
    excess_us = float(np.where(large, durations, durations - median)[mine].sum())
    wall_us, first = rows.wall_us(mine), rows.longest(mine, 1)[0]
    time, kind = exact_us(float(durations[first])), _kind(rows, first)
    title = _("{name}{kind} takes {time}: lead suspect").format(name=rows.name(first), kind=kind, time=time)
    measured = _by_share(rows, first, limits) if large[first] else _by_type(rows, first, float(median[first]), limits)
    evidence = rows.of_longest(mine, ("share_pct", share), ("type_median_us", median))
    return Draft(title, measured, wall_us, recoverable_us=min(excess_us, wall_us), evidence=evidence,
                 total=int(mine.sum()), command=tune(facts.profile, 2), lead=True)  # fmt: skip


def _by_share(rows: OpRows, row: int, limits: Limits) -> str:
    time_us = float(rows.durations_us[row])
    return _("{time} of {device} device time = {share} ≥ {limit} %").format(
        time=exact_us(time_us), device=exact_us(rows.device_us), share=pct(rows.share_pct(time_us)),
        limit=limits.text("device_pct"),
    )  # fmt: skip


def _by_type(rows: OpRows, row: int, median_us: float, limits: Limits) -> str:
    time_us = float(rows.durations_us[row])
    return _("{time} > {limit} × {median}, the median of its type ({factor} ×), {share} of device time").format(
        time=exact_us(time_us), limit=limits.text("factor"), median=us(median_us),
        factor=f"{time_us / median_us:.1f}" if median_us else "∞", share=pct(rows.share_pct(time_us)),
    )  # fmt: skip


def _kind(rows: OpRows, row: int) -> str:
    """` (Conv2D)` where types are known and not the name itself."""
    try:
        kind = rows.type(row)
    except InputMissing:
        return ""
    return f" ({kind})" if kind != rows.name(row) else ""


def _type_median(rows: OpRows) -> Numbers:
    """Median duration of the type of each row; ∞ where no types were collected, so that nothing stands out."""
    try:
        codes = rows.types.codes
    except InputMissing:
        return np.full(rows.table.row_count, np.inf)
    return grouped_median(codes, rows.durations_us, rows.computing)[codes]


def grouped_median(codes: NDArray[np.int32], values: Numbers, counted: NDArray[np.bool_]) -> Numbers:
    """Median of the counted values of each code; 0 for a code without any."""
    places = np.flatnonzero(counted)
    order = places[np.lexsort((values[places], codes[places]))]
    sorted_codes = codes[order]
    size = int(codes.max()) + 1 if len(codes) else 0
    counts = np.bincount(sorted_codes, minlength=size)
    firsts = np.concatenate(([0], np.cumsum(counts)))[:-1]
    some = counts > 0
    medians = np.zeros(size)
    low = order[firsts[some] + (counts[some] - 1) // 2]
    high = order[firsts[some] + counts[some] // 2]
    medians[some] = (values[low] + values[high]) / 2.0
    return medians


def _unstable(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    keys = (rows.types.info.key, "input_shapes")
    groups = group_rows(rows.table, np.flatnonzero(rows.computing), keys)
    spread, count, total = (groups.table.number(key) for key in ("cv", "count", "total_us"))
    if spread is None or count is None or total is None:
        raise InputMissing(_("operators have no durations"))
    share = total * (100.0 / rows.device_us if rows.device_us else 0.0)
    found = np.flatnonzero((spread > limits["cv"]) & (count >= limits["calls"]) & (share >= limits["device_pct"]))
    if not len(found):
        return None
    found = found[np.argsort(-total[found], kind="stable")]
    first, evidence = int(found[0]), [_unstable_evidence(rows, groups, group) for group in found[:20].tolist()]
    title = _("{name} takes now short, now long (kinds like it: {count})").format(
        name=evidence[0].text, count=len(found)
    )
    text = _("{name}: standard deviation ÷ mean = {cv} > {limit} in {calls} calls of the same shape ≥ {least}")
    measured = text.format(name=evidence[0].text, cv=f"{float(spread[first]):.2f}", limit=limits.text("cv"),
                           calls=whole(float(count[first])), least=limits.text("calls"))  # fmt: skip
    excess_us = sum(_above_median_us(rows.durations_us[groups.rows_of(group)]) for group in found.tolist())
    return Draft(title, measured, severity="low", recoverable_us=excess_us, evidence=evidence, total=len(found),
                 confidence="hint", why=_("values and neighbours may differ between the calls"))  # fmt: skip


def _above_median_us(durations_us: Numbers) -> float:
    return float(np.maximum(durations_us - np.median(durations_us), 0.0).sum())


def _unstable_evidence(rows: OpRows, groups: Groups, group: int) -> Evidence:
    """One kind of operators, with its longest calls."""
    worst = rows.longest(groups.rows_of(group), 5)
    keys = ("cv", "count", "total_us")
    figures = tuple((key, float(values[group])) for key in keys if (values := groups.table.number(key)) is not None)
    return Evidence(rows.type(worst[0]), figures, "ops", tuple(worst))


def _waits(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    waits = rows.table.number("task_wait_time_us")
    if waits is None or not np.isfinite(waits).any():
        raise InputMissing(_("no Task Wait Time column"))
    per_device = [float(np.nansum(waits[mine])) for mine in _by_device(rows)]
    wait_us = max(per_device, default=0.0)
    share = 100.0 * wait_us / facts.span_us if facts.span_us else 0.0
    if share < limits["span_pct"]:
        return None
    order = np.argsort(-np.nan_to_num(waits), kind="stable")[:20].tolist()
    evidence = [rows.evidence(row, ("task_wait_time_us", float(np.nan_to_num(waits)[row]))) for row in order]
    title = _("tasks wait for {share} of the span").format(share=pct(share))
    measured = _("Task Wait Time adds up to {time} = {share} of the span ≥ {limit} %").format(
        time=us(wait_us), share=pct(share), limit=limits.text("span_pct")
    )
    return Draft(title, measured, wait_us, recoverable_us=facts.free_us_at_most(wait_us), evidence=evidence,
                 total=int(np.count_nonzero(np.nan_to_num(waits) > 0)))  # fmt: skip


def _by_device(rows: OpRows) -> list[NDArray[np.bool_]]:
    column = rows.device_codes
    if column is None:
        return [np.ones(rows.table.row_count, np.bool_)]
    return [column.codes == code for code in range(len(column.strings))]


def _clock(facts: Facts, limits: Limits) -> Draft | None:
    timeline, rows = facts.events, facts.op_rows
    counters = [counter for counter in timeline.counters if "freq" in counter.name.lower() and len(counter.times_ns)]
    if not counters:
        raise InputMissing(_("no AI Core Freq counter on the timeline (this chip or CANN version writes none)"))
    starts, names = rows.table.time("start_ns"), rows.table.text("op_name")
    if starts is None or names is None:
        raise InputMissing(_("operators have no start times"))
    lost, known = _lost_clock(facts, counters, starts)
    counts = np.bincount(names.codes[known], minlength=len(names.strings))
    sums = np.bincount(names.codes[known], lost[known], len(names.strings))
    per_name = np.where(counts > 0, 100.0 * sums / np.maximum(counts, 1), 0.0)
    slow = per_name >= limits["lost_pct"]
    mine = known & slow[names.codes]
    if not mine.any():
        return None
    lost_us = float((rows.durations_us * lost)[mine].sum())
    first = rows.longest(mine, 1)[0]
    worst = float(per_name[names.codes[first]])
    title = _("the AI Core clock falls while operators run: {share}").format(share=pct(worst))
    text = _("{name} ran {share} below the nominal frequency ≥ {limit} %; {operators} did")
    measured = text.format(name=rows.name(first), share=pct(worst), limit=limits.text("lost_pct"),
                           operators=operators(int(slow.sum())))  # fmt: skip
    guessed = not any(device.aic_frequency_mhz for device in facts.profile.devices)
    why = _("the nominal frequency is not recorded: the highest seen stands for it") if guessed else ""
    return Draft(title, measured, severity="high", recoverable_us=lost_us, total=int(mine.sum()),
                 evidence=rows.of_longest(mine, ("below_nominal_pct", lost * 100.0)),
                 confidence="likely" if guessed else "sure", why=why)  # fmt: skip


def _lost_clock(facts: Facts, counters: list[Counter], starts: NDArray[np.int64]) -> tuple[Numbers, NDArray[np.bool_]]:
    """(share of the nominal frequency that is lost when each operator begins, whether that is known)."""
    rows = facts.op_rows
    lost = np.zeros(rows.table.row_count)
    known = np.zeros(rows.table.row_count, np.bool_)
    for counter in counters:
        device = facts.device(counter.device)
        nominal = device.aic_frequency_mhz if device is not None else 0.0
        nominal = nominal or float(np.nanmax(counter.values))
        mine = rows.computing & (starts != MISSING_NS) & (rows.durations_us > 0)
        if rows.device_codes is not None and len(counters) > 1:
            on = np.array([text == counter.device for text in rows.device_codes.strings], np.bool_)
            mine = mine & on[rows.device_codes.codes]
        place = np.searchsorted(counter.times_ns, starts, side="right") - 1
        value = counter.values[np.maximum(place, 0)]
        seen = mine & (place >= 0) & (value > 0)
        lost[seen] = np.maximum(0.0, 1.0 - value[seen] / nominal) if nominal > 0 else 0.0
        known |= seen
    return lost, known


RULES = (
    Rule("CO11", N_("AI Core clock"), _clock, source="A, D", next_key="t",
         means=N_("Heat or power capping, or a clock that had been set to idle."),
         advice=N_("Check the clocks before you blame the operator; repeat the run on a warm, quiet card."),
         fires=N_("an operator begins on average at {lost_pct} % or more below the nominal frequency")),
    Rule("CO17", N_("lead suspect"), _suspect, source="S, N", next_key="3",
         means=N_("One operator takes far more than the others: work on it pays most."),
         advice=N_("Look at its shapes, cores and bound, then tune it or replace what surrounds it."),
         fires=N_("one operator takes at least {device_pct} % of device time, or more than {factor} × the median of "
                  "its "
                  "type and at least {least_pct} % of device time")),
    Rule("CO18", N_("unstable operators"), _unstable, source="D, N", next_key="3",
         means=N_("Contention, clocks or cache make the same work take different times."),
         advice=N_("Look at what runs beside the long calls."),
         fires=N_("standard deviation ÷ mean above {cv} in at least {calls} calls of one type and shape with at least "
                  "{device_pct} % of device time")),
    Rule("CO20", N_("waits between tasks"), _waits, source="N", next_key="2",
         means=N_("The device had nothing to do between its tasks."),
         advice=N_("See the HO findings for what the host did meanwhile."),
         fires=N_("Task Wait Time adds up to at least {span_pct} % of the span")),
)  # fmt: skip
