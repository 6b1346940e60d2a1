"""Where to look next: facts with the screen that shows them, in the order of a triage."""

from __future__ import annotations

import pytest

from tests.unit.tables import number, text
from tui.model.table import Table
from tui.overview import HealthLine, OverviewData, TopRow
from tui.screens.leads import LIMITS_SHOWN, Lead, lead_rows, leads
from widgets.glyphs import ASCII
from widgets.pieces import width_of
from widgets.roles import Look
from widgets.theme import DARK_256

FINE = HealthLine("ok", "complete")


def data(
    ops: tuple[TopRow, ...] = (), apis: tuple[TopRow, ...] = (), health: tuple[HealthLine, ...] = (FINE,)
) -> OverviewData:
    return OverviewData(health, (), None, None, "", ops, "op_type", apis, ())


def table(durations: list[float | None], types: list[str]) -> Table:
    names = [f"{kind}_{at}" for at, kind in enumerate(types)]
    return Table("ops", (text("op_name", names), text("op_type", types), number("task_duration_us", durations, "us")))


def test_the_heaviest_type_comes_first() -> None:
    (lead,) = leads(data(ops=(TopRow("Conv2D", 110, 46_310.0, 41.0), TopRow("Mul", 72, 14_120.0, 12.5))), None)
    assert lead == Lead("3", "Conv2D takes 41.0 % of device time, 110 calls", "46.31 ms", "info", "types")


def test_one_call_is_not_called_calls() -> None:
    (lead,) = leads(data(ops=(TopRow("Conv2D", 1, 1000.0, 100.0),)), None)
    assert lead.text.endswith(", 1 call")


def test_the_longest_task_is_compared_with_the_median_of_its_type() -> None:
    (lead,) = leads(data(), table([400.0, 3000.0, 500.0, 600.0, 9.0], ["Conv2D"] * 4 + ["Mul"]))
    assert lead == Lead("3", "Conv2D_1 takes 5.5× the median Conv2D", "3.00 ms", "info", "longest:Conv2D_1")


@pytest.mark.parametrize("types", [["Conv2D", "Mul", "Mul"], ["Conv2D", "Conv2D", "Mul"]])
def test_too_few_of_a_type_are_not_compared(types: list[str]) -> None:
    (lead,) = leads(data(), table([3000.0, 400.0, 500.0], types))
    assert lead.text == "Conv2D_0 is the longest task"


def test_tasks_of_equal_length_are_not_called_long_for_their_type() -> None:
    (lead,) = leads(data(), table([500.0, 450.0, 480.0], ["Mul"] * 3))
    assert lead.text == "Mul_0 is the longest task"


def test_collectives_wait_for_others_and_are_not_called_the_longest() -> None:
    rows = Table(
        "ops",
        (
            text("op_name", ["hcom_allReduce_1", "Mul_1"]),
            text("op_type", ["hcom_allReduce_", "Mul"]),
            text("task_type", ["COMMUNICATION", "AI_VECTOR_CORE"]),
            number("task_duration_us", [9000.0, 10.0], "us"),
        ),
    )
    (lead,) = leads(data(), rows)
    assert lead.target == "longest:Mul_1"


@pytest.mark.parametrize("durations", [[None, None, None], []])
def test_no_duration_is_no_lead(durations: list[float | None]) -> None:
    assert leads(data(), table(durations, ["Mul"] * len(durations))) == ()


def test_two_apis_with_a_fifth_of_the_span_or_more_are_named() -> None:
    apis = (
        TopRow("aclmdlExecute", 1, 118_300.0, 55.1, "acl"),
        TopRow("aclmdlLoadFromFileWithMem", 1, 62_400.0, 20.0, "acl"),
        TopRow("aclInit", 1, 60_000.0, 30.0, "acl"),
    )
    assert [lead.target for lead in leads(data(apis=apis), None)] == ["aclmdlExecute", "aclmdlLoadFromFileWithMem"]
    small = (TopRow("aclrtMalloc", 1, 10.0, 19.9),)
    assert leads(data(apis=small), None) == ()


def test_without_a_span_apis_are_named_without_a_share() -> None:
    (lead,) = leads(data(apis=(TopRow("aclmdlExecute", 1, 118_300.0, float("nan")),)), None)
    assert (lead.text, lead.value) == ("aclmdlExecute", "118.3 ms")


def test_limits_of_the_data_come_last_after_the_verdict_which_is_none() -> None:
    limits = tuple(HealthLine("warn", f"fact {n}", "so", "do") for n in range(LIMITS_SHOWN + 3))
    found = leads(data(health=(HealthLine("warn", "limited"), *limits)), None)
    assert [lead.text for lead in found] == [f"fact {n} - so" for n in range(LIMITS_SHOWN)]
    assert {(lead.digit, lead.value, lead.role) for lead in found} == {("9", "do", "warn")}


@pytest.mark.parametrize("width", [80, 120, 40])
def test_lines_fill_their_width_and_cut_the_text_never_the_value(width: int) -> None:
    found = [Lead("3", "Conv2D_" + "x" * 200, "46.31 ms", "info"), Lead("9", "算子" * 60, "", "warn")]
    lines = lead_rows(found, width, Look())
    assert [width_of(line) for line in lines] == [width - 1, width - 1] or width_of(lines[0]) == width - 1
    shown = "".join(piece.text for piece in lines[0])
    assert shown.endswith("46.31 ms  ")
    assert "…" in shown
    assert "".join(piece.text for piece in lines[1]).startswith(" !  算子")


def test_harmful_names_are_shown_as_text_and_ascii_stays_ascii() -> None:
    (line,) = lead_rows([Lead("3", "a\x1b[2Jb 7.5×", "1 µs", "info")], 80, Look(DARK_256, ASCII))
    shown = "".join(piece.text for piece in line)
    assert r"a\x1b[2Jb 7.5x" in shown
    assert shown.isascii()
