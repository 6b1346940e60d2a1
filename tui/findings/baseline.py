"""CP: against the baseline profile that is open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import listed, operators, pct, us, whole
from tui.i18n import N_, _
from tui.model.comparison import Comparison
from tui.model.finding import Evidence

_CATEGORIES = {
    "load": N_("load"), "execute": N_("execute"), "computing": N_("computing"), "conversion": N_("conversion"),
    "ai_cpu": N_("AI CPU"), "communication": N_("communication"), "free": N_("free"),
}  # fmt: skip


def _comparison(facts: Facts) -> Comparison:
    """The comparison with the baseline.

    Raises:
        InputMissing: none is open.
    """
    if facts.comparison is None:
        raise InputMissing(_("no baseline is open"), ":baseline PATH")
    return facts.comparison


def _rows_of(comparison: Comparison, *verdicts: str) -> NDArray[np.intp]:
    column = comparison.table.text("verdict")
    if column is None:
        return np.zeros(0, np.intp)
    wanted = np.array([text in verdicts for text in column.strings], np.bool_)
    return np.flatnonzero(wanted[column.codes]) if len(wanted) else np.zeros(0, np.intp)


def _evidence(comparison: Comparison, row: int) -> Evidence:
    """One row, with its times on both sides and its operators in the current profile."""
    table = comparison.table
    names = next((column for key in ("op_name", "op_type", "api_name") if (column := table.text(key))), None)
    keys = ("delta_us", "a_total_us", "b_total_us", "a_count", "b_count")
    figures = tuple((key, float(values[row])) for key in keys if (values := table.number(key)) is not None)
    members = tuple(int(k) for k in comparison.b_members.rows_of(row)[:20])
    kind = "apis" if comparison.by == "api" else "ops" if comparison.b.ops is not None else "op-types"
    return Evidence(names.texts(np.array([row]))[0] if names else "", figures, kind if members else "", members)


def _worse(facts: Facts, limits: Limits) -> Draft | None:
    comparison = _comparison(facts)
    rows = _rows_of(comparison, "slower")
    before, delta = comparison.table.number("a_total_us"), comparison.table.number("delta_us")
    if before is None or delta is None:
        return None
    rows = rows[delta[rows] * 100.0 >= limits["worse_pct"] * before[rows]]
    if not len(rows):
        return None
    rows = rows[np.argsort(-delta[rows], kind="stable")]
    lost_us = float(delta[rows].sum())
    first = _evidence(comparison, int(rows[0]))
    share = 100.0 * float(delta[rows[0]]) / float(before[rows[0]]) if before[rows[0]] else float("nan")
    title = _("slower than the baseline: {operators}, {time}").format(operators=operators(len(rows)), time=us(lost_us))
    text = _("{name}: {before} → {after}, +{share} ≥ {limit} % and outside the noise band")
    measured = text.format(name=first.text, before=us(float(before[rows[0]])), share=pct(share),
                           after=us(float(before[rows[0]] + delta[rows[0]])), limit=limits.text("worse_pct")
                           )  # fmt: skip
    return Draft(title, measured, lost_us, recoverable_us=lost_us, total=len(rows),
                 evidence=[_evidence(comparison, row) for row in rows[:20].tolist()])  # fmt: skip


def _unmatched(facts: Facts, _limits: Limits) -> Draft | None:
    comparison = _comparison(facts)
    new, gone = _rows_of(comparison, "new"), _rows_of(comparison, "gone")
    if not len(new) and not len(gone):
        return None
    title = _("new: {new}, gone: {gone}").format(new=operators(len(new)), gone=operators(len(gone)))
    added, removed = (_total(comparison, rows, key) for rows, key in ((new, "b_total_us"), (gone, "a_total_us")))
    measured = _("new: {added}, gone: {removed}").format(added=us(added), removed=us(removed))
    rows = np.concatenate((new, gone))[:20].tolist()
    return Draft(title, measured, severity="info", evidence=[_evidence(comparison, row) for row in rows],
                 total=len(new) + len(gone))  # fmt: skip


def _total(comparison: Comparison, rows: NDArray[np.intp], key: str) -> float:
    values = comparison.table.number(key)
    return 0.0 if values is None else float(np.nansum(values[rows]))


def _counts(facts: Facts, _limits: Limits) -> Draft | None:
    comparison = _comparison(facts)
    a, b = comparison.table.number("a_count"), comparison.table.number("b_count")
    if a is None or b is None:
        return None
    rows = np.flatnonzero((a > 0) & (b > 0) & (a != b))
    if not len(rows):
        return None
    first = _evidence(comparison, int(rows[0]))
    title = _("another number of calls: {operators}").format(operators=operators(len(rows)))
    measured = _("{name}: {a} → {b} calls").format(
        name=first.text, a=whole(float(a[rows[0]])), b=whole(float(b[rows[0]]))
    )
    return Draft(title, measured, severity="low", total=len(rows),
                 evidence=[_evidence(comparison, row) for row in rows[:20].tolist()])  # fmt: skip


def _categories(facts: Facts, limits: Limits) -> Draft | None:
    comparison = _comparison(facts)
    if not comparison.parts:
        raise InputMissing(_("neither side tells categories of time"))
    worse = [
        part for part in comparison.parts
        if part.change.verdict in ("slower", "new")
        and part.change.delta_us * 100.0 >= limits["worse_pct"] * part.change.a_us
    ]  # fmt: skip
    if not worse:
        return None
    worse.sort(key=lambda part: -part.change.delta_us)
    lead = worse[0]
    name = _(_CATEGORIES[lead.part])
    title = _("{part} takes longer than in the baseline").format(part=name)
    measured = _("{part}: {a} → {b}, at least {limit} % more").format(
        part=name, a=us(lead.change.a_us), b=us(lead.change.b_us), limit=limits.text("worse_pct")
    )
    evidence = [
        Evidence(_(_CATEGORIES[part.part]), (("delta_us", part.change.delta_us), ("a_us", part.change.a_us),
                 ("b_us", part.change.b_us)))
        for part in worse
    ]  # fmt: skip
    return Draft(title, measured, lead.change.delta_us, recoverable_us=lead.change.delta_us, evidence=evidence)


def _not_alike(facts: Facts, _limits: Limits) -> Draft | None:
    comparison = _comparison(facts)
    if not comparison.differences:
        return None
    texts = [f"{entry.name or entry.what}: {entry.a} / {entry.b}" for entry in comparison.differences]
    title = _("the two runs are not comparable as they are")
    return Draft(title, listed(texts, 6), severity="warn", evidence=[Evidence(text) for text in texts[:20]])


RULES = (
    Rule("CP01", N_("regressions"), _worse, source="N", next_key="6",
         means=N_("These operators lost what others may have won."),
         advice=N_("Compare their shapes, cores and bounds on both sides."),
         fires=N_("the total of an operator is worse by at least {worse_pct} % and outside the noise band")),
    Rule("CP02", N_("new and vanished operators"), _unmatched, source="A, N", next_key="6",
         means=N_("Fusion, a cast, another name: the graph is not the same."),
         advice=N_("Look at what stands in their place."),
         fires=N_("operators exist on one side only")),
    Rule("CP03", N_("number of calls"), _counts, source="N", next_key="6",
         means=N_("Work was repeated or left out, so totals compare different things."),
         advice=N_("Compare the time per call, or the same number of iterations."),
         fires=N_("the number of calls of an operator differs")),
    Rule("CP04", N_("categories of time"), _categories, source="A, N", next_key="6",
         means=N_("This part of the run grew against the baseline."),
         advice=N_("Follow that category to its operators or calls."),
         fires=N_("a category is at least {worse_pct} % above the baseline and outside the noise band")),
    Rule("CP05", N_("comparability"), _not_alike, source="N", next_key="6",
         means=N_("Part of the difference comes from how or where it was measured."),
         advice=N_("Collect both runs in the same way before you judge a change."),
         fires=N_("chip, CANN version, level, metrics or number of iterations differ")),
)  # fmt: skip
