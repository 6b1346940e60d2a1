"""What every command does with its output: settings in force, data to stdout or a file, notes to stderr."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.command_line.options import typed_settings
from tui.errors import ProfileError
from tui.i18n import _, set_language

if TYPE_CHECKING:
    from tui.config import LoadedSettings, Settings
    from tui.readers.timelines import TimelineProgress
    from tui.units import GlyphSet


def settings_now() -> LoadedSettings:
    """Settings of the command line, the environment and the file, the language put in force; wrong ones are noted."""
    from tui.config import load_settings

    loaded = load_settings(typed_settings)
    set_language(None if loaded.settings.lang == "auto" else loaded.settings.lang)
    for line in loaded.problems:
        note(line)
    return loaded


def output_glyphs(settings: Settings) -> GlyphSet:
    """The character set of text output: as chosen, else by what the output can encode."""
    chosen = settings.glyphs
    if chosen == "auto":
        encoding = codecs.lookup(sys.stdout.encoding or "ascii").name
        return "blocks" if encoding.startswith("utf") else "ascii"
    return chosen  # type: ignore[return-value]


def note(text: str) -> None:
    """One line for people, beside the data."""
    from tui.model.text import shown

    if text:
        click.echo(f"npuscope: {shown(text)}", err=True)


def write(pieces: Iterable[str], output: Path | None = None, force: bool = False, bom: bool = False) -> None:
    """Writes to stdout, or to a file that must not exist yet."""
    if output is None:
        _print(pieces, bom)
        return
    with (
        _writing(output),
        open(output, "w" if force else "x", encoding="utf-8-sig" if bom else "utf-8", newline="") as file,
    ):
        file.writelines(pieces)


@contextmanager
def _writing(output: Path) -> Iterator[None]:
    """Tells what keeps a file from being written."""
    try:
        yield
    except FileExistsError:
        raise ProfileError(_("{path} exists already").format(path=output), _("--force overwrites it")) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ProfileError(_("{path} cannot be written: {reason}").format(path=output, reason=reason)) from error


def write_bytes(pieces: Iterable[bytes], output: Path, force: bool) -> None:
    """Writes a file that must not exist yet."""
    with _writing(output), open(output, "wb" if force else "xb") as file:
        file.writelines(pieces)


def _print(pieces: Iterable[str], bom: bool) -> None:
    """Writes to stdout; a reader that goes away (`| head`) ends the command quietly."""
    try:
        sys.stdout.write("\ufeff" if bom else "")
        sys.stdout.writelines(pieces)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(0) from None


def import_progress(progress: TimelineProgress) -> None:
    """How far an import is, in one line that is written over; only for people."""
    if not sys.stderr.isatty():
        return
    if progress.sorting > 0:
        text = _("sorting {share} %").format(share=f"{progress.sorting * 100:.0f}")
    else:
        share, events = f"{progress.fraction * 100:.0f}", f"{progress.events:,}".replace(",", " ")
        text = _("reading {share} %  {n} events").format(share=share, n=events)
    sys.stderr.write("\r\x1b[K" if progress.done else f"\r{text}\x1b[K")
    sys.stderr.flush()


def ended(lines: Iterable[str]) -> Iterator[str]:
    """Lines with their ends."""
    return (f"{line}\n" for line in lines)
