"""Which operator of one run is which of the other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compared import against, named, ops, rows_of
from tests.unit.tables import number, text
from tui.compare.compare import compare
from tui.compare.matching import normalised, text_codes
from tui.errors import NoSuchTable
from tui.model.comparison import Comparison, Facts, Side
from tui.model.table import Table


def partners(comparison: Comparison) -> set[tuple[str, str, str]]:
    """(match, name in A, name in B) of each row."""
    return {(row["match"], row["op_name"], row["b_op_name"]) for row in rows_of(comparison)}


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("trans_Cast_3", "trans_Cast"),
        ("Conv2D12", "ConvD"),
        ("hcom_allReduce__586_0_1", "hcom_allReduce"),
        ("layers_3/attn/MatMul_17", "layers/attn/MatMul"),
        ("Add", "Add"),
    ],
)
def test_names_without_indices(name: str, base: str) -> None:
    assert normalised(name) == base


def test_the_same_name_comes_first_whatever_the_shapes() -> None:
    a = ops([("Conv_0", "Conv2D", "1,3", 10.0), ("Conv_4", "Conv2D", "1,8", 20.0)])
    b = ops([("Conv_4", "Conv2D", "1,3", 10.0), ("Conv_0", "Conv2D", "1,8", 20.0)])
    comparison = against(a, b)
    assert partners(comparison) == {("name", "Conv_0", "Conv_0"), ("name", "Conv_4", "Conv_4")}
    (difference,) = comparison.differences
    assert (difference.what, difference.a, difference.b) == ("shapes", "2", "2")


def test_renumbered_names_are_paired_by_what_they_work_on() -> None:
    a = ops([("Conv_1", "Conv2D", "1,3", 1.0), ("Conv_2", "Conv2D", "1,8", 2.0), ("Conv_3", "Conv2D", "1,9", 3.0)])
    b = ops([("Conv_11", "Conv2D", "1,3", 1.0), ("Conv_12", "Conv2D", "1,9", 3.0)])
    assert partners(against(a, b)) == {
        ("normalised", "Conv_1", "Conv_11"), ("normalised", "Conv_3", "Conv_12"), ("none", "Conv_2", "Conv_2"),
    }  # fmt: skip


def test_renumbered_names_of_another_batch_are_paired_in_order() -> None:
    a = ops([("Conv_1", "Conv2D", "1,3", 1.0), ("Conv_2", "Conv2D", "1,8", 2.0)])
    b = ops([("Conv_5", "Conv2D", "4,3", 1.0), ("Conv_6", "Conv2D", "4,8", 2.0)])
    assert partners(against(a, b)) == {("normalised", "Conv_1", "Conv_5"), ("normalised", "Conv_2", "Conv_6")}


def test_collectives_are_paired_although_their_names_hold_the_time() -> None:
    a = ops(
        [
            ("hcom_allReduce__586_0_1", "hcom_allReduce_", "", 5.0),
            ("hcom_allReduce__586_1_1", "hcom_allReduce_", "", 6.0),
        ]
    )
    b = ops(
        [
            ("hcom_allReduce__868_0_1", "hcom_allReduce_", "", 5.0),
            ("hcom_allReduce__868_1_1", "hcom_allReduce_", "", 6.0),
        ]
    )
    assert partners(against(a, b)) == {
        ("normalised", "hcom_allReduce__586_0_1", "hcom_allReduce__868_0_1"),
        ("normalised", "hcom_allReduce__586_1_1", "hcom_allReduce__868_1_1"),
    }


def test_other_names_are_paired_by_type_and_shapes_in_sequence() -> None:
    a = ops([("Add4", "Add", "8,8", 11.0), ("MulA", "Mul", "8,8", 1.0)])
    b = ops([("aclnnAdd_AddAiCore_Add", "Add", '"8,8";', 13.0), ("MulB", "Mul", "9,9", 1.0)])
    assert partners(against(a, b)) == {
        ("sequence", "Add4", "aclnnAdd_AddAiCore_Add"), ("none", "MulA", "MulA"), ("none", "MulB", "MulB"),
    }  # fmt: skip


def test_sequence_is_that_of_the_run_not_of_the_file() -> None:
    a = ops([("p", "Add", "8", 1.0), ("q", "Add", "8", 2.0)], starts_us=[50.0, 0.0])
    b = ops([("r", "Add", "8", 2.0), ("s", "Add", "8", 1.0)], starts_us=[0.0, 50.0])
    assert partners(against(a, b)) == {("sequence", "p", "s"), ("sequence", "q", "r")}


def test_without_types_or_shapes_nothing_is_paired_by_chance() -> None:
    a = ops([("p", "N/A", "", 1.0), ("same", "N/A", "", 1.0)])
    b = ops([("q", "N/A", "", 1.0), ("same", "N/A", "", 1.0)])
    assert partners(against(a, b)) == {("name", "same", "same"), ("none", "p", "p"), ("none", "q", "q")}
    typed_a, typed_b = ops([("p", "Add", "N/A", 1.0)]), ops([("q", "Add", "N/A", 1.0)])
    assert partners(against(typed_a, typed_b)) == {("none", "p", "p"), ("none", "q", "q")}


def test_a_run_without_types_matches_one_with_them_by_name() -> None:
    comparison = against(ops([("Conv_0", "N/A", "", 9.0)]), ops([("Conv_0", "Conv2D", "1,3", 9.0)]))
    assert named(comparison, "Conv_0")["verdict"] == "same"
    assert [(each.what, each.a, each.b) for each in comparison.differences] == [("level", "l0", "l1")]


def test_calls_of_one_name_are_one_row() -> None:
    a = ops([("k", "K", "8", 12.66), ("k", "K", "8", 13.18), ("k", "K", "8", 9.32)])
    b = ops([("k", "K", "8", 12.2), ("k", "K", "8", 11.88), ("k", "K", "8", 9.9)])
    row = named(against(a, b), "k")
    assert (row["a_total_us"], row["b_total_us"], row["delta_us"]) == (35.16, 33.98, -1.18)
    assert (row["a_count"], row["b_count"], row["verdict"]) == (3, 3, "same")
    assert row["band_us"] == pytest.approx(3.12)  # 2 × 0.52 × 3; 3 % of 35.16 is less
    assert row["a_call_us"] == pytest.approx(11.72)


def test_rows_lead_back_to_the_calls() -> None:
    a = ops([("k", "K", "8", 1.0), ("m", "M", "8", 50.0), ("k", "K", "8", 2.0)])
    comparison = against(a, ops([("k", "K", "8", 4.0)]))
    places = {row["op_name"]: place for place, row in enumerate(rows_of(comparison))}
    assert comparison.a_members.rows_of(places["k"]).tolist() == [0, 2]
    assert comparison.b_members.rows_of(places["k"]).tolist() == [0]
    assert comparison.b_members.rows_of(places["m"]).tolist() == []


texts = st.lists(st.text("abc", max_size=2), unique=True, max_size=12)


@given(texts, texts)
def test_texts_are_found_wherever_they_stand(a: list[str], b: list[str]) -> None:
    assert text_codes(a, b).tolist() == [a.index(text) if text in a else -1 for text in b]


def test_sums_of_types_stand_in_where_a_run_has_no_operators() -> None:
    statistics = Table("op-types", (
        text("op_type", ["Conv2D", "Conv2D", "Add"]),
        text("core_type", ["AI_CORE", "AI_VECTOR_CORE", "AI_VECTOR_CORE"]),
        number("count", [3, 1, 2], whole=True),
        number("total_time_us", [30.0, 5.0, 8.0], "us"),
    ))  # fmt: skip
    current = replace(statistics, columns=(*statistics.columns[:3], number("total_time_us", [30.0, 5.0, 2.0], "us")))
    comparison = compare(Side("A", Facts(), op_types=statistics), Side("B", Facts(), op_types=current))
    assert comparison.by == "type"
    assert comparison.notes == ("compared by type: one of the two does not tell what a comparison by operator needs",)
    assert [(row["op_type"], row["a_total_us"], row["a_count"], row["verdict"]) for row in rows_of(comparison)] == [
        ("Add", 8.0, 2, "faster"), ("Conv2D", 35.0, 4, "same"),
    ]  # fmt: skip
    total = comparison.end_to_end
    assert (total.a_us, total.b_us, total.verdict, comparison.wall) == (43.0, 37.0, "faster", None)


def test_nothing_in_common_says_who_lacks_what() -> None:
    with pytest.raises(NoSuchTable, match="B holds no operators"):
        compare(Side("A", Facts(), ops([("k", "K", "8", 1.0)])), Side("B", Facts()))


def test_hostile_names_are_data() -> None:
    a, b = ops([("a\0b\x1b[31m", "T", "8", 1.0), ("[bold]", "T", "8", 1.0)]), ops([("a", "b\x1b", "8", 1.0)])
    assert {row["verdict"] for row in rows_of(against(a, b))} == {"gone", "new"}
