"""Finding text in rows: smart case, whole words, regular expressions (the grammar of `/`)."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tui.errors import BadExpression
from tui.i18n import _
from tui.model.table import Table, TextColumn

Matcher = Callable[[str], bool]


def smart_flags(pattern: str) -> re.RegexFlag:
    """Case counts only when the pattern has an upper-case letter."""
    return re.RegexFlag(0) if any(letter.isupper() for letter in pattern) else re.IGNORECASE


def text_matcher(pattern: str) -> Matcher:
    """Tests whether a text contains `pattern`, smart case."""
    if smart_flags(pattern):
        lowered = pattern.lower()
        return lambda text: lowered in text.lower()
    return lambda text: pattern in text


def regex_matcher(pattern: str, position: int = 0) -> Matcher:
    """Tests whether a regular expression is found in a text, smart case.

    Raises:
        BadExpression: not a regular expression; its position counts from `position`.
    """
    case_pattern = re.sub(r"\\.", "", pattern)
    try:
        search = re.compile(pattern, smart_flags(case_pattern)).search
    except re.error as error:
        place = position + (error.pos or 0)
        raise BadExpression(_("not a regular expression: {reason}").format(reason=error.msg), "", place) from error
    return lambda text: search(text) is not None


def find_matcher(pattern: str) -> Matcher:
    """The matcher of a find expression: `re:` regular expression, `=` whole word, else plain text.

    Raises:
        BadExpression: `re:` is followed by something that is no regular expression.
    """
    if pattern.startswith("re:"):
        return regex_matcher(pattern[3:], 3)
    if pattern.startswith("=") and len(pattern) > 1:
        return regex_matcher(rf"(?<!\w){re.escape(pattern[1:])}(?!\w)", 1)
    return text_matcher(pattern)


def matching_rows(column: TextColumn, matches: Matcher) -> NDArray[np.bool_] | None:
    """Rows whose text matches, tested once per distinct string. None when no string matches."""
    hits = np.fromiter((matches(text) for text in column.strings), np.bool_, len(column.strings))
    return hits[column.codes] if hits.any() else None


def text_columns(table: Table) -> list[TextColumn]:
    """The text columns of a table."""
    return [column for column in table.columns if isinstance(column, TextColumn)]


def find_rows(table: Table, pattern: str, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Positions in `rows` where any text column matches the find expression, rising; empty for an empty pattern.

    Raises:
        BadExpression: the expression cannot be read.
    """
    if not pattern:
        return np.zeros(0, np.intp)
    matches = find_matcher(pattern)
    found = np.zeros(table.row_count, np.bool_)
    for column in text_columns(table):
        hits = matching_rows(column, matches)
        if hits is not None:
            found |= hits
    return np.flatnonzero(found[rows])
