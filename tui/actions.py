"""The one keymap: action id → keys, words, help. Footer, `?`, palette, bindings and docs/keys.md are made from it.

An action that no screen implements cannot be bound or listed; a key means the same idea on every screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tui.i18n import N_

GROUPS = (N_("move"), N_("time"), N_("lanes"), N_("look"), N_("narrow"), N_("columns"), N_("take"), N_("any time"))

FORBIDDEN_PREFIXES = ("alt+", "shift+", "ctrl+shift+", "super+", "meta+")
FORBIDDEN_KEYS = frozenset(
    {
        "ctrl+a",
        "ctrl+b",
        "ctrl+s",
        "ctrl+q",
        "ctrl+z",
        "ctrl+backslash",
        "ctrl+i",
        "ctrl+j",
        "ctrl+m",
        "ctrl+h",
        "insert",
    }
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
    "question_mark": "?", "colon": ":", "slash": "/", "ampersand": "&", "comma": ",", "full_stop": ".",
    "apostrophe": "'",
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
    move, time, lanes, look, narrow, columns, take, anytime = GROUPS
    yield Action("up", ("up", "k"), N_("up"), N_("row up"), move)
    yield Action("down", ("down", "j"), N_("down"), N_("row down"), move)
    yield Action("left", ("left", "h"), N_("left"), N_("column left"), move)
    yield Action("right", ("right", "l"), N_("right"), N_("column right"), move)
    yield Action("page_up", ("pageup",), N_("page up"), N_("page up"), move)
    yield Action("page_down", ("pagedown",), N_("page down"), N_("page down"), move)
    yield Action("half_up", ("ctrl+u",), N_("half up"), N_("half a page up"), move)
    yield Action("half_down", ("ctrl+d",), N_("half down"), N_("half a page down"), move)
    yield Action("first", ("g", "home"), N_("first"), N_("first row"), move)
    yield Action("last", ("G", "end"), N_("last"), N_("last row"), move)
    yield Action("goto", ("ctrl+g",), N_("go to"), N_("go to row or name"), move)
    yield Action("pane_next", ("tab",), N_("panes"), N_("next pane"), move)
    yield Action("pane_prev", ("shift+tab",), N_("pane back"), N_("previous pane"), move)

    yield Action("zoom_in", ("w",), N_("zoom"), N_("zoom in"), time, "timeline", "w s")
    yield Action("zoom_out", ("s",), N_("zoom"), N_("zoom out"), time, "timeline")
    yield Action("pan_left", ("a",), N_("pan"), N_("to earlier times"), time, "timeline", "a d")
    yield Action("pan_right", ("d",), N_("pan"), N_("to later times"), time, "timeline")
    yield Action("zoom_in_fast", ("W",), N_("zoom"), N_("zoom in 4 times"), time, "timeline")
    yield Action("zoom_out_fast", ("S",), N_("zoom"), N_("zoom out 4 times"), time, "timeline")
    yield Action("pan_left_fast", ("A",), N_("pan"), N_("a window earlier"), time, "timeline")
    yield Action("pan_right_fast", ("D",), N_("pan"), N_("a window later"), time, "timeline")
    yield Action("link_forward", ("right_square_bracket",), N_("link"), N_("what it caused"), time)
    yield Action("link_back", ("left_square_bracket",), N_("launch"), N_("what caused it"), time)
    yield Action("lane_down", ("J",), N_("lane down"), N_("lane down"), lanes, "timeline")
    yield Action("lane_up", ("K",), N_("lane up"), N_("lane up"), lanes, "timeline")
    yield Action("to_timeline", ("t",), N_("timeline"), N_("this on the timeline"), look)
    yield Action("to_table", ("T",), N_("table"), N_("events of the lane or range"), look)

    yield Action("open_item", ("enter",), N_("open"), N_("open, drill down"), look)
    yield Action("details", ("i",), N_("details"), N_("details on, off"), look)
    yield Action("maximise", ("z",), N_("zoom"), N_("pane on whole screen"), look)
    yield Action("undo", ("u", "backspace"), N_("undo"), N_("undo view step"), look)
    yield Action("redo", ("U",), N_("redo"), N_("redo view step"), look)
    yield Action("aggregate", ("F",), N_("group"), N_("group by this column"), look)
    yield Action("units", ("percent_sign",), N_("units"), N_("unit of times"), look)
    yield Action("notable_next", ("full_stop",), N_("next"), N_("next notable row"), look, "global", ". ,")
    yield Action("notable_prev", ("comma",), N_("previous"), N_("notable row before"), look)

    yield Action("filter", ("ampersand",), N_("filter"), N_("filter by expression"), narrow)
    yield Action("find", ("slash",), N_("find"), N_("find text"), narrow)
    yield Action("find_next", ("n",), N_("next hit"), N_("next hit"), narrow)
    yield Action("find_prev", ("N",), N_("last hit"), N_("hit before"), narrow)
    yield Action("focus", ("f",), N_("keep"), N_("keep only this value"), narrow)
    yield Action("hide", ("x",), N_("exclude"), N_("exclude this value"), narrow)
    yield Action("unhide", ("X",), N_("include"), N_("include excluded again"), narrow)
    yield Action("reset", ("0",), N_("reset"), N_("clear filter and order"), narrow)

    yield Action("sort_asc", ("less_than_sign",), N_("sort"), N_("sort, smallest first"), columns, "table")
    yield Action("sort_desc", ("greater_than_sign",), N_("sort"), N_("sort, largest first"), columns, "table", "< >")
    yield Action("choose", ("c",), N_("columns"), N_("choose columns"), columns)
    yield Action("column_left", ("H",), N_("move left"), N_("move column left"), columns, "table")
    yield Action("column_right", ("L",), N_("move right"), N_("move column right"), columns, "table")
    yield Action("bigger", ("plus", "equals_sign"), N_("wider"), N_("wider column"), columns)
    yield Action("smaller", ("minus", "underscore"), N_("narrower"), N_("narrower column"), columns)
    yield Action("pin", ("p",), N_("freeze"), N_("freeze columns to here"), columns)

    yield Action("reference", ("r",), N_("reference"), N_("compare rows with this one"), look)
    yield Action("baseline", ("b",), N_("baseline"), N_("make it the baseline"), look)
    yield Action("swap", ("B",), N_("swap"), N_("swap A and B"), look)
    yield Action("mark", ("m",), N_("mark"), N_("mark this, unmark"), take)
    yield Action("marks", ("apostrophe",), N_("marks"), N_("list marks"), take)
    yield Action("select", ("space",), N_("select"), N_("select row"), take)
    yield Action("range", ("v",), N_("range"), N_("range: start … end"), take)
    yield Action("copy", ("y",), N_("copy"), N_("copy cell or selection"), take)
    yield Action("copy_as", ("Y",), N_("copy as"), N_("copy as TSV, CSV, …"), take)
    yield Action("export", ("e",), N_("export"), N_("write view to a file"), take)

    yield Action(
        "screen",
        ("1", "2", "3", "4", "5", "6", "7", "8", "9"),
        N_("screens"),
        N_("go to a screen"),
        anytime,
        "global",
        "1-9",
    )
    yield Action("command", ("colon",), N_("command"), N_("command line"), anytime)
    yield Action("palette", ("ctrl+p",), N_("palette"), N_("everything possible here"), anytime)
    yield Action("help", ("question_mark", "f1"), N_("help"), N_("keys of this screen"), anytime)
    yield Action("open_profile", ("o",), N_("open"), N_("open another profile"), anytime)
    yield Action("reread", ("R",), N_("re-read"), N_("read files again"), anytime)
    yield Action("run", ("exclamation_mark",), N_("run"), N_("run msprof or aoe"), anytime)
    yield Action("mouse", ("M",), N_("mouse"), N_("mouse on, off"), anytime)
    yield Action("repaint", ("ctrl+l",), N_("repaint"), N_("repaint"), anytime)
    yield Action("cancel", ("ctrl+c",), N_("stop"), N_("stop load; twice: quit"), anytime)
    yield Action("leave", ("escape",), N_("leave"), N_("drop search, selection"), anytime)
    yield Action("close", ("q",), N_("close"), N_("step out, quit"), anytime)


PAIRS: Mapping[str, tuple[str, str]] = {
    "up": ("down", N_("row up, down")),
    "left": ("right", N_("column left, right")),
    "page_up": ("page_down", N_("page up, down")),
    "half_up": ("half_down", N_("half a page")),
    "first": ("last", N_("first, last row")),
    "pane_next": ("pane_prev", N_("next pane, back")),
    "zoom_in": ("zoom_out", N_("zoom in, out")),
    "pan_left": ("pan_right", N_("pan")),
    "zoom_in_fast": ("zoom_out_fast", N_("zoom 4 times")),
    "pan_left_fast": ("pan_right_fast", N_("pan a window")),
    "link_forward": ("link_back", N_("link forward, back")),
    "lane_down": ("lane_up", N_("move lane")),
    "to_timeline": ("to_table", N_("timeline, table")),
    "undo": ("redo", N_("undo, redo view step")),
    "notable_next": ("notable_prev", N_("notable row: next, back")),
    "find_next": ("find_prev", N_("hit: next, back")),
    "sort_asc": ("sort_desc", N_("sort up, down")),
    "column_left": ("column_right", N_("move column")),
    "bigger": ("smaller", N_("column width")),
    "hide": ("unhide", N_("exclude value, undo all")),
    "copy": ("copy_as", N_("copy, copy as")),
    "baseline": ("swap", N_("baseline, swap A and B")),
    "mark": ("marks", N_("mark this, list marks")),
}
"""Actions that the help shows in one line with their counterpart: first id → (second id, help of both)."""

ACTIONS: Mapping[str, Action] = {action.id: action for action in _actions()}


def key_symbol(key: str) -> str:
    """How a key is written in hints: `?` for `question_mark`, `ctrl-p` for `ctrl+p`."""
    if key in KEY_SYMBOLS:
        return KEY_SYMBOLS[key]
    return key.replace("ctrl+", "ctrl-").replace("shift+", "shift-")


def is_forbidden(key: str) -> bool:
    """True for keys that some terminal or multiplexer takes for itself."""
    return key != "shift+tab" and (key in FORBIDDEN_KEYS or key.startswith(FORBIDDEN_PREFIXES))
