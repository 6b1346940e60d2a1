"""AO: what tuning runs left."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from tui.findings.commands import tune
from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import pct, whole
from tui.i18n import N_, _
from tui.model.finding import Command, Evidence
from tui.model.tuning import TuningResult

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_OPERATORS, _SUBGRAPHS = "2", "1"


def _results(facts: Facts) -> Sequence[TuningResult]:
    """Reports of tuning runs.

    Raises:
        InputMissing: none are known.
    """
    if facts.tuning is None or not facts.tuning.results:
        raise InputMissing(_("no result of a tuning run"), "aoe --job_type=1")
    return facts.tuning.results


def _claimed_pct(result: TuningResult) -> float | None:
    """The improvement of the model: by its own times, else as the tool claims it; None when neither is known."""
    if result.model_gain_pct is not None:
        return result.model_gain_pct
    found = _NUMBER.search(result.claimed)
    return float(found[0]) if found else None


def _no_gain(facts: Facts, limits: Limits) -> Draft | None:
    gains = [(result, _claimed_pct(result)) for result in _results(facts)]
    poor = [(result, gain) for result, gain in gains if gain is None or gain < limits["gain_pct"]]
    if len(poor) < len(gains):
        return None
    result, gain = poor[0]
    title = _("the tuning run brought no real gain")
    said = pct(gain) if gain is not None else _("no improvement is reported")
    measured = _("{name}: {gain} < {limit} %").format(
        name=result.name or result.path, gain=said, limit=limits.text("gain_pct")
    )
    evidence = [Evidence(entry.name or entry.path, (("gain_pct", value if value is not None else math.nan),))
                for entry, value in poor[:20]]  # fmt: skip
    return Draft(title, measured, severity="info", evidence=evidence, total=len(poor))


def _noise(facts: Facts, limits: Limits) -> Draft | None:
    known = [op for result in _results(facts) for op in result.ops if not math.isnan(op.gain_pct)]
    if not known:
        raise InputMissing(_("the results tell no times of operators"))
    noise = [
        op for op in known
        if op.gain_pct < limits["gain_pct"] or (op.share_pct is not None and op.share_pct < limits["model_pct"])
    ]  # fmt: skip
    if not noise:
        return None
    first = min(noise, key=lambda op: abs(op.gain_pct))
    title = _("{count} of {all} tuned operators gained no more than noise").format(
        count=whole(len(noise)), all=whole(len(known))
    )
    text = _("{name}: {before} → {after}, {gain} < {limit} % of the operator or the model")
    measured = text.format(name=first.name, before=f"{first.before:.3f}", after=f"{first.after:.3f}",
                           gain=f"{first.gain_pct:.2f} %", limit=limits.text("gain_pct"))  # fmt: skip
    evidence = [Evidence(op.name, (("gain_pct", op.gain_pct), ("before", op.before), ("after", op.after)))
                for op in noise[:20]]  # fmt: skip
    return Draft(title, measured, severity="info", evidence=evidence, total=len(noise))


def _order(facts: Facts, _limits: Limits) -> Draft | None:
    order = facts.job_order
    if not order:
        raise InputMissing(_("no tuning runs are known"), "aoe --job_type=1")
    if _OPERATORS not in order:
        return None
    first = order.index(_OPERATORS)
    if _SUBGRAPHS in order[:first]:
        return None
    measured = _("job types in order: {order}").format(order=", ".join(order))
    title = _("operators were tuned before subgraphs")
    return Draft(title, measured, severity="warn", command=tune(facts.profile, 1))


def _bank_unused(facts: Facts, _limits: Limits) -> Draft | None:
    _results(facts)
    if facts.variables is None:
        raise InputMissing(_("the environment of the run was not recorded (profiler_metadata.json)"))
    if facts.variables.get("TUNE_BANK_PATH"):
        return None
    title = _("the run did not use the tuning result")
    command = Command("export", (f"TUNE_BANK_PATH={Path.home()}/Ascend/latest/data/aoe/custom",))
    return Draft(title, _("TUNE_BANK_PATH is unset"), severity="warn", command=command, confidence="likely",
                 why=_("a tuned model or the default bank need no variable"))  # fmt: skip


RULES = (
    Rule("AO01", N_("gain of the tuning"), _no_gain, source="S, N", next_key="8",
         means=N_("The tool found nothing better than what it started from."),
         advice=N_("Do not run the same job type again; look at the CO and HO findings."),
         fires=N_("no improvement is reported, or one below {gain_pct} %")),
    Rule("AO02", N_("gain per operator"), _noise, source="S, N", next_key="8",
         means=N_("Such differences are noise."),
         advice=N_("Judge by the whole model, measured again."),
         fires=N_("the gain is below {gain_pct} % of the operator, or saves below {model_pct} % of the model")),
    Rule("AO03", N_("order of tuning"), _order, source="S", next_key="exclamation_mark",
         means=N_("Subgraph tuning sets the final shapes that operator tuning works on."),
         advice=N_("Run job type 1 first, then job type 2."),
         fires=N_("operator tuning ran without subgraph tuning before it")),
    Rule("AO04", N_("tuning result in use"), _bank_unused, source="S", next_key="8",
         means=N_("Without the path of the bank the tuned kernels are not found."),
         advice=N_("Set the path before the next inference run, or convert the model again."),
         fires=N_("the path of the tuned repository is unset in the environment of the run")),
)  # fmt: skip
