"""The `dump` block of `acl.json`: every sample of the runtime is judged as the runtime judges it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.dump.acl_config import dump_block, judge, judge_file

INVALID = {
    "datadump/dump_data_tensor_conflict_stats.json": "dump_stats needs dump_data",
    "datadump/dump_stats_empty.json": "dump_stats is empty",
    "datadump/dump_stats_empty_list.json": "dump_stats is empty",
    "datadump/invalid_dump_data.json": 'dump_data is "invalid_dump_data"',
    "datadump/invalid_dump_level.json": 'dump_level is "invalid_dump_level"',
    "datadump/invalid_dump_mode.json": 'dump_mode is "invalid_dump_mode"',
    "exception/dump_scene_conflict_dump_debug.json": "dump_scene and dump_debug",
    "exception/dump_scene_conflict_dump_op_switch.json": "dump_scene and dump_op_switch",
    "exception/invalid_dump_scene.json": 'dump_scene is "invalid_dump_scene"',
    "overflow/invalid_dump_debug.json": 'dump_debug is "invalid_dump_debug"',
    "overflow/overflow_conflict_op_switch.json": "dump_debug and dump_op_switch",
    "overflow/overflow_no_path.json": "dump_path is missing",
    "overflow/overflow_path_empty.json": "dump_path is empty",
}
"""The samples that the runtime's own tests expect to fail, and why."""


def test_every_sample_is_judged(shared_data: Path) -> None:
    folder = shared_data / "acl_dump_config_samples"
    expected = json.loads((folder / "expected.json").read_text())
    assert len(expected["files"]) == 30
    for name in expected["files"]:
        judged = judge_file(folder / name)
        assert judged.is_valid == (name not in INVALID), name
        assert judged.reason.startswith(INVALID.get(name, "")), name


def test_what_a_valid_block_lacks_for_a_comparison() -> None:
    judged = judge({"dump_path": "out", "dump_list": [{}]})
    assert judged.is_valid
    assert ['dump_mode is "output"' in problem.what for problem in judged.problems] == [True]
    assert [problem.severity for problem in judged.problems] == ["warn"]
    nothing = judge({"dump_path": "out", "dump_mode": "all", "typo": 1})
    assert [problem.what.split(":")[0] for problem in nothing.problems] == [
        "the key typo is unknown and ignored",
        "without dump_list no model is dumped; [{}] means every model",
    ]
    assert judge({"dump_path": "o", "dump_debug": "on", "dump_list": [{}]}).problems[0].what.startswith("only failing")


PATH = {"dump_path": "out"}


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ({**PATH, "dump_path": "x" * 513}, "longer than 512"),
        ({**PATH, "dump_path": 7}, "dump_path is empty"),
        ({**PATH, "dump_step": "0|3-5|10x"}, "dump_step must look like"),
        ({**PATH, "dump_step": "|".join(["1"] * 101)}, "more than 100 parts"),
        ({**PATH, "dump_list": {}}, "dump_list must be a list"),
        ({**PATH, "dump_list": ["a"]}, "dump_list must be a list"),
        ({**PATH, "dump_list": [{"layer": "conv"}]}, "layer must be a list"),
        ({**PATH, "dump_list": [{"watcher_nodes": ["a"]}]}, "watcher_nodes needs dump_scene"),
        ({**PATH, "dump_list": [{"optype_blacklist": []}]}, 'optype_blacklist needs dump_level "op"'),
        ({**PATH, "dump_level": "op", "dump_list": [{"opname_blacklist": [{}] * 101}]}, "at most 100 objects"),
        ({**PATH, "dump_level": "op", "dump_list": [{"opname_range": [{}]}]}, "opname_range needs model_name"),
        ({**PATH, "dump_stats": ["Max", "Median"], "dump_data": "stats"}, "dump_stats knows only"),
        ({**PATH, "dump_mode": ["all"]}, 'dump_mode is "["all"]"'),
        ({**PATH, "dump_kernel_data": "everything"}, "dump_kernel_data is"),
    ],
)
def test_rules_that_the_samples_do_not_touch(block: dict[str, Any], said: str) -> None:
    judged = judge(block)
    assert not judged.is_valid
    assert said in judged.reason


@pytest.mark.parametrize("step", ["0", "3-5", "0|3-5|10", "|".join(["1"] * 100)])
def test_steps(step: str) -> None:
    assert judge({**PATH, "dump_step": step}).is_valid


@pytest.mark.parametrize(
    ("model", "layers", "single"), [("toy_fp16", (), False), ("", (), True), ("m", ("block1/add", 'x"y'), False)]
)
def test_what_we_write_is_valid_and_lacks_nothing(model: str, layers: tuple[str, ...], single: bool) -> None:
    block = json.loads(dump_block("out/dump", model, layers, single))["dump"]
    assert judge(block).problems == ()
    assert block["dump_mode"] == "all"
    assert block["dump_list"][0].get("model_name", "") == model
    assert tuple(block["dump_list"][0].get("layer", ())) == layers


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "JSON"), (b"[]", "no object"), (b'{"dump": 5}', "no object"), (b"\xff\xfe", "JSON"), (b"[" * 99999, "JSON")],
)
def test_files_that_hold_no_block(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "acl.json"
    path.write_bytes(data)
    judged = judge_file(path)
    assert not judged.is_valid
    assert said in judged.reason


def test_missing_and_huge_files(tmp_path: Path) -> None:
    assert "cannot be read" in judge_file(tmp_path / "missing.json").reason
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate((10 << 20) + 1)
    assert "larger than" in judge_file(tmp_path / "huge.json").reason


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
)


@given(
    st.dictionaries(
        st.sampled_from(sorted({"dump_path", "dump_list", "dump_stats", "dump_step", "dump_mode", "x"})), JSON
    )
)
def test_any_block_is_judged(block: dict[str, Any]) -> None:
    judged = judge(block)
    assert judged.is_valid == (judged.reason == "")
