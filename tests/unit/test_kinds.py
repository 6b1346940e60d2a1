"""Kinds of device tasks: types of operators, else names without numbers; the longest ones have colours."""

from __future__ import annotations

from tests.timelines import Lane, Slice, make_timeline
from tests.unit.tables import ops_table, text
from tui.model.kinds import MOST_KINDS, kinds_of, types_of_ops
from tui.model.table import Table

CANN = Lane("100", "acl", "CANN", device="")


def test_longest_total_first_and_host_calls_do_not_count() -> None:
    timeline = make_timeline(
        [
            Slice("s1", "Conv_0", 0, 300),
            Slice("s1", "Mul_1", 300, 100),
            Slice("s2", "Mul_2", 300, 250),
            Slice("100", "AscendCL@aclmdlExecute", 0, 9000),
        ],
        [CANN],
    )
    kinds = kinds_of(timeline, {"Conv_0": "Conv2D"})
    assert kinds.titles == ("Mul", "Conv2D")
    places = dict(zip(timeline.names, kinds.of_name.tolist()))
    assert places == {"Conv_0": 1, "Mul_1": 0, "Mul_2": 0, "AscendCL@aclmdlExecute": -1}


def test_only_as_many_kinds_as_there_are_colours() -> None:
    tasks = [Slice("s1", f"{chr(65 + n)}_0", 1000 * n, 10 + n) for n in range(12)]
    kinds = kinds_of(make_timeline(tasks), {})
    assert kinds.titles == tuple("LKJIHGFE")
    assert len(kinds.titles) == MOST_KINDS
    assert sorted(kinds.of_name.tolist()) == [-1] * 4 + list(range(8))


def test_names_of_numbers_only_stay() -> None:
    kinds = kinds_of(make_timeline([Slice("s1", "123_4", 0, 1), Slice("s1", "a-b_12_3", 5, 2)]), {})
    assert set(kinds.titles) == {"123_4", "a-b"}


def test_nothing_on_the_devices() -> None:
    assert kinds_of(make_timeline([]), {}).titles == ()


def test_types_of_operators() -> None:
    assert types_of_ops(ops_table())["Conv_0"] == "Conv2D"
    assert "转换_2" not in types_of_ops(ops_table())  # its type is missing
    assert types_of_ops(None) == {}
    assert types_of_ops(Table("ops", (text("op_name", ["a"]),))) == {}
    assert types_of_ops(Table("ops", (text("op_name", []), text("op_type", [])))) == {}
