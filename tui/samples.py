"""Where the bundled sample profiles are."""

from __future__ import annotations

from pathlib import Path

from tui.errors import NotAProfile
from tui.i18n import _

_HERE = Path(__file__).resolve().parent


def samples_dir() -> Path:
    """Folder of the bundled samples: inside the installed package, or beside it in a checkout.

    The checkout's own folder is asked second: an editable install has no copy inside the package.

    Raises:
        NotAProfile: the installation holds no samples.
    """
    for parent in (_HERE, _HERE.parent):
        folder = parent / "sample_profiles"
        if folder.is_dir():
            return folder
    raise NotAProfile(_("the bundled sample profiles are missing"), _("install npuscope again"))
