"""A comparison as the CSV of CANN's comparer (`result_*.csv`), for whoever reads those (formats: dump §5.1, §5.2).

Numbers are rounded to float32 first, as the comparer computes in it. `NaN` means not computed, `nan` and `inf` come
from the data; a cosine of `1.0` means that both sides are all zero.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from tui.dump.metrics import EPSILON
from tui.dump.names import cleaned
from tui.dump.reasons import reason_of
from tui.model.dump import FP16_MAX, DumpComparison, Metrics, PairRow, SideStats
from tui.model.writers import csv_text

NOT_COMPUTED = "NaN"
NOBODY = "*"
_SMALLEST_DEVIATION = 0.001

_BEFORE = "Index OpType NPUDump DataType Address GroundTruth DataType Address TensorIndex Shape".split()
_OVERFLOW = "OverFlow"
METRIC_COLUMNS = (
    "CosineSimilarity MaxAbsoluteError AccumulatedRelativeError RelativeEuclideanDistance KullbackLeiblerDivergence"
    " StandardDeviation MeanAbsoluteError RootMeanSquareError MaxRelativeError MeanRelativeError"
).split()
_REASON = "CompareFailReason"


def result_csv(comparison: DumpComparison, overflow: bool = True) -> Iterator[str]:
    """The lines of the table, heading first. The address of a file that does not tell it is `NaN`.

    Args:
        overflow: Whether to give the column that the comparer's `-overflow_detection` adds.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for cells in _lines(comparison, overflow):
        writer.writerow(cells)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _lines(comparison: DumpComparison, overflow: bool) -> Iterator[list[str]]:
    yield [*_BEFORE, *([_OVERFLOW] if overflow else []), *METRIC_COLUMNS, _REASON]
    for row in comparison.rows:
        yield [*map(csv_text, _names(row)), *([overflow_text(row.a)] if overflow else []), *_metrics(row), _reason(row)]


def _names(row: PairRow) -> list[str]:
    name = cleaned(row.op_name)
    mine = NOBODY if row.cause in ("only_b", "fused") else name
    golden = NOBODY if row.cause in ("only_a", "inserted") else " ".join(row.originals) or row.golden_name or name
    side, _colon, index = row.tensor.partition(":")
    compared = row.metrics is not None
    return [
        str(row.order),
        row.op_type if compared and row.op_type else NOT_COMPUTED,
        mine,
        *_type_and_address(row.a if compared else None),
        golden,
        *_type_and_address(row.b if compared else None),
        f"{name}:{side}:{index}" if compared else NOT_COMPUTED,
        f"[{','.join(map(str, row.a.shape))}]" if compared and row.a is not None else NOT_COMPUTED,
    ]


def _type_and_address(side: SideStats | None) -> tuple[str, str]:
    if side is None:
        return NOT_COMPUTED, NOT_COMPUTED
    return side.dtype, str(side.address) if side.address else NOT_COMPUTED


def _metrics(row: PairRow) -> list[str]:
    if row.metrics is None or row.a is None or row.b is None:
        return [NOT_COMPUTED] * len(METRIC_COLUMNS)
    texts = metric_texts(row.metrics)
    if row.a.dtype == row.b.dtype == "bool" and not row.b.format:
        return [texts[0], *[NOT_COMPUTED] * (len(METRIC_COLUMNS) - 1)]
    return texts


def metric_texts(metrics: Metrics) -> list[str]:
    """The cells of the ten metrics, in the order of `METRIC_COLUMNS`."""
    return [
        _cosine(metrics),
        _six(metrics.max_abs_error),
        _six(metrics.accumulated_relative_error),
        _six(metrics.relative_euclidean_distance),
        _six(metrics.kl_divergence),
        f"{_pair(metrics.mean_a, metrics.standard_deviation_a)},{_pair(metrics.mean_b, metrics.standard_deviation_b)}",
        _six(metrics.mean_abs_error),
        _six(metrics.rmse),
        _six(metrics.max_relative_error),
        _six(metrics.mean_relative_error),
    ]


def _cosine(metrics: Metrics) -> str:
    if metrics.cosine is None:
        return NOT_COMPUTED
    both_zero = metrics.norm_a <= EPSILON and metrics.norm_b <= EPSILON
    return "1.0" if both_zero else _six(metrics.cosine)


def _six(value: float) -> str:
    return f"{_as_float32(value):.6f}"


def _as_float32(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _pair(mean: float, deviation: float) -> str:
    return f"({_three(mean)};{_three(deviation)})"


def _three(value: float) -> str:
    return f"{0.0 if abs(value) < _SMALLEST_DEVIATION else value:.3f}"


def overflow_text(a: SideStats | None) -> str:
    """`YES` when a float16 tensor reaches 65504, `NO` when it does not or holds a NaN, `NaN` for other types."""
    if a is None or a.dtype != "float16":
        return NOT_COMPUTED
    return "YES" if not a.nan and (a.inf or a.max_abs >= FP16_MAX) else "NO"


def _reason(row: PairRow) -> str:
    """Only what kept a row from being compared counts as one."""
    return csv_text(reason_of(row)) if row.metrics is None or row.metrics.cosine is None else ""
