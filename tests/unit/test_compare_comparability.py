"""What differs besides the operators."""

from __future__ import annotations

import pytest

from tui.compare.comparability import differences, level, metrics
from tui.model.comparison import Difference, Facts

KNOWN = Facts(
    ("Ascend310P",), 1, "8.0.0", "l1", "PipeUtilization", 1, (("with_stack", "on"), ("prof_level", "l1"), ("x", "1"))
)


def test_nothing_differs_from_itself() -> None:
    assert list(differences(KNOWN, KNOWN)) == []


def test_what_a_side_does_not_tell_is_no_difference() -> None:
    assert list(differences(KNOWN, Facts())) == list(differences(Facts(), KNOWN)) == []


def test_every_fact_that_differs_is_named() -> None:
    other = Facts(
        ("Ascend910B",), 2, "7.0.0", "l0", "Memory", 10, (("with_stack", "off"), ("prof_level", "l0"), ("y", "1"))
    )
    assert list(differences(KNOWN, other)) == [
        Difference("chip", "Ascend310P", "Ascend910B"),
        Difference("device_count", "1", "2"),
        Difference("cann_version", "8.0.0", "7.0.0"),
        Difference("level", "l1", "l0"),
        Difference("metrics", "PipeUtilization", "Memory"),
        Difference("iterations", "1", "10"),
        Difference("option", "on", "off", "with_stack"),
    ]


@pytest.mark.parametrize("text", ["l1", "Level1", "level_1", "LEVEL1"])
def test_levels_are_spelled_differently(text: str) -> None:
    assert level(text) == "l1"


@pytest.mark.parametrize(
    ("framework", "msprof"),
    [
        ("ACL_AICORE_PIPE_UTILIZATION", "PipeUtilization"),
        ("ACL_AICORE_MEMORY_BANDWIDTH", "Memory"),
        ("ACL_AICORE_L0B_AND_WIDTH", "MemoryL0"),
        ("ACL_AICORE_MEMORY_UB", "MemoryUB"),
        ("ACL_AICORE_ARITHMETIC_UTILIZATION", "ArithmeticUtilization"),
        ("ACL_AICORE_NONE", "AiCoreNone"),
    ],
)
def test_groups_of_metrics_are_spelled_differently(framework: str, msprof: str) -> None:
    assert metrics(framework) == metrics(msprof)
