"""How long a tournament takes, from a few trial games whose results aren't kept."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Fixture
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.time_left import clock
from tiltyard_simulator.match.key import players_of
from tiltyard_simulator.output.reports import without_any_result
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.executor import available_cores
from tiltyard_tournaments.running.spec_maker import SpecMaker
from tiltyard_tournaments.running.tournament import Tournament


def seconds_a_game(specs: SpecMaker, fixtures: Sequence[Fixture], trials: int) -> float:
    """The mean wall time of a game, from trial games spread over the fixtures.

    Args:
        specs: makes the matches.
        fixtures: at least one.
        trials: how many games to play at most.

    Raises:
        UserError: the GameManager or the machine failed in all of them, so that nothing follows from them; or none can be set up.
    """
    step = max(1, len(fixtures) // trials)
    chosen = [specs.spec(fixture, 0) for fixture in fixtures[::step][:trials]]
    with Arena() as arena:
        arena.preload(players_of(chosen))
        outcomes = [arena.play(spec).outcome for spec in chosen]
    if failed := without_any_result(outcomes):
        raise UserError(f"no estimate from {len(outcomes)} trial games: {failed}: {outcomes[0].message}")
    return sum(outcome.seconds for outcome in outcomes) / len(outcomes)


def time_in_words(tournament: Tournament, seconds: float, expected: tuple[int, int]) -> str:
    """Such as ``about 0:40 with 2 workers``: for so many games at least and at most, at so many seconds each."""
    workers = tournament.workers or available_cores()
    least, most = (clock(games * seconds / workers) for games in expected)
    span = most if least == most else f"{least} to {most}"
    return f"about {span} with {counted(workers, 'worker')}"
