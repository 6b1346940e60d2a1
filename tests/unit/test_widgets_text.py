"""Text is measured, cut and padded by display cells, and foreign text can do no harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from widgets.text import cells, clean, cut_end, cut_middle, fit, head, pad, tail

MIXED = st.text(alphabet=st.sampled_from("abcZ09_/ .算子卷积ｗひ"), max_size=40)


def test_cells_count_double_width() -> None:
    assert cells("Conv2D") == 6
    assert cells("卷积_1") == 6


def test_middle_cut_keeps_both_ends() -> None:
    assert cut_middle("aclmdlLoadFromFileWithMem", 18) == "aclmdlLoa…eWithMem"
    assert cut_middle("NonMaxSuppression", 12) == "NonMax…ssion"


def test_end_cut() -> None:
    assert cut_end("longest task of all", 10) == "longest t…"
    assert cut_end("short", 10) == "short"
    assert cut_end("abc", 2, "..") == ".."


def test_a_wide_character_is_never_split() -> None:
    # 卷积算子 takes 8 cells; in 6 there is room for two characters (4), the ellipsis (1), and a padding blank (1)
    assert fit("卷积算子", 6) == "卷积… "
    assert fit("卷积算子", 6, "right") == " 卷积…"
    assert head("卷积", 3) == "卷"
    assert tail("卷积", 3) == "积"


@given(
    text=MIXED,
    width=st.integers(0, 30),
    cut=st.sampled_from(["middle", "end"]),
    align=st.sampled_from(["left", "right"]),
)
def test_fit_is_exactly_as_wide_as_asked(text: str, width: int, cut: str, align: str) -> None:
    assert cell_len(fit(text, width, align, cut)) == width  # type: ignore[arg-type]


@given(text=MIXED, width=st.integers(0, 30))
def test_cuts_keep_whole_characters_of_the_text(text: str, width: int) -> None:
    assert text.startswith(head(text, width))
    assert text.endswith(tail(text, width))
    short = cut_middle(text, width)
    if "…" in short:
        left, right = short.split("…")
        assert text.startswith(left)
        assert text.endswith(right)
    assert cells(short) <= width or short == text


def test_pad_leaves_longer_text_alone() -> None:
    assert pad("abc", 2) == "abc"
    assert pad("算", 4, "right") == "  算"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Conv_0", "Conv_0"),
        ("卷积_0", "卷积_0"),
        ("[red]Conv[/red]", "[red]Conv[/red]"),
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x9b2J", r"\x9b2J"),
        ("evil\u202etxt", r"evil\u202etxt"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("bad\udc80byte", r"bad\udc80byte"),
        ("e\u0301", r"e\u0301"),
        ("no\xa0break", "no break"),
        ("\u3000x", "  x"),
    ],
)
def test_clean_shows_what_could_do_harm(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text(max_size=40))
def test_clean_text_is_printable_has_width_and_stays_as_it_is(text: str) -> None:
    shown = clean(text)
    assert shown.isprintable()
    assert all(get_character_cell_size(char) > 0 for char in shown)
    assert clean(shown) == shown
    shown.encode("utf-8")
