"""The subject's audit: a robot meets other robots on the maps, some games each, seats alternating, and must win most of them."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.host import Host
from tiltyard_engine.host.plain_host import PlainHost
from tiltyard_engine.match import Match
from tiltyard_engine.programs import Program, ProgramTeam
from tiltyard_engine.seat_kinds.turn_seats import PortTurnSeat, TurnPort, program_turn
from tiltyard_engine.texts.sanitize import with_own_options
from tiltyard_filler.adapter import RobotAdapter
from tiltyard_filler.manager import FillerGameManager, FillerSeat
from tiltyard_filler.map_files import FillerMap
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_filler.robot_files import ROBOTS, robot_file
from tiltyard_filler.robots import LIMITS, START_SECONDS, WALL_SHARE, team_of
from tiltyard_filler.rules import legal_placements

NO_OPTIONS: Final[Mapping[str, str]] = {}
"""The guard's limits of an audit's robots are fixed; --time is about real time."""
GAMES: Final = 5
WINS: Final = 4
MAPS: Final = ("map00", "map01", "map02")
SUBJECT_PAIRINGS: Final = {"wall_e": ("map00",), "h2_d2": ("map01",), "bender": ("map02",)}
"""Which of the subject's robots its audit lets a robot meet, and where. Any others are met on all maps."""
BONUS: Final = ("terminator",)
"""Games against them count for nothing but honour."""
SEED_STEP: Final = 1_000_003
"""Between the seeds of games: sequences of pieces from seeds that lie close together run into each other."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A robot: a program, or one of the project's own by its name."""

    name: str
    path: str
    """As people name it."""
    team: ProgramTeam
    is_own: bool = False
    """Whether it is one of the project's."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Some games on one map against one opponent."""

    map_name: str
    map_path: str
    board: FillerMap
    opponent: Entrant
    is_bonus: bool


@dataclass(frozen=True, slots=True)
class GameFailure:
    """What went wrong in a game on one side."""

    name: str
    what: str
    stderr: str = ""
    """The end of what it wrote to standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditGame:
    """One game, from the audited robot's side."""

    number: int
    seat: int
    seed: int
    outcome: str
    """``won``, ``drawn`` or ``lost``."""
    cells: tuple[int, int]
    """The robot's, the opponent's."""
    turns: int
    message: str
    slowest: float
    """Seconds that the robot's slowest answer took."""
    failings: tuple[GameFailure, ...] = ()


@dataclass(slots=True)
class PairingResult:
    """All games of a pairing."""

    pairing: Pairing
    wins_needed: int
    games: list[AuditGame] = field(default_factory=list)

    def count(self, outcome: str) -> int:
        """How many games ended with this outcome."""
        return sum(game.outcome == outcome for game in self.games)

    @property
    def passed(self) -> bool:
        """Whether the robot won enough games of the pairing."""
        return self.count("won") >= self.wins_needed


def find_entrant(word: str, folder: Path) -> Entrant:
    """The robot that a word names: one of the project's own, which is written into ``folder``, or a program's file.

    Raises:
        UserError: there is no such robot, or it cannot be run.
    """
    if word in ROBOTS and not Path(word).is_file():
        path = folder / word
        path.write_bytes(robot_file(word))
        path.chmod(0o755)
        return Entrant(word, word, team_of(path), is_own=True)
    path = Path(word)
    if not path.exists():
        if "/" in word:
            raise UserError(f"the file {word} does not exist; expected a robot's program, or one of {', '.join(ROBOTS)}")
        raise NotFoundError("file or built-in robot", word, ROBOTS)
    if not path.is_file():
        raise UserError(f"{word} is not a file; expected a robot's program")
    if not os.access(path, os.X_OK):
        raise UserError(f"{word} is not executable; run 'chmod +x {word}'")
    return Entrant(path.name, word, team_of(path))


def find_opponents(words: Sequence[str], folder: Path) -> list[Entrant]:
    """The robots that words name; a folder stands for all programs in it.

    Raises:
        UserError: one is none, or a folder holds none.
    """
    opponents: list[Entrant] = []
    for word in words:
        if not Path(word).is_dir():
            opponents.append(find_entrant(word, folder))
            continue
        programs = [path for path in sorted(Path(word).iterdir()) if path.is_file() and os.access(path, os.X_OK)]
        if not programs:
            raise UserError(f"the folder {word} contains no programs; expected executable files, as in the subject's robots/")
        opponents += [Entrant(path.name, str(path), team_of(path)) for path in programs]
    return opponents


