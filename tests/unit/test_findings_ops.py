"""CO: each rule applies, does not apply just below its threshold, and says what it misses. Numbers by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.timelines import make_timeline
from tests.unit.rule_facts import facts, figures, fired, missing, ops, profile, rule, with_limits
from tests.unit.tables import number, text
from tui.findings.facts import Facts
from tui.model.table import Table
from tui.model.timeline import Counter

CPU = ["AI_CORE", "AI_CPU"]


def of(table: Table, **more: Any) -> Facts:
    return facts(ops=table, **more)


def test_ai_cpu_is_a_finding_from_20_us() -> None:
    found = fired("CO01", of(ops([("Conv2D", 100.0), ("TopK", 20.0)], task_type=CPU)))
    assert (found.recoverable_us, found.severity, found.evidence_total) == (20.0, "low", 1)
    assert found.evidence[0].rows == (1,)
    assert found.evidence[0].start_ns == 1_100_000
    assert rule("CO01", of(ops([("Conv2D", 100.0), ("TopK", 19.999)], task_type=CPU))) is None
    assert "operators" in missing("CO01", facts()).missing


def test_ai_cpu_looks_at_ai_cpu_tasks_only() -> None:
    """A long AI Core task does not make a short AI CPU one a finding; nor do helper kernels of collectives."""
    table = ops([("allreduceAicpuKernel", 500.0), ("TopK", 1.0)], task_type=["AI_CPU", "AI_CPU"])
    assert rule("CO01", of(table)) is None


def test_severity_is_the_share_of_the_span() -> None:
    table = ops([("Conv2D", 100.0), ("TopK", 50.0)], task_type=CPU)
    assert [fired("CO01", of(table, span_us=us)).severity for us in (1000.0, 1000.1, 1666.6, 1666.8)] == [
        "high", "medium", "medium", "low",
    ]  # fmt: skip


def test_data_types_without_a_kernel() -> None:
    rows = [("Add", 30.0), ("Mul", 12.0), ("Equal", 5.0)]
    types = ["AI_CPU"] * 3
    columns: dict[str, Any] = {"input_data_types": ["FLOAT;FLOAT", "COMPLEX128;FLOAT", "INT64"],
               "output_data_types": ["FLOAT", "FLOAT", "BOOL"]}  # fmt: skip
    found = fired("CO02", of(ops(rows, task_type=types, **columns)))
    assert (found.recoverable_us, figures(found)["data_types"]) == (12.0, "complex128")
    columns["input_data_types"][1] = "COMPLEX64;FLOAT"
    assert rule("CO02", of(ops(rows, task_type=types, **columns))) is None
    columns["output_data_types"][2] = "INT8"
    assert fired("CO02", of(ops(rows, task_type=types, **columns))).evidence[0].text == "Equal_2"
    assert "data types" in missing("CO02", of(ops(rows))).missing


def test_double_on_ai_cpu() -> None:
    rows = [("Cast", 30.0), ("Add", 12.0)]
    found = fired("CO03", of(ops(rows, task_type=["AI_CORE", "AI_CPU"], input_data_types=["DOUBLE", "FLOAT;DOUBLE"])))
    assert (found.recoverable_us, found.evidence_total) == (12.0, 1)
    below = ops(rows, task_type=["AI_CORE", "AI_CPU"], input_data_types=["DOUBLE", "FLOAT;INT64"])
    assert rule("CO03", of(below)) is None
    assert "data types" in missing("CO03", of(ops(rows))).missing


def test_indexing_on_ai_cpu() -> None:
    rows = [("Index", 30.0), ("NonZero", 12.0)]
    assert fired("CO04", of(ops(rows, task_type=CPU))).recoverable_us == 12.0
    assert rule("CO04", of(ops([("Index", 30.0), ("Indexed", 12.0)], task_type=CPU))) is None
    assert missing("CO04", of(ops(rows, task_type=["N/A", "N/A"]))).option == "--task-time=l1"


def test_dynamic_shapes() -> None:
    rows = [("Add", 1.0), ("Mul", 1.0)]
    found = fired("CO05", of(ops(rows, op_state=["dynamic", "dynamic"])))
    assert (found.severity, found.recoverable_us) == ("medium", None)
    assert rule("CO05", of(ops(rows, op_state=["dynamic", "static"]))) is None
    assert "OP State" in missing("CO05", of(ops(rows, op_state=["N/A", "N/A"]))).missing


def test_idle_cores() -> None:
    """12 blocks on 8 cores take two rounds of 8: a quarter is idle."""
    rows = [("Conv2D", 100.0), ("Add", 40.0), ("MatMul", 60.0)]
    types = ["AI_CORE", "AI_VECTOR_CORE", "MIX_AIC"]
    found = fired("CO06", of(ops(rows, task_type=types, block_num=[12.0, 16.0, 8.0], mix_block_num=[0.0, 0.0, 3.0])))
    assert (found.recoverable_us, found.severity, found.evidence_total) == (25.0, "low", 1)
    assert figures(found)["idle_pct"] == 25.0


def test_idle_cores_of_mixed_tasks() -> None:
    """Cube-led mixed tasks are compared with the cube cores; a fitting second number makes them fine."""
    types = ["MIX_AIC", "MIX_AIC"]
    rows = [("MatMul", 60.0), ("MatMul", 60.0)]
    found = fired("CO06", of(ops(rows, task_type=types, block_num=[4.0, 4.0], mix_block_num=[16.0, 8.0])))
    assert (found.evidence_total, found.recoverable_us) == (1, 30.0)
    assert found.evidence[0].rows == (1,)


def test_full_cores_and_unknown_cores() -> None:
    rows = [("Conv2D", 100.0)]
    assert rule("CO06", of(ops(rows, block_num=[16.0]))) is None
    assert "Block Num" in missing("CO06", of(ops(rows))).missing
    unknown = facts(ops=ops(rows, block_num=[12.0]), profile=profile())
    assert "info.json" in missing("CO06", unknown).missing
    assert "CO05" in missing("CO06", of(ops(rows, block_num=[12.0], op_state=["dynamic"]))).missing


def test_no_unit_is_full() -> None:
    """At 0.4 of 0.8 half of the time could be saved."""
    rows = [("Conv2D", 40.0), ("Conv2D", 20.0)]
    found = fired("CO07", of(ops(rows, mac_ratio=[0.4, 0.4], vec_ratio=[0.1, None])))
    assert (found.evidence_total, found.recoverable_us) == (1, 20.0)
    assert rule("CO07", of(ops(rows, mac_ratio=[0.81, 0.4]))) is None
    assert rule("CO07", of(ops([("Conv2D", 40.0)], mac_ratio=[0.0]))) is None
    assert missing("CO07", of(ops(rows))).option == "--aic-metrics=PipeUtilization"


LARGE = "5120,2560;2560,5120"
"""26.2 MB each in float16, and 52.4 MB of result: 104.9 MB."""


@pytest.mark.parametrize(
    ("shapes", "mac", "mte2", "recoverable_us"),
    [
        (LARGE, 0.4, 0.19, 500.0),  # mac fills half of what it could
        (LARGE, 0.4, 0.95, 0.0),  # memory is full
        ("5120,2600;2600,5120", 0.8, 0.1, 0.0),  # 2600 is no multiple of 256
    ],
)
def test_large_matmul(shapes: str, mac: float, mte2: float, recoverable_us: float) -> None:
    table = _matmul(shapes, mac, mte2)
    found = fired("CO08", of(table))
    assert found.recoverable_us == pytest.approx(recoverable_us)


def _matmul(shapes: str, mac: float, mte2: float) -> Table:
    return ops([("MatMulV2", 1000.0)], input_shapes=[shapes], input_data_types=["FLOAT16;FLOAT16"], mac_ratio=[mac],
               mte2_ratio=[mte2], output_shapes=["5120,5120"], output_data_types=["FLOAT16"])  # fmt: skip


def test_matmul_that_is_fine_or_small() -> None:
    assert rule("CO08", of(_matmul(LARGE, 0.8, 0.1))) is None
    assert rule("CO08", of(_matmul("512,512;512,512", 0.1, 0.1))) is None
    assert "shapes" in missing("CO08", of(ops([("MatMulV2", 1000.0)]))).missing


def test_attention_with_unfriendly_shapes() -> None:
    rows = [("FlashAttentionScore", 50.0)]
    found = fired("CO09", of(ops(rows, input_shapes=["2,8,100,128;2,8,100,128"])))
    assert (found.recoverable_us, found.severity) == (50.0, "low")
    assert rule("CO09", of(ops(rows, input_shapes=["2,8,256,128;1"], vec_ratio=[0.74]))) is None
    assert fired("CO09", of(ops(rows, input_shapes=["2,8,256,128;1"], vec_ratio=[0.75]))).recoverable_us is None
    assert "shapes" in missing("CO09", of(ops(rows))).missing


def test_vector_operators() -> None:
    rows = [("Add", 60.0), ("Mul", 40.0)]
    types = ["AI_VECTOR_CORE"] * 2
    columns: dict[str, Any] = {"vec_ratio": [0.1, 0.75], "mte2_ratio": [0.7, 0.1], "mte3_ratio": [0.1, 0.1]}
    found = fired("CO10", of(ops(rows, task_type=types, **columns)))
    assert (found.recoverable_us, found.evidence[0].text, found.evidence_total) == (60.0, "Add", 1)
    fine: dict[str, Any] = {"vec_ratio": [0.65, 0.75], "mte2_ratio": [0.2, 0.1], "mte3_ratio": [0.05, 0.1]}
    assert rule("CO10", of(ops(rows, task_type=types, **fine))) is None  # 0.65 + 0.2 + 0.05 ≥ 0.9 overlap well
    assert "vector" in missing("CO10", of(ops(rows))).missing


def _clocked(values: list[float]) -> Facts:
    counter = Counter(0, "AI Core Freq", "AI Core Freq", "MHz", "3", "0", np.array([0, 1_050_000]), np.array(values))
    timeline = make_timeline([("1", "Conv2D_0", 1_000_000, 100_000)], counters=[counter])
    return facts(ops=ops([("Conv2D", 100.0), ("Conv2D", 50.0)]), timeline=timeline)


def test_clock_below_nominal() -> None:
    """The first operator begins at 1000 MHz, the second at 950: 5 % below, of 50 µs."""
    found = fired("CO11", _clocked([1000.0, 950.0]))
    assert (found.recoverable_us, found.evidence_total, found.severity) == (2.5, 1, "high")
    assert rule("CO11", _clocked([1000.0, 950.1])) is None
    no_counter = facts(ops=ops([("Conv2D", 1.0)]), timeline=make_timeline([("1", "Conv2D_0", 1, 1)]))
    assert "AI Core Freq" in missing("CO11", no_counter).missing
    assert missing("CO11", of(ops([("Conv2D", 1.0)]))).missing == "no timeline"


def _looped(times: int, gap_us: float) -> Table:
    rows = [(kind, 10.0) for _round in range(times) for kind in ("Mul", "Add", "Sub")]
    table = ops(rows, gap_us=gap_us)
    return replace(table, columns=(text("op_name", [kind for kind, _us in rows]), *table.columns[1:]))


def test_repeated_sequences() -> None:
    """6 × (10 + 20 + 10 + 20 + 10): busy for 30 of 70 µs is above 40 %; with gaps of 23 µs it is 30 of 76."""
    table = _looped(6, 23.0)
    found = fired("CO12", of(table, span_us=576.0))
    assert found.recoverable_us == pytest.approx(6 * 46.0)
    assert figures(found)["count"] == 6
    assert rule("CO12", of(_looped(6, 20.0), span_us=540.0)) is None
    assert rule("CO12", of(_looped(5, 23.0), span_us=480.0)) is None
    assert "operators" in missing("CO12", facts()).missing


def test_conversions() -> None:
    rows = [("Conv2D", 95.0), ("TransData", 3.0), ("Cast", 2.0)]
    found = fired("CO14", of(ops(rows)))
    assert (found.recoverable_us, found.evidence_total) == (5.0, 2)
    assert figures(found)["producer"] == "Conv2D_0"
    assert figures(found)["consumer"] == "Cast_2"
    assert rule("CO14", of(ops([("Conv2D", 95.1), ("TransData", 3.0), ("Cast", 2.0)]))) is None
    assert "types" in missing("CO14", of(ops([("N/A", 1.0)]))).missing


def _statistic(*rows: tuple[str, str, float, float]) -> Facts:
    """op_statistic of (type, core, total, longest) and no operators."""
    names, cores, totals, longest = zip(*rows)
    columns = (text("op_type", names), text("core_type", cores), number("total_time_us", totals),
               number("max_us", longest), number("count", [1.0] * len(rows)))  # fmt: skip
    return facts(0.0, op_types=Table("op-types", columns))


def test_rules_by_the_statistics_of_types() -> None:
    found = fired("CO14", _statistic(("Conv2D", "AI_CORE", 95.0, 9.0), ("Cast", "AI_CORE", 5.0, 1.0)))
    assert (found.recoverable_us, found.evidence[0].table, found.evidence[0].rows) == (5.0, "op-types", (1,))
    assert rule("CO14", _statistic(("Conv2D", "AI_CORE", 95.1, 9.0), ("Cast", "AI_CORE", 5.0, 1.0))) is None
    assert fired("CO01", _statistic(("TopK", "AI_CPU", 40.0, 20.0))).recoverable_us == 40.0
    assert rule("CO01", _statistic(("TopK", "AI_CPU", 40.0, 19.9))) is None


def test_memory_bound() -> None:
    """mte2 0.8 against 0.4: half of the time waits for memory."""
    rows = [("Conv2D", 97.0), ("Add", 3.0)]
    found = fired("CO15", of(ops(rows, mac_ratio=[0.4, 0.4], vec_ratio=[0.2, 0.1], mte2_ratio=[0.8, 0.4])))
    assert (found.recoverable_us, found.evidence_total, found.severity) == (48.5, 1, "high")
    assert rule("CO15", of(ops(rows, mac_ratio=[0.4, 0.4], vec_ratio=[0.2, 0.1], mte2_ratio=[0.4, 0.4]))) is None
    few = ops([("Conv2D", 97.1), ("Add", 2.9)], mac_ratio=[0.4, 0.1], mte2_ratio=[0.4, 0.8])
    assert rule("CO15", of(few)) is None
    assert missing("CO15", of(ops(rows))).option == "--aic-metrics=PipeUtilization"


def test_memory_bound_by_the_column_of_fused_cores() -> None:
    table = ops([("Conv2D", 100.0)], mac_ratio=[0.4], mte2_ratio=[0.4], memory_bound=[2.0])
    assert fired("CO15", of(table)).recoverable_us == 50.0


def test_use_of_the_cube() -> None:
    rows = [("MatMul", 97.0), ("Conv2D", 3.0)]
    found = fired("CO16", of(ops(rows, cube_utilization_pct=[30.0, 20.0])))
    assert (found.recoverable_us, found.evidence_total) == (2.4, 1)
    assert rule("CO16", of(ops(rows, cube_utilization_pct=[30.0, 30.0]))) is None
    assert "cube_utilization" in missing("CO16", of(ops(rows))).missing


def test_lead_suspect_by_its_share() -> None:
    found = fired("CO17", of(ops([("Conv2D", 20.0), *(("Add", 10.0),) * 8])))
    assert found.lead
    assert (found.recoverable_us, found.evidence_total) == (20.0, 1)
    assert "Conv2D_0 (Conv2D) takes 20.000 µs" in found.title
    assert rule("CO17", of(ops([("Conv2D", 19.9), *(("Add", 10.01),) * 8]))) is None
    assert "operators" in missing("CO17", facts()).missing


def test_lead_suspect_among_its_like() -> None:
    """Ten of 10 µs and one of 30.1: more than 3 × the median of 10; down to the median 20.1 µs could be saved."""
    rows = [*(("Add", 10.0),) * 10, ("Add", 30.1), *(("Mul", 10.0),) * 20]
    found = fired("CO17", of(ops(rows)))
    assert found.recoverable_us == pytest.approx(20.1)
    assert rule("CO17", of(ops([*(("Add", 10.0),) * 10, ("Add", 30.0), *(("Mul", 10.0),) * 20]))) is None
    assert fired("CO17", of(ops(rows)), with_limits(CO17__factor=2.0)).limits[1].text == "2* (3)"


def test_lead_suspect_without_types() -> None:
    assert fired("CO17", of(ops([("N/A", 30.0), *(("N/A", 10.0),) * 7]))).recoverable_us == 30.0


def test_unstable_operators() -> None:
    """10 10 10 10 20: mean 12, deviation 4 = 0.333; above the median lies 10 µs."""
    rows = [("Add", us) for us in (10.0, 10.0, 10.0, 10.0, 20.0)]
    found = fired("CO18", of(ops(rows, input_shapes=["1,2"] * 5)))
    assert found.recoverable_us == 10.0
    assert figures(found)["cv"] == pytest.approx(1 / 3)
    assert rule("CO18", of(ops(rows[1:], input_shapes=["1,2"] * 4))) is None
    assert rule("CO18", of(ops([*rows[:4], ("Add", 18.0)], input_shapes=["1,2"] * 5))) is None
    assert "types" in missing("CO18", of(ops([("N/A", 1.0)]))).missing


MISH = [("Conv2D", 10.0), ("Softplus", 3.0), ("Tanh", 2.0), ("Mul", 1.0)]


def test_split_mish() -> None:
    found = fired("CO19", of(ops(MISH * 3)))
    assert (found.recoverable_us, found.evidence_total, found.severity) == (18.0, 3, "low")
    assert found.evidence[0].text == "Conv2D_0"
    assert found.evidence[0].rows == (1, 2, 3)
    assert figures(found) == {"task_duration_us": 6.0, "softplus_us": 3.0, "tanh_us": 2.0, "mul_us": 1.0}
    assert found.command is not None
    assert found.command.tool == "msprof"
    assert rule("CO19", of(ops(MISH * 2))) is None
    assert rule("CO19", of(ops([*MISH, *MISH, *MISH[:3]]))) is None
    assert "types" in missing("CO19", of(ops([("N/A", 1.0)]))).missing


def test_split_activations_behind_a_product_only() -> None:
    """Sigmoid → Mul is Swish behind a convolution, over a conversion; elsewhere it is a gate of its own."""
    swish = [("Conv2D", 10.0), ("TransData", 1.0), ("Sigmoid", 3.0), ("Mul", 1.0)]
    assert fired("CO19", of(ops(swish * 3))).recoverable_us == 12.0
    assert rule("CO19", of(ops([("Softmax", 10.0), ("Sigmoid", 3.0), ("Mul", 1.0)] * 3))) is None


def test_activations_do_not_cross_streams() -> None:
    rows = [("Softplus", 3.0), ("Tanh", 2.0), ("Mul", 1.0)] * 3
    assert rule("CO19", of(ops(rows, stream_id=["1", "1", "2"] * 3))) is None
    assert fired("CO19", of(ops(rows, stream_id=["1"] * 9))).recoverable_us == 18.0


def test_waits_between_tasks() -> None:
    rows = [("Add", 50.0), ("Mul", 50.0)]
    found = fired("CO20", of(ops(rows, gap_us=100.0, task_wait_time_us=[0.0, 100.0])))
    assert (found.recoverable_us, found.severity) == (100.0, "high")
    assert rule("CO20", of(ops(rows, task_wait_time_us=[0.0, 99.9]))) is None
    assert "Task Wait Time" in missing("CO20", of(ops(rows))).missing


def test_waits_beyond_the_free_time() -> None:
    """The device was free for 30 µs only, whatever the column says."""
    table = ops([("Add", 50.0), ("Mul", 50.0)], gap_us=30.0, task_wait_time_us=[80.0, 30.0])
    assert fired("CO20", of(table)).recoverable_us == 30.0


def test_conflicts() -> None:
    rows = [("Add", 100.0)]
    found = fired("CO21", of(ops(rows, vec_bank_cflt_ratio=[0.11], vec_resc_cflt_ratio=[0.05])))
    assert found.recoverable_us == pytest.approx(11.0)
    assert rule("CO21", of(ops(rows, vec_bank_cflt_ratio=[0.1]))) is None
    assert missing("CO21", of(ops(rows))).option == "--aic-metrics=ResourceConflictRatio"


@pytest.mark.parametrize("name", ["CO13", "CM08"])
def test_rules_whose_data_are_not_there_say_so(name: str) -> None:
    assert missing(name, of(ops(MISH))).missing


def test_sums_never_exceed_the_span() -> None:
    """Two devices ran side by side: their operators add up to twice the span, they cover it once."""
    table = ops([("Conv2D", 600.0), ("Conv2D", 600.0)], device_id=["0", "1"], task_type=["AI_CPU", "AI_CPU"])
    assert fired("CO01", of(table, span_us=700.0)).recoverable_us == 600.0
    assert fired("CO01", of(table, span_us=500.0)).recoverable_us == 500.0
