"""The commands `run`, `jobs` and `doctor`: the tools of CANN without a screen."""

from __future__ import annotations

import os

import click

from tui.command_line.options import Command, Option, display_options, format_option
from tui.command_line.output import ended, note, output_glyphs, settings_now, write
from tui.i18n import N_, _

_TOOLS = ("msprof", "aoe", "atc", "msame", "ais_bench", "msaccucmp")


@click.command(
    "run",
    cls=Command,
    short_help=N_("Starts msprof, aoe, atc or msame as a job that outlives the terminal."),
    help=N_(
        "Starts a tool as a job that outlives the terminal, and prints its number. What stands behind -- is given to"
        " the tool as it is. With --wait the exit code is 0: done, 1: failed or stopped, 2: not started."
    ),
)
@click.argument("tool", type=click.Choice(_TOOLS))
@click.option("--wait", "waits", cls=Option, is_flag=True, help=N_("Wait until the job is over."))
@click.option("--npu", cls=Option, type=click.IntRange(min=0), default=0, metavar="N",
              help=N_("NPU that the program under msprof uses; two jobs never share one."))  # fmt: skip
@display_options
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="-- ARGS...")
def run_command(tool: str, waits: bool, npu: int, arguments: tuple[str, ...]) -> None:
    """`npuscope run TOOL -- ARGS`."""
    from tui.i18n import current_language
    from tui.job_commands import exit_code, start_job
    from tui.job_report import result_text
    from tui.tools import jobs
    from tui.tools.locate import Search

    search = Search(settings_now().settings.tools)
    job = start_job(tool, arguments, os.getcwd(), search, note, npu, current_language())  # type: ignore[arg-type]
    write([f"{job.id}\n"])
    if not waits:
        return
    try:
        ended = jobs.wait(job.id) or job
    except KeyboardInterrupt:
        note(_("job {number} goes on - npuscope jobs {number} --stop ends it").format(number=job.id))
        raise
    note(" - ".join(filter(None, (result_text(ended), ended.hint))))
    raise click.exceptions.Exit(exit_code(ended))


@click.command(
    "jobs",
    cls=Command,
    short_help=N_("Lists the jobs, or shows, follows or stops one."),
    help=N_("Lists the jobs, newest first. With a number: all about that job, and what it left."),
)
@click.argument("number", type=click.IntRange(min=1), required=False, metavar="[ID]")
@click.option("--stop", is_flag=True, cls=Option, help=N_("End the job; asked again, with the next harder signal."))
@click.option("--follow", is_flag=True, cls=Option, help=N_("Print what the tool prints until the job is over."))
@format_option("text", "json")
@display_options
def jobs_command(number: int | None, stop: bool, follow: bool, form: str) -> None:
    """`npuscope jobs [ID]`."""
    from tui.job_commands import existing_job, followed, stopped
    from tui.job_report import detail_lines, job_object, list_lines
    from tui.model.text import json_document
    from tui.tools import jobs

    glyphs = output_glyphs(settings_now().settings)
    if number is None:
        if stop or follow:
            raise click.UsageError(_("name the job, as npuscope jobs lists them"))
        found = jobs.jobs()
        write([json_document([job_object(job) for job in found])] if form == "json" else ended(list_lines(found)))
        return
    job = stopped(number) if stop else existing_job(number)
    if follow:
        write(followed(number))
        return
    write([json_document(job_object(job))] if form == "json" else ended(detail_lines(job, glyphs)))


@click.command("doctor", cls=Command, help=N_("Looks for the tools, NPUs, permissions, disk and the terminal."))
@format_option("text", "json")
@display_options
def doctor_command(form: str) -> None:
    """`npuscope doctor`."""
    from tui.doctor import doctor_lines, doctor_object
    from tui.model.text import json_document
    from tui.tools.locate import Search
    from tui.tools.survey import machine

    settings = settings_now().settings
    found = machine(Search(settings.tools))
    write(
        [json_document(doctor_object(found))] if form == "json" else ended(doctor_lines(found, output_glyphs(settings)))
    )
