"""Comparisons of the bundled samples and of real data sets, against numbers that the files and their facts give."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.compared import named, rows_of
from tests.conftest import SHARED_DATA
from tui.baseline import compared, side_of
from tui.compare.compare import compare
from tui.errors import ProfileError
from tui.model.comparison import BY, Change, Comparison, Side
from tui.session import Session

MIRRORED = {"faster": "slower", "slower": "faster", "new": "gone", "gone": "new"}
SETS = sorted(path.parent.name for path in SHARED_DATA.glob("*/expected.json")) if SHARED_DATA.is_dir() else []
PAIRS = [
    ("ocr_vision_embed_910b_conv2d_before", "ocr_vision_embed_910b_matmul_after"),
    ("op_summary_triton_matmul384", "op_summary_triton_matmul384_instr"),
    ("prof_triton_matmul_910b", "prof_triton_matmul_summary_only"),
    ("torch_text_level0_2rank", "torch_text_level1_2rank"),
    ("paddle_b1_op_statistic", "qwen3_moe_op_statistic"),
]


def between(a: Path, b: Path) -> Comparison:
    return compared(Session(a), Session(b))


def facts_total_us(folder: Path) -> Decimal:
    """Σ of the durations of the one operator table, as the independent script added them up."""
    files: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"]
    (facts,) = (facts["op_table"] for facts in files.values() if "op_table" in facts)
    (total,) = (value for key, value in facts.items() if "sum" in key and "duration" in key)
    return Decimal(str(total))


def test_the_first_convolution_of_the_sample(samples: Path) -> None:
    comparison = between(samples / "mish_before", samples / "mish_after")
    first = rows_of(comparison)[0]
    assert (first["op_name"], first["match"], first["verdict"]) == ("Conv_0", "name", "faster")
    assert (first["a_total_us"], first["b_total_us"], first["delta_us"]) == (3170.625, 1415.182, -1755.443)
    assert f"{first['delta_pct']:.1f}" == "-55.4"
    assert abs(first["delta_us"]) > first["band_us"] == pytest.approx(0.03 * 3170.625)
    assert comparison.end_to_end.verdict == "faster"
    verdicts = [row["verdict"] for row in rows_of(comparison)]
    assert {verdict: verdicts.count(verdict) for verdict in set(verdicts)} == {
        "faster": 1, "same": 213, "new": 72, "gone": 216,
    }  # fmt: skip
    assert comparison.differences == ()


def test_old_and_new_layout_of_one_run_are_the_same(samples: Path) -> None:
    comparison = between(samples / "legacy_before", samples / "mish_before")
    assert {(row["match"], row["verdict"], row["delta_us"]) for row in rows_of(comparison)} == {("name", "same", 0.0)}
    assert comparison.end_to_end.verdict == "same"


def test_convolution_replaced_by_a_matmul(shared_data: Path) -> None:
    a, b = (shared_data / name for name in PAIRS[0])
    comparison = between(a, b)
    total = comparison.end_to_end
    assert (total.a_us, total.b_us, total.delta_us, total.verdict) == (8555.70, 332.58, -8223.12, "faster")
    assert (Decimal(str(total.a_us)), Decimal(str(total.b_us))) == (facts_total_us(a), facts_total_us(b))
    assert named(comparison, "Conv2D2")["verdict"] == "gone"
    assert named(comparison, "aclnnAddmm_MatMulCommon_MatMulV2")["verdict"] == "new"
    added = named(comparison, "Add4")
    assert (added["match"], added["b_op_name"]) == ("sequence", "aclnnAdd_AddAiCore_Add")
    assert sum(row["match"] == "name" for row in rows_of(comparison)) == 8


def test_two_recordings_of_one_program_are_the_same(shared_data: Path) -> None:
    comparison = between(*(shared_data / name for name in PAIRS[1]))
    assert (comparison.end_to_end.a_us, comparison.end_to_end.b_us) == (122.54, 119.30)
    assert comparison.end_to_end.verdict == "same"
    rows = {row["op_type"]: row for row in rows_of(comparison)}
    assert {row["verdict"] for row in rows.values()} == {"same"}
    assert len(rows) == 3
    cast, kernel = rows["Cast"], rows["matmul_bias_activation_kernel"]
    assert (f"{cast['delta_pct']:.1f}", f"{kernel['delta_pct']:.1f}") == ("-9.2", "-3.4")
    # Cast, A: the median of 11.22 2.88 1.16 2.82 3.26 1.26 is 2.85, that of the distances from it 1.00; 2 × 1.00 × 6
    assert cast["band_us"] == pytest.approx(12.0)


def sides(name: str) -> list[Side]:
    """Every profile of a set that holds anything to compare."""
    found = []
    for index in range(len(Session(SHARED_DATA / name).profiles)):
        session = Session(SHARED_DATA / name)
        session.choose(profile=index)
        found.append(side_of(session))
    return found


@pytest.mark.skipif(not SETS, reason="the real data sets are not beside the checkout")
@pytest.mark.parametrize("name", SETS)
def test_every_profile_is_the_same_as_itself(name: str) -> None:
    for side in sides(name):
        for by in BY:
            try:
                comparison = compare(side, side, by)
            except ProfileError:
                continue
            assert {row["verdict"] for row in rows_of(comparison)} <= {"same"}
            assert {entry.change.verdict for entry in comparison.parts} <= {"same"}
            assert comparison.differences == ()


@pytest.mark.skipif(not SETS, reason="the real data sets are not beside the checkout")
@pytest.mark.parametrize("names", PAIRS, ids=lambda names: names[0])
def test_swapping_mirrors_every_difference(names: tuple[str, str]) -> None:
    a, b = (sides(name)[0] for name in names)
    for by in BY:
        assert_mirrored(compare(a, b, by), compare(b, a, by))


@pytest.mark.skipif(not SETS, reason="the real data sets are not beside the checkout")
def test_swapping_mirrors_whatever_is_compared_with_its_neighbour() -> None:
    first = [found[0] for name in SETS if (found := sides(name))]
    compared_pairs = 0
    for a, b in zip(first, first[1:]):
        try:
            forth = compare(a, b)
        except ProfileError:
            with pytest.raises(ProfileError):
                compare(b, a)
            continue
        assert_mirrored(forth, compare(b, a))
        compared_pairs += 1
    assert compared_pairs >= 10


def assert_mirrored(forth: Comparison, back: Comparison) -> None:
    """Every row and every sum, the sides exchanged."""
    assert sorted(map(repr, _facts(forth, False))) == sorted(map(repr, _facts(back, True)))
    for change, mirror in _changes(forth, back):
        assert MIRRORED.get(change.verdict, change.verdict) == mirror.verdict
        assert change.delta_us == -mirror.delta_us or change.verdict == "incomparable"
        assert change.band_us == mirror.band_us or change.verdict == "incomparable"


def _changes(forth: Comparison, back: Comparison) -> list[tuple[Change, Change]]:
    found = [(forth.end_to_end, back.end_to_end)]
    if forth.wall is not None and back.wall is not None:
        found.append((forth.wall, back.wall))
    return found + [(one.change, other.change) for one, other in zip(forth.parts, back.parts)]


def _facts(comparison: Comparison, swapped: bool) -> list[tuple[object, ...]]:
    """Rows without their order, the sides exchanged where asked for."""
    facts: list[tuple[object, ...]] = []
    for row in rows_of(comparison):
        names = row["op_name"], row.get("b_op_name", row["op_name"])
        one, other = ("b", "a") if swapped else ("a", "b")
        verdict = MIRRORED.get(row["verdict"], row["verdict"]) if swapped else row["verdict"]
        delta_us = -row["delta_us"] if swapped else row["delta_us"]
        facts.append((
            names[::-1] if swapped else names, row["op_type"] if row["match"] == "none" else "", row["match"],
            row[f"{one}_total_us"], row[f"{other}_total_us"], delta_us + 0.0, row[f"{one}_count"],
            row[f"{other}_count"], row["band_us"], verdict,
        ))  # fmt: skip
    return facts
