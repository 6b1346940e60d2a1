"""Commands and options that suit how a profile was collected: by msprof, or by the profiler of a framework."""

from __future__ import annotations

from tui.model.finding import Command
from tui.model.sources import Profile

_FRAMEWORKS = ("torch", "mindspore", "mindspore-legacy")
_OF_FRAMEWORK = {
    "--task-time=l1": "profiler_level=Level1",
    "--ascendcl=on": "profiler_level=Level1",
    "--aic-metrics=PipeUtilization": "aic_metrics=PipeUtilization",
    "--aic-metrics=ResourceConflictRatio": "aic_metrics=ResourceConflictRatio",
    "msprof --analyze=on --rule=communication": "profiler_level=Level1",
}
"""Option of msprof → setting of the profiler of a framework."""
_FRAMEWORK_ONLY = ("activities: CPU", "gc_detect_threshold")


def is_framework(profile: Profile) -> bool:
    """Whether a framework's own profiler collected it."""
    return profile.kind in _FRAMEWORKS


def option_for(profile: Profile, option: str) -> str:
    """The option as such a profile is collected with; empty where it has none."""
    if is_framework(profile):
        return _OF_FRAMEWORK.get(option, option)
    return "" if option in _FRAMEWORK_ONLY else option


def collect(profile: Profile, *options: str) -> Command | None:
    """A new collection of the same program; None where msprof does not start it.

    Only the program's name is recorded: the Run form asks for its path.
    """
    if is_framework(profile):
        return None
    program = profile.environment.process_name or "main"
    return Command("msprof", (f"--application=./{program}", *options, "--output=./prof_again"))


def tune(profile: Profile, job_type: int) -> Command | None:
    """A tuning run of the model; None where a framework runs operators one by one. The Run form asks for the model."""
    if is_framework(profile):
        return None
    return Command("aoe", ("--model=./model.onnx", "--framework=5", f"--job_type={job_type}"))
