"""The Dump screen: pairs in execution order, where they part, what can be taken out, and one pair looked at closely."""

from __future__ import annotations

import json
import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.pilot.dumps import compared, comparing, floats, write_op, write_pair
from tests.pilot.viewer import NARROW, WIDE, SentToTerminal, Viewer, sizes, viewing
from tui.screens.dump import DumpScreen

ELEMENTS = 1600
LEAST, MOST = 70683.0, 109508.0


def sample_outputs(samples: Path, op: str) -> tuple[list[float], list[float]]:
    """The last output of an operator of the sample dumps, of both sides, in stored order."""
    [ours] = (samples / "dump_fp16").rglob(f"*.{op}.*")
    [golden] = (samples / "dump_fp32").rglob(f"*.{op}.*")
    return floats(ours, 2 * ELEMENTS, "e"), floats(golden, 4 * ELEMENTS, "f")


def in_logical_order(blocked: list[float]) -> list[float]:
    """(1, 1, 10, 10, 16) as (1, 16, 10, 10)."""
    return [blocked[place * 16 + channel] for channel in range(16) for place in range(100)]


@pytest.fixture
def dumps(samples: Path) -> tuple[Path, Path]:
    return samples / "dump_fp16", samples / "dump_fp32"


def of_rows(viewer: Viewer) -> list[str]:
    """The lines of pairs in view."""
    return [line for line in viewer.lines if re.match(r"^[▌ ][ ▌] ?[▶│ ]  \w", line) and "Op:output" not in line]


@sizes
async def test_the_first_divergence_is_marked_and_explained(
    mish: Path, samples: Path, dumps: tuple[Path, Path], size: tuple[int, int]
) -> None:
    ours, golden = sample_outputs(samples, "AddN")
    ours = in_logical_order(ours)
    cosine = sum(a * b for a, b in zip(ours, golden)) / math.sqrt(sum(a * a for a in ours) * sum(b * b for b in golden))
    saturated = sum(abs(a) == 65504 and b > 65504 for a, b in zip(ours, golden))
    assert f"{cosine:.2f}" == "0.72"
    async with comparing(mish, *dumps, size) as viewer:
        await viewer.shows(rf"^▌ ▶  AddN:0 .* {cosine:.4f} .*▏.* 1\.67  overflow")
        await viewer.shows("first divergence AddN:0")
        await viewer.shows("outputs 2 of 2 differ")
        await viewer.shows("inputs agree, output does not")
        share = f"{100 * saturated / ELEMENTS:.1f}".replace(".", r"\.")
        await viewer.shows(rf"fp32 spans 70 683 … 109 508, fp16 ends at 65 504: {share} % of A saturated")
        await viewer.shows(rf"A fp16 +max +65 504\.0  min +{min(ours):.1f} .*saturated {saturated}")
        await viewer.shows(r"B fp32 +max 109 508\.0  min  70 683\.0 .*beyond fp16 1 600")
        await viewer.shows(r"^  │  Relu_118:0 .*overflow")
        assert not re.search(r"^.. │  Conv_4[4-7]", viewer.text, re.MULTILINE)


async def test_pairs_stand_in_execution_order_and_unmatched_ones_last(mish: Path, dumps: tuple[Path, Path]) -> None:
    async with comparing(mish, *dumps, WIDE) as viewer:
        await viewer.press("g")
        names = [re.split(r" +", row.strip("▌▶│ "))[0] for row in of_rows(viewer)]
        await viewer.press("G")
        names += [re.split(r" +", row.strip("▌▶│ "))[0] for row in of_rows(viewer)]
        wanted = ["Conv_0:0", "Relu_1:0", "Conv_12:0", "Add_15:0", "Sub_17:0", "BatchNorm_21:0", "AddN:0", "Cast_150"]
        assert [name for name in dict.fromkeys(names) if name in wanted] == wanted
        await viewer.shows(r"^▌ +Cast_150 .* no pair")
        await viewer.shows("the compiler inserted this operator")
        await viewer.shows(r"21 pairs and 22 inputs")
        await viewer.press("X")
        await viewer.shows("43 pairs")
        await viewer.press("0")
        await viewer.shows(r"21 pairs and 22 inputs")


