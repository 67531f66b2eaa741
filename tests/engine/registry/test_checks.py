"""What is wrong with a record, in words that say what was expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tiltyard_engine.formats import Field, Fixture, FixtureResult, Format, TournamentFormat, option
from tiltyard_engine.hooks import Hooks
from tiltyard_engine.learning import TurnEncoding
from tiltyard_engine.lifecycle import Observer, Publisher, TournamentObserver
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.programs import Program
from tiltyard_engine.records import (
    Command,
    Game,
    GameLogs,
    GameMaps,
    GamePrograms,
    GameTeams,
    Manager,
    MapFile,
    TankInterface,
    TankTeam,
    TurnTeam,
)
from tiltyard_engine.registry.checks import HOOK_KINDS, RECORD_KINDS, game_of, kinds_for_all_games, problem_of
from tiltyard_engine.registry.loading import RECORD_HOOKS
from tiltyard_engine.results import GameResult
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_engine.turns import TurnAlgorithm


class Tank(TankAlgorithm):
    def __init__(self, player_index: int, tank_index: int) -> None: ...

    def get_action(self) -> ActionRequest:
        return ActionRequest.SHOOT

    def update_battle_info(self, info: BattleInfo) -> None: ...


class Commander(Player):
    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None: ...


class Forgetful(TankAlgorithm):
    """Implements nothing."""


class NoArguments(Tank):
    def __init__(self) -> None:
        super().__init__(1, 0)


class Chooser(TurnAlgorithm[int, int]):
    def __init__(self, seat: int) -> None: ...

    def choose(self, position: int) -> int:
        return position


class Referee(GameManager[int, Any]):
    def run(self, match: Match[int, Any]) -> GameResult:
        return GameResult(0, "", 0, ())


class Demanding(Referee):
    def __init__(self, a: str) -> None: ...


class Nothing(TournamentFormat):
    def __init__(self, field: Field, options: object) -> None: ...

    def next_batch(self, played: Sequence[FixtureResult]) -> Sequence[Fixture]:
        return ()


class NoField(Nothing):
    def __init__(self) -> None: ...


@dataclass(frozen=True)
class Options:
    rounds: int = option(3, "how many rounds", ge=1)


@dataclass(frozen=True)
class Demands:
    rounds: int
    maps: int


def read_map(name: str, data: bytes, seats: int) -> int:
    return seats


def a_command(target: str = "thunder.commands:app", name: str = "thunder", text: str = "Thunder") -> Command:
    return Command(name, text, target)


def a_game(maps: Any = None, **groups: Any) -> Game[Any]:
    return Game(name="nim", seats=range(2, 3), maps=GameMaps(read_map) if maps is None else maps, **groups)


def adapter(program: Program, seat: int) -> Chooser:
    return Chooser(seat)


def a_team(player: Any = Commander, tank: Any = Tank, name: Any = "bot", game: Any = "tanks") -> TankTeam:
    return TankTeam(name, player, tank, game)


SOUND: list[tuple[str, Any]] = [
    ("games", Game(name="nim", seats=range(2, 3), maps=GameMaps(read_map))),
    ("game_managers", Manager(name="strict", game="nim", create=Referee)),
    ("game_managers", Manager(name="strict", game="nim", create=lambda: Referee(), on_fault="raise")),
    ("algorithms", a_team()),
    ("algorithms", a_team(tank=lambda player_index, tank_index: Tank(player_index, tank_index))),
    ("algorithms", a_team(player=lambda *arguments: Commander(*arguments))),
    ("algorithms", TurnTeam("greedy", "nim", Chooser)),
    ("maps", MapFile("field", "nim", b"")),
    ("formats", Format("nothing", Nothing)),
    ("formats", Format("nothing", lambda field, options: Nothing(field, options), Options, "no match at all")),
    ("commands", a_command()),
]


@pytest.mark.parametrize(("hook", "record"), SOUND)
def test_a_sound_record_has_no_problem(hook: str, record: Any) -> None:
    assert problem_of(hook, record) == ""


@pytest.mark.parametrize("name", ["a", "GM_1-2.3+x", "9", "_", "x" * 64])
def test_a_usable_name(name: str) -> None:
    assert problem_of("maps", MapFile(name, "nim", b"")) == ""


@pytest.mark.parametrize("game", ["openspiel/chess", "a/b", f"{'x' * 31}/{'y' * 32}"])
def test_a_game_may_be_of_a_family(game: str) -> None:
    assert problem_of("maps", MapFile("field", game, b"")) == ""
    assert problem_of("game_managers", Manager(name="strict", game=game, create=Referee)) == ""


@pytest.mark.parametrize("name", ["", "-x", ".hidden", "a b", "a/b", "a,b", "naïve", "x" * 65, "a\n", None, 3])
def test_a_name_that_is_not_usable(name: Any) -> None:
    problem = problem_of("maps", MapFile(name, "nim", b""))
    assert problem == f"the name {name!r} is not a valid name: use 1 to 64 letters, digits, '_', '.', '+' or '-'"


@pytest.mark.parametrize("game", ["", "a b", None, 3, "a/b/c", "/a", "a/", "../a", "a/..", "a//b", f"{'x' * 32}/{'y' * 32}"])
@pytest.mark.parametrize(
    ("hook", "make"),
    [
        ("algorithms", lambda game: a_team(game=game)),
        ("algorithms", lambda game: TurnTeam("greedy", game, Chooser)),
        ("game_managers", lambda game: Manager(name="strict", game=game, create=Referee)),
        ("maps", lambda game: MapFile("field", game, b"")),
    ],
)
def test_a_game_that_cannot_be_the_name_of_one(hook: str, make: Callable[[Any], Any], game: Any) -> None:
    assert problem_of(hook, make(game)).startswith(f"the game {game!r} is not a valid name: use ")


@pytest.mark.parametrize(
    ("hook", "record", "reason"),
    [
        ("games", MapFile("a", "b", b""), "expected Game"),
        ("games", Game, "games() yielded a class (<class 'tiltyard_engine.records.Game'>), expected Game"),
        ("algorithms", Manager(name="a", game="b", create=Referee), "expected TankTeam or TurnTeam or ProgramTeam"),
        ("maps", ("a", "b", b""), "maps() yielded a tuple (('a', 'b', b'')), expected MapFile"),
        ("commands", None, "commands() yielded nothing (None), expected Command"),
    ],
)
def test_a_record_of_another_type(hook: str, record: object, reason: str) -> None:
    assert problem_of(hook, record).endswith(reason)


@pytest.mark.parametrize(
    ("hook", "record", "problem"),
    [
        (
            "algorithms",
            a_team(tank=Forgetful),
            "tank: class Forgetful does not implement get_action, update_battle_info of TankAlgorithm",
        ),
        ("algorithms", a_team(tank=Commander), "tank is the class Commander, which is not a subclass of TankAlgorithm"),
        ("algorithms", a_team(player=int), "player is the class int, which is not a subclass of Player"),
        (
            "algorithms",
            a_team(player=Player),
            "player: class Player does not implement update_tank_with_battle_info of Player",
        ),
        ("algorithms", a_team(tank=3), "tank is an integer (3), expected a class or another factory of TankAlgorithm"),
        (
            "algorithms",
            a_team(tank=NoArguments),
            "tank: NoArguments() -> 'None' cannot be called with 2 positional arguments: too many positional arguments",
        ),
        (
            "algorithms",
            a_team(player=lambda player_index: None),
            "player: <lambda>(player_index) cannot be called with 5 positional arguments: too many positional arguments",
        ),
        (
            "algorithms",
            TurnTeam("greedy", "nim", lambda seat, extra: Chooser(seat)),  # type: ignore[arg-type, misc]
            "create: <lambda>(seat, extra) cannot be called with 1 positional arguments: missing a required argument: 'extra'",
        ),
        (
            "game_managers",
            Manager(name="strict", game="nim", create=Demanding),  # type: ignore[arg-type]
            "create: Demanding(a: 'str') -> 'None' cannot be called with 0 positional arguments: missing a required argument: 'a'",
        ),
        (
            "game_managers",
            Manager(name="strict", game="nim", create=Referee, on_fault="explode"),  # type: ignore[arg-type]
            "on_fault is a string ('explode'), expected 'idle' or 'raise'",
        ),
        (
            "game_managers",
            Manager(name="strict", game="nim", create=Referee, log_suffix="/../log"),
            "log_suffix is a string ('/../log'), expected a file name suffix, such as '.txt'",
        ),
        (
            "game_managers",
            Manager(name="strict", game="nim", create=Referee, description=3),  # type: ignore[arg-type]
            "description is an integer (3), expected a line of text",
        ),
        ("maps", MapFile("field", "nim", b"", seats=-1), "seats is an integer (-1), expected a number of players"),
        (
            "games",
            Game(name="nim", seats=(2, 3), maps=GameMaps(read_map)),  # type: ignore[arg-type]
            "seats is a tuple ((2, 3)), expected a range such as range(2, 10)",
        ),
        (
            "games",
            Game(name="nim", seats=range(2, 2), maps=GameMaps(read_map)),
            "seats is a value of type range (range(2, 2)), expected a range such as range(2, 10)",
        ),
        (
            "games",
            a_game(maps=GameMaps(lambda name, data: data)),  # type: ignore[arg-type, misc]
            "maps.read: <lambda>(name, data) cannot be called with 3 positional arguments: too many positional arguments",
        ),
        (
            "games",
            a_game(maps=GameMaps(None)),  # type: ignore[arg-type]
            "maps.read is nothing (None), expected a function",
        ),
        ("games", a_game(maps=3), "maps is an integer (3), expected GameMaps"),
        (
            "games",
            a_game(interface=int),
            "interface is a class (<class 'int'>), expected TankInterface or TurnInterface or GameInterface",
        ),
        ("games", a_game(programs=()), "programs is a tuple (()), expected GamePrograms or None"),
        ("games", a_game(teams=None), "teams is nothing (None), expected GameTeams"),
        (
            "games",
            a_game(interface=TankInterface(lambda: (1, 1, 1, 1))),  # type: ignore[arg-type, misc]
            "interface.player_arguments: <lambda>() cannot be called with 1 positional arguments: too many positional arguments",
        ),
        (
            "games",
            a_game(interface=TankInterface(lambda board: (1, 1, 1, 1)), programs=GamePrograms(adapter)),
            "programs is given, but the interface is a TankInterface: external programs play only games with a TurnInterface",
        ),
        ("games", a_game(programs=GamePrograms(None)), "programs.adapter is nothing (None), expected a function"),  # type: ignore[arg-type]
        ("games", a_game(maps=GameMaps(read_map, truncate=3)), "maps.truncate is an integer (3), expected a function"),  # type: ignore[arg-type]
        ("games", a_game(maps=GameMaps(read_map, options=Demands)), "maps.options: Demands has no default for rounds, maps"),
        (
            "games",
            a_game(logs=GameLogs(is_transcript=bool)),
            "logs has only one of is_transcript and read_transcript, expected both or neither",
        ),
        ("games", a_game(encoding=9), "encoding is an integer (9), expected GameEncoding or None"),
        (
            "games",
            a_game(encoding=TurnEncoding(spaces=int, observe=int, answer=lambda position: position)),  # type: ignore[arg-type, misc]
            "encoding.answer: <lambda>(position) cannot be called with 2 positional arguments: too many positional arguments",
        ),
        (
            "games",
            a_game(interface=TankInterface(lambda board: (1, 1, 1, 1)), encoding=TurnEncoding(spaces=int, observe=int, answer=max)),  # type: ignore[arg-type]
            "encoding is a TurnEncoding, but the interface is a TankInterface",
        ),
        (
            "games",
            a_game(teams=GameTeams(limits=3)),  # type: ignore[arg-type]
            "teams.limits is an integer (3), expected a mapping from a limit's name to a number",
        ),
        (
            "games",
            a_game(teams=GameTeams(samples="acorn")),  # type: ignore[arg-type]
            "teams.samples is a string ('acorn'), expected a tuple of teams' names",
        ),
        ("games", a_game(compiled_package=None), "compiled_package is nothing (None), expected a package's name"),
        ("games", a_game(default_manager="a b"), "default_manager is a string ('a b'), expected a GameManager's name"),
        (
            "maps",
            MapFile("field", "nim", "text"),  # type: ignore[arg-type]
            "data is a string ('text'), expected bytes",
        ),
        (
            "formats",
            Format("nothing", NoField),  # type: ignore[arg-type]
            "create: NoField() -> 'None' cannot be called with 2 positional arguments: too many positional arguments",
        ),
        (
            "formats",
            Format("nothing", TournamentFormat),  # type: ignore[arg-type]
            "create: class TournamentFormat does not implement next_batch of TournamentFormat",
        ),
        ("formats", Format("nothing", Nothing, int), "options is a class (<class 'int'>), expected a dataclass"),
        (
            "formats",
            Format("nothing", Nothing, Options()),  # type: ignore[arg-type]
            "options is a value of type Options (Options(rounds=3)), expected a dataclass",
        ),
        ("formats", Format("nothing", Nothing, Demands), "options: Demands has no default for rounds, maps"),
        (
            "observers",
            Observer("post", Nothing),  # type: ignore[arg-type]
            "create is the class Nothing, which is not a subclass of TournamentObserver",
        ),
        (
            "observers",
            Observer("post", lambda: TournamentObserver()),  # type: ignore[arg-type, misc]
            "create: <lambda>() cannot be called with 1 positional arguments: too many positional arguments",
        ),
        ("publishers", Publisher("post", None), "publish is nothing (None), expected a function"),  # type: ignore[arg-type]
        (
            "publishers",
            Publisher("post", lambda results: ()),  # type: ignore[arg-type, misc]
            "publish: <lambda>(results) cannot be called with 2 positional arguments: too many positional arguments",
        ),
        (
            "publishers",
            Publisher("post", lambda results, options: (), Demands),
            "options: Demands has no default for rounds, maps",
        ),
        ("commands", a_command(target="thunder"), "target is a string ('thunder'), expected module:attribute"),
        ("commands", a_command(target="app:"), "target is a string ('app:'), expected module:attribute"),
        ("commands", Command("x", None, "a:b"), "help is nothing (None), expected a line of text"),  # type: ignore[arg-type]
    ],
)
def test_what_is_wrong_is_named_with_what_was_expected(hook: str, record: Any, problem: str) -> None:
    assert problem_of(hook, record) == problem


def test_a_factory_whose_signature_cannot_be_known_is_believed() -> None:
    class Opaque:
        @property
        def __signature__(self) -> object:
            raise ValueError("none of your business")

        def __call__(self, *arguments: object) -> Tank:
            return Tank(1, 0)

    assert problem_of("algorithms", a_team(tank=Opaque())) == ""


def test_the_game_of_a_record() -> None:
    assert game_of(Game(name="nim", seats=range(2, 3), maps=GameMaps(read_map))) == "nim"
    assert game_of(MapFile("field", "go", b"")) == "go"
    assert game_of(Format("nothing", Nothing)) == ""


def test_every_hook_has_its_records_and_its_word() -> None:
    hooks = {name for name in vars(Hooks) if not name.startswith("_")}
    assert set(HOOK_KINDS) == hooks == {*RECORD_HOOKS, "commands"}
    assert {*RECORD_KINDS.values(), *kinds_for_all_games().values()} == set(HOOK_KINDS.values())
