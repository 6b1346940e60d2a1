"""Rows of an API-level comparison of msprobe or its forerunner ptdbg (formats: dump §5.7)."""

from __future__ import annotations

import math
import re

from tui.dump.csv_rows import Columns, number, sizes
from tui.dump.table_msaccucmp import CAUSE, type_name
from tui.model.dump import Metrics, PairRow, SideStats, Verdict

_TENSOR = re.compile(
    r"(.+)[._](input_args|input_kwargs|input|output|parameters_grad|parameters)((?:\.[^.]+)*)", re.DOTALL
)
_VERDICTS: dict[str, Verdict] = {
    "yes": "ok",
    "pass": "ok",
    "warning": "drift",
    "no": "bad",
    "error": "bad",
    "unmatched": "shape",
}
_NOTHING = frozenset(("", "N/A", "NaN", "nan", "None"))


def is_api_table(columns: Columns) -> bool:
    """Whether a heading is that of `compare_result_*.csv`."""
    return columns.at("NPU Name") is not None and columns.at("Bench Name") is not None


def api_tensor(name: str) -> tuple[str, str]:
    """Operator and tensor of a full name: `Functional.conv2d.0.forward.input.1` → that API, `input:1`.

    Old names join by `_` and leave out the index of a single output.
    """
    match = _TENSOR.fullmatch(name)
    if match is None:
        return name, ""
    direction = match.group(2).replace("input_args", "input").replace("input_kwargs", "input")
    return match.group(1), f"{direction}:{match.group(3)[1:] or '0'}"


def api_type(op_name: str) -> str:
    """What is called: `conv2d` of `Functional.conv2d.0.forward`, `Conv2d` of `Module.layer1.Conv2d.forward.0`."""
    parts = op_name.split(".")
    return parts[-3] if len(parts) > 3 else ""


def api_row(columns: Columns, row: list[str], order: int) -> PairRow:
    """One compared tensor, with the verdict that the table gives."""
    mine, golden = _text(columns.text(row, "NPU Name")), _text(columns.text(row, "Bench Name"))
    op_name, tensor = api_tensor(mine or golden)
    golden_op = api_tensor(golden)[0]
    return PairRow(
        order,
        op_name,
        api_type(op_name),
        tensor,
        _verdict(columns, row, bool(mine and golden)),
        CAUSE,
        _text(columns.text(row, "Err_message")),
        _side(columns, row, "NPU") if mine else None,
        _side(columns, row, "Bench") if golden else None,
        _metrics(columns, row),
        golden_op if golden_op != op_name else "",
    )


def _text(text: str) -> str:
    return "" if text in _NOTHING else text


def _verdict(columns: Columns, row: list[str], is_pair: bool) -> Verdict:
    if not is_pair:
        return "no_pair"
    return _VERDICTS.get(columns.text(row, "Result", "Accuracy Reached or Not").lower(), "ok")


def _side(columns: Columns, row: list[str], side: str) -> SideStats:
    shape = sizes(columns.text(row, f"{side} Tensor Shape"))
    low, high = columns.number(row, f"{side} min"), columns.number(row, f"{side} max")
    dtype = columns.text(row, f"{side} Dtype", f"{side} Tensor Dtype")
    return SideStats(
        type_name(dtype),
        shape,
        "",
        math.prod(shape) if shape else 0,
        low,
        high,
        columns.number(row, f"{side} mean"),
        max_abs=max(abs(low), abs(high)),
    )


def _metrics(columns: Columns, row: list[str]) -> Metrics | None:
    if columns.at("Cosine") is None or number(columns.text(row, "MaxAbsErr")) is None:
        return None
    return Metrics(
        cosine=_cosine(columns.text(row, "Cosine")),
        cosine_finite=None,
        max_abs_error=columns.number(row, "MaxAbsErr"),
        accumulated_relative_error=math.nan,
        relative_euclidean_distance=math.nan,
        kl_divergence=math.nan,
        mean_a=columns.number(row, "NPU mean"),
        standard_deviation_a=math.nan,
        mean_b=columns.number(row, "Bench mean"),
        standard_deviation_b=math.nan,
        mean_abs_error=math.nan,
        rmse=math.nan,
        max_relative_error=columns.number(row, "MaxRelativeErr"),
        mean_relative_error=math.nan,
        norm_a=columns.number(row, "NPU l2norm"),
        norm_b=columns.number(row, "Bench l2norm"),
        overflowed=0,
    )


def _cosine(text: str) -> float | None:
    """`Nan` is msprobe's word for one side all zero."""
    return None if text == "Nan" else number(text)
