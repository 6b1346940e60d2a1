"""Side-car JSON: how a profile was collected, and on what (formats: msprof 1.4). Every key is optional."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tui.i18n import _
from tui.model.problem import Problem
from tui.model.sources import Device, Environment

MAX_BYTES = 1 << 20
"""A side-car file is a few kB; no more than this is read."""

CHIPS = {
    "0": "Ascend310",
    "1": "Ascend910A",
    "2": "Ascend310P",
    "3": "Ascend310P",
    "4": "Ascend310P",
    "5": "Ascend910B",
    "7": "Ascend310B",
    "8": "Ascend310B",
    "11": "Ascend310B",
    "15": "Ascend950",
    "16": "Ascend950",
}
"""Chip by `platform_version`."""

_SAMPLE_OPTIONS = (
    "ai_core_profiling_mode",
    "ai_core_metrics",
    "aiv_metrics",
    "profLevel",
    "prof_level",
    "llc_profiling",
    "instr_profiling_freq",
    "hardware_mem",
    "l2CacheTaskProfiling",
    "qosEvents",
)
_COMMON_OPTIONS = ("activities", "record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")
_INDENTED = ("profiler_info", "profiler_metadata")
"""These span lines; of the others only the first line counts."""


@dataclass(frozen=True)
class Sidecar:
    """One side-car file, read."""

    kind: str
    device: str
    """Device of `info.json.N`, rank of `profiler_info_N.json`, else empty."""
    values: Mapping[str, Any]


def read_sidecar(path: Path, kind: str, device: str) -> Sidecar | Problem:
    """Reads one side-car file; a problem when it is no JSON."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES)
        text = data.decode("utf-8-sig", errors="replace")
        values = json.loads(text if kind in _INDENTED else text.partition("\n")[0])
    except (OSError, ValueError, RecursionError) as error:
        return _unreadable(path, error)
    return Sidecar(kind, device, values if isinstance(values, dict) else {})


def _unreadable(path: Path, error: Exception) -> Problem:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else _("no valid JSON")
    return Problem(
        str(path),
        "",
        _("cannot be read: {reason}").format(reason=reason),
        _("the environment of the collection is shown without it"),
        "",
        "warn",
    )


def environment_of(sidecars: Iterable[Sidecar]) -> Environment:
    """One environment from all side-car files; the first file that knows a fact is believed."""
    environment = Environment()
    for sidecar in sidecars:
        environment = _merged(environment, _environment(sidecar))
    return environment


def _environment(sidecar: Sidecar) -> Environment:
    values = sidecar.values
    if sidecar.kind == "info.json":
        return _from_info(values)
    if sidecar.kind == "sample.json":
        return _from_sample(values)
    if sidecar.kind == "start_info":
        return Environment(start_ns=_microseconds(values.get("collectionTimeBegin")))
    if sidecar.kind == "end_info":
        return Environment(end_ns=_microseconds(values.get("collectionTimeEnd")))
    if sidecar.kind == "profiler_info":
        return _from_profiler_info(values, sidecar.device)
    return Environment()


def _merged(first: Environment, second: Environment) -> Environment:
    known = {key for key, __ in first.options}
    options = first.options + tuple(option for option in second.options if option[0] not in known)
    return Environment(
        cann_version=first.cann_version or second.cann_version,
        host_name=first.host_name or second.host_name,
        process_name=first.process_name or second.process_name,
        rank=first.rank or second.rank,
        level=first.level or second.level,
        metrics=first.metrics or second.metrics,
        options=options,
        start_ns=min((time for time in (first.start_ns, second.start_ns) if time), default=0),
        end_ns=max(first.end_ns, second.end_ns),
    )


def _from_info(values: Mapping[str, Any]) -> Environment:
    return Environment(
        cann_version=_text(values.get("cannVersion")),
        host_name=_text(values.get("hostname")),
        process_name=_text(values.get("pid_name")),
        rank=_rank(values.get("rank_id")),
    )


def _from_sample(values: Mapping[str, Any]) -> Environment:
    return Environment(
        level=_text(values.get("profLevel") or values.get("prof_level")),
        metrics=_text(values.get("ai_core_metrics")),
        options=_options(values, _SAMPLE_OPTIONS),
    )


def _from_profiler_info(values: Mapping[str, Any], rank: str) -> Environment:
    config = _mapping(values.get("config"))
    experimental = {key.lstrip("_"): value for key, value in _mapping(config.get("experimental_config")).items()}
    end = _mapping(values.get("end_info"))
    return Environment(
        cann_version=_text(values.get("cann_version")),
        rank=_rank(values.get("rank_id")) or _rank(rank),
        level=_text(experimental.get("profiler_level")),
        metrics=_text(experimental.get("aic_metrics")),
        options=_options(_mapping(config.get("common_config")), _COMMON_OPTIONS)
        + _options(experimental, sorted(experimental)),
        end_ns=_whole(end.get("collectionTimeEnd")),
    )


def devices_of(sidecars: Iterable[Sidecar]) -> dict[str, Device]:
    """Devices by id, as the `info.json` files describe them."""
    devices: dict[str, Device] = {}
    for sidecar in sidecars:
        if sidecar.kind == "info.json":
            chip = _chip(sidecar.values.get("platform_version"))
            for values in _mappings(sidecar.values.get("DeviceInfo")):
                device = _device(values, chip)
                devices[device.id] = _richer(devices.get(device.id), device)
    return devices


def _richer(known: Device | None, found: Device) -> Device:
    if known is None or not known.chip:
        return found if known is None else replace(known, chip=found.chip)
    return known


def _device(values: Mapping[str, Any], chip: str) -> Device:
    return Device(
        id=_text(values.get("id")),
        chip=chip,
        ai_core_num=_whole(values.get("ai_core_num")),
        aiv_num=_whole(values.get("aiv_num")),
        ai_cpu_num=_whole(values.get("ai_cpu_core_num")),
        aic_frequency_mhz=_number(values.get("aic_frequency")),
    )


def _chip(platform: Any) -> str:
    version = _text(platform)
    return CHIPS.get(version) or (_("platform {version}").format(version=version) if version else "")


def _options(values: Mapping[str, Any], keys: Iterable[str]) -> tuple[tuple[str, str], ...]:
    found = ((key, _text(values.get(key))) for key in keys)
    return tuple((key, text) for key, text in found if text)


def _text(value: Any) -> str:
    """Any JSON value as one short text; null, `NA` and empty become empty."""
    if value is None or isinstance(value, dict):
        return ""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value)))
    text = str(value).strip()
    return "" if text in ("NA", "N/A", "null") else text


def _rank(value: Any) -> str:
    text = _text(value)
    return "" if text.startswith("-") else text


def _whole(value: Any) -> int:
    try:
        return int(str(value).strip())
    except ValueError:
        return 0


def _number(value: Any) -> float:
    try:
        number = float(str(value).strip())
    except ValueError:
        return 0.0
    return number if 0 < number < 1e9 else 0.0


def _microseconds(value: Any) -> int:
    """A time in whole us as ns; 0 when there is none."""
    return _whole(value) * 1000


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
