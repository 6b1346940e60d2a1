"""Problems of a command before it is started: what is wrong with which option, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tui.model.problem import Problem, Severity


def wrong(where: str, what: str, hint: str = "", consequence: str = "") -> Problem:
    """Something that the tool would refuse, or that must not be run."""
    return _problem("error", where, what, consequence, hint)


def doubtful(where: str, what: str, hint: str = "", consequence: str = "") -> Problem:
    """Something that the tool accepts but that does not do what one may expect."""
    return _problem("warn", where, what, consequence, hint)


def _problem(severity: Severity, where: str, what: str, consequence: str, hint: str) -> Problem:
    return Problem("", where, what, consequence, hint, severity)


def errors(problems: Iterable[Problem]) -> list[Problem]:
    """Those that keep a command from being started."""
    return [problem for problem in problems if problem.severity == "error"]


def listed(choices: Sequence[str]) -> str:
    """Accepted values for a sentence."""
    return ", ".join(choices)


def sentence(problem: Problem) -> str:
    """A problem in one line: place, fact, consequence, what to do."""
    fact = " ".join(filter(None, (problem.where, problem.what)))
    return " – ".join(filter(None, (fact, problem.consequence, problem.hint)))
