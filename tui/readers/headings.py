"""Headings of summary files → canonical column names, kinds and units.

The vendor's headings differ by CANN generation (formats: msprof CSV §3, framework CSV §2); this is the one place that
knows them. A heading without an entry here is accepted by the general rule: lower case, everything but letters and
digits becomes one `_`, the unit last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tui.model.table import ColumnInfo, ColumnKind

OPS = "ops"
OP_TYPES = "op-types"
APIS = "apis"
TASKS = "tasks"
STEPS = "steps"
COMMUNICATION = "communication"

_FAMILIES = {
    "op_summary": OPS,
    "kernel_details": OPS,
    "op_statistic": OP_TYPES,
    "api_statistic": APIS,
    "acl_statistic": APIS,
    "runtime_api": APIS,
    "acl": APIS,
    "task_time": TASKS,
    "step_trace": STEPS,
    "step_trace_time": STEPS,
    "communication_statistic": COMMUNICATION,
    "hccl_statistic": COMMUNICATION,
}
"""Kind in the file's name → the family that shares aliases; any other kind has none."""


@dataclass(frozen=True)
class Heading:
    """What a heading says about its column."""

    info: ColumnInfo
    certain: bool
    """False when the kind is a guess that the cells decide (`info.kind` is then `text`)."""
    divisor: int = 1
    """Numbers are divided by this to get the unit of the key (runtime_api counts ns)."""
    scale: int | None = None
    """Decimal places between the file's unit and ns for a time column: 3 for µs; None when the cells decide."""


_UNITS = {
    "us": "us",
    "ns": "ns",
    "ms": "ms",
    "s": "s",
    "%": "pct",
    "gb/s": "gb_s",
    "mb/s": "mb_s",
    "kb/s": "kb_s",
    "kb": "kb",
    "mb": "mb",
    "gb": "gb",
    "b": "b",
    "bytes": "bytes",
    "mhz": "mhz",
    "pages": "pages",
}  # fmt: skip

_NS_PLACES = {"ns": 0, "us": 3, "ms": 6, "s": 9}

_ALIASES: dict[str, dict[str, str]] = {
    OPS: {
        "name": "op_name",
        "type": "op_type",
        "accelerator_core": "task_type",
        "core_type": "task_type",
        "task_start_time": "start",
        "duration": "task_duration",
        "wait_time": "task_wait_time",
    },
    OP_TYPES: {"min_time": "min", "avg_time": "avg", "max_time": "max"},
    COMMUNICATION: {"min_time": "min", "avg_time": "avg", "max_time": "max"},
    APIS: {"name": "api_name", "type": "level", "calls": "count"},
    TASKS: {"task_start": "start", "task_stop": "stop"},
}
"""Per family: base name (no unit) → canonical base name."""

_COMMON_ALIASES = {
    "block_dim": "block_num",
    "mix_block_dim": "mix_block_num",
    "start_time": "start",
    "end_time": "end",
    "time_stamp": "timestamp",
    "deviceid": "device_id",
}

_TIME_RATIO_KINDS = ("acl_statistic", "runtime_api")

_POINT_WITH_UNIT = re.compile(
    r"(?:.*_)?(?:start|stop|end|begin|timestamp)|(?:start|stop|end)_.*timestamp|(?:active_)?(?:allocation|release)_time"
)
_POINT_WITHOUT_UNIT = re.compile(
    r"start|end|task_start|task_stop|stop|timestamp|start_timestamp|fp_start|bp_end|iteration_end|reduce_start|task_start_time"
)
_NOT_A_POINT = re.compile(r"node_index_.*")
_START_TIME = re.compile(r"(.*_(?:start|stop|end))_time")

_TEXT_KEYS = frozenset(
    "device_id op_name op_type op_state task_type core_type hf32_eligible input_shapes input_data_types input_formats"
    " output_shapes output_data_types output_formats model_name kernel_name kernel_type api_name level name call_stack"
    " component device device_type fusion_op original_ops module api event_type category message message_type domain"
    " payload_type node node_name action source metric function event mode engine_type cpu_type core_id".split()
)
_WHOLE_KEYS = frozenset(
    "task_id stream_id model_id context_id infer_id iteration_id step_id process_id thread_id pid tid count block_num"
    " mix_block_num graph_id queue_size page_fault_num index".split()
)
_RATIO = re.compile(r".*(?:_ratio|_rate|memory_bound|_hit|_hit_rate)|hit_rate|victim_rate")
_COUNTED = re.compile(
    r".*(?:_cycles|_fops)|total_cycles|r\d+_.*_cache_.*|.*_cache_(?:hit|miss_allocate)|.*_l2_(?:hit|miss|victim)"
)
_STEP_TIMES = frozenset(
    "computing communication_not_overlapped overlapped communication free stage bubble"
    " communication_not_overlapped_and_exclude_receive preparing".split()
)

