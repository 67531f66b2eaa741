"""Tournament files as text, and teams to name in them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.making import team_source

from tiltyard_engine.registry import Registry
from tiltyard_tournaments.tournament_file.document import parse_document
from tiltyard_tournaments.tournament_file.problems import TournamentFileError
from tiltyard_tournaments.tournament_file.resolution import Resolved, resolve

Read = Callable[..., Resolved]


@pytest.fixture
def read(registry: Registry, tmp_path: Path) -> Read:
    """``read(text)`` resolves the text as the file ``cup.yaml`` of ``tmp_path``; other folders' with ``folder=``."""

    def resolved(text: str, folder: Path = tmp_path) -> Resolved:
        return resolve(parse_document(textwrap.dedent(text), "cup.yaml"), folder / "cup.yaml", lambda isolation_policy: registry)

    return resolved


def team(path: Path, *names: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(team_source(*(names or (path.stem,))))


def problems(read: Read, text: str) -> list[str]:
    with pytest.raises(TournamentFileError) as caught:
        read(text)
    return str(caught.value).splitlines()


def map_names(resolved: Resolved) -> list[str]:
    return [source.name for source in resolved.tournament.maps]
