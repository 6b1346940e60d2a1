"""`prof_rule_*.json`: the tuning advice that msprof wrote until 2024-08 (formats: msprof §3.11)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tui.i18n import _
from tui.model.advice import Advice
from tui.model.problem import Problem


def read_advice(path: Path) -> tuple[list[Advice], list[Problem]]:
    """The suggestions of one file, and what could not be understood of it."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        what = _("the file cannot be read ({reason})").format(reason=error.strerror or error)
        return [], [_problem(path, what, _("check that it exists and that you may read it"))]
    except (ValueError, RecursionError):
        return [], [_problem(path, _("this is no JSON"), _("export again if you need its advice"))]
    advice = list(_advice_in(data))
    if advice or _says_nothing(data):
        return advice, []
    return [], [_problem(path, _("its layout is not known"), "")]


def _problem(path: Path, what: str, hint: str) -> Problem:
    return Problem(str(path), "", what, _("the advice of msprof is not shown"), hint)


def _says_nothing(data: Any) -> bool:
    """Whether the file is well formed but holds no advice."""
    return isinstance(data, dict) and isinstance(data.get("data"), list)


def _advice_in(data: Any) -> Iterator[Advice]:
    for rule in _dicts(data.get("data") if isinstance(data, dict) else data):
        for result in _dicts(rule.get("result")):
            suggestion = _text(result.get("rule_suggestion"))
            if suggestion:
                ops = result.get("op_list")
                names = tuple(_text(name) for name in ops) if isinstance(ops, list) else ()
                yield Advice(_text(rule.get("rule_type")), _text(result.get("rule_subtype")), suggestion, names)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
