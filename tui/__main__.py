"""Start of npuscope, both as the command and as `python -m tui`.

`widgets` is a common name: a folder of that name on `PYTHONPATH` (CANN exports one) or in the current directory would
be taken for ours. So ours is loaded from beside `tui` before anything else can import the other.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import InspectLoader  # importing it takes as long as all of this module

_FOLDER = str(Path(__file__).resolve().parent.parent)


def _load_own_widgets() -> bool:
    """Puts the `widgets` package beside `tui` into `sys.modules`; False when there is none."""
    spec = PathFinder.find_spec("widgets", [_FOLDER])
    if spec is None or spec.loader is None or spec.origin is None:
        return False
    module = module_from_spec(spec)
    sys.modules["widgets"] = module
    cast("InspectLoader", spec.loader).exec_module(module)
    return True


def main() -> None:
    """Runs the command line; ends the process with its exit code."""
    if not _load_own_widgets():
        sys.exit(
            f"npuscope: its package `widgets` is missing from {_FOLDER} - the installation is damaged"
            " - install npuscope again in an environment of its own"
        )
    from tui.cli import main as run

    run()


if __name__ == "__main__":
    main()
