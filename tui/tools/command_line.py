"""Command lines as people read and edit them, and how getopt reads them. Nothing here is ever run by a shell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tui.errors import BadExpression
from tui.i18n import _
from tui.model.jobs import Command


def command_text(command: Command, with_env: bool = True) -> str:
    """The command line as it could be typed: variables in front, each word quoted where it must be."""
    variables = [f"{name}={shlex.quote(value)}" for name, value in shown_variables(command) if value is not None]
    taken = [name for name, value in shown_variables(command) if value is None]
    prefix = ["env", *(word for name in taken for word in ("-u", name))] if taken else []
    return " ".join([*(prefix + variables if with_env else ()), shlex.join(command.argv)])


def shown_variables(command: Command) -> tuple[tuple[str, str | None], ...]:
    """The variables that were chosen for this command, without the search paths of the toolkit."""
    return tuple((name, value) for name, value in command.env if name in _CHOSEN)


_CHOSEN = frozenset(("TUNE_BANK_PATH", "ASCEND_DEVICE_ID", "REPEAT_TUNE", "TE_PARALLEL_COMPILER", "TUNING_PARALLEL_NUM",
                     "MSIT_NO_MSPROF_MODE", "PROFILING_MODE", "ASCEND_WORK_PATH", "ASCEND_CACHE_PATH"))  # fmt: skip


def words_of(text: str) -> tuple[str, ...]:
    """The words of a command line that was edited: quotes are read as a shell reads them, nothing else is.

    Raises:
        BadExpression: a quote is not closed, or there is no word.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise BadExpression(_("the command line has a quote that is not closed"), position=len(text)) from error
    if not words:
        raise BadExpression(_("the command line is empty"), _("name a program"))
    return words


def variables_and_words(text: str) -> tuple[tuple[tuple[str, str | None], ...], tuple[str, ...]]:
    """Variables in front of an edited command line (`TUNE_BANK_PATH=/bank aoe …`), and its words.

    Raises:
        BadExpression: as `words_of`.
    """
    words = list(words_of(text))
    variables: list[tuple[str, str | None]] = []
    if words[0] == "env":
        words.pop(0)
        while len(words) > 1 and words[0] == "-u":
            variables.append((words[1], None))
            del words[:2]
    while words and (name := words[0].partition("=")[0]).isidentifier() and "=" in words[0]:
        variables.append((name, words.pop(0).partition("=")[2]))
    if not words:
        raise BadExpression(_("the command line is empty"), _("name a program"))
    return tuple(variables), tuple(words)


@dataclass(frozen=True)
class ReadOptions:
    """Options of a command line of the getopt kind."""

    values: Mapping[str, str]
    """Values by long name, without dashes; flags have an empty value."""
    rest: tuple[str, ...] = ()
    """Words that belong to no option."""
    valueless: tuple[str, ...] = ()
    """Options at the end that lack their value."""


def read_options(arguments: Sequence[str], short: Mapping[str, str], flags: frozenset[str]) -> ReadOptions:
    """Reads `--name=value`, `--name value` and `-n value`.

    Args:
        short: Long names of the one-letter options, without dashes.
        flags: Long names of options that take no value.
    """
    values: dict[str, str] = {}
    rest: list[str] = []
    valueless: list[str] = []
    words = list(arguments)
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            rest.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        name = name if word.startswith("--") else short.get(name, name)
        if not equals and name not in flags:
            if words and not words[0].startswith("--"):
                value = words.pop(0)
            else:
                valueless.append(name)
                continue
        values[name] = value
    return ReadOptions(values, tuple(rest), tuple(valueless))
