"""AC: operator dumps that were compared. Times play no part here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.wording import listed, tensors, whole
from tui.i18n import N_, _
from tui.model.dump import AGREEING, DIVERGING, FP16_MAX, DumpComparison, PairRow
from tui.model.finding import Evidence


def _dumps(facts: Facts) -> DumpComparison:
    """The comparison of dumps.

    Raises:
        InputMissing: none is open.
    """
    if facts.dumps is None:
        raise InputMissing(_("no dumps are open"), "npuscope dump A B")
    return facts.dumps


def _evidence(row: PairRow, *figures: tuple[str, float | str]) -> Evidence:
    return Evidence(f"{row.op_name} {row.tensor}".strip(), (*figures, ("verdict", row.verdict)), "dump")


def _draft(
    title: str, measured: str, rows: Sequence[PairRow], figure: Callable[[PairRow], tuple[str, float]], severity: str
) -> Draft:
    evidence = [_evidence(row, figure(row)) for row in rows[:20]]
    return Draft(title, measured, severity=severity, evidence=evidence, total=len(rows))  # type: ignore[arg-type]


def _cosine(row: PairRow) -> tuple[str, float]:
    return "cosine", float("nan") if row.cosine is None else row.cosine


def _low_cosine(facts: Facts, limits: Limits) -> Draft | None:
    known = [row for row in _dumps(facts).rows if row.cosine is not None and row.verdict != "tiny"]
    bad = sorted((row for row in known if (row.cosine or 0.0) < limits["cosine"]), key=lambda row: row.cosine or 0.0)
    amber = [row for row in known if limits["cosine"] <= (row.cosine or 0.0) < limits["amber"]]
    if not bad and not amber:
        return None
    worst = (bad or amber)[0]
    title = _("cosine below {limit}: {bad}, below {second}: {amber}").format(
        bad=tensors(len(bad)), amber=tensors(len(amber)), limit=limits.text("cosine"), second=limits.text("amber")
    )
    measured = _("{name}: cosine {cosine} < {limit}").format(
        name=_evidence(worst).text, cosine=f"{worst.cosine:.4f}", limit=limits.text("cosine" if bad else "amber")
    )
    return _draft(title, measured, [*bad, *amber], _cosine, "high" if bad else "low")


_METRICS = (
    ("relative_euclidean_distance", "relative_euclidean"), ("kl_divergence", "kl_divergence"), ("rmse", "rmse"),
    ("mean_relative_error", "mean_relative"),
)  # fmt: skip


def _other_metrics(facts: Facts, limits: Limits) -> Draft | None:
    found: list[tuple[PairRow, str, float, str]] = []
    for row in _dumps(facts).rows:
        for key, name in _METRICS if row.metrics is not None and row.verdict != "tiny" else ():
            value = float(getattr(row.metrics, key))
            if value >= limits[name]:
                found.append((row, key, value, name))
                break
    if not found:
        return None
    row, key, value, name = found[0]
    title = _("differing by other metrics: {tensors}").format(tensors=tensors(len(found)))
    measured = f"{_evidence(row).text}: {key} {value:.4g} ≥ {limits.text(name)}"
    evidence = [_evidence(entry[0], (entry[1], entry[2])) for entry in found[:20]]
    return Draft(title, measured, severity="medium", evidence=evidence, total=len(found))


def _overflow(facts: Facts, _limits: Limits) -> Draft | None:
    halves = [row for row in _dumps(facts).rows if row.counted and row.a is not None and _is_half(row.a.dtype)]
    over = [row for row in halves if row.a and (row.a.nan or row.a.inf or (row.a.saturated and _is_beyond(row)))]
    limit = [row for row in halves if row.a and row.a.saturated and row not in over]
    if not over and not limit:
        return None
    row = (over or limit)[0]
    a, b = row.a, row.b
    text = _("{name}: {nan} NaN, {inf} Inf, {saturated} at ±65504; other side up to {beyond}")
    measured = text.format(
        name=_evidence(row).text, nan=a.nan if a else 0, inf=a.inf if a else 0, saturated=a.saturated if a else 0,
        beyond=f"{b.max_abs:g}" if b else "–",
    )  # fmt: skip
    title = (
        _("overflow of float16: {tensors}").format(tensors=tensors(len(over)))
        if over
        else _("at the limit of float16: {tensors}").format(tensors=tensors(len(limit)))
    )
    return _draft(title, measured, over or limit, _saturated, "high" if over else "info")


def _saturated(row: PairRow) -> tuple[str, float]:
    return "saturated_a", float(row.a.saturated + row.a.inf + row.a.nan) if row.a else 0.0


def _is_half(dtype: str) -> bool:
    return dtype.lower() in ("float16", "half", "fp16")


def _is_beyond(row: PairRow) -> bool:
    """Whether the other side goes beyond the range of float16."""
    return row.b is not None and (row.b.max_abs > FP16_MAX or row.b.inf > 0 or row.b.beyond_fp16 > 0)


def _predicted(facts: Facts, limits: Limits) -> Draft | None:
    singles = [
        row for row in _dumps(facts).rows
        if row.b is not None and row.b.dtype.lower() in ("float32", "float", "fp32", "float64", "double")
    ]  # fmt: skip
    if not singles:
        raise InputMissing(_("no float32 side"))
    beyond = [row for row in singles if row.b and row.b.max_abs > limits["max_abs"]]
    near = [row for row in singles if row.b and limits["headroom"] < row.b.max_abs <= limits["max_abs"]]
    if not beyond and not near:
        return None
    chosen = sorted(beyond or near, key=lambda row: -(row.b.max_abs if row.b else 0.0))
    worst = chosen[0].b
    title = (
        _("too large for float16: {tensors}").format(tensors=tensors(len(beyond)))
        if beyond
        else _("above half of the range of float16: {tensors}").format(tensors=tensors(len(near)))
    )
    measured = _("{name}: |x| up to {value} > {limit}").format(
        name=_evidence(chosen[0]).text, value=f"{worst.max_abs:g}" if worst else "–",
        limit=limits.text("max_abs" if beyond else "headroom"),
    )  # fmt: skip
    return _draft(title, measured, chosen, _max_abs, "high" if beyond else "low")


def _max_abs(row: PairRow) -> tuple[str, float]:
    return "max_abs_b", row.b.max_abs if row.b else float("nan")


def _first_divergence(facts: Facts, _limits: Limits) -> Draft | None:
    dumps = _dumps(facts)
    first = dumps.first_divergence
    if first is None:
        return None
    row = dumps.rows[first.row]
    later = sum(other.verdict in DIVERGING for other in dumps.rows) - 1
    inputs = {"clean": _("its inputs agree"), "unknown": _("its inputs are not known"),
              "differ": _("its inputs differ already")}[first.inputs]  # fmt: skip
    title = _("the runs part at {name}").format(name=row.op_name)
    measured = _("{name}: {verdict}; {inputs}; {later} later tensors differ too").format(
        name=_evidence(row).text, verdict=row.verdict, inputs=inputs, later=whole(max(0, later))
    )
    sure = first.inputs == "clean"
    return Draft(title, measured, severity="high", evidence=[_evidence(row, _cosine(row))], lead=True,
                 confidence="sure" if sure else "likely", why="" if sure else inputs)  # fmt: skip


def _shapes(facts: Facts, _limits: Limits) -> Draft | None:
    rows = [row for row in _dumps(facts).rows if row.verdict == "shape"]
    if not rows:
        return None
    a, b = (side.shape if side else () for side in (rows[0].a, rows[0].b))
    title = _("other sizes on the two sides: {tensors}").format(tensors=tensors(len(rows)))
    measured = f"{_evidence(rows[0]).text}: {a} / {b}"
    return _draft(title, measured, rows, _cosine, "error")


def _tiny(facts: Facts, limits: Limits) -> Draft | None:
    rows = [
        row for row in _dumps(facts).rows
        if row.verdict == "tiny"
        or (row.metrics is not None and max(row.metrics.norm_a, row.metrics.norm_b) < limits["norm"])
    ]  # fmt: skip
    if not rows:
        return None
    title = _("below the noise of their type: {tensors}").format(tensors=tensors(len(rows)))
    measured = listed([_evidence(row).text for row in rows])
    return _draft(title, measured, rows, _cosine, "info")


def _outputs_pass(facts: Facts, _limits: Limits) -> Draft | None:
    dumps = _dumps(facts)
    if not dumps.network_outputs:
        raise InputMissing(_("the outputs of the network are not known (NetOutput or graph)"), "--graph")
    outputs = [dumps.rows[place] for place in dumps.network_outputs]
    inner = [row for row in dumps.rows if row.verdict in DIVERGING and not row.network_output]
    if not inner or not all(row.verdict in AGREEING for row in outputs):
        return None
    title = _("the outputs of the network agree, inside differ {tensors}").format(tensors=tensors(len(inner)))
    measured = _("{agree} of {all} network outputs agree").format(agree=len(outputs), all=len(outputs))
    return _draft(title, measured, outputs, _cosine, "info")


def _inputs_differ(facts: Facts, _limits: Limits) -> Draft | None:
    dumps = _dumps(facts)
    if not any(row.network_input for row in dumps.rows) and not dumps.differing_inputs:
        raise InputMissing(_("the inputs of the network were not dumped or are not known"), "--graph")
    if not dumps.differing_inputs:
        return None
    rows = [dumps.rows[place] for place in dumps.differing_inputs]
    title = _("the inputs of the network differ already")
    measured = listed([_evidence(row).text for row in rows])
    return _draft(title, measured, rows, _cosine, "high")


RULES = (
    Rule("AC01", N_("cosine of tensors"), _low_cosine, source="S, T", next_key="7",
         means=N_("These tensors point elsewhere than the golden ones."),
         advice=N_("Check what feeds them first: later tensors inherit the fault of earlier ones."),
         fires=N_("a cosine below {cosine} (High), or below {amber}")),
    Rule("AC02", N_("other metrics"), _other_metrics, source="T", next_key="7",
         means=N_("Cosine alone misses differences of scale."),
         advice=N_("Check what feeds them first."),
         fires=N_("relative Euclidean distance ≥ {relative_euclidean}, KL ≥ {kl_divergence}, RMSE ≥ {rmse} or mean "
                  "relative error ≥ {mean_relative}")),
    Rule("AC03", N_("overflow of float16"), _overflow, source="S, N", next_key="7",
         means=N_("NaN, Inf, or the largest number in place of a larger one."),
         advice=N_("Keep this operator in float32; the Dump screen writes the configuration."),
         fires=N_("NaN, Inf, or exactly ±65504 where the other side goes beyond it (else at the limit, Info)")),
    Rule("AC04", N_("range of float16"), _predicted, source="S, N", next_key="7",
         means=N_("The float32 values are larger than float16 can hold, or nearly so."),
         advice=N_("Keep this operator in float32."),
         fires=N_("|x| of the float32 side above {max_abs} (High), or above {headroom}")),
    Rule("AC05", N_("first divergence"), _first_divergence, source="T", next_key="7",
         means=N_("What differs later may only inherit it."),
         advice=N_("Look at this operator before any other."),
         fires=N_("the first operator in the order of the graph that differs while its inputs agree")),
    Rule("AC06", N_("sizes of tensors"), _shapes, source="T", next_key="7",
         means=N_("They cannot be compared."),
         advice=N_("Check that both sides ran the same model with the same input shapes."),
         fires=N_("the numbers of elements differ")),
    Rule("AC07", N_("tensors near zero"), _tiny, source="N", next_key="7",
         means=N_("Metrics of such tensors mean nothing; they are left out of the first divergence."),
         advice=N_("Nothing to do."),
         fires=N_("both sides are below the noise of their type")),
    Rule("AC08", N_("outputs of the network"), _outputs_pass, source="T", next_key="7",
         means=N_("The differences inside do not reach the result."),
         advice=N_("No action is needed."),
         fires=N_("all outputs of the network agree although inner tensors do not")),
    Rule("AC09", N_("inputs of the network"), _inputs_differ, source="S", next_key="7",
         means=N_("The two runs were not given the same data; nothing else means much then."),
         advice=N_("Fix pre-processing, data files or the AIPP configuration before you blame operators."),
         fires=N_("the dumped inputs of the network differ")),
)  # fmt: skip
