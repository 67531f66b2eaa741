"""What an author of a game does wrong is told with what, where and what to do. Each is a new game with one mistake."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.made_specs import made_spec

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.results import Termination
from tiltyard_kit.new_game import GameKind, game_template
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.registry.game_search import fitting_game

SMALL = b"columns = 4\nrows = 3\nlength = 3"
Write = Callable[[str, str, str], Registry]


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Write]:
    """``mine(file, old, new)``: a new game called mine, with one place of a file changed."""

    def write(name: str, old: str, new: str) -> Registry:
        for path, text in game_template("mine", GameKind.TURNS).items():
            file = tmp_path / "mine" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.name == name:
                assert old in text
                text = text.replace(old, new, 1)
            file.write_text(text, encoding="utf-8")
        return Registry.from_paths([tmp_path / "mine"])

    yield write
    for module in [module for module in sys.modules if module.partition(".")[0] == "mine"]:
        del sys.modules[module]


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with Arena() as opened:
        yield opened


def _play(
    found: Registry,
    arena: Arena,
    isolation: Isolation = Isolation.INLINE,
    *,
    managers: Isolation = Isolation.INLINE,
    record: bool = True,
) -> MatchRecord:
    assert found.failures() == []
    return arena.play(
        made_spec(
            game=found.all(GAME)[0].reference,
            manager=found.all(MANAGER)[0].reference,
            map=MapSource("map", SMALL),
            teams=tuple(entry.reference for entry in found.all(ALGORITHM)),
            isolations=(isolation,) * 2,
            manager_isolation=managers,
            replay=record,
        )
    )


RETURN = "rows_of(position), message=message)"
START = "match.recorder.start(position.columns, position.rows, tuple(position.squares))"
IN_A_MATCH = {
    "ranks": (RETURN, "rows_of(position), ranks=(1,), message=message)", "ranks is (1,), expected one place a seat"),
    "scores": (RETURN, "rows_of(position), scores=(1.0,), message=message)", "scores is (1.0,), expected one number a seat"),
    "no result": ('return GameResult(won, "LINE"', 'GameResult(won, "LINE"', "run() returned NoneType, not a GameResult"),
    "square": ("[(move, str(seat.index))]", "[(500, 'x')]", "a recorded change puts 'x' on square 500 of a board of 4 x 3"),
    "board": (
        START,
        START.replace("position.squares", "position.squares[1:]"),
        "the recorded board has 11 squares, expected 4 x 3",
    ),
    "position": (
        "seat.choose(position)",
        "seat.choose(3)",
        "choose was given an integer (3), which is not a position: expected Pos",
    ),
}


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("isolation", [Isolation.INLINE, Isolation.PROCESS])
@pytest.mark.parametrize("mistake", ["square", "board"])
def test_a_recording_is_checked_whether_or_not_it_is_kept(
    mistake: str, isolation: Isolation, recorded: bool, mine: Write, arena: Arena
) -> None:
    old, new, message = IN_A_MATCH[mistake]
    record = _play(mine("referee.py", old, new), arena, managers=isolation, record=recorded)
    (fault,) = record.outcome.faults
    assert (fault.seat, fault.termination) == (0, Termination.PROTOCOL)
    assert re.fullmatch(rf"{re.escape(message)}.* \(referee\.py, line \d+\)", fault.message)


@pytest.mark.parametrize("mistake", IN_A_MATCH)
def test_in_a_match_it_is_the_game_managers_fault(mistake: str, mine: Write, arena: Arena) -> None:
    old, new, message = IN_A_MATCH[mistake]
    record = _play(mine("referee.py", old, new), arena)
    assert [fault.seat for fault in record.outcome.faults] == [0]
    assert record.outcome.faults[0].message.startswith(message)
    assert re.search(r" \(referee\.py, line \d+\)$", record.outcome.faults[0].message)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("referee.py", "seat.choose(position)", "seat.choose(3)", "choose was given a value that is not a position: Expected"),
        ("plugin.py", "interface=TurnInterface(Position, Answer),", "", "the position is a Position, but the game doesn't say so"),
    ],
)
def test_a_position_that_no_team_in_a_process_can_read(
    file: str, old: str, new: str, message: str, mine: Write, arena: Arena
) -> None:
    record = _play(mine(file, old, new), arena, Isolation.PROCESS)
    assert [fault.seat for fault in record.outcome.faults] == [0]
    assert record.outcome.faults[0].message.startswith(message)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("rules.py", "@dataclass(frozen=True)", "@dataclass", r"Position \(rules\.py, line 26\) can be changed .*frozen=True\)"),
        ("rules.py", "TypeAlias = int", "TypeAlias = complex", r"interface.answer_type is the class complex, which can't be sent"),
        ("plugin.py", "seats=SEATS", "seats=2", r"seats is an integer \(2\), expected a range such as range\(2, 10\)"),
    ],
)
def test_a_game_that_cannot_be_played_says_why(file: str, old: str, new: str, message: str, mine: Write) -> None:
    found = mine(file, old, new)
    with pytest.raises(UserError, match=f"the game 'mine' in .*plugin.py can't be played: .*{message}"):
        find_game_beside_another(found)


def find_game_beside_another(found: Registry) -> None:
    """As a command does: there are other games, and what is named isn't known."""
    found.entries = [*Registry.installed().all(GAME), *found.entries]
    fitting_game(found, ["mine-rando"])


GENERATE = '''

@dataclass(frozen=True)
class Options:
    """Nothing to ask for."""


def generate_map(options: Options, seed: int, seats: int) -> bytes:
    """A board of any size."""
    return f"columns = {3 + SOURCE}\\nrows = 3\\nlength = 3".encode()
'''


def test_maps_that_cannot_be_generated_again(mine: Write, tmp_path: Path, run_command: RunCommand) -> None:
    cup = "trust: [./mine]\nteams: [mine-random, mine-greedy]\nmaps: [{generate: {count: 2}}]\n"
    (tmp_path / "cup.yaml").write_text(cup)
    rules, plugin = tmp_path / "mine/src/mine/rules.py", tmp_path / "mine/src/mine/plugin.py"
    mine("README.md", "", "")
    plugin.write_text(plugin.read_text().replace("Start, read_map", "Start, generate_map, read_map"))
    plugin.write_text(plugin.read_text().replace("GameMaps(read_map)", "GameMaps(read_map, generate=generate_map)"))
    text = rules.read_text().replace("import tomllib", "import random\nimport tomllib") + GENERATE
    rules.write_text(text.replace("SOURCE", "random.Random(seed).randint(0, 9)"))
    planned = run_command("tiltyard", "plan", "cup.yaml")
    assert planned.returncode == 0, planned.stderr
    rules.write_text(text.replace("SOURCE", "random.randint(0, 10**6)"))
    refused = run_command("tiltyard", "plan", "cup.yaml")
    assert refused.returncode == 2
    assert "the game mine generates a different map when it is asked for the same one again (rules.py, line" in refused.stderr
