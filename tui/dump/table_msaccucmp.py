"""Rows of CANN's comparer, three generations of `result_*.csv`, and its `mapping_*.csv` (formats: dump §5.1).

`DataType` and `Address` occur twice: each belongs to the operator column that it follows. A row may have fewer cells
than the heading; its reason is then in the last cell.
"""

from __future__ import annotations

import math
import re

from tui.dump.csv_rows import Columns, cell, number, number_or_nan, sizes
from tui.dump.dtypes import named
from tui.model.dump import Metrics, PairRow, SideStats, Verdict

CAUSE = "table"
"""Cause of rows whose verdict comes from a table, or is still to be judged by its numbers."""

_MINE, _GOLDEN = ("NPUDump", "LeftOp"), ("GroundTruth", "RightOp")
_COMPUTED = (
    "CosineSimilarity",
    "MaxAbsoluteError",
    "AccumulatedRelativeError",
    "RelativeEuclideanDistance",
    "KullbackLeiblerDivergence",
    "MeanAbsoluteError",
    "RootMeanSquareError",
    "MaxRelativeError",
    "MeanRelativeError",
)
_NOTHING = frozenset(("*", "", "NaN", "nan", "N/A"))
_DEVIATIONS = re.compile(r"\(([^;()]*);([^;()]*)\)\s*,\s*\(([^;()]*);([^;()]*)\)")
_TENSOR = re.compile(r".*?((?:input|output):\d+)")


def is_result(columns: Columns) -> bool:
    """Whether a heading is that of `result_*.csv`."""
    return columns.at(*_MINE) is not None and columns.at(*_GOLDEN) is not None and columns.at("TensorIndex") is not None


def is_mapping(columns: Columns) -> bool:
    """Whether a heading is that of `mapping_*.csv`."""
    return is_result(columns) and columns.at("NPUDumpPath") is not None


def mapping_row(columns: Columns, row: list[str], order: int) -> PairRow:
    """One pair of files that were compared."""
    found = _pair(columns, row, order, "ok", "", None)
    mine, golden = columns.text(row, "NPUDumpPath"), columns.text(row, "GroundTruthPath")
    return PairRow(
        order,
        found.op_name,
        found.op_type,
        found.tensor,
        found.verdict,
        CAUSE,
        golden_name=found.golden_name,
        path_a=mine,
        path_b=golden,
    )


def result_row(columns: Columns, row: list[str], order: int) -> PairRow:
    """One compared tensor."""
    is_whole = len(row) >= len(columns.names)
    reason = _reason(columns, row, is_whole)
    metrics = _metrics(columns, row) if is_whole else None
    return _pair(columns, row, order, _verdict(columns, row, metrics, reason), reason, metrics)


def _reason(columns: Columns, row: list[str], is_whole: bool) -> str:
    text = _text(cell(row, columns.at("CompareFailReason") if is_whole else len(row) - 1))
    return text if is_whole or number(text) is None else ""


def _pair(
    columns: Columns, row: list[str], order: int, verdict: Verdict, reason: str, metrics: Metrics | None
) -> PairRow:
    mine, golden = columns.at(*_MINE), columns.at(*_GOLDEN)
    shape = sizes(columns.text(row, "Shape"))
    name, golden_name = _text(cell(row, mine)), _text(cell(row, golden))
    match = _TENSOR.fullmatch(columns.text(row, "TensorIndex"))
    return PairRow(
        order,
        name or golden_name,
        _text(columns.text(row, "OpType")),
        match.group(1) if match else "",
        verdict,
        CAUSE,
        reason,
        _side(cell(row, columns.between("DataType", mine, golden)), shape, metrics, first=True),
        _side(cell(row, columns.between("DataType", golden, None)), shape, metrics, first=False),
        metrics,
        golden_name if golden_name != name else "",
    )


def _text(text: str) -> str:
    return "" if text in _NOTHING else text


def _verdict(columns: Columns, row: list[str], metrics: Metrics | None, reason: str) -> Verdict:
    names = {_text(cell(row, columns.at(*_MINE))), _text(cell(row, columns.at(*_GOLDEN)))}
    if "" in names:
        return "no_pair"
    if columns.text(row, "OverFlow") == "YES":
        return "overflow"
    if metrics is not None:
        return "ok"
    return "shape" if "shape" in reason.lower() else "unreadable"


def _metrics(columns: Columns, row: list[str]) -> Metrics | None:
    if all(number(columns.text(row, name)) is None for name in _COMPUTED):
        return None
    means = _DEVIATIONS.fullmatch(columns.text(row, "StandardDeviation"))
    mean_a, deviation_a, mean_b, deviation_b = map(number_or_nan, means.groups() if means else ("",) * 4)
    return Metrics(
        cosine=number(columns.text(row, "CosineSimilarity")),
        cosine_finite=None,
        max_abs_error=columns.number(row, "MaxAbsoluteError"),
        accumulated_relative_error=columns.number(row, "AccumulatedRelativeError"),
        relative_euclidean_distance=columns.number(row, "RelativeEuclideanDistance"),
        kl_divergence=columns.number(row, "KullbackLeiblerDivergence"),
        mean_a=mean_a,
        standard_deviation_a=deviation_a,
        mean_b=mean_b,
        standard_deviation_b=deviation_b,
        mean_abs_error=columns.number(row, "MeanAbsoluteError"),
        rmse=columns.number(row, "RootMeanSquareError"),
        max_relative_error=columns.number(row, "MaxRelativeError"),
        mean_relative_error=columns.number(row, "MeanRelativeError"),
        norm_a=math.nan,
        norm_b=math.nan,
        overflowed=0,
    )


def type_name(text: str) -> str:
    """Our name of an element type that a table names its own way (`torch.float32`, `Float32`); unknown ones stay."""
    stored = named(text)
    return stored.name if stored is not None else _text(text)


def _side(dtype: str, shape: tuple[int, ...], metrics: Metrics | None, first: bool) -> SideStats | None:
    if not _text(dtype) and metrics is None:
        return None
    count = math.prod(shape) if shape else 0
    if metrics is None:
        return SideStats(type_name(dtype), shape, "", count)
    mean, deviation = (
        (metrics.mean_a, metrics.standard_deviation_a) if first else (metrics.mean_b, metrics.standard_deviation_b)
    )
    return SideStats(type_name(dtype), shape, "", count, mean=mean, std=deviation)
