"""What a path holds, what it lacks, and what is wrong with it: the headless twin of the Files screen.

`check` reads every file once. The result says it as JSON (`to_json`) or as text (`to_text`), and as an exit code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui.i18n import N_, _, ngettext
from tui.model.problem import Problem
from tui.model.sources import Device, Environment, Missing, Profile, Role, SourceFile, Sources
from tui.model.text import cell_width, padded, shown
from tui.readers.database import read_database
from tui.readers.discover import discover
from tui.readers.missing import missing_frequency
from tui.readers.select import is_table, request_of_file
from tui.readers.tables import open_table, read_advice
from tui.readers.trace_scan import TraceSummary, flow_pairs_across, scan_trace_steps
from tui.readers.trace_stored import stored_summary
from tui.readers.trace_times import ns_of_us
from tui.units import size_text

ROLE_NAMES: dict[Role, str] = {
    "ops": N_("ops"),
    "op-types": N_("op types"),
    "apis": N_("APIs"),
    "tasks": N_("tasks"),
    "steps": N_("steps"),
    "communication": N_("communication"),
    "memory": N_("memory"),
    "table": N_("table"),
    "timeline": N_("timeline"),
    "database": N_("database"),
    "advice": N_("advice"),
    "environment": N_("environment"),
    "raw": N_("raw"),
    "foreign": N_("foreign"),
    "other": N_("other"),
    "profile": N_("profile"),
    "folder": N_("folder"),
}
"""How roles are called on screen; catalogue keys."""


Watch = Callable[[str, int, int], None]
"""Told (file, bytes done, bytes in all) while a long file is read."""


@dataclass(frozen=True)
class FileCheck:
    """One file, read."""

    file: SourceFile
    path: str
    """Relative to the path that was checked."""
    rows: int | None = None
    """Rows of a table, None for other files."""
    trace: TraceSummary | None = None
    tables: Mapping[str, int] | None = None
    """Rows by table of a database."""
    problems: tuple[Problem, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether there is something to show: a table (even without rows), events, or tables of a database."""
        if not self.file.size_bytes or self.file.role == "raw":
            return False
        if self.trace is not None:
            return self.trace.events > 0 or not self.trace.problems
        return self.rows is not None or bool(self.tables)


@dataclass(frozen=True)
class CheckResult:
    """What was found at a path."""

    sources: Sources
    files: tuple[FileCheck, ...]
    problems: tuple[Problem, ...]
    """Problems of the search, the profiles and the files, each once."""
    missing: tuple[tuple[Missing, ...], ...]
    """What each profile lacks, in the order of the profiles."""

    @property
    def exit_code(self) -> int:
        """0 ok, 1 warnings, 2 nothing usable."""
        if not any(entry.usable for entry in self.files):
            return 2
        return 1 if any(problem.severity != "info" for problem in self.problems) else 0


def check(path: Path, watch: Watch | None = None) -> CheckResult:
    """Reads everything at a path that can be read; of timelines in the store, the store says what they hold.

    Raises:
        NotAProfile: the path does not exist, or nothing there is known.
    """
    sources = discover(path)
    files = tuple(_checked(file, sources.path, watch) for profile in sources.profiles for file in profile.files)
    found = [*sources.problems]
    for profile in sources.profiles:
        found.extend(profile.problems)
    for entry in files:
        found.extend(entry.problems)
    return CheckResult(sources, files, _each_once(found), tuple(_missing(sources, files)))


