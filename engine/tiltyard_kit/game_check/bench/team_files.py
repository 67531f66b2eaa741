"""Teams that a test made, as files that other processes can load."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_kit.game_check.bench.parts import Team

TEXT: Final = '''\
"""An algorithm of a test."""

import pickle

from tiltyard_engine import hookimpl

TEAM = {pickled!r}


@hookimpl
def algorithms():
    yield pickle.loads(TEAM)
'''


def referenced(team: Team, folder: Path, place: int) -> Reference:
    """A reference to the team in a new file of ``folder``.

    Raises:
        UserError: it cannot be pickled: its code is not at the top of a module that other processes can import.
    """
    try:
        pickled = pickle.dumps(team)
    except Exception as error:
        advice = "it needs classes at the top of a module that is installed, or a file of its own that is named by its path"
        raise UserError(f"'{team.name}' cannot play in another process: {error}; {advice}") from error
    path = folder / f"team_{place}.py"
    path.write_text(TEXT.format(pickled=pickled), encoding="utf-8")
    source = Source(name=path.stem, origin=Origin.FILE, value=str(path.resolve()))
    return Reference(kind=ALGORITHM, name=team.name, game=team.game, source=source)