async def test_worst_first_next_failing_filter_and_find(mish: Path, dumps: tuple[Path, Path]) -> None:
    async with comparing(mish, *dumps) as viewer:
        await viewer.press(">")
        await viewer.shows(r"Cosine ▲|▲ Cosine")
        cosines = [float(found) for row in of_rows(viewer) for found in re.findall(r"\d,\d[\d,]+ +([01]\.\d{4}) ", row)]
        assert cosines == sorted(cosines)
        await viewer.press("u", "g", ".")
        await viewer.shows(r"^▌ ▶  AddN:0")
        await viewer.press(".")
        await viewer.shows(r"^▌ │  Relu_118:0")
        await viewer.press(",", ",")
        await viewer.shows("no further tensor differs")
        await viewer.press("&")
        await viewer.type("verdict=drift|tiny")
        await viewer.shows("2/43")
        assert len(of_rows(viewer)) == 2
        await viewer.press("0", "/")
        await viewer.type("Softmax")
        await viewer.shows(r"^▌ │  Softmax_140:0")


async def test_the_keep_dtype_file_names_what_float16_cannot_hold(
    mish: Path, dumps: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sent = SentToTerminal(monkeypatch)
    async with comparing(mish, *dumps) as viewer:
        await viewer.press("e")
        await viewer.shows(r"▌ keep_dtype  keep\.txt +AddN, Relu_118")
        await viewer.press("enter")
        await viewer.shows(r"export to keep\.txt")
        await viewer.press("enter")
        await viewer.shows(r"--keep_dtype=keep\.txt")
        await viewer.press("enter")
        await viewer.hides("--keep_dtype")
        assert (tmp_path / "keep.txt").read_text(encoding="utf-8") == "AddN\nRelu_118\n"
        words = shlex.split(sent.copied[-1])
        assert words[0] == "atc"
        assert "--precision_mode=force_fp16" in words
        await viewer.press("e", "enter", "enter")
        await viewer.shows("overwrite keep.txt?")
        await viewer.press("escape")


async def test_chosen_rows_decide_what_is_kept(
    mish: Path, dumps: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with comparing(mish, *dumps) as viewer:
        await viewer.press("up", "space", "space", "e", "down", "down", "enter", "enter")
        await viewer.shows(r"mix\.json written: 2 operators")
        await viewer.press("escape")
        mix = json.loads((tmp_path / "mix.json").read_text(encoding="utf-8"))
        assert mix == {"black-list": {"to-add": ["Conv2D", "AddN"]}}
        await viewer.press(":")
        await viewer.type("keep op.ini")
        await viewer.shows(r"op\.ini written")
        assert "AddN=enable_float_32_execution" in (tmp_path / "op.ini").read_text(encoding="utf-8")


async def test_tables_and_values_are_written(
    mish: Path, samples: Path, dumps: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with comparing(mish, *dumps) as viewer:
        await viewer.press("e", *["down"] * 5, "enter", "enter")
        await viewer.until((tmp_path / "result.csv").exists)
        heading = (tmp_path / "result.csv").read_text(encoding="utf-8").splitlines()[0]
        assert heading.startswith("Index,OpType,NPUDump,")
        await viewer.press("e", *["down"] * 4, "enter", "enter")
        await viewer.until((tmp_path / "dump.csv").exists)
        rows = (tmp_path / "dump.csv").read_text(encoding="utf-8").splitlines()
        assert len(rows) == 22
        provenance = json.loads((tmp_path / "dump.csv.meta.json").read_text(encoding="utf-8"))
        assert provenance["command"] == f"npuscope dump {dumps[0]} {dumps[1]} --filter '!part==input'"
        await viewer.press(":")
        await viewer.type(f"convert {tmp_path}")
        await viewer.shows("both sides as .npy and .txt in ")
    ours, golden = sample_outputs(samples, "AddN")
    [npy] = tmp_path.glob("b.AddN.*.npy")
    assert np.load(npy, allow_pickle=False).shape == (1, 16, 10, 10)
    [text] = tmp_path.glob("a.AddN.*.txt")
    assert [float(line) for line in text.read_text().splitlines()] == in_logical_order(ours)
    [text] = tmp_path.glob("b.AddN.*.txt")
    assert [float(line) for line in text.read_text().splitlines()] == golden


@sizes
async def test_one_pair_closely(mish: Path, samples: Path, dumps: tuple[Path, Path], size: tuple[int, int]) -> None:
    ours, golden = sample_outputs(samples, "AddN")
    ours = in_logical_order(ours)
    worst = max(range(ELEMENTS), key=lambda at: abs(ours[at] - golden[at]))
    index = ",".join(str(at) for at in (0, worst // 100, worst // 10 % 10, worst % 10))
    async with comparing(mish, *dumps, size) as viewer:
        await viewer.press("enter")
        await viewer.shows("fp16 ends at 65 504, this tensor needs 70 683 … 109 508")
        await viewer.shows(r"pair \d+ of 43")
        await viewer.shows(rf"A +FP16 +{min(ours):.1f} +65 504\.0 .* {ours.count(65504.0)}$")
        await viewer.shows(r"B +FP32 +70 683\.0 +109 508\.0 ")
        await viewer.shows("fp16 limit 65 504")
        shares = [float(found) for found in re.findall(r"k +[█▏▎▍▌▋▊▉]+ (\d+\.\d)", viewer.text)]
        assert sum(shares) == pytest.approx(100, abs=0.5)
        await viewer.press("tab")
        await viewer.shows(rf"^▌ {index} +\S+.* {abs(ours[worst] - golden[worst]):,.1f}".replace(",", "[ ,]"))
        await viewer.press("enter")
        at = f"{ours[worst]:.1f} .*"
        await viewer.shows(rf"\[{index}\]  A {at}B")
        await viewer.press("u")
        await viewer.shows(r"^▌ ▶  AddN:0")


async def test_slices_over_any_axes(mish: Path, samples: Path, dumps: tuple[Path, Path]) -> None:
    _ours, golden = sample_outputs(samples, "AddN")
    values = np.array(golden).reshape(1, 16, 10, 10)

    def shown(index: tuple[int, ...]) -> str:
        text = f"{values[index]:,.1f}".replace(",", " ")
        return rf"\[{','.join(map(str, index))}\] .* B {re.escape(text)} "

    async with comparing(mish, *dumps, WIDE) as viewer:
        await viewer.press("enter", "v")
        await viewer.shows(shown((0, 0, 0, 0)))
        await viewer.press("l", "l", "j")
        await viewer.shows(shown((0, 0, 1, 2)))
        await viewer.press("d", "d")
        await viewer.shows(shown((0, 2, 1, 2)))
        await viewer.press("a", "h", "k")
        await viewer.shows(shown((0, 1, 0, 1)))
        await viewer.press("G")
        await viewer.shows(shown((0, 1, 9, 1)))
        await viewer.press("ctrl+g")
        await viewer.press("ctrl+u")
        await viewer.type("0,15,3,9")
        await viewer.shows(shown((0, 15, 3, 9)))
        await viewer.press("d")
        await viewer.shows("this is the last slice")
        await viewer.press("c")
        await viewer.shows("rows: axis 1, columns: axis 3")
        await viewer.press(*["down"] * 5, "enter")
        await viewer.shows(r"slice ─.*\[0, r, 3, c\]|slice ─.*\[0, r, c, 9\]|slice ─.*\[")
        await viewer.press("v")
        await viewer.shows("value range")


async def test_the_next_failing_pair_without_going_back(mish: Path, dumps: tuple[Path, Path]) -> None:
    async with comparing(mish, *dumps) as viewer:
        await viewer.press("enter", ".")
        await viewer.shows("Dump › Relu_118:0 › histogram")
        await viewer.press("q")
        await viewer.shows(r"^▌ │  Relu_118:0")


async def test_leaving_twice_leaves_once(mish: Path, dumps: tuple[Path, Path]) -> None:
    async with comparing(mish, *dumps) as viewer:
        pairs = viewer.frame
        for key in ("e", "enter"):
            await viewer.press(key)
            above = viewer.app.screen
            assert above is not pairs
            above.dismiss(None)
            above.dismiss(None)
            await viewer.until(lambda: viewer.app.screen is pairs, "the pairs")


async def test_sides_are_swapped(mish: Path, dumps: tuple[Path, Path]) -> None:
    async with comparing(mish, *dumps) as viewer:
        await viewer.press("B")
        await compared(viewer)
        await viewer.shows("A fp32 dump_fp32 · B fp16 dump_fp16")
        await viewer.shows(r"first divergence AddN:0")


async def test_dumps_are_opened_by_command_and_by_question(mish: Path, dumps: tuple[Path, Path]) -> None:
    async with viewing(mish) as viewer:
        await viewer.press("7")
        await viewer.shows("no dumps are open")
        await viewer.press("o", "enter")
        await viewer.shows(r"under test \(A\)")
        await viewer.press("ctrl+u")
        await viewer.type(str(dumps[0]))
        await viewer.shows(r"golden \(B\)")
        await viewer.press("ctrl+u")
        await viewer.type(str(dumps[1]))
        await compared(viewer)
        await viewer.shows(r"^▌ ▶  AddN:0")
        await viewer.press("1", ":")
        await viewer.type(f"dump {dumps[1]} {dumps[0]}")
        await viewer.until_on("7")
        await compared(viewer)
        await viewer.shows("A fp32 dump_fp32")
        await viewer.press(":")
        await viewer.type("dump nowhere")
        await viewer.shows("does not exist: nowhere")
        await viewer.press("escape", "o", *["down"] * 4)
        await viewer.shows("▌ dump_fp32 · dump_fp16")


async def test_dumps_below_the_current_folder_are_offered(
    mish: Path, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(samples)
    async with viewing(mish) as viewer:
        await viewer.press("7", "o", "down", "enter")
        await viewer.shows(r"under test \(A\)")
        await viewer.shows(r"dump_fp16/20240521093012/0/fasterrcnn/1/0 +20 files")
        if "▌ dump_fp16" not in viewer.text:
            await viewer.press("down")
        await viewer.shows("▌ dump_fp16")
        await viewer.press("enter")
        await viewer.shows(r"golden \(B\)")
        await viewer.press("enter")
        await compared(viewer)
        await viewer.shows(r"^▌ ▶  AddN:0")


async def test_a_folder_of_dumps_as_the_path_says_what_it_is(dumps: tuple[Path, Path]) -> None:
    async with viewing(dumps[0]) as viewer:
        await viewer.shows(r"is no\s+profile:\s+it\s+holds\s+20\s+operator\s+dumps")
        await viewer.press("3")
        await viewer.shows(r"is no\s+profile:\s+it\s+holds\s+20\s+operator\s+dumps")
        await viewer.press("7")
        await viewer.shows("A is dump_fp16")
        await viewer.press("o")
        await viewer.shows(r"golden \(B\)")
        await viewer.type("dump_fp32")
        await compared(viewer)
        await viewer.shows(r"^▌ ▶  AddN:0")


async def test_the_table_of_another_tool(mish: Path, tmp_path: Path) -> None:
    table = tmp_path / "result_20240101000000.csv"
    table.write_text(
        "Index,NPUDump,GroundTruth,TensorIndex,Shape,CosineSimilarity,MaxAbsoluteError,CompareFailReason\n"
        '0,conv,conv,conv:output:0,"[1,2]",0.999999,0.1,\n'
        '1,addn,addn,addn:output:0,"[1,2]",0.720000,44004.0,\n'
        "2,cast,*,NaN,NaN,NaN,NaN,no golden file\n",
        encoding="utf-8",
    )
    async with viewing(mish) as viewer:
        await viewer.press(":")
        await viewer.type(f"dump {table}")
        await viewer.until_on("7")
        await compared(viewer)
        await viewer.shows(r"addn.* 0\.7200 .*44 004 .*bad")
        await viewer.press("G")
        await viewer.shows("no golden file")
        await viewer.press("enter")
        await viewer.shows("there are no values to look at")


async def test_an_acl_json_that_dumps_a_model(mish: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with viewing(mish) as viewer:
        await viewer.press("7", "o", *["down"] * 3, "enter")
        await viewer.shows(r"write to acl\.json")
        await viewer.press(*" resnet50.om", "enter")
        await viewer.shows("acl.json written")
        await viewer.shows("dump_mode is all")
        block = json.loads((tmp_path / "acl.json").read_text(encoding="utf-8"))["dump"]
        assert block["dump_list"] == [{"model_name": "resnet50"}]
        assert block["dump_mode"] == "all"
        await viewer.press("q", ":")
        await viewer.type("acl-json acl.json")
        await viewer.shows("exists, choose another name")


async def test_producers_and_consumers_where_the_graph_tells(mish: Path, tmp_path: Path) -> None:
    values = np.linspace(-3, 3, 64).reshape(4, 16)
    for place, (name, ours) in enumerate(
        (("first", values), ("second", values), ("third", -values), ("last", -values))
    ):
        write_pair(tmp_path, place, name, values, ours)
    ops = [
        {"name": "first", "type": "Conv2D", "input": []},
        {"name": "second", "type": "Conv2D", "input": []},
        {"name": "third", "type": "AddN", "input": ["first:0", "second:0"]},
        {"name": "last", "type": "Relu", "input": ["third:0"]},
    ]
    graph = tmp_path / "graph.json"
    graph.write_text(json.dumps({"name": "net", "graph": [{"name": "g", "op": ops}]}))
    async with viewing(mish) as viewer:
        await viewer.press(":")
        await viewer.type(f"dump {tmp_path / 'a'} {tmp_path / 'b'} {graph}")
        await viewer.until_on("7")
        await compared(viewer)
        await viewer.shows(r"^▌ ▶  third:0 .* bad")
        await viewer.shows("inputs agree, output does not")
        await viewer.press("]")
        await viewer.shows(r"^▌ │  last:0 .* bad")
        await viewer.press("]")
        await viewer.shows("it feeds nothing that was compared")
        await viewer.press("[")
        await viewer.shows(r"^▌ ▶  third:0")
        await viewer.press("[")
        await viewer.shows(r"^▌    first:0")


ODD_TENSORS: dict[str, tuple[np.ndarray, np.ndarray, str, str]] = {
    "scalar": (np.array(3.0), np.array(3.5), "float16", "float32"),
    "empty": (np.zeros((0, 4)), np.zeros((0, 4)), "float16", "float32"),
    "all_nan": (np.full((3, 4), np.nan), np.full((3, 4), np.nan), "float16", "float32"),
    "inf": (np.array([[np.inf, -np.inf, 1.0]]), np.array([[7e4, -7e4, 1.0]]), "float16", "float32"),
    "zeros": (np.zeros((2, 3)), np.zeros((2, 3)), "float16", "float32"),
    "tiny": (np.full((2, 3), 1e-7), np.full((2, 3), 1e-7), "float16", "float32"),
    "huge": (np.full((2, 3), 1e38), np.full((2, 3), 3e38), "float32", "float32"),
    "brain": (np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3), "bfloat16", "float32"),
    "bool": (np.array([[True, False]]), np.array([[True, True]]), "bool", "bool"),
    "index": (np.array([10**12, -5]), np.array([10**12, -6]), "int64", "int64"),
    "complex": (np.array([[1 + 2j, 3j]]), np.array([[1 + 2j, 4j]]), "complex64", "complex64"),
    "deep": (np.ones((1, 2, 3, 2, 2)), np.ones((1, 2, 3, 2, 2)) * 2, "float16", "float32"),
    "long": (np.arange(70_000) % 2000, np.arange(70_000) % 2000 + 1, "float16", "float32"),
    "shapes": (np.ones((2, 3)), np.ones((3, 3)), "float16", "float32"),
}


async def test_odd_tensors_are_shown_and_looked_at(mish: Path, tmp_path: Path) -> None:
    size = NARROW
    for place, (name, (ours, golden, type_a, type_b)) in enumerate(ODD_TENSORS.items()):
        write_op(tmp_path / "a", place, name, ours, type_a)
        write_op(tmp_path / "b", place, name, golden, type_b)
    async with comparing(mish, tmp_path / "a", tmp_path / "b", size) as viewer:
        await viewer.press("g")
        for name in ODD_TENSORS:
            await viewer.shows(rf"^▌ [▶│ ]  {name}")
            await viewer.press("enter")
            if viewer.frame.steps()[0].text == f"{name}:0":
                await viewer.hides("reading the values")
                await viewer.press("tab", "tab")
                await viewer.hides("reading the values")
                await viewer.press("l", "j", "G", "d", "y", "v")
                assert {strip.cell_length for strip in viewer.strips} == {size[0]}
                await viewer.press("q")
            assert "failed by a fault" not in "\n".join(viewer.app.messages_shown)
            assert {strip.cell_length for strip in viewer.strips} == {size[0]}
            await viewer.press("down")


async def test_damaged_files_cost_one_row_each(mish: Path, tmp_path: Path) -> None:
    values = np.linspace(-3, 3, 64).reshape(4, 16)
    for place in range(4):
        write_pair(tmp_path, place, f"Conv_{place}", values)
    whole = write_op(tmp_path / "a", 4, "Conv_4", values.astype(np.float16), "float16")
    write_op(tmp_path / "b", 4, "Conv_4", values.astype(np.float32), "float32")
    whole.write_bytes(whole.read_bytes()[:-40])
    garbage = write_op(tmp_path / "a", 5, "Conv_5", values.astype(np.float16), "float16")
    write_op(tmp_path / "b", 5, "Conv_5", values.astype(np.float32), "float32")
    garbage.write_bytes(b"\xff" * 100)
    async with comparing(mish, tmp_path / "a", tmp_path / "b") as viewer:
        assert len([row for row in of_rows(viewer) if " ok" in row]) == 4
        await viewer.shows(r"Conv_4:0 .*unread")
        await viewer.shows(r"Conv_5.* unread")
        await viewer.press("G", "enter")
        await viewer.shows("there are no values to look at")


async def test_nothing_to_compare_says_why(mish: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with comparing(mish, tmp_path / "a", tmp_path / "b") as viewer:
        await viewer.shows("no dump file is at or below it")


async def test_a_file_that_goes_away_is_told_when_it_is_looked_at(mish: Path, tmp_path: Path) -> None:
    write_pair(tmp_path, 0, "Conv_0", np.linspace(0, 90000, 64).reshape(4, 16))
    async with comparing(mish, tmp_path / "a", tmp_path / "b") as viewer:
        for path in (tmp_path / "b").iterdir():
            path.unlink()
        await viewer.press("enter")
        await viewer.shows("Conv2D.Conv_0.*cannot be read|No such file|does not exist")


@pytest.mark.parametrize("name", ["Conv\x1b[31m_red", "[bold]Conv[/bold]", "卷积层_主干_第一个"])
async def test_names_are_shown_and_never_obeyed(mish: Path, tmp_path: Path, name: str) -> None:
    golden = np.linspace(1, 2, 64).reshape(4, 16)
    for side, dtype in (("a", "float16"), ("b", "float32")):
        path = write_op(tmp_path / side, 0, "Conv_0", golden.astype(dtype), dtype)
        data = path.read_bytes()
        assert data
        from tests.dump_writer import Part, dump_bytes

        path.write_bytes(dump_bytes(name, (), [Part(golden.astype(dtype), dtype)]))
    async with comparing(mish, tmp_path / "a", tmp_path / "b", WIDE) as viewer:
        shown = name.replace("\x1b", "\\x1b")
        assert shown[:9] in viewer.text
        assert {strip.cell_length for strip in viewer.strips} == {WIDE[0]}
        await viewer.press("enter")
        await viewer.shows("value range")
        assert {strip.cell_length for strip in viewer.strips} == {WIDE[0]}


async def test_stopping_keeps_the_rows_so_far(mish: Path, tmp_path: Path) -> None:
    values = np.zeros((1024, 1024))
    for place in range(24):
        write_pair(tmp_path, place, f"Conv_{place}", values)
    async with viewing(mish, NARROW, cache_mb=0) as viewer:
        await viewer.press(":")
        await viewer.type(f"dump {tmp_path / 'a'} {tmp_path / 'b'}")
        await viewer.until_on("7")
        screen = viewer.frame
        assert isinstance(screen, DumpScreen)
        await viewer.until(lambda: screen.has_rows, "the first rows")
        if screen.is_comparing:
            await viewer.press("ctrl+c")
        await compared(viewer)
        comparison = screen.comparison
        assert comparison is not None
        assert comparison.compared >= 1
        if not comparison.complete:
            await viewer.shows(r"partial \d+ %")
            await viewer.shows("R compares again|the rows compared so far stay")
