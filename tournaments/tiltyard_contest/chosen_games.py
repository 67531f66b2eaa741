"""The games of a tournament that a decision is about: some by their numbers, or all of a team, on a map, or both."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_tournaments.publishers.results import SHOWN_KEY, keys_of
from tiltyard_tournaments.running.tournament import Tournament


@dataclass(frozen=True, slots=True)
class ChosenGames:
    """Which games a decision is about, as options say it."""

    match: Annotated[
        list[str] | None,
        typer.Option("--match", help="A game's number, as 'tiltyard replay FILE' lists it, or the start of its key. Repeatable."),
    ] = None
    team: Annotated[str | None, typer.Option("--team", help="All games of this team.", show_default=False)] = None
    map: Annotated[str | None, typer.Option("--map", "--maps", help="All games on this map.", show_default=False)] = None

    def games(
        self, tournament: Tournament, outcomes: Sequence[Outcome], stored: Collection[str] | None, winner: str
    ) -> list[Outcome]:
        """The games, in the order of the schedule.

        Args:
            tournament: whose games they are.
            outcomes: of its games that have ended.
            stored: keys of those that were played, where these alone can be meant.
            winner: the team that they are awarded to, so that they are games of it; empty: they are not awarded.

        Raises:
            UserError: nothing was chosen, or there is no such game, or it was not played and must have been.
        """
        maps = [source.name for source in tournament.maps]
        for what, name, names in (
            ("team", self.team, tournament.names),
            ("map", self.map, maps),
            ("team", winner, tournament.names),
        ):
            if name and name not in names:
                raise NotFoundError(what, name, names)
        if not (self.match or self.team or self.map) or (self.match and (self.team or self.map)):
            raise UserError("choose the games: --match NUMBER, or --team NAME, --map NAME, or both of these")
        if self.match:
            return [_one(text, outcomes, stored, winner) for text in dict.fromkeys(self.match)]
        games = [
            each
            for each in outcomes
            if (stored is None or each.key in stored)
            and (not self.team or self.team in each.teams)
            and (not self.map or self.map == each.map)
            and (not winner or winner in each.teams)
        ]
        if not games:
            raise UserError(f"there are no games {self._which(winner)}{'' if stored is None else ' that were played'}")
        return games

    def about(self, games: Sequence[Outcome], winner: str) -> str:
        """These games in words."""
        if not self.match:
            return f"all {counted(len(games), 'game')} {self._which(winner)}"
        if len(games) > 1:
            return f"games {', '.join(_number_and_key(each) for each in games)}"
        message = f" ({one_line(games[0].message)})" if games[0].message else ""
        return f"game {_number_and_key(games[0])}: {' - '.join(games[0].teams)} on {games[0].map}{message}"

    def _which(self, winner: str) -> str:
        teams = dict.fromkeys(name for name in (winner, self.team) if name)
        return " ".join([*([f"of {' and '.join(teams)}"] if teams else []), *([f"on {self.map}"] if self.map else [])])


def _number_and_key(game: Outcome) -> str:
    """The number, which another team that joins may change, and as much of the key as tells games apart."""
    return f"{game.place + 1} (key {game.key[:SHOWN_KEY]})"


def _one(text: str, outcomes: Sequence[Outcome], stored: Collection[str] | None, winner: str) -> Outcome:
    by_key = {each.key: each for each in outcomes}
    keys = keys_of(text, outcomes, by_key)
    if len(keys) != 1:
        many = f"{counted(len(keys), 'game')} have keys that start with {text}; give more digits"
        raise UserError(many if keys else f"there is no game {text}; 'tiltyard replay' lists the file's games by number")
    game = by_key[keys[0]]
    if stored is not None and game.key not in stored:
        raise UserError(f"game {text} was not played, so it can't be played again: {one_line(game.message)}")
    if winner and winner not in game.teams:
        raise UserError(f"game {text} is not one of {winner}: expected {' or '.join(game.teams)}")
    return game
