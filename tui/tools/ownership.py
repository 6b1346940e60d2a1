"""Ownership and permissions, as the tools check them and as prudence asks (formats: tools 2.5, 2.10)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tui.i18n import _
from tui.model.machine import Disk
from tui.model.problem import Problem

OUTPUT_MODE = 0o750
MAX_PATH_LENGTH = 1024

FORBIDDEN_IN_PATH = frozenset("\n\f\r\b\t\v\x7f\"'\\%><|&$;`")
"""What msprof refuses in `--output`; a space is allowed."""


def unsafe_program(path: Path) -> str:
    """Why a program or script must not be run for the user, translated; empty when it may.

    It must belong to root or to the user, and nobody else may write it.
    """
    try:
        status = path.stat()
    except OSError as error:
        return _("{path} cannot be looked at: {reason}").format(path=path, reason=error.strerror or error)
    if status.st_uid not in (0, os.getuid()):
        return _("{path} belongs to another user").format(path=path)
    if status.st_mode & stat.S_IWOTH:
        return _("everybody may write {path}").format(path=path)
    return ""


def output_problems(path: str) -> Iterator[Problem]:
    """What speaks against writing results to `path`, an absolute folder that need not exist."""
    if bad := sorted(FORBIDDEN_IN_PATH.intersection(path)):
        yield _error(path, _("the output folder has a character that msprof refuses: {characters}").format(
            characters=" ".join(map(repr, bad))), _("choose another folder"))  # fmt: skip
    if len(path) > MAX_PATH_LENGTH:
        yield _error(path, _("the path of the output folder is too long"), _("at most 1024 characters"))
    folder = Path(path)
    if not folder.is_absolute():
        yield _error(path, _("the output folder is not absolute"), _("write it from / on"))
        return
    with suppress(OSError, ValueError):
        if not os.path.lexists(folder):
            yield from _parent_problems(folder)
            return
        yield from _folder_problems(folder)


def _parent_problems(folder: Path) -> Iterator[Problem]:
    parent = next(place for place in folder.parents if os.path.lexists(place))
    if not os.access(parent, os.W_OK | os.X_OK):
        hint = _("choose a folder of yours, or make it there with the right owner")
        yield _error(
            str(folder), _("it cannot be made: {parent} may not be written by you").format(parent=parent), hint
        )


def _folder_problems(folder: Path) -> Iterator[Problem]:
    status = folder.stat()
    if not stat.S_ISDIR(status.st_mode):
        yield _error(str(folder), _("the output is a file, not a folder"), _("choose a folder"))
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        yield _error(str(folder), _("the output folder may not be written by you"), _("choose a folder of yours"))
    if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        hint = _("chmod o-w {path}").format(path=folder)
        yield _error(str(folder), _("everybody may write the output folder"), hint)
    elif status.st_uid != os.getuid() and os.getuid() != 0:
        hint = _("choose a folder of yours")
        yield _warning(str(folder), _("the output folder belongs to another user"), hint)


def make_output(path: str) -> None:
    """Makes the output folder with mode 0750 where it is missing.

    Raises:
        OSError: it cannot be made.
    """
    folder = Path(path)
    if not folder.is_dir():
        folder.mkdir(mode=OUTPUT_MODE, parents=True, exist_ok=True)
        folder.chmod(OUTPUT_MODE)


def disk_at(path: str) -> Disk | None:
    """Room on the file system of `path`, or of the nearest folder above it that exists; None when that is unknown."""
    for place in (Path(path), *Path(path).parents):
        try:
            status = os.statvfs(place)
        except (OSError, ValueError):
            continue
        return Disk(str(path), status.f_bavail * status.f_frsize, status.f_blocks * status.f_frsize)
    return None


def user_problems() -> Iterator[Problem]:
    """What is to be said about the user and the device nodes."""
    if os.geteuid() == 0:
        hint = _("use an ordinary account in the group HwHiAiUser")
        yield _warning("", _("you are root: the tools warn about it"), hint)
    nodes = sorted(Path("/dev").glob("davinci[0-9]*"))
    barred = [node for node in nodes if not os.access(node, os.R_OK | os.W_OK)]
    if barred:
        hint = _("join the group HwHiAiUser, then log in again")
        yield _error(str(barred[0]), _("you may not use this NPU"), hint)


def _error(path: str, what: str, hint: str) -> Problem:
    return Problem(path, "", what, "", hint, "error")


def _warning(path: str, what: str, hint: str) -> Problem:
    return Problem(path, "", what, "", hint, "warn")
