"""One line that says what a thing is, for the details panes (sources: CANN documentation, see docs/ARCHITECTURE.md)."""

from __future__ import annotations

from tui.i18n import N_, _

_BY_PREFIX: tuple[tuple[str, str], ...] = (
    ("aclmdlLoadFromFile", N_("loads a model file; time depends on model size, not tunable by operator work")),
    ("aclmdlExecute", N_("runs the model and waits; its time is mostly the device tasks inside")),
    ("aclrtSynchronize", N_("host waits for the device; many calls stop work from being queued ahead")),
    ("aclopCompileAndExecute", N_("compiles an operator at run time; should not appear in steady state")),
    ("aclrtMemcpy", N_("copies between host and device; the synchronous form waits until it is done")),
    ("aclrtMalloc", N_("allocates device memory; many calls in steady state cost time")),
    ("aclInit", N_("starts AscendCL, once per process")),
    ("aclrtSetDevice", N_("opens the device and its context, once per thread")),
    ("launch", N_("hands one operator to the device")),
)

_TASK_TYPES = {
    "AI_CORE": N_("runs on the cube and vector units of the AI Cores"),
    "AI_VECTOR_CORE": N_("runs on the vector cores only"),
    "AI_CPU": N_("operator runs on the control processor, far slower than AI Core"),
    "MIX_AIC": N_("uses cube and vector cores together; cube first"),
    "MIX_AIV": N_("uses cube and vector cores together; vector first"),
    "COMMUNICATION": N_("collective communication; overlaps computing in time"),
    "HCCL": N_("collective communication; overlaps computing in time"),
    "DSA_SQE": N_("runs on the random-number engine"),
}

_OP_TYPES = {
    "TransData": N_("format conversion inserted between operators"),
    "Cast": N_("data type conversion inserted between operators"),
    "Transpose": N_("axis conversion inserted between operators"),
}


def about_api(name: str) -> str:
    """What an API does, or empty."""
    return next((_(line) for prefix, line in _BY_PREFIX if name.startswith(prefix)), "")


def about_task_type(name: str) -> str:
    """What kind of core or engine a task ran on, or empty."""
    line = _TASK_TYPES.get(name)
    return _(line) if line else ""


def about_op_type(name: str) -> str:
    """What an operator type is for, where its name does not say it, or empty."""
    line = _OP_TYPES.get(name)
    return _(line) if line else ""
