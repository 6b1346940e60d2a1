"""How a job ended: judged by its text and by the files on disk, never by exit code alone (formats: tools 0, rule 1)."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

from tui.i18n import _, ngettext
from tui.model.jobs import Job, JobResult, JobState
from tui.model.tuning import TuningOutcome
from tui.tools.consoles import Console, aoe_console, atc_console, infer_console, msprof_console
from tui.tools.log_lines import lines_of
from tui.tools.prof_dirs import NAME, device_data_missing, names_in, new_profiles, result_of, state_of
from tui.tools.tuning_dirs import bank_entries, is_report, new_files, tuning_outcome

NOT_SUPPORTED = 254
"""Exit code of msprof in a virtual instance."""


@dataclass(frozen=True)
class Verdict:
    """State, the reason for it, and what was found."""

    state: JobState
    reason: str = ""
    hint: str = ""
    notes: tuple[str, ...] = ()
    results: tuple[JobResult, ...] = ()
    claimed_gain_pct: float | None = None


def judged(job: Job, log: Path) -> Job:
    """The job with its verdict.

    Args:
        job: With its exit code; a stop that was asked for makes it stopped, whatever it printed.
        log: All that the tool printed.
    """
    verdict = _JUDGES.get(job.command.tool, _by_exit_code)(job, log)
    if job.stop_steps:
        verdict = replace(verdict, state="stopped", reason=_stopped(verdict), hint=_after_stop(job, verdict))
    return replace(
        job,
        state=verdict.state,
        reason=verdict.reason,
        hint=verdict.hint,
        notes=verdict.notes,
        results=verdict.results,
        claimed_gain_pct=verdict.claimed_gain_pct,
        bank_after=bank_entries(job.command.bank),
    )


def _after_stop(job: Job, verdict: Verdict) -> str:
    """How to make use of what a stopped job left."""
    raw = [result.path for result in verdict.results if result.kind == "profile" and not result.usable]
    if raw and job.command.purpose == "collect":
        return _("msprof --export=on --output={path}").format(path=raw[0])
    if job.command.tool == "aoe" and "--job_type=1" in job.command.argv:
        return _("the same command with --reload, in the same folder, goes on where it was")
    return ""


def _stopped(verdict: Verdict) -> str:
    usable = sum(result.usable for result in verdict.results)
    if not usable:
        return _("stopped by you")
    return ngettext(
        "stopped by you; {count} result is usable", "stopped by you; {count} results are usable", usable
    ).format(count=usable)


def _read(log: Path, reader: Callable[..., Console]) -> Console:
    with suppress(OSError):
        return reader(lines_of(log))
    return Console()


def _exit_text(code: int | None) -> str:
    if code is None:
        return _("its exit code is not known")
    if code < 0:
        name = signal.Signals(-code).name if -code in signal.valid_signals() and -code < 32 else str(-code)
        return _("it was ended by {signal}").format(signal=name)
    return _("it exited with code {code}").format(code=code)


def _failed(reason: str, hint: str, console: Console, results: tuple[JobResult, ...] = ()) -> Verdict:
    return Verdict("failed", reason, hint, console.notes, results)


def _common_failure(console: Console, results: tuple[JobResult, ...]) -> Verdict | None:
    """What any tool can fail of. Asked only when it did not succeed: a program may print such words at any time."""
    if console.full:
        hint = _("make room, then run it again; what it left may be cut off")
        return _failed(_("the disk is full: {line}").format(line=console.full), hint, console, results)
    if console.refused:
        hint = _("correct the option and start again")
        return _failed(_("it refused an option: {line}").format(line=console.refused), hint, console, results)
    return None


def _msprof(job: Job, log: Path) -> Verdict:
    console = _read(log, msprof_console)
    if job.command.purpose in ("export", "parse", "query", "analyze"):
        return _offline(job, console)
    profiles = new_profiles(job.command.output or job.command.cwd, job.before)
    results = tuple(map(result_of, profiles))
    notes = (*console.notes, *_missing_devices(profiles))
    if _is_good(job, console, results):
        return Verdict("done", "", "", (*notes, *console.errors), results)
    if job.command.purpose == "dynamic" and profiles and not (job.exit_code or console.app_failure):
        return Verdict("done", "", _("export each folder to open it"), notes, results)
    console = replace(console, notes=notes)
    return _msprof_failure(job, console, results) or _collection(job, console, profiles, results)


def _is_good(job: Job, console: Console, results: tuple[JobResult, ...]) -> bool:
    """Text and files agree that the collection went well; lines with errors are then those of the program."""
    said = console.name or console.succeeded
    bad = job.exit_code or console.app_failure or console.failed_steps or console.no_driver
    return bool(said and not bad and any(result.usable for result in results))


def _msprof_failure(job: Job, console: Console, results: tuple[JobResult, ...]) -> Verdict | None:
    if console.no_driver:
        hint = _("join the group HwHiAiUser, check npu-smi info, or give the container the NPU")
        reason = _("msprof cannot reach the driver: {line}").format(line=console.no_driver)
        return _failed(reason, hint, console, results)
    if console.full or (console.refused and not results):
        return _common_failure(console, results)
    if console.app_failure:
        reason = _("the program failed with {code}; msprof itself: {exit}").format(
            code=console.app_failure, exit=_exit_text(job.exit_code)
        )
        return _failed(reason, _("run the program alone first; its own lines are in the log"), console, results)
    if job.exit_code == NOT_SUPPORTED:
        return _failed(_("this is a virtual NPU, which msprof does not support here"), "", console, results)
    if console.no_data:
        hint = _("the program must call aclInit or GEInitialize and live until its end")
        return _failed(_("no data were collected: the program did not use the NPU"), hint, console, results)
    if console.failed_steps:
        reason = _("msprof could not finish: {steps}").format(steps=", ".join(console.failed_steps))
        return _failed(reason, _("export again, or with the msprof of another toolkit"), console, results)
    return _failed(console.errors[0], "", console, results) if console.errors else None


def _collection(job: Job, console: Console, profiles: list[Path], results: tuple[JobResult, ...]) -> Verdict:
    """A collection that did not go well and does not say why: the files tell."""
    hint = _("look at the end of the log")
    if not profiles:
        reason = _("there is no new PROF folder in {path}; {exit}").format(
            path=job.command.output or job.command.cwd, exit=_exit_text(job.exit_code)
        )
        return _failed(reason, hint, console)
    if job.exit_code:
        return _failed(_exit_text(job.exit_code), hint, console, results)
    states = [state_of(profile) for profile in profiles]
    if all(state == "empty" for state in states):
        hint = _("look for a full disk or a missing permission")
        return _failed(_("the PROF folder is empty"), hint, console, results)
    if "exported" not in states:
        hint = _("msprof --export=on --output={path}").format(path=profiles[0])
        return _failed(_("the data were collected but not exported"), hint, console, results)
    return _failed(_("msprof did not say that it finished"), hint, console, results)


def _missing_devices(profiles: list[Path]) -> tuple[str, ...]:
    lacking = [profile.name for profile in profiles if device_data_missing(profile)]
    return tuple(_("{name} has no data of a device").format(name=name) for name in lacking)


def _offline(job: Job, console: Console) -> Verdict:
    output = Path(job.command.output)
    exported = [output] if NAME.fullmatch(output.name) else [Path(output, name) for name in names_in(str(output))]
    results = tuple(map(result_of, exported)) if job.command.purpose == "export" else ()
    failure = _msprof_failure(job, console, results)
    if failure:
        return failure
    if job.exit_code:
        return _failed(_exit_text(job.exit_code), _("look at the end of the log"), console, results)
    if console.failed_steps or (results and not any(result.usable for result in results)):
        hint = _("try the msprof of another toolkit, or look at mindstudio_profiler_log")
        return _failed(_("nothing was exported, although msprof says it is done"), hint, console, results)
    return Verdict("done", "", "", console.notes, results)


def _aoe(job: Job, log: Path) -> Verdict:
    console = _read(log, aoe_console)
    command, outcome = job.command, tuning_outcome(job)
    reports = tuple(JobResult("tuning", str(path)) for path in filter(is_report, new_files(job)))
    models = tuple(JobResult("model", path) for path in outcome.models)
    entries = bank_entries(command.bank)
    bank = (JobResult("bank", command.bank, _added(job.bank_before, entries)),) if entries else ()
    results = (*reports, *models, *bank)
    if not console.succeeded and (failure := _common_failure(console, results)) is not None:
        return failure
    if not console.succeeded:
        return _failed(_aoe_reason(job, console), _aoe_hint(console), console, results)
    return Verdict("done", "", "", console.notes, results, _claimed_pct(outcome, console))


def _added(before: int | None, after: int | None) -> str:
    if before is None or after is None:
        return ""
    return _("{before} entries before, {after} after").format(before=before, after=after)


def _aoe_reason(job: Job, console: Console) -> str:
    if console.codes:
        code, text = next(((code, text) for code, text in console.codes if code.startswith("E")), console.codes[0])
        return _("aoe says {code}: {text}").format(code=code, text=text)
    return _("aoe did not say that it finished; {exit}").format(exit=_exit_text(job.exit_code))


def _aoe_hint(console: Console) -> str:
    hints = {
        "EG0002": _("make the folder of TUNE_BANK_PATH, with all rights for you"),
        "EG0003": _("correct the option and start again"),
        "EG0013": _("look at npu-smi info: nobody else may tune on this NPU"),
    }
    return next((hints[code] for code, _text in console.codes if code in hints), _("look at the end of the log"))


def _claimed_pct(outcome: TuningOutcome, console: Console) -> float | None:
    """What the tool says, as printed; else what the report of the model says of its times."""
    if console.gains_pct:
        return console.gains_pct[-1]
    gains = [result.model_gain_pct for result in outcome.results if result.model_gain_pct is not None]
    return round(gains[-1], 2) if gains else None


def _atc(job: Job, log: Path) -> Verdict:
    console = _read(log, atc_console)
    base = Path(job.command.model) if job.command.model else None
    results = tuple(JobResult("model", str(path)) for path in new_files(job))
    if base is not None and base.is_file():
        results = (*results, JobResult("output", str(base)))
    if not console.succeeded and (failure := _common_failure(console, results)) is not None:
        return failure
    if not console.succeeded:
        code, text = console.codes[0] if console.codes else ("", _exit_text(job.exit_code))
        reason = ": ".join(filter(None, (_("the model was not built"), code, text)))
        return _failed(reason, _("look at the end of the log"), console, results)
    if base is not None and not results:
        return _failed(_("atc says success, but {path} is not there").format(path=base), "", console)
    return Verdict("done", "", "", console.notes, results)


def _infer(job: Job, log: Path) -> Verdict:
    console = _read(log, infer_console)
    results = tuple(JobResult("profile", str(path)) for path in new_profiles(job.command.output, job.before))
    if os.path.isdir(job.command.output):
        results = (*results, JobResult("output", job.command.output))
    if not console.succeeded and (failure := _common_failure(console, results)) is not None:
        return failure
    if not console.succeeded:
        reason = console.errors[0] if console.errors else _exit_text(job.exit_code)
        return _failed(reason, _("look at the end of the log"), console, results)
    mean = (
        ()
        if console.mean_ms is None
        else (_("mean time of an inference {time} ms").format(time=f"{console.mean_ms:g}"),)
    )
    return Verdict("done", "", "", (*console.notes, *mean), results)


def _by_exit_code(job: Job, log: Path) -> Verdict:
    """For tools that print no mark of success."""
    console = _read(log, infer_console)
    bad = job.exit_code or console.errors
    if bad and (failure := _common_failure(console, ())) is not None:
        return failure
    if bad:
        reason = console.errors[0] if console.errors else _exit_text(job.exit_code)
        return _failed(reason, _("look at the end of the log"), console)
    results = (JobResult("output", job.command.output),) if os.path.isdir(job.command.output) else ()
    return Verdict("done", "", "", (), results)


_JUDGES: Mapping[str, Callable[[Job, Path], Verdict]] = {
    "msprof": _msprof,
    "aoe": _aoe,
    "atc": _atc,
    "msame": _infer,
    "ais_bench": _infer,
}
