"""The keys that zoom and pan, on every screen with a time axis."""

from __future__ import annotations

from widgets.viewport import FAST_STEP, PAN_SHARE, ZOOM_STEP


class WindowKeys:
    """Mixed into a screen, which says how it looks at another window."""

    def _zoom(self, factor: float) -> None:
        """Looks at a part that is `factor` times as large on the screen."""
        raise NotImplementedError

    def _pan(self, share: float) -> None:
        """Looks at what lies a share of the window later."""
        raise NotImplementedError

    def do_zoom_in(self) -> None:
        """Twice as large."""
        self._zoom(ZOOM_STEP)

    def do_zoom_out(self) -> None:
        """Half as large."""
        self._zoom(1 / ZOOM_STEP)

    def do_zoom_in_fast(self) -> None:
        """Four times as large."""
        self._zoom(FAST_STEP)

    def do_zoom_out_fast(self) -> None:
        """A quarter as large."""
        self._zoom(1 / FAST_STEP)

    do_bigger, do_smaller = do_zoom_in, do_zoom_out

    def do_pan_left(self) -> None:
        """To earlier times."""
        self._pan(-PAN_SHARE)

    def do_pan_right(self) -> None:
        """To later times."""
        self._pan(PAN_SHARE)

    def do_pan_left_fast(self) -> None:
        """A whole window to earlier times."""
        self._pan(-1.0)

    def do_pan_right_fast(self) -> None:
        """A whole window to later times."""
        self._pan(1.0)