def _each_once(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Without repeats: the search and the reader may both see that a file is empty."""
    return tuple({(problem.path, problem.where, problem.what): problem for problem in problems}.values())


def _checked(file: SourceFile, base: Path, watch: Watch | None) -> FileCheck:
    path = _relative(file.path, base)
    if not file.used and file.role != "database":
        return FileCheck(file, path)
    if not file.size_bytes:
        return FileCheck(file, path)
    if file.role == "timeline":
        summary = _scanned(file, watch)
        return FileCheck(file, path, trace=summary, problems=summary.problems or _no_events(file, summary))
    if file.role == "database":
        database = read_database(file.path)
        return FileCheck(file, path, tables=database.tables, problems=database.problems)
    if file.role == "advice":
        advice, problems = read_advice(file.path)
        return FileCheck(file, path, rows=len(advice), problems=tuple(problems))
    if is_table(file):
        table = open_table(request_of_file(file))
        return FileCheck(file, path, rows=table.row_count, problems=table.problems)
    return FileCheck(file, path)


def _relative(path: Path, base: Path) -> str:
    if path == base:
        return path.name
    return path.relative_to(base).as_posix() if base in path.parents else str(path)


def _scanned(file: SourceFile, watch: Watch | None) -> TraceSummary:
    stored = stored_summary(file)
    if stored is not None:
        return stored
    for step in scan_trace_steps(file.path):
        if isinstance(step, TraceSummary):
            return step
        if watch is not None:
            watch(str(file.path), step.bytes_done, step.bytes_total)
    raise AssertionError("a scan ends with its summary")


def _no_events(file: SourceFile, summary: TraceSummary) -> tuple[Problem, ...]:
    if summary.events:
        return ()
    what = _("the list of events is empty")
    return (Problem(str(file.path), "", what, _("there is no timeline to show"), _("export again"), "warn"),)


def _missing(sources: Sources, files: tuple[FileCheck, ...]) -> Iterator[tuple[Missing, ...]]:
    for profile, entries in _by_profile(sources, files):
        tracks = [track for entry in entries if entry.trace is not None for track in entry.trace.tracks]
        counters = missing_frequency(track.process for track in tracks) if tracks and profile.missing else ()
        yield (*profile.missing, *counters)


def _by_profile(sources: Sources, files: tuple[FileCheck, ...]) -> Iterator[tuple[Profile, tuple[FileCheck, ...]]]:
    place = 0
    for profile in sources.profiles:
        yield profile, files[place : place + len(profile.files)]
        place += len(profile.files)


def _slices(entries: Iterable[FileCheck]) -> list[TraceSummary]:
    """The slices of the timeline of a profile; empty when it is whole, or when several were cut."""
    sliced = [entry for entry in entries if entry.trace is not None and entry.file.slice is not None]
    timelines = {(entry.file.kind, entry.file.device, entry.file.iteration) for entry in sliced}
    return [entry.trace for entry in sliced if entry.trace is not None] if len(timelines) == 1 < len(sliced) else []


def _together(slices: list[TraceSummary]) -> dict[str, Any]:
    """The counts of slices as one timeline: they add up, and flows from one into another are pairs."""
    phases: Counter[str] = Counter()
    for summary in slices:
        phases.update(summary.events_by_phase)
    timed = [summary for summary in slices if summary.first_ts]
    return {
        "events_by_phase": dict(sorted(phases.items())),
        "flow_pairs": flow_pairs_across(slices),
        "first_ts": min(timed, key=lambda summary: summary.start_ns).first_ts if timed else "",
        "last_ts": max((summary.last_ts for summary in timed), key=lambda text: ns_of_us(text) or 0, default=""),
    }


def to_json(result: CheckResult) -> dict[str, Any]:
    """The result as plain values: `kind, generation, devices, files, problems`, `profiles` when there are several.

    The entry of a timeline also has `events_by_phase, flow_pairs, first_ts, last_ts` (and how many events are `lost` or
    `recovered` in a damaged one), that of a database `tables`. The object itself has them too when the path is that one
    file, or holds slices of one timeline: then of all together.
    """
    profiles = result.sources.profiles
    files = [_file_json(entry) for entry in result.files]
    found: dict[str, Any] = {
        "kind": _common([profile.kind for profile in profiles], "mixed"),
        "generation": _common([profile.generation for profile in profiles], ""),
        "devices": [_device_json(device) for profile in profiles for device in profile.devices],
        "files": files,
        "problems": [_problem_json(problem, result.sources.path) for problem in result.problems],
    }
    if len(profiles) > 1:
        found["profiles"] = [profile.name for profile in profiles]
    if len(files) == 1 and found["kind"] == "file":
        found.update({key: value for key, value in files[0].items() if key not in ("path", "role", "rows", "problem")})
    slices = _slices(result.files)
    return {**found, **_together(slices)} if slices and len(profiles) == 1 else found


def _common(values: list[str], mixed: str) -> str:
    return values[0] if len(set(values)) == 1 else mixed


def _file_json(entry: FileCheck) -> dict[str, Any]:
    found: dict[str, Any] = {
        "path": entry.path,
        "role": entry.file.role,
        "rows": entry.rows,
        "problem": _file_problem(entry) or None,
    }
    if entry.trace is not None:
        found["events_by_phase"] = dict(entry.trace.events_by_phase)
        found["flow_pairs"] = entry.trace.flow_pairs
        found["first_ts"] = entry.trace.first_ts
        found["last_ts"] = entry.trace.last_ts
        damage = {"recovered": entry.trace.recovered, "lost": entry.trace.lost}
        found.update({key: count for key, count in damage.items() if count})
    if entry.tables is not None:
        found["tables"] = dict(entry.tables)
    return found


def _file_problem(entry: FileCheck) -> str:
    if entry.problems:
        return entry.problems[0].what
    return _("the file is empty") if entry.file.used and not entry.file.size_bytes and entry.file.role != "raw" else ""


def _device_json(device: Device) -> dict[str, Any]:
    return {
        "id": device.id,
        "chip": device.chip,
        "ai_core_num": device.ai_core_num,
        "aiv_num": device.aiv_num,
        "ai_cpu_num": device.ai_cpu_num,
        "aic_frequency_mhz": device.aic_frequency_mhz,
        "ended_cleanly": device.ended_cleanly,
    }


def _problem_json(problem: Problem, base: Path) -> dict[str, Any]:
    return {
        "path": _relative(Path(problem.path), base),
        "where": problem.where,
        "what": problem.what,
        "consequence": problem.consequence,
        "hint": problem.hint,
    }


def to_text(result: CheckResult) -> str:
    """The result for people: each profile with its files and what it lacks, the problems, a line that sums up."""
    lines: list[str] = []
    for (profile, entries), missing in zip(_by_profile(result.sources, result.files), result.missing):
        lines += [*_profile_lines(profile, entries, missing), ""]
    lines += [*_problem_lines(result), _last_line(result)]
    return "\n".join(lines) + "\n"


def _profile_lines(profile: Profile, entries: tuple[FileCheck, ...], missing: tuple[Missing, ...]) -> Iterator[str]:
    yield "  ".join(
        filter(None, (shown(profile.name), profile.kind, profile.generation, *_environment(profile.environment)))
    )
    for device in profile.devices:
        yield "  " + _device_line(device)
    yield from _aligned([_file_cells(entry) for entry in entries if entry.file.role != "environment"], right=3)
    slices = _slices(entries)
    if slices:
        yield "     " + _slices_line(slices)
    described = sum(entry.file.role == "environment" for entry in entries)
    if described:
        yield "     " + ngettext("{count} side-car file", "{count} side-car files", described).format(count=described)
    absent = [_missing_cells(item) for item in missing if item.expected]
    if absent:
        yield _("missing")
        yield from _aligned(absent)
    unexpected = [item.name for item in missing if not item.expected]
    if unexpected:
        yield _("not collected, which is normal here: {names}").format(names=", ".join(unexpected))


def _slices_line(slices: list[TraceSummary]) -> str:
    events = sum(summary.events for summary in slices)
    pairs = flow_pairs_across(slices)
    return ", ".join(
        (
            ngettext("{count} slice of one timeline", "{count} slices of one timeline", len(slices)).format(
                count=len(slices)
            ),
            ngettext("{count} event", "{count} events", events).format(count=events),
            ngettext("{count} flow", "{count} flows", pairs).format(count=pairs),
        )
    )


def _environment(environment: Environment) -> Iterator[str]:
    if environment.cann_version:
        yield f"CANN {shown(environment.cann_version)}"
    if environment.rank:
        yield _("rank {rank}").format(rank=shown(environment.rank))
    yield from map(shown, filter(None, (environment.level, environment.metrics, environment.process_name)))


def _device_line(device: Device) -> str:
    facts = [_("device {id}").format(id=shown(device.id)), shown(device.chip)]
    facts.append(_("{count} AI cores").format(count=device.ai_core_num) if device.ai_core_num else "")
    facts.append(_("{count} vector cores").format(count=device.aiv_num) if device.aiv_num else "")
    facts.append(f"{device.aic_frequency_mhz:g} MHz" if device.aic_frequency_mhz else "")
    if device.ended_cleanly is not None:
        facts.append(_("ended cleanly") if device.ended_cleanly else _("did not end cleanly"))
    return "  ".join(filter(None, facts))


def _file_cells(entry: FileCheck) -> tuple[str, ...]:
    role = _(ROLE_NAMES[entry.file.role])
    return (_mark(entry), shown(entry.path), role, size_text(entry.file.size_bytes), _content(entry))


def _mark(entry: FileCheck) -> str:
    if _file_problem(entry):
        return "!"
    return "+" if entry.usable and entry.file.used else " "


def _content(entry: FileCheck) -> str:
    parts: list[str] = []
    if entry.rows is not None:
        parts.append(ngettext("{count} row", "{count} rows", entry.rows).format(count=entry.rows))
    if entry.trace is not None:
        parts.append(ngettext("{count} event", "{count} events", entry.trace.events).format(count=entry.trace.events))
        if entry.trace.flow_pairs:
            parts.append(
                ngettext("{count} flow", "{count} flows", entry.trace.flow_pairs).format(count=entry.trace.flow_pairs)
            )
    if entry.tables is not None:
        parts.append(ngettext("{count} table", "{count} tables", len(entry.tables)).format(count=len(entry.tables)))
    return ", ".join(filter(None, (*parts, entry.file.note, _file_problem(entry) if not entry.file.note else "")))


def _missing_cells(item: Missing) -> tuple[str, ...]:
    return ("-", item.name, _(ROLE_NAMES[item.role]), item.option, item.consequence)


def _aligned(rows: list[tuple[str, ...]], right: int = -1) -> Iterator[str]:
    """Rows of equal length in columns; the column `right` is filled from the left."""
    if not rows:
        return
    widths = [max(cell_width(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = [padded(cell, widths[place], right=place == right) for place, cell in enumerate(row)]
        yield ("  " + "  ".join(cells)).rstrip()


def _problem_lines(result: CheckResult) -> Iterator[str]:
    for problem in result.problems:
        where = f" {problem.where}" if problem.where else ""
        place = _relative(Path(problem.path), result.sources.path)
        sentence = " – ".join(filter(None, (problem.what, problem.consequence, problem.hint)))
        yield shown(f"{_MARKS[problem.severity]} {place}{where}: {sentence}")


_MARKS = {"error": "x", "warn": "!", "info": "i"}


def _last_line(result: CheckResult) -> str:
    warnings = sum(problem.severity == "warn" for problem in result.problems)
    errors = sum(problem.severity == "error" for problem in result.problems)
    absent = sum(item.expected for missing in result.missing for item in missing)
    parts = [
        ngettext("{count} error", "{count} errors", errors).format(count=errors) if errors else "",
        ngettext("{count} warning", "{count} warnings", warnings).format(count=warnings)
        if warnings
        else _("no warnings"),
        ngettext("{count} file missing", "{count} files missing", absent).format(count=absent)
        if absent
        else _("nothing missing"),
        "" if result.exit_code < 2 else _("nothing usable"),
    ]
    return ", ".join(filter(None, parts))
