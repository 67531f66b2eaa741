"""A GameManager's file as an ordinary GameManager, which can referee Players and tanks of any language."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import Manager
from tiltyard_engine.results import GameResult
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import OUTSIDE, ActionRequest, BattleInfo, SatelliteView, TankAlgorithm
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks_native.claim_repair import RawClaim, StateKind, repair_claim
from tiltyard_tanks_native.host_protocol import Writer
from tiltyard_tanks_native.library import FAILED, Callbacks, Claim, Library, library, open_file

PLAYERS: Final = 2
"""The interface of these files knows no more and no fewer."""
_ERROR: Final = -1
_IDLE: Final = int(ActionRequest.DO_NOTHING)


class NativeManager(GameManager[TankMap, TankSeat]):
    """A GameManager that is a C++ object. One a process: what it leaves behind stays there."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        """Let the file's GameManager play the match.

        Raises:
            CppError: it threw an exception.
            NativeError: the file cannot be loaded.
            ContractError: it gave a Player a tank of its own.
        """
        check_players(self._path, len(match.seats))
        tank_map = match.map
        own = library()
        file = open_file(self._path)
        callbacks = _SeatCallbacks(own, match.seats, (tank_map.width, tank_map.height))
        claim = Claim()
        board = ctypes.create_string_buffer(tank_map.width * tank_map.height)
        names = [as_bytes(seat.name) for seat in match.seats]
        size = tank_map.width, tank_map.height
        limits = tank_map.max_steps, tank_map.num_shells
        status: int = own.manage(
            *(file, match.verbose, *size, map_bytes(tank_map), as_bytes(match.map_name), *limits, *names),
            *(callbacks.table, claim, board),
        )
        if callbacks.error is not None:
            raise callbacks.error
        if status == FAILED:
            own.fail()
        # Where this runs the working folder is the match's own, and was empty.
        return repair_claim(_raw(claim, board.raw, own.words), tank_map, Path.cwd() if match.verbose else None)


class _SeatCallbacks:
    """Answers a running manager's questions from the match's seats."""

    def __init__(self, own: Library, seats: Sequence[TankSeat], size: tuple[int, int]) -> None:
        self.error: BaseException | None = None
        """The first one that a seat raised. It ends the run; a manager that goes on nevertheless gets idle answers."""
        self._library = own
        self._seats = seats
        self._size = size
        self._tanks: list[TankAlgorithm] = []
        self.table = Callbacks(
            Callbacks.create_type(self._guarded(self._create, 0)),
            Callbacks.act_type(self._guarded(self._act, _IDLE)),
            Callbacks.brief_type(self._guarded(self._brief, 0)),
            Callbacks.inform_type(self._guarded(self._inform, 0)),
        )

    def _guarded(self, answer: Callable[..., int], idle: int) -> Callable[..., int]:
        def guarded(*arguments: int) -> int:
            if self.error is not None:
                return idle
            try:
                return answer(*arguments)
            except BaseException as error:
                self.error = error
                return _ERROR

        return guarded

    def _create(self, seat: int, tank_index: int) -> int:
        self._tanks.append(self._seats[seat - 1].create_tank(tank_index))
        return len(self._tanks) - 1

    def _act(self, tank: int) -> int:
        return self._tanks[tank].get_action()

    def _brief(self, seat: int, tank: int, view: int) -> int:
        native_view = NativeView(self._library, view, self._size)
        self._seats[seat - 1].player.update_tank_with_battle_info(self._tanks[tank], native_view)
        return 0

    def _inform(self, tank: int) -> int:
        self._tanks[tank].update_battle_info(BattleInfo())
        return 0


class NativeView(SatelliteView):
    """A manager's C++ view; it is read whole when it is first looked at, and may be used while the manager waits."""

    def __init__(self, own: Library, address: int, size: tuple[int, int]) -> None:
        self._library = own
        self._address = address
        self._size = size
        self._rows: list[str] | None = None

    def get_object_at(self, x: int, y: int) -> str:
        """The character of a square; ``&`` outside of the board."""
        width, height = self._size
        return self._read()[y][x] if 0 <= x < width and 0 <= y < height else OUTSIDE

    def get_rows(self, width: int, height: int) -> list[str]:
        """The rows, clipped or filled up with ``&``."""
        rows = [row[:width].ljust(width, OUTSIDE) for row in self._read()[:height]]
        return rows + [OUTSIDE * width] * (height - len(rows))

    def _read(self) -> list[str]:
        if self._rows is None:
            width, height = self._size
            buffer = ctypes.create_string_buffer(width * height)
            if self._library.look(self._address, buffer, width, height) == FAILED:
                self._library.fail()
            self._rows = rows_of(buffer.raw, width)
        return self._rows


def manager_of(path: Path, name: str, description: str = "") -> Manager:
    """The record of a GameManager's file, which is loaded when it first runs."""
    return Manager(name=name, game="tanks", create=partial(NativeManager, path), on_fault="idle", description=description)


def check_players(path: Path, players: int) -> None:
    """Such files play matches of two.

    Raises:
        UserError: there are more or fewer.
    """
    if players != PLAYERS:
        raise UserError(f"{path.stem} only plays matches of two players; this match has {players}")


def prepare_match(tank_map: TankMap, map_name: str, players: int) -> bytes:
    """What ``cpp/cell.cpp`` needs to know of a match."""
    if players != PLAYERS:
        return b""
    writer = Writer().text(as_bytes(map_name)).text(map_bytes(tank_map))
    for number in (tank_map.width, tank_map.height, tank_map.max_steps, tank_map.num_shells):
        writer.number(number)
    return writer.body


def map_bytes(tank_map: TankMap) -> bytes:
    """All squares, row by row."""
    return "".join(tank_map.grid).encode("latin-1", "replace")


def as_bytes(text: str) -> bytes:
    """A text for C++, where it ends at the first NUL."""
    return text.encode("utf-8", "surrogateescape")


def rows_of(squares: bytes, width: int) -> list[str]:
    """Rows of characters, one a byte."""
    text = squares.decode("latin-1")
    return [text[start : start + width] for start in range(0, len(text), width)]


def _raw(claim: Claim, board: bytes, words: str) -> RawClaim:
    counts = min(claim.remaining_count, len(claim.remaining))
    return RawClaim(
        winner=claim.winner,
        reason=claim.reason,
        rounds=claim.rounds,
        remaining=tuple(claim.remaining[:counts]),
        state=StateKind(claim.state),
        board=board,
        problem=words,
        remaining_count=claim.remaining_count,
    )
