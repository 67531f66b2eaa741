"""Holding a game to all properties that games have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.errors import UserError, some_of
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_kit.game_check import (
    fault_properties,
    hidden_properties,
    influence_properties,
    isolation_properties,
    map_properties,
    replay_properties,
    result_properties,
    rules_properties,
    value_properties,
)
from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.outcomes import Mark, NotApplicable, NotShown, Outcome, Violation, raised


@dataclass(frozen=True, slots=True)
class Property:
    """Something that must be true of every game."""

    name: str
    check: Callable[[Bench], str]
    """Says in a line what it looked at. Raises Violation, NotShown or NotApplicable."""


PLAYS: Final = "plays"
RAISED: Final = re.compile(r"\braised (.+)")
PROPERTIES: Final = (
    Property("maps", map_properties.maps),
    Property("generated maps", map_properties.generated_maps),
    Property(PLAYS, result_properties.plays),
    Property("answers matter", influence_properties.answers_matter),
    Property("numbers of players", result_properties.numbers_of_players),
    Property("positions", value_properties.positions),
    Property("answers", value_properties.answers),
    Property("messages", value_properties.messages),
    Property("result", result_properties.result),
    Property("ranks and scores", result_properties.ranks_and_scores),
    Property("result lines", result_properties.result_lines),
    Property("same seed", result_properties.same_seed),
    Property("replay", replay_properties.replays),
    Property("theme", replay_properties.theme),
    Property("truncation", replay_properties.truncation),
    Property("hidden values", hidden_properties.hidden_values),
    Property("rules", rules_properties.pure),
    Property("legal answers", rules_properties.legal_answers),
    Property("guesses", rules_properties.guesses),
    Property("answers in words", rules_properties.words),
    Property("illegal answers", fault_properties.illegal_answers),
    Property("failing seats", fault_properties.failing_seats),
    Property("players in processes", isolation_properties.isolated("process", "inline")),
    Property("players in sandboxes", isolation_properties.isolated("sandbox", "inline")),
    Property("all in sandboxes", isolation_properties.isolated("sandbox", "sandbox")),
)
"""All that a game is held to, in the order in which it is checked; docs/reference/testing-games.md describes each."""


def outcomes_of(bench: Bench, only: Sequence[str] = (), skip: Mapping[str, str] | None = None) -> Iterator[Outcome]:
    """Each property's outcome as soon as it is known.

    Args:
        bench: the game.
        only: the names of properties; empty: all.
        skip: properties that the game is not held to, each with the reason.

    Raises:
        UserError: there is no property of a name, or no map or algorithm to play with.
    """
    left_out = skip or {}
    names = [each.name for each in PROPERTIES]
    for name in (*only, *left_out):
        if name not in names:
            raise UserError(f"no property is called '{name}'; known: {some_of(names, len(names))}")
    bench.prepare()
    first_failure: Outcome | None = None
    for each in PROPERTIES:
        if each.name in left_out:
            yield Outcome(name=each.name, mark=Mark.NOT_APPLICABLE, detail=f"left out: {left_out[each.name]}")
        elif not only or each.name in only:
            outcome = _outcome(each, bench)
            if each.name == PLAYS and outcome.mark is Mark.FAILED:
                first_failure = outcome
            elif first_failure is not None and _follows(outcome, first_failure):
                outcome = Outcome(name=each.name, mark=outcome.mark, detail=f"as in '{PLAYS}'")
            yield outcome


def _follows(outcome: Outcome, first: Outcome) -> bool:
    """Whether an outcome has no other reason than the failure of the first match."""
    if outcome.mark is Mark.NOT_SHOWN:
        return f"see '{PLAYS}'" in outcome.detail + outcome.advice
    error = RAISED.search(first.detail)
    return outcome.mark is Mark.FAILED and error is not None and error[1] in outcome.detail


def _outcome(tested: Property, bench: Bench) -> Outcome:
    try:
        return Outcome(name=tested.name, mark=Mark.PASSED, detail=tested.check(bench))
    except NotApplicable as reason:
        return Outcome(name=tested.name, mark=Mark.NOT_APPLICABLE, detail=one_line(str(reason)))
    except NotShown as reason:
        return Outcome(name=tested.name, mark=Mark.NOT_SHOWN, detail=one_line(str(reason)), advice=reason.advice)
    except Violation as found:
        violation = found
    except Exception as error:
        violation = raised("the game's code", error)
    return Outcome(
        name=tested.name,
        mark=Mark.FAILED,
        detail=one_line(violation.detail),
        where=violation.where,
        advice=violation.advice,
        traceback=violation.traceback,
    )
