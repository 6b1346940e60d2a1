"""What a path turned out to be: profiles, their files, what is missing, and the environment they were collected in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tui.model.problem import Problem

Role = Literal[
    "ops", "op-types", "apis", "tasks", "steps", "communication", "memory", "table", "timeline", "database",
    "advice", "environment", "raw", "foreign", "other", "profile", "folder",
]  # fmt: skip


@dataclass(frozen=True)
class SourceFile:
    """One file (or raw folder) of a profile; found by name and size, its content not read."""

    path: Path
    kind: str
    """Kind in the file's name (`op_summary`, `kernel_details`, `msprof`, `l2_cache`), or empty."""
    role: Role
    size_bytes: int
    device: str = ""
    """Device the file belongs to by its path or name (`0`), or empty when the rows say it themselves."""
    model: str = ""
    iteration: str = ""
    slice: int | None = None
    date: str = ""
    """14 digits of the export, or empty."""
    used: bool = True
    note: str = ""
    """Why it is not used, or what is special: "older export", "text is used instead", "empty"."""


@dataclass(frozen=True)
class Missing:
    """A file that such a profile could hold but does not."""

    name: str
    role: Role
    option: str
    """Option of `msprof` (or setting of the framework) that would have produced it; empty when none would."""
    consequence: str
    expected: bool
    """False when its absence is normal here (single device: no communication)."""


@dataclass(frozen=True)
class Device:
    """One NPU as the side-car files describe it. 0 or empty where not recorded."""

    id: str
    chip: str = ""
    ai_core_num: int = 0
    aiv_num: int = 0
    ai_cpu_num: int = 0
    aic_frequency_mhz: float = 0.0
    ended_cleanly: bool | None = None
    """False when `end_info` is absent although raw files exist; None when not knowable."""


@dataclass(frozen=True)
class Environment:
    """How the profile was collected; everything may be empty."""

    cann_version: str = ""
    host_name: str = ""
    process_name: str = ""
    rank: str = ""
    level: str = ""
    """Task-time or profiler level: `l0`, `l1`, `Level1` …"""
    metrics: str = ""
    """Group of AI Core metrics, e.g. `PipeUtilization`."""
    options: tuple[tuple[str, str], ...] = ()
    """Further settings of the collection, as found."""
    start_ns: int = 0
    """Wall-clock start of the collection, ns; 0 when unknown."""
    end_ns: int = 0


@dataclass(frozen=True)
class Profile:
    """One collection: the files of one PROF_* directory, one framework output, or one file opened alone."""

    name: str
    """Short name for titles."""
    root: Path
    kind: Literal["msprof", "torch", "mindspore", "mindspore-legacy", "cluster", "file", "raw", "foreign", "other"]
    generation: str
    """`G1a`, `G1b`, `G2`, `G3`, `G4`, or empty when not decidable (formats: CANN generations)."""
    files: tuple[SourceFile, ...]
    devices: tuple[Device, ...] = ()
    environment: Environment = field(default_factory=Environment)
    iterations: tuple[str, ...] = ()
    """Iterations exported as separate files (old layout), else empty."""
    missing: tuple[Missing, ...] = ()
    problems: tuple[Problem, ...] = ()

    def files_of(self, role: Role) -> tuple[SourceFile, ...]:
        """Used files of one role, slices in numeric order."""
        found = [file for file in self.files if file.used and file.role == role]
        found.sort(key=lambda file: (file.kind, file.device, file.iteration, file.slice or 0, file.path.name))
        return tuple(found)


@dataclass(frozen=True)
class Sources:
    """Everything found at one path."""

    path: Path
    profiles: tuple[Profile, ...]
    problems: tuple[Problem, ...] = ()
    """Problems of no single profile (unreadable folder, symlink loop)."""
