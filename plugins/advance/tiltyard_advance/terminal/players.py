"""Who sits where: a person, or an algorithm by any name that a command line may give it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tiltyard_advance.choosing import STRENGTHS
from tiltyard_advance.judging import AdvanceSeat
from tiltyard_advance.terminal.look import Look
from tiltyard_engine.host import Host

PERSON: Final = "me"
GAME: Final = "advance"


def is_person(player: str) -> bool:
    """Whether somebody at the terminal moves for this player."""
    return player == PERSON


def full_name(player: str) -> str:
    """What a player is called in files and on the screen: ``7`` is ``advance-level-7``; paths are whole, for a later resume."""
    if player in STRENGTHS:
        return f"advance-{player}" if player.isalpha() else f"advance-level-{player}"
    path = Path(player)
    return str(path.resolve()) if not is_person(player) and path.exists() else player


@contextmanager
def open_seats(host: Host, players: tuple[str, str], limits: Mapping[str, float]) -> Iterator[list[AdvanceSeat | None]]:
    """A seat for each player, None for a person.

    Raises:
        UserError: there is no such algorithm.
    """
    white, black = players
    with _open_seat(host, white, 1, limits) as first, _open_seat(host, black, 2, limits) as second:
        yield [first, second]


@contextmanager
def _open_seat(host: Host, player: str, number: int, limits: Mapping[str, float]) -> Iterator[AdvanceSeat | None]:
    if is_person(player):
        yield None
    else:
        with host.open_player(player, GAME, number, limits) as seat:
            yield seat


def shown_name(player: str, seat: AdvanceSeat | None, look: Look) -> str:
    """What stands beside the board: nothing that could do something to a terminal."""
    name = player if seat is None else seat.name
    text = "".join(character if character.isprintable() else "?" for character in name)
    return text if look.unicode else text.encode("ascii", "replace").decode("ascii")
