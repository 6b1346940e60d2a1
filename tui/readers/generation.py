"""Which CANN generation wrote a profile, decided by content, never by a version number (formats: msprof 0)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tui.model.sources import SourceFile
from tui.readers import sniff

_LAYERS_G1B = re.compile(rb'"name"\s*:\s*"(?:CANN|Ascend Hardware)"')
_COMPACT_WRITER = re.compile(rb'\A\s*\[\s*\{"name":"')
_G1A_KINDS = frozenset({"ai_stack_time", "ge_op_execute", "ge", "thread_group"})
_G3_KINDS = frozenset({"communication_statistic", "ascend_pytorch_profiler", "ascend_mindspore_profiler"})
LAYERS_SINCE = "20230322"
"""Collections before this day have no layers in their timeline; used when an old profile has no timeline to look at."""


def old_generation(files: Iterable[SourceFile], collected: str) -> str:
    """`G1a` or `G1b` for a profile in the layout of one folder per device.

    Args:
        collected: Day of the collection as in the folder's name (`20230608…`), or empty.
    """
    used = [file for file in files if file.used]
    timelines = [file for file in used if file.kind == "msprof" and file.role == "timeline" and file.size_bytes]
    if timelines:
        return "G1b" if _LAYERS_G1B.search(sniff.head(timelines[0].path)) else "G1a"
    if any(file.kind in _G1A_KINDS for file in used):
        return "G1a"
    if not collected:
        return ""
    return "G1b" if collected >= LAYERS_SINCE else "G1a"


def merged_generation(files: Iterable[SourceFile]) -> str:
    """`G2`, `G3` or `G4` for a profile whose files hold all devices; empty when its files do not tell."""
    used = [file for file in files if file.used or file.role == "database"]
    if any(_has_block_num(file) for file in used):
        return "G4"
    if any(file.kind in _G3_KINDS or _is_msprof_database(file) for file in used):
        return "G3"
    if any(_compact_timeline(file) for file in used):
        return "G3"
    return "G2" if any(_written_since_g2(file) for file in used) else ""


def _has_block_num(file: SourceFile) -> bool:
    return file.role == "ops" and "block num" in sniff.headings(sniff.head(file.path))


def _is_msprof_database(file: SourceFile) -> bool:
    return file.role == "database" and file.kind == "msprof" and bool(file.date)


def _written_since_g2(file: SourceFile) -> bool:
    if file.kind == "hccl_statistic":
        return file.size_bytes > 0
    return file.kind == "msprof" and file.role == "timeline" and sniff.looks_like_trace(sniff.head(file.path))


def _compact_timeline(file: SourceFile) -> bool:
    return file.role == "timeline" and file.kind == "msprof" and bool(_COMPACT_WRITER.match(sniff.head(file.path, 256)))
