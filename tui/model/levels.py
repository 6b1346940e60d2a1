"""The levels that newer traces merge into one CANN process, told by the prefix of a name: `AscendCL@aclrtMemcpy`.

Prefixes by generation: formats of msprof since 2023-03, `Hccl@` until 2025, `ACL@ GE@` in the `thread_group_*` files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tui.model.timeline import Layer, Timeline

LEVELS: tuple[Layer, ...] = ("acl", "model", "node", "communication_host", "runtime", "host_other")
"""Level code − 1 → layer; code 0 is an event of a track that is not split."""

_CODES = {
    "AscendCL": 1, "ACL": 1, "Acl": 1,
    "Model": 2, "GE": 2, "GE_OP_EXECUTE": 3, "Node": 3,
    "Communication": 4, "Hccl": 4, "HCCL": 4,
    "Runtime": 5,
    "Api": 6,
}  # fmt: skip
_OTHER = 6
_SPLIT_LAYERS = ("acl", "model", "node", "communication_host", "runtime", "host_other")


def split_name(name: str) -> tuple[int, str]:
    """(level code, name without its prefix); code 0 for a name without a level prefix."""
    prefix, at, rest = name.partition("@")
    code = _CODES.get(prefix, 0) if at and rest else 0
    return (code, rest) if code else (0, name)


def bare_name(name: str) -> str:
    """The name as people say it, without the level prefix."""
    return split_name(name)[1]


def level_codes(timeline: Timeline) -> NDArray[np.uint8]:
    """Level code of each event; 0 throughout tracks that hold one level only. Shape (events,)."""
    codes = np.zeros(len(timeline.start_ns), np.uint8)
    by_name = np.zeros(len(timeline.names), np.uint8)
    known = np.zeros(len(timeline.names), np.bool_)
    for track in timeline.tracks:
        if track.layer not in _SPLIT_LAYERS or track.last <= track.first:
            continue
        name_ids = timeline.name_id[track.first : track.last]
        used = np.zeros(len(timeline.names), np.bool_)
        used[name_ids] = True
        for name_id in np.flatnonzero(used & ~known).tolist():
            by_name[name_id] = split_name(timeline.names[int(name_id)])[0]
        known |= used
        if by_name[used].any():
            levels = by_name[name_ids]
            codes[track.first : track.last] = np.where(levels == 0, _OTHER, levels)
    return codes
