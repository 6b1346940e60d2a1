"""`prof_rule_*.json`: advice that msprof wrote, read defensively."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui.model.advice import Advice
from tui.readers.advice import read_advice

RULES = {
    "status": 0,
    "data": [
        {
            "rule_type": "Operator Computation",
            "result": [
                {"rule_subtype": "Vector", "rule_suggestion": "vec_ratio is low", "op_list": ["Mul_1", "Tanh_2"]},
                {"rule_suggestion": "use more blocks", "op_list": []},
            ],
        },
        {"rule_type": "Operator Schedule", "result": []},
    ],
}


def written(folder: Path, content: object) -> Path:
    path = folder / "prof_rule_0.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_suggestions_are_listed(tmp_path: Path) -> None:
    assert read_advice(written(tmp_path, RULES)) == (
        [
            Advice("Operator Computation", "Vector", "vec_ratio is low", ("Mul_1", "Tanh_2")),
            Advice("Operator Computation", "", "use more blocks", ()),
        ],
        [],
    )


@pytest.mark.parametrize(
    "content", [{"status": 0, "data": []}, {"data": [{"rule_type": "x"}]}, {"data": [1, None, []]}]
)
def test_no_advice_is_no_problem(tmp_path: Path, content: object) -> None:
    assert read_advice(written(tmp_path, content)) == ([], [])


def test_odd_values_are_taken_as_text(tmp_path: Path) -> None:
    rule = {"rule_type": 5, "result": [{"rule_suggestion": "a", "op_list": [1, None]}, {"rule_suggestion": None}]}
    advice, problems = read_advice(written(tmp_path, {"data": [rule]}))
    assert advice == [Advice("5", "", "a", ("1", ""))]
    assert problems == []


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, "3", '{"cluster": {}}', '"text"'])
def test_what_is_no_advice_is_one_problem(tmp_path: Path, content: str) -> None:
    advice, problems = read_advice(written(tmp_path, content))
    assert advice == []
    assert len(problems) == 1
    assert problems[0].consequence == "the advice of msprof is not shown"


def test_a_missing_file_is_one_problem(tmp_path: Path) -> None:
    advice, problems = read_advice(tmp_path / "prof_rule_0.json")
    assert advice == []
    assert "No such file" in problems[0].what
