"""The filter grammar: terms joined by space (and), `|` (or), `!` (not), parentheses.

A term is a text, searched in all text columns with smart case, or `column op value` with `= != < <= > >= ~ !~`.
`type=Cast|TransData` lists alternatives, `==` takes the case of a text as it stands; a quotation mark within quotation
marks is written twice. A time with a unit compared with a point in time counts from the first one of the column, `@`
before it takes it as it stands in the file. Cells without a value match `=N/A` only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Union

import numpy as np
from numpy.typing import NDArray

from tui.errors import BadExpression
from tui.i18n import _
from tui.model.find import matching_rows, regex_matcher, smart_flags, text_columns, text_matcher
from tui.model.names import is_key, resolve_key
from tui.model.ops import column_of
from tui.model.table import MISSING_NS, NumberColumn, Table, TextColumn, TimeColumn
from tui.model.text import is_missing
from tui.units import in_unit, is_time_unit, parse_quantity

Mask = NDArray[np.bool_]

_COMPARISON = re.compile(r"""(?P<name>"[^"]*"|[^\s()|!=<>~"]+)\s*(?P<op>!=|!~|<=|>=|==?|<|>|~)\s*""")
_WORD = re.compile(r"[^\s|()]+")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
"""A value with anything in it; a quotation mark is written twice."""
_SPACE = re.compile(r"\s*")
_LATE_UNIT = re.compile(r"\s+(%|[a-zA-Zµ]{1,3}(?:/s)?)(?=[\s|)]|$)")


@dataclass(frozen=True)
class TextTerm:
    """A text that some text column must contain."""

    text: str


@dataclass(frozen=True)
class Comparison:
    """`column op value`; several values are alternatives."""

    key: str
    op: str
    values: tuple[str, ...]
    position: int


@dataclass(frozen=True)
class Not:
    """Rows that `part` does not match."""

    part: Node


@dataclass(frozen=True)
class Join:
    """Rows that all parts match (`and`), or any (`or`)."""

    word: str
    parts: tuple[Node, ...]


Node = Union[TextTerm, Comparison, Not, Join]


def filter_mask(table: Table, expression: str) -> Mask:
    """Rows of `table` that match the expression; all for an empty one. Shape (rows,).

    Raises:
        BadExpression: the expression cannot be read, or compares what cannot be compared.
    """
    node = parse_filter(table, expression)
    return np.ones(table.row_count, np.bool_) if node is None else _mask(table, node)


def parse_filter(table: Table, expression: str) -> Node | None:
    """Reads an expression about `table`; None for an empty one.

    Raises:
        BadExpression: with the position of the first character that cannot be read.
    """
    parser = _Parser(table, expression)
    parser.skip_space()
    if parser.at_end():
        return None
    node = parser.alternatives()
    if not parser.at_end():
        raise BadExpression(_("a closing parenthesis without an opening one"), position=parser.place)
    return node


class _Parser:
    """Recursive descent over one expression; `place` is the next character."""

    def __init__(self, table: Table, text: str) -> None:
        self.table, self.text, self.place = table, text, 0

    def at_end(self) -> bool:
        return self.place >= len(self.text)

    def skip_space(self) -> None:
        self.take(_SPACE)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.place)
        if match:
            self.place = match.end()
        return match

    def next_is(self, character: str) -> bool:
        return self.text.startswith(character, self.place)

    def alternatives(self) -> Node:
        parts = [self.conjunction()]
        while self.next_is("|"):
            self.place += 1
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Join("or", tuple(parts))

    def conjunction(self) -> Node:
        parts = []
        self.skip_space()
        while not self.at_end() and not self.next_is("|") and not self.next_is(")"):
            parts.append(self.term())
            self.skip_space()
        if not parts:
            raise BadExpression(_("a term is missing here"), position=self.place)
        return parts[0] if len(parts) == 1 else Join("and", tuple(parts))

    def term(self) -> Node:
        if self.next_is("!"):
            self.place += 1
            self.skip_space()
            if self.at_end():
                raise BadExpression(_("a term is missing here"), position=self.place)
            return Not(self.term())
        if self.next_is("("):
            return self.group()
        return self.comparison() or self.text_term()

    def group(self) -> Node:
        opening = self.place
        self.place += 1
        node = self.alternatives()
        if not self.next_is(")"):
            raise BadExpression(_("this parenthesis is not closed"), position=opening)
        self.place += 1
        return node

    def text_term(self) -> Node:
        start = self.place
        quoted = self.take(_QUOTED)
        word = quoted or self.take(_WORD)
        if word is None or not word.group(1 if quoted else 0):
            raise BadExpression(_("a term is missing here"), position=start)
        return TextTerm(quoted.group(1).replace('""', '"') if quoted else word.group())

    def comparison(self) -> Node | None:
        start = self.place
        match = self.take(_COMPARISON)
        if match is None:
            return None
        key = resolve_key(self.table, match["name"].strip('"'), start)
        op, position = match["op"], self.place
        values = (self.pattern(),) if op in ("~", "!~") else self.values()
        return Comparison(key, op, values, position)

    def values(self) -> tuple[str, ...]:
        """Alternatives of a comparison: `|` without spaces joins them, unless a further comparison follows it."""
        values = [self.value()]
        while self.next_is("|") and not self.starts_comparison(self.place + 1):
            before = self.place
            self.place += 1
            if self.at_end() or self.text[self.place] in " \t|)(!":
                self.place = before
                break
            values.append(self.value())
        return tuple(values)

    def starts_comparison(self, place: int) -> bool:
        match = _COMPARISON.match(self.text, place)
        return match is not None and is_key(self.table, match["name"].strip('"'))

    def value(self) -> str:
        quoted = self.take(_QUOTED)
        if quoted:
            return quoted.group(1).replace('""', '"')
        word = self.take(_WORD)
        if word is None:
            raise BadExpression(_("a value is missing here"), position=self.place)
        unit = _LATE_UNIT.match(self.text, self.place)
        if unit and _is_quantity(word.group()) and _is_quantity(word.group() + unit.group(1)):
            self.place = unit.end()
            return word.group() + unit.group(1)
        return word.group()

    def pattern(self) -> str:
        """A regular expression: up to a space outside of brackets, or a parenthesis that closes an outer one."""
        quoted = self.take(_QUOTED)
        if quoted:
            return quoted.group(1).replace('""', '"')
        start, depth = self.place, 0
        while not self.at_end():
            character = self.text[self.place]
            depth += (character in "([") - (character in ")]")
            if depth < 0 or (character.isspace() and depth == 0):
                break
            self.place += 2 if character == "\\" else 1
        self.place = min(self.place, len(self.text))
        if self.place == start:
            raise BadExpression(_("a value is missing here"), position=start)
        return self.text[start : self.place]


def _is_quantity(text: str) -> bool:
    try:
        parse_quantity(text)
    except ValueError:
        return False
    return True


def _mask(table: Table, node: Node) -> Mask:
    if isinstance(node, TextTerm):
        return _text_mask(table, node.text)
    if isinstance(node, Not):
        return ~_mask(table, node.part)
    if isinstance(node, Comparison):
        return _comparison_mask(table, node)
    combine = np.logical_and if node.word == "and" else np.logical_or
    mask = _mask(table, node.parts[0])
    for part in node.parts[1:]:
        mask = combine(mask, _mask(table, part))
    return mask


def _text_mask(table: Table, text: str) -> Mask:
    contains = text_matcher(text)
    mask = np.zeros(table.row_count, np.bool_)
    for column in text_columns(table):
        hits = matching_rows(column, lambda cell: not is_missing(cell) and contains(cell))
        if hits is not None:
            mask |= hits
    return mask


def _comparison_mask(table: Table, node: Comparison) -> Mask:
    column = column_of(table, node.key)
    if column is None:
        raise BadExpression(_("no column {name}").format(name=node.key), position=node.position)
    if isinstance(column, TextColumn):
        return _text_comparison(column, node)
    if node.op in ("~", "!~"):
        message = _("{name} holds numbers: compare it with = != < <= > >=").format(name=node.key)
        raise BadExpression(message, position=node.position)
    if isinstance(column, TimeColumn):
        return _number_comparison(column.values, column.values == MISSING_NS, node, _TimeReader(column))
    return _number_comparison(column.values, np.isnan(column.values), node, _number_reader(column))


def _number_comparison(
    values: NDArray[np.float64] | NDArray[np.int64], missing: Mask, node: Comparison, read: Callable[[str], Decimal]
) -> Mask:
    mask = np.zeros(len(values), np.bool_)
    for text in node.values:
        if is_missing(text.upper()):
            mask |= _missing_mask(missing, node)
            continue
        try:
            number = read(text)
        except ValueError:
            raise BadExpression(_not_comparable(node.key, text), position=node.position) from None
        limit = int(number) if values.dtype.kind == "i" and number == int(number) else float(number)
        mask |= _ORDER["=" if node.op in ("!=", "==") else node.op](values, limit) & ~missing
    if node.op != "!=":
        return mask
    return ~mask & ~missing


def _missing_mask(missing: Mask, node: Comparison) -> Mask:
    if node.op in ("=", "==", "!="):
        return missing
    raise BadExpression(_("N/A has no size: compare it with = or !="), position=node.position)


def _not_comparable(key: str, text: str) -> str:
    message = _("{text} is not a value of {name}: wanted a number, with or without a fitting unit")
    return message.format(text=text, name=key)


_ORDER: dict[str, Callable[..., Mask]] = {
    "=": np.equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def _number_reader(column: NumberColumn) -> Callable[[str], Decimal]:
    return lambda text: in_unit(parse_quantity(text), column.info.unit)


class _TimeReader:
    """Points in time as typed: bare ns, `@` absolute, else with a unit from the first time of the column."""

    def __init__(self, column: TimeColumn) -> None:
        known = column.values[column.values != MISSING_NS]
        self.first_ns = int(known.min()) if len(known) else 0

    def __call__(self, text: str) -> Decimal:
        absolute = text.startswith("@")
        quantity = parse_quantity(text[1:] if absolute else text)
        time_ns = in_unit(quantity, "ns")
        return time_ns if absolute or not is_time_unit(quantity.unit) else time_ns + self.first_ns


def _text_comparison(column: TextColumn, node: Comparison) -> Mask:
    if node.op in ("<", "<=", ">", ">="):
        matches = _ordered_matcher(node)
    elif node.op in ("~", "!~"):
        matches = regex_matcher(node.values[0], node.position)
    elif node.op == "==":
        matches = frozenset(node.values).__contains__
    else:
        matches = _equal_matcher(node.values)
    negated = node.op in ("!=", "!~")
    asks_missing = node.op in ("=", "==", "!=") and any(is_missing(value.upper()) for value in node.values)
    hits = np.array([_cell_hit(text, matches, negated, asks_missing) for text in column.strings], np.bool_)
    return hits[column.codes] if len(hits) else np.zeros(len(column.codes), np.bool_)


def _cell_hit(text: str, matches: Callable[[str], bool], negated: bool, asks_missing: bool) -> bool:
    if is_missing(text):
        return asks_missing and not negated
    return matches(text) != negated


def _equal_matcher(values: tuple[str, ...]) -> Callable[[str], bool]:
    exact = {value for value in values if not smart_flags(value)}
    lowered = {value.lower() for value in values if smart_flags(value)}
    return lambda text: text in exact or text.lower() in lowered


def _ordered_matcher(node: Comparison) -> Callable[[str], bool]:
    """Texts that are numbers (ids) compared as numbers; other texts never match."""
    limits = []
    for value in node.values:
        try:
            limits.append(float(value))
        except ValueError:
            message = _("{name} holds text: compare it with = != ~ !~").format(name=node.key)
            raise BadExpression(message, position=node.position) from None

    def matches(text: str) -> bool:
        try:
            number = float(text)
        except ValueError:
            return False
        return any(bool(_ORDER[node.op](number, limit)) for limit in limits)

    return matches
