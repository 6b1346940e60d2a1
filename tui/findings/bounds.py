"""CO07, CO08, CO10, CO15, CO16, CO21: what bounds the operators."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tui.findings.commands import tune
from tui.findings.cores import runs_static
from tui.findings.facts import Facts
from tui.findings.op_rows import Mask, Numbers, OpRows
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import operators, pct, us, whole
from tui.i18n import N_, _
from tui.model import ops

_CONFLICT = re.compile(r"(?:ai[cv]_)?(?:vec_bank\w*_cflt_ratio|vec_resc_cflt_ratio|icache_miss_rate)")


def _no_pipe_full(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    runs_static(facts)
    rows.pipes(*ops.PIPES)
    _pipe, best = ops.leading_pipes(rows.table)
    mine = rows.computing & (best > 0) & ~(best > limits["ratio"]) & (rows.durations_us > limits["dur_us"])
    if not mine.any():
        return None
    room_us = float((rows.durations_us * (1.0 - np.nan_to_num(best) / limits["ratio"]))[mine].sum())
    count, first = int(mine.sum()), rows.longest(mine, 1)[0]
    title = _("no unit of the core is full: {operators}").format(operators=operators(count))
    text = _("no ratio above {ratio} in {operators} above {time} µs; {name}: {best}")
    measured = text.format(operators=operators(count), time=limits.text("dur_us"), ratio=limits.text("ratio"),
                           name=rows.name(first), best=f"{float(best[first]):.2f}")  # fmt: skip
    return Draft(title, measured, severity="low", recoverable_us=_capped(rows, room_us, mine),
                 evidence=rows.of_longest(mine, ("bound_ratio", best)), total=count, command=tune(facts.profile, 2),
                 confidence="likely", why=_("not every shape can fill a unit"))  # fmt: skip


def _capped(rows: OpRows, time_us: float, mine: Mask) -> float:
    """No more than the rows themselves take."""
    return max(0.0, min(time_us, rows.wall_us(mine)))


_TYPE_BYTES = {"DOUBLE": 8, "INT64": 8, "UINT64": 8, "COMPLEX64": 8, "FLOAT16": 2, "DT_BF16": 2, "BF16": 2, "INT16": 2,
               "UINT16": 2, "INT8": 1, "UINT8": 1, "BOOL": 1, "FLOAT": 4, "INT32": 4, "UINT32": 4}  # fmt: skip


def _large_matmul(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    cube = rows.of_class("cube") & rows.where(rows.types, lambda text: "matmul" in text.lower())
    shapes = rows.text("input_shapes", _("no input shapes"), "--task-time=l1")
    types = rows.table.text("input_data_types")
    outputs = rows.table.text("output_shapes")
    size = _sizes_mb(shapes.codes, shapes.strings, types)
    if outputs is not None:
        size = size + _sizes_mb(outputs.codes, outputs.strings, rows.table.text("output_data_types"))
    large = cube & (size >= limits["tensors_mb"])
    if not large.any():
        return None
    pipes = rows.pipes("mac", "mte2")
    odd = rows.where(shapes, lambda text: _has_odd_axis(text, int(limits["axis"])))
    filled = np.fmax(pipes["mac"] / limits["mac_ratio"], pipes["mte2"] / limits["mte2_ratio"])
    waits = large & (odd | (pipes["mac"] < limits["mac_ratio"]))
    if not waits.any():
        return None
    room_us = float((rows.durations_us * np.clip(1.0 - np.nan_to_num(filled), 0.0, 1.0))[waits].sum())
    first = rows.longest(waits, 1)[0]
    text = _("MatMul with tensors ≥ {size} MB: {operators}; {name}: {why}, mac {mac}, mte2 {mte2}")
    why = _("inner axis no multiple of {axis}").format(axis=limits.text("axis")) if odd[first] else _("shape fits")
    measured = text.format(operators=operators(int(waits.sum())), size=limits.text("tensors_mb"), name=rows.name(first),
                           why=why, mac=_ratio(pipes["mac"][first]), mte2=_ratio(pipes["mte2"][first]))  # fmt: skip
    title = _("room in large MatMul: {operators}").format(operators=operators(int(waits.sum())))
    columns = (("mac_ratio", pipes["mac"]), ("mte2_ratio", pipes["mte2"]))
    return Draft(title, measured, severity="low", recoverable_us=_capped(rows, room_us, waits),
                 evidence=rows.of_longest(waits, *columns), total=int(waits.sum()), command=tune(facts.profile, 2),
                 confidence="likely", why=_("ratios of one unit say little about what is reachable"))  # fmt: skip


def _ratio(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.2f}"


def _sizes_mb(codes: NDArray[np.int32], strings: object, types: object) -> Numbers:
    """Size of the tensors of each row; types that are not known count four bytes."""
    from tui.model.table import TextColumn

    shapes = list(strings)  # type: ignore[call-overload]
    elements = [_elements(text) for text in shapes]
    if not isinstance(types, TextColumn):
        return np.array([sum(sizes) * 4 / 1e6 for sizes in elements], np.float64)[codes]
    count = len(types.strings)
    pairs, place = np.unique(codes.astype(np.int64) * count + types.codes, return_inverse=True)
    sizes = np.array(
        [_size_mb(elements[int(pair // count)], types.strings[int(pair % count)]) for pair in pairs.tolist()]
    )
    return sizes[place.reshape(-1)] if len(pairs) else np.zeros(len(codes))


def _size_mb(elements: list[int], types: str) -> float:
    names = types.strip('"').split(";")
    widths = [_TYPE_BYTES.get(names[k].strip().upper(), 4) if k < len(names) else 4 for k in range(len(elements))]
    return sum(number * width for number, width in zip(elements, widths)) / 1e6


def _elements(shapes: str) -> list[int]:
    return [int(np.prod(axes, dtype=np.float64)) if axes else 0 for axes in axes_of(shapes)]


def axes_of(shapes: str) -> list[list[int]]:
    """Axes of each tensor of a cell such as `1,3,224,224;64`; what is no number is left out."""
    tensors = shapes.strip().strip('"').split(";")
    return [[int(axis) for axis in tensor.split(",") if axis.strip().isdecimal()] for tensor in tensors]


def _has_odd_axis(shapes: str, multiple: int) -> bool:
    """Whether the inner axis of one of the two factors is no multiple."""
    return any(axes[-1] % multiple for axes in axes_of(shapes)[:2] if len(axes) > 1)


def _vector_types(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    vector = rows.where(rows.task_types, lambda text: text.strip().upper() in ("AI_VECTOR_CORE", "MIX_AIV"))
    if not vector.any():
        raise InputMissing(_("no operators of the vector cores (this chip has none, or none ran)"))
    pipes = rows.pipes("vec", "mte2", "mte3")
    type_us = np.bincount(rows.types.codes[vector], rows.durations_us[vector], len(rows.types.strings))
    large = (type_us >= limits["total_us"]) | (type_us * 100.0 >= limits["device_pct"] * rows.device_us)
    mine = vector & large[rows.types.codes]
    vec, mte2, mte3 = (np.nan_to_num(pipes[name]) for name in ("vec", "mte2", "mte3"))
    overlapped = (vec + mte2 + mte3 >= limits["sum_ratio"]) & (np.fmax(mte2, mte3) < limits["pipe_ratio"])
    fine = overlapped | ((vec >= limits["pipe_ratio"]) & (np.fmax(mte2, mte3) < limits["pipe_ratio"]))
    known = np.isfinite(pipes["vec"]) | np.isfinite(pipes["mte2"]) | np.isfinite(pipes["mte3"])
    found = mine & known & ~fine
    if not found.any():
        return None
    moving = found & (np.fmax(mte2, mte3) >= limits["pipe_ratio"])
    time_us = rows.wall_us(found)
    title = _("vector operators move data or wait: {time}").format(time=us(rows.sum_us(found)))
    text = _("{operators}: {moving} with mte2 or mte3 ≥ {ratio}, {room} with no unit at {ratio}")
    measured = text.format(operators=operators(int(found.sum())), moving=whole(int(moving.sum())),
                           ratio=limits.text("pipe_ratio"), room=whole(int((found & ~moving).sum())))  # fmt: skip
    return Draft(title, measured, severity="low", recoverable_us=time_us, evidence=rows.of_types(found),
                 total=len(np.unique(rows.types.codes[found])), confidence="likely",
                 why=_("how much of a chain can be fused is not known from a profile"))  # fmt: skip


def _memory_bound(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    bound = rows.table.number("memory_bound")
    pipes = rows.pipes("mac", "vec", "mte2")
    compute = np.fmax(pipes["mac"], pipes["vec"])
    if bound is None or not np.isfinite(bound).any():
        positive = compute > 0
        bound = np.where(positive, pipes["mte2"] / np.where(positive, compute, 1.0), np.nan)
    mine = rows.computing & (bound > limits["memory_bound"]) & (rows.type_share_pct >= limits["device_pct"])
    if not mine.any():
        return None
    waiting = np.clip(1.0 - 1.0 / np.where(bound > 1.0, bound, 1.0), 0.0, 1.0)
    lost_us = float((rows.durations_us * waiting)[mine].sum())
    first = rows.longest(mine, 1)[0]
    title = _("waiting for memory: {operators}, {time}").format(
        operators=operators(int(mine.sum())), time=us(rows.sum_us(mine))
    )
    text = _("memory_bound > {limit} in {operators} of types with ≥ {share} % of device time; {name}: {bound}")
    count = int(mine.sum())
    measured = text.format(limit=limits.text("memory_bound"), operators=operators(count), name=rows.name(first),
                           share=limits.text("device_pct"), bound=f"{float(bound[first]):.2f}")  # fmt: skip
    return Draft(title, measured, rows.wall_us(mine), recoverable_us=_capped(rows, lost_us, mine),
                 evidence=rows.of_longest(mine, ("memory_bound", bound)), total=int(mine.sum()),
                 confidence="likely", why=_("units run side by side, so ratios only hint at waits"))  # fmt: skip


def _small_cube(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    used = rows.table.number("cube_utilization_pct")
    if used is None or not np.isfinite(used).any():
        raise InputMissing(_("no cube_utilization column (split chips only)"), "--aic-metrics=PipeUtilization")
    cube = rows.where(rows.task_types, lambda text: text.strip().upper() in ("AI_CORE", "MIX_AIC"))
    mine = cube & (used < limits["cube_pct"]) & (used > 0) & (rows.type_share_pct >= limits["device_pct"])
    if not mine.any():
        return None
    lost_us = float((rows.durations_us * (1.0 - np.nan_to_num(used) / 100.0))[mine].sum())
    first = rows.longest(mine, 1)[0]
    title = _("the cube is hardly used: {operators}").format(operators=operators(int(mine.sum())))
    text = _("cube_utilization < {limit} % in {operators}; {name}: {used}")
    measured = text.format(limit=limits.text("cube_pct"), operators=operators(int(mine.sum())), name=rows.name(first),
                           used=pct(float(used[first])))  # fmt: skip
    return Draft(title, measured, rows.wall_us(mine), recoverable_us=_capped(rows, lost_us, mine),
                 evidence=rows.of_longest(mine, ("cube_utilization_pct", used)), total=int(mine.sum()),
                 confidence="likely", why=_("small shapes cannot fill the cube"))  # fmt: skip


def _conflicts(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    columns = [(key, values) for key, values in rows.columns_like(_CONFLICT) if np.isfinite(values).any()]
    if not columns:
        raise InputMissing(_("no conflict or miss ratios"), "--aic-metrics=ResourceConflictRatio")
    worst = columns[0][1]
    for _key, values in columns[1:]:
        worst = np.fmax(worst, values)
    mine = rows.computing & (worst > limits["ratio"]) & (rows.type_share_pct >= limits["device_pct"])
    if not mine.any():
        return None
    lost_us = float((rows.durations_us * np.clip(np.nan_to_num(worst), 0, 1))[mine].sum())
    first = rows.longest(mine, 1)[0]
    key = max(columns, key=lambda column: float(np.nan_to_num(column[1])[first]))[0]
    title = _("conflicts inside the kernel: {operators}").format(operators=operators(int(mine.sum())))
    text = _("{name}: {key} {value} > {limit}; {operators} of types with ≥ {share} % of device time")
    measured = text.format(name=rows.name(first), key=key, value=f"{float(worst[first]):.2f}",
                           limit=limits.text("ratio"), operators=operators(int(mine.sum())),
                           share=limits.text("device_pct"))  # fmt: skip
    return Draft(title, measured, severity="low", recoverable_us=_capped(rows, lost_us, mine),
                 evidence=rows.of_longest(mine, *columns[:3]), total=int(mine.sum()), confidence="hint",
                 why=_("a first call also misses the instruction cache"))  # fmt: skip


RULES = (
    Rule("CO07", N_("no unit is full"), _no_pipe_full, source="A", next_key="exclamation_mark",
         means=N_("The units wait for each other: a matter of tiling."),
         advice=N_("Let aoe tune these operators; double buffering or more cores may help in own kernels."),
         fires=N_("some ratio is above 0, none above {ratio}, and the operator takes more than {dur_us} µs; not with "
                  "CO05")),
    Rule("CO08", N_("large MatMul"), _large_matmul, source="A", next_key="3",
         means=N_("The shape or the memory keeps the cube from its full speed."),
         advice=N_("Pad or re-partition an unfriendly axis; reuse weights or take a larger batch when memory bounds "
                   "it."),
         fires=N_("tensors of at least {tensors_mb} MB, and an inner axis that is no multiple of {axis} or mac below "
                  "{mac_ratio}; room is what mac lacks of {mac_ratio} and mte2 of {mte2_ratio}")),
    Rule("CO10", N_("vector operators"), _vector_types, source="A", next_key="3",
         means=N_("Element-wise chains pass the same data through memory again and again."),
         advice=N_("Fuse the chain, so that data pass through memory once."),
         fires=N_("a type on the vector cores with at least {device_pct} % of device time or {total_us} µs whose mte2 "
                  "or "
                  "mte3 reaches {pipe_ratio}, or no unit does; fine is vec ≥ {pipe_ratio} or a sum ≥ {sum_ratio}")),
    Rule("CO15", N_("memory bound"), _memory_bound, source="D", next_key="3",
         means=N_("The core waits for memory rather than for its own units."),
         advice=N_("Fuse with its neighbours, use a better format, or make the tiles reuse data on the chip."),
         fires=N_("mte2 ÷ max(mac, vec) above {memory_bound}, and the type has at least {device_pct} % of device "
                  "time")),
    Rule("CO16", N_("use of the cube"), _small_cube, source="N", next_key="3",
         means=N_("The shape is too small for the cube unit."),
         advice=N_("Batch several of them, or merge the small axes."),
         fires=N_("cube_utilization below {cube_pct} % on cube operators of types with at least {device_pct} % of "
                  "device "
                  "time")),
    Rule("CO21", N_("conflicts in the kernel"), _conflicts, source="D, N", next_key="3",
         means=N_("Accesses to the same bank or unit, or an instruction cache that is too small."),
         advice=N_("For authors of the kernel: change strides and schedule."),
         fires=N_("a conflict or miss ratio above {ratio} on operators of types with at least {device_pct} % of device "
                  "time")),
)  # fmt: skip
