"""What the commands `run` and `jobs` do: start a job, follow it, stop it, tell what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from tui.errors import NotStarted, ProfileError
from tui.i18n import _, ngettext
from tui.model.jobs import Job, ToolName
from tui.model.text import shown
from tui.tools import jobs
from tui.tools.following import Following
from tui.tools.launching import command_for, located, surroundings
from tui.tools.locate import Search
from tui.tools.preflight import problems_of
from tui.tools.problems import errors, sentence
from tui.tools.processes import host_name

_LOOK_S = 0.1
_STOP_S = 10.0
_BLOCK_LINES = 2000


def start_job(
    tool: ToolName, arguments: Sequence[str], cwd: str, search: Search, note: Callable[[str], None], device: int = 0,
    language: str = "",
) -> Job:  # fmt: skip
    """Starts a tool with the words that were typed; says what is doubtful about them.

    Args:
        note: Takes a line for people.

    Raises:
        NotStarted: the tool is missing, or would refuse these words.
    """
    found = located(tool, search)
    command = command_for(tool, arguments, cwd, found, device)
    problems = problems_of(command, surroundings(search, found=found))
    for problem in problems:
        note(sentence(problem))
    wrong = len(errors(problems))
    if wrong:
        message = ngettext(
            "{tool} is not started: {count} thing is wrong", "{tool} is not started: {count} things are wrong", wrong
        )
        raise NotStarted(message.format(tool=tool, count=wrong))
    return jobs.start(command, language)


def existing_job(number: int) -> Job:
    """A job by its number.

    Raises:
        ProfileError: there is none.
    """
    job = jobs.find(number)
    if job is None:
        raise ProfileError(_("there is no job {number}").format(number=number), _("npuscope jobs lists them"))
    return job


def exit_code(job: Job) -> int:
    """0 for a job that is done, 1 for one that failed, was stopped or lost."""
    return 0 if job.state == "done" else 1


def stopped(number: int) -> Job:
    """Asks a job to end and waits a little for it.

    Raises:
        ProfileError: there is none, or it runs on another machine.
    """
    job = existing_job(number)
    if not (job.is_live or job.left_behind):
        raise ProfileError(_("job {number} is over already").format(number=number))
    asked = jobs.stop(number)
    if asked is not None and asked.is_live and asked.host != host_name():
        raise ProfileError(_("job {number} runs on {host}").format(number=number, host=job.host), _("stop it there"))
    return jobs.wait(number, _STOP_S) or job


def followed(number: int) -> Iterator[str]:
    """The log of a job as it grows, escaped, until the job is over. A line that is not finished is not printed yet."""
    following = Following(existing_job(number))
    printed = 0
    while True:
        is_live = following.look().job.is_live
        while following.log.poll():
            pass
        end = following.log.line_count if not is_live else following.log.finished_count
        while printed < end:
            block = following.log.lines(printed, min(_BLOCK_LINES, end - printed))
            if not block:
                break
            yield from (f"{shown(line.text)}\n" for line in block)
            printed += len(block)
        if not is_live:
            return
        time.sleep(_LOOK_S)
