"""File names of dumps: what each field means, for every producer (formats: dump §1.3 to §1.6)."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from tui.i18n import _
from tui.model.problem import Problem

NameKind = Literal["npu", "npy", "golden_npy", "raw", "stats", "overflow", "exception"]
"""Binary dump of the device · converted or MindSpore tensor · tensor of the framework · headerless values · statistics
table · record of an overflow · dump of an exception."""

MAPPING = "mapping.csv"
MAX_MAPPING_BYTES = 1 << 28

_SKIPPED = frozenset(
    ("json", "txt", "log", "pt", "yaml", "xlsx", "md", "sh", "py", "so", "om", "onnx", "pbtxt", "toml")
)
_TIMESTAMP_DIGITS = 16
_SLOT = re.compile(r"(.+)\.(input|output)\.(\d+)((?:\.[A-Za-z0-9_-]+)*)")
_SHAPE = re.compile(r"\d+(?:[_x]\d+)*")
_PLAIN_OUTPUT = re.compile(r"(.+?)_?(input|output)_?(\d+)", re.IGNORECASE)
_ATB = re.compile(r"(in|out)tensor(\d+)")
_OVERFLOW = ("Opdebug", "Node_OpDebug")


@dataclass(frozen=True)
class DumpName:
    """What a file name tells. Names are those of the file, with `. / \\` and blanks already turned into `_`."""

    kind: NameKind
    op_name: str
    op_type: str = ""
    task_id: int | None = None
    stream_id: int | None = None
    timestamp_us: int | None = None
    """Microseconds since the epoch; None unless it has 16 digits."""
    tensor: str = ""
    """`output:0` where the file holds one tensor, else empty."""
    dtype: str = ""
    shape: tuple[int, ...] | None = None
    format: str = ""
    source: str = ""
    """Name of the dump file that this one was converted from."""
    thread_id: int | None = None
    """Thread of a sub-task (FFTS+); several files hold slices of one operator then."""


@lru_cache(maxsize=1 << 17)  # each is asked for when a folder is looked at, listed and opened
def parse_name(name: str) -> DumpName | None:
    """What the file name tells; None for files that are no dumps (logs, tables, models)."""
    stem, dot, extension = name.rpartition(".")
    extension = extension.lower() if dot else ""
    if name == MAPPING or name.startswith(".") or extension in _SKIPPED:
        return None
    if extension == "npy":
        return _slot_name(stem, "npy") or _golden_name(stem)
    if extension == "bin":
        return _slot_name(stem, "raw") or _raw_name(stem)
    if extension == "csv":
        found = _dump_name(stem)
        return replace(found, kind="stats") if found is not None and found.kind == "npu" else None
    if extension in ("pb", "quant"):
        return _dump_name(stem) or replace(_golden_name(stem), kind="npu")
    return _dump_name(name)


def _dump_name(name: str) -> DumpName | None:
    fields = name.split(".")
    if _is_exception(fields):
        return DumpName("exception", "", "", _number(fields[2]), _number(fields[1]), _timestamp(fields[-1]))
    numbers = _trailing_numbers(fields)
    if len(fields) < 4 or len(numbers) not in (2, 3, 4, 7, 8):
        return None
    head = fields[: len(fields) - len(numbers)]
    if len(head) == 1:  # the operator's own name is a number
        head, numbers = [head[0], str(numbers[0])], numbers[1:]
    if len(head) < 2 or len(numbers) not in (2, 3, 7):
        return None
    return _numbered(head[0], "_".join(head[1:]), fields[-len(numbers) :])


def _is_exception(fields: list[str]) -> bool:
    """`exception_info.{stream}.{task}.{time}`, or per core `{kernel}.{stream}.{task}.{core type}.{core}.{time}`."""
    if len(fields) < 4 or _number(fields[1]) is None or _number(fields[2]) is None:
        return False
    return fields[0] == "exception_info" or (len(fields) == 6 and _number(fields[5]) is not None)


def _numbered(op_type: str, op_name: str, texts: list[str]) -> DumpName:
    """Two numbers are task and time, three are task, stream and time, seven add type, context, thread and device."""
    kind: NameKind = "overflow" if (op_type, op_name) == _OVERFLOW else "npu"
    task = _number(texts[0])
    stream = _number(texts[1]) if len(texts) > 2 else None
    thread = _number(texts[5]) if len(texts) == 7 else None
    time = _timestamp(texts[2] if len(texts) > 2 else texts[1])
    return DumpName(kind, op_name, op_type, task, stream, time, thread_id=thread)


def _slot_name(stem: str, kind: NameKind) -> DumpName | None:
    """`{dump file}.output.0…`: one tensor of a dump, converted (§1.5)."""
    match = _SLOT.fullmatch(stem)
    if match is None:
        return None
    source, direction, slot, rest = match.groups()
    base = _dump_name(source) or DumpName(kind, source)
    found = replace(base, kind=kind, tensor=f"{direction}:{int(slot)}", source=source)
    for field in rest.split(".")[1:]:
        found = _with_detail(found, field)
    return found


def _with_detail(found: DumpName, field: str) -> DumpName:
    if _SHAPE.fullmatch(field):
        return replace(found, shape=tuple(int(size) for size in re.split("[_x]", field)))
    if field.isupper() or field.upper().startswith("FRACTAL_"):
        return replace(found, format=field)
    return replace(found, dtype=field)


def _golden_name(stem: str) -> DumpName:
    """`{op name}.{output}.{time}`; any other `.npy` is the first output of what its name says."""
    fields = stem.split(".")
    numbers = _trailing_numbers(fields)
    if len(numbers) >= 2 and len(fields) > 2:
        op_name, index, time = ".".join(fields[:-2]), int(fields[-2]), _timestamp(fields[-1])
        return DumpName("golden_npy", op_name, timestamp_us=time, tensor=f"output:{index}")
    if len(numbers) == 1 and len(fields) > 1:
        return DumpName("golden_npy", ".".join(fields[:-1]), tensor=f"output:{int(fields[-1])}")
    return DumpName("golden_npy", stem, tensor="output:0")


def _raw_name(stem: str) -> DumpName:
    """Values without a header: tensors of ATB, and outputs as inference tools write them (`net_output_0`)."""
    atb = _ATB.fullmatch(stem)
    if atb is not None:
        return DumpName("raw", stem, tensor=f"{atb.group(1)}put:{int(atb.group(2))}")
    match = _PLAIN_OUTPUT.fullmatch(stem)
    if match is not None:
        return DumpName("raw", match.group(1), tensor=f"{match.group(2).lower()}:{int(match.group(3))}")
    found = _dump_name(stem)
    return replace(found, kind="npu") if found is not None else DumpName("raw", stem, tensor="output:0")


def _trailing_numbers(fields: list[str]) -> list[int]:
    numbers: list[int] = []
    for field in reversed(fields):
        number = _number(field)
        if number is None:
            break
        numbers.insert(0, number)
    return numbers


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 255 else None


def _timestamp(text: str) -> int | None:
    return _number(text) if len(text) == _TIMESTAMP_DIGITS else None


def cleaned(op_name: str) -> str:
    """An operator's name as file names carry it; different names may become the same."""
    return re.sub(r"[./\\\s]", "_", op_name)


def read_mapping(path: Path) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """Original file name by the hashed one, from a `mapping.csv` (rows `digits,name`, no heading)."""
    names: dict[str, str] = {}
    try:
        if path.stat().st_size > MAX_MAPPING_BYTES:
            raise OSError(_("it is larger than {size} bytes").format(size=MAX_MAPPING_BYTES))
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            for row in csv.reader(line.replace("\0", "") for line in file):
                if len(row) >= 2 and row[0].strip():
                    names[row[0].strip()] = row[1].strip()
    except (OSError, csv.Error) as error:
        return names, (_unreadable_mapping(path, error),)
    return names, ()


def _unreadable_mapping(path: Path, error: Exception) -> Problem:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    what = _("cannot be read: {reason}").format(reason=reason)
    return Problem(str(path), "", what, _("operators with hashed file names have no names"), _("copy the file again"))
