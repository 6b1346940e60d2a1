"""Undo and redo of view steps, and the steps themselves."""

from __future__ import annotations

import random

from tui.model.view import View
from tui.screens.history import LIMIT, History
from tui.screens.views import excluding, grouped_by, is_narrowed, keeping


def test_steps_go_back_and_forth() -> None:
    history = History("a")
    assert not history.can_undo
    assert not history.can_redo
    history.push("b")
    history.push("c")
    assert history.undo() == "b"
    assert history.undo() == "a"
    assert not history.can_undo
    assert history.undo() == "a"
    assert history.redo() == "b"
    assert history.redo() == "c"
    assert not history.can_redo
    assert history.redo() == "c"


def test_a_new_step_forgets_what_was_undone() -> None:
    history = History(1)
    history.push(2)
    history.undo()
    history.push(3)
    assert not history.can_redo
    assert history.undo() == 1


def test_replacing_adds_no_step() -> None:
    history = History("row 0")
    history.replace("row 7")
    assert not history.can_undo
    history.push("filter")
    assert history.undo() == "row 7"


def test_at_least_a_hundred_steps_are_kept_and_the_oldest_forgotten() -> None:
    assert LIMIT >= 100
    history = History(0)
    for number in range(1, 3 * LIMIT):
        history.push(number)
    steps = 0
    while history.can_undo:
        history.undo()
        steps += 1
    assert steps == LIMIT
    assert history.current == 2 * LIMIT - 1


def test_any_walk_agrees_with_a_list_and_a_position() -> None:
    rng = random.Random(5)
    history, steps, at = History(0), [0], 0
    for number in range(1, 150):
        kind = rng.choice(("push", "undo", "redo"))
        if kind == "push":
            del steps[at + 1 :]
            steps.append(number)
            at += 1
            history.push(number)
        elif kind == "undo":
            at = max(at - 1, 0)
            history.undo()
        else:
            at = min(at + 1, len(steps) - 1)
            history.redo()
        assert history.current == steps[at]
        assert (history.can_undo, history.can_redo) == (at > 0, at < len(steps) - 1)


def test_keeping_replaces_the_value_of_the_same_column() -> None:
    view = keeping(keeping(View(), "op_type", "Mul"), "task_type", "AI_CORE")
    assert keeping(view, "op_type", "Tanh").only == (("task_type", "AI_CORE"), ("op_type", "Tanh"))


def test_excluding_adds_up_and_twice_is_once() -> None:
    view = excluding(excluding(View(), "op_type", "Mul"), "op_type", "Tanh")
    assert view.exclude == (("op_type", "Mul"), ("op_type", "Tanh"))
    assert excluding(view, "op_type", "Mul") == view


def test_grouping_drops_the_order_and_keeps_the_conditions() -> None:
    view = View(filter="dur>1", only=(("a", "b"),), sort=(("x", True),))
    assert grouped_by(view, ("op_type",)) == View(filter="dur>1", only=(("a", "b"),), group=("op_type",))
    assert grouped_by(grouped_by(view, ("op_type",)), ()).group == ()


def test_only_conditions_narrow() -> None:
    assert not is_narrowed(View(group=("a",), sort=(("a", True),)))
    assert is_narrowed(View(filter="x"))
    assert is_narrowed(View(only=(("a", "b"),)))
    assert is_narrowed(View(exclude=(("a", "b"),)))
