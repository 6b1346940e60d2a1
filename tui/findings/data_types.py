"""CO02: data types for which AI Core has a kernel, by operator type.

Facts of the table: rules of the advisor of msprof-analyze (aicpu_rules), CANN 8.0.
"""

from __future__ import annotations

import numpy as np

from tui.findings.facts import Facts
from tui.findings.rule import Draft, Limits, Rule
from tui.findings.wording import listed, operators, us
from tui.i18n import N_, _
from tui.model.ops import class_of
from tui.model.text import is_missing

_FLOATS = frozenset("float float32 float16 dt_bf16 float64".split())
_COMMON = _FLOATS | frozenset("bool int32 int64 int8 uint8 int16 complex64 complex128".split())
_CAST = frozenset("float float32 float16 bool int32 uint32 int64 uint64 uint8 dt_bf16".split())
_BOOL = frozenset(("bool",))

ALLOWED: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "cast": (_CAST, _CAST),
    "tensorequal": (_FLOATS | frozenset("bool int32 int8 uint8".split()), _BOOL),
    "equal": (_FLOATS | frozenset("bool int32 int64 int8 uint8".split()), _BOOL),
    "mul": (_FLOATS | frozenset("bool int32 int64 int8 uint8 complex64".split()),
            _FLOATS | frozenset("bool int32 int64 int8 uint8 complex64".split())),
    "nonzero": (frozenset("float16 bool dt_bf16".split()), frozenset(("int64",))),
}  # fmt: skip
"""Operator type → (types of inputs, types of outputs); other operators have `_COMMON` on both sides."""


def outside(op_type: str, inputs: str, outputs: str) -> set[str]:
    """The data types of an operator that are not on its list."""
    allowed_in, allowed_out = ALLOWED.get(op_type.lower(), (_COMMON, _COMMON))
    return (_types(inputs) - allowed_in) | (_types(outputs) - allowed_out)


def _types(cell: str) -> set[str]:
    return {name.strip().lower() for name in cell.strip('"').split(";") if name.strip() and not is_missing(name)}


def _unsupported(facts: Facts, _limits: Limits) -> Draft | None:
    rows = facts.op_rows
    inputs = rows.text("input_data_types", _("no data types"), "--task-time=l1")
    outputs = rows.table.text("output_data_types")
    cpu = np.flatnonzero(rows.where(rows.task_types, lambda text: class_of(text) == "aicpu"))
    columns = (rows.types, inputs, outputs if outputs is not None else inputs)
    kinds, place = np.unique(np.stack([column.codes[cpu] for column in columns]), axis=1, return_inverse=True)
    wrong = [
        outside(*(column.strings[int(code)] for column, code in zip(columns, codes))) for codes in kinds.T.tolist()
    ]
    mine = cpu[np.array([bool(names) for names in wrong], np.bool_)[place.reshape(-1)]] if len(cpu) else cpu
    if not len(mine):
        return None
    of_row = dict(zip(cpu.tolist(), place.reshape(-1).tolist()))
    types = listed(sorted({name.upper() for names in wrong for name in names}))
    time_us = rows.wall_us(mine)
    title = _("data types without a kernel on AI Core: {types}").format(types=types)
    measured = _("{types} in {operators} on AI CPU, {time}").format(
        types=types, operators=operators(len(mine)), time=us(time_us)
    )
    evidence = [rows.evidence(row, ("data_types", ", ".join(sorted(wrong[of_row[row]])))) for row in rows.longest(mine)]
    return Draft(title, measured, time_us, recoverable_us=time_us, evidence=evidence, total=len(mine))


RULES = (
    Rule("CO02", N_("data types of AI CPU operators"), _unsupported, source="A", next_key="3",
         means=N_("AI Core has no kernel for these types, so the operator falls back to AI CPU."),
         advice=N_("Cast to a supported type before the operator."),
         fires=N_("an AI CPU operator has a type outside the list of its operator type (complex, double of some, "
                  "unsigned "
                  "16 to 64 bit …)")),
)  # fmt: skip
