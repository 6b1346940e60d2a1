"""Results of comparing operator dumps, as the screens, the reports and the findings take them.

Side A is the run under test, side B the golden one. Plain values only: everything here can be pickled and stored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from tui.model.problem import Problem

Verdict = Literal["unreadable", "no_pair", "shape", "overflow", "tiny", "bad", "drift", "ok"]
VERDICTS: tuple[Verdict, ...] = ("unreadable", "no_pair", "shape", "overflow", "tiny", "bad", "drift", "ok")
"""In the order in which they are tried."""

AGREEING: frozenset[Verdict] = frozenset(("ok", "drift", "tiny"))
"""Verdicts of tensors that agree."""
DIVERGING: frozenset[Verdict] = frozenset(("overflow", "bad"))
"""Verdicts of tensors that were compared and do not agree."""

InputsState = Literal["clean", "unknown", "differ"]

FP16_MAX = 65504.0
"""Largest finite float16: the plateau of a saturated tensor."""
FP16_MIN = 2.0**-24
"""Smallest positive float16, a subnormal number."""

EXPECTED_CAUSES = frozenset(("inserted", "fused", "inner", "quantised"))
"""Why operators and tensors have no counterpart although nothing is wrong: the compiler made or merged them."""


@dataclass(frozen=True)
class SideStats:
    """One tensor of one side. Means and extremes are over its finite elements, NaN when there are none."""

    dtype: str
    shape: tuple[int, ...]
    """Logical shape."""
    format: str
    """Layout as the file names it; empty when unknown."""
    count: int = 0
    """Elements."""
    min: float = math.nan
    max: float = math.nan
    mean: float = math.nan
    std: float = math.nan
    """Population standard deviation."""
    max_abs: float = math.nan
    nan: int = 0
    inf: int = 0
    """Elements that are +Inf or -Inf."""
    zeros: int = 0
    subnormal: int = 0
    """Elements below the smallest normal number of the type, zeros left out."""
    saturated: int = 0
    """Elements at the largest finite number of the type, of either sign: ±65504 for float16."""
    beyond_fp16: int = 0
    """Elements whose absolute value is above 65504, ±Inf included."""
    below_fp16: int = 0
    """Elements below the smallest float16 number (6e-8), zeros left out."""
    address: int = 0
    """Where the tensor was on the device; 0 when the file does not tell."""


@dataclass(frozen=True)
class Metrics:
    """The ten metrics of CANN's comparer (formats of its CSV: `tui.dump.csv_export`), over all elements in float64.

    A number is NaN or ±Inf when the data make it so; None means that it is not defined.
    """

    cosine: float | None
    """In [-1, 1]; 1 for a tensor of one element, None when exactly one side is all zero."""
    cosine_finite: float | None
    """Over the positions that are finite on both sides; None when there is none or one side is all zero there."""
    max_abs_error: float
    accumulated_relative_error: float
    relative_euclidean_distance: float
    kl_divergence: float
    mean_a: float
    standard_deviation_a: float
    mean_b: float
    standard_deviation_b: float
    mean_abs_error: float
    rmse: float
    max_relative_error: float
    mean_relative_error: float
    norm_a: float
    """Euclidean norm."""
    norm_b: float
    overflowed: int
    """Elements that are NaN or ±Inf in A and finite in B, or ±65504 in A and above that in B."""
    special_places: int = 0
    """Elements that are NaN or ±Inf on both sides."""


@dataclass(frozen=True)
class PairRow:
    """One tensor of one operator on both sides."""

    order: int
    """Place of the operator in execution order, from 0; tensors of one operator share it."""
    op_name: str
    op_type: str
    tensor: str
    """`output:0`; empty for an operator that one side lacks."""
    verdict: Verdict
    cause: str = ""
    """Key of the reason in `tui.dump.reasons`; what decided the verdict."""
    detail: str = ""
    """Text that goes with the cause: names, or a problem as its reader worded it."""
    a: SideStats | None = None
    b: SideStats | None = None
    metrics: Metrics | None = None
    golden_name: str = ""
    """The operator of side B, or all that a fused one stands for; empty when it is called the same."""
    originals: tuple[str, ...] = ()
    """Names in the original model of a fused operator, where the graph tells; empty when it is called the same."""
    path_a: str = ""
    path_b: str = ""
    tensor_b: str = ""
    """The tensor of side B where it is another, as for an input that is compared with its producer's golden output."""
    runs: int = 1
    """How often the operator was dumped on side A; the latest is compared."""
    inherited: bool = False
    """It differs, but so do the inputs of its operator."""
    counted: bool = True
    """Whether special values were counted; not so in the tables of other tools."""
    network_output: bool = False
    network_input: bool = False
    """Fed by the network's own input."""
    producers: tuple[tuple[str, int], ...] = ()
    """Operators and outputs that feed its operator, where the graph tells."""

    @property
    def is_input(self) -> bool:
        """Whether the tensor goes into the operator."""
        return self.tensor.startswith("input")

    @property
    def one_element(self) -> bool:
        """Whether the cosine says nothing because there is one element only."""
        return self.b is not None and self.a is not None and self.a.count == 1 and self.b.count == 1

    @property
    def cosine(self) -> float | None:
        """Cosine similarity to show and to judge by; None when undefined or of one element."""
        metrics = self.metrics
        return None if metrics is None or self.one_element else metrics.cosine


