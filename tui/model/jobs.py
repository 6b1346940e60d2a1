"""Jobs: what a tool was asked to do, how it goes and what it left, as screens and reports take them. Plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ToolName = Literal["msprof", "aoe", "atc", "msame", "ais_bench", "msaccucmp"]

JobState = Literal["queued", "running", "done", "failed", "stopped", "lost"]
JOB_STATES: tuple[JobState, ...] = ("queued", "running", "done", "failed", "stopped", "lost")
LIVE_STATES: frozenset[JobState] = frozenset(("queued", "running"))
"""States of a job that is not over."""

Purpose = Literal[
    "collect", "system", "dynamic", "export", "parse", "query", "analyze", "tune", "build", "infer", "compare"
]  # fmt: skip

ResultKind = Literal["profile", "tuning", "model", "bank", "output"]


@dataclass(frozen=True)
class Command:
    """One program to start: never a shell string."""

    tool: ToolName
    argv: tuple[str, ...]
    """Program and arguments; each reaches the program as it is."""
    cwd: str
    """Absolute working directory."""
    purpose: Purpose = "collect"
    env: tuple[tuple[str, str | None], ...] = ()
    """What differs from the environment of whoever starts it; None takes a variable away."""
    output: str = ""
    """Absolute folder in which results appear; empty: `cwd`."""
    model: str = ""
    """Absolute path of the model that an aoe or atc writes; empty when it chooses the name itself."""
    bank: str = ""
    """Folder of the knowledge bank (`TUNE_BANK_PATH`), or empty."""
    devices: tuple[int, ...] = ()
    """NPUs that nothing else of ours may use meanwhile."""
    reads_input: bool = False
    """True in dynamic mode: commands can be sent, and the input never ends by itself."""
    title: str = ""
    """What is tuned, measured or built, for lists."""
    preset: str = ""
    """Name of the preset it came from, or empty."""
    baseline: str = ""
    """Profile that was measured before, for a comparison with what comes; or empty."""


@dataclass(frozen=True)
class ProcessId:
    """A process that cannot be confused with a later one of the same number."""

    pid: int
    start_ticks: int
    """Start time as in field 22 of `/proc/PID/stat`: clock ticks since boot."""


@dataclass(frozen=True)
class JobResult:
    """Something that a job left on disk."""

    kind: ResultKind
    path: str
    note: str = ""
    """What is special about it, translated: not exported, empty; or empty."""
    usable: bool = True


@dataclass(frozen=True)
class StopStep:
    """One signal, or one line of input, that was sent to end a job."""

    at_s: float
    """Seconds since the epoch."""
    what: str
    """`SIGINT`, `SIGTERM`, `SIGKILL`, or the line of input."""
    target: Literal["leader", "group", "input"]


@dataclass(frozen=True)
class Job:
    """What is known of a job: the content of its `job.json`."""

    id: int
    command: Command
    state: JobState = "queued"
    created_s: float = 0.0
    """Seconds since the epoch, like the other times."""
    started_s: float | None = None
    ended_s: float | None = None
    host: str = ""
    boot: str = ""
    """Identity of the run of the kernel, without which a pid means nothing."""
    supervisor: ProcessId | None = None
    process: ProcessId | None = None
    """The tool; it leads its own process group and session, both of its pid."""
    exit_code: int | None = None
    """Exit code; −n when signal n ended it; None while unknown."""
    reason: str = ""
    """Why the state is what it is, translated for whoever started the job: one sentence, or empty."""
    hint: str = ""
    """What to do about it, or empty."""
    notes: tuple[str, ...] = ()
    """What else should be known: warnings of the tool, data that were not exported."""
    results: tuple[JobResult, ...] = ()
    before: tuple[str, ...] = ()
    """Names that were in the output folder before the start."""
    bank_before: int | None = None
    """Entries of the knowledge bank before the start."""
    bank_after: int | None = None
    claimed_gain_pct: float | None = None
    """What a tuning says it gained, in percent of the time before; to be set against the measured gain."""
    left_behind: tuple[int, ...] = ()
    """Processes of the job that still ran when it was over."""
    stop_steps: tuple[StopStep, ...] = ()
    stop_waits_s: tuple[float, ...] = ()
    """How long each step of a stop may take, seconds; empty takes the usual ones."""
    low_disk: str = ""
    """Warning about little free disk, with the time it was seen; or empty."""
    language: str = ""
    """Language of the texts in it."""

    @property
    def is_live(self) -> bool:
        """Whether the job is not over."""
        return self.state in LIVE_STATES


@dataclass(frozen=True)
class Progress:
    """How far a running tool is, as recognised from its output."""

    step: str = ""
    """Id of the step: `collect`, `parse`, `export`, `query`, `done` for msprof, `tune`, `done` for aoe."""
    steps: tuple[str, ...] = ()
    """All steps of such a run, in order."""
    share_pct: float | None = None
    """From the progress bar of the tool, if it draws one."""
    ops_tuned: int | None = None
    gain_pct: float | None = None
    """Improvement so far as the tool says it, in percent of the time before."""
    device_ms: float | None = None
    """Last time of one inference that msame or ais_bench printed, ms."""
