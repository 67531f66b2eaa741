"""The test kit for games: check that a game keeps its contract, and play its matches with given or scripted algorithms.

A game's whole test file may be::

    from tiltyard_kit.testing import check_game


    def test_it_is_a_sound_game() -> None:
        check_game("connect-four")

A test that says ``pytest_plugins = ["tiltyard_kit.testing"]``, in its file or in ``conftest.py``, has three fixtures more.
``play_match`` plays matches, ``isolation`` lets a test run once for each way to isolate the code of teams, and ``game_host`` saves
``check_game`` its start-up::

    pytest_plugins = ["tiltyard_kit.testing"]


    def test_a_column_wins(play_match: PlayMatch, isolation: str) -> None:
        players = [scripted(0, 0, 0, 0), scripted(1, 1, 1)]
        assert play_match("connect-four", players, isolation=isolation).winner == 1

Whatever needs other processes needs tiltyard itself. Where only ``tiltyard-engine`` is installed, such tests are skipped.
docs/reference/testing-games.md describes every property.

PYTEST_DONT_REWRITE: there are no assertions here, and pytest would warn of a test file that imports this before it names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

import pytest

from tiltyard_engine.host import Host, find_host
from tiltyard_engine.match_record import PlayedMatch
from tiltyard_engine.records import MapFile, check_players
from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.inline_match import InlineMatch, play_inline
from tiltyard_kit.game_check.bench.outcomes import GameCheckError, Mark, NotApplicable, Outcome
from tiltyard_kit.game_check.bench.parts import GameLike, GameParts, Team, parts_of, with_team
from tiltyard_kit.game_check.bench.scripts import scripted, scripted_tanks, wanderer
from tiltyard_kit.game_check.check import PROPERTIES, outcomes_of

__all__ = [
    "ISOLATIONS",
    "PROPERTIES",
    "GameCheckError",
    "GameParts",
    "Mark",
    "Outcome",
    "PlayMatch",
    "check_game",
    "game_host",
    "isolation",
    "parts_of",
    "play_match",
    "scripted",
    "scripted_tanks",
    "wanderer",
]

ISOLATIONS = ("inline", "process", "sandbox")
"""The ways to isolate the code of teams, as the fixture ``isolation`` gives them."""
Player: TypeAlias = "str | Team"
"""The name of an algorithm, a file or ``FILE:NAME``; or the record of one, such as ``scripted`` makes."""


def check_game(
    game: GameLike,
    *,
    manager: str = "",
    map: str | MapFile = "",  # noqa: A002 -- the word of the field
    players: Sequence[Player] = (),
    only: Sequence[str] = (),
    skip: Mapping[str, str] | None = None,
    host: Host | None = None,
) -> tuple[Outcome, ...]:
    """Check that a game has all properties that apply to it.

    Args:
        game: its name, if it is installed; the path of its file or folder; its plugin's module; or its parts.
        manager: the GameManager's name; empty: the game's default one.
        map: a shipped map's name, or a map; empty: the smallest shipped one, or one that the game generates.
        players: who plays, seat 1 first, and then again from the first; empty: two quick algorithms of the game.
        only: the names of the properties to check; empty: all.
        skip: properties that the game is not held to, each with the reason; also those that it cannot show.
        host: what plays matches in other processes; by default the simulator, where it is installed.

    Returns:
        The outcome of each property.

    Raises:
        GameCheckError: the game does not have one, or the matches never came to it; an AssertionError.
        UserError: there is no such game, map, algorithm or property.
    """
    __tracebackhide__ = True
    parts, teams = _with_players(parts_of(game), players)
    game_map = _map_of(parts, map)
    with Bench(parts, manager=parts.manager(manager), game_map=game_map, teams=teams, host=host) as bench:
        outcomes = tuple(outcomes_of(bench, only, skip))
    if any(outcome.mark in (Mark.FAILED, Mark.NOT_SHOWN) for outcome in outcomes):
        raise GameCheckError(parts.game.name, outcomes)
    return outcomes


def _with_players(parts: GameParts, players: Sequence[Player]) -> tuple[GameParts, list[Team]]:
    teams: list[Team] = []
    for player in players:
        parts, team = with_team(parts, player) if isinstance(player, str) else (parts, player)
        teams.append(team)
    return parts, teams


def _map_of(parts: GameParts, choice: str | MapFile) -> MapFile | None:
    return choice if isinstance(choice, MapFile) else parts.map(choice) if choice else None


class PlayMatch(Protocol):
    """What the fixture ``play_match`` is."""

    def __call__(
        self,
        game: GameLike,
        players: Sequence[Player],
        *,
        map: str | MapFile = "",  # noqa: A002
        manager: str = "",
        seed: int = 0,
        rounds: int | None = None,
        isolation: str = "inline",
        manager_isolation: str = "inline",
    ) -> PlayedMatch:
        """Play a match, recorded.

        Args:
            game: as for ``check_game``.
            players: seat 1 first.
            map: a shipped map's name, or a map; empty: the smallest shipped one for so many players.
            manager: the GameManager's name; empty: the game's default one.
            seed: the match's.
            rounds: end after so many, if the game can be shortened; None: play to the end.
            isolation: of the players: ``inline``, ``process`` or ``sandbox``.
            manager_isolation: that of the GameManager.

        Raises:
            UserError: there is no such game, map or player, or the match cannot be set up.
        """
        ...


@pytest.fixture(scope="session")
def game_host() -> Iterator[Host]:
    """What plays in other processes, the same for all tests of a run: ``check_game(..., host=game_host)`` starts sooner with it."""
    with find_host(is_quiet=True) as host:
        yield host


@pytest.fixture(params=ISOLATIONS)
def isolation(request: pytest.FixtureRequest, game_host: Host) -> str:
    """Each way to isolate the code of teams; skips those that this machine does not have."""
    way: str = request.param
    missing = game_host.isolations()[way]
    if missing:
        pytest.skip(missing)
    return way


@pytest.fixture(scope="session")
def play_match(game_host: Host) -> PlayMatch:
    """Plays matches: see :class:`PlayMatch`. What this machine cannot isolate skips the test."""

    def play(
        game: GameLike,
        players: Sequence[Player],
        *,
        map: str | MapFile = "",  # noqa: A002
        manager: str = "",
        seed: int = 0,
        rounds: int | None = None,
        isolation: str = "inline",
        manager_isolation: str = "inline",
    ) -> PlayedMatch:
        parts, teams = _with_players(parts_of(game), players)
        seats = len(teams)
        check_players(parts.game, seats)
        with Bench(parts, manager=parts.manager(manager), teams=teams, host=game_host) as bench:
            game_map = _map_of(parts, map) or bench.map_for(seats)
            names = [team.name for team in teams]
            match = InlineMatch(
                game=parts.game, manager=bench.manager, map=game_map, teams=teams, names=names, seed=seed, rounds=rounds
            )
            if (isolation, manager_isolation) == ("inline", "inline"):
                return play_inline(match).record
            try:
                return bench.play_isolated(match, isolation, manager_isolation)
            except NotApplicable as reason:
                pytest.skip(str(reason))

    return play
