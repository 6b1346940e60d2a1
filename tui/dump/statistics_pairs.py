"""Two dumps of statistics compared: by their extremes, means and norms, since there are no values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from tui.dump.folder import list_dumps
from tui.dump.statistics import TensorStatistics, read_statistics
from tui.i18n import _
from tui.model.dump import FP16_MAX, CompareProgress, CompareRequest, Metrics, PairRow, SideStats, Verdict
from tui.model.problem import Problem

BAD_DIFFERENCE, DRIFT_DIFFERENCE = 0.05, 0.01
"""Of the norms and extremes, relative to the golden side; there is no cosine to judge by."""
CAUSE = "statistics"

_PLACES = ("dump.json", "*/dump.json", "*/*/dump.json", "*/*/*/dump.json")
"""Below the folder that was given to the tool lies `step0/rank0/dump.json`."""

_Found = tuple[tuple[TensorStatistics, ...], tuple[Problem, ...]]


def compare_statistics(request: CompareRequest) -> CompareProgress | None:
    """The rows of two dumps of statistics at once; None when either side is something else."""
    side_a, side_b = _statistics_at(Path(request.path_a)), _statistics_at(Path(request.path_b))
    if side_a is None or side_b is None:
        return None
    rows = _rows(side_a[0], side_b[0])
    count = len({row.order for row in rows})
    return CompareProgress(rows, count, count, 0, 0, 0.0, problems=(*side_a[1], *side_b[1]), done=True)


def _statistics_at(path: Path) -> _Found | None:
    """The statistics in one file, in a `dump.json` below a folder, or in the CSV files of a folder."""
    if path.is_file():
        return _statistics_in((path,)) if path.suffix.lower() in (".json", ".csv") else None
    entries = list_dumps(path).entries
    if any(entry.kind != "stats" for entry in entries):
        return None  # values beside them say more
    document = next(chain.from_iterable(sorted(path.glob(place)) for place in _PLACES), None)
    if document is not None:
        return _statistics_in((document,))
    return _statistics_in([entry.path for entry in entries]) if entries else None


def _statistics_in(paths: Sequence[Path]) -> _Found:
    """All files as one dump; operators of later files come later."""
    tensors: list[TensorStatistics] = []
    problems: list[Problem] = []
    operators = 0
    for dump in map(read_statistics, paths):
        tensors += [replace(tensor, order=tensor.order + operators) for tensor in dump.tensors]
        operators += dump.operators
        problems += dump.problems
    return tuple(tensors), tuple(problems)


def _rows(side_a: Sequence[TensorStatistics], side_b: Sequence[TensorStatistics]) -> tuple[PairRow, ...]:
    """Tensors meet by operator and position; what only one side has is last.

    Calls of two frameworks meet by what follows the class: `Mint.cos.0.forward` and `Torch.cos.0.forward`.
    """
    golden = {(tensor.op_name, tensor.tensor): tensor for tensor in side_b}
    loose = {(_loose(tensor.op_name), tensor.tensor): tensor for tensor in reversed(side_b)}
    matched: list[PairRow] = []
    alone: list[tuple[TensorStatistics, str]] = []
    for a in side_a:
        b = golden.get((a.op_name, a.tensor)) or loose.get((_loose(a.op_name), a.tensor))
        if b is None:
            alone.append((a, "only_a"))
        else:
            matched.append(_row(a, b))
            golden.pop((b.op_name, b.tensor), None)
    last = max((row.order for row in matched), default=-1) + 1
    alone += [(tensor, "only_b") for tensor in golden.values()]
    return (*matched, *(_alone(tensor, cause, last + place) for place, (tensor, cause) in enumerate(alone)))


def _loose(op_name: str) -> str:
    return op_name.partition(".")[2] or op_name


def _alone(tensor: TensorStatistics, cause: str, order: int) -> PairRow:
    return PairRow(order, tensor.op_name, tensor.op_type, tensor.tensor, "no_pair", f"{cause}_tensor", counted=False)


def _row(a: TensorStatistics, b: TensorStatistics) -> PairRow:
    verdict, detail = _verdict(a, b)
    return PairRow(
        a.order, a.op_name, a.op_type, a.tensor, verdict, "shape" if verdict == "shape" else CAUSE, detail,
        _side(a), _side(b), _metrics(a, b) if verdict not in ("shape", "unreadable") else None,
        b.op_name if b.op_name != a.op_name else "", counted=False,
    )  # fmt: skip


def _side(tensor: TensorStatistics) -> SideStats:
    return SideStats(
        tensor.dtype, tensor.shape, "", math.prod(tensor.shape), tensor.min, tensor.max, tensor.mean,
        max_abs=_max_abs(tensor), nan=tensor.nan or 0, inf=tensor.inf or 0,
    )  # fmt: skip


def _max_abs(tensor: TensorStatistics) -> float:
    return max(abs(tensor.min), abs(tensor.max))


def _metrics(a: TensorStatistics, b: TensorStatistics) -> Metrics:
    """Means and norms; what needs values is NaN."""
    nan = math.nan
    return Metrics(
        None, None, nan, nan, nan, nan, a.mean, nan, b.mean, nan, nan, nan, nan, nan, a.norm, b.norm, overflowed=0
    )  # fmt: skip


def _verdict(a: TensorStatistics, b: TensorStatistics) -> tuple[Verdict, str]:
    if a.shape != b.shape:
        return "shape", ""
    if 0 in a.shape:
        return "ok", _("the tensors have no elements")
    if a.checksum and a.checksum == b.checksum:
        return "ok", _("the checksums are equal")
    if a.has_extremes and b.has_extremes and _overflows(a, b):
        text = _("statistics only: the extremes are {a}; the golden side goes up to {b}")
        return "overflow", text.format(a=f"{a.min:.6g}, {a.max:.6g}", b=f"{_max_abs(b):.6g}")
    return _by_difference(a, b)


def _by_difference(a: TensorStatistics, b: TensorStatistics) -> tuple[Verdict, str]:
    differences = _differences(a, b)
    if not differences:
        return "unreadable", _("there are no numbers to compare")
    name, difference = max(differences, key=lambda pair: pair[1])
    if not difference:
        return "ok", ""
    verdict: Verdict = "bad" if difference > BAD_DIFFERENCE else "drift" if difference > DRIFT_DIFFERENCE else "ok"
    text = _("statistics only: {name} differs by {share} %")
    return verdict, text.format(name=name, share=f"{100 * difference:.3g}")


def _overflows(a: TensorStatistics, b: TensorStatistics) -> bool:
    """Not finite where the golden side is, or held at 65504 where that goes beyond."""
    if not all(map(math.isfinite, (b.min, b.max))) or b.nan or b.inf:
        return False
    lost = not all(map(math.isfinite, (a.min, a.max)))
    return lost or bool(a.nan or a.inf) or (_max_abs(a) == FP16_MAX < _max_abs(b))


def _differences(a: TensorStatistics, b: TensorStatistics) -> list[tuple[str, float]]:
    """Relative differences: of the norms by the golden norm, of the extremes by the golden side's largest value.

    Values that are the same, infinite ones too, do not differ; against a golden zero the difference is infinite.
    """
    peak = _max_abs(b)
    pairs = (("max", a.max, b.max, peak), ("min", a.min, b.min, peak), ("norm", a.norm, b.norm, b.norm))
    return [(name, _relative(x, y, scale)) for name, x, y, scale in pairs if not (math.isnan(x) or math.isnan(y))]


def _relative(x: float, y: float, scale: float) -> float:
    if x == y:
        return 0.0
    return abs(x - y) / scale if scale > 0 else math.inf
