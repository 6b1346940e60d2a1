"""What a file name of a profile says: kind, device, model, iteration, slice, date (formats: msprof 1.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePath

from tui.model.sources import Role

NO_MODEL = "4294967295"
"""Model number that stands for "no model"."""

_SHAPE = re.compile(
    r"(?P<kind>[A-Za-z][A-Za-z0-9_.\-]*?)(?P<ids>(?:_\d{1,10})*)(?:_slice_(?P<slice>\d{1,9}))?(?:_(?P<date>\d{14})\d{0,3})?"
)
_RANK_INSIDE = re.compile(r"_\d+(?=_[A-Za-z])")
_DOTTED_IDS = re.compile(r"(?P<kind>[a-z][a-z0-9_]*?)_(?P<device>\d{1,10})\.")

SUMMARY_ROLES: dict[str, Role] = {
    "op_summary": "ops",
    "kernel_details": "ops",
    "op_statistic": "op-types",
    "api_statistic": "apis",
    "acl_statistic": "apis",
    "acl": "apis",
    "runtime_api": "apis",
    "task_time": "tasks",
    "step_trace": "steps",
    "step_trace_time": "steps",
    "cluster_step_trace_time": "steps",
    "communication_statistic": "communication",
    "hccl_statistic": "communication",
    "memory_record": "memory",
    "operator_memory": "memory",
    "static_op_mem": "memory",
    "npu_mem": "memory",
    "npu_module_mem": "memory",
}
"""Role of a summary table by the kind in its name; every other summary is a plain `table`."""

TIMELINE_KINDS = frozenset(
    "msprof msprof_tx trace_view step_trace task_time acl ge ge_op_execute runtime_api thread_group ai_stack_time hccl "
    "ascend_timeline_display chrome_tracing".split()
)
"""Kinds whose JSON is a timeline; whether a given file is one is decided by its first bytes."""

COMMUNICATION_JSON = frozenset(
    "communication communication_matrix cluster_communication cluster_communication_matrix communication_group".split()
)
DATABASE = re.compile(
    r"(?:msprof_\d{1,16}|ascend_(?:pytorch|mindspore)_profiler(?:_\d+)?|msmonitor_\d+_\d+_(?:-1|\d+)|analysis"
    r"|communication_analyzer|cluster_analysis|profiler|platform)\.db"
)
SIDECAR = re.compile(
    r"(?P<kind>info\.json|sample\.json|start_info|end_info|host_start\.log|dev_start\.log)(?:\.(?P<device>\d{1,4}))?"
    r"|(?P<framework>profiler_info(?:_(?P<rank>-?\d+))?|profiler_metadata)\.json"
)


@dataclass(frozen=True)
class FileName:
    """What a name says; empty where it says nothing."""

    kind: str
    extension: str
    """Lower case with its dot: `.csv`, `.json`, `.json.gz`."""
    ids: tuple[str, ...] = ()
    """The numbers between kind and slice or date, in order; their meaning depends on the folder."""
    slice: int | None = None
    date: str = ""


@dataclass(frozen=True)
class Ids:
    """The numbers of a name, told apart."""

    device: str = ""
    model: str = ""
    iteration: str = ""


def parse_name(name: str) -> FileName:
    """Splits a file name. A name of no known shape gives its stem as the kind."""
    stem, extension = _split_extension(name)
    dotted = _DOTTED_IDS.match(stem)
    if dotted:
        return FileName(dotted["kind"], extension, (dotted["device"],))
    found = _SHAPE.fullmatch(stem)
    if not found:
        return FileName(stem, extension)
    ids = tuple(found["ids"].split("_")[1:])
    number = int(found["slice"]) if found["slice"] else None
    return FileName(_RANK_INSIDE.sub("", found["kind"]), extension, ids, number, found["date"] or "")


def _split_extension(name: str) -> tuple[str, str]:
    if name.lower().endswith(".json.gz"):
        return name[:-8], ".json.gz"
    path = PurePath(name)
    return path.stem, path.suffix.lower()


def ids_of(name: FileName, per_device: bool) -> Ids:
    """Tells the numbers of a name apart.

    Args:
        per_device: Whether the file lies in a folder of one device (old layout) or of the host; elsewhere rows name
            their device and a lone number means nothing.
    """
    ids = name.ids
    if not ids or not (per_device or name.date):
        return Ids()
    if len(ids) == 1:
        return Ids(device=ids[0])
    if len(ids) == 2:
        return Ids(device=ids[0], iteration=ids[1])
    model = "" if ids[1] == NO_MODEL else ids[1]
    return Ids(device=ids[0], model=model, iteration=ids[-1])


def role_of(name: FileName) -> Role:
    """Role by kind and extension alone; JSON of unknown kind is `other` until its first bytes are looked at."""
    if name.extension == ".csv":
        return SUMMARY_ROLES.get(name.kind, "table")
    if name.extension == ".db":
        return "database"
    if name.extension in (".json", ".json.gz"):
        return _json_role(name)
    return "other"


def _json_role(name: FileName) -> Role:
    if name.kind == "prof_rule":
        return "advice"
    if name.kind in TIMELINE_KINDS:
        return "timeline"
    if name.kind in COMMUNICATION_JSON:
        return "communication"
    return SUMMARY_ROLES.get(name.kind, "other")


def sidecar_kind(name: str) -> tuple[str, str] | None:
    """(kind, device or rank) of a side-car file, or None. `.done` twins are none."""
    found = SIDECAR.fullmatch(name)
    if not found:
        return None
    if found["framework"]:
        return (
            ("profiler_metadata", "")
            if found["framework"] == "profiler_metadata"
            else ("profiler_info", found["rank"] or "")
        )
    return found["kind"], found["device"] or ""


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that orders `rank2` before `rank10`."""
    parts = re.split(r"([0-9]+)", text)
    return tuple((1, int(part), "") if place % 2 else (0, 0, part) for place, part in enumerate(parts) if part)


def with_kind(name: FileName, kind: str) -> FileName:
    """The same name under a kind found by content."""
    return replace(name, kind=kind)
