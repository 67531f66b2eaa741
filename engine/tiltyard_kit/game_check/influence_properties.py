"""That what teams answer decides how a match ends."""

from __future__ import annotations

from typing import Final

from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.other_answers import Changed, Influence
from tiltyard_kit.game_check.bench.outcomes import NotShown, Violation

ENOUGH: Final = 3
"""After so many other ways to play that left no trace at all, nobody looks at the answers."""
MANY: Final = 20
"""After so many that nobody but the players could tell from the result, the result does not depend on them."""
OTHER_PLAYERS: Final = "name players that play differently: --player NAME --player OTHER, or players=[...] in a test"
USE: Final = "use what seat.choose(position) returns, or choose_all(...)[seat]"


def answers_matter(bench: Bench) -> str:
    """Whatever the seat, other answers of its give another result."""
    if not bench.unfailed.questions:
        raise Violation(
            "no team was asked anything, so the answers of teams can't matter",
            bench.manager.create,
            "ask each seat: seat.choose(position)",
        )
    for changed in bench.changed:
        _check_influence(changed, bench)
    tried = sum(len(changed.claims) for changed in bench.changed)
    return f"{tried} matches with different answers; the answers of each player decide who is better"


def _check_influence(changed: Changed, bench: Bench) -> None:
    seat, tried, traces = changed.seat, len(changed.claims), changed.traces
    if traces[Influence.ORDER] or traces[Influence.SCORES]:
        return
    if all(question.seat != seat for question in bench.unfailed.questions):
        raise NotShown(f"player {seat} was never asked anything", "name a map whose match is longer: --map")
    if not tried:
        what = (
            f"all {changed.refused} other answers of player {seat} were refused"
            if changed.refused
            else "there are no other answers"
        )
        raise NotShown(f"{what}: that its answers decide anything is not shown", OTHER_PLAYERS)
    if traces[Influence.END]:
        raise NotShown(
            f"other answers of player {seat} changed the end of a match, but in none of {tried} matches who is better",
            OTHER_PLAYERS,
        )
    if tried >= (MANY if traces[Influence.SHOWN] else ENOUGH):
        raise Violation(
            f"the result does not depend on what player {seat} answers: it is the same in {tried} matches with other answers",
            bench.manager.create,
            USE,
        )
    raise NotShown(f"other answers of player {seat} changed no result, but there were only {tried} to try", OTHER_PLAYERS)
