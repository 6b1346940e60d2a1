"""Where an event stands on its way from the framework's call to the device: told by its lane and level."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tui.model.levels import LEVELS, split_name
from tui.model.timeline import Layer, Timeline

FRAMEWORK, ACL, MODEL, COMMUNICATION_HOST, NODE, RUNTIME, DEVICE, NONE = range(8)

_OF_LAYER: dict[Layer, int] = {
    "framework": FRAMEWORK,
    "acl": ACL,
    "model": MODEL,
    "communication_host": COMMUNICATION_HOST,
    "node": NODE,
    "runtime": RUNTIME,
    "host_other": NONE,
    "device": DEVICE,
    "communication": DEVICE,
}
_SYNCHRONOUS = re.compile(
    r"aclmdlExecute(?:V\d)?|ModelExecute|aclopExecute(?:V\d)?|aclrtSynchronize\w*|aclrtMemcpy(?:2d)?"
)
_LAUNCHING = re.compile(r"launch|execute|memcpy|memset|enqueue|dequeue", re.IGNORECASE)
_NOT_COMPUTING = re.compile(
    r"(?:event|notify|memcpy|memset|profiling|model|stream|write[ _]value|place_holder|cmo|barrier|label|N/A|sdma|pcie|"
    r"task_timeout|reduce_async)"
    r"(?![a-z]).*|hcom_\w*",
    re.IGNORECASE,
)


def stage_of(timeline: Timeline, event: int) -> int:
    """The stage of one event."""
    layer = timeline.track(event).layer
    code = split_name(timeline.name(event))[0] if layer in ("acl", "host_other") else 0
    return _OF_LAYER.get(LEVELS[code - 1] if code else layer, NONE)


def stages_of(timeline: Timeline, events: NDArray[np.int64]) -> NDArray[np.int8]:
    """The stage of each of some events."""
    by_track = np.array([_OF_LAYER.get(track.layer, NONE) for track in timeline.tracks], np.int8)
    split = np.array([track.layer in ("acl", "host_other") for track in timeline.tracks], np.bool_)
    tracks = timeline.track_id[events]
    if not len(events):
        return np.zeros(0, np.int8)
    stages = by_track[tracks]
    mine = np.flatnonzero(split[tracks])
    name_ids, inverse = np.unique(timeline.name_id[events[mine]], return_inverse=True)
    codes = np.array([split_name(timeline.names[int(name_id)])[0] for name_id in name_ids.tolist()], np.intp)
    of_code = np.array([-1, *(_OF_LAYER.get(layer, NONE) for layer in LEVELS)], np.int8)
    levels = of_code[codes][inverse.reshape(-1)] if len(codes) else np.zeros(0, np.int8)
    stages[mine] = np.where(levels >= 0, levels, stages[mine])
    return stages


def is_synchronous(name: str) -> bool:
    """Whether a call waits for the device, so that what ran meanwhile is likely its own."""
    return _SYNCHRONOUS.fullmatch(split_name(name)[1]) is not None


def may_launch(name: str) -> bool:
    """Whether a call of that name usually puts something on the device."""
    return _LAUNCHING.search(name) is not None


def is_computing(name: str) -> bool:
    """Whether a device task of that name computes: no wait, record, copy or collective."""
    return _NOT_COMPUTING.fullmatch(name) is None


def computing_names(timeline: Timeline, name_ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """For each of some name ids whether it stands for computing."""
    distinct, inverse = np.unique(name_ids, return_inverse=True)
    flags = np.array([is_computing(timeline.names[int(name_id)]) for name_id in distinct.tolist()], np.bool_)
    return flags[inverse.reshape(-1)] if len(flags) else np.zeros(0, np.bool_)
