"""The file that somebody starts from: it runs for every game, and ends in minutes for many teams."""

from __future__ import annotations

import shutil
from math import comb
from pathlib import Path

import pytest
import yaml
from tests.engine.making import team_source
from tests.tournaments.formats.playing import field_of
from tests.tournaments.tournament_file.conftest import Read
from typer.testing import CliRunner

from tiltyard_engine.formats import TournamentFormat
from tiltyard_engine.records import LEAST_PLAYERS, Game, GameMaps, usual_players
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME
from tiltyard_kit_commands import first_file
from tiltyard_kit_commands.first_file import (
    FEW_MAPS,
    choose_for_many,
    in_words,
    proposals,
    tournament_template,
)
from tiltyard_kit_commands.new import app
from tiltyard_tournaments.formats.pools import Pools, PoolsOptions
from tiltyard_tournaments.formats.round_robin import RoundRobin, RoundRobinOptions
from tiltyard_tournaments.formats.swiss import Swiss, SwissOptions
from tiltyard_tournaments.tournament_file.problems import TournamentFileError
from tiltyard_tournaments.tournament_file.resolution import load_tournament

TEAMS = """
from tiltyard_engine import TurnTeam, hookimpl

@hookimpl
def algorithms():
    for game in GAMES:
        for number in range(9):
            yield TurnTeam(f"mine-{number}", game, lambda seat: None)
"""


def test_it_runs_for_every_game_that_is_installed(registry: Registry, read: Read, tmp_path: Path) -> None:
    names = [entry.name for entry in registry.all(GAME)]
    # OpenSpiel has a hundred games, which all come from the same lines of its plugin.
    names = [name for name in names if "/" not in name] + [name for name in names if "/" in name][::20]
    games = [game for name in names if usual_players(game := registry.game(name)) >= LEAST_PLAYERS]
    too_few = [game for game in games if len(registry.authored(ALGORITHM, game.name)) < usual_players(game)]
    (tmp_path / "teams").mkdir()
    (tmp_path / "teams" / "mine.py").write_text(TEAMS.replace("GAMES", repr([game.name for game in too_few])))
    assert {"tanks", "advance", "filler", "penguins"} <= {game.name for game in games if game not in too_few}
    for game in games:
        text = tournament_template("Cup", game)
        if game in too_few:
            with pytest.raises(TournamentFileError, match=r"^cup.yaml:12: teams: expected at least \d usable teams") as refused:
                read(text)
            assert len(refused.value.problems) == 1
            text = tournament_template("Cup", game, ["teams"])
        tournament = read(text).tournament
        fixture = tournament.format.next_batch([])[0]
        spec = tournament.spec(fixture)
        assert len(spec.input.teams) == usual_players(game)
        assert game.maps.read(spec.input.map.name, spec.input.map.data, len(spec.input.teams)) is not None


def test_it_names_the_command_that_tells_whether_maps_are_fair(registry: Registry) -> None:
    text = tournament_template("Cup", registry.game("tanks"), trust=["./a b"])
    assert "on them: tiltyard check-game tanks --fair --trust './a b'\n" in text


def test_it_says_how_many_players_the_game_takes(registry: Registry) -> None:
    assert "\nplayers: 2                 # in each match; tanks is for 2 to 9 players\n" in tournament_template(
        "Cup", registry.game("tanks")
    )


@pytest.mark.parametrize("name", ["yes", "007", "null", "a: b", "~", "it's"])
def test_a_game_may_be_called_what_yaml_reads_as_something_else(name: str) -> None:
    game: Game[None] = Game(name=name, seats=range(3, 5), maps=GameMaps(lambda name, data, seats: None))
    found = yaml.safe_load(tournament_template("Cup", game, trust=["x.py"]))
    assert (found["game"], found["players"], found["trust"]) == (name, 3, ["x.py"])


@pytest.mark.parametrize(("teams", "players"), [(13, 2), (20, 2), (13, 3), (16, 4)])
def test_proposals_have_as_many_games_as_their_formats(teams: int, players: int) -> None:
    maps = [f"map-{number}" for number in range(5)]
    everything, few, *shorter = proposals(teams, players, maps, maps[:3])
    for each in (everything, few):
        assert each.games == RoundRobin(field_of(teams, len(each.maps), players), RoundRobinOptions()).expected_games()[0]
    field = field_of(teams, 3, players)
    formats: list[TournamentFormat]
    if players == 2:
        formats = [Swiss(field, SwissOptions()), Swiss(field, SwissOptions(seats="balanced"))]
    else:
        rounds = yaml.safe_load(shorter[0].format)["rounds"]
        formats = [Pools(field, PoolsOptions(rounds=rounds, maps="rotate"))]
    assert [(each.games, each.games) for each in shorter] == [wanted.expected_games() for wanted in formats]
    assert [each.games for each in (everything, few, *shorter)] == sorted(
        (each.games for each in (everything, few, *shorter)), reverse=True
    )


