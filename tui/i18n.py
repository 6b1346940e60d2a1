"""Message catalogues: the one place where user-visible text is looked up.

Texts are looked up when they are shown, never at import, so that the language can be set after the modules are loaded.
Text kept in tables is marked with `N_` and passed through `_` where it is shown.
"""

from __future__ import annotations

import gettext
import locale
import os
from pathlib import Path

DOMAIN = "npuscope"
LANGUAGES = ("en", "zh")

_translations: gettext.NullTranslations = gettext.NullTranslations()
_language = ""


def _(message: str) -> str:
    """The text of `message` in the chosen language."""
    return _translations.gettext(message) if message else ""


def ngettext(singular: str, plural: str, n: int) -> str:
    """The text for a count of `n` in the chosen language."""
    return _translations.ngettext(singular, plural, n)


def N_(message: str) -> str:
    """Marks `message` for the catalogue without looking it up."""
    return message


def language_of_locale() -> str:
    """`zh` when the environment asks for Chinese, else `en`."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    name = locale.getlocale()[0] or ""
    return "zh" if name.lower().startswith(("zh", "chinese")) else "en"


def current_language() -> str:
    """The language in use."""
    return _language or language_of_locale()


def set_language(language: str | None = None) -> str:
    """Chooses the catalogue; None takes the language of the locale. Returns the language in use."""
    global _translations, _language
    chosen = language or language_of_locale()
    _language = chosen
    folder = Path(__file__).with_name("locale")
    _translations = gettext.translation(DOMAIN, folder, languages=[chosen], fallback=True)
    return chosen
