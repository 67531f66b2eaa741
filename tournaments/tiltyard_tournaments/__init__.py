"""Who meets whom, what the results mean, and the ``tiltyard`` command.

For use from Python, in programs and notebooks::

    import tiltyard_tournaments as tiltyard

    cup = tiltyard.load("cup.yaml")
    cup.run()
    cup.standings()

``load`` and ``tournament`` give a ``Cup`` (in ``library``), ``play`` plays one match, ``compare`` tests which of two teams is
better. All errors that are a user's to mend are a ``UserError``; that of a tournament file has all its ``problems``. Importing this
is quick: what is needed is imported on first use.

Rooms: ``tournament_file`` reads and checks, ``formats`` say who meets whom, ``running`` plays, ``store`` keeps, ``standings`` and
``ratings`` say what it means, ``publishers`` show it, ``cli`` holds the command, a module a subcommand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.tournament_file.problems import TournamentFileError

if TYPE_CHECKING:
    from tiltyard_engine.lifecycle import Event
    from tiltyard_tournaments.library.comparison import Comparison
    from tiltyard_tournaments.library.cup import Cup
    from tiltyard_tournaments.library.shown_match import PlayedMatch

__all__ = ["TournamentFileError", "UserError", "compare", "load", "play", "tournament"]


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
    """Play one match now and keep nothing of it. The result is an ``Outcome`` and more; notebooks show it as a film with controls.

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


def compare(
    one: Any,
    other: Any,
    maps: Any = None,
    *,
    game: Any = None,
    manager: Any = None,
    elo: float = 50.0,
    confidence: float = 0.95,
    budget: int = 0,
    batch: int = 40,
    seed: int = 1,
    workers: int = 0,
    isolation: str | None = None,
    trust: Sequence[str] = (),
    output: str | Path | None = None,
    progress: Callable[[Event], None] | bool | None = None,
    run: bool = True,
) -> Comparison:
    """Play two teams until a sequential test (SPRT) shows which is better, or that neither is by so much.

    Args:
        one: the team in question, named or given as for ``tournament``; a tuple of a name and a team shows it under that name.
        other: whom it is compared with.
        maps: as for ``tournament``; by default generated ones if the game can, and as many as are needed: algorithms without chance
            play the same game again on the same map.
        game: the game, where the others don't tell it.
        manager: the GameManager; by default the game's own.
        elo: the smallest difference in Elo points that the test should find.
        confidence: the probability that two equal teams are not told apart by mistake.
        budget: the most games; 0: twenty times the first batch, but at least 1000.
        batch: the approximate number of games between two looks at the test.
        seed: of the maps and the games.
        workers: number of worker processes; 0 means one per core.
        isolation: as for ``tournament``.
        trust: distributions and paths whose code may run in this process.
        output: the folder for the results, by default ``comparison``; with teams that are objects a temporary one.
        progress: as for ``Cup.run``.
        run: False: play nothing yet. After Ctrl-C in its ``run``, such a comparison shows what is known so far, and can go on.

    Raises:
        UserError: something named is missing or cannot be used; or as for ``Cup.run``.
        TournamentFileError: with everything that is wrong with the arguments.
    """
    from tiltyard_tournaments.library.comparison import compare_teams

    return compare_teams(
        one,
        other,
        maps,
        run=run,
        progress=progress,
        workers=workers,
        game=game,
        manager=manager,
        elo=elo,
        confidence=confidence,
        budget=budget,
        batch=batch,
        seed=seed,
        isolation=isolation,
        trust=list(trust),
        output=output,
    )
