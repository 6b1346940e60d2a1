"""Steps from one view of a table to the next. Pure, so that undo is a list."""

from __future__ import annotations

from dataclasses import replace

from tui.model.view import View


def keeping(view: View, key: str, text: str) -> View:
    """Only rows with this text in the column."""
    others = tuple(condition for condition in view.only if condition[0] != key)
    return replace(view, only=(*others, (key, text)))


def excluding(view: View, key: str, text: str) -> View:
    """No rows with this text in the column."""
    return view if (key, text) in view.exclude else replace(view, exclude=(*view.exclude, (key, text)))


def grouped_by(view: View, keys: tuple[str, ...]) -> View:
    """Groups by `keys`, in the default order of groups; none shows instances in their default order."""
    return replace(view, group=keys, sort=())


def is_narrowed(view: View) -> bool:
    """Whether rows are left out."""
    return bool(view.filter or view.only or view.exclude)
