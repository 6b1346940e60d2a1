"""The machine that jobs run on: tools, toolkits, NPUs, disks. Plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui.model.problem import Problem

FoundBy = Literal["setting", "PATH", "environment", "default", ""]


@dataclass(frozen=True)
class Toolkit:
    """An installed CANN toolkit."""

    root: str
    version: str = ""
    """`8.0.RC3`, `8.5.1`; empty when no file says it."""
    script: str = ""
    """Its `set_env.sh`, or empty."""


@dataclass(frozen=True)
class FoundTool:
    """Where a tool is, or that it is not there."""

    name: str
    path: str = ""
    """Absolute path; empty when it was not found."""
    found_by: FoundBy = ""
    toolkit: Toolkit | None = None
    """The toolkit that holds it, when it lies in one."""
    variables: tuple[tuple[str, str | None], ...] = ()
    """What the environment needs so that it runs, taken from `set_env.sh`; empty when all is set already."""
    problem: str = ""
    """Why it cannot be used, translated; or empty."""
    hint: str = ""

    @property
    def usable(self) -> bool:
        """Whether it can be started."""
        return bool(self.path) and not self.problem


@dataclass(frozen=True)
class NpuProcess:
    """A process that `npu-smi` sees on an NPU."""

    pid: int
    name: str
    memory_mb: int | None = None
    user: str = ""
    """Who owns it, where the process can be seen from here; else empty."""


@dataclass(frozen=True)
class Npu:
    """One chip as `npu-smi info` shows it; None where it says nothing."""

    npu: int
    chip: int
    name: str
    """`310P3`, `910B4-1`, `Ascend910`: as printed."""
    health: str = ""
    bus_id: str = ""
    device: int | None = None
    """Physical id where the table has one; the logical id once `npu-smi info -m` is known."""
    power_w: float | None = None
    temp_c: float | None = None
    aicore_pct: float | None = None
    used_mb: int | None = None
    """Memory in use: HBM where the chip has it, else its DDR."""
    total_mb: int | None = None
    processes: tuple[NpuProcess, ...] = ()

    @property
    def is_busy(self) -> bool:
        """Whether something runs on it."""
        return bool(self.processes) or bool(self.aicore_pct)

    @property
    def soc_version(self) -> str:
        """Name for `--soc_version` of atc."""
        return self.name if self.name.startswith("Ascend") else f"Ascend{self.name}"


@dataclass(frozen=True)
class NpuReport:
    """What `npu-smi info` says."""

    npus: tuple[Npu, ...] = ()
    version: str = ""
    """Version of the driver as in its head line."""
    problem: str = ""
    """Why there is nothing to say, translated; or empty."""
    hint: str = ""


@dataclass(frozen=True)
class Disk:
    """Room on the file system of a folder."""

    path: str
    free_bytes: int
    total_bytes: int


@dataclass(frozen=True)
class Machine:
    """Everything that `doctor` looks at."""

    tools: tuple[FoundTool, ...] = ()
    toolkits: tuple[Toolkit, ...] = ()
    npus: NpuReport = NpuReport()
    driver_version: str = ""
    disks: tuple[Disk, ...] = ()
    problems: tuple[Problem, ...] = ()

    def tool(self, name: str) -> FoundTool:
        """The tool of that name; one without a path when it was not looked for."""
        return next((tool for tool in self.tools if tool.name == name), FoundTool(name))
