"""The typed records that a plugin's hooks yield, and the one rule of how many players a match of a game may have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import UserError
from tiltyard_engine.match import GameManager, M, NoOptions
from tiltyard_engine.programs import Program, ProgramTeam
from tiltyard_engine.replay import Frame, Replay, Theme
from tiltyard_engine.results import GameResult
from tiltyard_engine.tanks import PlayerFactory, TankAlgorithmFactory
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.turns import TurnAlgorithm

if TYPE_CHECKING:
    from tiltyard_engine.formats import Format
    from tiltyard_engine.lifecycle import Observer, Publisher
    from tiltyard_engine.recipes import Recipe


@dataclass(frozen=True, slots=True)
class QualifyingTest:
    """One test: a map with one seat. It is passed if the match's winner is seat 1."""

    name: str
    group: str
    """What it belongs to, such as ``level 4``: groups are told one by one."""
    map_data: bytes
    """The bytes of a map file of the qualifier's game."""


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A game's tests for those who want to play it. An algorithm of the game must be able to sit in the tests' game as well."""

    game: str
    """The registered game, of one seat, that the tests are matches of; its positions and answers are those of the game itself."""
    manager: str
    """Its GameManager."""
    options: type[Any]
    """What an organiser can ask for: a frozen dataclass of plain values with defaults; see ``tiltyard_engine.formats.option``."""
    tests: Callable[[Any, Path], Sequence[QualifyingTest]]
    """``tests(options, folder)``: the tests, in order; paths are relative to the folder. Raises UserError."""


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


Record: TypeAlias = "Game[Any] | Manager | TankTeam | TurnTeam | ProgramTeam | MapFile | Format | Observer | Publisher | Recipe"


LEAST_PLAYERS: Final = 2
"""Of a match in which teams meet. A game for one alone tests a team, and has no tournament."""


def usual_players(game: Game[Any]) -> int:
    """How many play where nobody says: two, or the fewest that the game allows."""
    return 2 if 2 in game.seats else game.seats[0]


def players_in_words(game: Game[Any]) -> str:
    """Such as ``exactly 3 players`` or ``2 to 9 players``."""
    least, most = game.seats[0], game.seats[-1]
    if least == most:
        return f"exactly {counted(least, 'player')}"
    if game.seats.step == 1:
        return f"{least} to {most} players"
    return f"{', '.join(map(str, game.seats[:-1]))} or {most} players"


def check_players(game: Game[Any], players: int, hint: str = "") -> None:
    """Check that a match of the game may have so many players.

    Args:
        game: the game.
        players: how many there would be.
        hint: what to do about it, for the end of the message.

    Raises:
        UserError: it may not.
    """
    if players not in game.seats:
        raise UserError(f"{game.name} is for {players_in_words(game)}, got {players}{hint and f'; {hint}'}")
