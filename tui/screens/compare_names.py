"""What an operator of a comparison is called on both sides."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tui.model.columns import cell_text
from tui.model.comparison import MATCHES, Comparison
from tui.screens.compare_pair import Pair
from tui.screens.stacked_side import Names

MOST_PAIRS = 20_000
"""Operators of another name in B that are known as such; the rows come by their difference."""


def names_of(pair: Pair) -> Names:
    """The operator of a row, or the longest behind it, on each side; empty where a side does not have it."""
    if pair.comparison.by == "api":
        has = (pair.number("a_count") > 0, pair.number("b_count") > 0)
        return Names(*(pair.text("op_name") if known else "" for known in has))
    return Names(_name_on(pair, "a"), _name_on(pair, "b"))


def _name_on(pair: Pair, of: str) -> str:
    side = pair.comparison.a if of == "a" else pair.comparison.b
    row = pair.op_row(of)
    names = side.ops.text("op_name") if side.ops is not None else None
    return cell_text(names, row) if names is not None and row >= 0 else ""


def comparison_pairs(comparison: Comparison) -> Mapping[str, str]:
    """Names in B by those in A, of the rows whose names differ."""
    mine, theirs, match = (comparison.table.text(key) for key in ("op_name", "b_op_name", "match"))
    if mine is None or theirs is None or match is None:
        return {}
    alike = [MATCHES.index("name"), MATCHES.index("none")]
    rows = np.flatnonzero(~np.isin(match.codes, alike))[:MOST_PAIRS]
    return {cell_text(mine, row): cell_text(theirs, row) for row in rows.tolist()}
