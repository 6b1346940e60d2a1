"""Which files of one folder count when an export was repeated or sliced (formats: msprof 1.1, 7, traps 11, 12, 42)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import islice

from tui.i18n import _, ngettext
from tui.model.problem import Problem
from tui.model.sources import SourceFile

SLICE_GAP_S = 600.0
"""Slices of one export are written one after another; more than this apart they are of different exports."""
MAX_HOLES_NAMED = 8


def newest_exports(files: Iterable[SourceFile]) -> tuple[SourceFile, ...]:
    """Marks all but the newest export of each kind as not used. Order is kept."""
    listed = list(files)
    groups: dict[tuple[str, ...], list[SourceFile]] = {}
    for file in listed:
        groups.setdefault(_set_key(file), []).append(file)
    newest = {id(file) for group in groups.values() for file in _newest(group)}
    return tuple(file if id(file) in newest or not file.used else _older(file) for file in listed)


def _set_key(file: SourceFile) -> tuple[str, ...]:
    """Files of equal key are exports, or slices, of the same content."""
    return (str(file.path.parent), file.kind, file.role, _suffix(file), file.device, file.model, file.iteration)


def _suffix(file: SourceFile) -> str:
    return "" if file.kind and file.role != "other" and file.date else file.path.name


def _older(file: SourceFile) -> SourceFile:
    return replace(file, used=False, note=_("older export"))


def _newest(group: list[SourceFile]) -> list[SourceFile]:
    """The newest export: its newest slice, and the slices before it that were written shortly before."""
    ordered = sorted(group, key=lambda file: (file.date, file.slice or 0), reverse=True)
    latest = ordered[0].date
    chosen = [file for file in ordered if file.date == latest]
    for file in ordered[len(chosen) :]:
        if _continues(file, chosen[-1]):
            chosen.append(file)
    return chosen


def _continues(earlier: SourceFile, first: SourceFile) -> bool:
    """Whether `earlier` is the slice before `first`; the first slice may carry no number."""
    if not first.slice or (earlier.slice or 0) >= first.slice:
        return False
    return _seconds_between(earlier.date, first.date) <= SLICE_GAP_S


def _seconds_between(earlier: str, later: str) -> float:
    try:
        return (_moment(later) - _moment(earlier)).total_seconds()
    except ValueError:
        return 0.0 if earlier == later else float("inf")


def _moment(date: str) -> datetime:
    return datetime.strptime(date, "%Y%m%d%H%M%S")


def slice_holes(files: Iterable[SourceFile]) -> tuple[Problem, ...]:
    """One problem for each sliced set of used files that lacks a slice."""
    sets: dict[tuple[str, ...], list[SourceFile]] = {}
    unnamed: set[tuple[str, ...]] = set()
    for file in files:
        key = (str(file.path.parent), file.kind, file.path.suffix)
        if file.used and file.slice is None:
            unnamed.add(key)
        elif file.used:
            sets.setdefault(key, []).append(file)
    return tuple(problem for key, group in sets.items() for problem in _holes(group, key in unnamed))


def _holes(group: list[SourceFile], first_is_unnamed: bool) -> list[Problem]:
    numbers = {file.slice for file in group if file.slice is not None}
    wanted = range(1 if first_is_unnamed else 0, max(numbers) + 1)
    holes = [str(number) for number in islice((number for number in wanted if number not in numbers), MAX_HOLES_NAMED)]
    if not holes:
        return []
    what = ngettext("slice {numbers} of {kind} is missing", "slices {numbers} of {kind} are missing", len(holes))
    return [
        Problem(
            str(group[0].path.parent),
            "",
            what.format(numbers=", ".join(holes), kind=group[0].kind),
            _("rows and events of that part are not shown"),
            _("copy the missing files, or export again"),
            "error",
        )
    ]
