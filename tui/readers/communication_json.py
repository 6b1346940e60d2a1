"""`communication.json`: what each collective moved over which kind of link (formats: frameworks §2)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from tui.i18n import _
from tui.model.finding import LinkUse
from tui.model.problem import Problem

_MOST_US = 1 << 53
MAX_BYTES = 64 << 20
"""Larger files are not read: a rank of a usual job has some MB."""


def read_communication(path: Path) -> tuple[list[LinkUse], list[Problem]]:
    """Every use of a link by a collective, and why there is none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return [], [_problem(path, _("the file is too large"))]
        data = json.loads(path.read_bytes(), parse_float=str)  # times become whole ns from their text
    except OSError as error:
        return [], [_problem(path, _("cannot be read: {reason}").format(reason=error.strerror or error))]
    except (ValueError, RecursionError):
        return [], [_problem(path, _("this is no JSON"))]
    return list(_uses(data)), []


def _problem(path: Path, what: str) -> Problem:
    return Problem(str(path), "", what, _("rules about communication are not evaluated"), "")


def _uses(data: Any) -> Iterator[LinkUse]:
    """Step → `collective` or `p2p` → name of the collective and its group → times and links."""
    for step in _mapping(data).values():
        for kind in _mapping(step).values():
            for name, entry in _mapping(kind).items():
                op = name.partition("@")[0]
                if not op.startswith("Total"):
                    yield from _of_collective(op, _mapping(entry))


def _of_collective(op: str, entry: dict[str, Any]) -> Iterator[LinkUse]:
    times = _mapping(entry.get("Communication Time Info"))
    elapse_ms, wait_ms = _number(times.get("Elapse Time(ms)")), _number(times.get("Wait Time(ms)"))
    start_ns = _ns(times.get("Start Timestamp(us)"))
    for transport, link in _mapping(entry.get("Communication Bandwidth Info")).items():
        values = _mapping(link)
        size_mb = _number(values.get("Transit Size(MB)"))
        if size_mb > 0:
            yield LinkUse(
                op, str(transport), size_mb, _number(values.get("Transit Time(ms)")),
                _number(values.get("Bandwidth(GB/s)")), elapse_ms, start_ns, wait_ms,
                tuple(_sizes(values.get("Size Distribution"))),
            )  # fmt: skip


def _sizes(value: Any) -> Iterator[tuple[float, float, float]]:
    """`"2.064384": [12, 1.57]`: size of a packet in MB → number, time in ms."""
    for size, pair in _mapping(value).items():
        if isinstance(pair, list) and len(pair) == 2:
            yield _number(size), _number(pair[0]), _number(pair[1])


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _ns(value: Any) -> int:
    """Whole ns of a time in µs as the file has it; 0 when it is none."""
    try:
        time_us = Decimal(str(value))
        return int(time_us * 1000) if time_us.is_finite() and 0 <= time_us < _MOST_US else 0
    except ArithmeticError:
        return 0


def _number(value: Any) -> float:
    """A number, or text of one; 0 for anything else and for what is below 0 or not finite."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if 0 <= number < float("inf") else 0.0
