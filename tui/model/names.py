"""Which column a user means: canonical keys, the file's headings, short names and unique prefixes."""

from __future__ import annotations

import difflib
import re

from tui.errors import BadExpression
from tui.i18n import _
from tui.model.ops import derived_keys
from tui.model.table import Table

_SHORT: dict[str, tuple[str, ...]] = {
    "name": ("op_name", "api_name", "name", "kernel_name", "node"),
    "op": ("op_name", "op_type"),
    "api": ("api_name",),
    "type": ("op_type", "type", "kernel_type", "task_type"),
    "dur": ("task_duration_us", "duration_us", "time_us", "total_time_us", "task_time_us", "total_us", "dur_ns"),
    "duration": ("task_duration_us", "duration_us", "task_time_us", "dur_ns"),
    "time": ("time_us", "total_time_us", "task_time_us", "task_duration_us", "total_us"),
    "total": ("total_us", "total_time_us", "time_us"),
    "avg": ("avg_us", "mean_us"),
    "mean": ("mean_us", "avg_us"),
    "wait": ("task_wait_time_us",),
    "start": ("start_ns",),
    "core": ("task_type", "core_type", "kernel_type"),
    "accelerator_core": ("task_type",),
    "class": ("task_class",),
    "block": ("block_num",),
    "block_dim": ("block_num",),
    "mix_block_dim": ("mix_block_num",),
    "shape": ("input_shapes",),
    "shapes": ("input_shapes",),
    "device": ("device_id",),
    "stream": ("stream_id",),
    "task": ("task_id",),
    "ratio": ("ratio_pct", "time_ratio_pct", "bound_ratio"),
    "share": ("share_pct", "ratio_pct", "time_ratio_pct"),
    "span": ("span_pct",),
    "delta": ("delta_us",),
}
"""Short name → keys that it may stand for, first hit wins."""


def normal(name: str) -> str:
    """A heading or a typed name as canonical keys are spelled: lower case, all but letters and digits one `_`."""
    return re.sub(r"[\W_]+", "_", name.lower()).strip("_")


def resolve_key(table: Table, name: str, position: int = 0) -> str:
    """The key of the column that `name` means.

    Tried in this order: key or heading as it is, short name, unique prefix of a key, of a heading, of a part of a key.

    Raises:
        BadExpression: no such column, or several.
    """
    wanted = normal(name)
    headings = {normal(column.info.heading): column.info.key for column in table.columns if column.info.heading}
    keys = [*table.keys, *(key for key in derived_keys(table) if table.get(key) is None)]
    exact = wanted if wanted in keys else headings.get(wanted)
    exact = exact or next((key for key in _SHORT.get(wanted, ()) if key in keys), None)
    if exact:
        return exact
    for candidates in (_with_prefix(keys, wanted), _with_prefix(headings, wanted), _with_part(keys, wanted)):
        found = sorted({headings.get(candidate, candidate) for candidate in candidates}) if wanted else []
        if len(found) == 1:
            return found[0]
        if found:
            raise BadExpression(
                _("{name} could be several columns").format(name=name), _several(found), position=position
            )
    raise BadExpression(_("no column {name}").format(name=name), _closest(wanted, keys), position=position)


def is_key(table: Table, name: str) -> bool:
    """True when `name` means exactly one column."""
    try:
        resolve_key(table, name)
    except BadExpression:
        return False
    return True


def _with_prefix(names: list[str] | dict[str, str], prefix: str) -> list[str]:
    return [name for name in names if name.startswith(prefix)]


def _with_part(keys: list[str], part: str) -> list[str]:
    return [key for key in keys if f"_{part}" in key]


def _several(found: list[str]) -> str:
    more = " …" if len(found) > 6 else ""
    return _("type more letters: {names}").format(names=", ".join(found[:6])) + more


def _closest(wanted: str, keys: list[str]) -> str:
    close = difflib.get_close_matches(wanted, keys, 3, 0.4) or keys[:3]
    return _("closest: {names}").format(names=", ".join(close)) if close else ""
