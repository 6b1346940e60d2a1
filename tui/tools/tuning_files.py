"""Reports of tuning: all three generations of `aoe_result_opat_*.json`, sgat, and Auto Tune (formats: tools 3.5).

They are written while the tool runs and may end anywhere: what stands before the end is read.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from tui.i18n import _
from tui.model.problem import Problem
from tui.model.tuning import TunedOp, TuningResult

Kind = Literal["opat", "sgat", "autotune"]
MAX_BYTES = 256 << 20

_NAME = re.compile(r"(?:aoe_result_(opat|sgat)|(tune_result))_.*\.json")
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(us|µs|ms|s|%)?\s*$")
_LISTS = ("add_repo_operators", "update_repo_operators")
_KNOWN = frozenset((
    "model_baseline_performance(ms)", "model_result_performance(ms)", "model_performance_improvement",
    "opat_tuning_result", "opat_tune_result", "sgat_tuning_result", "sgat_tune_result", "repo_modified_operators",
    "repo_summary", "tune_failed_operators",
))  # fmt: skip
_MAX_DEPTH = 8


def kind_of(name: str) -> Kind | None:
    """What a file is by its name; None when it is no tuning report."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    return "autotune" if match.group(2) else match.group(1)  # type: ignore[return-value]


def read_tuning(path: Path) -> tuple[list[TuningResult], list[Problem]]:
    """The reports in one file, their rows ordered by what they save, and what could not be read of it."""
    kind = kind_of(path.name) or "opat"
    try:
        if path.stat().st_size > MAX_BYTES:
            return [], [_problem(path, _("the file is larger than 256 MiB"))]
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        return [], [_problem(path, _("it cannot be read: {reason}").format(reason=error.strerror or error))]
    data, complete = _decoded(text)
    if data is None:
        what = _("the file is empty") if not text.strip() else _("this is no JSON")
        return [], [_problem(path, what, _("it may still be written: look again"))]
    results = [replace(result, complete=complete) for result in _results(data, str(path), kind)]
    problems = (
        [] if complete else [_problem(path, _("it ends in the middle"), _("it may still be written: look again"))]
    )
    if not results:
        problems.append(_problem(path, _("its layout is not known"), _("open it as text")))
    return results, problems


def _problem(path: Path, what: str, hint: str = "") -> Problem:
    return Problem(str(path), "", what, _("what it lacks is not shown"), hint)


def _decoded(text: str) -> tuple[Any, bool]:
    """The JSON, and whether it is whole; of one that ends early, all that is complete. None when there is nothing."""
    try:
        return json.loads(text, parse_constant=_no_constant), True
    except RecursionError:
        return None, False
    except ValueError:
        pass
    for repaired in _closed(text):
        try:
            return json.loads(repaired, parse_constant=_no_constant), False
        except (ValueError, RecursionError):
            continue
    return None, False


def _no_constant(_name: str) -> float:
    """`NaN` and `Infinity` stand for a missing number."""
    return math.nan


def _closed(text: str) -> Iterator[str]:
    """The text cut behind each of its last complete values, with what is open closed; the longest first."""
    cuts: list[tuple[int, str]] = []
    stack: list[str] = []
    quoted = False
    for place, character in enumerate(text):
        if quoted:
            quoted = character != '"' or not _is_free(text, place)
        elif character == '"':
            quoted = True
        elif character in "[{":
            stack.append("]" if character == "[" else "}")
        elif character in "]}" and stack:
            stack.pop()
            cuts.append((place + 1, "".join(reversed(stack))))
        elif character == "," and stack:
            cuts.append((place, "".join(reversed(stack))))
        if len(cuts) > 64:
            del cuts[:32]
    for end, closing in reversed(cuts):
        yield text[:end] + closing


def _is_free(text: str, place: int) -> bool:
    """Whether the quote at `place` is not escaped: an even number of backslashes stands before it."""
    backslashes = 0
    while backslashes < place and text[place - 1 - backslashes] == "\\":
        backslashes += 1
    return backslashes % 2 == 0


def _results(data: Any, path: str, kind: Kind) -> Iterator[TuningResult]:
    if isinstance(data, dict) and any(_is_auto_tuned(value) for value in data.values()):
        yield _auto_tune(data, path)
    elif kind == "autotune":
        return
    elif isinstance(data, dict) and "op_name" in data:
        yield _with_ops(TuningResult(path, kind), [data], {})
    else:
        for report in _reports(data, 0):
            yield _report(report, path, kind)


