"""`npu-smi info`: the NPUs of this machine (formats: tools 6). Cells are told by `|` and headings, not by position."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tui.i18n import _
from tui.model.machine import Npu, NpuProcess, NpuReport
from tui.tools.query import Finished, ask

_VERSION = re.compile(r"npu-smi\s+(\S+)")
_HEADING = re.compile(r"[\w-]+(?:\([^)]*\))?")
_VALUE = re.compile(r"\S+\s*/\s*\S+|\S+")
_NO_DRIVER = re.compile(r"dcmi mod(?:ule|el) initiali[sz]ed? failed|DrvMngGetConsoleLogLevel failed|ret is -80\d\d")

_KEY_ROWS = 2
"""Rows of the table per chip."""


def npu_report(program: str = "npu-smi", limit_s: float = 10.0) -> NpuReport:
    """The NPUs now, with the logical ids that tools take as device. Asks the driver: never on the screen's thread."""
    report = _judged(ask((program, "info"), limit_s=limit_s))
    if not report.npus:
        return report
    mapping = ask((program, "info", "-m"), limit_s=limit_s)
    npus = with_logical_ids(report.npus, mapping.text) if mapping.returncode == 0 else report.npus
    return replace(report, npus=tuple(map(_with_owners, npus)))


def _with_owners(npu: Npu) -> Npu:
    return replace(npu, processes=tuple(replace(process, user=_owner(process)) for process in npu.processes))


def _owner(process: NpuProcess) -> str:
    """Whose process it is; empty when it is not seen from this container, or another has its number."""
    try:
        with open(f"/proc/{process.pid}/comm", encoding="utf-8", errors="replace") as file:
            if file.read().strip()[:15] != process.name[:15]:
                return ""
        return pwd.getpwuid(os.stat(f"/proc/{process.pid}").st_uid).pw_name
    except (OSError, KeyError):
        return ""


def _judged(answer: Finished) -> NpuReport:
    if answer.missing:
        return NpuReport(
            problem=_("npu-smi is not found"),
            hint=_("install the Ascend driver; viewing profiles works without it"),
        )
    if answer.timed_out:
        return NpuReport(
            problem=_("npu-smi does not answer"), hint=_("the driver hangs: look at dmesg, or reset the NPU")
        )
    report = parse_info(answer.text)
    if report.npus:
        return report
    if _NO_DRIVER.search(answer.text):
        return replace(
            report,
            problem=_("npu-smi cannot reach the driver"),
            hint=_("join the group HwHiAiUser, or give the container the NPU (/dev/davinci*)"),
        )
    return replace(report, problem=_("npu-smi names no NPU"), hint=_("run npu-smi info yourself to see why"))


def parse_info(text: str) -> NpuReport:
    """The table of `npu-smi info` for 310P, 910B and 910A3, and the processes below it."""
    version = _VERSION.search(text)
    chips: list[Npu] = []
    processes: dict[tuple[int, int], list[NpuProcess]] = {}
    for heads, rows in _tables(text):
        if heads and heads[0][1:2] == ["Process id"]:
            _take_processes(rows, processes)
        elif len(heads) >= _KEY_ROWS:
            chips += _chips(heads, rows)
    npus = tuple(replace(chip, processes=tuple(processes.get((chip.npu, chip.chip), ()))) for chip in chips)
    return NpuReport(npus, version.group(1) if version else "")


def _tables(text: str) -> Iterator[tuple[list[list[str]], list[list[str]]]]:
    """Headings and rows of each table; lines mean nothing, since that of the 910A3 has them between chips too."""
    heads: list[list[str]] = []
    rows: list[list[str]] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        word = cells[0].partition(" ")[0]
        if word == "NPU":
            yield heads, rows
            heads, rows = [cells], []
        elif word == "Chip":
            heads.append(cells)
        elif word.isdecimal():
            rows.append(cells)
    yield heads, rows


def _chips(heads: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> Iterator[Npu]:
    full = [row for row in rows if len(row) >= 3]
    for first, second in zip(full[::2], full[1::2]):
        npu, name = [*first[0].split(), "", ""][:2]
        ids = second[0].split()
        if not npu.isdecimal() or not ids or not ids[0].isdecimal():
            continue
        values = {**_named(heads[0][-1], first[-1]), **_named(heads[1][-1], second[-1])}
        used_mb, total_mb = _memory(values)
        yield Npu(
            npu=int(npu),
            chip=int(ids[0]),
            name=name,
            health=first[1],
            bus_id=second[1],
            device=int(ids[1]) if len(ids) > 1 and ids[1].isdecimal() else None,
            power_w=_number(values.get("Power")),
            temp_c=_number(values.get("Temp")),
            aicore_pct=_number(values.get("AICore")),
            used_mb=used_mb,
            total_mb=total_mb,
        )


def _named(headings: str, cell: str) -> Mapping[str, str]:
    """Values of a cell by the word of their heading: `97.1 34 0 / 0` → Power, Temp, Hugepages-Usage."""
    names = [heading.partition("(")[0] for heading in _HEADING.findall(headings)]
    return dict(zip(names, _VALUE.findall(cell)))


def _memory(values: Mapping[str, str]) -> tuple[int | None, int | None]:
    """Used and total, MB: HBM where there is any, else the memory of the chip."""
    for name in ("HBM-Usage", "Memory-Usage"):
        used, _slash, total = values.get(name, "").partition("/")
        if total.strip().isdecimal() and int(total) > 0:
            return (int(used) if used.strip().isdecimal() else None), int(total)
    return None, None


def _number(text: str | None) -> float | None:
    """A number; None for `NA` and for the `-` of the second chip."""
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _take_processes(rows: Sequence[Sequence[str]], processes: dict[tuple[int, int], list[NpuProcess]]) -> None:
    for row in rows:
        ids = row[0].split()
        if len(row) < 3 or len(ids) < 2 or not (ids[0].isdecimal() and ids[1].isdecimal() and row[1].isdecimal()):
            continue
        memory_mb = int(row[-1]) if len(row) > 3 and row[-1].isdecimal() else None
        name = row[-2] if len(row) > 3 else row[-1]
        processes.setdefault((int(ids[0]), int(ids[1])), []).append(NpuProcess(int(row[1]), name, memory_mb))


def with_logical_ids(npus: Sequence[Npu], text: str) -> tuple[Npu, ...]:
    """The NPUs with the logical ids of `npu-smi info -m`, which are the device ids of the tools."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    head = next((line for line in lines if "Logic" in line), [])
    column = 2 if head else -1
    logic: dict[tuple[int, int], int] = {}
    for cells in lines:
        if column > 0 and len(cells) > column and all(cell.isdecimal() for cell in cells[: column + 1]):
            logic[int(cells[0]), int(cells[1])] = int(cells[column])
    return tuple(replace(npu, device=logic.get((npu.npu, npu.chip), npu.device)) for npu in npus)
