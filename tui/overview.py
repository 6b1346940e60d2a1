"""What the Overview screen and `report` say first: is the data fit, where did the time go, what takes longest."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from tui.i18n import _, ngettext
from tui.model import ops
from tui.model.problem import Problem
from tui.model.sources import Environment, Profile
from tui.model.split import Span, Split, split_of, split_of_times
from tui.model.table import Table
from tui.model.text import is_missing
from tui.model.view import View, apply_view
from tui.session import Session
from tui.units import elapsed_text, number_text

TOP_ROWS = 10


@dataclass(frozen=True)
class HealthLine:
    """One line about the fitness of the data."""

    severity: Literal["ok", "info", "warn", "error"]
    fact: str
    consequence: str = ""
    hint: str = ""


@dataclass(frozen=True)
class TopRow:
    """One row of a top list."""

    name: str
    count: int
    total_us: float
    share_pct: float
    """Of device time for operators, of the profile's span for APIs; NaN when that is not known."""
    level: str = ""
    """Level of an API."""


@dataclass(frozen=True)
class OverviewData:
    """Everything on the Overview."""

    health: tuple[HealthLine, ...]
    """The verdict first, then what limits the views, worst first."""
    environment: tuple[tuple[str, str], ...]
    """(label, text) of what is known about the collection."""
    span: Span | None
    split: Split | None
    split_missing: str
    """Why there is no split; empty when there is one."""
    top_ops: tuple[TopRow, ...]
    top_ops_by: str
    """Column that the operators are summed by: `op_type`, or `op_name` where no types were collected."""
    top_apis: tuple[TopRow, ...]
    not_evaluated: tuple[str, ...]
    """What this profile or this version cannot say, and why."""

    @property
    def is_empty(self) -> bool:
        """True when the profile tells neither operators nor APIs nor times."""
        return not self.top_ops and not self.top_apis and self.span is None


def overview(session: Session, top_rows: int = TOP_ROWS, problems: Sequence[Problem] = ()) -> OverviewData:
    """Gathers the overview of the chosen profile; reads operators, APIs and timelines that are not read yet.

    Args:
        problems: What the caller has found besides, in the timeline.
    """
    table = session.optional("ops")
    apis = session.optional("apis")
    span = session.span()
    split = split_of(table, apis, span) if table is not None and span is not None else None
    if split is None and span is not None:
        split = split_of_times(session.device_times(), span)
    by = _top_key(table)
    return OverviewData(
        health=tuple(health(session.profile, table, problems)),
        environment=tuple(environment_lines(session.profile)),
        span=span,
        split=split,
        split_missing="" if split else _split_missing(table),
        top_ops=tuple(_top_ops(table, by, top_rows) if table is not None else _top_types(session, top_rows)),
        top_ops_by=by,
        top_apis=tuple(top_apis(apis, top_rows)) if apis is not None else (),
        not_evaluated=tuple(_not_evaluated(table, apis)),
    )


def health(profile: Profile, table: Table | None, more: Sequence[Problem] = ()) -> Iterator[HealthLine]:
    """The verdict on the data, then what limits it, worst first."""
    found = (*profile.problems, *(table.problems if table is not None else ()), *more)
    problems = {(problem.path, problem.where, problem.what): problem for problem in found}.values()
    lines = [
        HealthLine(problem.severity, problem_fact(problem, profile.root), problem.consequence, problem.hint)
        for problem in problems
    ]
    lines += [_missing_line(name, option, why) for name, option, why in _missing(profile)]
    if table is not None and not _has_types(table):
        fact = _("{kind} has no operator types (task-time l0)").format(kind=_kind(profile))
        lines.append(HealthLine("warn", fact, _("types and bounds are off"), _("collect with l1")))
    order = ("error", "warn", "info", "ok")
    lines.sort(key=lambda line: order.index(line.severity))
    serious = sum(line.severity in ("error", "warn") for line in lines)
    yield HealthLine("ok" if not serious else "warn", _verdict(serious), _scope(profile))
    yield from lines


def problem_fact(problem: Problem, root: Path) -> str:
    """File (below `root` where it is), place and fact of a problem."""
    path = problem.path[len(str(root)) + 1 :] if problem.path.startswith(f"{root}{os.sep}") else problem.path
    path = root.name if path == str(root) else path
    return ": ".join(part for part in (path, problem.where, problem.what) if part)


def _verdict(serious: int) -> str:
    if not serious:
        return _("complete")
    message = ngettext("{count} problem limits what can be said", "{count} problems limit what can be said", serious)
    return message.format(count=serious)


def _scope(profile: Profile) -> str:
    """`1 device · 2 iterations · level l1 · core metrics PipeUtilization`, as far as known."""
    devices, iterations = len(profile.devices), len(profile.iterations)
    environment = profile.environment
    facts = (
        ngettext("{count} device", "{count} devices", devices).format(count=devices) if devices else "",
        ngettext("{count} iteration", "{count} iterations", iterations).format(count=iterations) if iterations else "",
        _("level {level}").format(level=environment.level) if environment.level else "",
        _("core metrics {group}").format(group=environment.metrics) if environment.metrics else "",
    )
    return " · ".join(fact for fact in facts if fact)


