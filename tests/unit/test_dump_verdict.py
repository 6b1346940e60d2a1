"""Verdicts and their reasons, where runs part, what stays in float32, head-room."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.dump_pairs import NO_ERROR, row, stats
from tui.dump.divergence import conclude
from tui.dump.headroom import evidence, headroom
from tui.dump.reasons import reason_of
from tui.dump.verdict import judged
from tui.model.dump import (
    CompareRequest,
    Divergence,
    DumpComparison,
    KeepFloat32,
    PairRow,
    SideStats,
    Verdict,
)

REQUEST = CompareRequest("a", "b")


def verdict(a: SideStats, b: SideStats, threshold: float = 0.95, **metrics: object) -> str:
    found = judged(row(0, a=a, b=b), threshold)
    assert found.metrics is not None
    changed = replace(found.metrics, **metrics)  # type: ignore[arg-type]
    return judged(replace(found, metrics=changed), threshold).verdict


@pytest.mark.parametrize(
    ("cosine", "expected"),
    [(1.0, "ok"), (0.99, "ok"), (0.989, "drift"), (0.95, "drift"), (0.949, "bad"), (-1, "bad"), (None, "bad"),
     (math.nan, "bad")],
)  # fmt: skip
def test_the_cosine_decides(cosine: float | None, expected: str) -> None:
    assert verdict(stats(), stats("float32"), cosine=cosine) == expected


def test_the_threshold_moves_bad_and_never_lets_drift_be_ok() -> None:
    assert verdict(stats(), stats("float32"), 0.5, cosine=0.6) == "drift"
    assert verdict(stats(), stats("float32"), 0.995, cosine=0.992) == "bad"
    assert verdict(stats(), stats("float32"), 0.995, cosine=0.996) == "ok"


def test_overflow_comes_before_everything_that_was_compared() -> None:
    assert verdict(stats(max_abs=65504, saturated=3), stats("float32", max_abs=109508), overflowed=3) == "overflow"
    assert verdict(stats(max_abs=1e-9, nan=1), stats("float32", max_abs=1e-9), overflowed=1) == "overflow"


def test_tiny_goes_by_the_narrower_type() -> None:
    assert verdict(stats(max_abs=6e-5), stats("float32", max_abs=6e-5), cosine=0.1) == "tiny"
    assert verdict(stats(max_abs=6.2e-5), stats("float32", max_abs=6e-5), cosine=0.1) == "bad"
    assert verdict(stats("float32", max_abs=6e-5), stats("float32", max_abs=6e-5), cosine=0.1) == "bad"
    assert verdict(stats("int32", max_abs=0), stats("int32", max_abs=0)) == "ok"


def test_one_element_goes_by_the_relative_error_and_has_no_cosine() -> None:
    one, golden = stats(count=1, max_abs=7), stats("float32", count=1, max_abs=70)
    assert verdict(one, golden, cosine=1.0, max_relative_error=0.9, max_abs_error=63) == "bad"
    assert verdict(one, golden, cosine=1.0, max_relative_error=0.05, max_abs_error=3) == "ok"
    assert verdict(one, golden, cosine=1.0, max_relative_error=math.nan, max_abs_error=math.nan) == "bad"
    zero = stats("float32", count=1, max_abs=0)
    assert verdict(one, zero, cosine=1.0, max_relative_error=0, max_abs_error=7) == "bad"
    assert row(0, a=one, b=golden).cosine is None


def reason(verdict_row: PairRow) -> str:
    return reason_of(judged(verdict_row))


def test_reasons_carry_the_numbers_that_decided() -> None:
    metrics = replace(NO_ERROR, overflowed=3, cosine=0.99)
    clipped = row(0, a=stats(count=9, max_abs=65504), b=stats("float32", max_abs=109508), metrics=metrics)
    assert "3 of 9 elements (33.3 %)" in reason(clipped)
    assert "109508" in reason(clipped)
    lost = row(0, a=stats(nan=2, inf=1), b=stats("float32"), metrics=metrics)
    assert "2 NaN, 1 Inf" in reason(lost)
    assert "0.7" in reason(row(0, metrics=replace(NO_ERROR, cosine=0.7)))
    assert "all zero" in reason(row(0, metrics=replace(NO_ERROR, cosine=None, norm_a=0.0)))
    assert "golden" in reason(row(0, metrics=replace(NO_ERROR, cosine=None, norm_b=0.0)))
    both = replace(NO_ERROR, cosine=math.nan, special_places=4, cosine_finite=1.0)
    assert "4 elements are NaN or Inf on both sides" in reason(row(0, metrics=both))
    assert reason_of(row(0)) == ""
    assert reason_of(row(0, verdict="shape", cause="shape", metrics=None)) == "the shapes are 4 and 4"
    assert reason_of(row(0, verdict="no_pair", cause="fused", detail="conv")) == "fused into conv"


def concluded(*rows: PairRow) -> DumpComparison:
    return conclude(rows, REQUEST)


def test_the_first_bad_output_with_good_inputs_is_where_the_runs_part() -> None:
    found = concluded(
        row(0, "input:0"), row(0), row(1, "input:0"), row(1, verdict="overflow"),
        row(2, "input:0", "overflow"), row(2, verdict="bad"),
    )  # fmt: skip
    assert found.first_divergence == Divergence(3, "clean")
    assert [each.inherited for each in found.rows] == [False, False, False, False, True, True]


def test_rows_may_come_in_any_order_and_twice() -> None:
    rows = [row(1), row(0), row(0, "input:0"), row(1, "output:0", "bad")]
    assert [(each.order, each.tensor, each.verdict) for each in concluded(*rows).rows] == [
        (0, "input:0", "ok"), (0, "output:0", "ok"), (1, "output:0", "bad"),
    ]  # fmt: skip


def test_without_inputs_the_first_bad_row_is_marked_so() -> None:
    found = concluded(row(0), row(1, verdict="drift"), row(2, verdict="bad"), row(3, verdict="overflow"))
    assert found.first_divergence == Divergence(2, "unknown")
    assert not any(each.inherited for each in found.rows)


def test_producers_stand_in_for_inputs_that_were_not_dumped() -> None:
    found = concluded(
        row(0, verdict="bad"), row(1, verdict="bad", producers=(("op0", 0),)), row(2, verdict="ok"),
        row(3, verdict="overflow", producers=(("op2", 0),)),
    )  # fmt: skip
    assert found.first_divergence == Divergence(0, "unknown")
    assert [each.inherited for each in found.rows] == [False, True, False, False]


def test_a_run_whose_own_inputs_differ_says_so() -> None:
    found = concluded(row(0, "input:0", "bad"), row(0, verdict="bad"), row(1, verdict="ok"))
    assert found.differing_inputs == (0,)
    assert found.first_divergence == Divergence(1, "differ")
    assert [each.inherited for each in found.rows] == [False, True, False]
    told = concluded(row(0), row(1, "input:0", "bad", network_input=True), row(1, verdict="bad"))
    assert told.differing_inputs == (1,)


def test_nothing_bad_has_no_divergence() -> None:
    found = concluded(row(0), row(1, verdict="tiny"), row(2, verdict="drift"))
    assert found.first_divergence is None
    assert found.agrees


def test_network_outputs_decide_where_they_are_known() -> None:
    inner = row(0, verdict="bad")
    assert not concluded(inner, row(1)).agrees
    assert concluded(inner, row(1, network_output=True)).agrees
    by_type = concluded(inner, row(1, "input:0", "drift", op_type="NetOutput"))
    assert by_type.network_outputs == (1,)
    assert by_type.agrees


@pytest.mark.parametrize(("cause", "agrees"), [("only_a", False), ("inserted", True), ("fused", True), ("inner", True)])
def test_what_the_compiler_made_needs_no_counterpart(cause: str, agrees: bool) -> None:
    unmatched = row(1, "", "no_pair", cause=cause, metrics=None, a=None, b=None)
    assert concluded(row(0), unmatched).agrees is agrees


def kept(*rows: PairRow) -> KeepFloat32:
    return concluded(*rows).keep_float32


def test_what_float16_cannot_hold_stays_in_float32_even_when_its_failure_is_inherited() -> None:
    beyond = stats("float32", max_abs=1e5, beyond_fp16=2)
    inherited = (row(1, "input:0", "bad"), row(1, verdict="overflow", b=beyond, op_type="AddN"))
    assert kept(row(0), *inherited) == KeepFloat32(("op1",), ("AddN",))
    nan_passed_on = (row(2, "input:0", "overflow"), row(2, verdict="overflow"))
    assert kept(row(0, verdict="overflow"), *nan_passed_on).by_name == ("op0",)
    float32 = row(3, verdict="overflow", a=stats("float32"), b=beyond)
    assert kept(float32) == KeepFloat32()


def test_fused_operators_stay_by_their_original_names() -> None:
    fused = row(0, verdict="overflow", originals=("conv", "relu"))
    assert kept(fused).by_name == ("conv", "relu")


@pytest.mark.parametrize(
    ("golden", "room"),
    [
        (stats("float32", max_abs=109508, beyond_fp16=9), "cannot"),
        (stats("float32", max_abs=40000), "tight"),
        (stats("float32", max_abs=10), "fits"),
        (stats("float32", count=100, max_abs=1, below_fp16=5), "flushes"),
        (stats("float32", max_abs=math.nan), "unknown"),
    ],
)
def test_head_room_from_the_golden_side_alone(golden: SideStats, room: str) -> None:
    assert headroom(golden).room == room


def test_the_evidence_names_the_span_and_the_limit() -> None:
    golden = replace(stats("float32", count=9, max_abs=109508, beyond_fp16=9), min=70683.0)
    assert headroom(golden).ratio == pytest.approx(109508 / 65504)
    spans = "fp32 output 0 spans 70683…109508; fp16 holds at most 65504; "
    assert evidence(row(0, b=golden)) == spans + "100 % of the elements cannot be fp16"
    clipped = row(0, b=golden, metrics=replace(NO_ERROR, overflowed=3))
    assert evidence(clipped) == spans + "33.3 % of the elements saturate"
    assert "become 0 in fp16" in evidence(row(0, b=stats("float32", count=100, below_fp16=5)))
    assert "% of the range of fp16" in evidence(row(0))
    assert "no finite value" in evidence(row(0, b=stats("float32", max_abs=math.nan)))
    assert evidence(row(0, metrics=None)) == ""


def test_the_reason_names_the_limit_that_was_missed() -> None:
    metrics = replace(NO_ERROR, cosine=0.97)
    assert reason_of(judged(row(0, metrics=metrics))) == "the cosine is 0.97, below 0.99"
    assert reason_of(judged(row(0, metrics=metrics), 0.98)) == "the cosine is 0.97, below 0.98"


@pytest.mark.parametrize("verdict_name", ["unreadable", "no_pair", "shape"])
def test_rows_that_were_not_compared_keep_their_verdict(verdict_name: Verdict) -> None:
    assert judged(row(0, verdict=verdict_name, metrics=None)).verdict == verdict_name
