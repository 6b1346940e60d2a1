"""CM, CP, AC and AO: each rule applies, not just below its threshold, and says what it misses. Numbers by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.unit.rule_facts import facts, figures, fired, missing, ops, rule
from tests.unit.tables import number, text
from tui.findings.facts import Facts
from tui.findings.votes import is_outlier
from tui.model.comparison import Change, Comparison, Difference, Members, PartChange, Side
from tui.model.comparison import Facts as SideFacts
from tui.model.dump import Divergence, DumpComparison, Metrics, PairRow, SideStats
from tui.model.finding import LinkUse, Rank
from tui.model.table import Table
from tui.model.tuning import TunedOp, TuningOutcome, TuningResult

# CM


def use(op: str = "hcom_allReduce__1_0_1", transport: str = "SDMA", **more: Any) -> LinkUse:
    settings: dict[str, Any] = {"size_mb": 10.0, "time_ms": 1.0, "bandwidth_gb_s": 10.0}
    return LinkUse(op, transport, **{**settings, **more})


def test_small_packets() -> None:
    """21 of 100 transfers are below 16 MB; 20 are not more than 20 %."""
    found = fired("CM01", facts(links=[use(sizes=((15.9, 21.0, 1.0), (16.0, 79.0, 1.0)))]))
    assert (found.severity, figures(found)["small_pct"]) == ("low", 21.0)
    assert rule("CM01", facts(links=[use(sizes=((15.9, 20.0, 1.0), (16.0, 80.0, 1.0)))])) is None
    assert fired("CM01", facts(links=[use(transport="RDMA", sizes=((0.9, 1.0, 1.0),))])).title.startswith("RDMA")
    assert "communication.json" in missing("CM01", facts()).missing


def _moved(*sizes: tuple[float, float, float], transport: str = "HCCS") -> Facts:
    return facts(links=[use(transport=transport, sizes=sizes)])


def test_alignment_of_transfers() -> None:
    """1 937 312 B = 3783 × 512 + 416; 2 064 384 B = 4032 × 512. The odd ones take 2 of 10, 7 of 10 and 1.9 of 10 ms."""
    found = fired("CM03", _moved((1.937312, 2.0, 2.0), (2.064384, 5.0, 8.0)))
    assert (found.severity, figures(found)["time_ms"], found.evidence_total) == ("medium", 2.0, 1)
    assert fired("CM03", _moved((1.937312, 2.0, 7.0), (2.064384, 5.0, 3.0))).severity == "high"
    assert fired("CM03", _moved((1.937312, 2.0, 1.9), (2.064384, 5.0, 8.1))).severity == "low"
    assert rule("CM03", _moved((2.064384, 5.0, 8.0), (0.000511, 1.0, 1.0), (0.000512, 1.0, 1.0))) is None
    assert "SDMA" in missing("CM03", _moved((1.937312, 2.0, 2.0), transport="RDMA")).missing
    assert "communication.json" in missing("CM03", facts()).missing


def _beside(bandwidth: float, gap_us: float = -40.0) -> Facts:
    """A collective of 50 µs that begins 40 µs before a MatMul ends."""
    table = ops([("MatMulV2", 100.0), ("hcom_allReduce_", 50.0)], gap_us=gap_us, task_type=["AI_CORE", "HCCL"])
    names = text("op_name", ["MatMul_0", "hcom_allReduce__1_0_1@77"])
    return facts(ops=replace(table, columns=(names, *table.columns[1:])), links=[use(bandwidth_gb_s=bandwidth)])


def test_contention() -> None:
    assert fired("CM02", _beside(14.3)).recoverable_us == 50.0
    assert rule("CM02", _beside(14.4)) is None
    assert rule("CM02", _beside(14.3, gap_us=10.0)) is None
    assert "communication.json" in missing("CM02", facts(ops=ops([("MatMul", 1.0)]))).missing


def test_retransmission() -> None:
    slow = use(transport="RDMA", elapse_ms=4000.0, time_ms=4001.0)
    assert fired("CM04", facts(span_us=5e6, links=[slow])).recoverable_us == 4_001_000.0
    assert rule("CM04", facts(links=[slow, replace(slow, elapse_ms=3999.0)])) is None
    assert rule("CM04", facts(links=[replace(slow, time_ms=4000.0)])) is None
    assert "RDMA" in missing("CM04", facts(links=[use()])).missing


def rank(name: str, computing: float, free: float, *links: LinkUse) -> Rank:
    return Rank(name, {"computing": computing, "communication_not_overlapped": 0.0, "free": free}, links)


def test_slow_rank() -> None:
    """Steps of 1000 µs in the mean; free times 51 µs apart are 5.1 %."""
    found = fired("CM05", facts(ranks=[rank("0", 900.0, 74.5), rank("1", 900.0, 125.5)]))
    assert (found.recoverable_us, found.severity, found.evidence[0].text) == (51.0, "high", "1")
    assert rule("CM05", facts(ranks=[rank("0", 900.0, 75.0), rank("1", 900.0, 125.0)])) is None
    assert "two ranks" in missing("CM05", facts(ranks=[rank("0", 1.0, 1.0)])).missing


def test_slow_link() -> None:
    """10 against 11 GB/s: 1 of 10.5 in the mean is 9.5 %."""
    ranks = [rank("0", 1.0, 1.0, use(size_mb=10.0)), rank("1", 1.0, 1.0, use(size_mb=11.0))]
    found = fired("CM06", facts(ranks=ranks))
    assert found.evidence[0].text == "0"
    assert found.recoverable_us == pytest.approx(1000.0 / 11, abs=0.001)
    near = [ranks[0], rank("1", 1.0, 1.0, use(size_mb=10.5))]
    assert rule("CM06", facts(ranks=near)) is None
    assert "bandwidth" in missing("CM06", facts(ranks=[rank("0", 1.0, 1.0), rank("1", 1.0, 1.0)])).missing


def _collectives(late: int, members: int = 4, shortest: float = 1.0) -> Facts:
    """Two collectives of four ranks; in the first of them rank 0 took 1 ms, the others 10, 10.1, 10.2."""

    def times(place: int, op: int) -> float:
        return shortest if place == 0 and op < late else 10.0 + place / 10

    ranks = [
        rank(str(place), 1.0, 1.0, *(use(f"hcom_{op}", elapse_ms=times(place, op)) for op in range(2)))
        for place in range(members)
    ]
    return facts(span_us=50_000.0, ranks=ranks)


def test_votes_for_a_slow_rank() -> None:
    """(10.1 − 1) ÷ (10.3 − 1) = 0.978 is above 0.926; two collectives are two votes of 9.1 ms."""
    found = fired("CM07", _collectives(2))
    assert (found.evidence[0].text, figures(found)["votes"]) == ("0", 2.0)
    assert found.recoverable_us == pytest.approx(18_200.0)
    assert rule("CM07", _collectives(1)) is None
    assert rule("CM07", _collectives(2, shortest=9.0)) is None
    assert "three ranks" in missing("CM07", _collectives(2, members=2)).missing


@pytest.mark.parametrize(("times", "outlier"), [
    ([1.0, 9.92, 10.0], False), ([1.0, 9.96, 10.0], True), ([1.0, 1.0, 1.0], False), ([1.0, 2.0], False),
    ([10.0] * 100 + [5.0], True), ([10.0, 9.0] * 51, False),
])  # fmt: skip
def test_outliers(times: list[float], outlier: bool) -> None:
    assert is_outlier(times) is outlier


def _late(
    late: int, of: int = 20, shift_us: float = 1001.0, wait_us: float = 101.0, **steps: tuple[float, float]
) -> Facts:
    """Two ranks in `of` collectives; rank 1 begins the first `late` ones later, and rank 0 waits for it."""
    links: dict[str, list[LinkUse]] = {"0": [], "1": []}
    for at in range(of):
        shifted = at < late
        begin = 1_736_408_883_732_241_500 + at * 10_000_000
        links["0"].append(use(f"hcom_allReduce__{at}", start_ns=begin, wait_ms=wait_us / 1000 if shifted else 0.0))
        links["1"].append(use(f"hcom_allReduce__{at}", start_ns=begin + round(shift_us * 1000) * shifted))
    times = {"0": (100.0, 50.0), "1": (100.0, 50.0), **{name[1:]: pair for name, pair in steps.items()}}
    return facts(ranks=[rank(name, *times[name], *links[name]) for name in ("0", "1")])


def test_late_member() -> None:
    """2 of 20 collectives are 10 %, 1 of 20 is not more than 5 %; rank 0 waits 101 µs in each of the late ones."""
    found = fired("CM08", _late(2, _1=(130.0, 60.0)))
    assert (found.evidence[0].text, figures(found)["count"], found.confidence) == ("1", 2.0, "likely")
    assert found.recoverable_us == pytest.approx(202.0)
    assert found.title == "rank 1 comes late: its device computes longer"  # 30 of 30 + 10 µs
    assert fired("CM08", _late(2, _1=(109.0, 60.0))).title.endswith("its host keeps the device waiting")  # 9 of 19
    assert fired("CM08", _late(2)).confidence == "hint"
    assert rule("CM08", _late(1)) is None
    assert rule("CM08", _late(2, shift_us=1000.0)) is None
    assert rule("CM08", _late(2, wait_us=100.0)) is None
    assert "two ranks" in missing("CM08", facts(ranks=[rank("0", 1.0, 1.0, use(start_ns=5))])).missing


def _alone(alone_us: float) -> Facts:
    steps = Table("steps", tuple(number(key, [us]) for key, us in
                                 (("computing", 1000.0 - alone_us), ("communication_not_overlapped", alone_us),
                                  ("free", 0.0))))  # fmt: skip
    return facts(step_table=steps, links=[use()])


def test_uncovered_communication() -> None:
    assert fired("CM09", _alone(100.0)).recoverable_us == 100.0
    assert rule("CM09", _alone(99.9)) is None
    assert "communicated" in missing("CM09", facts(ops=ops([("Add", 1.0)]))).missing


# CP


def change(a_us: float, b_us: float, verdict: str) -> Change:
    return Change(a_us, b_us, b_us - a_us, 1.0, verdict)  # type: ignore[arg-type]


def against(*rows: tuple[str, float, float, float, float, str], **more: Any) -> Facts:
    """A comparison of (operator, total before, total after, calls before, calls after, verdict)."""
    names, a, b, a_count, b_count, verdicts = zip(*rows) if rows else ((), (), (), (), (), ())
    delta = [after - before for before, after in zip(a, b)]
    columns = (
        text("op_name", names), text("verdict", verdicts), number("a_total_us", a), number("b_total_us", b),
        number("delta_us", delta), number("a_count", a_count), number("b_count", b_count),
    )  # fmt: skip
    nobody = Members(np.full(len(rows), -1, np.intp), np.zeros(0, np.intp), np.zeros(1, np.intp))
    side = Side("x", SideFacts())
    settings: dict[str, Any] = {"parts": (), "differences": (), "notes": ()}
    comparison = Comparison(
        side, side, "name", Table("compare", columns), change(1.0, 1.0, "same"), None,
        a_members=nobody, b_members=nobody, **{**settings, **more},
    )  # fmt: skip
    return facts(comparison=comparison)


def test_regressions() -> None:
    found = fired("CP01", against(("Conv", 100.0, 105.0, 1, 1, "slower"), ("Add", 50.0, 60.0, 1, 1, "same")))
    assert (found.recoverable_us, found.evidence_total, found.evidence[0].text) == (5.0, 1, "Conv")
    assert rule("CP01", against(("Conv", 100.0, 104.9, 1, 1, "slower"))) is None
    assert missing("CP01", facts()).option == ":baseline PATH"


def test_new_and_vanished_operators() -> None:
    found = fired("CP02", against(("Conv", 0.0, 5.0, 0, 1, "new"), ("Add", 7.0, 0.0, 1, 0, "gone")))
    assert (found.severity, found.evidence_total) == ("info", 2)
    assert rule("CP02", against(("Conv", 5.0, 5.0, 1, 1, "same"))) is None
    assert missing("CP02", facts()).missing == "no baseline is open"


def test_number_of_calls() -> None:
    assert "1 → 2 calls" in fired("CP03", against(("Conv", 5.0, 9.0, 1, 2, "count_changed"))).measured
    assert rule("CP03", against(("Conv", 0.0, 9.0, 0, 2, "new"))) is None
    assert missing("CP03", facts()).missing == "no baseline is open"


def test_categories_of_time() -> None:
    worse = (PartChange("free", change(100.0, 105.0, "slower")),)
    found = fired("CP04", against(parts=worse))
    assert (found.recoverable_us, found.title) == (5.0, "free takes longer than in the baseline")
    assert rule("CP04", against(parts=(PartChange("free", change(100.0, 104.9, "slower")),))) is None
    assert rule("CP04", against(parts=(PartChange("free", change(100.0, 120.0, "same")),))) is None
    assert "categories" in missing("CP04", against()).missing


def test_comparability() -> None:
    found = fired("CP05", against(differences=(Difference("chip", "Ascend310P", "Ascend910B"),)))
    assert (found.severity, found.measured) == ("warn", "chip: Ascend310P / Ascend910B")
    assert rule("CP05", against()) is None
    assert missing("CP05", facts()).missing == "no baseline is open"


# AC


def metrics(cosine: float = 1.0, **more: float) -> Metrics:
    settings: dict[str, Any] = dict.fromkeys(
        "max_abs_error accumulated_relative_error relative_euclidean_distance kl_divergence mean_a standard_deviation_a"
        " mean_b standard_deviation_b mean_abs_error rmse max_relative_error mean_relative_error".split(),
        0.0,
    )
    settings.update(norm_a=1.0, norm_b=1.0)
    return Metrics(cosine=cosine, cosine_finite=cosine, overflowed=0, **{**settings, **more})


def side(dtype: str = "float32", count: int = 4, **more: Any) -> SideStats:
    return SideStats(dtype, (count,), "ND", count, **more)


def pair(op: str = "Conv_0", verdict: str = "ok", **more: Any) -> PairRow:
    settings: dict[str, Any] = {"a": side("float16"), "b": side(), "metrics": metrics()}
    return PairRow(0, op, "Conv2D", "output:0", verdict, **{**settings, **more})  # type: ignore[arg-type]


def dumped(*rows: PairRow, **more: Any) -> Facts:
    return facts(dumps=DumpComparison("a", "b", rows, **more))


def test_cosine() -> None:
    found = fired("AC01", dumped(pair("AddN", metrics=metrics(0.9499)), pair(metrics=metrics(0.98))))
    assert (found.severity, found.evidence_total, found.evidence[0].text) == ("high", 2, "AddN output:0")
    assert fired("AC01", dumped(pair(metrics=metrics(0.95)))).severity == "low"
    assert rule("AC01", dumped(pair(metrics=metrics(0.99)))) is None
    assert "dumps" in missing("AC01", facts()).missing


@pytest.mark.parametrize(
    ("name", "limit"),
    [("relative_euclidean_distance", 0.05), ("kl_divergence", 0.005), ("rmse", 1.0), ("mean_relative_error", 1.0)],
)
def test_other_metrics(name: str, limit: float) -> None:
    assert fired("AC02", dumped(pair(metrics=metrics(**{name: limit})))).severity == "medium"
    assert rule("AC02", dumped(pair(metrics=metrics(**{name: limit * 0.999})))) is None
    assert "dumps" in missing("AC02", facts()).missing


def test_overflow() -> None:
    full = side("float16", saturated=3, max_abs=65504.0)
    assert fired("AC03", dumped(pair(a=full, b=side(max_abs=109508.0)))).severity == "high"
    assert fired("AC03", dumped(pair(a=full, b=side(max_abs=65504.0)))).severity == "info"
    assert fired("AC03", dumped(pair(a=side("float16", nan=1)))).severity == "high"
    assert rule("AC03", dumped(pair(a=side("float16", max_abs=65472.0), b=side(max_abs=109508.0)))) is None
    assert "dumps" in missing("AC03", facts()).missing


def test_range_of_float16() -> None:
    found = fired("AC04", dumped(pair(b=side(max_abs=65504.1)), pair("AddN", b=side(max_abs=109508.0))))
    assert (found.severity, figures(found)["max_abs_b"]) == ("high", 109508.0)
    assert fired("AC04", dumped(pair(b=side(max_abs=65504.0)))).severity == "low"
    assert rule("AC04", dumped(pair(b=side(max_abs=32752.0)))) is None
    assert "float32" in missing("AC04", dumped(pair(b=side("float16")))).missing


def test_first_divergence() -> None:
    rows = (pair(), pair("AddN", "bad", metrics=metrics(0.72)), pair("Relu", "bad"))
    found = fired("AC05", dumped(*rows, first_divergence=Divergence(1, "clean")))
    assert (found.lead, found.confidence, found.title) == (True, "sure", "the runs part at AddN")
    assert fired("AC05", dumped(*rows, first_divergence=Divergence(1, "unknown"))).confidence == "likely"
    assert rule("AC05", dumped(*rows)) is None
    assert "dumps" in missing("AC05", facts()).missing


def test_shapes_and_tiny_tensors() -> None:
    assert fired("AC06", dumped(pair(verdict="shape", metrics=None))).severity == "error"
    assert rule("AC06", dumped(pair())) is None
    assert "dumps" in missing("AC06", facts()).missing
    assert fired("AC07", dumped(pair(verdict="tiny"))).severity == "info"
    assert fired("AC07", dumped(pair(metrics=metrics(norm_a=9e-7, norm_b=9e-7)))).evidence_total == 1
    assert rule("AC07", dumped(pair(metrics=metrics(norm_a=9e-7, norm_b=1e-6)))) is None
    assert "dumps" in missing("AC07", facts()).missing


def test_outputs_that_agree_although_inner_tensors_do_not() -> None:
    rows = (pair(verdict="bad"), pair("Out", network_output=True))
    assert fired("AC08", dumped(*rows, network_outputs=(1,))).severity == "info"
    assert rule("AC08", dumped(pair(), rows[1], network_outputs=(1,))) is None
    assert rule("AC08", dumped(rows[0], pair("Out", "bad", network_output=True), network_outputs=(1,))) is None
    assert "outputs" in missing("AC08", dumped(*rows)).missing


def test_inputs_that_differ() -> None:
    fed = pair(verdict="bad", network_input=True)
    assert fired("AC09", dumped(fed, differing_inputs=(0,))).severity == "high"
    assert rule("AC09", dumped(pair(network_input=True))) is None
    assert "inputs" in missing("AC09", dumped(pair())).missing


# AO


def tuned(**more: Any) -> Facts:
    return facts(tuning=TuningOutcome((TuningResult("aoe_result.json", "opat", **more),)))


def test_gain_of_the_tuning() -> None:
    assert fired("AO01", tuned(claimed="0.99%")).severity == "info"
    assert fired("AO01", tuned()).severity == "info"
    assert rule("AO01", tuned(claimed="1%")) is None
    assert rule("AO01", tuned(model_before_ms=100.0, model_after_ms=99.0)) is None
    assert "tuning" in missing("AO01", facts()).missing


def test_gain_per_operator() -> None:
    """The document's own: 72.055 → 72.046 µs, 0.01 %."""
    found = fired("AO02", tuned(ops=(TunedOp("conv", "Conv2D", 72.055, 72.046),)))
    assert figures(found)["gain_pct"] == pytest.approx(0.0125, abs=1e-4)
    assert fired("AO02", tuned(ops=(TunedOp("conv", "", 100.0, 50.0, share_pct=0.9),))).evidence_total == 1
    assert rule("AO02", tuned(ops=(TunedOp("conv", "Conv2D", 100.0, 99.0, share_pct=1.0),))) is None
    assert "times of operators" in missing("AO02", tuned()).missing


def test_order_of_tuning() -> None:
    assert fired("AO03", facts(job_order=("2", "1"))).severity == "warn"
    assert rule("AO03", facts(job_order=("1", "2"))) is None
    assert "tuning runs" in missing("AO03", facts()).missing


def test_tuning_result_in_use() -> None:
    assert fired("AO04", replace(tuned(), variables={})).severity == "warn"
    assert rule("AO04", replace(tuned(), variables={"TUNE_BANK_PATH": "/bank"})) is None
    assert "environment" in missing("AO04", tuned()).missing
