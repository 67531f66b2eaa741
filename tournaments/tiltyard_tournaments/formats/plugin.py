"""What the project itself contributes of formats, by an entry point of the distribution ``tiltyard``."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine.formats import Format
from tiltyard_engine.hooks import hookimpl
from tiltyard_tournaments.formats.competition import Competition
from tiltyard_tournaments.formats.gauntlet import Gauntlet, GauntletOptions
from tiltyard_tournaments.formats.pools import Pools, PoolsOptions
from tiltyard_tournaments.formats.round_robin import RoundRobin, RoundRobinOptions
from tiltyard_tournaments.formats.swiss import Swiss, SwissOptions
from tiltyard_tournaments.formats.until_settled import UntilSettled, UntilSettledOptions

TILTYARD_API = 1


@hookimpl
def formats() -> Iterator[Format]:
    """The formats of this room, in the order of the reference page."""
    yield Format("round-robin", RoundRobin, RoundRobinOptions, "all teams meet each other")
    yield Format("gauntlet", Gauntlet, GauntletOptions, "some teams, the challengers, meet all others")
    yield Format("swiss", Swiss, SwissOptions, "in each round teams of about equal points meet, never twice")
    yield Format("competition", Competition, description="assignment 3: on each map, every team meets one other team")
    yield Format("pools", Pools, PoolsOptions, "groups of more than two players, so that all meet about equally often")
    yield Format("until-settled", UntilSettled, UntilSettledOptions, "a round robin that continues between close teams")
