"""The rows of a comparison as a table: filters, order and the texts that people read."""

from __future__ import annotations

from tests.compared import against, ops
from tui.compare.compare import compare
from tui.compare_report import beyond_gate, compare_output, exit_code, part_unit, shown_columns, summary_lines
from tui.model.cells import cell_format
from tui.model.comparison import Comparison, Difference, Facts, Side
from tui.model.table import TextColumn
from tui.model.view import View, apply_view
from tui.model.writers import TABLE_FORMATS

BEFORE = [("Conv_0", "Conv2D", "1", 3170.625), ("Tanh_1", "Tanh", "1", 488.2), ("Add_2", "Add", "1", 20.0)]
AFTER = [("Conv_0", "Conv2D", "1", 1415.182), ("Add_2", "Add", "1", 20.1), ("Relu_3", "Relu", "1", 166.0)]


def comparison() -> Comparison:
    return against(ops(BEFORE), ops(AFTER))


def names(found: Comparison, view: View) -> list[str]:
    column = found.table.text("op_name")
    assert column is not None
    return column.texts(apply_view(found.table, view).rows)


def test_the_largest_difference_stands_first() -> None:
    assert names(comparison(), View()) == ["Conv_0", "Tanh_1", "Relu_3", "Add_2"]


def test_rows_are_filtered_and_sorted_like_any_others() -> None:
    assert names(comparison(), View(filter="verdict=gone|verdict=new")) == ["Tanh_1", "Relu_3"]
    assert names(comparison(), View(filter="delta<-1ms")) == ["Conv_0"]
    assert names(comparison(), View(sort=(("b_total_us", True),))) == ["Conv_0", "Relu_3", "Add_2", "Tanh_1"]


def test_differences_are_shown_with_their_sign() -> None:
    column = comparison().table.get("delta_us")
    assert column is not None
    shown = cell_format(column)
    assert (shown.title, shown.texts(slice(None))) == ("Δ µs", ["−1 755.443", "−488.200", "+166.000", "+0.100"])
    plain = cell_format(column, glyphs="ascii")
    assert (plain.title, plain.texts(slice(0, 1))) == ("delta us", ["-1 755.443"])


def test_people_read_words() -> None:
    columns = {column.info.key: column for column in shown_columns(comparison())}
    verdict, match = columns["verdict"], columns["match"]
    assert isinstance(verdict, TextColumn)
    assert isinstance(match, TextColumn)
    assert verdict.texts(slice(None)) == ["faster", "gone", "new", "same"]
    assert match.texts(slice(None)) == ["name", "none", "none", "name"]


def test_categories_share_one_unit() -> None:
    assert part_unit(comparison()) == "us"
    assert part_unit(against(ops([("a", "Add", "1", 20_000.0)]), ops([("a", "Add", "1", 5.0)]))) == "ms"
    assert part_unit(against(ops([]), ops([]))) == "us"


def test_what_does_not_compare_is_said_in_one_line_each() -> None:
    table = ops(BEFORE)
    found = compare(Side("A", Facts(cann_version="7.0.0"), table), Side("B", Facts(cann_version="8.0.0"), table))
    assert found.differences == (Difference("cann_version", "7.0.0", "8.0.0"),)
    lines = list(summary_lines(found))
    assert "CANN: 7.0.0 against 8.0.0, so the times do not compare as they are" in lines


def test_gate_needs_more_than_noise_and_more_than_its_percent() -> None:
    slower = against(ops(AFTER), ops(BEFORE))  # 1601.282 → 3678.825 µs, 129.7 % more
    assert (exit_code(slower, None), exit_code(slower, 200.0), exit_code(slower, 100.0)) == (0, 0, 1)
    assert beyond_gate(slower, 100.0) == "beyond 100 %: the operators take 129.7 % longer in total, outside noise"
    assert exit_code(comparison(), 0.0) == 0


def test_every_form_of_no_rows() -> None:
    found = against(ops([]), ops([]))
    assert exit_code(found, 5.0) == 2
    for form in TABLE_FORMATS:
        assert "".join(compare_output(found, form)).endswith("\n")
