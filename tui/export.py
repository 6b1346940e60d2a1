"""Writing a view to a file: whole or not at all, with what it came from in a file beside it."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tui import __version__
from tui.i18n import _


def write_table(path: Path, pieces: Iterable[str], command: str) -> None:
    """Writes `pieces` to `path`, and `path`.meta.json with the command that prints the same rows.

    Raises:
        OSError: the folder cannot be written to; nothing is left behind then.
    """
    write_whole(path, pieces)
    origin = {"program": f"npuscope {__version__}", "command": command}
    write_whole(path.with_name(path.name + ".meta.json"), [json.dumps(origin, ensure_ascii=False, indent=1), "\n"])


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Writes a text file under a temporary name and renames it last.

    Raises:
        OSError: it cannot be written, or is no regular file; nothing is left behind then.
    """
    write_bytes_whole(path, (piece.encode("utf-8", "backslashreplace") for piece in pieces))


def write_bytes_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """The same with bytes.

    Raises:
        OSError: it cannot be written, or is no regular file; nothing is left behind then.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, _("not a regular file"))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
