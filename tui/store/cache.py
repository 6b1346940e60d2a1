"""Where stores are kept: named by what they were made from, capped in size, removed only as a whole and only unused.

A store is written in a folder of its own under a temporary name and renamed when it is finished, so that a crash leaves
either a whole store or none. Whoever has it open holds its lock file shared; only one who gets it alone may remove it.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from tui.config import cache_dir, make_private_dir
from tui.store.columns import HEADER, LOCK

DEFAULT_CAP_BYTES = 4 << 30

_UNFINISHED = ".new-"
_DOOMED = ".old-"
_MOST_ATTEMPTS = 8

_locks: dict[str, int] = {}
"""Lock file descriptors of the stores that this process has open, by folder."""


def stamp(path: Path) -> tuple[str, int, int, int]:
    """Identity of a source file: absolute path, size in bytes, mtime in ns, inode.

    Raises:
        OSError: the file cannot be looked at.
    """
    status = path.stat()
    return os.path.abspath(path), status.st_size, status.st_mtime_ns, status.st_ino


def key_of(*facts: object) -> str:
    """Name of a store from JSON-able facts about what it was made from and by which version of which reader."""
    text = json.dumps(facts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:40]


def find(key: str) -> Path | None:
    """The finished store of that key, now locked by this process; None when there is none."""
    folder = cache_dir() / "tables" / key
    try:
        if not (folder / HEADER).is_file():
            return None
        hold(folder)
        os.utime(folder / LOCK)
        return folder
    except OSError:
        return None


def hold(folder: Path) -> None:
    """Keeps the store from being removed for the rest of this process.

    Raises:
        OSError: the store is gone, or is being removed.
    """
    if str(folder) in _locks:
        return
    descriptor = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.stat(folder / LOCK)
    except OSError:
        os.close(descriptor)
        raise
    if not _locks:
        atexit.register(release_all)
    _locks[str(folder)] = descriptor


def new_folders() -> Iterator[Path]:
    """Empty private folders to write a store into, best place first; take the next one when writing fails.

    The cache, then a private temporary folder, then memory. Folders outside the cache are not found again.
    """
    for base in _bases():
        with suppress(OSError):
            yield _new_folder(base)


def _bases() -> Iterator[Path]:
    with suppress(OSError):
        yield make_private_dir(make_private_dir(cache_dir()) / "tables")
    for base in (tempfile.gettempdir(), "/dev/shm"):
        with suppress(OSError):
            yield make_private_dir(Path(base) / f"npuscope-{os.getuid()}")


def _new_folder(base: Path) -> Path:
    status = base.lstat()
    if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode):
        raise PermissionError(f"{base} belongs to another user")
    for _attempt in range(_MOST_ATTEMPTS - 1):
        # another process that clears up after crashes may take a folder that is not locked yet for a leftover
        with suppress(BlockingIOError, FileNotFoundError):
            return _held_folder(base)
    return _held_folder(base)


def _held_folder(base: Path) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=base))
    hold(folder)
    return folder


def keep(folder: Path, key: str, cap_bytes: int = DEFAULT_CAP_BYTES) -> Path:
    """Gives a finished store its name in the cache and makes room for it. Returns where the store is now.

    A store outside the cache, or one that another process finished first, stays where it is; so does everything when
    the cap is 0, which keeps nothing between runs.
    """
    target = folder.parent / key
    if folder.parent != cache_dir() / "tables" or cap_bytes <= 0 or target.exists():
        return folder
    try:
        os.rename(folder, target)
    except OSError:
        return folder
    _locks[str(target)] = _locks.pop(str(folder), -1)
    shrink(cap_bytes)
    return target


def discard(folder: Path) -> None:
    """Removes a store that is of no use any more; maps of it stay valid."""
    descriptor = _locks.pop(str(folder), -1)
    if descriptor >= 0:
        os.close(descriptor)
    shutil.rmtree(folder, ignore_errors=True)


def release(folder: Path) -> None:
    """Gives the lock of a store back; one that has no name in the cache is removed."""
    if folder.name.startswith(_UNFINISHED):
        discard(folder)
        return
    descriptor = _locks.pop(str(folder), -1)
    if descriptor >= 0:
        os.close(descriptor)


def release_all() -> None:
    """Gives all locks back, at the end of the process."""
    for folder in list(_locks):
        release(Path(folder))


def shrink(cap_bytes: int) -> list[Path]:
    """Removes the stores used longest ago until the rest fits, and what crashes left. Returns what was removed."""
    base = cache_dir() / "tables"
    removed = [folder for folder in _entries(base) if folder.name.startswith(".") and _remove_unused(folder)]
    stores = sorted(
        (folder for folder in _entries(base) if not folder.name.startswith(".")), key=_last_use, reverse=True
    )
    total = 0
    for folder in stores:
        total += _size(folder)
        if total > cap_bytes and _remove_unused(folder):
            removed.append(folder)
    return removed


def _entries(base: Path) -> Sequence[Path]:
    with suppress(OSError):
        return [Path(entry.path) for entry in os.scandir(base) if entry.is_dir(follow_symlinks=False)]
    return []


def _last_use(folder: Path) -> float:
    with suppress(OSError):
        return (folder / LOCK).stat().st_mtime
    return 0.0


def _size(folder: Path) -> int:
    with suppress(OSError):
        return sum(entry.stat().st_size for entry in os.scandir(folder))
    return 0


def _remove_unused(folder: Path) -> bool:
    """Removes the store unless somebody has it open; renamed first, so that nobody finds half of it."""
    if str(folder) in _locks:
        return False
    try:
        descriptor = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC | os.O_CREAT, 0o600)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        doomed = folder.with_name(f"{_DOOMED}{folder.name.lstrip('.')}")
        os.rename(folder, doomed)
        shutil.rmtree(doomed, ignore_errors=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
