from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tiltyard_engine.host import HostPlayer
from tiltyard_engine.records import Game, MapFile
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MAP
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_web_play.lobby import Lobby
from tiltyard_web_play.server import PlayServer
from tiltyard_web_play.table import GameTable, TableQuestion
from tiltyard_web_play.venue import HostVenue

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "games"
TRUST = [str(EXAMPLES / f"{name}.py") for name in ("connect_four", "dilemma", "high_card", "pig_race")]
MakeVenue = Callable[..., HostVenue]
Serve = Callable[[Lobby], str]


@pytest.fixture(scope="session")
def policy() -> IsolationPolicy:
    return IsolationPolicy.from_environment(TRUST)


@pytest.fixture(scope="session")
def registry(policy: IsolationPolicy) -> Registry:
    return open_registry(policy)


@pytest.fixture
def make_venue(registry: Registry, policy: IsolationPolicy) -> MakeVenue:
    def make(game: str, *players: str, maps: dict[str, bytes] | None = None) -> HostVenue:
        record: Game[Any] = registry.game(game)
        finder = Finder(registry)
        found = {name: HostPlayer(name, finder.plugin(name, ALGORITHM, game)) for name in players}
        shipped = {entry.name: entry.contribution.data for entry in registry.all(MAP, game)}
        files = [MapFile(name, game, data, 0) for name, data in (maps or shipped).items()]
        return HostVenue(record, finder.manager(game).name, files, found, policy)

    return make


@pytest.fixture
def lobbies() -> Iterator[list[Lobby]]:
    """Those that are closed after the test."""
    opened: list[Lobby] = []
    yield opened
    for lobby in opened:
        lobby.close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves a lobby as long as the test lasts, and returns the address of its page."""
    ends: list[Callable[[], None]] = []

    def start(lobby: Lobby) -> str:
        server = PlayServer(lobby, 0)
        thread = threading.Thread(target=server.serve, args=("here", False), daemon=True)
        thread.start()
        ends.extend((server.stop, thread.join))
        return server.address({}).partition("#")[0]

    yield start
    for end in ends:
        end()


def asked(table: GameTable, number: int = 0) -> TableQuestion:
    """What the table asks next; ``number`` is that of the question, 0: any."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        _, _, question, result, problem = table.look()
        assert not problem, problem
        assert result is None, result
        if question is not None and number in (0, question.number):
            return question
        time.sleep(0.01)
    raise AssertionError("nothing was asked")


def questions(table: GameTable) -> Iterator[TableQuestion]:
    """What the table asks until the game is over; each must be answered."""
    end = time.monotonic() + 120
    while not table.is_over:
        assert time.monotonic() < end, "nothing was asked"
        question = table.look()[2]
        if question is None:
            time.sleep(0.01)
        else:
            yield question


def ended(table: GameTable) -> str:
    """How the game ended, or why it couldn't be played."""
    table.join(60)
    _, _, _, result, problem = table.look()
    assert table.is_over
    return problem or (result.message if result is not None else "")


def texts(question: TableQuestion) -> list[str]:
    return [choice.text for choice in question.choices.choices]
