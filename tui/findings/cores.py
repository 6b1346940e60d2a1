"""CO01 to CO06, CO13: operators on the wrong core, or on too few."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tui.findings.commands import tune
from tui.findings.facts import Facts
from tui.findings.op_rows import Mask, Numbers, OpRows
from tui.findings.rule import Draft, InputMissing, Limits, Rule, never
from tui.findings.type_sums import TypeSum, chosen, type_sums
from tui.findings.wording import listed, operators, pct, us, whole
from tui.i18n import N_, _
from tui.model import ops
from tui.model.text import is_missing

_COLLECTIVE = re.compile(r"aicpukernel", re.IGNORECASE)
_DOUBLE = re.compile(r"\b(?:DT_)?DOUBLE\b|\bFLOAT64\b", re.IGNORECASE)
_INDEXING = ("index", "indexput", "indexputv2", "nonzero", "argmin")


def _ai_cpu_rows(rows: OpRows) -> Mask:
    """AI CPU operators of the model; helper kernels of collectives are none."""
    return rows.of_class("aicpu") & ~rows.name_matches(_COLLECTIVE)


def _ai_cpu_of_types(sums: list[TypeSum], limits: Limits) -> Draft | None:
    """The same by the statistics of types."""
    mine, time_us, _share = chosen(sums, lambda entry: ops.class_of(entry.core) == "aicpu")
    longest = max(mine, key=lambda entry: entry.longest_us, default=None)
    if longest is None or longest.longest_us < limits["dur_us"]:
        return None
    text = _("the longest {name} {longest} ≥ {limit} µs; all of them {time}")
    measured = text.format(name=longest.name, longest=us(longest.longest_us), limit=limits.text("dur_us"),
                           time=us(time_us))  # fmt: skip
    title = _("on AI CPU: {operators}").format(operators=listed([entry.name for entry in mine]))
    return Draft(title, measured, time_us, recoverable_us=time_us, evidence=[entry.evidence for entry in mine])


def _ai_cpu(facts: Facts, limits: Limits) -> Draft | None:
    sums = type_sums(facts)
    if sums:
        return _ai_cpu_of_types(sums, limits)
    rows = facts.op_rows
    mine = _ai_cpu_rows(rows)
    if not mine.any() or rows.durations_us[mine].max() < limits["dur_us"]:
        return None
    first = rows.longest(mine, 1)[0]
    time_us, count = rows.wall_us(mine), int(mine.sum())
    title = (
        _("{name} runs on AI CPU").format(name=rows.name(first))
        if count == 1
        else _("on AI CPU: {operators}").format(operators=operators(count))
    )
    text = _("the longest {name} {longest} ≥ {limit} µs; all of them {time}")
    measured = text.format(name=rows.name(first), longest=us(float(rows.durations_us[first])),
                           limit=limits.text("dur_us"), time=us(rows.sum_us(mine)))  # fmt: skip
    return Draft(title, measured, time_us, recoverable_us=time_us, evidence=rows.of_longest(mine), total=count)


def _ai_cpu_where(facts: Facts, wanted: Callable[[OpRows], Mask], title: str, measured: str) -> Draft | None:
    rows = facts.op_rows
    mine = _ai_cpu_rows(rows) & wanted(rows)
    if not mine.any():
        return None
    time_us = rows.wall_us(mine)
    count = operators(int(mine.sum()))
    return Draft(title.format(operators=count),
                 measured.format(operators=count, time=us(time_us), types=listed(_types(rows, mine))),
                 time_us, recoverable_us=time_us, evidence=rows.of_longest(mine), total=int(mine.sum()))  # fmt: skip


def _types(rows: OpRows, mine: Mask) -> list[str]:
    return [rows.types.strings[int(code)] for code in np.unique(rows.types.codes[mine]).tolist()]


def _double(facts: Facts, _limits: Limits) -> Draft | None:
    def wanted(rows: OpRows) -> Mask:
        return rows.where(rows.text("input_data_types", _("no data types"), "--task-time=l1"), _DOUBLE.search)

    title = _("double on AI CPU: {operators}")
    return _ai_cpu_where(facts, wanted, title, _("DOUBLE input in {operators} on AI CPU: {types}, {time}"))


def _indexing(facts: Facts, _limits: Limits) -> Draft | None:
    def wanted(rows: OpRows) -> Mask:
        return rows.where(rows.types, lambda text: text.lower() in _INDEXING)

    title = _("indexing on AI CPU: {operators}")
    return _ai_cpu_where(facts, wanted, title, _("{types}: {operators} on AI CPU, {time}"))


def _all_dynamic(rows: OpRows) -> bool:
    """Whether no operator has a static shape.

    Raises:
        InputMissing: the state was not recorded.
    """
    states = rows.text("op_state", _("no OP State column (older than CANN 8.0, or level l0)"), "--task-time=l1")
    known = {state.strip().lower() for state in states.strings if not is_missing(state)}
    return "static" not in known and "dynamic" in known


def _dynamic(facts: Facts, _limits: Limits) -> Draft | None:
    rows = facts.op_rows
    if not _all_dynamic(rows):
        return None
    count = int(rows.computing.sum())
    measured = _("static: 0 of {operators}").format(operators=operators(count))
    title = _("the whole model runs with dynamic shapes")
    return Draft(title, measured, severity="medium", evidence=rows.of_longest(rows.computing)[:5], total=count)


def runs_static(facts: Facts) -> None:
    """For rules that say nothing about dynamic shapes.

    Raises:
        InputMissing: CO05 applies.
    """
    try:
        dynamic = _all_dynamic(facts.op_rows)
    except InputMissing:
        return
    if dynamic:
        raise InputMissing(_("the whole model runs with dynamic shapes (CO05)"))


def _idle_cores(facts: Facts, limits: Limits) -> Draft | None:
    rows = facts.op_rows
    runs_static(facts)
    idle = _idle_share(facts, rows)
    share = rows.durations_us * (100.0 / rows.device_us if rows.device_us else 0.0)
    mine = (idle > 0) & (share >= limits["device_pct"])
    if not mine.any():
        return None
    lost_us = float((rows.durations_us * idle)[mine].sum())
    order = np.flatnonzero(mine)[np.argsort(-(rows.durations_us * idle)[mine], kind="stable")]
    blocks = rows.table.number("block_num")
    first = int(order[0])
    used = float(blocks[first]) if blocks is not None else 0.0
    title = _("idle cores: {operators}").format(operators=operators(int(mine.sum())))
    text = _("Block Num is no multiple of the cores in {operators}; {name}: {blocks}, {idle} idle")
    measured = text.format(operators=operators(int(mine.sum())), name=rows.name(first), blocks=whole(used),
                           idle=pct(100.0 * float(idle[first])))  # fmt: skip
    evidence = [
        rows.evidence(row, ("block_num", float(blocks[row]) if blocks is not None else 0.0),
                      ("idle_pct", 100.0 * float(idle[row])))
        for row in order[:20].tolist()
    ]  # fmt: skip
    return Draft(title, measured, severity="low", recoverable_us=lost_us, evidence=evidence, total=int(mine.sum()),
                 command=tune(facts.profile, 2), confidence="likely", why=_("small shapes may have no better split")
                 )  # fmt: skip


def _idle_share(facts: Facts, rows: OpRows) -> Numbers:
    """Share of the core time that each operator leaves unused in its last round; 0 where the rule does not look.

    Cube-led mixed tasks are compared with the cube cores, their second column with the vector cores.

    Raises:
        InputMissing: block or core numbers are not known.
    """
    blocks = rows.table.number("block_num")
    if blocks is None or not np.isfinite(blocks).any():
        raise InputMissing(_("no Block Num (Block Dim) column"), "--task-time=l1")
    device = facts.device()
    if device is None or not device.ai_core_num:
        raise InputMissing(_("the number of cores is not recorded (info.json)"))
    vector_cores = device.aiv_num or device.ai_core_num
    types = [text.strip().upper() for text in rows.task_types.strings]
    cores = np.array([_cores_of(text, device.ai_core_num, vector_cores) for text in types], np.float64)
    idle = _last_round(blocks, cores[rows.task_types.codes])
    mixed = rows.table.number("mix_block_num")
    if mixed is not None:
        led = rows.where(rows.task_types, lambda text: text.strip().upper() in ("MIX_AIC", "KERNEL_MIX_AIC"))
        fine = led & (mixed > 0) & (np.mod(mixed, vector_cores) == 0)
        idle = np.where(fine, 0.0, idle)
    return idle


def _cores_of(task_type: str, cube_cores: int, vector_cores: int) -> float:
    """Cores that a task type is spread over; 0 for one that the rule does not look at."""
    kind = ops.class_of(task_type)
    if kind == "cube" or task_type in ("MIX_AIC", "KERNEL_MIX_AIC"):
        return float(cube_cores)
    return float(vector_cores) if kind == "vector" else 0.0


def _last_round(blocks: Numbers, cores: Numbers) -> Numbers:
    """1 − blocks ÷ (rounds × cores); 0 without blocks or cores."""
    known = (cores > 0) & (np.nan_to_num(blocks) > 0)
    filled = np.where(known, np.ceil(np.where(known, blocks, 1.0) / np.where(known, cores, 1.0)) * cores, 1.0)
    return np.where(known, 1.0 - np.where(known, blocks, 1.0) / np.where(known, filled, 1.0), 0.0)


RULES = (
    Rule("CO01", N_("operators on AI CPU"), _ai_cpu, source="A, D", next_key="3",
         means=N_("AI CPU is far slower than AI Core, and other work waits for its result."),
         advice=N_("Move the operator to AI Core by another type, shape or expression; the end of the network may also "
                   "run on the host."),
         fires=N_("the longest AI CPU operator takes at least {dur_us} µs; helper kernels of collectives do not "
                  "count")),
    Rule("CO03", N_("double on AI CPU"), _double, source="A", next_key="3",
         means=N_("AI Core does not calculate with double."),
         advice=N_("Convert to float before the operator."),
         fires=N_("an AI CPU operator has a DOUBLE input")),
    Rule("CO04", N_("indexing on AI CPU"), _indexing, source="A", next_key="3",
         means=N_("Index, IndexPut, NonZero and ArgMin have data-dependent shapes or types without a core kernel."),
         advice=N_("Write it as a mask or a gather, or use a newer CANN."),
         fires=N_("an AI CPU operator is of type Index, IndexPut, IndexPutV2, NonZero or ArgMin")),
    Rule("CO05", N_("dynamic shapes"), _dynamic, source="A", next_key="3",
         means=N_("Every operator is prepared anew for its shape."),
         advice=N_("Use static or binned shapes, and turn JIT compile off."),
         fires=N_("OP State is recorded and no operator is static")),
    Rule("CO06", N_("idle cores"), _idle_cores, source="A", next_key="exclamation_mark",
         means=N_("The last round of blocks does not fill the cores."),
         advice=N_("Change the shape or the tiling, or let aoe tune the operators."),
         fires=N_("Block Num is no multiple of the cores of its kind, for operators of at least {device_pct} % of "
                  "device "
                  "time; not with CO05")),
    Rule("CO13", N_("subgraphs that were not fused"),
         never(N_("the list of subgraph patterns is not part of this version")), source="A",
         fires=N_("a known subgraph in the model; the list is not part of this version")),
)  # fmt: skip
