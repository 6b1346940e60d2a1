"""OV04: environment variables that cost time, and what to set instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import listed
from tui.i18n import N_, _
from tui.model.finding import Command, Evidence

_BLOCKING = "ASCEND_LAUNCH_BLOCKING"


def _variables(facts: Facts, limits: Limits) -> Draft | None:
    if facts.variables is None:
        raise InputMissing(_("the environment was not recorded (profiler_metadata.json)"))
    found = list(_costly(facts.variables, limits))
    if not found:
        return None
    names = [name for name, _value, _better in found]
    blocking = _BLOCKING in names
    shown = [f"{name}={value or _('unset')}" for name, value, _better in found]
    better = tuple(f"{name}={better}" for name, _value, better in found if better)
    evidence = [
        Evidence(name, (("value", value), ("recommended", better or _("unset")))) for name, value, better in found
    ]
    return Draft(
        _("{count} environment variables cost time: {names}").format(count=len(found), names=listed(names, 2)),
        listed(shown, 8),
        severity="high" if blocking else "low",
        evidence=evidence,
        command=Command("export", better) if better else None,
        confidence="likely",
        why=_("what they cost is not measured by a profile"),
    )


def _costly(variables: Mapping[str, str], limits: Limits) -> Iterator[tuple[str, str, str]]:
    """(name, value, better value or empty to unset it) of each variable that is not as it should be."""
    level = variables.get("ASCEND_GLOBAL_LOG_LEVEL", "")
    if level and level != f"{limits['log_level']:g}":
        yield "ASCEND_GLOBAL_LOG_LEVEL", level, f"{limits['log_level']:g}"
    cache = variables.get("ACLNN_CACHE_LIMIT", "")
    if not cache.isdecimal() or int(cache) < limits["aclnn_cache"]:
        yield "ACLNN_CACHE_LIMIT", cache, "100000"
    shapes = variables.get("HOST_CACHE_CAPACITY", "")
    if shapes in ("", "0"):
        yield "HOST_CACHE_CAPACITY", shapes, "20"
    if variables.get(_BLOCKING, "") == "1":
        yield _BLOCKING, "1", "0"
    for name in ("HCCL_ALGO", "HCCL_RDMA_TC", "HCCL_RDMA_SL"):
        if variables.get(name):
            yield name, variables[name], ""
    allocator = variables.get("PYTORCH_NPU_ALLOC_CONF", "")
    if "expandable_segments:true" not in allocator.lower():
        yield "PYTORCH_NPU_ALLOC_CONF", allocator, "expandable_segments:True"


def variables_rule() -> Rule:
    """OV04."""
    return Rule(
        "OV04",
        N_("environment variables"),
        _variables,
        source="A",
        means=N_("They slow down dispatch, logging or allocation, or fix a choice that the library makes better."),
        advice=N_("Set the recommended values and unset the others, one at a time, and measure."),
        fires=N_(
            "log level set and not {log_level}, ACLNN cache below {aclnn_cache}, host shape cache off, launch-blocking "
            "on (then High), HCCL_ALGO or RDMA classes fixed, allocator without expandable segments"
        ),
    )
