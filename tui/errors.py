"""The exception tree of npuscope.

ProfileError                anything wrong with what the user pointed us at; exit code 2
  NotAProfile               nothing readable at the path
  NoSuchTable               the profile has no table of that kind
  BadExpression             a filter, sort or column expression that cannot be read
  NotStarted                a tool could not be started
  Cancelled                 the user stopped the work; exit code 130
Damaged files are not exceptions: readers return `Problem`s beside what was readable.
"""

from __future__ import annotations


class ProfileError(Exception):
    """Anything wrong with what the user pointed us at.

    Args:
        message: One sentence: what is wrong, and where.
        hint: What to try next; may be empty.
    """

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NotAProfile(ProfileError):
    """Nothing at the path can be read as a profile."""


class NoSuchTable(ProfileError):
    """The profile holds no table of the wanted kind."""


class BadExpression(ProfileError):
    """A filter, sort or column expression that cannot be read.

    Args:
        position: Index of the first offending character in the expression.
    """

    def __init__(self, message: str, hint: str = "", position: int = 0) -> None:
        super().__init__(message, hint)
        self.position = position


class Cancelled(ProfileError):
    """The user stopped the work."""

    exit_code = 130


class NotStarted(ProfileError):
    """A tool could not be started, or must not be started as asked."""
