"""Options that several commands share; their help is looked up when it is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tui.i18n import N_, _, set_language

_COLORS = ("auto", "256", "16", "mono")
_GLYPHS = ("auto", "blocks", "braille", "ascii")
_LANGUAGES = ("auto", "en", "zh")

Function = TypeVar("Function", bound=Callable[..., Any])


class Option(click.Option):
    """An option whose help is looked up when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and its help, in the language in force now."""
        untranslated = self.help
        self.help = _(untranslated) if untranslated else untranslated
        try:
            return super().get_help_record(ctx)
        finally:
            self.help = untranslated


class Command(click.Command):
    """A command whose help is looked up when it is shown."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the help, in the language in force now."""
        _write_help(self.help, formatter)

    def get_short_help_str(self, limit: int = 45) -> str:
        """Its line in the list of commands."""
        text = self.short_help or self.help
        return _(text) if text else ""


class Commands(click.Group):
    """A group whose first word is a command or, if there is none of that name, a path, which `opening` takes."""

    opening: click.Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names, else the one that opens a path."""
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "open", self.opening, args

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the help, in the language in force now."""
        _write_help(self.help, formatter)


def _write_help(text: str | None, formatter: click.HelpFormatter) -> None:
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(_(text) if text else "")


def _typed(_context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Remembers a display option for the settings; the language is in force from here on."""
    if value is not None and parameter.name:
        typed_settings[parameter.name] = value
        if parameter.name == "lang":
            set_language(None if value == "auto" else value)
    return value


typed_settings: dict[str, str] = {}


def display_options(function: Function) -> Function:
    """`--lang`, `--colors` and `--glyphs`, before or after the path."""
    for name, choices, text in (
        ("--glyphs", _GLYPHS, N_("Character set of screens and text output.")),
        ("--colors", _COLORS, N_("Colours of the viewer.")),
        ("--lang", _LANGUAGES, N_("Language of texts.")),
    ):
        function = click.option(
            name,
            cls=Option,
            type=click.Choice(choices),
            callback=_typed,
            expose_value=False,
            is_eager=name == "--lang",
            help=text,
        )(function)
    return function


def output_options(function: Function) -> Function:
    """`-o FILE` and `--force`."""
    force = click.option("--force", cls=Option, is_flag=True, help=N_("Overwrite the output file."))
    path = click.Path(path_type=Path)
    output = click.option("-o", "--output", cls=Option, type=path, help=N_("Write to this file, not to the terminal."))
    return output(force(function))


def scope_options(function: Function) -> Function:
    """`--device`, `--iter` and `--window`, gathered as `scope`."""
    for name, metavar, text in (
        (
            "--window",
            "FROM..TO",
            N_("Read only this part of the time of the timeline, such as 2s..3s; @ for absolute ns."),
        ),
        ("--iter", "N|FROM..TO", N_("Only these iterations, such as 3, 2.. or 2..5.")),
        ("--device", "ID", N_("Only this device.")),
    ):
        function = click.option(name, cls=Option, default="", metavar=metavar, help=text)(function)
    return function


def other_scope_options(function: Function) -> Function:
    """`--device-a`, `--iter-a` and `--window-a`: what of the baseline is looked at; None where it is as of B."""
    for name, metavar in (("--window-a", "FROM..TO"), ("--iter-a", "N|FROM..TO"), ("--device-a", "ID")):
        text = N_("The same of the baseline A alone; an empty text takes all of it.")
        function = click.option(name, cls=Option, default=None, metavar=metavar, help=text)(function)
    return function


def row_options(function: Function) -> Function:
    """`--filter`, `--sort` and `--limit`."""
    limit = click.option("--limit", cls=Option, type=click.IntRange(min=0), help=N_("At most so many rows."))
    sort = click.option("--sort", cls=Option, default="", metavar="COLUMNS", help=N_('Order, as in "dur desc, name".'))
    text = click.option("--filter", "filter_", cls=Option, default="", metavar="EXPR", help=N_("Only rows that match."))
    return text(sort(limit(function)))


def format_option(*forms: str) -> Callable[[Function], Function]:
    """`--format`, the first form being the default."""
    choice = click.Choice(forms)
    return click.option("--format", "form", cls=Option, type=choice, default=forms[0], help=N_("Form of the output."))
