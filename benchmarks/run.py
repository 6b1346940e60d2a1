"""Runs every benchmark in turn and prints facts about the machine first; ratios are side by side in one run.

Usage: python benchmarks/run.py [NAME ...]

NAME is the end of a module's name: `grid` runs `benchmarks/bench_grid.py`; none runs all of them. Each benchmark also
runs alone (`python -m benchmarks.bench_grid --help` tells its options) and prints its own ratios.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = ("textual", "pandas", "numpy", "orjson", "pyarrow", "textual-fastdatatable", "visidata")


def cpu_name() -> str:
    """The processor's name as Linux tells it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def memory_gib() -> float:
    """Physical memory, GiB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)


def packages() -> Iterator[str]:
    """Versions of what is measured and of the peers that are installed."""
    for name in PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} not installed"


def facts() -> Iterator[str]:
    """What a reader needs to judge the figures."""
    cores = len(os.sched_getaffinity(0))
    yield f"machine   {cpu_name()}, {cores} cores, {memory_gib():.0f} GiB, load {os.getloadavg()[0]:.1f}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield f"system    {platform.system()} {platform.release()}, {python}"
    yield f"packages  {', '.join(packages())}"


def chosen(names: list[str]) -> list[str]:
    """Modules to run, in alphabetical order.

    Raises:
        SystemExit: there is no benchmark of a given name.
    """
    found = {path.stem[len("bench_") :]: path.stem for path in sorted(HERE.glob("bench_*.py"))}
    unknown = [name for name in names if name not in found]
    if unknown:
        sys.exit(f"no benchmark named {', '.join(unknown)}; there are {', '.join(found)}")
    return [module for name, module in found.items() if not names or name in names]


def run(module: str) -> bool:
    """Runs one benchmark with its output passed through; True when it ended well."""
    print(f"\n== {module[len('bench_') :]}", flush=True)
    started_s = time.monotonic()
    done = subprocess.run([sys.executable, "-m", f"benchmarks.{module}"], cwd=HERE.parent, check=False)
    print(f"-- {time.monotonic() - started_s:.0f} s", flush=True)
    return done.returncode == 0


def main() -> int:
    """Runs what was asked for; the exit code is 1 when a benchmark could not finish."""
    parser = argparse.ArgumentParser(description="Run the benchmarks and print their ratios.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run; none runs all")
    modules = chosen(parser.parse_args().names)
    print("\n".join(facts()), flush=True)
    failed = [module for module in modules if not run(module)]
    if failed:
        print(f"could not finish: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
