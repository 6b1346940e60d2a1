"""The tensors of one pair of operators: which meets which, and what cannot be compared and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from tui.dump.opening import open_dump
from tui.dump.pairing import FileRef, Link, OpPair
from tui.dump.special import limits_of
from tui.dump.tensor import BLOCK_ELEMENTS, DumpFile, Tensor, TensorInfo
from tui.model.dump import CompareRequest, PairRow, SideStats
from tui.model.problem import Problem


@dataclass(frozen=True)
class Candidate:
    """Two tensors to be compared, and the row that they will make."""

    row: PairRow
    a: Tensor
    b: Tensor


Match = Union[Candidate, PairRow]
"""A row is returned for what cannot be compared."""


@dataclass(frozen=True)
class _Found:
    tensor: Tensor
    path: str


@dataclass(frozen=True)
class _Side:
    """The opened files of one side of a pair."""

    tensors: Mapping[str, _Found]
    problems: tuple[Problem, ...]
    """Of files that hold no tensor that can be read."""
    op_name: str = ""
    op_type: str = ""

    def has(self, direction: str) -> bool:
        return any(name.startswith(direction) for name in self.tensors)


def match_tensors(pair: OpPair, request: CompareRequest, quantised: bool = False) -> Iterator[Match]:
    """Opens the files of a pair and matches their tensors: outputs, then inputs, each by position.

    Args:
        quantised: Whether side A comes from a quantised model, whose integers are in a scale of their own.
    """
    if pair.cause:
        yield _unmatched(pair)
        return
    side_a, side_b = _opened(pair.files_a, request), _opened(pair.files_b, request)
    base = _base(pair, side_a)
    if not side_a.tensors:
        yield _unreadable(base, side_a)
    elif not side_b.tensors and pair.files_b:
        yield _unreadable(base, side_b)
    else:
        yield from _matched(pair, base, side_a, side_b, request, quantised)


def _base(pair: OpPair, side_a: _Side) -> PairRow:
    return PairRow(
        pair.order, side_a.op_name or pair.op_name, pair.op_type or side_a.op_type, "", "unreadable",
        golden_name=pair.golden_name, originals=pair.originals, runs=pair.runs,
        path_a=_paths(pair.files_a), path_b=_paths(pair.files_b),
        producers=tuple((name, index) for _input, name, index in pair.producers),
    )  # fmt: skip


def _paths(files: Sequence[FileRef]) -> str:
    return files[0].path if files else ""


def _unmatched(pair: OpPair) -> PairRow:
    """The row of an operator that only one side has."""
    return PairRow(
        pair.order, pair.op_name, pair.op_type, "", "no_pair", pair.cause, pair.detail,
        path_a=_paths(pair.files_a), path_b=_paths(pair.files_b), runs=pair.runs,
    )  # fmt: skip


def _unreadable(row: PairRow, side: _Side) -> PairRow:
    problem = side.problems[0] if side.problems else None
    return _with_problem(row, problem)


def _with_problem(row: PairRow, problem: Problem | None) -> PairRow:
    if problem is None:
        return replace(row, verdict="unreadable", cause="no_tensors")
    place = f"{Path(problem.path).name}: " if problem.path else ""
    return replace(row, verdict="unreadable", cause="unreadable", detail=f"{place}{problem.what}")


def _opened(files: Sequence[FileRef], request: CompareRequest) -> _Side:
    opened = [(ref, _open(ref, request)) for ref in files]
    tensors: dict[str, _Found] = {}
    for ref, file in opened:
        for tensor in file.tensors:
            tensors.setdefault(ref.tensor or tensor.info.tensor, _Found(tensor, ref.path))
    problems = tuple(problem for _ref, file in opened if not file.tensors for problem in file.problems)
    named = next((file for _ref, file in opened if file.op_name), None)
    return _Side(tensors, problems, named.op_name if named else "", named.op_type if named else "")


def _open(ref: FileRef, request: CompareRequest) -> DumpFile:
    return open_dump(Path(ref.path), dtype=request.dtype or None, shape=request.shape or None)


def _matched(
    pair: OpPair, base: PairRow, side_a: _Side, side_b: _Side, request: CompareRequest, quantised: bool
) -> Iterator[Match]:
    links = {link.tensor: link for link in pair.links}
    used: set[str] = set()
    for name in sorted(side_a.tensors, key=_outputs_first):
        row = _named(base, pair, name, side_a.tensors[name])
        link = links.get(name)
        if link is not None:
            yield from _linked(row, link, side_a.tensors[name], request, quantised)
            continue
        partner = _partner(name, side_a, side_b)
        used.add(partner)
        found = side_b.tensors.get(partner)
        if found is not None:
            yield _candidate(row, side_a.tensors[name], found, quantised)
        elif pair.links or not side_b.has(_direction(name)):
            continue  # the other side dumped outputs only
        else:
            yield replace(row, verdict="no_pair", cause="only_a_tensor")
    for name in sorted(side_b.tensors.keys() - used, key=_outputs_first):
        if not pair.links and side_a.has(_direction(name)):
            yield replace(base, tensor=name, verdict="no_pair", cause="only_b_tensor", path_b=side_b.tensors[name].path)


def _named(base: PairRow, pair: OpPair, name: str, found: _Found) -> PairRow:
    direction, _colon, index = name.partition(":")
    place = int(index) if index.isdigit() else -1
    is_output = direction == "output"
    return replace(
        base, tensor=name, path_a=found.path,
        network_output=is_output and place in pair.network_outputs,
        network_input=not is_output and place in pair.network_inputs,
    )  # fmt: skip


def _linked(row: PairRow, link: Link, found: _Found, request: CompareRequest, quantised: bool) -> Iterator[Match]:
    """What a tensor meets by the graph; inputs without a golden producer say nothing and make no row."""
    row = replace(row, golden_name=link.golden_name or row.golden_name, tensor_b=link.tensor_b)
    side_b = _opened(link.files, request)
    partner = side_b.tensors.get(link.tensor_b)
    if partner is not None:
        yield _candidate(row, found, partner, quantised)
    elif side_b.problems:
        yield _unreadable(row, side_b)
    elif not row.is_input:
        yield replace(row, verdict="no_pair", cause="only_a_tensor" if link.golden_name else "inner")


def _partner(name: str, side_a: _Side, side_b: _Side) -> str:
    """The same place on the other side; the only tensor there where each side has just one."""
    if name not in side_b.tensors and len(side_a.tensors) == len(side_b.tensors) == 1:
        return next(iter(side_b.tensors))
    return name


def _direction(name: str) -> str:
    return name.partition(":")[0]


def _outputs_first(name: str) -> tuple[int, int, str]:
    direction, _colon, index = name.partition(":")
    return {"output": 0, "input": 1}.get(direction, 2), int(index) if index.isdigit() else 0, name


def _candidate(row: PairRow, found_a: _Found, found_b: _Found, quantised: bool) -> Match:
    a, b = found_a.tensor, found_b.tensor
    row = replace(row, path_b=found_b.path, a=_described(a.info), b=_described(b.info))
    if row.tensor_b == "" and b.info.tensor != row.tensor and found_b.tensor.info.tensor:
        row = replace(row, tensor_b=b.info.tensor)
    for info in (a.info, b.info):
        if info.problem is not None:
            return _with_problem(row, info.problem)
    if quantised and _other_scale(a.info.dtype, b.info.dtype):
        return replace(row, verdict="no_pair", cause="quantised")
    fitting = _fitting(a, b)
    return replace(row, verdict="shape", cause="shape") if fitting is None else Candidate(row, fitting, b)


def _described(info: TensorInfo) -> SideStats:
    return SideStats(info.dtype, info.shape, info.format, info.elements, address=info.address)


def _other_scale(dtype_a: str, dtype_b: str) -> bool:
    """Whether one side holds integers where the other has real numbers."""
    return bool(limits_of(dtype_a).bits) != bool(limits_of(dtype_b).bits) and "bool" not in (dtype_a, dtype_b)


def _fitting(a: Tensor, b: Tensor) -> Tensor | None:
    """Side A as it can be compared with side B, None when it cannot.

    Equal shapes fit, and those that differ in axes of length 1. A golden file without layout (`.npy`, raw) also fits
    when its channels are elsewhere, or when it has as many elements; a dump of the device is cut to it where it is
    larger, since padding is not always told.
    """
    shape_a, shape_b = a.info.shape, b.info.shape
    if shape_a == shape_b or _squeezed(shape_a) == _squeezed(shape_b):
        return a
    if b.info.format:
        return None
    for axes in _CHANNEL_MOVES if len(shape_a) == 4 else ():
        if tuple(shape_a[axis] for axis in axes) == shape_b:
            return FittedTensor(a, shape_b, axes)
    if a.info.elements == b.info.elements and (a.info.format or 1 in (len(shape_a), len(shape_b))):
        return a
    if a.info.format and len(shape_a) == len(shape_b) and all(map(int.__ge__, shape_a, shape_b)):
        return FittedTensor(a, shape_b, tuple(range(len(shape_a))))
    return None


_CHANNEL_MOVES = ((0, 2, 3, 1), (0, 3, 1, 2))
"""NCHW to NHWC and back."""


def _squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


@dataclass(frozen=True)
class FittedTensor:
    """A tensor with its axes in another order, then cut to `shape`; it is read whole."""

    whole: Tensor
    shape: tuple[int, ...]
    axes: tuple[int, ...]

    @property
    def info(self) -> TensorInfo:
        """As of the whole, with the new shape."""
        return replace(self.whole.info, shape=self.shape)

    def blocks(self, elements: int = BLOCK_ELEMENTS) -> Iterator[NDArray[Any]]:
        """The values in flat pieces."""
        flat = np.ascontiguousarray(self.array()).reshape(-1)
        for start in range(0, flat.size, elements):
            yield flat[start : start + elements]

    def array(self) -> NDArray[Any]:
        """The values in their shape."""
        return self.whole.array().transpose(self.axes)[tuple(slice(size) for size in self.shape)]
