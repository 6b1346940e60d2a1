"""The Compare screen: setting a baseline, what it says, moving in it, and what keeps two runs from comparing."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.pilot.viewer import NARROW, WIDE, SentToTerminal, Viewer, sizes, viewing
from tui.model.comparison import VERDICTS
from tui.screens.compare import CompareScreen

MIRRORED = {"faster": "slower", "slower": "faster", "new": "gone", "gone": "new"}


def durations_us(profile: Path) -> dict[str, float]:
    """Name → duration in op_summary, read without any of our code."""
    [path] = profile.rglob("op_summary_*.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {row["Op Name"]: float(row["Task Duration(us)"]) for row in csv.DictReader(file)}


def spaced(value: float, decimals: int = 3) -> str:
    """`1 415.182` as a pattern."""
    return re.escape(f"{value:,.{decimals}f}".replace(",", " "))


async def done(viewer: Viewer) -> CompareScreen:
    """Waits for the end of the comparison."""
    await viewer.until_on("6")
    screen = viewer.frame
    assert isinstance(screen, CompareScreen)
    await viewer.until(lambda: screen.comparison is not None and screen.has_rows, "a comparison")
    await viewer.pilot.pause()
    return screen


@asynccontextmanager
async def against(a: Path, b: Path, size: tuple[int, int] = NARROW, **typed: object) -> AsyncIterator[Viewer]:
    """A viewer of B on the Compare screen, A being the baseline."""
    async with viewing(b, size, **typed) as viewer:
        await viewer.everything_read()
        assert viewer.app.command_baseline(str(a)) == ""
        await done(viewer)
        yield viewer


@pytest.fixture
def after(samples: Path) -> Path:
    return samples / "mish_after"


@sizes
async def test_what_changed_end_to_end_by_category_and_row_by_row(
    mish: Path, after: Path, size: tuple[int, int]
) -> None:
    before_us, after_us = durations_us(mish)["Conv_0"], durations_us(after)["Conv_0"]
    assert f"{100 * (after_us - before_us) / before_us:.1f}" == "-55.4"
    async with against(mish, after, size) as viewer:
        await viewer.shows(r"^ end to end +113\.0 → 68\.8 ms +−44\.2 ms +−39\.1 % +faster +noise ± 0\.2 ms")
        await viewer.shows(r"^ wall +117\.1 → 72\.7 ms +−44\.4 ms +−37\.9 % +faster")
        await viewer.shows(r"^  load +62\.40 → +62\.60 +\+0\.20 .* same")
        await viewer.shows(
            rf"^▌ Conv_0 +{spaced(before_us, 1)} +{spaced(after_us, 1)} +−1 755\.4 +−55\.4  .*█▏.* faster"
        )
        await viewer.shows(r"^  Softplus_1 +721\.4 +– +−721\.4 +–  .* gone")
        await viewer.shows(rf"1/502 · {spaced(before_us)} → {spaced(after_us)} µs")
        assert "comparable: same chip, CANN, options" in viewer.status
        assert re.search(r"A +mish_before PROF_000001$", viewer.lines[0])
        await viewer.press("enter")
        await viewer.shows(rf"^ A mish_before +█+ +{spaced(before_us)} µs  mte2 0\.74   2 of 8 cores")
        await viewer.shows(rf"^ B mish_after +█+.* +{spaced(after_us)} µs  mte2 0\.79   8 of 8 cores")
        await viewer.shows("the difference is beyond noise, which is 3 % of the larger total")
        await viewer.press("q", "down")
        await viewer.shows(r"^▌ Softplus_1 ")


async def test_swapping_the_sides_mirrors_every_difference(mish: Path, after: Path) -> None:
    async with against(mish, after) as viewer:
        one = (await done(viewer)).comparison
        await viewer.press("B")
        await viewer.shows(r"^▌ Conv_0 +1 415\.2 +3 170\.6 +\+1 755\.4 +\+124\.0 .* slower")
        assert re.search(r"A +mish_after PROF_000002$", viewer.lines[0])
        other = (await done(viewer)).comparison
        assert one is not None
        assert other is not None
        tables = (one.table, other.table)
        found = []
        for table in tables:
            names, verdicts, deltas = table.text("op_name"), table.text("verdict"), table.number("delta_us")
            assert names is not None
            assert verdicts is not None
            assert deltas is not None
            rows = zip(names.texts(slice(None)), verdicts.texts(slice(None)), deltas.tolist())
            found.append({name: (verdict, delta) for name, verdict, delta in rows})
        assert found[1] == {
            name: (MIRRORED.get(verdict, verdict), -delta) for name, (verdict, delta) in found[0].items()
        }
        await viewer.press("B")
        await viewer.shows(r"^▌ Conv_0 +3 170\.6 +1 415\.2 .* faster")


async def test_without_a_baseline_it_says_what_to_press_and_offers_runs(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.press("6")
        await viewer.shows("there is no baseline to compare mish_before with")
        await viewer.shows("enter picks the run before the change as the baseline A")
        await viewer.press("b")
        await viewer.shows("the baseline A is mish_before, which is open now")
        await viewer.press("enter")
        await viewer.shows(r"▌ mish_after ")
        await viewer.press("enter")
        await done(viewer)
        await viewer.shows(r"^▌ Conv_0 .* faster")
        assert viewer.app.state.section("baselines") == {"mish_before": str(mish)}


async def test_rows_by_something_else_filtered_sorted_and_found(mish: Path, after: Path) -> None:
    async with against(mish, after) as viewer:
        await viewer.press("F")
        await viewer.shows(r"by type$|by type ")
        await viewer.shows(r"^▌ Softplus +[\d ]+\.\d+ +– .* gone")
        await viewer.press("F")
        await viewer.shows(r"^▌ Softplus +1,128,76,76 +4 810\.7 +– +−4 810\.7  gone")
        await viewer.press("F")
        await viewer.shows(r"^▌ aclmdlExecute .*faster")
        await viewer.press("u", "u", "u")
        await viewer.shows(r"^▌ Conv_0 ")
        assert viewer.frame.run_command("group nothing")
        await viewer.press("&")
        await viewer.type("verdict=same a_total>900us")
        await viewer.shows(r"verdict=same a_total>900us")
        assert all("same" in line for line in viewer.lines if re.match(r"^[▌ ] \w+_\d+ +\d", line))
        await viewer.press("0")
        await viewer.press("/")
        await viewer.type("=LeakyRelu_1")
        await viewer.press(".")
        await viewer.shows(r"^▌ .* new")


async def test_the_operator_under_the_cursor_in_other_screens(mish: Path, after: Path) -> None:
    async with against(mish, after) as viewer:
        await viewer.press("/")
        await viewer.type("=Conv_8")
        await viewer.shows(r"^▌ Conv_8 ")
        await viewer.press("3")
        await viewer.until_on("3")
        await viewer.shows(r"^▌.* Conv_8 ")
        await viewer.press("6")
        await done(viewer)
        await viewer.press("2")
        await viewer.until_on("2")
        await viewer.shows("Conv_8")
        await viewer.press("6", "g", "down")
        await viewer.shows(r"^▌ Softplus_1 ")
        await viewer.press("T")
        await viewer.shows("B has no task of it to show")


async def test_it_can_be_taken_out(mish: Path, after: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sent = SentToTerminal(monkeypatch)
    async with against(mish, after, WIDE) as viewer:
        await viewer.press("e")
        await viewer.press("enter")
        await viewer.shows("502 rows written")
        with (tmp_path / "compare.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        assert rows[0]["op_name"] == "Conv_0"
        assert float(rows[0]["b_total_us"]) == durations_us(after)["Conv_0"]
        assert rows[0]["verdict"] == "faster"
        assert viewer.frame.run_command("copy-command") == ""
        assert sent.copied[-1] == f"npuscope compare {mish} {after}"


async def test_what_keeps_two_runs_from_comparing_stays_in_sight(mish: Path, tmp_path: Path) -> None:
    shutil.copytree(mish, tmp_path / "older")
    changed = [path for path in (tmp_path / "older").rglob("*.json") if '"8.0.0"' in path.read_text(encoding="utf-8")]
    for path in changed:
        path.write_text(path.read_text(encoding="utf-8").replace('"8.0.0"', '"7.0.1"'), encoding="utf-8")
    assert changed
    async with against(tmp_path / "older", mish) as viewer:
        await viewer.shows(r"^ ! CANN: 7\.0\.1 against 8\.0\.0, so the times do not compare as they are")
        assert "comparable: same" not in viewer.status
        await viewer.press("pagedown")
        await viewer.shows(r"^ ! CANN:")


async def test_only_what_is_known_is_called_the_same(samples: Path, mish: Path) -> None:
    async with against(samples / "legacy_before", mish) as viewer:
        await viewer.shows("comparable: same chip, options")


async def test_a_run_against_itself_is_the_same(mish: Path) -> None:
    async with against(mish, mish) as viewer:
        comparison = (await done(viewer)).comparison
        assert comparison is not None
        verdicts = comparison.table.text("verdict")
        assert verdicts is not None
        assert set(np.unique(verdicts.codes)) == {VERDICTS.index("same")}
        await viewer.shows(r"^ end to end .* 0\.0 ms +0\.0 % +same")
        await viewer.press(".")
        await viewer.shows("no further row got worse")


async def test_baselines_by_name_and_ones_that_cannot_be_read(mish: Path, after: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        app = viewer.app
        assert "does not exist" in app.command_baseline("/nowhere/at/all")
        assert "does not exist" in app.command_compare("nowhere")
        assert app.command_baseline("before tuning") == ""
        assert app.command_open(str(after)) == ""
        await viewer.until(lambda: app.overview is not None, "the other run")
        assert app.command_baseline("before tuning") == ""
        await done(viewer)
        await viewer.shows(r"^▌ Conv_0 .* faster")
        assert app.command_baseline(str(tmp_path / "empty")) == ""
        await viewer.shows("picks another baseline")
        assert viewer.frame.can("open_item")
        assert app.command_baseline("before tuning") == ""
        await viewer.shows(r"^▌ Conv_0 .* faster")


async def test_the_drift_of_open_dumps_stands_in_the_row_of_its_operator(
    mish: Path, after: Path, samples: Path
) -> None:
    async with viewing(after) as viewer:
        await viewer.everything_read()
        assert viewer.app.command_dump(f"{samples / 'dump_fp16'} {samples / 'dump_fp32'}") == ""
        await viewer.shows(r"^▌ AddN:0 |AddN:0 ")
        await viewer.until(lambda: not viewer.app.tables["dump"].loading, "the dumps")
        assert viewer.app.command_baseline(str(mish)) == ""
        await done(viewer)
        await viewer.shows(r"^  Op +A µs +B µs +.*Δ µs +Δ % +cosine  drift")
        await viewer.press("/")
        await viewer.type("=Conv_0")
        await viewer.shows(r"^▌ Conv_0 .* −55\.4 +1\.0000  ok +faster")
        await viewer.press("enter")
        await viewer.shows(r"^ drift +ok  cosine 1\.0000  from the open dumps")
