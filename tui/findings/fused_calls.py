"""HO10: sequences of framework calls for which torch_npu has one fused call.

Facts of the table: rules of the advisor of msprof-analyze (timeline_fusion_ops), CANN 6.3 to 8.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from tui.findings.facts import Facts
from tui.findings.rule import Draft, InputMissing, Limits, Rule
from tui.findings.tracks import Events, events_of, evidence_of, matching, tracks_of
from tui.findings.wording import listed
from tui.i18n import N_, _
from tui.model.finding import Evidence
from tui.model.timeline import Timeline

SEQUENCES: dict[str, tuple[str, ...]] = {
    "torch_npu.npu_fusion_attention": ("matmul add? mul? masked_fill_|add? softmax dropout? matmul",),
    "torch_npu.npu_rotary_mul": ("chunk|slice neg cat mul?2 add",),
    "torch_npu.npu_rms_norm": ("pow? mean? add? rsqrt mul type_as?",),
    "torch_npu.npu_swiglu": ("slice|chunk silu mul", "slice|chunk mul silu", "slice|chunk sigmoid mul mul",
                             "slice|chunk mul sigmoid mul", "slice|chunk mul mul sigmoid"),
    "torch_npu.npu_geglu": ("slice|chunk gelu mul", "slice|chunk mul gelu"),
    "torch_npu.npu_scaled_masked_softmax": ("softmax mul? masked_fill_|add",),
    "torch_npu.npu_confusion_transpose": ("permute|transpose contiguous? reshape|view",
                                          "reshape|view contiguous? permute|transpose"),
    "torch_npu.npu_silu": ("silu", "mul sigmoid", "sigmoid mul"),
    "torch_npu.npu_mish": ("mish",),
    "torch_npu.fast_gelu": ("gelu",),
    "torch_npu.npu_linear": ("linear",),
    "clip_grad_norm_fused_": ("add reciprocal mul",),
}  # fmt: skip
"""Fused call → sequences of `aten::` calls, most specific first: `a|b` either, `a?` optional, `a?2` up to two."""

OPTIMIZERS = ("AdamW", "SGD", "Adadelta", "Lamb", "AdamP", "BertAdam", "RMSpropTF", "RMSprop", "Adam")
"""Optimizers with a counterpart `torch_npu.optim.NpuFused…`."""

_STEP = re.compile(r"(?:.*#)?(\w+)\.step")
_NONE = "\uffff"
_FIRST = 0x4E00


def _fusible(facts: Facts, limits: Limits) -> Draft | None:
    timeline = facts.events
    tracks = tracks_of(timeline, "framework")
    if not tracks:
        raise InputMissing(_("no framework lane on the timeline"), "activities: CPU")
    found: dict[str, list[tuple[int, int]]] = {}
    for track in tracks:
        for name, first, last in _in_lane(timeline, _outermost(timeline, events_of([track]), facts.window)):
            found.setdefault(name, []).append((first, last))
    for event in matching(timeline, tracks, _fused_optimizer, facts.window).tolist():
        found.setdefault(_fused_optimizer(timeline.name(event)), []).append((event, event))
    often = {name: places for name, places in found.items() if len(places) >= limits["times"]}
    if not often:
        return None
    order = sorted(often, key=lambda name: -len(often[name]))
    counted = [f"{name} {len(often[name])}×" for name in order]
    title = _("{count} fused calls could stand for sequences of calls").format(count=len(order))
    return Draft(title, listed(counted, 4), severity="low", total=sum(map(len, often.values())), confidence="hint",
                 evidence=[_evidence(timeline, name, *often[name][0], len(often[name])) for name in order],
                 why=_("that calls follow each other does not make them depend on each other"))  # fmt: skip


def _evidence(timeline: Timeline, name: str, first: int, last: int, count: int) -> Evidence:
    """The first place where a fused call could stand."""
    lead = evidence_of(timeline, first)
    return Evidence(f"{name} ← {lead.text}", (("count", float(count)),), start_ns=lead.start_ns,
                    end_ns=timeline.end_ns(last), track=lead.track, event=first)  # fmt: skip


def _fused_optimizer(name: str) -> str:
    """The fused optimizer for a step of an optimizer; empty for anything else."""
    found = _STEP.fullmatch(name)
    return f"torch_npu.optim.NpuFused{found[1]}" if found and found[1] in OPTIMIZERS else ""


def _outermost(timeline: Timeline, events: Events, window: tuple[int, int] | None) -> Events:
    """`aten::` calls of a lane that no other of them contains, by start."""
    used = np.unique(timeline.name_id[events])
    aten = [int(name_id) for name_id in used.tolist() if timeline.names[int(name_id)].startswith("aten::")]
    calls = events[np.isin(timeline.name_id[events], aten)]
    starts = timeline.start_ns[calls]
    if window is not None:
        calls = calls[(starts >= window[0]) & (starts < window[1])]
    if not len(calls):
        return calls
    ends = timeline.start_ns[calls] + timeline.dur_ns[calls]
    before = np.concatenate(([np.iinfo(np.int64).min], np.maximum.accumulate(ends)[:-1]))
    return calls[timeline.start_ns[calls] >= before]


def _in_lane(timeline: Timeline, calls: Events) -> Iterator[tuple[str, int, int]]:
    """(fused call, first event, last event) of each match; calls of a match are not matched again."""
    words = sorted({word for texts in SEQUENCES.values() for text in texts for word in re.findall(r"[a-z_]+", text)})
    letters = {word: chr(_FIRST + place) for place, word in enumerate(words)}
    of_name = {
        int(name_id): letters.get(timeline.names[int(name_id)][len("aten::") :], _NONE)
        for name_id in np.unique(timeline.name_id[calls]).tolist()
    }
    text = "".join(of_name[name_id] for name_id in timeline.name_id[calls].tolist())
    for name, sequences in SEQUENCES.items():
        for sequence in sequences:
            pattern = _pattern(sequence, letters)
            for match in pattern.finditer(text):
                yield name, int(calls[match.start()]), int(calls[match.end() - 1])
            text = pattern.sub(lambda match: _NONE * len(match[0]), text)


def _pattern(sequence: str, letters: Mapping[str, str]) -> re.Pattern[str]:
    """A sequence as a pattern over letters that stand for calls."""
    parts = []
    for token in sequence.split():
        names, optional, most = token.partition("?")
        letter = "[" + "".join(letters[name] for name in names.split("|")) + "]"
        parts.append(letter + (f"{{0,{most or 1}}}" if optional else ""))
    return re.compile("".join(parts))


RULES = (
    Rule("HO10", N_("framework calls with a fused equivalent"), _fusible, source="A", next_key="t",
         means=N_("Several small calls do what one fused call does with one launch and one pass over memory."),
         advice=N_("Use the fused equivalent in the model, then check the accuracy."),
         fires=N_("a known sequence of aten calls (attention, rotary, rms-norm, swiglu, geglu, masked softmax, "
                  "confusion "
                  "transpose …) or an optimizer with a fused counterpart, at least {times} times")),
)  # fmt: skip
