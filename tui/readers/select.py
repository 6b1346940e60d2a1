"""Which files of a profile make up the table that someone asks for."""

from __future__ import annotations

from collections.abc import Iterable

from tui.errors import NoSuchTable
from tui.i18n import _
from tui.model.iterations import exported_steps
from tui.model.sources import Profile, Role, SourceFile
from tui.readers.csv_plan import PartRequest, TableRequest
from tui.readers.names import COMMUNICATION_JSON, natural_key

PREFERRED: dict[str, tuple[str, ...]] = {
    "ops": ("op_summary", "kernel_details"),
    "op-types": ("op_statistic",),
    "apis": ("api_statistic", "acl_statistic", "acl", "runtime_api"),
    "tasks": ("task_time",),
    "steps": ("step_trace", "step_trace_time", "cluster_step_trace_time"),
    "communication": ("communication_statistic", "hccl_statistic"),
    "memory": ("operator_memory", "memory_record", "npu_module_mem", "npu_mem", "static_op_mem"),
}
"""Canonical kind → kinds of file that can stand for it, best first; one kind of file makes the table."""

_NO_TABLES: frozenset[Role] = frozenset({"timeline", "database", "raw", "environment", "advice", "foreign", "other"})


def table_request(profile: Profile, kind: str, device: str = "", iteration: str = "") -> TableRequest:
    """The files to read for a canonical kind (`ops`, `apis` …) or for the kind in a file's name (`fusion_op`).

    Args:
        device: Limits files that belong to one device; files that hold several are taken whole.
        iteration: Iterations of the old layout, as `parse_steps` reads them; empty, or ones that were not exported,
            takes the first that was.

    Raises:
        NoSuchTable: the profile has no such file.
    """
    files = _files(profile, kind)
    if not files:
        raise _no_such_table(profile, kind)
    files = _of_iteration(_of_device(files, device), iteration)
    parts = tuple(PartRequest(str(file.path), file.device, file.kind) for file in files)
    return TableRequest(kind, parts)


def request_of_file(file: SourceFile) -> TableRequest:
    """One file as a table of its own."""
    kind = next((kind for kind, files in PREFERRED.items() if file.kind in files), file.kind)
    return TableRequest(kind, (PartRequest(str(file.path), file.device, file.kind),))


def table_kinds(profile: Profile) -> tuple[str, ...]:
    """Every kind that `table_request` answers for a profile: canonical ones first, then those of other summaries."""
    canonical = [kind for kind in PREFERRED if _files(profile, kind)]
    standing = {file.kind for kind in canonical for file in _files(profile, kind)}
    others = {file.kind for file in profile.files if is_table(file)} - standing
    return (*canonical, *sorted(others))


def is_table(file: SourceFile) -> bool:
    """Whether a file of a profile counts and holds rows."""
    return file.used and file.role not in _NO_TABLES and file.kind not in COMMUNICATION_JSON


def _files(profile: Profile, kind: str) -> list[SourceFile]:
    tables = [file for file in profile.files if is_table(file)]
    for wanted in PREFERRED.get(kind, (kind,)):
        found = [file for file in tables if file.kind == wanted]
        if any(file.size_bytes for file in found):
            return sorted(found, key=_order)
    return sorted((file for file in tables if file.kind in PREFERRED.get(kind, (kind,))), key=_order)


def _order(file: SourceFile) -> tuple[object, ...]:
    device, model, iteration = natural_key(file.device), natural_key(file.model), natural_key(file.iteration)
    return (device, model, iteration, file.slice or 0, file.path.name)


def _of_device(files: list[SourceFile], device: str) -> list[SourceFile]:
    """Files of one device. API calls are the host's, repeated below each device: the first stands for all."""
    if not device and files[0].role == "apis":
        device = files[0].device
    chosen = [file for file in files if not device or file.device in ("", "host", device)]
    return chosen or files


def _of_iteration(files: list[SourceFile], iteration: str) -> list[SourceFile]:
    exported = sorted({file.iteration for file in files if file.iteration}, key=natural_key)
    if not exported:
        return files
    chosen = {"", *exported_steps(exported, iteration)}
    return [file for file in files if file.iteration in chosen]


def _no_such_table(profile: Profile, kind: str) -> NoSuchTable:
    message = _("{profile} has no {kind} table").format(profile=profile.name, kind=kind)
    options = _options(profile, kind)
    if options:
        return NoSuchTable(message, _("collect with {option}").format(option=options))
    known = ", ".join(table_kinds(profile))
    return NoSuchTable(message, _("it has: {kinds}").format(kinds=known) if known else _("it has no table at all"))


def _options(profile: Profile, kind: str) -> str:
    """What would have produced the kind, as far as the profile's missing files tell."""
    wanted: Iterable[str] = PREFERRED.get(kind, (kind,))
    return next(
        (item.option for item in profile.missing if item.option and item.name.startswith(tuple(wanted))),
        "",
    )
