"""CM: communication between devices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import listed, pct, us, whole
from tui.i18n import N_, _
from tui.model.finding import Evidence, LinkUse, Rank, Severity
from tui.model.intervals import covered_ns, merged
from tui.model.table import MISSING_NS

_PARTS = ("computing", "communication_not_overlapped", "free")
_KINDS = ("sdma", "rdma")


def _links(facts: Facts) -> Sequence[LinkUse]:
    """What collectives moved over which links.

    Raises:
        InputMissing: that was not collected.
    """
    if not facts.links:
        raise InputMissing(_("no communication.json"), "msprof --analyze=on --rule=communication")
    return facts.links


def _small_packets(facts: Facts, limits: Limits) -> Draft | None:
    found: list[tuple[str, float, float]] = []
    for kind in _KINDS:
        packets = [size for link in _links(facts) if link.transport == kind.upper() for size in link.sizes]
        total = sum(count for _size, count, _time in packets)
        small = sum(count for size, count, _time in packets if size < limits[f"{kind}_mb"])
        if total and 100.0 * small / total > limits["small_pct"]:
            found.append((kind, 100.0 * small / total, total))
    if not found:
        return None
    kind, share, total = found[0]
    title = _("{kind} moves small packets: {share}").format(kind=kind.upper(), share=pct(share))
    text = _("{share} of {total} transfers are below {size} MB > {limit} %")
    measured = text.format(share=pct(share), total=whole(total), size=limits.text(f"{kind}_mb"),
                           limit=limits.text("small_pct"))  # fmt: skip
    evidence = [Evidence(name.upper(), (("small_pct", part), ("count", count))) for name, part, count in found]
    return Draft(title, measured, severity="low", evidence=evidence, confidence="likely",
                 why=_("what merging them would save is not known from a profile"))  # fmt: skip


def _misaligned(facts: Facts, limits: Limits) -> Draft | None:
    """Sizes in MB of 10⁶ bytes with six decimals are exact in bytes."""
    packets = [(round(size_mb * 1e6), count, time_ms) for size_mb, count, time_ms in _sdma_packets(facts)]
    odd = [packet for packet in packets if packet[0] > limits["align_bytes"] and packet[0] % limits["align_bytes"]]
    if not odd:
        return None
    all_ms, odd_ms = (sum(time_ms for _size, _count, time_ms in part) for part in (packets, odd))
    share = 100.0 * odd_ms / all_ms if all_ms else 0.0
    severity: Severity = "high" if share >= limits["high_pct"] else "medium" if share >= limits["medium_pct"] else "low"
    odd.sort(key=lambda packet: -packet[2])
    title = _("{count} transfers are not aligned, {share} of the time of transfers").format(
        count=whole(sum(count for _size, count, _time in odd)), share=pct(share)
    )
    measured = _("{size} B is no multiple of {limit} B; {time} of {all} in such transfers").format(
        size=whole(odd[0][0]), limit=limits.text("align_bytes"), time=us(odd_ms * 1e3), all=us(all_ms * 1e3)
    )
    evidence = [Evidence(f"{whole(size)} B", (("time_ms", time_ms), ("count", count))) for size, count, time_ms in odd]
    return Draft(title, measured, severity=severity, evidence=evidence[:20], total=len(odd), confidence="likely",
                 why=_("what aligning them would save is not known from a profile"))  # fmt: skip


def _sdma_packets(facts: Facts) -> list[tuple[float, float, float]]:
    """Size in MB, number and time in ms of what was moved by SDMA: as its sum tells it, else by its links.

    Raises:
        InputMissing: sizes of packets were not collected, or nothing went over SDMA.
    """
    for kinds in (("SDMA",), ("HCCS", "PCIE", "SIO")):
        packets = [size for link in _links(facts) if link.transport in kinds for size in link.sizes]
        if packets:
            return packets
    raise InputMissing(_("no sizes of packets over SDMA (Size Distribution of communication.json)"))


def _contention(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    slow = {link.op: link.bandwidth_gb_s for link in _links(facts)
            if link.transport == "SDMA" and 0 < link.bandwidth_gb_s < limits["bandwidth_gb_s"]}  # fmt: skip
    starts, names = rows.table.time("start_ns"), rows.table.text("op_name")
    if starts is None or names is None:
        raise InputMissing(_("operators have no start times"))
    known = starts != MISSING_NS
    cube = known & rows.where(rows.types, lambda text: "matmul" in text.lower())
    moving = np.flatnonzero(known & ~rows.computing & rows.where(names, lambda name: name.partition("@")[0] in slow))
    ends = starts + np.rint(rows.durations_us * 1000.0).astype(np.int64)
    beside_us = covered_ns(merged(starts[cube], ends[cube]), starts[moving], ends[moving]) / 1000.0
    hit = moving[beside_us > 0]
    if not len(hit):
        return None
    worst = rows.longest(hit, 1)[0]
    bandwidth = slow[rows.name(worst).partition("@")[0]]
    title = _("{count} collectives share the memory with MatMul").format(count=whole(len(hit)))
    text = _("{name}: {bandwidth} GB/s < {limit} while MatMul runs, {time} side by side in all")
    measured = text.format(name=rows.name(worst), bandwidth=f"{bandwidth:.1f}", time=us(float(beside_us.sum())),
                           limit=limits.text("bandwidth_gb_s"))  # fmt: skip
    return Draft(title, measured, severity="low", recoverable_us=rows.wall_us(hit), evidence=rows.of_longest(hit),
                 total=len(hit), confidence="hint", why=_("a slow link looks the same"))  # fmt: skip


def _retransmission(facts: Facts, limits: Limits) -> Draft | None:
    by_op: dict[str, list[LinkUse]] = {}
    for link in [link for rank in facts.ranks for link in rank.links] or _links(facts):
        if link.transport == "RDMA" and link.size_mb > 0:
            by_op.setdefault(link.op, []).append(link)
    if not by_op:
        raise InputMissing(_("nothing went over RDMA"))
    slow = [
        (op, uses) for op, uses in by_op.items()
        if min(use.elapse_ms for use in uses) >= limits["elapsed_ms"]
        and max(use.time_ms for use in uses) > limits["elapsed_ms"]
    ]  # fmt: skip
    if not slow:
        return None
    op, uses = max(slow, key=lambda entry: max(use.time_ms for use in entry[1]))
    longest_ms = max(use.time_ms for use in uses)
    title = _("{count} collectives took seconds over RDMA").format(count=whole(len(slow)))
    measured = _("{name}: every member ≥ {limit} ms, transfer {time}").format(
        name=op, limit=limits.text("elapsed_ms"), time=us(longest_ms * 1000.0)
    )
    evidence = [Evidence(name, (("time_ms", max(use.time_ms for use in members)),)) for name, members in slow]
    return Draft(title, measured, severity="high", recoverable_us=longest_ms * 1000.0, evidence=evidence[:20],
                 total=len(slow))  # fmt: skip


def _several(ranks: Sequence[Rank]) -> Sequence[Rank]:
    """Ranks to compare.

    Raises:
        InputMissing: there are fewer than two.
    """
    if len(ranks) < 2:
        raise InputMissing(_("fewer than two ranks at the path: open the folder above them"))
    return ranks


def _slow_rank(facts: Facts, limits: Limits) -> Draft | None:
    ranks = [rank for rank in _several(facts.ranks) if rank.step_times]
    if len(ranks) < 2:
        raise InputMissing(_("no step_trace_time of two ranks"))
    mean_us = float(np.mean([sum(rank.step_times.values()) for rank in ranks]))
    spreads = {part: [rank.step_times.get(part, 0.0) for rank in ranks] for part in _PARTS}
    part = max(spreads, key=lambda key: max(spreads[key]) - min(spreads[key]))
    spread_us = max(spreads[part]) - min(spreads[part])
    share = 100.0 * spread_us / mean_us if mean_us else 0.0
    if share <= limits["differ_pct"]:
        return None
    slowest = ranks[int(np.argmax(spreads[part]))]
    title = _("ranks differ in {part} by {share}").format(part=_(PART_WORDS[part]), share=pct(share))
    text = _("{rank}: {most} against {least} = {share} of a step > {limit} %")
    measured = text.format(rank=slowest.name, most=us(max(spreads[part])), least=us(min(spreads[part])),
                           share=pct(share), limit=limits.text("differ_pct"))  # fmt: skip
    evidence = [Evidence(rank.name, tuple((f"{key}_us", rank.step_times.get(key, 0.0)) for key in _PARTS))
                for rank in sorted(ranks, key=lambda rank: -rank.step_times.get(part, 0.0))]  # fmt: skip
    return Draft(title, measured, spread_us, mean_us, recoverable_us=spread_us, evidence=evidence[:20],
                 total=len(ranks))  # fmt: skip


PART_WORDS = {
    "computing": N_("computing"),
    "communication_not_overlapped": N_("communication, not overlapped"),
    "free": N_("free"),
}
"""Parts of a step as shown (message ids)."""


def _slow_link(facts: Facts, limits: Limits) -> Draft | None:
    worst: tuple[float, str, list[tuple[str, float]]] | None = None
    ranks = _several(facts.ranks)
    for kind in ("SDMA", "RDMA", "HCCS"):
        speeds = [(rank.name, speed) for rank in ranks if (speed := _speed(rank, kind)) > 0]
        if len(speeds) < 2:
            continue
        values = [speed for _name, speed in speeds]
        spread = 100.0 * (max(values) - min(values)) / float(np.mean(values))
        if worst is None or spread > worst[0]:
            worst = spread, kind, sorted(speeds, key=lambda entry: entry[1])
    if worst is None:
        raise InputMissing(
            _("no bandwidth of two ranks (communication.json)"), "msprof --analyze=on --rule=communication"
        )
    spread, kind, speeds = worst
    if spread < limits["differ_pct"]:
        return None
    title = _("{kind} of {rank} is slower than that of the other ranks").format(kind=kind, rank=speeds[0][0])
    measured = _("{least} to {most} GB/s: {share} of the mean ≥ {limit} %").format(
        least=f"{speeds[0][1]:.1f}", most=f"{speeds[-1][1]:.1f}", share=pct(spread), limit=limits.text("differ_pct")
    )
    slow_us = _excess_us(ranks, kind, speeds)
    return Draft(title, measured, slow_us, recoverable_us=slow_us,
                 evidence=[Evidence(name, (("bandwidth_gb_s", speed),)) for name, speed in speeds[:20]],
                 total=len(speeds), confidence="likely", why=_("the pattern of the transfers also sets the speed")
                 )  # fmt: skip


def _speed(rank: Rank, kind: str) -> float:
    """GB/s of all transfers of a kind together; 0 when there were none."""
    uses = [link for link in rank.links if link.transport == kind]
    time_ms = sum(link.time_ms for link in uses)
    return sum(link.size_mb for link in uses) / time_ms if time_ms > 0 else 0.0


def _excess_us(ranks: Sequence[Rank], kind: str, speeds: list[tuple[str, float]]) -> float:
    """What the slowest rank would save at the speed of the fastest."""
    slowest = next(rank for rank in ranks if rank.name == speeds[0][0])
    time_us = sum(link.time_ms for link in slowest.links if link.transport == kind) * 1000.0
    return time_us * (1.0 - speeds[0][1] / speeds[-1][1])


def _uncovered(facts: Facts, limits: Limits) -> Draft | None:
    times = [time for time in facts.times if time.span_ns]
    if not any(time.communication_ns for time in times) and not _communicates(facts):
        raise InputMissing(_("nothing was communicated"))
    worst = max(times, key=lambda time: time.communication_ns / time.span_ns)
    share = 100.0 * worst.communication_ns / worst.span_ns
    if share < limits["span_pct"]:
        return None
    alone_us = worst.communication_ns / 1000.0
    title = _("communication that no computing covers takes {share}").format(share=pct(share))
    measured = _("{time} of {all} = {share} ≥ {limit} %").format(
        time=us(alone_us), all=us(worst.span_ns / 1e3), share=pct(share), limit=limits.text("span_pct")
    )
    return Draft(title, measured, alone_us, recoverable_us=alone_us, evidence=_collectives(facts, worst.device),
                 confidence="likely", why=_("part of it is waiting for other ranks"))  # fmt: skip


def _communicates(facts: Facts) -> bool:
    try:
        return bool((~facts.op_rows.computing).any())
    except InputMissing:
        return bool(facts.links)


def _collectives(facts: Facts, device: str) -> list[Evidence]:
    try:
        rows = facts.op_rows
    except InputMissing:
        return [Evidence(listed([_("device {name}").format(name=device or "0")]), device=device)]
    return rows.of_longest(~rows.computing)


RULES = (
    Rule("CM01", N_("size of packets"), _small_packets, source="A",
         means=N_("Small packets do not reach the bandwidth of the link."),
         advice=N_("Bucket messages, take a larger batch or accumulate gradients, or lower the ZeRO stage."),
         fires=N_("more than {small_pct} % of the transfers are below {sdma_mb} MB (SDMA) or {rdma_mb} MB (RDMA)")),
    Rule("CM02", N_("contention for memory"), _contention, source="A", next_key="t",
         means=N_("Computing and copying fight for the bandwidth of the memory."),
         advice=N_("Measure with the overlap off; what is faster stays."),
         fires=N_("a collective beside MatMul moves less than {bandwidth_gb_s} GB/s over SDMA (0.8 × 18)")),
    Rule("CM03", N_("alignment of transfers"), _misaligned, source="A",
         means=N_("Transfers of odd sizes do not reach the bandwidth of the link."),
         advice=N_("Pad tensors or buckets so that each transfer is a multiple of it."),
         fires=N_("a transfer over SDMA above {align_bytes} B is no multiple of that; High from {high_pct} % of the "
                  "time of transfers on, Medium from {medium_pct} %")),
    Rule("CM04", N_("retransmission"), _retransmission, source="A",
         means=N_("Packets were lost and sent again after a timeout."),
         advice=N_("Check switch and NIC configuration."),
         fires=N_("every member of an RDMA collective takes at least {elapsed_ms} ms, and a transfer more")),
    Rule("CM05", N_("slow rank"), _slow_rank, source="A", next_key="2",
         means=N_("The others wait for the slowest rank in every collective."),
         advice=N_("Look at that rank alone: its data, its host, its clock."),
         fires=N_("(largest − smallest) ÷ mean step above {differ_pct} % in computing, communication or free time")),
    Rule("CM06", N_("slow link"), _slow_link, source="A",
         means=N_("One link or its configuration is slower than its like."),
         advice=N_("Compare the topology and the errors of that link with those of the others."),
         fires=N_("(largest − smallest) ÷ mean bandwidth of the ranks at least {differ_pct} %")),
    Rule("CM09", N_("communication not covered"), _uncovered, source="D, N", next_key="t",
         means=N_("The device waits for transfers instead of computing meanwhile."),
         advice=N_("Overlap more: smaller buckets earlier, another order, or a fused operator."),
         fires=N_("communication not overlapped takes at least {span_pct} % of computing + communication + free")),
)  # fmt: skip
