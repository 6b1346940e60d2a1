"""Files that tell ATC to keep operators in float32, with the command line that uses them (formats: dump §6.5)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tui.i18n import _
from tui.model.dump import DumpComparison, PairRow

PrecisionKind = Literal["keep_dtype", "customize_dtypes", "modify_mixlist", "op_precision"]
PRECISION_KINDS: tuple[PrecisionKind, ...] = ("keep_dtype", "customize_dtypes", "modify_mixlist", "op_precision")

FILE_NAMES: dict[PrecisionKind, str] = {
    "keep_dtype": "keep.txt",
    "customize_dtypes": "types.txt",
    "modify_mixlist": "mix.json",
    "op_precision": "op.ini",
}
_OPTIONS: dict[PrecisionKind, tuple[str, str]] = {
    "keep_dtype": ("--precision_mode=force_fp16", "--keep_dtype"),
    "customize_dtypes": ("--precision_mode=force_fp16", "--customize_dtypes"),
    "modify_mixlist": ("--precision_mode=allow_mix_precision", "--modify_mixlist"),
    "op_precision": ("--precision_mode=force_fp16", "--op_precision_mode"),
}
_FLOAT32_EXECUTION = "enable_float_32_execution"


@dataclass(frozen=True)
class KeptOp:
    """An operator to be kept in float32."""

    name: str
    """Its name in the original model."""
    type: str = ""
    inputs: int | None = None
    """Number of its inputs; None when they were not dumped."""
    outputs: int | None = None


@dataclass(frozen=True)
class PrecisionFile:
    """One file to write."""

    kind: PrecisionKind
    text: str
    notes: tuple[str, ...] = ()
    """What could not be put into it, translated."""

    @property
    def name(self) -> str:
        """Suggested name of the file."""
        return FILE_NAMES[self.kind]


def kept_ops(comparison: DumpComparison, names: Sequence[str] | None = None) -> tuple[KeptOp, ...]:
    """The operators of those names, as the rows know them.

    Args:
        names: Names of operators; None takes those that the comparison says must stay in float32.
    """
    wanted = comparison.keep_float32.by_name if names is None else names
    rows: dict[str, list[PairRow]] = {}
    for row in comparison.rows:
        for name in (row.op_name, *row.originals):
            rows.setdefault(name, []).append(row)
    return tuple(_kept(name, rows.get(name, [])) for name in dict.fromkeys(wanted))


def _kept(name: str, rows: Sequence[PairRow]) -> KeptOp:
    counts = {side: sum(row.tensor.startswith(side) for row in rows) for side in ("input", "output")}
    type_ = next((row.op_type for row in rows if row.op_type), "")
    return KeptOp(name, type_, counts["input"] or None, counts["output"] or None)


def precision_file(kind: PrecisionKind, ops: Sequence[KeptOp], by_type: bool = False) -> PrecisionFile:
    """The file of one kind that keeps `ops` in float32.

    Args:
        by_type: Whether to name the types of the operators, which then hold for all of that type. The list of mixed
            precision knows types only.
    """
    notes: list[str] = []
    safe = [op for op in ops if _is_safe(op, notes)]
    if kind == "modify_mixlist":
        types = list(_types(safe))
        notes += [] if types == [] else [_("it holds for all operators of these types")]
        mixlist = {"black-list": {"to-add": types}}
        return PrecisionFile(kind, json.dumps(mixlist, ensure_ascii=False, indent=1) + "\n", tuple(notes))
    lines = {"keep_dtype": _keep, "customize_dtypes": _customize, "op_precision": _op_precision}[kind]
    text = "".join(f"{line}\n" for line in lines(safe, by_type, notes))
    return PrecisionFile(kind, text, tuple(notes))


def atc_line(kind: PrecisionKind, path: str) -> str:
    """The command that builds the model with the file at `path`; capitals are to be filled in."""
    mode, option = _OPTIONS[kind]
    fixed = "atc --model=MODEL.onnx --framework=5 --output=MODEL_mixed --soc_version=SOC_VERSION"
    return f"{fixed} {mode} {option}={shlex.quote(path)}"


def _is_safe(op: KeptOp, notes: list[str]) -> bool:
    """Whether the name can stand in a file of lines."""
    if op.name and op.name.isprintable():
        return True
    notes.append(_("an operator whose name holds control characters is left out"))
    return False


def _types(ops: Sequence[KeptOp]) -> dict[str, KeptOp]:
    """One operator of each type, in order."""
    found: dict[str, KeptOp] = {}
    for op in ops:
        if op.type and op.type.isprintable():
            found.setdefault(op.type, op)
    return found


def _keep(ops: Sequence[KeptOp], by_type: bool, _notes: list[str]) -> list[str]:
    return [f"OpType::{name}" for name in _types(ops)] if by_type else [op.name for op in ops]


def _customize(ops: Sequence[KeptOp], by_type: bool, notes: list[str]) -> list[str]:
    """One float32 per input and output; their number must be right, or the build fails."""
    named = [(f"OpType::{name}:", op) for name, op in _types(ops).items()] if by_type else [
        (f"{op.name}::", op) for op in ops
    ]  # fmt: skip
    lines: list[str] = []
    for name, op in named:
        if op.inputs is None or op.outputs is None:
            text = _("{name} is left out: its inputs were not dumped, and their number must be told")
            notes.append(text.format(name=op.name))
            continue
        inputs, outputs = ",".join(["float32"] * op.inputs), ",".join(["float32"] * op.outputs)
        lines.append(f"{name}InputDtype:{inputs},OutputDtype:{outputs}")
    return lines


def _op_precision(ops: Sequence[KeptOp], by_type: bool, _notes: list[str]) -> list[str]:
    names = list(_types(ops)) if by_type else [op.name for op in ops]
    return ["[ByOpType]" if by_type else "[ByNodeName]", *(f"{name}={_FLOAT32_EXECUTION}" for name in names)]