def plan(maps: Sequence[tuple[str, str, FillerMap]], opponents: Sequence[Entrant], all_pairings: bool = False) -> list[Pairing]:
    """Who is met where: the subject's robots where its audit has them met, all others on all maps.

    Args:
        maps: names, paths and boards.
        opponents: in the order in which they are met.
        all_pairings: whether the subject's robots are met on all maps as well.
    """
    # Where nothing else is played they are what counts.
    bonus = BONUS if any(opponent.name not in BONUS for opponent in opponents) else ()
    pairings: list[Pairing] = []
    for name, path, board in maps:
        for opponent in opponents:
            map_names = SUBJECT_PAIRINGS.get(opponent.name)
            if all_pairings or map_names is None or name in map_names:
                pairings.append(Pairing(name, path, board, opponent, opponent.name in bonus))
    return sorted(pairings, key=lambda pairing: pairing.is_bonus)


class ProgramPort(TurnPort[FillerPosition, Placement]):
    """Asks a program, and notes how long it takes and how it went out.

    Args:
        index: the seat.
        program: opened with ``robots.LIMITS``.
        seconds: for an answer, on the clock.
        counts_cpu: whether the host counts a program's CPU time, and time on the clock by the share that LIMITS names.
    """

    def __init__(self, index: int, program: Program, seconds: float, counts_cpu: bool) -> None:
        self.program = program
        self.slowest = 0.0
        """Seconds of the slowest answer."""
        self.missed = 0
        """How many legal placements there were when it went out by an illegal one."""
        self._adapter = RobotAdapter(program, index)
        self._scale = 1 / WALL_SHARE if counts_cpu else 1.0
        self._seconds = seconds

    def start(self, position: FillerPosition) -> None:
        """Start the program and tell it who it is."""
        program_turn(self.program, START_SECONDS * self._scale, "the robot, starting,", self._adapter.start, position)

    def choose(self, position: FillerPosition) -> Placement:
        """The program's answer; an illegal one is noted."""
        start = time.monotonic()
        answer = program_turn(self.program, self._seconds * self._scale, "the robot", self._adapter.choose, position)
        self.slowest = max(self.slowest, time.monotonic() - start)
        legal = legal_placements(position.board, position.width, position.height, position.player, position.piece.offsets)
        if (answer.x, answer.y) not in legal:
            self.missed = len(legal)
        return answer


def play_pairing(host: Host, robot: Entrant, pairing: Pairing, *, games: int, seed: int, seconds: float) -> Iterator[AuditGame]:
    """Play the games of a pairing, one after the other; the robot is player 1 in the first, player 2 in the second, and so on."""
    for number in range(1, games + 1):
        yield _play(host, robot, pairing, number=number, seat=2 - number % 2, seed=seed + (number - 1) * SEED_STEP, seconds=seconds)


def _play(host: Host, robot: Entrant, pairing: Pairing, *, number: int, seat: int, seed: int, seconds: float) -> AuditGame:
    entrants = (robot, pairing.opponent) if seat == 1 else (pairing.opponent, robot)
    counts_cpu = not isinstance(host, PlainHost)
    ports: list[ProgramPort] = []
    seats: list[PortTurnSeat[FillerPosition, Placement]] = []
    with contextlib.ExitStack() as stack:
        for index, entrant in enumerate(entrants, start=1):
            program = stack.enter_context(host.open_program(entrant.team, LIMITS))
            ports.append(ProgramPort(index, program, seconds, counts_cpu))
            seats.append(PortTurnSeat(index, entrant.name, ports[-1]))
        playing: list[FillerSeat] = list(seats)
        match: Match[FillerMap, FillerSeat] = Match(map=pairing.board, map_name=pairing.map_name, seats=playing, seed=seed)
        result = FillerGameManager().run(match)
    own, other = seat - 1, 2 - seat
    cells = (int(result.scores[own]), int(result.scores[other]))
    failings = [failing for one, port in zip(seats, ports, strict=True) for failing in _failings(one, port)]
    return AuditGame(
        number=number,
        seat=seat,
        seed=seed,
        outcome="won" if result.winner == seat else "lost" if result.winner else "drawn",
        cells=cells,
        turns=result.rounds,
        message=result.message,
        slowest=ports[own].slowest,
        failings=tuple(failings),
    )


def _failings(seat: PortTurnSeat[FillerPosition, Placement], port: ProgramPort) -> Iterator[GameFailure]:
    if seat.fault is not None:
        stderr = port.program.stderr.decode("utf-8", "backslashreplace").strip()
        message = with_own_options(seat.fault.message, NO_OPTIONS)
        yield GameFailure(seat.name, f"{seat.fault.termination.value} in turn {seat.round}: {message}", stderr)
    elif port.missed:
        placements = "one legal placement" if port.missed == 1 else f"{port.missed} legal placements"
        yield GameFailure(seat.name, f"was out in turn {seat.round} with {placements} left{port.program.hint}")