def _reports(data: Any, depth: int) -> Iterator[list[dict[str, Any]]]:
    """Lists of `basic` and `OPAT` / `SGAT` parts, with or without keys like `report_…` around them."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(data, list):
        parts = [item for item in data if isinstance(item, dict)]
        if any({"basic", "OPAT", "SGAT"} & set(part) for part in parts):
            yield from _by_task(parts)
        elif any("op_name" in part for part in parts):
            yield [{"OPAT": {"repo_modified_operators": {"add_repo_operators": parts}}}]
        else:
            for item in data:
                yield from _reports(item, depth + 1)
    elif isinstance(data, dict):
        if {"basic", "OPAT", "SGAT"} & set(data):
            yield [data]
        else:
            for value in data.values():
                yield from _reports(value, depth + 1)


def _by_task(parts: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """One list per task: each begins with a `basic` part."""
    task: list[dict[str, Any]] = []
    for part in parts:
        if "basic" in part and task:
            yield task
            task = []
        task.append(part)
    if task:
        yield task


def _report(parts: Sequence[Mapping[str, Any]], path: str, kind: Kind) -> TuningResult:
    basic: dict[str, Any] = {}
    body: dict[str, Any] = {}
    for part in parts:
        basic.update(_dict(part.get("basic")))
        for name in ("OPAT", "SGAT"):
            if isinstance(part.get(name), dict):
                body.update(part[name])
                kind = "opat" if name == "OPAT" else "sgat"
    outcome = next((str(body[key]) for key in body if key.endswith(("_tuning_result", "_tune_result"))), "")
    failed = body.get("tune_failed_operators")
    result = TuningResult(
        path=path,
        kind=kind,
        name=str(basic.get("tuning_name", "")),
        model_before_ms=_known(body.get("model_baseline_performance(ms)"), "ms"),
        model_after_ms=_known(body.get("model_result_performance(ms)"), "ms"),
        claimed=str(body.get("model_performance_improvement", "")),
        outcome=outcome,
        tuning_time_s=_known(basic.get("tuning_time(s)"), "s"),
        failed_ops=tuple(map(str, failed)) if isinstance(failed, list) else (),
        summary={str(k): v for k, v in _dict(body.get("repo_summary")).items() if type(v) is int},
        rest={key: value for key, value in body.items() if key not in _KNOWN},
    )
    modified = _dict(body.get("repo_modified_operators"))
    lists = [(entry, name) for name in _LISTS for entry in _list(modified.get(name))]
    updates = {id(entry): name.partition("_")[0] for entry, name in lists}
    return _with_ops(result, [entry for entry, _name in lists], updates)


def _with_ops(result: TuningResult, entries: Sequence[Any], updates: Mapping[int, str]) -> TuningResult:
    rows = [
        _shared(op, result)
        for entry in entries
        if isinstance(entry, dict)
        for op in _ops_of(entry, updates.get(id(entry), ""))
    ]
    return replace(result, ops=by_saving(rows))


def _ops_of(entry: Mapping[str, Any], update: str) -> Iterator[TunedOp]:
    """One row, or one per tuner in the newest generation."""
    name, type_ = str(entry.get("op_name", "")), str(entry.get("op_type", ""))
    tuners = entry.get("tune_performance")
    if isinstance(tuners, dict):
        for tuner, times in tuners.items():
            if isinstance(times, dict):
                yield _op(name, type_, times, str(tuner), str(times.get("update_mode", update)))
        return
    yield _op(name, type_, entry, "", update)


def _op(name: str, type_: str, times: Mapping[str, Any], tuner: str, update: str) -> TunedOp:
    before = _number(times.get("performance_before_tune(us)"), "us")
    after = _number(times.get("performance_after_tune(us)"), "us")
    return TunedOp(name, type_, before, after, tuner, update, str(times.get("performance_improvement", "")))


def _shared(op: TunedOp, result: TuningResult) -> TunedOp:
    if not result.model_before_ms or math.isnan(op.saved):
        return op
    return replace(op, share_pct=op.saved / (result.model_before_ms * 1000) * 100)


def with_model_time(result: TuningResult, model_us: float) -> TuningResult:
    """The rows with what they save as a share of the time of the model, taken from a profile of it, µs."""
    if result.unit != "us" or not model_us > 0:
        return result
    rows = (op if math.isnan(op.saved) else replace(op, share_pct=100 * op.saved / model_us) for op in result.ops)
    return replace(result, ops=tuple(rows))


def by_saving(rows: Sequence[TunedOp]) -> tuple[TunedOp, ...]:
    """Rows by what they save, most first; those without times last, in the order of the file."""
    return tuple(sorted(rows, key=lambda op: math.inf if math.isnan(op.saved) else -op.saved))


def _is_auto_tuned(value: Any) -> bool:
    return isinstance(value, dict) and ("result_data" in value or "status_data" in value)


def _auto_tune(data: Mapping[str, Any], path: str) -> TuningResult:
    """`tune_result_*.json` of Auto Tune, which came before aoe: a key per fused operator, times in ticks."""
    rows: list[TunedOp] = []
    only_status: dict[str, Any] = {}
    for name, value in data.items():
        if not _is_auto_tuned(value) or "result_data" not in value:
            only_status[name] = value
            continue
        times, status = _dict(value["result_data"]), _dict(value.get("status_data"))
        update = next((word for key, word in _STATUS if status.get(key) is True), "")
        before, after = _number(times.get("before_tune"), ""), _number(times.get("after_tune"), "")
        rows.append(TunedOp(name, "", before, after, update=update))
    return TuningResult(path, "autotune", ops=by_saving(rows), unit="ticks", rest=only_status)


_STATUS = (("bank_append", "add"), ("bank_update", "update"), ("bank_reserved", "reserved"), ("bank_hit", "hit"))


def _number(value: Any, unit: str) -> float:
    """A number that may be text with a unit; NaN when it is none."""
    if isinstance(value, bool) or value is None:
        return math.nan
    if isinstance(value, (int, float)):
        return float(value) if math.isfinite(value) else math.nan
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return math.nan
    scale = _SCALES.get(match.group(2) or unit, 1.0) / _SCALES.get(unit, 1.0)
    return float(match.group(1)) * scale


_SCALES = {"us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}


def _known(value: Any, unit: str) -> float | None:
    number = _number(value, unit)
    return None if math.isnan(number) else number


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
