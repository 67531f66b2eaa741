"""The typed records that a plugin's hooks yield."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias

from tiltyard_engine.formats import Format, NoOptions
from tiltyard_engine.lifecycle import Observer
from tiltyard_engine.match import GameManager, M
from tiltyard_engine.programs import Program, ProgramTeam
from tiltyard_engine.publishing import Publisher
from tiltyard_engine.qualification import Qualifier
from tiltyard_engine.recipes import Recipe
from tiltyard_engine.replay import Frame, Replay, Theme
from tiltyard_engine.results import GameResult
from tiltyard_engine.tanks import PlayerFactory, TankAlgorithmFactory
from tiltyard_engine.turns import TurnAlgorithm

PlayerArguments: TypeAlias = tuple[int, int, int, int]
"""``(x, y, max_steps, num_shells)`` as a Player's constructor takes them after its index."""


@dataclass(frozen=True, slots=True)
class GameMaps(Generic[M]):
    """How a game's maps are read, shortened and generated."""

    read: Callable[[str, bytes, int], M]
    """``read(name, data, seats)``: the start position; raises MapError."""
    truncate: Callable[[M, int], M] | None = None
    """``truncate(map, rounds)``: the same map ending after that many rounds, for finding where two managers part."""
    generate: Callable[[Any, int, int], bytes] | None = None
    """``generate(options, seed, seats)``: the bytes of a map file, always the same; raises MapError."""
    options: type[Any] = NoOptions
    """What a generated map can be asked for: a frozen dataclass of plain values with defaults."""
    usual: str = ""
    """The name of a shipped map of usual size: who fails on the smallest in a first match plays on it too. Empty: nobody does."""


class GameInterface:
    """What a game's teams implement. Each kind of seat has its own, by which the simulator knows the kind."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TankInterface(GameInterface, Generic[M]):
    """Teams have a Player and tanks."""

    player_arguments: Callable[[M], PlayerArguments]
    """What each Player is told about the map."""


@dataclass(frozen=True, slots=True)
class TurnInterface(GameInterface):
    """Teams are shown a position and answer it."""

    position_type: type[Any] | None = None
    """What a team is shown, a frozen dataclass of plain values. A team's process decodes it by this type."""
    answer_type: type[Any] | None = None
    """What a team answers. An answer of another type is the team's fault."""


class GameRules:
    """A game's rules as functions over positions; see ``rules``."""

    __slots__ = ()


class GameEncoding:
    """How agents in training see a game, as numbers. Each kind of seat has its own; see ``learning``."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class GamePrograms:
    """How external programs play."""

    adapter: Callable[[Program, int], TurnAlgorithm[Any, Any]]
    """``adapter(program, seat)`` speaks the game's protocol to a program."""
    introduce: Callable[[Program], str] | None = None
    """``introduce(program)``: what a program wants to be called in tables; empty where it does not say."""
    protocols: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Where programs may speak several protocols: each by its name in manifests, the usual one first, with words that stand in the
    texts of only those programs that speak it."""


@dataclass(frozen=True, slots=True)
class GameTeams:
    """What a game has for its teams."""

    template: Callable[[str], Mapping[str, str]] | None = None
    """``template(name)``: the files of a new team's package, path to text."""
    qualifier: Qualifier | None = None
    """Tests that a tournament may ask of teams before they play."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Limits of a seat that differ from the host's own, by the names that docs/reference/isolation.md lists."""
    samples: tuple[str, ...] = ()
    """The names of simple teams, the simplest first: whom a new team may meet first, and who begins a league."""


@dataclass(frozen=True, slots=True)
class GameDisplay(Generic[M]):
    """How a game's matches look to people."""

    theme: Theme | None = None
    describe: Callable[[M, GameResult], str] | None = None
    """One line that says how a match ended, made from the claim alone so that equal results read equal."""
    modules: tuple[str, ...] = ()
    """The game's own modules that only matches which were played need, such as that of the theme: ``("tiltyard_tanks.theme",)``.

    Their files are no part of what identifies a match: if only they change, such as a colour, nothing is played again.
    """


@dataclass(frozen=True, slots=True)
class GameLogs(Generic[M]):
    """How matches are read from what other software wrote about them."""

    read: Callable[[M, str, str], Replay] | None = None
    """``read(map, text, rules)``: the match of an output file rebuilt; raises MapError naming the first bad line."""
    is_transcript: Callable[[bytes], bool] | None = None
    """``is_transcript(head)``: whether a text that begins so is what an engine of the game prints while it plays."""
    read_transcript: Callable[[Iterable[bytes]], tuple[Replay, Iterator[Frame]]] | None = None
    """``read_transcript(lines)``: the match of such a text, its start and its frames as the lines come; raises UserError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[M]):
    """A rule family. Maps, GameManagers and algorithms name the game that they are for."""

    name: str
    seats: range
    """How many players a match may have."""
    maps: GameMaps[M]
    interface: GameInterface = field(default_factory=TurnInterface)
    """What the game's teams implement: a Player with tanks, or an algorithm that answers positions."""
    rules: GameRules | None = None
    """The game's rules, from which its GameManager and much else follow. None: its GameManagers alone know them."""
    programs: GamePrograms | None = None
    """How external programs play; None: they cannot."""
    teams: GameTeams = field(default_factory=GameTeams)
    display: GameDisplay[M] = field(default_factory=GameDisplay)
    logs: GameLogs[M] = field(default_factory=GameLogs)
    encoding: GameEncoding | None = None
    """The observations and actions of agents in training: a TurnEncoding or a TankEncoding. None: the game has no training."""
    default_manager: str = ""
    """The GameManager of matches for which nobody names one. A game that has only one need not say it."""
    compiled_package: str = ""
    """The package that some wheels of the game bring with compiled modules: ``tiltyard doctor`` tells which build is here."""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
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
    is_partner: bool = False
    """Whether it follows from the game's rules: it plays only where somebody names it."""


Algorithm: TypeAlias = TankTeam | TurnTeam | ProgramTeam
"""What the hook ``algorithms`` yields."""


@dataclass(frozen=True, slots=True)
class MapFile:
    """A shipped map: the bytes of a map file under a name."""

    name: str
    game: str
    data: bytes
    seats: int = 2
    """The number of players that the map was made for; 0: any number that the game allows."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand of ``tiltyard`` that a plugin contributes."""

    name: str
    help: str
    target: str
    """``module:attribute``, a typer application; imported when the command is used, not before. ``:attribute`` is one of the
    plugin's own module, for a plugin that is a single file."""


Record: TypeAlias = Game[Any] | Manager | TankTeam | TurnTeam | ProgramTeam | MapFile | Format | Observer | Publisher | Recipe
