"""What the details pane says about a task and about a group of tasks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.tables import number, ops_table, text, time
from tui.model.sources import Device
from tui.model.table import Table, TablePart
from tui.screens.facts import BarRow, Fact, bar_lines, fact, fact_lines, gauge_line, shortened
from tui.screens.op_details import Room, group_pane, mean_pipes, op_pane
from widgets.glyphs import ASCII, BLOCKS
from widgets.pieces import Line, Piece, width_of
from widgets.roles import Look
from widgets.theme import DARK_256

FLAT = Room(80, 6, Look())
TALL = Room(60, 60, Look())
NPU = Device("0", "Ascend910B", ai_core_num=24, aiv_num=48)


def shown(lines: list[Line] | tuple[Line, ...]) -> str:
    return "\n".join("".join(piece.text for piece in line) for line in lines)


def op(table: Table, row: int, room: Room = FLAT, device: Device | None = NPU) -> str:
    pane = op_pane(table, row, device, 0, room)
    return f"{pane.title} | {pane.facts}\n{shown(list(pane.lines))}"


def conv() -> Table:
    """One convolution as op_summary has it."""
    return Table(
        "ops",
        (
            text("op_name", ["Conv_0"]), text("op_type", ["Conv2D"]), text("task_type", ["AI_CORE"]),
            text("stream_id", ["2"]), text("task_id", ["3"]), time("start_ns", [1_000_095_669_555]),
            number("task_duration_us", [3170.625], "us", "Task Duration(us)"),
            number("task_wait_time_us", [6.21], "us"),
            number("block_num", [2], whole=True), text("input_shapes", ["1,3,608,608;32,3,3,3;32"]),
            text("output_shapes", ["1,32,608,608"]), text("input_data_types", ["FLOAT16;FLOAT16;FLOAT16"]),
            text("output_data_types", ["DT_FLOAT"]), text("input_formats", ["NC1HWC0;FRACTAL_Z;ND"]),
            text("output_formats", ["NC1HWC0"]), number("mac_ratio", [0.21], "ratio"),
            number("vec_ratio", [0.04], "ratio"),
            number("mte2_ratio", [0.74], "ratio"), number("mte1_ratio", [0.18], "ratio"),
        ),
        (TablePart("/p/op_summary_1.csv", 0, 1),),
    )  # fmt: skip


def test_a_task_in_few_lines_says_duration_wait_shapes_types_blocks_and_pipes() -> None:
    found = op(conv(), 0, Room(100, 6, Look()))
    assert found.startswith("Conv_0 | op_summary_1.csv row 1\n")
    assert "Duration  3 170.625 µs" in found
    assert "Wait      6.210 µs" in found
    assert "1,3,608,608 ; 32,3,3,3 ; 32 → 1,32,608,608" in found
    assert "FP16, FP32 · NC1HWC0 → NC1HWC0" in found
    assert "2 of 24 cores" in found
    assert "mte2" in found
    assert "0.74" in found
    assert "cube" in found  # what a convolution is


def test_a_task_in_a_tall_pane_says_everything() -> None:
    found = op(conv(), 0, TALL)
    assert found.startswith("Conv_0 | op_summary_1.csv row 1\n")
    assert "1000 095.669555 ms" in found or "1 000 095.669555 ms" in found
    assert "Stream" in found
    assert "task 3" in found
    assert "none ≥ 0.80, mte2 leads" in found
    assert "all columns" in found
    assert "Task Duration(us)" in found


def test_a_narrow_pane_leaves_the_file_to_the_status_line() -> None:
    assert op(conv(), 0, Room(38, 30, Look())).startswith("Conv_0 | row 1\n")


def test_vector_tasks_are_measured_by_vector_cores() -> None:
    table = ops_table()
    assert "8 of 24 cores" in op(table, 0)
    assert "1 of 48 cores" in op(table, 1)


def test_without_a_known_device_only_the_blocks_are_said() -> None:
    found = op(conv(), 0, device=None)
    assert "Blocks    2" in found
    assert "cores" not in found.splitlines()[3]


def test_the_busiest_pipe_bounds_from_eight_tenths_on() -> None:
    found = op(ops_table(), 0, TALL)
    assert "mac 0.91" in found
    assert "none ≥ 0.80, mte2 leads" in op(ops_table(), 2, TALL)


def test_a_task_without_metrics_says_so() -> None:
    assert "no AI Core metrics for this task" in op(ops_table(), 3)


def test_what_is_not_known_is_left_out_or_a_dash() -> None:
    found = op(ops_table(), 5)
    assert "Duration  –" in found
    assert "Shapes" not in found
    assert "N/A" not in found
    assert "nan" not in found


def test_neighbours_are_those_in_time_not_in_the_file() -> None:
    found = op(ops_table(), 4, TALL)  # starts at 6 µs: after Mul_1 (5 µs), before Conv_10 (8) and trans_Cast_3 (20)
    lines = found.splitlines()
    before = next(line for line in lines if "before" in line)
    after = next(line for line in lines if "after" in line)
    assert "Mul_1" in before
    assert "Conv_10" in after
    assert "trans_Cast_3" in lines[lines.index(after) + 1]


def test_the_first_task_has_none_before_and_one_without_start_has_no_neighbours() -> None:
    assert "before" not in op(ops_table(), 0, TALL)
    assert "neighbours" not in op(conv(), 0, TALL)
    assert "neighbours" not in op(ops_table(), 5, TALL)


def test_neighbours_are_tasks_of_the_same_device() -> None:
    table = Table(
        "ops",
        (
            text("device_id", ["0", "1", "0", "1"]), text("op_name", ["a0", "b1", "c0", "d1"]),
            text("op_type", ["Mul"] * 4), text("task_type", ["AI_CORE"] * 4), time("start_ns", [1, 2, 3, 4]),
            number("task_duration_us", [1.0] * 4, "us"),
        ),
    )  # fmt: skip
    lines = op(table, 0, TALL).splitlines()
    assert "c0" in next(line for line in lines if line.strip().startswith("after"))
    assert not any("b1" in line for line in lines if "after" in line or "before" in line)


@pytest.mark.parametrize("room", [FLAT, TALL, Room(40, 40, Look()), Room(120, 20, Look())])
@pytest.mark.parametrize("row", range(6))
def test_no_line_is_wider_than_its_pane(room: Room, row: int) -> None:
    for line in op_pane(ops_table(), row, NPU, 0, room).lines:
        assert width_of(line) <= room.width


def test_ascii_panes_are_ascii() -> None:
    room = Room(60, 60, Look(DARK_256, ASCII), "ascii")
    found = shown(
        [
            [piece._replace(text=room.look.shown(piece.text)) for piece in line]
            for line in op_pane(conv(), 0, NPU, 0, room).lines
        ]
    )
    assert found.isascii()


GROUP = np.array([0, 2, 5])


def test_a_group_says_its_longest_spread_and_pipes() -> None:
    pane = group_pane(ops_table(), GROUP, "Conv2D", 21.0, FLAT)
    found = shown(list(pane.lines))
    assert pane.title == "Conv2D"
    assert pane.facts == "3 calls · 50.0 % of device time"  # 3.5 + 7.0 of 21
    assert "Conv_10  7.0 µs   1.3× the median (5 µs)" in found  # median of 3.5 and 7.0 is 5.25
    assert "CV 0.33" in found  # deviation 1.75 of mean 5.25
    assert "max 7 µs" in found


def test_a_tall_group_shows_its_distribution_and_shapes() -> None:
    found = shown(list(group_pane(ops_table(), GROUP, "Conv2D", 21.0, TALL).lines))
    assert "duration of the 2 calls" in found
    assert "top shapes" in found
    assert "1,64" in found


@pytest.mark.parametrize("rows", [np.array([5]), np.zeros(0, np.intp)])
def test_a_group_without_durations_says_nothing_wrong(rows: np.ndarray) -> None:
    pane = group_pane(ops_table(), rows, "N/A", 21.0, TALL)
    assert (pane.title, pane.facts, list(pane.lines)) == ("N/A", "", [])


def test_collectives_are_no_device_time() -> None:
    assert group_pane(ops_table(), np.array([4]), "hcom", 21.0, FLAT).facts == "1 call"
    assert group_pane(ops_table(), np.array([0, 4]), "both", 35.0, FLAT).facts == "2 calls · 10.0 % of device time"


def test_without_device_time_there_is_no_share() -> None:
    assert group_pane(ops_table(), GROUP, "Conv2D", 0.0, FLAT).facts == "3 calls"


def test_mean_pipes_are_over_the_rows_that_have_them() -> None:
    means = mean_pipes(ops_table(), GROUP)
    assert means["mac"] == pytest.approx((0.91 + 0.4) / 2)
    assert means["mte2"] == pytest.approx((0.2 + 0.79) / 2)


def test_facts_stand_in_two_columns_where_there_is_room() -> None:
    facts = [fact("one", "1"), fact("two", "2"), fact("three", "3", wide=True), fact("four", "4")]
    wide = [shown([line]) for line in fact_lines(facts, 80)]
    assert len(wide) == 3
    assert wide[0].index("two") == 41
    assert wide[1].strip().startswith("three")
    assert len(fact_lines(facts, 40)) == 4


def test_long_values_are_cut_at_their_end() -> None:
    (line,) = fact_lines([Fact("name", (Piece("x" * 100),), True)], 40)
    assert width_of(line) == 40
    assert shown([line]).endswith("x…")
    assert shortened([Piece("算子算子")], 5) == [Piece("算子…")]


@pytest.mark.parametrize("ratio", [0.0, 0.21, 0.8, 1.0, 1.7])
def test_a_gauge_is_exactly_as_wide_as_asked(ratio: float) -> None:
    line = gauge_line("mte2", ratio, 30, BLOCKS, 0.8)
    assert width_of(line) == 30
    assert shown([line]).endswith(f"{ratio:.2f}")
    assert (line[-1].role == "bright") == (ratio >= 0.8)


def test_bars_stand_in_columns() -> None:
    rows = [BarRow("Conv2D", "110×", "46.31", 1.0), BarRow("a_very_long_name_of_an_operator", "2×", "0.61", 0.01)]
    lines = bar_lines(rows, 50, BLOCKS)
    assert [shown([line]).index("×") for line in lines] == [shown([lines[0]]).index("×")] * 2
    assert bar_lines([], 50, BLOCKS) == []
