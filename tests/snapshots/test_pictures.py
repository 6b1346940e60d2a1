"""How the screens look, character by character and colour by colour."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.color import ColorSystem

from tests.make_prof import make_ops, write_prof
from tests.pilot.dumps import compared, comparing
from tests.pilot.viewer import Viewer, viewing
from tests.snapshots.picture import Album, picture_of
from tui.model.jobs import Command, Job, JobResult
from tui.model.machine import Disk, FoundTool, Machine, Npu, NpuReport
from tui.model.tuning import TunedOp, TuningOutcome, TuningResult
from tui.screens import run, run_base, run_launch, run_result, run_start
from tui.screens.run_start import Starting
from tui.tools import jobs
from tui.tools.preflight import Surroundings

SIZES = ((80, 24), (120, 40), (200, 60))
DIGITS = {
    "overview": "1", "timeline": "2", "ops": "3", "ops_group": "3", "apis": "4", "files": "9", "files_missing": "9",
}  # fmt: skip
OVERLAYS = {"help": "?", "palette": "ctrl+p", "columns": "c", "quit": "q", "copy_as": "Y"}
STATES: dict[str, tuple[str, ...]] = {
    "filter_typed": ("&", *"type=Conv2D dur>500us"),
    "filter_wrong": ("&", *"type=Conv2D zzz>1"),
    "nothing_matches": ("&", *"dur>1s", "enter"),
    "selected": ("v", "down", "down", "v"),
    "found": ("/", *"Tanh", "enter"),
    "details_focused": ("down", "enter"),
    "spread": ("right", "right", "F"),
    "sorted_by_two": ("right", "<"),
}
TIMELINE_STATES: dict[str, tuple[str, ...]] = {
    "zoomed_in": ("]", "enter", "f"),
    "gap": ("u", "u", "j", "j", "j", "j", "j", "g", "left"),
    "range": ("k", "k", "k", "k", "k", "G", "v", "left", "left", "v"),
    "events": ("escape", "T"),
    "statistics": ("q", "F"),
}
"""Keys from one state to the next."""
DUMP_STATES: dict[str, tuple[str, tuple[str, ...]]] = {
    "pairs": (r"AddN:0 .*inputs agree, output does not", ()),
    "export": ("keep_dtype", ("e",)),
    "tensor": ("fp16 limit", ("escape", "enter")),
    "worst": ("Index", ("tab",)),
    "slice": (r"\[0,\d+,\d,\d\]  A", ("enter",)),
}
"""What is to be seen, and the keys from one state to the next."""
COMPARE_STATES: dict[str, tuple[str, tuple[str, ...]]] = {
    "none": ("there is no baseline", ("6",)),
    "own": ("which is open now", ("b",)),
    "choice": ("another path", ("enter",)),
    "rows": (r"Conv_0 .* faster", ("enter",)),
    "pair": ("the difference is beyond noise", ("enter",)),
    "types": (r"Softplus .* gone", ("q", "F")),
}
"""The same of the Compare screen."""
LOOKS = {
    "16c": {"colors": "16"},
    "mono": {"colors": "mono"},
    "ascii": {"glyphs": "ascii"},
    "ascii_mono": {"glyphs": "ascii", "colors": "mono"},
    "braille": {"glyphs": "braille"},
}
RUN_NPU = Npu(0, 0, "310P3", "OK", device=0, temp_c=41, used_mb=1900, total_mb=21527)
RUN_TOOLS = tuple(FoundTool(name, f"/usr/local/Ascend/latest/bin/{name}") for name in ("msprof", "aoe"))
RUN_MACHINE = Machine(RUN_TOOLS, npus=NpuReport((RUN_NPU,)), disks=(Disk("/", 212 << 30, 500 << 30),))
RUN_OPS = tuple(
    TunedOp(name, "Conv2D", before, after, share_pct=100 * (before - after) / 12400)
    for name, before, after in (
        ("Conv_0", 3170.625, 2204.31), ("Conv_8", 1482.31, 1201.774), ("Conv_125", 72.055, 72.046),
    )
)  # fmt: skip
NAMES = (
    "卷积层_主干_第一个_Conv2D", "特征融合/上采样/转置卷积_12", "Conv_混合_Mixed_名称_7", "plain_Conv2D_3", "激活",
    "归一化_LayerNorm_很长很长的中文算子名称",
)  # fmt: skip

each_size = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
two_sizes = pytest.mark.parametrize("size", SIZES[:2], ids=lambda size: f"{size[0]}x{size[1]}")


@pytest.fixture
def album(update_snapshots: bool) -> Album:
    return Album(update_snapshots)


async def ready(viewer: Viewer) -> None:
    """Everything is read, in a time that is the same everywhere."""
    await viewer.everything_read()
    viewer.app.read_s = 1.5
    viewer.frame.show_status()


async def show(viewer: Viewer, screen: str) -> None:
    """Brings a screen into the state to be pictured."""
    await viewer.go(DIGITS[screen])
    if screen == "ops_group":
        await viewer.press("right", "F")
        await viewer.until(lambda: viewer.table_screen.view.group)
    elif screen == "files":
        await viewer.press("i")  # the details would hold a path of this machine
    elif screen == "files_missing":
        await viewer.press("i", "G")
    await viewer.pilot.pause()


@each_size
async def test_screens(mish: Path, size: tuple[int, int], album: Album) -> None:
    async with viewing(mish, size) as viewer:
        await ready(viewer)
        for screen in DIGITS:
            await show(viewer, screen)
            album.add(f"{screen}_{size[0]}x{size[1]}", picture_of(viewer.strips))
    album.check()


@pytest.mark.parametrize("how", LOOKS)
async def test_other_terminals(mish: Path, how: str, album: Album) -> None:
    system = ColorSystem.STANDARD if how == "16c" else ColorSystem.EIGHT_BIT
    async with viewing(mish, SIZES[0], **LOOKS[how]) as viewer:
        await ready(viewer)
        for screen in DIGITS:
            await show(viewer, screen)
            album.add(f"{screen}_80x24_{how}", picture_of(viewer.strips, system))
    album.check()


@each_size
async def test_chinese_names(tmp_path: Path, size: tuple[int, int], album: Album) -> None:
    ops = [replace(op, name=NAMES[at % len(NAMES)]) for at, op in enumerate(make_ops(18, communication=False))]
    written = write_prof(tmp_path, "G4", rows=ops)
    async with viewing(written.path, size) as viewer:
        await ready(viewer)
        await show(viewer, "ops")
        album.add(f"ops_{size[0]}x{size[1]}_zh_names", picture_of(viewer.strips))
        await viewer.press("F")
        await viewer.until(lambda: viewer.table_screen.view.group)
        await viewer.pilot.pause()
        album.add(f"ops_by_name_{size[0]}x{size[1]}_zh_names", picture_of(viewer.strips))
    album.check()


@two_sizes
async def test_overlays(mish: Path, size: tuple[int, int], album: Album) -> None:
    async with viewing(mish, size) as viewer:
        await ready(viewer)
        await show(viewer, "ops")
        for overlay, key in OVERLAYS.items():
            await viewer.press(key)
            await viewer.until(lambda: viewer.app.screen is not viewer.frame)
            await viewer.pilot.pause()
            album.add(f"{overlay}_{size[0]}x{size[1]}", picture_of(viewer.strips))
            await viewer.press("escape")
            await viewer.until(lambda: viewer.app.screen is viewer.frame)
    album.check()


@two_sizes
async def test_states(mish: Path, size: tuple[int, int], album: Album) -> None:
    async with viewing(mish, size) as viewer:
        await ready(viewer)
        await show(viewer, "ops")
        for state, keys in STATES.items():
            await viewer.press(*keys)
            await viewer.pilot.pause()
            album.add(f"state_{state}_{size[0]}x{size[1]}", picture_of(viewer.strips))
            await viewer.press("escape", "escape", "g", *["left"] * 3)
            while viewer.frame.can("undo"):
                await viewer.press("u")
    album.check()


@each_size
async def test_timeline(mish: Path, size: tuple[int, int], album: Album) -> None:
    async with viewing(mish, size) as viewer:
        await ready(viewer)
        await show(viewer, "timeline")
        for state, keys in TIMELINE_STATES.items():
            for key in keys:
                await viewer.press(key)
                await viewer.pilot.pause()
            album.add(f"timeline_{state}_{size[0]}x{size[1]}", picture_of(viewer.strips))
    album.check()


async def dump_pictures(viewer: Viewer, album: Album, suffix: str, system: ColorSystem | None = None) -> None:
    """All states of the Dump screen."""
    screen = await compared(viewer)
    screen.took_s = 2.1
    screen.show_status()
    await viewer.until(lambda: all(work.is_finished for work in viewer.app.workers), "the end of all work")
    await viewer.press("g", "full_stop")  # scrolled the same way wherever the rows stood when the last ones came
    for state, (seen, keys) in DUMP_STATES.items():
        for key in keys:
            await viewer.press(key)
        await viewer.shows(seen)
        if state == "pairs" and viewer.app.size.height >= 34:
            await viewer.shows("fp16 limit")
        await viewer.pilot.pause()
        album.add(f"dump_{state}_{suffix}", picture_of(viewer.strips, system or ColorSystem.EIGHT_BIT))


@each_size
async def test_dump(mish: Path, samples: Path, size: tuple[int, int], album: Album) -> None:
    async with comparing(mish, samples / "dump_fp16", samples / "dump_fp32", size) as viewer:
        await dump_pictures(viewer, album, f"{size[0]}x{size[1]}")
    album.check()


@pytest.mark.parametrize("how", LOOKS)
async def test_dump_on_other_terminals(mish: Path, samples: Path, how: str, album: Album) -> None:
    system = ColorSystem.STANDARD if how == "16c" else ColorSystem.EIGHT_BIT
    async with comparing(mish, samples / "dump_fp16", samples / "dump_fp32", SIZES[0], **LOOKS[how]) as viewer:
        await dump_pictures(viewer, album, f"80x24_{how}", system)
    album.check()


async def compare_pictures(viewer: Viewer, album: Album, suffix: str, system: ColorSystem | None = None) -> None:
    """All states of the Compare screen."""
    await ready(viewer)
    for state, (seen, keys) in COMPARE_STATES.items():
        await viewer.press(*keys)
        await viewer.shows(seen)
        if state == "rows":
            await viewer.everything_read()
        viewer.app.clear_message()
        viewer.frame.show_status()
        await viewer.pilot.pause()
        if state != "choice":  # it would hold a path of this machine
            album.add(f"compare_{state}_{suffix}", picture_of(viewer.strips, system or ColorSystem.EIGHT_BIT))


@each_size
async def test_compare(mish: Path, size: tuple[int, int], album: Album) -> None:
    async with viewing(mish, size) as viewer:
        await compare_pictures(viewer, album, f"{size[0]}x{size[1]}")
    album.check()


@pytest.mark.parametrize("how", LOOKS)
async def test_compare_on_other_terminals(mish: Path, how: str, album: Album) -> None:
    system = ColorSystem.STANDARD if how == "16c" else ColorSystem.EIGHT_BIT
    async with viewing(mish, SIZES[0], **LOOKS[how]) as viewer:
        await compare_pictures(viewer, album, f"80x24_{how}", system)
    album.check()


def run_job(number: int, command: Command, **more: object) -> Job:
    """A job that took ten seconds."""
    return replace(Job(number, command, "done", started_s=100.0, ended_s=110.0), **more)  # type: ignore[arg-type]


@pytest.fixture
def still_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine and jobs that are the same everywhere."""
    model = "/home/me/yolov4_relu.onnx"
    tune = [
        Command("aoe", ("aoe", f"--model={model}", f"--job_type={job_type}"), f"/home/me/aoe_{job_type}", "tune",
                bank="/home/me/bank", title=f"job_type {job_type} yolov4_relu.onnx")
        for job_type in ("1", "2")
    ]  # fmt: skip
    collect = Command(
        "msprof", ("msprof", "--output=./prof", "--aicpu=on", "./main", "a b"), "/home/me", title="./main"
    )
    history = [
        run_job(4, replace(collect, title="./other"), state="failed", reason="application exited with 127"),
        run_job(3, tune[1], claimed_gain_pct=11.2),
        run_job(2, tune[0], claimed_gain_pct=6.41),
        run_job(1, collect, results=(JobResult("profile", "/home/me/prof/PROF_000001_20240521093012_ABCD"),)),
    ]
    report = TuningResult("/home/me/aoe_result_opat_20240521_9120.json", "opat", ops=RUN_OPS)
    monkeypatch.setattr(run, "machine", lambda _search: RUN_MACHINE)
    monkeypatch.setattr(jobs, "jobs", lambda: history)
    monkeypatch.setattr(
        run_base, "gathered", lambda wish, _setting, all_jobs, chip: Starting(wish, tuple(all_jobs), chip=chip)
    )
    monkeypatch.setattr(run_start, "find_tool", lambda name, _search: {tool.name: tool for tool in RUN_TOOLS}[name])
    monkeypatch.setattr(run_launch, "features", lambda _found: None)
    monkeypatch.setattr(run_launch, "surroundings", lambda *_given: Surroundings())
    monkeypatch.setattr(run_launch, "problems_of", lambda *_given: [])
    monkeypatch.setattr(run_result, "tuning_outcome", lambda _job: TuningOutcome((report,)))


