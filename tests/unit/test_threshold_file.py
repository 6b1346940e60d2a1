"""Changing a threshold in the user's file: what is written, what stays, what cannot be changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.errors import BadExpression
from tui.findings.threshold_file import edited, set_threshold

WRITTEN = """\
# mine
[CO17]   # lead
factor = 5  # by hand
device_pct = 15

[OV06]
span_pct = 30
"""


def test_a_value_takes_the_place_of_the_one_before_and_comments_stay() -> None:
    changed = edited(WRITTEN, "CO17", "factor", 7.5)
    assert changed == WRITTEN.replace("factor = 5  # by hand", "factor = 7.5  # by hand")


def test_a_new_value_goes_below_its_rule_a_new_rule_to_the_end() -> None:
    assert edited(WRITTEN, "OV06", "other", 1.0).endswith("[OV06]\nother = 1\nspan_pct = 30\n")
    assert edited(WRITTEN, "OV07", "span_pct", 60.0) == WRITTEN + "\n[OV07]\nspan_pct = 60\n"
    assert edited("", "OV07", "span_pct", 60.0) == "[OV07]\nspan_pct = 60\n"


def test_a_value_can_be_taken_out_again() -> None:
    assert edited(WRITTEN, "CO17", "device_pct", None) == WRITTEN.replace("device_pct = 15\n", "")
    assert edited(WRITTEN, "CO18", "device_pct", None) == WRITTEN


def test_the_file_is_written_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "settings" / "thresholds.toml"
    assert [limit.text for limit in set_threshold("CO17", "factor", 4.0, path).changed] == ["4* (3)"]
    assert path.read_text(encoding="utf-8") == "[CO17]\nfactor = 4\n"
    assert not set_threshold("CO17", "factor", None, path).changed


@pytest.mark.parametrize(
    "text", ["CO17 = { factor = 5 }\n", "CO17.factor = 5\n", "[CO17\n", '["CO17"]\nfactor = [\n5]\n']
)
def test_what_is_written_otherwise_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "thresholds.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadExpression, match="by hand"):
        set_threshold("CO17", "factor", 4.0, path)
    assert path.read_text(encoding="utf-8") == text


def test_a_threshold_that_no_rule_has(tmp_path: Path) -> None:
    with pytest.raises(BadExpression, match="no threshold nothing of CO17"):
        set_threshold("CO17", "nothing", 1.0, tmp_path / "thresholds.toml")
