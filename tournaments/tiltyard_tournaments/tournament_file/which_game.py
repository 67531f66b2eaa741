"""Which game a file means that names neither game nor GameManager: the one that all installed teams and maps in it are for."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MAP


def which_game(registry: Registry, teams: Sequence[str], maps: Sequence[str]) -> str:
    """The game's name. What is no installed name, such as a path, tells nothing.

    Raises:
        UserError: no game fits, or several do; says what to write.
    """
    installed = [entry.name for entry in registry.all(GAME)]
    fitting = set(installed)
    for kind, texts in ((ALGORITHM, teams), (MAP, maps)):
        for text in texts:
            found = {entry.reference.game for entry in registry.all(kind) if entry.name == text}
            if found:
                fitting &= found
    if len(fitting) == 1:
        return fitting.pop()
    missing = "neither game nor manager is given"
    if fitting:
        raise UserError(f"{missing}, and teams and maps do not tell which; write game: {' or game: '.join(sorted(fitting))}")
    if installed:
        raise UserError(f"{missing}, and the teams and maps are not all of one game; games: {', '.join(installed)}")
    raise UserError(f"{missing}, and no game is installed")
