"""That players do not see what is hidden from them."""

from __future__ import annotations

import pickle
from collections import defaultdict
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any, Final

from tiltyard_engine.rules import Rules
from tiltyard_engine.seat_kinds.hidden_views import ViewCall, watching
from tiltyard_kit.game_check.bench.bench import SEED, Bench
from tiltyard_kit.game_check.bench.outcomes import NotApplicable, NotShown, Violation, raised

MOST_CALLS: Final = 200
CHANGES: Final = 3
"""For each call."""


def hidden_values(bench: Bench) -> str:
    """What a seat is shown stays the same when all that is hidden from it is changed."""
    bench.sound  # noqa: B018 -- it says why there is nothing to look at
    if not bench.view_calls:
        if isinstance(bench.game.rules, Rules) and bench.game.rules.hides:
            raise NotApplicable("this is for GameManagers that mark views with @hides; of rules, see 'guesses'")
        raise NotApplicable("the game does not say that it hides anything: mark what makes its views with @hides")
    calls: list[ViewCall] = []
    problems: list[Violation] = []
    changed: set[int] = set()
    chance = Random(SEED)

    def look(call: ViewCall) -> None:
        calls.append(call)
        if len(calls) <= MOST_CALLS and not problems:
            try:
                if _probe(call, chance):
                    changed.add(call.seat)
            except Violation as violation:
                # Raised here it would be the GameManager's fault.
                problems.append(violation)

    with watching(look):
        run = bench.play(bench.match())
    if problems:
        raise problems[0]
    if not changed:
        raise Violation(
            "nothing that is hidden was ever changed: each state came back as it was",
            calls[0].change,
            "return a different state, in which everything that the seat can't see is chosen again at random",
        )
    views: dict[int, list[Any]] = defaultdict(list)
    for call in calls:
        views[call.seat].append(call.result)
    for question in run.questions:
        if question.view is not None and not bench.has_tanks and question.view not in views[question.seat]:
            raise Violation(
                f"player {question.seat} was shown what {calls[0].view.__name__} did not make for it: {question.view!r:.80}",
                bench.manager.create,
                "show every seat only what that function returns for it",
            )
    without = sorted({call.seat for call in calls} - changed)
    if without:
        raise NotShown(
            f"nothing that is hidden from player {without[0]} was ever changed: that it does not see it is not shown",
            f"let {calls[0].change.__name__} change what is hidden from that player; if nothing is, skip the property in a test",
        )
    return f"{min(len(calls), MOST_CALLS)} views, each with {CHANGES} other states behind it"


def _probe(call: ViewCall, chance: Random) -> bool:
    """Change what is hidden and compare; whether there was anything to change."""
    changed = False
    for _ in range(CHANGES):
        try:
            other = call.change(call.state, call.seat, chance)
            changed_view = call.view(other, call.seat)
        except Exception as error:
            raise raised(f"changing what is hidden from player {call.seat}", error) from error
        if call.view(call.state, call.seat) != call.result:
            raise Violation(
                f"{call.change.__name__} changed the state that it was given", call.change, "change a copy, and return that"
            )
        if changed_view != call.result:
            raise Violation(
                f"player {call.seat} can tell what is hidden from it: {_difference(call.result, changed_view)}",
                call.view,
                f"show less; or if the seat may know it, leave it as it is in {call.change.__name__}",
            )
        changed = changed or _is_another(other, call.state)
    return changed


def _is_another(one: Any, other: Any) -> bool:
    kind: Any = type(other)
    if one is other or kind.__eq__ is not object.__eq__:
        return one is not other and bool(one != other)
    # Without an __eq__ of its own, a copy is another one, too. What it holds tells more, where it can be pickled.
    try:
        return pickle.dumps(one) != pickle.dumps(other)
    except Exception:
        return True


def _difference(one: Any, other: Any) -> str:
    if is_dataclass(one) and type(one) is type(other):
        for field in fields(one):
            first, second = getattr(one, field.name), getattr(other, field.name)
            if first != second:
                return f"{field.name} is {first!r:.60}, and {second!r:.60} once that is changed"
    return f"it is shown {one!r:.60}, and {other!r:.60} once that is changed"
