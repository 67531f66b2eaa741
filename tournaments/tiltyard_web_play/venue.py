"""What can be played: a game, who sits in the other seats, on which maps; and how a match of them is played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.host import HostMatch, HostPlayer, own_player
from tiltyard_engine.match_record import PlayedMatch, played_match
from tiltyard_engine.records import Game, MapFile, check_players, usual_players
from tiltyard_engine.registry import Reference
from tiltyard_engine.replay import Recorder
from tiltyard_engine.rules import Rules
from tiltyard_engine.seat_kinds.seat_ports import SeatPort
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import with_key
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.host import GuardHost
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.replays.files import record_replay
from tiltyard_tournaments.running.tournament import Tournament

PERSON: Final = "you"
"""What the person is called."""


class MatchPlayer(ABC):
    """Plays one table's match, again where a move was taken back."""

    @abstractmethod
    def play(self, ports: Mapping[int, SeatPort], recorder: Recorder) -> PlayedMatch:
        """The match; the person's seat is behind the port."""

    @abstractmethod
    def close(self) -> None:
        """End the processes of the other players."""


class Venue(ABC):
    """What can be played here."""

    title: str
    game: Game[Any]
    maps: tuple[str, ...]
    home: str = ""
    """The address of the page that leads here; empty: there is none."""

    @property
    @abstractmethod
    def opponents(self) -> tuple[str, ...]:
        """Who can sit in the other seats now."""

    @abstractmethod
    def player(self, names: Sequence[str], seat: int, map_name: str, seed: int) -> MatchPlayer:
        """A match of these, the person in ``seat``.

        Raises:
            UserError: it can't be played.
        """

    @property
    def seats(self) -> int:
        """How many play a game."""
        return usual_players(self.game)

    def check(self, names: Sequence[str], map_name: str) -> None:
        """Refuse what isn't here.

        Raises:
            UserError: says what is.
        """
        check_players(self.game, len(names))
        for name in names:
            if name != PERSON and name not in self.opponents:
                raise UserError(f"{name!r:.60} doesn't play here; expected one of {', '.join(self.opponents)}")
        if map_name not in self.maps:
            raise UserError(f"{map_name!r:.60} is no map here; expected one of {', '.join(self.maps)}")


def check_game(game: Game[Any]) -> None:
    """Refuse games that nobody can play by hand.

    Raises:
        UserError: the game is one.
    """
    if not isinstance(game.rules, Rules):
        raise UserError(f"{game.name} doesn't state its rules, so nobody can play it by hand")
    if not game.rules.can_guess:
        raise UserError(f"{game.name} hides something, so its rules need guess(view, seat, chance) to be played by hand")


class HostVenue(Venue):
    """A game against what an installation has, for the person at this machine."""

    def __init__(
        self, game: Game[Any], manager: str, maps: Sequence[MapFile], players: Mapping[str, HostPlayer], policy: IsolationPolicy
    ) -> None:
        check_game(game)
        self.title, self.game = game.name, game
        self.maps = tuple(each.name for each in maps)
        self._maps = {each.name: each for each in maps}
        self._manager, self._players, self._policy = manager, players, policy

    @property
    def opponents(self) -> tuple[str, ...]:
        return tuple(self._players)

    def player(self, names: Sequence[str], seat: int, map_name: str, seed: int) -> MatchPlayer:
        """A match in a host of its own: several may be played at once."""
        own = own_player(PERSON, self.game.name)
        match = HostMatch(
            game=self.game.name,
            manager=self._manager,
            map_name=map_name,
            map_data=self._maps[map_name].data,
            players=tuple(own if at == seat else self._players[name] for at, name in enumerate(names, start=1)),
            seed=seed,
        )
        return _HostMatchPlayer(GuardHost(policy=self._policy), match)


class _HostMatchPlayer(MatchPlayer):
    def __init__(self, host: GuardHost, match: HostMatch) -> None:
        self._host, self._match = host, match

    def play(self, ports: Mapping[int, SeatPort], recorder: Recorder) -> PlayedMatch:
        return self._host.play_with(self._match, ports, recorder)

    def close(self) -> None:
        self._host.close()


class TournamentVenue(Venue):
    """A tournament's teams on its maps, held and limited as in its own games. These games don't count."""

    home = "/index.html"

    def __init__(self, tournament: Tournament) -> None:
        game = tournament.game.load_as(Game)
        check_game(game)
        out = {each.team.label for each in tournament.disqualified}
        self.title, self.game = tournament.title, game
        self._teams = {team.label: team for team in tournament.teams if team.label not in out}
        self._maps = {each.name: each for each in tournament.maps}
        self.maps = tuple(self._maps)
        self._tournament = tournament

    @property
    def opponents(self) -> tuple[str, ...]:
        return tuple(self._teams)

    def player(self, names: Sequence[str], seat: int, map_name: str, seed: int) -> MatchPlayer:
        """A match in an arena of its own."""
        teams = [None if at == seat else self._teams[name] for at, name in enumerate(names, start=1)]
        return player_of(self._tournament, teams, self._maps[map_name], seed)


def player_of(tournament: Tournament, teams: Sequence[Reference | None], source: MapSource, seed: int) -> MatchPlayer:
    """A match of teams and a person, held and limited as in the tournament's own games, in an arena of its own.

    Args:
        tournament: its game, GameManager and limits.
        teams: seat 1 first; None: the person.
        source: the map.
        seed: of the match.

    Raises:
        UserError: this machine can't confine a team.
    """
    own = own_player(PERSON, tournament.game.name).reference
    match = MatchInput(
        game=tournament.game,
        manager=tournament.manager,
        map=MapSource(source.name, source.data),
        teams=tuple(own if team is None else team for team in teams),
        seed=seed,
        on_crash=tournament.on_crash,
    )
    return _ArenaMatchPlayer(tournament.isolation_policy.apply(MatchSpec(match)), teams.index(None) + 1)


class _ArenaMatchPlayer(MatchPlayer):
    def __init__(self, spec: MatchSpec, seat: int) -> None:
        isolations = tuple(
            Isolation.INLINE if number == seat else isolation for number, isolation in enumerate(spec.holding.isolations, start=1)
        )
        self._spec = with_key(replace(spec, holding=replace(spec.holding, isolations=isolations)))
        self._arena = Arena()

    def play(self, ports: Mapping[int, SeatPort], recorder: Recorder) -> PlayedMatch:
        record = self._arena.play(self._spec, recorder, ports)
        return played_match(record, record_replay(record))

    def close(self) -> None:
        self._arena.close()
