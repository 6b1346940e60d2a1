"""Pieces become strips: exact width, few style runs, foreign text literal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from widgets.glyphs import ASCII, BLOCKS, GLYPH_SETS
from widgets.panes import Detail, chip_line, detail_lines, head_line, loading_line, sign_line, state_line, wrapped
from widgets.pieces import Piece, clip, gap, spread, target_at, width_of
from widgets.roles import Look
from widgets.theme import COLOURS_16, DARK_256, MONO

LOOK = Look()


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


@given(
    st.lists(
        st.tuples(st.text(max_size=8), st.sampled_from(["", "text", "muted", "on_mid", "high", "warn bold"])),
        max_size=8,
    ),
    st.integers(0, 60),
    st.sampled_from(sorted(GLYPH_SETS)),
)
def test_a_strip_is_exactly_as_wide_as_asked(parts: list[tuple[str, str]], width: int, glyphs: str) -> None:
    look = Look(DARK_256, GLYPH_SETS[glyphs])
    strip = look.strip([Piece(text, role) for text, role in parts], width)
    assert sum(segment.cell_length for segment in strip) == width


def test_equal_looks_share_one_run_and_blanks_join_their_neighbours() -> None:
    strip = LOOK.strip([gap(1), Piece("a", "text"), gap(2), Piece("b", "text"), gap(1), Piece("c", "muted")], 12)
    assert [segment.text for segment in strip] == [" a  b ", "c     "]


def test_blanks_beside_a_fill_are_not_filled() -> None:
    strip = LOOK.strip([Piece(" x ", "on_mid"), gap(2), Piece("y", "muted")], 8)
    assert [segment.text for segment in strip] == [" x ", "  y  "]


def test_blanks_between_fills_are_ground() -> None:
    strip = LOOK.strip([Piece("x", "on_mid"), gap(1), Piece("y", "on_mid")], 3)
    styles = [(segment.text, segment.style.bgcolor if segment.style else None) for segment in strip]
    fill, base = LOOK.style("on_mid").bgcolor, LOOK.style("").bgcolor
    assert styles == [("x", fill), (" ", base), ("y", fill)]


def test_escape_sequences_and_markup_are_shown_literally() -> None:
    strip = LOOK.strip([Piece("[red]\x1b[31mx[/]", "text")], 30)
    assert strip.text.rstrip() == r"[red]\x1b[31mx[/]"


def test_ascii_has_no_other_characters() -> None:
    assert Look(MONO, ASCII).strip([Piece("卷积 µs · 3×")], 40).text.isascii()


def test_sixteen_colours_invert_the_title() -> None:
    style = Look(COLOURS_16).style("text", "title")
    assert style.bgcolor == Look(COLOURS_16).style("current").bgcolor
    assert style.color != style.bgcolor


def test_spread_keeps_the_right_end() -> None:
    assert text_of(spread([Piece("left")], [Piece("right")], 12)) == "left   right"
    assert text_of(spread([Piece("a"), Piece("long"), Piece("tail")], [Piece("right")], 12)) == "along  right"


def test_clip_drops_whole_pieces() -> None:
    assert text_of(clip([Piece("abc"), Piece("def"), Piece("g")], 5)) == "abc"


def test_targets_by_cell() -> None:
    line = [Piece("算", "", "first"), Piece(" "), Piece("b", "", "second")]
    assert [target_at(line, x) for x in range(5)] == ["first", "first", "", "second", ""]


def test_head_line_fills_its_width_with_a_rule() -> None:
    assert text_of(head_line(LOOK, "Conv2D", [Piece("1 call")], 30)) == " Conv2D ───────────── 1 call  "
    assert text_of(head_line(LOOK, "findings", (), 20)) == " findings ──────────"
    focused = head_line(LOOK, "pipes", (), 20, focused=True)
    assert text_of(focused) == "▸ pipes ────────────"
    assert focused[1].role == "here"


@given(st.text(alphabet="ab ,;/算", max_size=60), st.integers(4, 20))
def test_wrapping_loses_nothing_but_blanks(text: str, width: int) -> None:
    lines = wrapped([Piece(text, "text")], width)
    assert all(width_of(line) <= width for line in lines)
    assert "".join(text_of(line) for line in lines).replace(" ", "") == text.replace(" ", "")


def test_details_continue_under_their_value() -> None:
    lines = detail_lines(LOOK, [Detail("Inputs", "1,3,608,608 ; 32,3,3,3"), Detail("Core", "AI_CORE")], 25)
    assert [text_of(line).rstrip() for line in lines] == [
        " Inputs   1,3,608,608 ;",
        "          32,3,3,3",
        " Core     AI_CORE",
    ]


def test_details_in_two_columns() -> None:
    rows = [Detail(f"l{at}", f"v{at}") for at in range(3)]
    lines = detail_lines(LOOK, rows, 60, second_from_cells=30)
    assert text_of(lines[0]) == " l0       v0" + " " * 18 + "l2       v2"
    assert text_of(lines[1]).rstrip() == " l1       v1"


def test_lines_that_tell_a_state() -> None:
    loading = text_of(loading_line(BLOCKS, "op_summary.csv", 0.43, ["43 %", "431 200 rows", "ETA 3 s"]))
    # 0.43 of 24 cells is 10.32: ten full ones and three eighths
    assert loading.rstrip() == " op_summary.csv   ██████████▍" + " " * 15 + "43 %  431 200 rows  ETA 3 s"
    assert text_of(chip_line("partial 43 %", "431 200 rows", "R again")) == "  partial 43 %  431 200 rows  R again"
    assert text_of(state_line("no rows match", "566 rows", "0", "clears")) == " no rows match   566 rows   0 clears"
    assert text_of(sign_line("E", "error", "a.json", "ends early")) == " E a.json  ends early"


def test_the_bar_of_a_loading_line_stands_on_a_track() -> None:
    strip = LOOK.strip(loading_line(BLOCKS, "x", 0.5, ["50 %"], bar_cells=10), 30)
    tracks = [segment.text for segment in strip if segment.style == LOOK.style("on_progress")]
    assert tracks == ["█████     "]
