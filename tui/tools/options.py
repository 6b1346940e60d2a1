"""Options of the tools as tables: what values each takes. The checks that need more than one option are elsewhere."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from tui.i18n import _
from tui.model.problem import Problem
from tui.tools.problems import listed, wrong

OptionKind = Literal["switch", "choice", "int", "list", "text", "path", "flag"]


@dataclass(frozen=True)
class Option:
    """One option of a tool, without the dashes."""

    name: str
    kind: OptionKind
    choices: tuple[str, ...] = ()
    """Values of `choice` and `list`; a form offers them."""
    low: int = 0
    high: int = 0
    """Limits of `int`, both allowed."""
    default: str = ""
    """What the tool takes when the option is left out; empty when that depends."""
    needs: tuple[str, str] | None = None
    """Another option and the value it must have, or the tool passes this one over."""
    deprecated: bool = False
    unit: str = ""
    chips: tuple[str, ...] = ()
    """Chip families that know it, by prefix of their name; empty: all as far as known."""
    not_chips: tuple[str, ...] = ()


def switch(name: str, default: str = "off", deprecated: bool = False, **more: tuple[str, ...]) -> Option:
    """An option that is `on` or `off`."""
    return Option(name, "switch", ("on", "off"), default=default, deprecated=deprecated, **more)  # type: ignore[arg-type]


def number(
    name: str, low: int, high: int, default: str = "", needs: tuple[str, str] | None = None, unit: str = ""
) -> Option:
    """An option that is a whole number."""
    return Option(name, "int", low=low, high=high, default=default, needs=needs, unit=unit)


def value_problems(option: Option, value: str) -> Iterator[Problem]:
    """What is wrong with one value by itself."""
    where = f"--{option.name}"
    if not value and option.kind != "flag":
        yield wrong(where, _("has no value"), _("write it as {form}").format(form=f"{where}=…"))
    elif option.kind in ("switch", "choice") and value not in option.choices:
        yield wrong(where, _("cannot be {value}").format(value=repr(value)), _accepted(option.choices))
    elif option.kind == "list" and option.choices:
        for part in value.split(","):
            if part not in option.choices:
                yield wrong(where, _("cannot be {value}").format(value=repr(part)), _accepted(option.choices))
    elif option.kind == "int" and not _in_range(value, option.low, option.high):
        hint = _("a whole number from {low} to {high}").format(low=option.low, high=option.high)
        yield wrong(where, _("cannot be {value}").format(value=repr(value)), hint)


def _accepted(choices: tuple[str, ...]) -> str:
    return _("accepted: {choices}").format(choices=listed(choices))


def _in_range(value: str, low: int, high: int) -> bool:
    return value.isascii() and value.isdigit() and low <= int(value) <= high


def unknown_option(name: str, known: Iterable[str]) -> Problem:
    """An option that the tool does not have, with the closest that it has."""
    close = difflib.get_close_matches(name, list(known), 1, 0.6)
    hint = _("did you mean --{name}?").format(name=close[0]) if close else _("leave it out")
    return wrong(f"--{name}", _("is not an option of this tool"), hint)


def chip_problems(options: Mapping[str, str], table: Mapping[str, Option], chip: str) -> Iterator[Problem]:
    """Options that this chip does not have.

    Args:
        chip: Name as `npu-smi` prints it (`310P3`, `910B4-1`); empty when it is not known.
    """
    family = chip.replace("Ascend", "")
    for name in options:
        option = table.get(name)
        if option is None or not family:
            continue
        absent = any(_is_family(family, other) for other in option.not_chips)
        if absent or (option.chips and not any(_is_family(family, other) for other in option.chips)):
            yield wrong(f"--{name}", _("is not there on {chip}").format(chip=chip), _("leave it out"))


def _is_family(chip: str, family: str) -> bool:
    """`310P3` is of `310P` but not of `310`, whose names have no letter behind the number."""
    rest = chip[len(family) :]
    return chip.startswith(family) and not (family.isdigit() and rest[:1].isalpha())
