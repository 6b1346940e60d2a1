"""The cursor and the part of a long list that is in view. Numbers only, no painting."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Window:
    """A cursor in `rows` rows, of which `height` are in view from `top` on."""

    rows: int = 0
    height: int = 1
    cursor: int = 0
    top: int = 0

    @property
    def last_top(self) -> int:
        """Largest sensible `top`."""
        return max(0, self.rows - self.height)

    @property
    def end(self) -> int:
        """One past the last row in view."""
        return min(self.rows, self.top + self.height)

    def fit_to(self, rows: int, height: int) -> None:
        """Takes new sizes; the cursor stays on its row and in view."""
        self.rows, self.height = max(rows, 0), max(height, 1)
        self.cursor = max(0, min(self.cursor, self.rows - 1))
        self.top = min(self.top, self.last_top)
        self.reveal(centre=False)

    def move(self, row: int) -> None:
        """Puts the cursor on `row`; beyond the edge the view jumps by half a page, so that few keys repaint all."""
        self.cursor = max(0, min(row, self.rows - 1))
        self.reveal(centre=True)

    def page(self, step_rows: int) -> None:
        """Moves cursor and view together."""
        self.top = max(0, min(self.top + step_rows, self.last_top))
        self.cursor = max(0, min(self.cursor + step_rows, self.rows - 1))
        self.reveal(centre=False)

    def scroll(self, step_rows: int) -> None:
        """Moves the view; the cursor is only taken along where it would leave it."""
        self.top = max(0, min(self.top + step_rows, self.last_top))
        self.cursor = max(self.top, min(self.cursor, self.end - 1, self.rows - 1), 0)

    def reveal(self, centre: bool) -> None:
        """Brings the cursor into view, to the middle or just to the edge."""
        if self.top <= self.cursor < self.top + self.height:
            return
        if centre:
            top = self.cursor - self.height // 2
        else:
            top = self.cursor if self.cursor < self.top else self.cursor - self.height + 1
        self.top = max(0, min(top, self.last_top))

    def thumb(self) -> tuple[int, int]:
        """Lines of the view, from and to (exclusive), where the scroll mark stands; (0, 0) when all is in view."""
        if self.rows <= self.height:
            return 0, 0
        length = max(1, round(self.height * self.height / self.rows))
        start = round(self.top / self.last_top * (self.height - length))
        return start, start + length
