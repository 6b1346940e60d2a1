"""The one keymap: action id → keys, words, help. Footer, `?`, palette, bindings and docs/keys.md are made from it.

An action that no screen implements cannot be bound or listed; a key means the same idea on every screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tui.i18n import N_

GROUPS = (N_("move"), N_("look"), N_("narrow"), N_("columns"), N_("take"), N_("any time"))

FORBIDDEN_PREFIXES = ("alt+", "shift+", "ctrl+shift+", "super+", "meta+")
FORBIDDEN_KEYS = frozenset(
    {"ctrl+a", "ctrl+b", "ctrl+s", "ctrl+q", "ctrl+z", "ctrl+backslash", "ctrl+i", "ctrl+j", "ctrl+m", "ctrl+h", "insert"}
    | {f"f{n}" for n in range(2, 25)}
    | {f"ctrl+{arrow}" for arrow in ("left", "right", "up", "down", "enter")}
)
"""Keys that terminals, multiplexers or flow control take away, or that are other keys in disguise."""

FULL_WIDTH: Mapping[str, tuple[str, ...]] = {
    "question_mark": ("fullwidth_question_mark",),
    "colon": ("fullwidth_colon",),
    "slash": ("fullwidth_solidus", "ideographic_comma"),
    "exclamation_mark": ("fullwidth_exclamation_mark",),
    "comma": ("fullwidth_comma",),
    "full_stop": ("ideographic_full_stop",),
    "left_square_bracket": ("left_black_lenticular_bracket", "fullwidth_left_square_bracket"),
    "right_square_bracket": ("right_black_lenticular_bracket", "fullwidth_right_square_bracket"),
    "less_than_sign": ("left_double_angle_bracket", "fullwidth_less_than_sign"),
    "greater_than_sign": ("right_double_angle_bracket", "fullwidth_greater_than_sign"),
    "percent_sign": ("fullwidth_percent_sign",),
    "ampersand": ("fullwidth_ampersand",),
    "apostrophe": ("left_single_quotation_mark", "right_single_quotation_mark"),
    "plus": ("fullwidth_plus_sign",),
    "minus": ("fullwidth_hyphen_minus",),
    "equals_sign": ("fullwidth_equals_sign",),
}
"""What a Chinese input method sends for a punctuation key."""

KEY_SYMBOLS: Mapping[str, str] = {
    "question_mark": "?", "colon": ":", "slash": "/", "ampersand": "&", "comma": ",", "full_stop": ".", "apostrophe": "'",
    "percent_sign": "%", "plus": "+", "minus": "-", "equals_sign": "=", "underscore": "_", "less_than_sign": "<",
    "greater_than_sign": ">", "exclamation_mark": "!", "left_square_bracket": "[", "right_square_bracket": "]",
    "escape": "esc", "pageup": "pgup", "pagedown": "pgdn", "left": "←", "right": "→", "up": "↑", "down": "↓",
}  # fmt: skip


@dataclass(frozen=True)
class Action:
    """One thing that a user can do, wherever it is possible."""

    id: str
    keys: tuple[str, ...]
    """Textual key names, the one shown in hints first."""
    label: str
    """One short word for the footer (message id)."""
    help: str
    """What it does, for `?` and the palette (message id)."""
    group: str
    """One of `GROUPS`."""
    scope: str = "global"
    """Section of keys.toml: `global` or `table`."""
    hint: str = ""
    """How the footer writes its key together with its counterpart's (`< >`); empty for its own key."""

    @property
    def bound_keys(self) -> tuple[str, ...]:
        """Its keys and their full-width forms."""
        return tuple(dict.fromkeys(alias for key in self.keys for alias in (key, *FULL_WIDTH.get(key, ()))))


