"""GameManagers that fail or break the contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tiltyard_engine import GameManager, GameResult, Manager, Match, TankSeat, hookimpl
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap

FIRST_BAD_ROUND = 3


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no message either")


class OutsideError(BaseException):
    pass


class LateCrash(GameManager[TankMap, TankSeat]):
    """Gets through two rounds."""

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        if match.map.max_steps >= FIRST_BAD_ROUND:
            raise ValueError("line one\nline two")
        return TanksGameManager().run(match)


@dataclass
class Raiser(GameManager[TankMap, TankSeat]):
    error: type[BaseException]

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        raise self.error


@dataclass
class Claimer(GameManager[TankMap, TankSeat]):
    """Claims whatever it was made with."""

    claim: Any

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        return self.claim  # type: ignore[no-any-return]


def local_text() -> Any:
    class LocalText(str):
        """Cannot be sent to another process."""

    return LocalText("local")


@hookimpl
def game_managers() -> Iterator[Manager]:
    yield Manager(name="late-crash", game="tanks", create=LateCrash)
    yield Manager(name="unspeakable", game="tanks", create=lambda: Raiser(UnspeakableError))
    yield Manager(name="outside", game="tanks", create=lambda: Raiser(OutsideError))
    yield Manager(name="exit", game="tanks", create=lambda: Raiser(SystemExit))
    yield Manager(name="nothing", game="tanks", create=lambda: Claimer(None))
    yield Manager(name="no-counts", game="tanks", create=lambda: Claimer(GameResult(0, "x", 1, (" ",), remaining_tanks=None)))  # type: ignore[arg-type]
    yield Manager(
        name="local-text",
        game="tanks",
        create=lambda: Claimer(GameResult(0, local_text(), 1, (local_text(),), message=local_text())),
    )