@pytest.fixture
def crowd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inline: None) -> Path:
    """A folder of 13 teams, and the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "teams").mkdir()
    for number in range(13):
        (tmp_path / "teams" / f"team{number:02}.py").write_text(team_source(f"team{number:02}"))
    return tmp_path


@pytest.mark.parametrize(
    ("seconds", "format_name", "maps", "games"),
    [
        (0.1, "round-robin", "all", 2 * comb(13, 2)),
        (1.0, "round-robin", "few", 2 * comb(13, 2) * FEW_MAPS),
        (2.0, "swiss", "few", 2 * 4 * 6),
        (20.0, "swiss", "few", 4 * 6),
        (200.0, "swiss", "few", 4 * 6),
    ],
)
def test_the_largest_that_ends_in_minutes_is_proposed(
    crowd: Path,
    monkeypatch: pytest.MonkeyPatch,
    read: Read,
    registry: Registry,
    seconds: float,
    format_name: str,
    maps: str,
    games: int,
) -> None:
    everywhere = read("game: tanks\nteams: teams\nworkers: 1\n").tournament
    if maps == "all":
        games *= len(everywhere.maps)
    # How long games take is the only thing that isn't as in a real run.
    monkeypatch.setattr(first_file, "seconds_a_game", lambda specs, fixtures, trials: seconds)
    choice = choose_for_many(everywhere)
    assert choice is not None
    assert choice.proposal.games == games
    assert choice.proposal.seconds == pytest.approx(games * seconds)
    assert choice.everything.games == 2 * comb(13, 2) * len(everywhere.maps)
    text = tournament_template("Cup", registry.game("tanks"), ["teams"], choice=choice)
    tournament = read(text).tournament
    assert (tournament.format_name, tournament.format.expected_games()) == (format_name, (games, games))
    assert len(tournament.maps) == (len(everywhere.maps) if maps == "all" else FEW_MAPS)
    assert (in_words(choice.proposal) in text) == (maps == "few")


def test_few_games_get_no_proposal(read: Read) -> None:
    assert (
        choose_for_many(read("game: tanks\nteams: [acorn, bramble, coyote]\nmaps: [back-yard, narrow-pass]\n").tournament) is None
    )


@pytest.fixture
def one_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said doesn't depend on how many games were played for it."""
    monkeypatch.setattr(first_file, "TRIALS", 1)


@pytest.mark.usefixtures("one_trial")
def test_the_first_cup_says_how_many_games_it_has_how_long_they_take_and_what_makes_it_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(app, ["tournament", "cup.yaml"]).stdout.splitlines()
    tournament = load_tournament(tmp_path / "cup.yaml").tournament
    games = tournament.format.expected_games()
    assert games is not None
    words = f"for {len(tournament.teams)} teams: round-robin on {len(tournament.maps)} maps, {games[1]} games, "
    assert told[0].startswith(words)
    assert told[0].removeprefix(words).startswith(("about ", "a few seconds"))
    assert told[1] == "for fewer games, name fewer maps in cup.yaml, or a shorter format such as swiss"
    done = CliRunner().invoke(app, ["tournament", "two.yaml", "--teams", "acorn", "--teams", "bramble", "--game", "tanks"])
    assert done.exit_code == 0
    assert " games" in done.stdout.splitlines()[0]


def test_few_teams_whose_games_take_long_get_one(crowd: Path, monkeypatch: pytest.MonkeyPatch, read: Read) -> None:
    """Six teams on all maps are hours, where a game of theirs takes minutes."""
    teams = ", ".join(f"teams/team{number:02}.py" for number in range(6))
    tournament = read(f"game: tanks\nworkers: 1\nteams: [{teams}]\n").tournament
    monkeypatch.setattr(first_file, "seconds_a_game", lambda specs, fixtures, trials: 100.0)
    choice = choose_for_many(tournament)
    assert choice is not None
    assert choice.proposal.games < choice.everything.games


@pytest.mark.usefixtures("one_trial")
def test_the_command_says_how_long_it_takes(crowd: Path) -> None:
    done = CliRunner().invoke(app, ["tournament", "cup.yaml", "--teams", "teams"])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("for 13 teams: ")
    tournament = load_tournament(crowd / "cup.yaml").tournament
    games = tournament.format.expected_games()
    assert games is not None
    assert f" on {len(tournament.maps)} maps, {games[1]:,} games, " in done.stdout.splitlines()[0]
    shutil.rmtree(crowd / "teams")
    done = CliRunner().invoke(app, ["tournament", "later.yaml", "--teams", "teams"])
    assert done.exit_code == 0
    assert done.stderr.startswith("note: later.yaml can't be run yet:\nlater.yaml:13: teams[1]: ")
