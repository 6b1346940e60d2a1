"""The small files beside the data: chip, cores, options and wall-clock times of the collection."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from generator.measures import CORE_MHZ, CORES
from generator.run import PROCESS, Run
from generator.text import one_line

HEAD_START_NS = 675_711_000
TAIL_NS = 212_408_000
TIGHT = (",", ":")


def side_cars(start_ns: int, monotonic_ns: int, run: Run, legacy: bool) -> dict[str, str]:
    """Files of `host` and `device_0`; the times are those of the first call, since 1970 and since the host started."""
    last_ns = run.end_ns
    begin = _edge("Begin", start_ns - HEAD_START_NS, monotonic_ns - HEAD_START_NS)
    end = _edge("End", start_ns + last_ns + TAIL_NS, monotonic_ns + last_ns + TAIL_NS)
    info = one_line(_info(legacy), TIGHT)
    sample = one_line(_sample(legacy), TIGHT)
    clock = f"clock_monotonic_raw: {monotonic_ns - HEAD_START_NS}\ncntvct: {(monotonic_ns - HEAD_START_NS) // 10}\n"
    return {
        "host/info.json": info,
        "host/sample.json": sample,
        "host/start_info": begin,
        "host/end_info": end,
        "host/host_start.log": f"[Host]\n{clock}",
        "device_0/info.json.0": info,
        "device_0/sample.json": sample,
        "device_0/start_info.0": begin,
        "device_0/end_info.0": end,
        "device_0/host_start.log.0": f"[Host]\n{clock}",
        "device_0/dev_start.log.0": clock,
    }


def _edge(word: str, epoch_ns: int, monotonic_ns: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=epoch_ns // 1000)
    fields = {
        f"collectionDate{word}": moment.strftime("%Y-%m-%d %H:%M:%S.%f"),
        f"collectionTime{word}": str(epoch_ns // 1000),
        "clockMonotonicRaw": str(monotonic_ns),
    }
    return one_line(fields, TIGHT)


def _info(legacy: bool) -> dict[str, object]:
    device = {
        "id": 0, "env_type": 3, "ctrl_cpu_core_num": 1, "ts_cpu_core_num": 1, "ai_cpu_core_num": 7,
        "ai_core_num": CORES, "aiv_num": 7, "ctrl_cpu": "0", "ai_cpu": "1,2,3,4,5,6,7", "hwts_frequency": "50",
        "aic_frequency": str(CORE_MHZ), "aiv_frequency": str(CORE_MHZ),
    }  # fmt: skip
    fields: dict[str, object] = {
        "version": "1.0", "jobInfo": "NA", "hostname": "sample-host", "hostUid": "0", "OS": "Linux (synthetic sample)",
        "hwtype": "aarch64", "mac": "00-00-00-00-00-00", "platform_version": "4", "devices": "0",
        "pid": str(PROCESS), "pid_name": "yolov4", "rank_id": -1, "cpuNums": 16, "sysClockFreq": 100,
        "memoryTotal": 65_798_144, "upTime": "497845.30 7920411.02", "netCardNums": 0, "netCard": [],
        "CPU": [{"Id": 0, "Name": "sample", "Frequency": 2600, "Logical_CPU_Count": 16, "Type": "sample"}],
        "DeviceInfo": [device],
    }  # fmt: skip
    if not legacy:
        fields.update({"drvVersion": 467733, "cannVersion": "8.0.0"})
    return fields


def _sample(legacy: bool) -> dict[str, object]:
    fields: dict[str, object] = {
        "devices": "0", "app": "yolov4", "app_parameters": "", "ai_core_profiling": "on",
        "ai_core_profiling_mode": "task-based", "ai_core_metrics": "PipeUtilization",
        "ai_core_profiling_events": "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55", "ai_core_status": "on",
        "profiling_options": "",
        "ts_timeline": "on", "ts_keypoint": "on", "acl": "on", "modelExecution": "on",
        "runtimeApi": "off" if legacy else "on", "hccl": "off", "aicpuTrace": "off",
    }  # fmt: skip
    if not legacy:
        fields.update({"profLevel": "l1", "prof_level": "l1"})
    return fields
