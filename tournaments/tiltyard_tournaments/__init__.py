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
from tiltyard_tournaments.tournament_file.problems import TournamentFileError

if TYPE_CHECKING:
    from tiltyard_tournaments.library.cup import Cup
    from tiltyard_tournaments.library.shown_match import PlayedMatch

__all__ = ["TournamentFileError", "UserError", "load", "play", "tournament"]


def load(path: str | Path) -> Cup:
    """The tournament of a file, checked as a whole.

    Raises:
        UserError: the file cannot be read.
        TournamentFileError: with everything that is wrong with it; a UserError too.
    """
    from tiltyard_tournaments.library.making import open_file

    return open_file(Path(path))


def tournament(**keys: Any) -> Cup:
    """The tournament that these keys of a tournament file describe, as ``teams=["acorn", "bots/"]``; errors as ``load``.

    Where a file has a name, you can give the thing itself: among ``teams`` a TankTeam, a TurnTeam, a class or, for games by turns,
    a function; as ``game``, ``manager`` and ``maps`` a Game, a Manager (or a GameManager class) and MapFiles. Such code is your own
    and plays inline. ``teams`` may also be a dict of names and teams.

    Paths are relative to the current folder. Results go to the folder ``output``, by default ``tournament``; with teams that are
    objects to a temporary one, because nobody can tell later what code these were.
    """
    from tiltyard_tournaments.library.making import from_keys

    return from_keys(keys)


def play(
    algorithms: Sequence[Any],
    map: Any,  # noqa: A002 -- the word of the field
    *,
    manager: Any = None,
    game: Any = None,
    seed: int = 0,
    trust: Sequence[str] = (),
    isolation: str | None = None,
) -> PlayedMatch:
    """Play one match now and keep nothing of it. The result is a ``MatchRecord`` that a notebook shows as a film with controls.

    Args:
        algorithms: seat 1 first; installed names, paths, TankTeams, TurnTeams, classes or, for games by turns, functions.
        map: a shipped map's name, a file, or a MapFile.
        manager: the GameManager: a name, a path, a Manager, or a GameManager class; by default the game's own.
        game: the game, where the others don't tell it: a name or a Game.
        seed: the match's.
        trust: distributions and paths whose code may run in this process.
        isolation: ``inline``, ``process`` or ``sandbox`` for all; by default objects and the project's own code inline, and all
            other code in a sandbox.

    Raises:
        UserError: something named is missing or cannot be used. What the teams do wrong is in the match's ``faults``.
    """
    from tiltyard_tournaments.library.one_match import play_match

    return play_match(algorithms, map, manager=manager, game=game, seed=seed, trust=trust, isolation=isolation)
