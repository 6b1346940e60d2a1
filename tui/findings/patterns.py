"""CO09, CO14, CO19: operators that follow each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tui.findings.bounds import axes_of
from tui.findings.commands import collect
from tui.findings.facts import Facts
from tui.findings.op_rows import Mask, OpRows, Rows
from tui.findings.rule import MOST_EVIDENCE, Draft, Limits, Rule
from tui.findings.type_sums import TypeSum, chosen, type_sums
from tui.findings.wording import listed, operators, pct, us, whole
from tui.i18n import N_, _
from tui.model.finding import Evidence

_CONVERSIONS = ("cast", "transdata", "transpose")
_PRODUCERS = ("conv", "matmul", "gemm", "linear", "fullyconnection")
_BETWEEN = ("transdata", "cast", "biasadd", "add", "batchnorm", "bninfer", "reshape")
"""Operators that may stand between a convolution and its activation."""


@dataclass(frozen=True)
class Activation:
    """An activation that has no kernel of its own and shows as a chain of operators."""

    name: str
    chain: tuple[str, ...]
    """Lower-case operator types in order."""
    needs_producer: bool
    """Whether the chain is an activation only behind a convolution or matrix product."""


_ACTIVATIONS = (
    Activation("Mish", ("softplus", "tanh", "mul"), needs_producer=False),
    Activation("Swish", ("sigmoid", "mul"), needs_producer=True),
    Activation("Gelu", ("erf", "add", "mul"), needs_producer=True),
    Activation("Gelu", ("erf", "adds", "mul"), needs_producer=True),
    Activation("Gelu", ("erf", "adds", "muls"), needs_producer=True),
)


def _split_activation(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    found = [(activation, chains) for activation in _ACTIVATIONS if len(chains := _chains(rows, activation))]
    found = [(activation, chains) for activation, chains in found if len(chains) >= limits["times"]]
    if not found:
        return None
    activation, chains = max(found, key=lambda item: rows.sum_us(item[1].ravel()))
    everything = np.unique(np.concatenate([places.ravel() for _activation, places in found]))
    time_us = rows.wall_us(everything)
    arrow = " → ".join(rows.type(int(row)) for row in chains[0])
    text = _("{count} ≥ {limit} × {chain}: {time} = {share} of device time")
    measured = text.format(count=whole(len(chains)), chain=arrow, time=us(rows.sum_us(chains.ravel())),
                           share=pct(rows.share_pct(rows.sum_us(chains.ravel()))), limit=limits.text("times")
                           )  # fmt: skip
    sums = rows.durations_us[chains].sum(axis=1)
    order = chains[np.argsort(-sums, kind="stable")][:MOST_EVIDENCE]
    evidence = [_chain_evidence(rows, chain.tolist()) for chain in order]
    title = _("{name} split into {chain}").format(name=activation.name, chain=arrow)
    total = sum(len(places) for _activation, places in found)
    return Draft(title, measured, time_us, recoverable_us=time_us, evidence=evidence, total=total,
                 command=collect(facts.profile, "--aic-metrics=PipeUtilization"),
                 confidence="likely", why=_("accuracy after replacing it is not known from a profile"))  # fmt: skip


def _chain_evidence(rows: OpRows, chain: Sequence[int]) -> Evidence:
    """A chain under the name of the convolution before it, with the time of each of its operators."""
    producer = _producer(rows, int(chain[0]))
    text = rows.name(producer) if producer is not None else rows.name(int(chain[0]))
    figures = [(f"{rows.type(row).lower()}_us", float(rows.durations_us[row])) for row in chain]
    return rows.run_of(chain, text, *figures)


def _chains(rows: OpRows, activation: Activation) -> Rows:
    """Rows of each occurrence; shape (occurrences, length of the chain)."""
    order, length = rows.in_order, len(activation.chain)
    lowered = [text.lower() for text in rows.types.strings]
    if len(order) < length:
        return np.zeros((0, length), np.intp)
    codes = rows.types.codes[order]
    hits = np.ones(len(order) - length + 1, np.bool_)
    for step, wanted in enumerate(activation.chain):
        matches = np.array([text == wanted for text in lowered], np.bool_)[codes]
        hits &= matches[step : step + len(hits)]
        if step:
            hits &= ~rows.new_lane[step : step + len(hits)]
    starts = np.flatnonzero(hits)
    if activation.needs_producer:
        starts = starts[[_producer(rows, int(order[start])) is not None for start in starts.tolist()]]
    return np.asarray(order[starts[:, None] + np.arange(length)], np.intp)


def _producer(rows: OpRows, row: int) -> int | None:
    """The convolution or matrix product that a row follows, over conversions and biases; None for none."""
    place = int(rows.place[row])
    while place > 0 and not rows.new_lane[place]:
        place -= 1
        name = rows.type(int(rows.in_order[place])).lower()
        if any(word in name for word in _PRODUCERS):
            return int(rows.in_order[place])
        if name not in _BETWEEN:
            return None
    return None


def _is_conversion(op_type: str) -> bool:
    return any(word in op_type.lower() for word in _CONVERSIONS)


def _conversions_of_types(sums: list[TypeSum], limits: Limits) -> Draft | None:
    """The same by the statistics of types."""
    mine, time_us, share = chosen(sums, lambda entry: _is_conversion(entry.name))
    if not mine or share < limits["device_pct"]:
        return None
    names = listed([entry.name for entry in mine])
    measured = _("{types}, {time} = {share} of device time ≥ {limit} %").format(
        types=names, time=us(time_us), share=pct(share), limit=limits.text("device_pct")
    )
    return Draft(_("{types}: {share} of device time").format(types=names, share=pct(share)), measured, time_us,
                 recoverable_us=time_us, evidence=[entry.evidence for entry in mine], confidence="likely",
                 why=_("some conversions are needed whatever the model does"))  # fmt: skip


def _conversions(facts: Facts, limits: Limits) -> Draft | None:
    sums = type_sums(facts)
    if sums:
        return _conversions_of_types(sums, limits)
    rows = facts.op_rows
    mine = rows.computing & rows.where(rows.types, _is_conversion)
    time_us = rows.sum_us(mine)
    share = rows.share_pct(time_us)
    if not mine.any() or share < limits["device_pct"]:
        return None
    types = [rows.types.strings[int(code)] for code in np.unique(rows.types.codes[mine]).tolist()]
    title = _("{types}: {share} of device time").format(types=listed(types), share=pct(share))
    measured = _("{operators}, {time} = {share} of device time ≥ {limit} %").format(
        operators=operators(int(mine.sum())), time=us(time_us), share=pct(share), limit=limits.text("device_pct")
    )
    wall = rows.wall_us(mine)
    return Draft(title, measured, wall, recoverable_us=wall, evidence=list(_pairs(rows, mine)), total=int(mine.sum()),
                 confidence="likely", why=_("some conversions are needed whatever the model does"))  # fmt: skip


def _pairs(rows: OpRows, mine: Mask) -> Iterator[Evidence]:
    """The longest conversions with the operators before and after them."""
    for row in rows.longest(mine):
        place = int(rows.place[row])
        if place < 0:
            yield rows.evidence(row)
            continue
        before = place > 0 and not rows.new_lane[place]
        after = place + 1 < len(rows.in_order) and not rows.new_lane[place + 1]
        yield rows.evidence(
            row,
            ("producer", rows.name(int(rows.in_order[place - 1])) if before else ""),
            ("consumer", rows.name(int(rows.in_order[place + 1])) if after else ""),
        )


def _attention(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    mine = rows.where(rows.types, lambda text: text.lower().startswith("flashattentionscore"))
    if not mine.any():
        return None
    shapes = rows.text("input_shapes", _("no input shapes"), "--task-time=l1")
    odd = mine & rows.where(shapes, lambda text: _odd_attention(text, int(limits["axis"])))
    full = {name: mine & _at_least(rows, name, limits[f"{name}_ratio"]) for name in ("mte2", "vec", "fixpipe")}
    grad = rows.where(rows.types, lambda text: text.lower().endswith("grad"))
    full["fixpipe"] = full["fixpipe"] & grad
    found = odd | full["mte2"] | full["vec"] | full["fixpipe"]
    if not found.any():
        return None
    parts = [(_("axis no multiple of {axis}").format(axis=limits.text("axis")), odd)]
    parts += [(f"{name} ≥ {limits.text(f'{name}_ratio')}", hits) for name, hits in full.items()]
    measured = ", ".join(f"{name}: {int(hits.sum())}" for name, hits in parts if hits.any())
    title = _("attention with an unfriendly shape or bound: {operators}").format(operators=operators(int(found.sum())))
    recoverable = rows.wall_us(odd) if odd.any() else None
    return Draft(title, measured, severity="low", recoverable_us=recoverable, evidence=rows.of_longest(found),
                 total=int(found.sum()), confidence="hint", why=_("the layout of the tensors is told by their rank")
                 )  # fmt: skip


def _at_least(rows: OpRows, pipe: str, limit: float) -> Mask:
    values = rows.pipe(pipe)
    return np.zeros(rows.table.row_count, np.bool_) if values is None else values >= limit


def _odd_attention(shapes: str, multiple: int) -> bool:
    """Whether head dimension or sequence of the query is no multiple: the last two axes, of three axes the last two."""
    tensors = axes_of(shapes)
    query = tensors[0] if tensors else []
    return len(query) > 2 and any(axis % multiple for axis in query[-2:])


RULES = (
    Rule("CO09", N_("attention operators"), _attention, source="A", next_key="3",
         means=N_("The kernel works in blocks of that size and pads what does not fit."),
         advice=N_("Pad the head dimension or the sequence."),
         fires=N_("FlashAttentionScore(Grad): an axis that is no multiple of {axis}, mte2 ≥ {mte2_ratio}, vec ≥ "
                  "{vec_ratio}, of Grad fixpipe ≥ {fixpipe_ratio}")),
    Rule("CO14", N_("layout and type conversions"), _conversions, source="D, N", next_key="3",
         means=N_("Operators of different formats or types follow each other."),
         advice=N_("Align formats at the border of the model, and drop casts that undo each other."),
         fires=N_("Cast, TransData and Transpose take at least {device_pct} % of device time")),
    Rule("CO19", N_("split activations"), _split_activation, source="S, N", next_key="exclamation_mark",
         means=N_("The activation has no kernel of its own and becomes several passes over memory."),
         advice=N_("Replace it by a native one (ReLU, Leaky ReLU, PReLU, ELU, SReLU), then measure again and check the "
                   "accuracy."),
         fires=N_("Softplus → Tanh → Mul, or Sigmoid → Mul or Erf → Add → Mul behind a convolution or matrix product, "
                  "at "
                  "least {times} times")),
)  # fmt: skip
