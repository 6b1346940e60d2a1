"""Arithmetic of time windows: exact, in bounds, and steady about the cursor."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from widgets.viewport import Span

WHOLE = Span(1_700_000_000_000_000_000, 1_700_000_000_214_600_000)
SHARES = st.floats(0.01, 2.0) | st.floats(-2.0, -0.01)


@st.composite
def windows(draw: st.DrawFn) -> Span:
    start = draw(st.integers(WHOLE.start_ns, WHOLE.end_ns - 1))
    return Span(start, draw(st.integers(start + 1, WHOLE.end_ns)))


def test_a_span_is_never_empty() -> None:
    assert Span(5, 5) == Span(5, 6)
    assert Span(5, 3).length_ns == 1


def test_zoom_keeps_the_time_under_the_cursor_in_place() -> None:
    window = Span(0, 1000).zoomed(2.0, 250, Span(0, 1000))
    assert window == Span(125, 625)
    assert window.zoomed(0.5, 250, Span(0, 1000)) == Span(0, 1000)


@given(windows(), st.floats(1.1, 8.0), st.data())
def test_zooming_in_keeps_the_column_of_the_cursor(window: Span, factor: float, data: st.DataObject) -> None:
    about = data.draw(st.integers(window.start_ns, window.end_ns - 1))
    zoomed = window.zoomed(factor, about, WHOLE)
    assert about in zoomed or zoomed.end_ns == about
    assert abs(zoomed.column(about, 100) - window.column(about, 100)) <= 1 + 100 // zoomed.length_ns


@given(windows(), st.floats(0.1, 8.0), st.integers(0, 2**62))
def test_every_step_stays_inside(window: Span, factor: float, about: int) -> None:
    for after in (window.zoomed(factor, about, WHOLE), window.panned(factor, WHOLE), window.fitted(WHOLE)):
        assert WHOLE.covers(after)
        assert after.length_ns >= 1


@given(windows())
def test_zooming_out_reaches_everything_and_zooming_in_one_nanosecond(window: Span) -> None:
    wide = narrow = window
    for _step in range(70):
        wide, narrow = wide.zoomed(0.5, wide.middle_ns, WHOLE), narrow.zoomed(2.0, narrow.middle_ns, WHOLE)
    assert wide == WHOLE
    assert narrow.length_ns == 1


@given(windows(), SHARES)
def test_panning_keeps_the_length(window: Span, share: float) -> None:
    assert window.panned(share, WHOLE).length_ns == window.length_ns


def test_panning_moves_by_a_share_and_stops_at_the_ends() -> None:
    assert Span(100, 200).panned(0.25, Span(0, 1000)) == Span(125, 225)
    assert Span(100, 200).panned(-0.25, Span(0, 1000)) == Span(75, 175)
    assert Span(100, 200).panned(-4.0, Span(0, 1000)) == Span(0, 100)
    assert Span(5, 6).panned(0.25, Span(0, 1000)) == Span(6, 7)


def test_fitting_leaves_a_margin_at_both_sides() -> None:
    assert Span(160, 320).fitted(Span(0, 1000)) == Span(150, 330)
    assert Span(0, 1000).fitted(Span(0, 1000)) == Span(0, 1000)


@given(windows(), windows())
def test_showing_brings_a_short_target_in(window: Span, target: Span) -> None:
    assume(target.length_ns <= window.length_ns // 2)
    shown = window.showing(target, WHOLE)
    assert shown.covers(target)
    assert shown.length_ns == window.length_ns
    assert shown == window or not window.covers(target)


def test_showing_a_longer_target_shows_its_start() -> None:
    whole = Span(0, 10_000)
    assert Span(0, 100).showing(Span(2000, 9000), whole) == Span(1975, 2075)
    assert Span(3000, 3100).showing(Span(2000, 9000), whole) == Span(3000, 3100)


def test_columns_and_times_agree() -> None:
    window = Span(1000, 2000)
    assert [window.column(time, 10) for time in (999, 1000, 1099, 1100, 1999, 2000)] == [-1, 0, 0, 1, 9, 10]
    assert [window.time_at(column, 10) for column in (0, 1, 10)] == [1000, 1100, 2000]
    assert Span(0, 3).time_at(2, 100) == 0