@dataclass(frozen=True)
class Divergence:
    """Where the two runs part."""

    row: int
    """Index into the rows."""
    inputs: InputsState
    """Whether the inputs of the operator agree; `differ` when everything that differs has inputs that differ."""


@dataclass(frozen=True)
class KeepFloat32:
    """Operators that cannot work in float16, in execution order."""

    by_name: tuple[str, ...] = ()
    by_type: tuple[str, ...] = ()


@dataclass(frozen=True)
class DumpComparison:
    """Everything that a comparison found. Rows are in execution order, unmatched ones last."""

    path_a: str
    path_b: str
    rows: tuple[PairRow, ...]
    first_divergence: Divergence | None = None
    network_outputs: tuple[int, ...] = ()
    """Indices of the rows of the network's outputs; empty when it is not known which they are."""
    differing_inputs: tuple[int, ...] = ()
    """Indices of rows of the network's own inputs that do not agree: nothing else means much then."""
    keep_float32: KeepFloat32 = KeepFloat32()
    problems: tuple[Problem, ...] = ()
    complete: bool = True
    """False when it was stopped."""
    threshold: float = 0.95

    @property
    def compared(self) -> int:
        """Number of tensors that were compared, by their values or by their statistics."""
        return sum(row.verdict in AGREEING or row.verdict in DIVERGING for row in self.rows)

    @property
    def deciding(self) -> tuple[PairRow, ...]:
        """The rows that say whether the runs agree: the network's outputs where they are known, else all.

        What has no counterpart because the compiler made it says nothing.
        """
        outputs = tuple(self.rows[place] for place in self.network_outputs)
        return outputs or tuple(row for row in self.rows if row.cause not in EXPECTED_CAUSES)

    @property
    def agrees(self) -> bool:
        """Whether all deciding rows agree."""
        return all(row.verdict in AGREEING for row in self.deciding)


@dataclass(frozen=True)
class TensorStats:
    """One tensor of one file."""

    tensor: str
    stats: SideStats
    problem: Problem | None = None
    """Why there are no numbers."""


@dataclass(frozen=True)
class Histogram:
    """Both sides of a pair counted over the same bins."""

    edges: tuple[float, ...]
    """Bins + 1 values, rising."""
    a: tuple[int, ...]
    b: tuple[int, ...]
    special_a: int = 0
    """Elements of A that are NaN or ±Inf and so are in no bin."""
    special_b: int = 0


@dataclass(frozen=True)
class WorstElement:
    """One of the elements that differ most."""

    index: tuple[int, ...]
    """Position in the logical shape."""
    a: float
    b: float
    abs_error: float
    relative_error: float
    """0 where the golden value is 0, as in the metrics."""


@dataclass(frozen=True)
class CompareRequest:
    """What to compare and how."""

    path_a: str
    path_b: str
    threshold: float = 0.95
    """A cosine below it is `bad`."""
    graph: str = ""
    """Path of the graph json of side A (`atc --mode=1`); empty for none."""
    graph_b: str = ""
    """The same of side B, for two models of different fusion."""
    quant: str = ""
    """Path of the quantisation json of AMCT."""
    dtype: str = ""
    """Type of raw files."""
    shape: tuple[int, ...] = ()
    """Shape of raw files."""


@dataclass(frozen=True)
class CompareProgress:
    """How far a comparison is. Small and picklable."""

    rows: tuple[PairRow, ...]
    """Rows finished since the last progress, in any order."""
    pairs_done: int
    pairs_total: int
    bytes_read: int
    bytes_total: int
    elapsed_s: float
    current: str = ""
    """Operator that is being compared."""
    problems: tuple[Problem, ...] = ()
    """What was wrong with the folders, the graph or the pairing."""
    done: bool = False

    @property
    def fraction(self) -> float:
        """Share of the bytes read, 0…1."""
        return min(1.0, self.bytes_read / self.bytes_total) if self.bytes_total else float(self.done)

    @property
    def left_s(self) -> float | None:
        """Seconds that the rest will take; None while that cannot be told."""
        if not self.bytes_read or not self.fraction:
            return None
        return self.elapsed_s * (1.0 - self.fraction) / self.fraction
