"""How many players a game takes, at every door where teams and a game meet: with a game for exactly three."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.conftest import RunCommand, WriteMap
from tests.made_specs import made_spec

import tiltyard_tournaments as tiltyard
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry, Trust
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_intake.smoke.smoke_match import SmokeMatches
from tiltyard_kit_commands.demo import plan_demo
from tiltyard_league.cli.new_league import make_league
from tiltyard_league.league_file.loading import LEAGUE_FILE, LeagueFileError, load_league
from tiltyard_matchups.simulator_command import main
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

REFUSED = "trio is for exactly 3 players, got 2"


@pytest.fixture
def trio(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch, inline: None) -> Path:
    """The game, trusted, in the current folder."""
    path = Path(shutil.copy(programs / "games" / "trio.py", tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILTYARD_TRUST", str(path))
    return path


@pytest.fixture
def known(trio: Path) -> Registry:
    return open_registry(IsolationPolicy(Isolation.INLINE, trust=Trust.from_environment()))


def test_a_round_robin_takes_what_the_game_allows_and_says_so(run_command: RunCommand, trio: Path) -> None:
    done = run_command("tiltyard", "round-robin", "--game", "trio", "--output", "out", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == "note: 3 players in each match: trio is for exactly 3 players"
    rows = [line.split(",")[:7] for line in (trio.parent / "out" / "standings.csv").read_text().splitlines()[1:]]
    # Each of the four groups meets once in each turn of its seats; the largest number always wins.
    assert rows == [
        ["1", "four", "27", "9", "9", "0", "0"],
        ["2", "three", "9", "9", "3", "0", "6"],
        ["3", "one", "0", "9", "0", "0", "9"],
        ["3", "two", "0", "9", "0", "0", "9"],
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["round-robin", "--game", "trio", "--players", "2"], f"{REFUSED}; change --players"),
        (
            ["round-robin", "one", "two", "--game", "trio"],
            "at least 3 usable algorithms for trio, one for each player",
        ),
        (
            ["round-robin", "--game", "tanks", "--players", "3"],
            "no usable map for tanks with 3 players; the installed ones are for 2",
        ),
        (
            ["round-robin", "--game", "advance-test"],
            "for exactly 1 player: a round robin needs a game for at least 2",
        ),
        (
            ["competition", "--game", "trio"],
            f"{REFUSED}; a competition is of matches of two; 'tiltyard round-robin'",
        ),
        (["comparative", "short", "one", "two"], f"{REFUSED}; a comparison is of matches of two"),
        (["watch", "one", "two", "--map", "short"], f"{REFUSED}; name one algorithm for each player"),
        (["new", "tournament", "--game", "advance-test"], "is for exactly 1 player: a tournament needs a game for at least 2"),
    ],
)
def test_commands_refuse_another_number_before_anything_is_played(
    run_command: RunCommand, trio: Path, words: list[str], message: str
) -> None:
    refused = run_command("tiltyard", *words)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert message in refused.stderr
    assert list(trio.parent.iterdir()) == [trio]


def test_a_round_robin_of_three_in_games_of_the_project(run_command: RunCommand, tmp_path: Path, write_map: WriteMap) -> None:
    write_map("three.txt", ["1...2", ".....", "..3.."], steps=5)
    for game, map_name, teams in (("tanks", "three.txt", ["acorn", "bramble", "coyote"]), ("penguins", "small-bay", [])):
        words = ["--game", game, "--players", "3", "--maps", map_name, "--output", game]
        done = run_command("tiltyard", "round-robin", *teams, *words)
        assert done.returncode == 0, done.stderr
        assert "players in each match" not in done.stderr
        assert (tmp_path / game / "games.csv").read_text().count("\n") == 1 + 3


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ("players: 2\n", f"cup.yaml:2: players: {REFUSED}; write 'players: 3'"),
        ("players: 4\n", "cup.yaml:2: players: trio is for exactly 3 players, got 4; write 'players: 3'"),
        (
            "players: 2\nformat: knockout\n",
            f"cup.yaml:2: players: {REFUSED}; formats for other numbers: round-robin, pools",
        ),
        (
            "format: knockout\n",
            "cup.yaml:2: format: knockout: is for matches of 2 players, but these have 3; use pools or round-robin",
        ),
    ],
)
def test_a_file_says_it_once(trio: Path, keys: str, problem: str) -> None:
    Path("cup.yaml").write_text(f"game: trio\n{keys}")
    with pytest.raises(UserError) as refused:
        tiltyard.load("cup.yaml")
    assert str(refused.value).splitlines()[:-1] == [problem]


def test_a_file_needs_no_number_where_the_game_takes_only_one(trio: Path) -> None:
    Path("cup.yaml").write_text("game: trio\ntrust: trio.py\n")
    assert len(tiltyard.load("cup.yaml").run().results()) == 12


def test_what_a_new_file_holds_can_be_run(run_command: RunCommand, trio: Path) -> None:
    made = run_command("tiltyard", "new", "tournament", "cups/cup.yaml", "--game", "trio", "--trust", "trio.py")
    assert (made.returncode, made.stderr) == (0, "")
    assert "\nplayers: 3                 # in each match; trio is for exactly 3 players\n" in Path("cups/cup.yaml").read_text()
    done = run_command("tiltyard", "run", "cups/cup.yaml")
    assert done.returncode == 0, done.stderr
    assert "finished: 12 games" in done.stderr


def test_maps_for_another_number_than_the_game_takes(run_command: RunCommand, trio: Path) -> None:
    trio.write_text(trio.read_text().replace(", seats=3", ""))
    why = "found no usable map for trio with 3 players; the installed ones are for 2, and trio is for exactly 3 players: its author"
    refused = run_command("tiltyard", "round-robin", "--game", "trio")
    assert refused.returncode == 2
    assert f"error: {why}" in refused.stderr
    made = run_command("tiltyard", "new", "tournament", "cup.yaml", "--game", "trio", "--trust", "trio.py")
    assert made.returncode == 0
    assert f"note: cup.yaml can't be run yet:\ncup.yaml:20: maps: {why}" in made.stderr


def test_functions_refuse_it(trio: Path) -> None:
    with pytest.raises(UserError, match=REFUSED):
        tiltyard.play(["one", "two"], "short", game="trio")
    with pytest.raises(UserError, match=f"players: {REFUSED}; write 'players: 3'"):
        tiltyard.tournament(game="trio", players=2)
    with pytest.raises(UserError, match="expected at least 3 usable teams"):
        tiltyard.compare("one", "two", game="trio")
    assert len(tiltyard.tournament(game="trio", players=3).run().results()) == 12
    assert tiltyard.play(["one", "two", "three"], "short", game="trio").winner == 3


def test_the_command_of_the_assignment_refuses_it(trio: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["game_map=short", "game_managers_folder=installed", "algorithm1=trio.py:one", "algorithm2=trio.py:two"]
    assert main(["-comparative", *words]) == 2
    assert f"error: {REFUSED}; a comparison is of matches of two" in capsys.readouterr().err


def test_no_game_manager_ever_gets_another_number_of_seats(known: Registry) -> None:
    teams = tuple(entry.reference for entry in known.all(ALGORITHM, "trio"))
    spec = made_spec(
        game=Finder(known).game("trio"), manager=Finder(known).manager("trio"), map=MapSource("m", b"1"), teams=teams[:2]
    )
    with pytest.raises(UserError, match=REFUSED):
        play_match(spec)


def test_a_team_that_was_handed_in_is_tried_with_the_number_that_the_game_takes(known: Registry, tmp_path: Path) -> None:
    with SmokeMatches("trio", known, IsolationPolicy(Isolation.INLINE), tmp_path) as matches:
        team = tmp_path / "mine.py"
        team.write_text((tmp_path / "trio.py").read_text().partition("@hookimpl")[0] + MINE)
        smoke = matches.play([team])
    assert (smoke.summary, smoke.fault) == ("2 rounds on short", "")


MINE = """
@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    yield TurnTeam("mine", "trio", partial(Number, 5))
"""


def test_a_demo_plays_with_the_number_that_the_game_takes(known: Registry) -> None:
    plan = plan_demo(known, "trio")
    assert (plan.more, plan.maps, len(plan.teams)) == ("players: 3\n", ("short",), 4)


def test_a_league_is_of_as_many_as_its_game_is_for(known: Registry, tmp_path: Path) -> None:
    make_league(tmp_path / "new", "Ours", "trio")
    assert "game: trio\nplayers: 3\n" in (tmp_path / "new" / LEAGUE_FILE).read_text()
    with pytest.raises(UserError, match="trio is for exactly 3 players, got 4"):
        make_league(tmp_path / "other", "Ours", "trio", 4)
    (tmp_path / LEAGUE_FILE).write_text("title: Ours\ngame: trio\nplayers: 2\n")
    with pytest.raises(LeagueFileError) as refused:
        load_league(tmp_path)
    assert str(refused.value).splitlines()[0].endswith(f"{LEAGUE_FILE}:3: players: trio is for exactly 3 players, got 2")
