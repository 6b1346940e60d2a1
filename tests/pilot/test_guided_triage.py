"""The guided triage: nine steps with the profile's numbers, which other keys never notice."""

from __future__ import annotations

from pathlib import Path

from tests.pilot.viewer import Viewer, sizes, viewing


async def guided(viewer: Viewer, text: str = "") -> None:
    """Gives the command."""
    await viewer.press(":")
    await viewer.until(lambda: viewer.frame.prompt.display, "the command line")
    await viewer.type(f"guide {text}")
    await viewer.until(lambda: not viewer.frame.prompt.display, "the end of the command line")


async def judged(viewer: Viewer) -> None:
    await viewer.until(lambda: viewer.app.findings is not None, "the findings")


@sizes
async def test_the_case_before_is_walked_in_the_order_of_its_story(mish: Path, size: tuple[int, int]) -> None:
    """Load cannot be tuned, execute leads to the device, Conv_0 is suspect, Mish is split: OV06 OV07 CO17 CO19.

    Softplus, Mul and Tanh take 19.87 + 14.12 + 13.45 = 47.44 ms.
    """
    async with viewing(mish, size) as viewer:
        await judged(viewer)
        await guided(viewer)
        await viewer.shows(r"guide 1/9 +Health +next 2 Scope")
        await viewer.shows("^ the data are complete: 1 device")
        await viewer.press("2")
        await viewer.shows(r"guide 2/9 +Scope +next 3 Split")
        await viewer.shows("^ aclmdlLoadFromFileWithMem takes 29.1 %: not tunable")
        await viewer.press("3")
        await viewer.shows(r"guide 3/9 +Split +next 4 Host")
        await viewer.shows("^ device busy 96 %: look at the operators")  # 112.95 of 112.95 + 4.14 ms
        await viewer.press("4")
        await viewer.shows(r"guide 4/9 +Host +next 3 Operators")
        await viewer.shows("^ aclmdlExecute takes 55.1 %: it leads to the device")
        await viewer.press("3")
        await viewer.shows(r"guide 5/9 +Operators +next i Why")
        await viewer.shows("^ Conv2D 41 %; Conv_0 .Conv2D. takes 3 170.625 µs: lead suspect")
        await viewer.press("i")
        await viewer.shows(r"guide 6/9 +Why +next 5 Lever")
        await viewer.shows("^ no unit of the core is full")
        await viewer.press("5")
        await viewer.shows(r"guide 7/9 +Lever +next 6 Verify")
        await viewer.shows("^ Mish split into Softplus → Tanh → Mul: at most 47.44 ms .22.1 %. to be saved")
        await viewer.press("6")
        await viewer.shows(r"guide 8/9 +Verify +next 7 Right\?")
        await viewer.shows("^ no baseline is open")
        await viewer.press("7")
        await viewer.shows(r"guide 9/9 +Right\? +:guide ends the guide")
        await viewer.shows("^ no dumps are compared")
        await guided(viewer)
        await viewer.hides("guide 9/9")


async def test_steps_are_skipped_and_gone_back_to(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await judged(viewer)
        await guided(viewer)
        await guided(viewer)
        await viewer.shows("guide 2/9")
        await guided(viewer, "back")
        await viewer.shows("guide 1/9")
        await guided(viewer, "7")
        await viewer.shows("guide 7/9")
        await viewer.press("9")  # not what the next step says: its screen opens, the guide stays
        await viewer.until_on("9")
        await viewer.shows("guide 7/9")
        await guided(viewer, "off")
        await viewer.hides("guide ")


async def test_a_wrong_word_is_told(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await judged(viewer)
        await viewer.press(":")
        await viewer.until(lambda: viewer.frame.prompt.display, "the command line")
        await viewer.type("guide 10")
        await viewer.shows("one of 1-9 back off")


async def test_the_comparison_is_told_once_there_is_one(samples: Path) -> None:
    async with viewing(samples / "mish_after") as viewer:
        await judged(viewer)
        await viewer.press(":")
        await viewer.until(lambda: viewer.frame.prompt.display, "the command line")
        await viewer.type(f"baseline {samples / 'mish_before'}")
        await viewer.press("6")
        await viewer.until(lambda: viewer.app.others.compared is not None, "the comparison")
        await guided(viewer, "8")
        await viewer.shows("guide 8/9")
        await viewer.shows("; end to end −[0-9.]+ %, faster$")


async def test_the_overview_tells_what_to_do_and_opens_it(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await judged(viewer)
        await viewer.shows("what to do .* 5 opens all")
        await viewer.shows(r"High +Mish split into Softplus → Tanh → Mul +≤ 47.44 ms +CO19")
        await viewer.shows(r"11 findings, \d+ rules not evaluated$")
        await viewer.press("down", "down", "down")
        await viewer.shows(r"▌ Low +Conv_0 .Conv2D. takes 3 170.625 µs")
        await viewer.press("enter")
        await viewer.until_on("5")
        await viewer.shows(r"▸ CO17 ")