RUN_STATES: dict[str, tuple[str, tuple[str, ...]]] = {
    "jobs": ("application exited", ()),
    "menu": ("msprof: measure", ("!",)),
    "form": ("nothing speaks against it", ("down", "enter")),
    "tuning": ("Conv_125", ("q", "down", "enter")),
}
"""What is to be seen, and the keys from one state to the next."""


async def run_pictures(viewer: Viewer, album: Album, suffix: str, system: ColorSystem | None = None) -> None:
    """All states of the Run screen."""
    await ready(viewer)
    await viewer.go("8")
    for state, (seen, keys) in RUN_STATES.items():
        await viewer.press(*keys)
        await viewer.shows(seen)
        await viewer.pilot.pause()
        album.add(f"run_{state}_{suffix}", picture_of(viewer.strips, system or ColorSystem.EIGHT_BIT))


@two_sizes
@pytest.mark.usefixtures("still_run")
async def test_run(mish: Path, size: tuple[int, int], album: Album) -> None:
    async with viewing(mish, size) as viewer:
        await run_pictures(viewer, album, f"{size[0]}x{size[1]}")
    album.check()


@pytest.mark.parametrize("how", ["16c", "ascii"])
@pytest.mark.usefixtures("still_run")
async def test_run_on_other_terminals(mish: Path, how: str, album: Album) -> None:
    system = ColorSystem.STANDARD if how == "16c" else ColorSystem.EIGHT_BIT
    async with viewing(mish, SIZES[0], **LOOKS[how]) as viewer:
        await run_pictures(viewer, album, f"80x24_{how}", system)
    album.check()
