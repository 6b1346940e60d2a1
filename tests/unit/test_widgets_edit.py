"""Typing: one line with history; lists narrowed by what is typed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from widgets.editline import EditLine
from widgets.help import HelpGroup, in_columns, narrowed
from widgets.palette import PaletteItem, matching
from widgets.text import cells


def test_editing_around_the_caret() -> None:
    edit = EditLine("dur>1s")
    edit.move(-1)
    edit.insert("m")
    assert (edit.text, edit.caret) == ("dur>1ms", 6)
    edit.backspace()
    edit.delete()
    assert edit.text == "dur>1"
    edit.insert(" type=Cast")
    edit.delete_word()
    assert edit.text == "dur>1 "
    edit.delete_to_start()
    assert edit.text == ""


def test_pasted_lines_become_one() -> None:
    edit = EditLine()
    edit.insert("a\nb\r\nc")
    assert edit.text == "a b c"


def test_history_comes_back_to_the_draft() -> None:
    edit = EditLine("draft", ["older", "newer"])
    edit.earlier()
    assert edit.text == "newer"
    edit.earlier()
    edit.earlier()
    assert edit.text == "older"
    edit.later()
    edit.later()
    edit.later()
    assert edit.text == "draft"


@given(st.text(alphabet="ab 算", max_size=40), st.integers(-40, 0), st.integers(4, 30))
def test_the_caret_is_always_in_view(text: str, step: int, width: int) -> None:
    edit = EditLine(text)
    edit.move(step)
    before, under, after = edit.view(width)
    assert cells(before + under + after) <= width
    assert (before + under + after).strip() in text + " "
    assert under == (text[edit.caret : edit.caret + 1] or " ")


ITEMS = [
    PaletteItem("zoom", ":zoom", "10ms..14ms", "show this time range"),
    PaletteItem("color", ":color", "bands", "colour by share of span"),
    PaletteItem("bands", ":bands", "20 50", "share limits for yellow and red"),
]


def test_palette_puts_commands_that_begin_with_the_text_first() -> None:
    assert [item.target for item in matching(ITEMS, "band")] == ["bands", "color"]
    assert [item.target for item in matching(ITEMS, ":zo")] == ["zoom"]
    assert matching(ITEMS, "nothing") == []
    assert matching(ITEMS, "") == ITEMS


def test_palette_keeps_a_command_while_its_arguments_are_typed() -> None:
    assert [item.target for item in matching(ITEMS, "bands 10 30")] == ["bands"]


def group(title: str, count: int) -> HelpGroup:
    return HelpGroup(title, [(str(at), f"{title} {at}") for at in range(count)])


def test_help_columns_keep_order_and_are_about_equal() -> None:
    groups = [
        group("move", 4),
        group("look", 5),
        group("follow", 5),
        group("mark", 5),
        group("take", 4),
        group("any", 5),
    ]
    columns = in_columns(groups, 2)
    assert [[part.title for part in column] for column in columns] == [
        ["move", "look", "follow"],
        ["mark", "take", "any"],
    ]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(1, 5))
def test_help_columns_lose_no_group(sizes: list[int], count: int) -> None:
    groups = [group(str(at), size) for at, size in enumerate(sizes)]
    columns = in_columns(groups, count)
    assert len(columns) <= count
    assert [part for column in columns for part in column] == groups


def test_help_is_narrowed_by_words_and_keys() -> None:
    groups = [
        HelpGroup("any time", [("q", "close, step out"), ("&", "filter")]),
        HelpGroup("look", [("f", "fit selected")]),
    ]
    assert narrowed(groups, "FILT") == [HelpGroup("any time", [("&", "filter")])]
    assert narrowed(groups, "q") == [HelpGroup("any time", [("q", "close, step out")])]
    assert narrowed(groups, "") == groups
