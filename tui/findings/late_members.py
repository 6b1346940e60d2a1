"""CM08: why a rank is the late member of collectives: its device was busy longer, or its host kept it waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import pct, us, whole
from tui.i18n import N_, _
from tui.model.finding import Evidence, Rank


class _Part(NamedTuple):
    """One rank in one collective."""

    rank: str
    start_ns: int
    wait_us: float


def _bottleneck(facts: Facts, limits: Limits) -> Draft | None:
    collectives = [parts for parts in _collectives(facts.ranks).values() if len(parts) > 1]
    if not collectives:
        what = _("no collective of two ranks with start times: open the folder above the ranks")
        raise InputMissing(what, "msprof --analyze=on --rule=communication")
    late: dict[str, list[float]] = {}
    for parts in collectives:
        last = max(parts, key=lambda part: part.start_ns)
        spread_us = max(part.wait_us for part in parts) - min(part.wait_us for part in parts)
        shift_us = (last.start_ns - min(part.start_ns for part in parts)) / 1000.0
        if spread_us > limits["wait_spread_us"] and shift_us > limits["start_shift_us"]:
            late.setdefault(last.rank, []).append(spread_us)
    name = max(late, key=lambda rank: sum(late[rank]), default="")
    share = 100.0 * len(late.get(name, ())) / len(collectives)
    if share <= limits["occurrence_pct"]:
        return None
    waited_us = sum(late[name])
    text = _("last in {n} of {all} collectives: {share} > {limit} %; the others wait {time} for it")
    measured = text.format(n=whole(len(late[name])), all=whole(len(collectives)), share=pct(share),
                           limit=limits.text("occurrence_pct"), time=us(waited_us))  # fmt: skip
    evidence = [Evidence(rank, (("wait_us", sum(late[rank])), ("count", float(len(late[rank])))))
                for rank in sorted(late, key=lambda rank: -sum(late[rank]))]  # fmt: skip
    title, why = _cause(facts.ranks, name, limits["device_share"])
    return Draft(title, measured, waited_us, recoverable_us=waited_us, evidence=evidence, total=len(evidence),
                 confidence="likely" if not why else "hint",
                 why=why or _("step times tell the cause, not this collective alone"))  # fmt: skip


def _cause(ranks: Sequence[Rank], name: str, device_share: float) -> tuple[str, str]:
    """What the rank is called, and why its cause is not known.

    Of the time that it computes and idles beyond the mean of the others, the computing decides.
    """
    busy = _excess_us(ranks, name, "computing")
    idle = _excess_us(ranks, name, "free")
    if busy + idle <= 0:
        unknown = _("no step trace tells whether its device or its host is late")
        return _("rank {name} comes late to the collectives").format(name=name), unknown
    if busy / (busy + idle) >= device_share:
        return _("rank {name} comes late: its device computes longer").format(name=name), ""
    return _("rank {name} comes late: its host keeps the device waiting").format(name=name), ""


def _excess_us(ranks: Sequence[Rank], name: str, part: str) -> float:
    """Time of one rank beyond the mean of the others; 0 when it is below, or not known."""
    times = {rank.name: rank.step_times[part] for rank in ranks if part in rank.step_times}
    others = [time for rank, time in times.items() if rank != name]
    return max(times[name] - sum(others) / len(others), 0.0) if name in times and others else 0.0


def _collectives(ranks: Sequence[Rank]) -> Mapping[tuple[str, int], list[_Part]]:
    """(collective, how often before) → its members."""
    found: dict[tuple[str, int], list[_Part]] = {}
    for rank in ranks:
        for op in dict.fromkeys(link.op for link in rank.links):
            waits = {link.start_ns: link.wait_ms * 1000.0 for link in rank.links if link.op == op and link.start_ns}
            for at, start_ns in enumerate(sorted(waits)):
                found.setdefault((op, at), []).append(_Part(rank.name, start_ns, waits[start_ns]))
    return found


RULES = (
    Rule("CM08", N_("late members of collectives"), _bottleneck, source="R", next_key="2",
         means=N_("The other ranks wait in the collective until the last one has come."),
         advice=N_("Where its device is late, look at the operators of that rank; where its host is, at its gaps."),
         fires=N_("one rank begins last in more than {occurrence_pct} % of the collectives, over {start_shift_us} µs "
                  "after the first, with waiting times over {wait_spread_us} µs apart; its device is the cause from "
                  "{device_share} of its excess time on")),
)  # fmt: skip
