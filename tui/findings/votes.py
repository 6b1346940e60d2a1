"""CM07: which rank comes late to the collectives: the shortest member of one is the one that did not have to wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import whole
from tui.i18n import N_, _
from tui.model.finding import Evidence, Rank

_MEMBERS = (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
_CRITICAL = (0.994, 0.926, 0.821, 0.740, 0.680, 0.634, 0.598, 0.568, 0.519, 0.474, 0.425, 0.395, 0.372, 0.344, 0.321,
             0.308, 0.285, 0.273)  # fmt: skip
"""Dixon's r10 at 99.5 %, one-sided: published up to 10 members, above by simulation of normal samples."""
_SIGMAS = 3.0


def is_outlier(times: Sequence[float]) -> bool:
    """Whether the shortest of some times stands apart: Dixon's test up to 100 of them, 3 σ above."""
    ordered = np.sort(np.array(times, np.float64))
    if len(ordered) < _MEMBERS[0] or ordered[-1] <= ordered[0]:
        return False
    if len(ordered) > _MEMBERS[-1]:
        return bool(ordered[0] < ordered.mean() - _SIGMAS * ordered.std())
    ratio = (ordered[1] - ordered[0]) / (ordered[-1] - ordered[0])
    return bool(ratio > np.interp(len(ordered), _MEMBERS, _CRITICAL))


def _votes(facts: Facts, limits: Limits) -> Draft | None:
    collectives = {op: times for op, times in _members(facts.ranks).items() if len(times) >= _MEMBERS[0]}
    if not collectives:
        raise InputMissing(
            _("no collective of three ranks or more: open the folder above them"),
            "msprof --analyze=on --rule=communication",
        )
    late: dict[str, list[str]] = {}
    waited_us = 0.0
    for op, times in collectives.items():
        if is_outlier(list(times.values())):
            late.setdefault(min(times, key=lambda name: times[name]), []).append(op)
            ordered = sorted(times.values())
            waited_us += (ordered[1] - ordered[0]) * 1000.0
    found = {name: ops for name, ops in late.items() if len(ops) >= limits["votes"]}
    if not found:
        return None
    order = sorted(found, key=lambda name: -len(found[name]))
    votes = len(found[order[0]])
    title = _("rank {name} comes late to the collectives").format(name=order[0])
    text = _("{votes} of {all} collectives ≥ {limit}: it took far less time in them than the others, which waited")
    measured = text.format(votes=whole(votes), all=whole(len(collectives)), limit=limits.text("votes"))
    return Draft(title, measured, waited_us, recoverable_us=waited_us, total=len(order),
                 evidence=[Evidence(name, (("votes", float(len(found[name]))), ("first", found[name][0])))
                           for name in order],
                 confidence="likely", why=_("transfers of other sizes can look the same")
                 )  # fmt: skip


def _members(ranks: Sequence[Rank]) -> Mapping[str, dict[str, float]]:
    """Collective → rank → time in ms."""
    found: dict[str, dict[str, float]] = {}
    for rank in ranks:
        for link in rank.links:
            if link.elapse_ms > 0:
                members = found.setdefault(link.op, {})
                members[rank.name] = max(members.get(rank.name, 0.0), link.elapse_ms)
    return found


RULES = (
    Rule("CM07", N_("votes for a slow rank"), _votes, source="R", next_key="2",
         means=N_("A rank that comes late finds the others waiting and is done at once."),
         advice=N_("Look at that rank before the collectives: its host, its data, its operators."),
         fires=N_("a rank is the shortest member, an outlier by Dixon's test at 99.5 % (3 σ above 100 ranks), of at "
                  "least "
                  "{votes} collectives")),
)  # fmt: skip
