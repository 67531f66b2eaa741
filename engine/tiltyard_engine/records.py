"""The typed records that a plugin's hooks yield."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias

from tiltyard_engine.formats import Format
from tiltyard_engine.lifecycle import Observer
from tiltyard_engine.match import GameManager, M
from tiltyard_engine.programs import Program, ProgramTeam
from tiltyard_engine.publishing import Publisher
from tiltyard_engine.qualifying import Qualifier
from tiltyard_engine.replay import Frame, Replay, Theme
from tiltyard_engine.results import GameResult
from tiltyard_engine.tanks import PlayerFactory, TankAlgorithmFactory
from tiltyard_engine.turns import TurnAlgorithm

PlayerArguments: TypeAlias = tuple[int, int, int, int]
"""``(x, y, max_steps, num_shells)`` as a Player's constructor takes them after its index."""


@dataclass(frozen=True, slots=True)
class Game(Generic[M]):
    """A rule family. Maps, GameManagers and algorithms name the game that they are for."""

    name: str
    seats: range
    """How many players a match may have."""
    read_map: Callable[[str, bytes, int], M]
    """``read_map(name, data, seats)``: the start position; raises MapError."""
    player_arguments: Callable[[M], PlayerArguments] | None = None
    """For games with tanks: what each Player is told about the map."""
    position_type: type[Any] | None = None
    """For turn-based games: what a team is shown, a frozen dataclass of plain values. A team's process decodes it by this type."""
    answer_type: type[Any] | None = None
    """For turn-based games: what a team answers. An answer of another type is the team's fault."""
    adapter: Callable[[Program, int], TurnAlgorithm[Any, Any]] | None = None
    """For turn-based games: ``adapter(program, seat)`` speaks the game's protocol to an external program."""
    truncate: Callable[[M, int], M] | None = None
    """``truncate(map, rounds)``: the same map ending after that many rounds, for finding where two managers part."""
    describe: Callable[[M, GameResult], str] | None = None
    """One line that says how a match ended, made from the claim alone so that equal results read equal."""
    theme: Theme | None = None
    read_log: Callable[[M, str, str], Replay] | None = None
    """``read_log(map, text, rules)``: the match of an output file rebuilt; raises MapError naming the first bad line."""
    is_transcript: Callable[[bytes], bool] | None = None
    """``is_transcript(head)``: whether a text that begins so is what an engine of the game prints while it plays."""
    read_transcript: Callable[[Iterable[bytes]], tuple[Replay, Iterator[Frame]]] | None = None
    """``read_transcript(lines)``: the match of such a text, its start and its frames as the lines come; raises UserError."""
    team_template: Callable[[str], Mapping[str, str]] | None = None
    """``team_template(name)``: the files of a new team's package, path to text."""
    map_options: type[Any] | None = None
    """What a generated map can be asked for: a frozen dataclass of plain values with defaults."""
    generate_map: Callable[[Any, int, int], bytes] | None = None
    """``generate_map(options, seed, seats)``: the bytes of a map file, always the same; raises MapError."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Limits of a seat that differ from the host's own, by the names that docs/reference/isolation.md lists."""
    introduce: Callable[[Program], str] | None = None
    """``introduce(program)``: what an external program wants to be called in tables; empty where it does not say."""
    qualifier: Qualifier | None = None
    """Tests that a tournament may ask of teams before they play."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Manager:
    """A GameManager that can be chosen by name."""

    name: str
    game: str
    create: Callable[[], GameManager[Any, Any]]
    on_fault: Literal["idle", "raise"] = "idle"
    """What a failed seat does when asked again: answer with the idle action, or raise SeatFault."""
    log_suffix: str = ".txt"
    """How the name of its output file ends."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class TankTeam:
    """An algorithm for a game with tanks: a Player and a tank, each a class or another factory."""

    name: str
    player: PlayerFactory
    tank: TankAlgorithmFactory
    game: str = "tanks"
    description: str = ""


@dataclass(frozen=True, slots=True)
class TurnTeam:
    """An algorithm for a turn-based game; ``create(seat)`` makes one for a match."""

    name: str
    game: str
    create: Callable[[int], TurnAlgorithm[Any, Any]]
    description: str = ""


Algorithm: TypeAlias = TankTeam | TurnTeam | ProgramTeam


@dataclass(frozen=True, slots=True)
class MapFile:
    """A shipped map: the bytes of a map file under a name."""

    name: str
    game: str
    data: bytes
    seats: int = 2
    """The number of players that the map was made for."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand of ``tiltyard`` that a plugin contributes."""

    name: str
    help: str
    target: str
    """``module:attribute``, a typer application; imported when the command is used, not before."""


Record: TypeAlias = Game[Any] | Manager | TankTeam | TurnTeam | ProgramTeam | MapFile | Format | Observer | Publisher
