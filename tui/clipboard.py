"""Copying: the terminal's own clipboard where it listens (OSC 52), and always a file."""

from __future__ import annotations

import base64
import os
import tempfile
from pathlib import Path

OSC52_LIMIT_BYTES = 64 << 10
"""Larger texts go to the file only: terminals drop long sequences silently."""


def osc52(text: str, inside_tmux: bool) -> str:
    """The sequence that asks the terminal to take `text`, inside tmux also wrapped for it; empty when too long."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) > OSC52_LIMIT_BYTES:
        return ""
    plain = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07"
    if not inside_tmux:
        return plain
    return plain + "\x1bPtmux;" + plain.replace("\x1b", "\x1b\x1b") + "\x1b\\"


def inside_tmux() -> bool:
    """Whether the terminal is tmux."""
    return bool(os.environ.get("TMUX"))


def keep_copy(text: str, folder: Path) -> Path:
    """Writes `text` to `last-copy.txt` in `folder`, atomically and readable by the user only.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = folder / "last-copy.txt"
    handle, name = tempfile.mkstemp(dir=folder, prefix=".copy-")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    os.replace(name, target)
    return target
