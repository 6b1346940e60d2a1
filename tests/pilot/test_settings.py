"""Settings, the user's own keys, glyph sets, colours, full-width keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import ColorSystem

from tests.pilot.viewer import NARROW, WIDE, Viewer, sizes, viewing
from tui.actions import FULL_WIDTH
from tui.config import config_dir

FULL_WIDTH_ON_OPS = {
    "？": "type to search", "：": r"^ :", "／": r"^ /", "、": r"^ /", "＆": r"^ &", "％": "times in ns",
    "《": "▲ Duration|▲1",    "》": "▼ Duration|▼1", "＜": "▲ Duration|▲1", "‘": "no marks yet", "’": "no marks yet",
}  # fmt: skip


def colours(viewer: Viewer, system: ColorSystem) -> set[int | None]:
    """Numbers of the colours painted, as that kind of terminal gets them."""
    found: set[int | None] = set()
    for strip in viewer.strips:
        for segment in strip:
            for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                if colour is not None:
                    found.add(colour.downgrade(system).number)
    return found


@pytest.mark.parametrize(("key", "effect"), FULL_WIDTH_ON_OPS.items())
async def test_full_width_punctuation_is_the_key(mish: Path, key: str, effect: str) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("right", "right")
        await viewer.press(key)
        await viewer.shows(effect)


async def test_full_width_plus_minus_equals_and_notable_keys(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.go("3")
        await viewer.press("＋", "＝")
        grid = viewer.table_screen.grid
        wide = grid.column_state.widths["op_name"]
        await viewer.press("－")
        assert grid.column_state.widths["op_name"] == wide - 2
        await viewer.go("9")
        await viewer.press("。")
        await viewer.shows("nothing needs attention")
        await viewer.press("up", "，")
        await viewer.shows("nothing needs attention")


def test_every_full_width_form_of_ux_is_known() -> None:
    assert {alias for aliases in FULL_WIDTH.values() for alias in aliases} >= {
        "fullwidth_question_mark", "fullwidth_colon", "fullwidth_solidus", "ideographic_comma",
        "fullwidth_exclamation_mark", "fullwidth_comma", "ideographic_full_stop", "left_black_lenticular_bracket",
        "right_black_lenticular_bracket", "fullwidth_left_square_bracket", "fullwidth_right_square_bracket",
        "left_double_angle_bracket", "right_double_angle_bracket", "fullwidth_less_than_sign",
        "fullwidth_greater_than_sign", "fullwidth_percent_sign", "fullwidth_ampersand", "left_single_quotation_mark",
        "right_single_quotation_mark", "fullwidth_plus_sign", "fullwidth_hyphen_minus", "fullwidth_equals_sign",
    }  # fmt: skip


async def test_letters_of_an_input_method_are_explained_once(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("中")
        await viewer.shows("the input method is on - switch to English")
        await viewer.press("down", "文")
        assert viewer.app.messages_shown.count("the input method is on - switch to English (usually Shift)") == 1


async def test_chinese_is_text_in_a_field(mish: Path) -> None:
    async with viewing(mish) as viewer:
        await viewer.go("3")
        await viewer.press("/", "卷", "积")
        await viewer.shows(r"^ /卷积 .*not found")


@sizes
@pytest.mark.parametrize("digit", ["1", "3", "4", "9"])
async def test_the_ascii_set_is_ascii_and_says_the_same(mish: Path, size: tuple[int, int], digit: str) -> None:
    async with viewing(mish, size, glyphs="ascii") as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        assert viewer.text.isascii(), {char for char in viewer.text if not char.isascii()}
        await viewer.shows(
            {"1": "aclmdlExecute +118.30 #", "3": "Conv_0 .*3 170.625 .*##", "4": "#  aclmdlExecute", "9": "430 rows"}[
                digit
            ]
        )
        for key in ("?", "ctrl+p", "q" if digit != "3" else "c"):
            await viewer.press(key)
            await viewer.until(lambda: viewer.app.screen is not viewer.frame)
            assert viewer.text.isascii(), {char for char in viewer.text if not char.isascii()}
            await viewer.press("escape")
            await viewer.until(lambda: viewer.app.screen is viewer.frame)


@pytest.mark.parametrize("digit", ["1", "3", "4"])
async def test_braille_replaces_what_some_terminals_draw_too_wide(mish: Path, digit: str) -> None:
    async with viewing(mish, glyphs="braille") as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        assert not set(viewer.text) & set("…·–×±°Δ→←↔≤≥▼▶●▲─│┃█▄▌▏━┊")
        assert any("\u2800" <= char <= "\u28ff" for char in viewer.text)


@pytest.mark.parametrize("digit", ["1", "3", "4", "9"])
async def test_sixteen_colours_are_the_basic_ones(mish: Path, digit: str) -> None:
    async with viewing(mish, colors="16") as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        found = colours(viewer, ColorSystem.STANDARD)
        assert len(found) > 3
        assert all(number is None or number < 16 for number in found)


@pytest.mark.parametrize("by", ["NO_COLOR", "setting"])
@pytest.mark.parametrize("digit", ["1", "3", "4", "9"])
async def test_without_colours_nothing_is_lost(
    mish: Path, digit: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with viewing(mish) as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        with_colours = viewer.lines[2:-2]
    typed = {"colors": "mono"} if by == "setting" else {}
    if by == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")
    async with viewing(mish, NARROW, **typed) as viewer:
        await viewer.everything_read()
        await viewer.go(digit)
        assert viewer.lines[2:-2] == with_colours
        assert colours(viewer, ColorSystem.EIGHT_BIT) <= {None}
        await viewer.shows(r"^▌")


async def test_user_keys_replace_the_defaults_everywhere(mish: Path) -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "keys.toml").write_text('[global]\nfilter = ["E"]\nunits = "Q"\n', encoding="utf-8")
    async with viewing(mish, WIDE) as viewer:
        await viewer.go("3")
        await viewer.shows(r"E filter")
        await viewer.press("&")
        assert not viewer.frame.prompt.display
        await viewer.press("E")
        await viewer.shows(r"^ &")
        await viewer.press("escape", "Q")
        await viewer.shows("times in ns")
        await viewer.press("?", *"filter")
        await viewer.shows(r"E +filter by expression")


async def test_wrong_user_keys_are_reported_and_passed_over(mish: Path) -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "keys.toml").write_text('[global]\nfilter = ["alt+f"]\n', encoding="utf-8")
    async with viewing(mish, WIDE) as viewer:
        await viewer.until(lambda: viewer.app.messages_shown)
        assert viewer.app.messages_shown == ["keys.toml line 2: alt+f is taken by terminals; ignored"]
        await viewer.go("3")
        await viewer.press("&")
        await viewer.shows(r"^ &")


async def test_bands_and_units_begin_as_set(mish: Path) -> None:
    async with viewing(mish, bands="5 60", units="ms") as viewer:
        await viewer.go("4")
        await viewer.shows(r"^▌ ▄ +aclmdlExecute")
        await viewer.shows("▼ Time ms")