_PARENTHESISED = re.compile(r"^(.*?)\s*\(([^()]*)\)\s*$", re.DOTALL)
_NOT_WORD = re.compile(r"[\W_]+")


def family_of(file_kind: str) -> str:
    """The family of a kind in a file's name (`kernel_details` → `ops`); the kind itself when it has none."""
    return _FAMILIES.get(file_kind, file_kind)


def canonical(heading: str, file_kind: str) -> Heading:
    """Canonical name, kind and unit of one heading.

    Args:
        heading: As in the file; surrounding blanks and quotes are passed over.
        file_kind: Kind in the file's name (`op_summary`, `kernel_details`, `acl_statistic` …).
    """
    text = heading.strip().strip('"').strip()
    base, unit = _split_unit(text)
    family = family_of(file_kind)
    base = _renamed(base, unit, family, file_kind)
    if _is_point(base, unit):
        return _time_heading(text, base, unit)
    return _value_heading(text, base, unit, file_kind)


def canonical_headings(headings: Iterable[str], file_kind: str) -> list[Heading]:
    """`canonical` of a whole heading line; keys that repeat get `_2`, `_3` before their unit."""
    seen: dict[str, int] = {}
    unique: list[Heading] = []
    for text in headings:
        heading = canonical(text, file_kind)
        key = heading.info.key
        seen[key] = seen.get(key, 0) + 1
        while seen[key] > 1 and _numbered(heading.info, seen[key]) in seen:
            seen[key] += 1
        if seen[key] > 1:
            key = _numbered(heading.info, seen[key])
            seen[key] = 1
            heading = replace(heading, info=replace(heading.info, key=key))
        unique.append(heading)
    return unique


def _numbered(info: ColumnInfo, number: int) -> str:
    if info.unit and info.key.endswith(f"_{info.unit}"):
        return f"{info.key[: -len(info.unit) - 1]}_{number}_{info.unit}"
    return f"{info.key}_{number}"


def _split_unit(text: str) -> tuple[str, str]:
    """Base name in canonical letters, and the unit as keys write it (empty when there is none)."""
    match = _PARENTHESISED.match(text)
    if match:
        unit = _UNITS.get(match.group(2).strip().lower())
        if unit is not None:
            return _words(match.group(1)), unit
    base = _words(text)
    for unit in ("us", "ns"):
        if base.endswith(f"_{unit}") and not base.endswith(f"_per_{unit}"):
            return base[: -len(unit) - 1], unit
    return base, ""


def _words(text: str) -> str:
    return _NOT_WORD.sub("_", text.lower().replace("%", " pct ")).strip("_") or "column"


def _renamed(base: str, unit: str, family: str, file_kind: str) -> str:
    if base == "time" and unit == "pct" and file_kind in _TIME_RATIO_KINDS:
        return "time_ratio"
    base = _COMMON_ALIASES.get(base, base)
    base = _ALIASES.get(family, {}).get(base, base)
    match = _START_TIME.fullmatch(base)
    return match.group(1) if match else base


def _is_point(base: str, unit: str) -> bool:
    if _NOT_A_POINT.fullmatch(base):
        return False
    if unit:
        return unit in _NS_PLACES and bool(_POINT_WITH_UNIT.fullmatch(base))
    return bool(_POINT_WITHOUT_UNIT.fullmatch(base))


def _time_heading(text: str, base: str, unit: str) -> Heading:
    info = ColumnInfo(f"{base}_ns", text, "time", "ns")
    return Heading(info, certain=bool(unit), scale=_NS_PLACES[unit] if unit else None)


def _value_heading(text: str, base: str, unit: str, file_kind: str) -> Heading:
    divisor = 1
    if file_kind == "runtime_api" and unit == "ns":
        unit, divisor = "us", 1000
    key = f"{base}_{unit}" if unit else base
    if not unit:
        unit = _implied_unit(key, file_kind)
    if key in _TEXT_KEYS:
        return Heading(ColumnInfo(key, text, "text", unit), certain=True)
    certain = bool(unit) or key in _WHOLE_KEYS or _is_pmu(key)
    kind: ColumnKind = "number" if certain else "text"
    return Heading(ColumnInfo(key, text, kind, unit), certain, divisor)


def _implied_unit(key: str, file_kind: str) -> str:
    if key in _STEP_TIMES and file_kind in ("step_trace_time", "cluster_step_trace_time"):
        return "us"
    if key.endswith("_cycles") or key == "total_cycles":
        return "cycles"
    return "ratio" if _RATIO.fullmatch(key) and not _COUNTED.fullmatch(key) else ""


def _is_pmu(key: str) -> bool:
    return bool(_COUNTED.fullmatch(key))
