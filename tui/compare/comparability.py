"""What differs besides the operators, so that the times of two runs do not compare as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tui.compare.entries import Entries
from tui.compare.matching import Matching, bare
from tui.model.comparison import MATCHES, Difference, Fact, Facts
from tui.model.table import TextColumn
from tui.model.text import is_missing

_MISSING, _FOREIGN = -2, -1
_REPEATED = frozenset(
    "ai_core_metrics aic_metrics profLevel prof_level profiler_level export_type data_simplification".split()
)
"""Options that say what a fact of its own says, or that cost the run nothing."""

_OTHER_NAMES = {"memorybandwidth": "memory", "l0bandwidth": "memoryl0", "none": "aicorenone"}
"""Groups of core metrics that the framework's profiler calls otherwise than msprof."""


def differences(a: Facts, b: Facts) -> Iterator[Difference]:
    """Facts that both sides tell and tell differently."""
    yield from _different("chip", ", ".join(a.chips), ", ".join(b.chips))
    yield from _different("device_count", _count(a.device_count), _count(b.device_count))
    yield from _different("cann_version", a.cann_version, b.cann_version)
    yield from _different("level", level(a.level), level(b.level))
    if metrics(a.metrics) != metrics(b.metrics):
        yield from _different("metrics", a.metrics, b.metrics)
    yield from _different("iterations", _count(a.iterations), _count(b.iterations))
    others = dict(b.options)
    for name, text in a.options:
        if name not in _REPEATED and name in others:
            yield from _different("option", text, others[name], name)


def _different(what: Fact, a: str, b: str, name: str = "") -> Iterator[Difference]:
    if a and b and a != b:
        yield Difference(what, a, b, name)


def _count(number: int | None) -> str:
    return "" if number is None else str(number)


def level(text: str) -> str:
    """`l1` for `Level1`, `level1` and `l1`."""
    return re.sub(r"^level_?", "l", text.strip().lower())


def metrics(text: str) -> str:
    """One spelling for `ACL_AICORE_PIPE_UTILIZATION` and `PipeUtilization` (formats: frameworks 1.3)."""
    name = re.sub(r"[\W_]", "", text.lower())
    name = name[len("aclaicore") :] if name.startswith("aclaicore") else name
    return _OTHER_NAMES.get(name, name)


def shape_differences(a: Entries, b: Entries, matching: Matching) -> Iterator[Difference]:
    """How many operators of the same name had other input shapes, of those that tell them on both sides."""
    paired = matching.match == MATCHES.index("name")
    if a.by != "name" or not paired.any():
        return
    mine, others = a.text("input_shapes"), b.text("input_shapes")
    code_of = {bare(text): code for code, text in enumerate(mine.strings)}
    in_a = _codes(mine, code_of)[mine.codes[matching.a[paired]]]
    in_b = _codes(others, code_of)[others.codes[matching.b[paired]]]
    told = (in_a != _MISSING) & (in_b != _MISSING)
    different = int(np.count_nonzero(told & (in_a != in_b)))
    if different:
        yield Difference("shapes", str(different), str(int(np.count_nonzero(told))))


def _codes(column: TextColumn, code_of: dict[str, int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(
        [_MISSING if is_missing(text) else code_of.get(bare(text), _FOREIGN) for text in column.strings], np.int64
    )
