"""The tuning advice old exports wrote as `prof_rule_0.json`, worked out from the run."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from generator import sums
from generator.measures import CORES, PIPES
from generator.run import MODEL, Run, Task

TRANSDATA_LIMIT = 2
WAIT_LIMIT_NS = 10_000


def rules(run: Run) -> dict[str, object]:
    """Advice by kind of rule, each with the operators it is about."""
    tasks = [task for task in run.tasks if task.model == MODEL]
    ops = [task for task in tasks if task.op]
    waits = dict(zip((id(task) for task in tasks), sums.waits_ns(tasks)))
    few = _names(ops, lambda task: task.kind == "AI_CORE" and run.blocks[task.name] < CORES)
    moved = _names(ops, lambda task: task.op is not None and task.op.kind == "TransData")
    late = _names(ops, lambda task: waits[id(task)] > WAIT_LIMIT_NS)
    slow = _names(ops, lambda task: task.kind == "AI_CPU")
    starved = _names(ops, lambda task: _bound(run, task, "mte2", ("vec", "mac")) > 1)
    vector = _names(ops, lambda task: _bound(run, task, "vec", ("mte2", "mte3", "mac")) > 1)
    found = [
        ("Model/Operator Computation", "", "The operators do not use all cores; look for a better split.", few),
        ("Model/Operator Memory", "", "More than two changes of layout; use one format along the network.",
         moved if len(moved) > TRANSDATA_LIMIT else []),
        ("Operator Schedule", "", "The operators start long after the ones before them; look at the host.", late),
        ("Operator Processing", "", "The operators run on AI CPU; look for ones that run on AI Core.", slow),
        ("Operator Metrics", "Memory", "The operators wait for data rather than compute.", starved),
        ("Operator Metrics", "Vector", "The operators are limited by the vector unit.", vector),
    ]  # fmt: skip
    merged: dict[str, list[dict[str, object]]] = {}
    for kind, part, advice, names in found:
        entry: dict[str, object] = {"rule_subtype": part} if part else {}
        if names:
            merged.setdefault(kind, []).append({**entry, "rule_suggestion": advice, "op_list": names})
    return {"status": 0, "data": [{"rule_type": kind, "result": result} for kind, result in merged.items()]}


def _names(ops: list[Task], wanted: Callable[[Task], bool]) -> list[str]:
    return [task.name for task in ops if wanted(task)]


def _bound(run: Run, task: Task, pipe: str, others: tuple[str, ...]) -> Decimal:
    counters = run.counters[task.name]
    if counters is None:
        return Decimal(0)
    named = dict(zip(PIPES, counters.ratios))
    return named[pipe] / max(Decimal("0.001"), *(named[other] for other in others))