def _missing(profile: Profile) -> list[tuple[str, str, str]]:
    return [(entry.name, entry.option, entry.consequence) for entry in profile.missing if entry.expected]


def _missing_line(name: str, option: str, consequence: str) -> HealthLine:
    hint = _("collect with {option}").format(option=option) if option else ""
    return HealthLine("info", _("no {name}").format(name=name), consequence, hint)


def _kind(profile: Profile) -> str:
    return next((file.kind for file in profile.files_of("ops")), "op_summary")


def _has_types(table: Table) -> bool:
    """False when every operator type is missing."""
    column = table.text("op_type")
    return not table.row_count or (column is not None and any(not is_missing(text) for text in column.strings))


def environment_lines(profile: Profile) -> Iterator[tuple[str, str]]:
    """What is known about machine and collection, label and text."""
    environment = profile.environment
    for device in profile.devices:
        cores = f"{device.ai_core_num} AI Core" if device.ai_core_num else ""
        vector = f"{device.aiv_num} AIV" if device.aiv_num else ""
        clock = f"{number_text(device.aic_frequency_mhz, 0)} MHz" if device.aic_frequency_mhz else ""
        text = " · ".join(part for part in (device.chip, cores, vector, clock) if part)
        if text:
            yield _("NPU {number}").format(number=device.id), text
    yield from ((label, text) for label, text in _settings(environment) if text)
    known = (environment.level, environment.metrics)
    yield from (option for option in environment.options if option[1] not in known)


def _settings(environment: Environment) -> tuple[tuple[str, str], ...]:
    duration_ns = environment.end_ns - environment.start_ns
    known = environment.start_ns > 0 and duration_ns > 0
    return (
        ("CANN", environment.cann_version),
        (_("host"), environment.host_name),
        (_("process"), environment.process_name),
        (_("rank"), environment.rank),
        (_("level"), environment.level),
        (_("core metrics"), environment.metrics),
        (_("collected for"), elapsed_text(duration_ns / 1e9) if known else ""),
    )


def _split_missing(table: Table | None) -> str:
    if table is None or not table.row_count:
        return _("no operators, so the time cannot be split")
    return _("operators have no start times, so the time cannot be split")


def _top_key(table: Table | None) -> str:
    return "op_type" if table is None or _has_types(table) else "op_name"


def _top_ops(table: Table, by: str, count: int) -> Iterator[TopRow]:
    """Operators by total, communication left out: it overlaps the others."""
    shown = apply_view(table, View(group=(by,)))
    names, groups = shown.table.text(by), shown.groups
    totals, shares = shown.table.number("total_us"), shown.table.number("share_pct")
    if names is None or totals is None or shares is None or groups is None:
        return
    counts = np.diff(groups.starts)
    rows = [row for row in shown.rows.tolist() if shares[row] == shares[row]]
    for row in rows[:count]:
        yield TopRow(names.strings[int(names.codes[row])], int(counts[row]), float(totals[row]), float(shares[row]))


def _top_types(session: Session, count: int) -> Iterator[TopRow]:
    """Types of op_statistic, where a profile has their sums but not the operators."""
    table = session.optional("op-types")
    names, totals = (table.text("op_type"), table.number("total_time_us")) if table is not None else (None, None)
    if table is None or names is None or totals is None:
        return
    counts, shares = table.number("count"), table.number("ratio_pct")
    for row in apply_view(table, View()).rows[:count].tolist():
        calls = int(counts[row]) if counts is not None and counts[row] == counts[row] else 0
        share = float(shares[row]) if shares is not None else float("nan")
        yield TopRow(names.strings[int(names.codes[row])], calls, float(totals[row]), share)


def top_apis(table: Table, count: int) -> Iterator[TopRow]:
    """APIs of the AscendCL level by time where there is such a level: lower levels run inside of them."""
    time, names, level = table.number("time_us"), table.text("api_name"), table.text("level")
    calls, shares = table.number("count"), table.number("span_pct")
    if time is None or names is None:
        return
    rows = apply_view(table, View(sort=(("time_us", True),))).rows
    levels = [""] * len(rows) if level is None else level.texts(rows)
    top_level = "acl" in levels
    picked = [(row, text) for row, text in zip(rows.tolist(), levels) if not top_level or text == "acl"]
    for row, text in picked[:count]:
        yield TopRow(
            names.strings[int(names.codes[row])],
            int(calls[row]) if calls is not None and calls[row] == calls[row] else 0,
            float(time[row]),
            float(shares[row]) if shares is not None else float("nan"),
            text,
        )


def _not_evaluated(table: Table | None, apis: Table | None) -> Iterator[str]:
    if table is None:
        yield _("top_ops: the profile has no table of operators")
    elif not ops.pipe_columns(table):
        yield _("bound: no ratios of the pipelines were collected (core metrics PipeUtilization)")
    if apis is None:
        yield _("top_apis: the profile has neither API statistics nor a timeline with API calls")
