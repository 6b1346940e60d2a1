"""One job per NPU at a time: a lock file per device, held by the supervisor and by the tool as long as they live."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from tui.config import make_private_dir, state_dir


def _file(device: int) -> Path:
    return make_private_dir(make_private_dir(state_dir()) / "devices") / f"{device}.lock"


def take(devices: Sequence[int]) -> list[int] | None:
    """Locks all of these devices or none; None when a job has one of them.

    Returns:
        File descriptors; closing the last copy of one, in this process and those that inherited it, gives it back.

    Raises:
        OSError: the lock files cannot be made.
    """
    taken: list[int] = []
    for device in sorted(set(devices)):
        descriptor = os.open(_file(device), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        taken.append(descriptor)
        if not _is_locked(descriptor):
            give_back(taken)
            return None
    return taken


def _is_locked(descriptor: int) -> bool:
    """Locks; False when somebody else has the lock. A file system without locks protects nobody, but stops nobody."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def give_back(descriptors: Iterable[int]) -> None:
    """Unlocks devices."""
    for descriptor in descriptors:
        os.close(descriptor)


def busy(devices: Iterable[int]) -> list[int]:
    """Devices that a job of this user has now."""
    found: list[int] = []
    for device in sorted(set(devices)):
        with suppress(OSError):
            taken = take((device,))
            if taken is None:
                found.append(device)
            else:
                give_back(taken)
    return found
