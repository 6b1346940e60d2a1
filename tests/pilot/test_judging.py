"""The rules run behind every screen: when the profile is read, and again when what they look at changes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.pilot.viewer import Viewer, viewing
from tui.findings.engine import RULES
from tui.judging import Judging
from tui.loading import Loader
from tui.model.finding import Findings


async def judged(viewer: Viewer, rule: str = "", evaluated: str = "") -> Findings:
    """Waits until the rules are through; until one of them applies, or could be evaluated."""

    def found() -> bool:
        findings = viewer.app.findings
        missing = {entry.rule for entry in findings.not_evaluated} if findings is not None else set()
        return (
            findings is not None
            and not viewer.app.is_judging
            and (not rule or findings.of(rule) is not None)
            and (not evaluated or evaluated not in missing)
        )

    await viewer.until(found, f"findings {rule}{evaluated}")
    assert viewer.app.findings is not None
    return viewer.app.findings


async def test_the_rules_run_when_the_profile_is_read_and_know_its_small_timeline(mish: Path) -> None:
    async with viewing(mish) as viewer:
        found = await judged(viewer, "OV06")
        assert viewer.app.session is not None
        assert viewer.app.session.is_timeline_read
        assert viewer.app.session.findings() is found, "commands say the same"
        assert not any("not read yet" in entry.missing for entry in found.not_evaluated)
        assert len({finding.rule for finding in found.findings} | {entry.rule for entry in found.not_evaluated}
                   | set(found.quiet)) == len(RULES)  # fmt: skip


async def test_a_large_timeline_is_not_read_for_the_rules(mish: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.judged_app.SMALL_TIMELINE_BYTES", 100)
    monkeypatch.setattr("tui.loading.Loader._take_stored", lambda _self, _session: None)
    async with viewing(mish) as viewer:
        found = await judged(viewer)
        unread = next(entry.rule for entry in found.not_evaluated if "not read yet" in entry.missing)
        viewer.app.need_timeline_for_rules()
        await judged(viewer, evaluated=unread)


async def test_a_baseline_gives_findings_about_it(mish: Path, samples: Path) -> None:
    async with viewing(mish) as viewer:
        before = await judged(viewer)
        assert next(entry for entry in before.not_evaluated if entry.rule == "CP02").option == ":baseline PATH"
        viewer.app.keep_baseline()
        viewer.app.open_path(samples / "mish_after")
        found = await judged(viewer, evaluated="CP02")
        assert found.of("CP02") is not None, "operators are gone"
        known = viewer.app.others.compared
        await viewer.press("6")
        await viewer.shows("end to end")
        assert viewer.app.others.compared is known, "the screen compares the same again: nothing to run rules for"


async def test_another_profile_leaves_no_findings_of_the_one_before(mish: Path, samples: Path) -> None:
    async with viewing(mish) as viewer:
        before = await judged(viewer, "CO19")
        viewer.app.open_path(samples / "mish_after")
        assert viewer.app.findings is None
        found = await judged(viewer)
        assert found is not before
        assert found.of("CO19") is None


async def test_a_run_of_the_rules_can_be_stopped_and_keeps_what_it_has(
    mish: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    run = Judging._stopped
    monkeypatch.setattr("tui.judging.PROGRESS_FROM_S", 0.0)

    def held(judging: Judging) -> bool:
        if judging._rules_done == 20:
            begun.set()
            assert go_on.wait(30)
        return run(judging)

    monkeypatch.setattr(Judging, "_stopped", held)
    async with viewing(mish) as viewer:
        await viewer.until(lambda: begun.is_set() and viewer.app.findings_progress, "progress")
        await viewer.press("3")
        await viewer.shows("Conv_0")
        assert viewer.app.is_judging
        await viewer.press("ctrl+c")
        go_on.set()
        found = await judged(viewer)
        cancelled = [entry.rule for entry in found.not_evaluated if entry.missing == "cancelled"]
        assert len(cancelled) == len(RULES) - 20


async def test_rules_that_cannot_run_say_why(mish: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_loader: Loader, _session: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Loader, "read_for_rules", full)
    async with viewing(mish) as viewer:
        await viewer.until(lambda: viewer.app.findings_problem, "a reason")
        assert viewer.app.findings_problem == "No space left on device"
        assert not viewer.app.is_judging
