"""Short questions to programs (`npu-smi info`, `--help`): with a time limit, in a process group of their own."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

LIMIT_S = 10.0
"""A driver that hangs makes its tools hang (formats: tools 6)."""

_KEPT_BYTES = 1 << 20


@dataclass(frozen=True)
class Finished:
    """How a program ended."""

    returncode: int | None
    """None when it did not start or was stopped at the time limit."""
    text: str
    """What it printed on both streams, decoded with replacement, at most 1 MiB of it."""
    missing: bool = False
    """The program does not exist or may not be executed."""
    timed_out: bool = False


def ask(argv: Sequence[str], env: Mapping[str, str] | None = None, limit_s: float = LIMIT_S) -> Finished:
    """Runs a program to its end; stdin is the null device. Whatever it started is ended with it.

    Args:
        argv: Program and arguments; no shell reads them.
        env: The whole environment; None for our own.
    """
    raw = ask_bytes(argv, env, limit_s)
    return Finished(raw.returncode, raw.output.decode("utf-8", "replace"), raw.missing, raw.timed_out)


@dataclass(frozen=True)
class RawFinished:
    """How a program ended, its output as bytes."""

    returncode: int | None
    output: bytes
    missing: bool = False
    timed_out: bool = False


def ask_bytes(argv: Sequence[str], env: Mapping[str, str] | None = None, limit_s: float = LIMIT_S) -> RawFinished:
    """Like `ask`, for output that is not text."""
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=None if env is None else dict(env),
            start_new_session=True,
        )
    except (OSError, ValueError):
        return RawFinished(None, b"", missing=True)
    try:
        output, _nothing = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        _end_group(process)
        return RawFinished(None, b"", timed_out=True)
    return RawFinished(process.returncode, output[:_KEPT_BYTES])


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends a program that we started and all of its group; one that hangs in the driver is not waited for."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdout is not None:
        process.stdout.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=1.0)
