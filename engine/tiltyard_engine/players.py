"""How many players a match of a game may have: the one rule of seats, for everything that brings teams and a game together."""

from __future__ import annotations

from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.texts.quantities import counted

LEAST_PLAYERS: Final = 2
"""Of a match in which teams meet. A game for one alone tests a team, and has no tournament."""


def usual_players(game: Game[Any]) -> int:
    """How many play where nobody says: two, or the fewest that the game allows."""
    return 2 if 2 in game.seats else game.seats[0]


def players_in_words(game: Game[Any]) -> str:
    """Such as ``exactly 3 players`` or ``2 to 9 players``."""
    least, most = game.seats[0], game.seats[-1]
    if least == most:
        return f"exactly {counted(least, 'player')}"
    if game.seats.step == 1:
        return f"{least} to {most} players"
    return f"{', '.join(map(str, game.seats[:-1]))} or {most} players"


def check_players(game: Game[Any], players: int, hint: str = "") -> None:
    """Check that a match of the game may have so many players.

    Args:
        game: the game.
        players: how many there would be.
        hint: what to do about it, for the end of the message.

    Raises:
        UserError: it may not.
    """
    if players not in game.seats:
        raise UserError(f"{game.name} is for {players_in_words(game)}, got {players}{hint and f'; {hint}'}")
