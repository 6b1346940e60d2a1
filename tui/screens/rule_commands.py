"""The commands `:rule` and `:threshold`, from any screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.errors import BadExpression
from tui.i18n import _
from tui.units import parse_quantity
from widgets.choice import ChoiceItem, ChoiceOverlay
from widgets.frame import KeyHint

if TYPE_CHECKING:
    from tui.findings.thresholds import Thresholds
    from tui.judged_app import JudgedApp
    from tui.model.finding import Findings

DEFAULT = "default"


def go_to_rule(app: JudgedApp, text: str) -> str:
    """Goes to the Findings, where the rule is shown or explained; without a text lists all rules."""
    from tui.commands import closest
    from tui.findings.engine import RULES

    rule = text.strip().upper()
    ids = [each.id for each in RULES]
    if not rule:
        _list_rules(app)
        return ""
    if rule not in ids:
        return _("there is no rule {name}; nearest: {like}").format(
            name=text.strip(), like=", ".join(closest(rule, ids))
        )
    app.follow("5", f"rule:{rule}")
    return ""


def _list_rules(app: JudgedApp) -> None:
    from tui.findings.engine import RULES

    items = [ChoiceItem(rule.id, f"{rule.id}  {_(rule.about)}", _state(app.findings, rule.id)) for rule in RULES]

    def chosen(targets: tuple[str, ...] | None) -> None:
        if targets:
            app.follow("5", f"rule:{targets[0]}")

    hints = [KeyHint("enter", _("go")), KeyHint("esc", _("close"))]
    app.push_screen(ChoiceOverlay(_("rules"), items, hints=hints), chosen)


def _state(found: Findings | None, rule: str) -> str:
    if found is None:
        return ""
    if found.of(rule) is not None:
        return _("applies")
    return _("does not apply") if rule in found.quiet else _("not evaluated")


def change_threshold(app: JudgedApp, text: str) -> str:
    """`RULE`, `RULE NAME`, `RULE NAME VALUE`, `RULE VALUE` where the rule has one; `default` in place of a value."""
    from tui.findings.thresholds import load_thresholds

    thresholds = load_thresholds()
    words = text.replace(".", " ", 1).split() if "." in text.partition(" ")[0] else text.split()
    if not words:
        changed = ", ".join(f"{limit.rule} {limit.name} {limit.text}" for limit in thresholds.changed)
        app.tell(_("thresholds changed: {list}").format(list=changed) if changed else _("thresholds: built in"))
        return ""
    rule = _rule_of(words[0], thresholds)
    names = [limit.name for limit in thresholds.of(rule)]
    if not names:
        return _("{rule} has no thresholds").format(rule=words[0])
    value = words[-1] if len(words) > 1 and words[-1] not in names else ""
    named = words[1] if len(words) > 1 and words[1] != value else ""
    if len(words) > 3 or (named and named not in names):
        return _("{rule} has {names}").format(rule=rule, names=", ".join(names))
    if not value:
        _tell(app, thresholds, rule, named)
        return ""
    if not named and len(names) > 1:
        return _("{rule} has several: {names}; name one").format(rule=rule, names=", ".join(names))
    return _changed(app, rule, named or names[0], value)


def _rule_of(word: str, thresholds: Thresholds) -> str:
    """The rule as it is written; `severity` is one too."""
    rules = {rule.upper(): rule for rule, _name in thresholds.limits}
    return rules.get(word.upper(), word)


def _tell(app: JudgedApp, thresholds: Thresholds, rule: str, named: str) -> None:
    limits = [limit for limit in thresholds.of(rule) if not named or limit.name == named]
    app.tell(f"{rule}: " + ", ".join(f"{limit.name} {limit.text}" for limit in limits))


def _changed(app: JudgedApp, rule: str, name: str, typed: str) -> str:
    from tui.findings.threshold_file import set_threshold, user_file

    try:
        value = None if typed == DEFAULT else float(parse_quantity(typed).number)
    except ValueError:
        return _("{value} is no number").format(value=typed)
    try:
        thresholds = set_threshold(rule, name, value)
    except BadExpression as error:
        return error.message
    except OSError as error:
        return _("cannot be written ({reason}): {path}").format(path=user_file(), reason=error.strerror or error)
    limit = thresholds.limit(rule, name)
    text = _("{rule} {name} is {value} from now on; default {default}, in {path}")
    app.tell(
        text.format(rule=rule, name=name, value=f"{limit.value:g}", default=f"{limit.default:g}", path=user_file())
    )
    app.judge()
    return ""
