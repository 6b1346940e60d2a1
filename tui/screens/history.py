"""Undo and redo of view steps."""

from __future__ import annotations

from typing import Generic, TypeVar

Step = TypeVar("Step")

LIMIT = 200
"""Steps kept; older ones are forgotten."""


class History(Generic[Step]):
    """The current step of a screen, and the ones before and after it."""

    def __init__(self, first: Step) -> None:
        self.current = first
        self._past: list[Step] = []
        self._future: list[Step] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is a step before the current one."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether an undone step can come back."""
        return bool(self._future)

    def push(self, step: Step) -> None:
        """Makes `step` the current one; what was undone before is forgotten."""
        self._past.append(self.current)
        del self._past[:-LIMIT]
        self._future.clear()
        self.current = step

    def replace(self, step: Step) -> None:
        """Changes the current step without adding one, as when the cursor moves."""
        self.current = step

    def undo(self) -> Step:
        """Goes one step back, if there is one."""
        if self._past:
            self._future.append(self.current)
            self.current = self._past.pop()
        return self.current

    def redo(self) -> Step:
        """Brings the step back that was undone last, if there is one."""
        if self._future:
            self._past.append(self.current)
            self.current = self._future.pop()
        return self.current
