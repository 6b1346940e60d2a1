"""The `dump` block of `acl.json`: is it valid, what will it dump, and a block that dumps what a comparison needs.

The rules are those of the runtime (formats: dump §1.1). A value outside its list, or keys that exclude each other, make
`aclInit` fail; other things are legal but give dumps that a comparison cannot use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui.i18n import _
from tui.model.problem import Problem, Severity

MAX_FILE_BYTES = 10 << 20
"""The runtime refuses larger files."""
MAX_PATH_CHARS = 512
MAX_ITEMS = 100
"""Entries of a black list, and parts of `dump_step`."""

_CHOICES: dict[str, tuple[str, ...]] = {
    "dump_mode": ("output", "input", "all"),
    "dump_level": ("all", "op", "kernel"),
    "dump_op_switch": ("off", "on"),
    "dump_data": ("tensor", "stats"),
    "dump_debug": ("off", "on"),
    "dump_scene": ("aic_err_brief_dump", "aic_err_norm_dump", "aic_err_detail_dump", "lite_exception", "watcher"),
    "dump_kernel_data": ("all", "printf", "tensor", "assert", "timestamp"),
}
_STATISTICS = ("Max", "Min", "Avg", "Nan", "Negative Inf", "Positive Inf", "L2norm")
_KNOWN = frozenset((*_CHOICES, "dump_path", "dump_list", "dump_stats", "dump_step"))
_STEP = re.compile(r"\d+(?:-\d+)?(?:\|\d+(?:-\d+)?)*")
_NEEDS_LEVEL_OP = ("optype_blacklist", "opname_blacklist", "opname_range")
_WATCHER = "watcher"


@dataclass(frozen=True)
class DumpConfig:
    """What was judged."""

    is_valid: bool
    """Whether the runtime takes it."""
    problems: tuple[Problem, ...]
    """Errors make it invalid; warnings say what will be missing from the dump."""

    @property
    def reason(self) -> str:
        """Why it is not valid, in one line; empty for a valid one."""
        return next((problem.what for problem in self.problems if problem.severity == "error"), "")


def judge_file(path: Path) -> DumpConfig:
    """Judges the `dump` block of a configuration file."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return _invalid(path, _("it is larger than {size} bytes").format(size=MAX_FILE_BYTES))
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        return _invalid(path, _("cannot be read: {reason}").format(reason=error.strerror or error))
    except (ValueError, RecursionError):
        return _invalid(path, _("it is no valid JSON"))
    if not isinstance(document, dict) or not isinstance(document.get("dump"), dict):
        return _invalid(path, _('it has no object "dump"'))
    return judge(document["dump"], str(path))


def judge(block: Mapping[str, Any], path: str = "") -> DumpConfig:
    """Judges a `dump` block.

    Args:
        path: File that it comes from, for the problems.
    """
    errors = [_problem(path, what, "error") for what in _errors(block)]
    warnings = [] if errors else [_problem(path, what, "warn") for what in _shortcomings(block)]
    return DumpConfig(not errors, (*errors, *warnings))


def _errors(block: Mapping[str, Any]) -> Iterator[str]:
    yield from _wrong_values(block)
    yield from _wrong_path(block)
    yield from _conflicts(block)
    yield from _wrong_statistics(block)
    yield from _wrong_list(block)
    step = block.get("dump_step")
    if step is not None and not (isinstance(step, str) and _STEP.fullmatch(step)):
        yield _('dump_step must look like "0|3-5|10"')
    elif step is not None and step.count("|") >= MAX_ITEMS:
        yield _("dump_step has more than {count} parts").format(count=MAX_ITEMS)


def _wrong_values(block: Mapping[str, Any]) -> Iterator[str]:
    for key, allowed in _CHOICES.items():
        if key in block and block[key] not in allowed:
            message = _('{key} is "{value}", it must be one of: {allowed}')
            yield message.format(key=key, value=_shown(block[key]), allowed=", ".join(allowed))


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)[:40]


def _needs_path(block: Mapping[str, Any]) -> bool:
    """Dumps of exceptions may go where the environment says."""
    return block.get("dump_scene") in (None, _WATCHER)


def _wrong_path(block: Mapping[str, Any]) -> Iterator[str]:
    path = block.get("dump_path")
    if path is None:
        if _needs_path(block):
            yield _("dump_path is missing")
    elif not isinstance(path, str) or not path:
        yield _("dump_path is empty")
    elif len(path) > MAX_PATH_CHARS:
        yield _("dump_path is longer than {count} characters").format(count=MAX_PATH_CHARS)


