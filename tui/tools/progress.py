"""How far a running tool is, recognised from what it prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tui.i18n import N_
from tui.model.jobs import Progress, Purpose, ToolName
from tui.tools.consoles import gain_pct, inference_ms

STEP_NAMES: Mapping[str, str] = {
    "collect": N_("collect"),
    "parse": N_("parse"),
    "export": N_("export"),
    "query": N_("query"),
    "tune": N_("tune"),
    "build": N_("build"),
    "run": N_("run"),
    "compare": N_("compare"),
    "done": N_("done"),
}
"""What people read, by the id of a step."""

_COLLECTED = ("collect", "parse", "export", "query", "done")
_STEPS: Mapping[Purpose, tuple[str, ...]] = {
    "collect": _COLLECTED,
    "system": _COLLECTED,
    "dynamic": ("collect", "done"),
    "export": ("parse", "export", "query", "done"),
    "parse": ("parse", "done"),
    "query": ("query", "done"),
    "analyze": ("parse", "done"),
    "tune": ("tune", "done"),
    "build": ("build", "done"),
    "infer": ("run", "done"),
    "compare": ("compare", "done"),
}

_MSPROF_STEPS = (
    ("parse", re.compile(r"Start export data in PROF|Start (?:analyzing|parse) data")),
    (
        "export",
        re.compile(r"All collected data will be exported|Start export(?:ing)? (?:timeline|summary)|Export all data"),
    ),
    ("query", re.compile(r"Start query data")),
    ("done", re.compile(r"Profiling finished\.|Process profiling data complete")),
)
_DONE: Mapping[str, re.Pattern[str]] = {
    "aoe": re.compile(r"Aoe process finished"),
    "atc": re.compile(r"ATC run success"),
    "msame": re.compile(r"Execute sample success"),
    "ais_bench": re.compile(r"NPU_compute_time"),
}
_SHARE = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d+)?)\s?%")


WANTED = re.compile(
    rb"%|PROF|Profiling|Start |Export|exported|finished|run success|sample success|NPU_compute|Inference time"
)
"""Lines that `ProgressReader.feed` can learn something from."""


class ProgressReader:
    """Fed with the lines of a log, knows how far the tool is."""

    def __init__(self, tool: ToolName, purpose: Purpose) -> None:
        self._tool = tool
        steps = _STEPS[purpose]
        self.progress = Progress(step=steps[0], steps=steps)

    def feed(self, line: str) -> None:
        """Takes one line, finished or not."""
        if self._tool == "msprof":
            self._msprof(line)
        elif (done := _DONE.get(self._tool)) is not None and done.search(line):
            self.progress = replace(self.progress, step="done", share_pct=None)
        elif (gain := gain_pct(line)) is not None:
            self.progress = replace(self.progress, gain_pct=gain, share_pct=None)
        elif (time_ms := inference_ms(line)) is not None:
            self.progress = replace(self.progress, device_ms=time_ms)
        elif match := _SHARE.search(line):
            self.progress = replace(self.progress, share_pct=min(100.0, float(match.group(1))))

    def _msprof(self, line: str) -> None:
        """A step never goes back: host and devices are parsed one after the other, exports come twice."""
        steps = self.progress.steps
        for step, pattern in _MSPROF_STEPS:
            if step in steps and pattern.search(line) and steps.index(step) > steps.index(self.progress.step):
                self.progress = replace(self.progress, step=step)
