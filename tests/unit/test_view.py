"""Views: filter, exclusions, grouping and order together; drilling from types to instances."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.unit.tables import number, ops_table, text
from tui.errors import BadExpression
from tui.model.cells import cell_format, plain_texts
from tui.model.table import Column, Table
from tui.model.view import View, apply_view, default_sort, drilled, sort_of, sorted_by
from tui.model.writers import TableFormat, table_pieces


def test_operators_open_longest_first_missing_last() -> None:
    shown = apply_view(ops_table(), View())
    assert shown.rows.tolist() == [4, 2, 0, 1, 3, 5]
    assert (shown.total_rows, shown.groups) == (6, None)


def test_filter_only_and_exclude() -> None:
    table = ops_table()
    assert apply_view(table, View(filter="dur>1", exclude=(("op_type", "Mul"),))).base_rows.tolist() == [0, 2, 4]
    assert apply_view(table, View(only=(("op_type", "Conv2D"), ("block_num", "8")))).rows.tolist() == [2, 0]
    assert apply_view(table, View(only=(("block_num", "N/A"),))).rows.tolist() == [3]
    assert apply_view(table, View(only=(("bound", "none"),))).rows.tolist() == [2]


def test_bad_filter_raises() -> None:
    with pytest.raises(BadExpression):
        apply_view(ops_table(), View(filter="dur>"))


def test_groups_are_ordered_by_total() -> None:
    shown = apply_view(ops_table(), View(group=("op_type",)))
    names = shown.table.text("op_type")
    assert names is not None
    assert names.texts(shown.rows) == ["Conv2D", "hcom_allReduce_", "Mul", "Cast", "N/A"]


def test_drill_from_type_to_shapes_to_instances() -> None:
    table = ops_table()
    view = View(filter="!comm", group=("op_type",))
    shapes = drilled(table, view, apply_view(table, view), 0)
    assert shapes == View(filter="!comm", only=(("op_type", "Conv2D"),), group=("op_type", "input_shapes"))
    assert shapes is not None
    shown = apply_view(table, shapes)
    assert shown.table.row_count == 2
    instances = drilled(table, shapes, shown, 1)
    assert instances is not None
    assert instances.only == (("op_type", "Conv2D"), ("input_shapes", "1,3;64"))
    assert instances.group == ()
    assert apply_view(table, instances).rows.tolist() == [0]
    assert drilled(table, instances, apply_view(table, instances), 0) is None


def test_drill_of_other_groups_leads_to_instances() -> None:
    table = ops_table()
    view = View(group=("task_type",), sort=(("count", True),))
    below = drilled(table, view, apply_view(table, view), 0)
    assert below == View(only=(("task_type", "AI_CORE"),))


def test_drill_without_shapes_leads_to_instances() -> None:
    table = Table("ops", (text("op_type", ["a"]), number("task_duration_us", [1.0], "us")))
    view = View(group=("op_type",))
    assert drilled(table, view, apply_view(table, view), 0) == View(only=(("op_type", "a"),))


def test_sorting_another_column_keeps_the_earlier_ones_up_to_three() -> None:
    table, view = Table("other", ()), View()
    for key in ("a", "b", "c", "d", "c"):
        view = sorted_by(table, view, key, True)
    assert [key for key, _descending in view.sort] == ["c", "d", "b"]


def test_sorting_keeps_the_default_order_as_second_key() -> None:
    table = Table("ops", (text("op_type", ["a"]), number("task_duration_us", [1.0], "us")))
    assert sorted_by(table, View(), "op_type", False).sort == (("op_type", False), ("task_duration_us", True))


def test_default_orders() -> None:
    def kind(name: str, key: str) -> Table:
        return Table(name, (number(key, [1.0]),))

    assert default_sort(kind("apis", "time_us")) == (("time_us", True),)
    assert default_sort(kind("op-types", "total_time_us")) == (("total_time_us", True),)
    assert default_sort(kind("tasks", "task_time_us")) == ()
    assert default_sort(ops_table(), grouped=True) == (("total_us", True),)
    assert sort_of(ops_table(), View(sort=(("op_name", False),))) == (("op_name", False),)


def test_formats_of_columns() -> None:
    table = ops_table()
    duration = cell_format(table.columns[5])
    assert duration.title == "Task Duration µs"
    assert duration.texts(np.array([0, 1, 5])) == ["3.50", "2.25", "–"]
    assert duration.full(1) == "2.25 µs"
    assert cell_format(table.columns[5], "ms").texts(np.array([1])) == ["0.002"]
    assert cell_format(table.columns[5], "ns").texts(np.array([1])) == ["2 250"]
    start = cell_format(table.columns[4], glyphs="ascii")
    assert start.title == "Task Start Time us"
    assert start.texts(slice(None)) == ["0.000", "4.000", "7.000", "19.000", "5.000", "-"]
    assert cell_format(table.columns[6]).texts(slice(0, 2)) == ["8", "1"]


def test_a_name_in_parentheses_is_no_unit() -> None:
    column = number("communication_not_overlapped_us", [1.0], "us", "Communication(Not Overlapped)")
    assert cell_format(column).title == "Communication(Not Overlapped) µs"


def test_ids_have_no_thousands() -> None:
    for key in ("model_id", "pid", "stream_ptr"):
        assert cell_format(number(key, [4294967295.0], whole=True)).texts(slice(None)) == ["4294967295"]


def test_plain_texts_for_files() -> None:
    table = ops_table()
    assert plain_texts(table.columns[5], slice(None)) == ["3.5", "2.25", "7", "0.5", "9", ""]
    assert plain_texts(table.columns[4], slice(3, 6)) == ["20000", "6000", ""]


def written(columns: tuple[Column, ...], form: TableFormat) -> str:
    table = Table("t", columns)
    return "".join(table_pieces(table.columns, np.arange(table.row_count), form))


HOSTILE = ["\x1b[31mred", "[red]x[/red]", "=1+1", "-5", "a|b", "two\nlines", "N/A", "卷积\u202e"]


def test_csv_defuses_formulas_and_escapes() -> None:
    out = written((text("name", HOSTILE),), "csv")
    assert out == ('name\n\\x1b[31mred\n[red]x[/red]\n\'=1+1\n-5\na|b\n"two\nlines"\nN/A\n卷积\\u202e\n')


def test_tsv_has_one_line_per_row() -> None:
    assert written((text("name", HOSTILE),), "tsv").count("\n") == len(HOSTILE) + 1


def test_json_keeps_the_text_and_hides_nothing() -> None:
    out = written((text("name", HOSTILE), number("n", [1.0, 2.5, None, float("inf"), 0, 0, 0, 0], whole=True)), "json")
    assert "\x1b" not in out
    assert "\u202e" not in out
    rows = json.loads(out)
    assert [row["name"] for row in rows] == HOSTILE
    assert [row["n"] for row in rows][:4] == [1, 2.5, None, None]
    assert isinstance(rows[0]["n"], int)


def test_text_is_aligned_by_cells() -> None:
    lines = written((text("name", ["卷积", "x"]), number("n", [1, 22], whole=True)), "text").splitlines()
    assert lines == ["name   n", "卷积   1", "x     22"]


def test_markdown_escapes_its_own_marks() -> None:
    assert written((text("name", ["a|b"]),), "md") == "| name |\n| --- |\n| a\\|b |\n"


def test_no_rows_and_no_columns() -> None:
    assert written((text("name", []),), "json") == "[]\n"
    assert written((), "json") == "[]\n"
    assert written((), "csv") == "\n"


def test_many_rows_come_in_pieces() -> None:
    table = Table("t", (number("n", list(range(10_000)), whole=True),))
    pieces = list(table_pieces(table.columns, np.arange(10_000), "json"))
    assert len(pieces) > 2
    assert [row["n"] for row in json.loads("".join(pieces))] == list(range(10_000))


def test_views_are_values() -> None:
    assert replace(View(), filter="x") == View(filter="x")
