"""``tiltyard new team`` for games that state their rules: the code says what it gets and answers, and plays at once."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.engine.making import install
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_kit.testing import PlayMatch
from tiltyard_kit_commands.new import app

pytest_plugins = ["tiltyard_kit.testing"]
RUNNER = CliRunner()
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples" / "games"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make(name: str, game: str, *trust: str) -> str:
    """The code of a new team for a game."""
    done = RUNNER.invoke(app, ["team", name, "--game", game, *trust])
    assert done.exit_code == 0, done.exception
    assert done.stdout.startswith(f"made {name}/ with the team '{name}'. Next:\n\n  pip install -e ./{name}\n")
    return Path(name, name.replace("-", "_"), "__init__.py").read_text(encoding="utf-8")


THREE = """
import sys
sys.path.insert(0, ROOT)
from tests.engine.rules.small_games import Bids
from tiltyard_engine import TurnAlgorithm
from tiltyard_engine.rules import game_hooks, whole_numbers

class Low(TurnAlgorithm):
    def __init__(self, seat):
        pass

    def choose(self, position):
        return position.cards[0]

games, algorithms, maps = game_hooks(
    "three", Bids(), read=whole_numbers("cards"), maps={"few": b"2"}, players=PLAYERS, seats=range(3, 4)
)
"""


@pytest.mark.parametrize(("players", "against"), [("{}", "greedy mcts"), ("{'low': Low}", "low greedy")])
def test_for_three_players_the_next_commands_work(players: str, against: str, run_command: RunCommand) -> None:
    Path("three.py").write_text(THREE.replace("ROOT", repr(str(ROOT))).replace("PLAYERS", players), encoding="utf-8")
    trust = ("--game", "three", "--trust", "./three.py")
    done = run_command("tiltyard", "new", "team", "owl", *trust)
    assert done.stdout.endswith(f"  tiltyard round-robin owl {against} --trust ./three.py\n"), done.stderr
    assert "tiltyard watch . random random --map few --trust ../three.py\n" in Path("owl/README.md").read_text(encoding="utf-8")
    done = run_command("tiltyard", "new", "tournament", "cup.yaml", *trust)
    assert (done.returncode, done.stderr) == (0, "")
    assert "generate" not in Path("cup.yaml").read_text(encoding="utf-8")
    assert done.stdout.startswith("for 3 teams: 3 games\n")
    text = Path("cup.yaml").read_text(encoding="utf-8")
    assert "# scoring: {places: [2, 1, 0]}" in text
    Path("cup.yaml").write_text(text.replace("\nplayers: ", "\n# players: "), encoding="utf-8")
    done = run_command("tiltyard", "run", "cup.yaml")
    assert done.returncode == 0, done.stderr
    assert "finished: 3 games" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "game", "lines"),
    [
        (
            "connect_four",
            "connect-four",
            [
                "#     rows: tuple[str, ...]\n#         From the top. A square is ``.``, ``1`` or ``2``.\n#     turn: int\n#\n",
                *("#     .......", "# answer: int", "0 (column 0), 1 (col"),
            ],
        ),
        ("dilemma", "dilemma", ["# position: Position", "#     own: str", "#     'c' (cooperates), 'd' (defects)"]),
        ("high_card", "high-card", ["# Hand: What a player sees: the own cards,", "self.rules.guess(position, self.seat, self."]),
        (
            "drones",
            "drones",
            ["#     velocities: tuple[ndarray[", "too many to list", "return self.rules.sample(position, self.seat"],
        ),
        ("pig_race", "pig-race", ["#     'roll', 'hold'"]),
    ],
)
def test_it_says_what_it_gets_and_answers_and_plays(file: str, game: str, lines: list[str], play_match: PlayMatch) -> None:
    path = EXAMPLES / f"{file}.py"
    code = make("night-owl", game, "--trust", str(path))
    for line in lines:
        assert line in code
    assert not play_match(path, ["night-owl", "night-owl"]).faults


def test_it_has_the_rules_wherever_it_plays(play_match: PlayMatch, isolation: str) -> None:
    path = EXAMPLES / "high_card.py"
    make("owl", "high-card", "--trust", str(path))
    assert not play_match(path, ["owl", "lowest"], isolation=isolation).faults


def test_a_team_for_an_installed_game(play_match: PlayMatch) -> None:
    code = make("owl", "filler")
    assert "# answer: Placement" in code
    assert not play_match("filler", ["owl", "owl"], map="close-quarters").faults


def test_its_own_tests_pass() -> None:
    make("owl", "pig-race", "--trust", str(EXAMPLES))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(command, cwd="owl", env=environment, capture_output=True, text=True, timeout=250, check=False)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_the_commands_of_its_readme_work(tmp_path: Path, forked_commands: Path) -> None:
    assert RUNNER.invoke(app, ["game", "pile"]).exit_code == 0
    make("owl", "pile", "--trust", "./pile")
    assert " --trust ../pile\n" in Path("owl", "README.md").read_text(encoding="utf-8")
    # As if it was installed: that would need the network.
    install(tmp_path / "site", "owl", "0.1.0", {"owl": "owl"})
    assert run_readme(forked_commands, Path("owl"), [tmp_path / "site", tmp_path / "owl"]) == ["watch", "play", "round-robin"]


def test_the_commands_of_a_games_readme_work(tmp_path: Path, forked_commands: Path) -> None:
    assert RUNNER.invoke(app, ["game", "pile"]).exit_code == 0
    # The README says nothing that is no longer true when the author has replaced the game.
    game = Path("pile", "src", "pile", "game.py")
    page = (EXAMPLES.parents[1] / "tutorial" / "write-a-game.md").read_text(encoding="utf-8")
    game.write_text(page.partition("game.py\n")[2].partition("```\n")[0].replace('"chomp",', '"pile",'), encoding="utf-8")
    install(tmp_path / "site", "pile", "0.1.0", {"pile": "pile.game"})
    ran = run_readme(forked_commands, Path("pile"), [tmp_path / "site", tmp_path / "pile" / "src"])
    assert ran == ["play", "round-robin", "check-game", "round-robin"]


def run_readme(commands_folder: Path, folder: Path, installed: list[Path]) -> list[str]:
    """Run all commands of a README that aren't pip's in its folder; the names of those that were run.

    The partner that searches plays elsewhere: it would think for seconds.
    """
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [shlex.split(line.replace(" greedy mcts ", " greedy "))[1:] for line in lines if line.startswith("    tiltyard ")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, installed))}
    tiltyard = str(commands_folder / "tiltyard")
    for words in commands:
        done = subprocess.run(
            [tiltyard, *words], cwd=folder, env=environment, input="", capture_output=True, text=True, timeout=250, check=False
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
    return [words[0] for words in commands]


def test_a_game_that_nobody_can_make_a_team_for() -> None:
    done = RUNNER.invoke(app, ["team", "owl", "--game", "advance-name"])
    assert isinstance(done.exception, UserError)
    assert "has no team template, and states no rules" in str(done.exception)
    assert not Path("owl").exists()