def _conflicts(block: Mapping[str, Any]) -> Iterator[str]:
    scene, debug, single = (block.get(key) for key in ("dump_scene", "dump_debug", "dump_op_switch"))
    if debug == "on" and single == "on":
        yield _("dump_debug and dump_op_switch exclude each other")
    if scene is not None and debug == "on":
        yield _("dump_scene and dump_debug exclude each other")
    if scene is not None and single == "on":
        yield _("dump_scene and dump_op_switch exclude each other")


def _wrong_statistics(block: Mapping[str, Any]) -> Iterator[str]:
    if "dump_stats" not in block:
        return
    chosen = block["dump_stats"]
    if not isinstance(chosen, list) or not chosen:
        yield _("dump_stats is empty; leave it out for all statistics")
    elif any(name not in _STATISTICS for name in chosen):
        yield _("dump_stats knows only: {names}").format(names=", ".join(_STATISTICS))
    elif block.get("dump_data", "tensor") != "stats":
        yield _('dump_stats needs dump_data "stats"')


def _wrong_list(block: Mapping[str, Any]) -> Iterator[str]:
    models = block.get("dump_list")
    if models is None:
        return
    if not isinstance(models, list) or not all(isinstance(model, dict) for model in models):
        yield _("dump_list must be a list of objects")
        return
    for model in models:
        yield from _wrong_model(model, block)


def _wrong_model(model: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[str]:
    for key in ("layer", "watcher_nodes"):
        if key in model and not _is_texts(model[key]):
            yield _("{key} must be a list of operator names").format(key=key)
    for key in _NEEDS_LEVEL_OP:
        if key not in model:
            continue
        if block.get("dump_level", "all") != "op":
            yield _('{key} needs dump_level "op"').format(key=key)
        if not isinstance(model[key], list) or len(model[key]) > MAX_ITEMS:
            yield _("{key} must be a list of at most {count} objects").format(key=key, count=MAX_ITEMS)
    if "opname_range" in model and not model.get("model_name"):
        yield _("opname_range needs model_name")
    if "watcher_nodes" in model and block.get("dump_scene") != _WATCHER:
        yield _('watcher_nodes needs dump_scene "watcher"')


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _shortcomings(block: Mapping[str, Any]) -> Iterator[str]:
    """What a valid block lacks for a comparison."""
    for key in sorted(set(block) - _KNOWN):
        yield _("the key {key} is unknown and ignored").format(key=key)
    if block.get("dump_scene") not in (None, _WATCHER) or block.get("dump_debug") == "on":
        yield _("only failing or overflowing operators are dumped; a comparison needs all of them")
        return
    if not block.get("dump_list") and block.get("dump_op_switch") != "on":
        yield _("without dump_list no model is dumped; [{}] means every model")
    if block.get("dump_mode", "output") == "output":
        yield _('dump_mode is "output": without inputs the first wrong operator cannot be told from those it feeds')
    if block.get("dump_mode") == "input":
        yield _('dump_mode is "input": without outputs there is no result to judge')
    if block.get("dump_data") == "stats":
        yield _("statistics only: values and cosine cannot be compared")
    if ":" in str(block.get("dump_path", "")):
        yield _("dump_path names another machine; the folder must exist here")


def _problem(path: str, what: str, severity: Severity) -> Problem:
    if severity == "error":
        return Problem(path, "dump", what, _("aclInit fails and nothing is dumped"), _("correct it"), severity)
    return Problem(path, "dump", what, _("the dump is less than a comparison can use"), "", severity)


def _invalid(path: Path, what: str) -> DumpConfig:
    hint = _("start from a block that npuscope writes")
    return DumpConfig(False, (Problem(str(path), "", what, _("nothing is dumped"), hint, "error"),))


def dump_block(dump_path: str, model_name: str = "", layers: Sequence[str] = (), single_ops: bool = False) -> str:
    """An `acl.json` that dumps inputs and outputs, as text.

    Args:
        dump_path: Existing, writable folder on the machine that runs the model.
        model_name: Name of the `.om` file without its ending; empty for every model.
        layers: Original operator names to dump; empty for all.
        single_ops: Also operators that are called one by one.
    """
    model: dict[str, Any] = {"model_name": model_name} if model_name else {}
    if layers:
        model["layer"] = list(layers)
    block = {
        "dump_list": [model],
        "dump_path": dump_path,
        "dump_mode": "all",
        "dump_op_switch": "on" if single_ops else "off",
    }
    return json.dumps({"dump": block}, indent=2, ensure_ascii=False) + "\n"
