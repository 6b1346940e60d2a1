"""What a profile could hold but does not, and what would have produced it (formats: msprof 2, frameworks 1.2)."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from tui.i18n import N_, _
from tui.model.sources import Environment, Missing, Role, SourceFile

G1 = ("G1a", "G1b")
MERGED = ("G2", "G3", "G4", "")


@dataclass(frozen=True)
class Deliverable:
    """One file that a profile of some generations may hold. Texts are catalogue keys."""

    name: str
    role: Role
    kinds: tuple[str, ...]
    """Kinds of file any of which counts as present."""
    option: str
    consequence: str
    source: tuple[str, ...] = ()
    """Kinds of file that the content can be recomputed from; without any of them it is lost."""
    expected: bool = True
    levels: bool = False
    """Absent at task-time level l0, which is then no fault."""
    several_devices: bool = False
    """Expected only when several devices or ranks took part."""


_TIMELINE = ("msprof", "trace_view")
_OPERATORS = ("op_summary", "kernel_details")
_FROM_TIMELINE = N_("recomputed from the timeline")
_FROM_OPERATORS = N_("recomputed from the operators")

_MSPROF_COMMON: tuple[Deliverable, ...] = (
    Deliverable("msprof_*.json", "timeline", ("msprof",), "msprof --export=on --type=text", N_("there is no timeline")),
    Deliverable("op_summary_*.csv", "ops", ("op_summary",), "--task-time=on", N_("there is no list of operators")),
    Deliverable(
        "op_statistic_*.csv", "op-types", ("op_statistic",), "--task-time=l1", _FROM_OPERATORS, _OPERATORS, levels=True
    ),
    Deliverable("task_time_*.csv", "tasks", ("task_time",), "--task-time=on", N_("there is no list of tasks")),
    Deliverable(
        "step_trace_*.csv", "steps", ("step_trace",), "", N_("written for graphs with iterations only"), expected=False
    ),
    Deliverable(
        "fusion_op_*.csv",
        "table",
        ("fusion_op",),
        "--model-execution=on",
        N_("written for graphs only"),
        expected=False,
    ),
    Deliverable(
        "msprof_tx_*.csv",
        "table",
        ("msprof_tx",),
        "--msproftx=on",
        N_("no ranges marked by the program"),
        expected=False,
    ),
    Deliverable(
        "aicpu_*.csv", "table", ("aicpu",), "--aicpu=on", N_("no times inside AI CPU operators"), expected=False
    ),
    Deliverable(
        "l2_cache_*.csv", "table", ("l2_cache",), "--l2=on", N_("no hit rates of the L2 cache"), expected=False
    ),
)

_COMMUNICATION_STATISTIC = Deliverable(
    "communication_statistic_*.csv",
    "communication",
    ("communication_statistic", "hccl_statistic"),
    "--task-time=l1",
    N_("no totals by kind of communication"),
    levels=True,
    several_devices=True,
)

_MSPROF_MERGED: tuple[Deliverable, ...] = (
    *_MSPROF_COMMON,
    Deliverable("api_statistic_*.csv", "apis", ("api_statistic",), "--ascendcl=on", _FROM_TIMELINE, _TIMELINE),
    _COMMUNICATION_STATISTIC,
    Deliverable(
        "communication.json",
        "communication",
        ("communication",),
        "msprof --analyze=on --rule=communication",
        N_("no bandwidth by link"),
        several_devices=True,
    ),
    Deliverable(
        "operator_memory_*.csv",
        "memory",
        ("operator_memory",),
        "--task-memory=on",
        N_("no memory by operator"),
        expected=False,
    ),
    Deliverable(
        "npu_mem_*.csv",
        "memory",
        ("npu_mem",),
        "--sys-hardware-mem=on",
        N_("no memory of the device over time"),
        expected=False,
    ),
)

_MSPROF_OLD: tuple[Deliverable, ...] = (
    *_MSPROF_COMMON,
    Deliverable("acl_statistic_*.csv", "apis", ("acl_statistic",), "--ascendcl=on", _FROM_TIMELINE, _TIMELINE),
    Deliverable(
        "acl_*.csv", "apis", ("acl",), "--ascendcl=on", N_("no single AscendCL calls as a table"), expected=False
    ),
    Deliverable(
        "runtime_api_*.csv",
        "apis",
        ("runtime_api",),
        "--runtime-api=on",
        N_("no calls of the runtime layer"),
        expected=False,
    ),
    Deliverable("hccl_*.json", "timeline", ("hccl",), "--hccl=on", N_("no communication lanes"), several_devices=True),
    Deliverable(
        "ai_stack_time_*.csv", "table", ("ai_stack_time",), "", N_("written by CANN before 7.0"), expected=False
    ),
    Deliverable("prof_rule_*.json", "advice", ("prof_rule",), "", N_("written by CANN before 8.0"), expected=False),
)

_FRAMEWORK: tuple[Deliverable, ...] = (
    Deliverable(
        "trace_view.json", "timeline", ("trace_view",), "export_type=ExportType.Text", N_("there is no timeline")
    ),
    Deliverable("kernel_details.csv", "ops", ("kernel_details",), "activities: NPU", N_("there is no list of kernels")),
    Deliverable(
        "step_trace_time.csv",
        "steps",
        ("step_trace_time",),
        "schedule(...)",
        N_("no split of time by step"),
        expected=False,
    ),
    Deliverable(
        "operator_details.csv",
        "table",
        ("operator_details",),
        "activities: CPU",
        N_("no operators of the framework"),
        expected=False,
    ),
    Deliverable(
        "op_statistic.csv",
        "op-types",
        ("op_statistic",),
        "profiler_level=Level1",
        _FROM_OPERATORS,
        _OPERATORS,
        levels=True,
    ),
    Deliverable(
        "api_statistic.csv", "apis", ("api_statistic",), "profiler_level=Level1", _FROM_TIMELINE, _TIMELINE, levels=True
    ),
    Deliverable(
        "communication.json",
        "communication",
        ("communication",),
        "profiler_level=Level1",
        N_("no bandwidth by link"),
        levels=True,
        several_devices=True,
    ),
    Deliverable(
        "memory_record.csv",
        "memory",
        ("memory_record",),
        "profile_memory=True",
        N_("no memory over time"),
        expected=False,
    ),
    Deliverable(
        "operator_memory.csv",
        "memory",
        ("operator_memory",),
        "profile_memory=True",
        N_("no memory by operator"),
        expected=False,
    ),
    Deliverable(
        "l2_cache.csv", "table", ("l2_cache",), "l2_cache=True", N_("no hit rates of the L2 cache"), expected=False
    ),
)

AI_CORE_FREQ = Deliverable(
    "AI Core Freq",
    "timeline",
    (),
    "--sys-hardware-mem=on",
    N_("a falling clock cannot be told from slow operators"),
    expected=False,
)
"""Counter lane of the timeline: only a scan tells whether it is there."""


def missing_of(
    files: Iterable[SourceFile], framework: bool, generation: str, environment: Environment, several_devices: bool
) -> tuple[Missing, ...]:
    """What of the deliverables of its scene a profile lacks.

    Args:
        framework: Whether the files are those of a framework's profiler.
        several_devices: Whether several devices or ranks took part, so that communication is to be expected.
    """
    present = {file.kind for file in files if file.used and file.role != "database"}
    wanted = _FRAMEWORK if framework else (_MSPROF_OLD if generation in G1 else _MSPROF_MERGED)
    low = environment.level.lower() in ("l0", "level0", "level_none")
    return tuple(_missing(item, present, low, several_devices) for item in wanted if not present & set(item.kinds))


def _missing(item: Deliverable, present: Set[str], low_level: bool, several_devices: bool) -> Missing:
    consequence = _(item.consequence)
    if item.source and not present & set(item.source):
        consequence = _("there is nothing to recompute it from")
    if item.levels and low_level:
        consequence = _("not written at level l0")
    elif item.several_devices and not several_devices:
        consequence = _("single device: not expected")
    expected = item.expected and not (item.levels and low_level) and (several_devices or not item.several_devices)
    return Missing(item.name, item.role, item.option, consequence, expected)


def missing_frequency(process_names: Iterable[str]) -> tuple[Missing, ...]:
    """The AI Core Freq lane, when a scanned timeline has none."""
    if any(name.startswith("AI Core Freq") for name in process_names):
        return ()
    return (_missing(AI_CORE_FREQ, frozenset(), False, False),)