def _actions() -> Iterable[Action]:
    move, look, narrow, columns, take, anytime = GROUPS
    yield Action("up", ("up", "k"), N_("up"), N_("row up"), move)
    yield Action("down", ("down", "j"), N_("down"), N_("row down"), move)
    yield Action("left", ("left", "h"), N_("left"), N_("column to the left"), move)
    yield Action("right", ("right", "l"), N_("right"), N_("column to the right"), move)
    yield Action("page_up", ("pageup",), N_("page up"), N_("page up"), move)
    yield Action("page_down", ("pagedown",), N_("page down"), N_("page down"), move)
    yield Action("half_up", ("ctrl+u",), N_("half up"), N_("half a page up"), move)
    yield Action("half_down", ("ctrl+d",), N_("half down"), N_("half a page down"), move)
    yield Action("first", ("g", "home"), N_("first"), N_("first row"), move)
    yield Action("last", ("G", "end"), N_("last"), N_("last row"), move)
    yield Action("goto", ("ctrl+g",), N_("go to"), N_("go to a row number or a name"), move)
    yield Action("pane_next", ("tab",), N_("panes"), N_("next pane"), move)
    yield Action("pane_prev", ("shift+tab",), N_("pane back"), N_("previous pane"), move)

    yield Action("open_item", ("enter",), N_("open"), N_("open what is under the cursor: group, file, screen"), look)
    yield Action("details", ("i",), N_("details"), N_("show or hide the details"), look)
    yield Action("maximise", ("z",), N_("zoom"), N_("give the focused pane the whole screen, and back"), look)
    yield Action("undo", ("u", "backspace"), N_("undo"), N_("undo the last view step"), look)
    yield Action("redo", ("U",), N_("redo"), N_("redo the view step"), look)
    yield Action("aggregate", ("F",), N_("group"), N_("group by this column; a number column: distribution"), look)
    yield Action("units", ("percent_sign",), N_("units"), N_("change the unit of times"), look)
    yield Action("notable_next", ("full_stop",), N_("next"), N_("next row that needs attention"), look, "global", ". ,")
    yield Action("notable_prev", ("comma",), N_("previous"), N_("previous row that needs attention"), look)

    yield Action("filter", ("ampersand",), N_("filter"), N_("show only rows that match an expression"), narrow)
    yield Action("find", ("slash",), N_("find"), N_("find a text"), narrow)
    yield Action("find_next", ("n",), N_("next hit"), N_("next hit"), narrow)
    yield Action("find_prev", ("N",), N_("last hit"), N_("previous hit"), narrow)
    yield Action("focus", ("f",), N_("keep"), N_("keep only rows with this value"), narrow)
    yield Action("hide", ("x",), N_("exclude"), N_("exclude rows with this value"), narrow)
    yield Action("unhide", ("X",), N_("include"), N_("bring excluded rows back"), narrow)
    yield Action("reset", ("0",), N_("reset"), N_("clear filter, order and widths"), narrow)

    yield Action("sort_asc", ("less_than_sign",), N_("sort"), N_("sort by this column, smallest first"), columns, "table")
    yield Action("sort_desc", ("greater_than_sign",), N_("sort"), N_("sort by this column, largest first"), columns, "table", "< >")
    yield Action("choose", ("c",), N_("columns"), N_("choose the columns"), columns)
    yield Action("column_left", ("H",), N_("move left"), N_("move this column to the left"), columns, "table")
    yield Action("column_right", ("L",), N_("move right"), N_("move this column to the right"), columns, "table")
    yield Action("bigger", ("plus", "equals_sign"), N_("wider"), N_("make this column wider"), columns)
    yield Action("smaller", ("minus", "underscore"), N_("narrower"), N_("make this column narrower"), columns)
    yield Action("pin", ("p",), N_("freeze"), N_("freeze the columns up to here"), columns)

    yield Action("select", ("space",), N_("select"), N_("select this row"), take)
    yield Action("range", ("v",), N_("range"), N_("select a range of rows: start, then end"), take)
    yield Action("copy", ("y",), N_("copy"), N_("copy the cell, or the selected rows"), take)
    yield Action("copy_as", ("Y",), N_("copy as"), N_("copy as TSV, CSV, Markdown, JSON, command or path"), take)
    yield Action("export", ("e",), N_("export"), N_("write this view to a file"), take)

    yield Action("screen", ("1", "2", "3", "4", "5", "6", "7", "8", "9"), N_("screens"), N_("go to a screen"), anytime, "global", "1-9")
    yield Action("command", ("colon",), N_("command"), N_("command line"), anytime)
    yield Action("palette", ("ctrl+p",), N_("palette"), N_("all actions and commands that are possible here"), anytime)
    yield Action("help", ("question_mark", "f1"), N_("help"), N_("the keys that are possible here"), anytime)
    yield Action("open_profile", ("o",), N_("open"), N_("open another profile"), anytime)
    yield Action("reread", ("R",), N_("re-read"), N_("read the files again"), anytime)
    yield Action("mouse", ("M",), N_("mouse"), N_("give the mouse to the terminal, and take it back"), anytime)
    yield Action("repaint", ("ctrl+l",), N_("repaint"), N_("paint everything again"), anytime)
    yield Action("cancel", ("ctrl+c",), N_("stop"), N_("stop the running load; twice: offer to quit"), anytime)
    yield Action("leave", ("escape",), N_("leave"), N_("close what is open, drop a highlight or selection"), anytime)
    yield Action("close", ("q",), N_("close"), N_("close, step out; at the top ask to quit"), anytime)


ACTIONS: Mapping[str, Action] = {action.id: action for action in _actions()}


def key_symbol(key: str) -> str:
    """How a key is written in hints: `?` for `question_mark`, `ctrl-p` for `ctrl+p`."""
    if key in KEY_SYMBOLS:
        return KEY_SYMBOLS[key]
    return key.replace("ctrl+", "ctrl-").replace("shift+", "shift-")


def is_forbidden(key: str) -> bool:
    """True for keys that some terminal or multiplexer takes for itself."""
    return key != "shift+tab" and (key in FORBIDDEN_KEYS or key.startswith(FORBIDDEN_PREFIXES))
