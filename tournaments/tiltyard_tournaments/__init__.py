"""Who meets whom, what the results mean, and the ``tiltyard`` command.

For use from Python, in programs and notebooks::

    import tiltyard_tournaments as tiltyard

    cup = tiltyard.load("cup.yaml")
    cup.run()
    cup.standings()

``load`` and ``tournament`` give a ``Cup`` (in ``library``), ``play`` plays one match. All errors that are a user's to mend are a
``UserError``; that of a tournament file has all its ``problems``. Importing this is quick: what is needed is imported on first use.

Rooms: ``tournament_file`` reads and checks, ``formats`` say who meets whom, ``running`` plays, ``store`` keeps, ``standings`` and
``ratings`` say what it means, ``publishers`` and ``site`` show it, ``cli`` holds the command, a module a subcommand.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_tournaments.tournament_file.problems import TournamentFileError

if TYPE_CHECKING:
    from tiltyard_tournaments.library import Cup

__all__ = ["TournamentFileError", "UserError", "load", "play", "tournament"]


def load(path: str | Path) -> Cup:
    """The tournament of a file, checked as a whole.

    Raises:
        UserError: the file cannot be read.
        TournamentFileError: with everything that is wrong with it; a UserError too.
    """
    from tiltyard_tournaments.library import open_file

    return open_file(Path(path))


def tournament(**keys: Any) -> Cup:
    """The tournament that these keys of a tournament file describe, as ``teams=["acorn", "bots/"]``; errors as ``load``.

    Paths are relative to the current folder. Results go to the folder ``output``, by default ``tournament``.
    """
    from tiltyard_tournaments.library import from_keys

    return from_keys(keys)


def play(
    algorithms: Sequence[str],
    map: str,  # noqa: A002 -- the word of the field
    *,
    manager: str | None = None,
    game: str | None = None,
    seed: int = 0,
    trust: Sequence[str] = (),
    isolation: str | None = None,
) -> MatchRecord:
    """Play one match now and keep nothing of it.

    Args:
        algorithms: installed names or paths, seat 1 first.
        map: a shipped map's name or a file.
        manager: the GameManager, likewise; by default the game's own.
        game: the game, where the other names don't tell it.
        seed: the match's.
        trust: distributions and paths whose code may run in this process.
        isolation: ``inline``, ``process`` or ``sandbox`` for all; by default the project's own inline, others in a sandbox.

    Raises:
        UserError: something named is missing or cannot be used. What the teams do wrong is in the match's ``faults``.
    """
    from tiltyard_tournaments.library import play_match

    return play_match(algorithms, map, manager=manager, game=game, seed=seed, trust=trust, isolation=isolation)
