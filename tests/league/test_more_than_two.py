"""Leagues of more than two: games that are really played, in the store, in the standing and on all pages."""

from __future__ import annotations

import re
import shutil
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from tests.league.conftest import Course
from tests.league.made_league import BAY, STEADY, THREE, enter, make_league, play, sign_in
from tests.site.packed_replays import replays_in
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import Fault, GameResult, Termination, judge
from tiltyard_league.cli.backup import export_lines
from tiltyard_league.database import staff
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import RESULTS, GameChoice, Games, LeagueGame, Seats
from tiltyard_league.database.grades import grades
from tiltyard_league.league_file.loading import load_league
from tiltyard_league.matchmaking.fixtures import before
from tiltyard_league.rating.fit import fit_orders
from tiltyard_league.rating.standing import FROZEN, read_standing
from tiltyard_league.service.game_writing import game_writer, open_games
from tiltyard_league.service.main import Service
from tiltyard_league.tables.trials import own_seats, stored_game
from tiltyard_league.web.app import make_app
from tiltyard_simulator.play.executor import InlineExecutor
from tiltyard_tournaments.cli.start import app as tiltyard
from tiltyard_tournaments.ratings.counts import count_orders
from tiltyard_tournaments.tournament_file.resolution import load_tournament
from tiltyard_web_play.trials import possible_answers, tried_course


@pytest.mark.parametrize(("file", "players"), [(THREE, 3), (BAY, 4)])
def test_a_league_plays_rates_and_goes_on_after_a_restart(tmp_path: Path, file: str, players: int) -> None:
    league = make_league(tmp_path / "course", file=file)
    folder = league.settings.folder
    assert play(league, 1) == 1
    total = play(league)
    games = Games(league.settings.results)
    every = games.last(100)
    assert total == len(every) == players
    for game in every:
        assert len(set(game.versions)) == players
        assert sorted(sum(game.order, ())) == sorted(game.versions)
        assert [game.rank_of(version) for group in game.order for version in group] == sorted(game.ranks)
        assert sum(map(game.points_of, game.versions)) == pytest.approx(players / 2)
    # Each has each seat once.
    assert all(len({game.versions[seat] for game in every}) == players for seat in range(players))
    standing = read_standing(folder)
    assert (standing.games, standing.complete) == (total, True)
    fit = fit_orders(before((version, version) for version in range(1, players + 1)), games.orders())
    for line in standing.lines:
        assert (line.rating, line.error) == tuple(round(value, 6) for value in fit.rating(line.version, 1))
        assert line.wins + line.ties + line.losses == line.games == players
    assert sum(line.mean_place for line in standing.lines) == pytest.approx(players * (players + 1) / 2)
    # What a game moves, it moves between its players.
    changes = games.seat_changes(every)
    assert len(changes) == total * players
    for game in every:
        moved = [changes[game.place, seat] for seat in range(1, players + 1)]
        assert sum(moved) == pytest.approx(0)
        assert moved[game.winner - 1] == max(moved)
        assert games.of_fixture(game) == [each for each in reversed(every) if each.place != game.place]
    assert games.counts() == {}
    lines = [line for line in export_lines(folder) if line["kind"] == "game"]
    assert [line["versions"] for line in lines] == [game.versions for game in reversed(every)]


def test_games_of_another_number_of_players_need_another_folder(bay: Course, tmp_path: Path) -> None:
    shutil.copytree(bay.folder, tmp_path / "copy")
    (tmp_path / "copy" / "league.yaml").write_text(BAY.replace("players: 4", "players: 3"))
    words = ["league", "serve", str(tmp_path / "copy")]
    problem = CliRunner().invoke(tiltyard, words).exception
    assert isinstance(problem, UserError)
    assert "players: the games so far have 4 players, not 3, and this can't change during a season; write 'players: 4'" in str(
        problem
    )


def test_the_games_are_found_by_version_place_seat_and_fault(bay: Course) -> None:
    games = Games(bay.league.settings.results)
    every = games.last(100)
    red, blue = 1, 2
    assert len(every) == bay.games > 6
    for version in (red, blue, 3):
        own = [game for game in every if version in game.versions]
        assert games.last_of([version], 100) == own
        assert sorted(games.of_version(version), key=lambda game: -game.place) == own
        assert games.last_places("9")[version] == own[0].place
        results: dict[str, list[LeagueGame]] = {result: [] for result in RESULTS}
        for game in own:
            is_first = game.rank_of(version) == 1
            results["lost" if not is_first else "won" if game.winner else "tied"].append(game)
        for result, same in results.items():
            assert games.matching(GameChoice(versions=[version], result=result), 100) == same
        for seat in range(1, 5):
            seated = [game for game in own if game.versions[seat - 1] == version]
            assert games.matching(GameChoice(versions=[version], seat=seat), 100) == seated
    both = [game for game in every if {red, blue} <= set(game.versions)]
    assert games.matching(GameChoice(versions=[red], against=[blue]), 100) == both != []
    assert sorted(games.between(red, blue), key=lambda game: -game.place) == both
    # Blue fails in each game, and so comes last in it, whoever else plays.
    failed = [game for game in every if blue in game.versions]
    assert all((game.rank_of(blue), game.faults[game.versions.index(blue)]) == (4, "crash") for game in failed)
    assert games.last_of([blue], 100, only_faults=True) == games.matching(GameChoice(only_faults=True), 100) == failed
    assert (games.faults_of(blue), games.faults_of(red)) == (len(failed), 0)
    assert sum(game.counts for game in failed) == len(failed)


def test_pages_show_places_and_changes_and_not_why_others_failed(bay: Course) -> None:
    standing = bay.red.get("/").text
    assert "mean place" in standing
    assert "players by place" in standing
    assert "won–tied–lost" not in standing  # noqa: RUF001 -- as it is written on the page
    me = bay.red.get("/me").text
    assert len(re.findall(r'<td class="score">(?:shared )?[1-4](?:st|nd|rd|th) of 4 <small>(?:[+−]\d+|0)</small>', me)) > 3  # noqa: RUF001
    assert "mean place" in me
    games = Games(bay.league.settings.results)
    for visitor in (bay.red, bay.blue, bay.staff, bay.stranger):
        for path in ("/games/", "/rules", "/live", "/games/?result=tied&seat=4", "/games/?version=1&against=2", "/data/games.js"):
            assert visitor.get(path).status == 200, path
    failed = games.last_of([2], 1)[0]
    page = bay.stranger.get(f"/games/{failed.place}").text
    assert len(re.findall(r'<td class="number place">[1-4]</td>', page)) == 4
    assert "<td>crash</td>" in page
    assert 'class="button" href="/games/' in page
    for visitor in (bay.red, bay.stranger):
        assert "my own mistake" not in visitor.get(f"/games/{failed.place}").text + visitor.get(f"/replays/{failed.place}.js").text
    replay = replays_in(bay.stranger.get(f"/replays/{failed.place}.js").text)[str(failed.place)]
    assert any("is out: crash" in note for frame in replay.frames for note in frame.notes)
    assert "my own mistake" in bay.blue.get(f"/games/{failed.place}").text
    assert bay.blue.get(f"/games/{failed.place}/kit.zip").status == 200
    assert bay.red.get(f"/games/{failed.place}/kit.zip").status == 404
    news = bay.stranger.get("/live.json").json
    assert all(len(game["teams"]) == 4 and game["winner"] in (0, 1) for game in news["games"])
    reveal = bay.staff.get("/staff/reveal").text
    assert reveal.count(" of 4 in a game with ") == len(re.findall(r'<li class="place-', reveal)) - 1
    with Database(bay.folder) as database:
        rows = grades(database, read_standing(bay.folder))
    line = next(line for line in read_standing(bay.folder).lines if line.version == 1)
    assert {row[7] for row in rows[1:] if row[2] == "Red"} == {line.games}


def test_who_asks_for_a_game_names_one_opponent_and_meets_the_nearest(bay: Course, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(bay.folder, folder)
    copy = load_league(folder)
    visitor = sign_in(make_app(copy.settings), folder, "Red")
    assert "A game has 4 players" in visitor.get("/me/requests").text
    assert visitor.post("/me/requests", version="1", opponent="4", map="generated-1").status == 303
    play(copy)
    (game,) = (game for game in Games(copy.settings.results).last(5) if game.kind != "rated")
    ratings = {line.version: line.rating for line in read_standing(folder).lines}
    others = sorted(set(ratings) - {1, 4}, key=lambda version: abs(ratings[version] - ratings[1]))
    assert game.versions == (1, 4, *others[:2])
    assert f'href="/games/{game.place}">played' in visitor.get("/me/requests").text
    assert "unrated" in visitor.get(f"/games/{game.place}").text
    # With too few others there is no such game.
    with Database(folder) as database:
        database.run("UPDATE teams SET state = 'disabled' WHERE name IN ('Blue', 'third', 'second')")
    assert visitor.post("/me/requests", version="1", opponent="4", map="generated-1").status == 303
    play(copy)
    assert "too few teams are playing now" in visitor.get("/me/requests").text


def test_staff_void_rerun_and_freeze_games_of_four(bay: Course, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(bay.folder, folder)
    copy = load_league(folder)
    games = Games(copy.settings.results)
    one, other = games.last(2)
    with Database(folder) as database:
        staff.set_frozen(database, True, "test")
        staff.override(database, one.key, "void", "unfair", "test")
        staff.override(database, other.key, "rerun", "", "test")
    play(copy)
    frozen, shown = read_standing(folder, [FROZEN]), read_standing(folder)
    assert (frozen.games, shown.games) == (bay.games, bay.games - 1)
    assert [game.versions for game in games.of_key(other.key)] == [other.versions]
    assert games.of_key(other.key)[0].place != other.place
    voided = games.game(one.place)
    assert voided is not None
    assert (voided.voided, voided.has_result) == (1, False)
    page = sign_in(make_app(copy.settings), folder, None).get(f"/games/{one.place}").text
    assert "unfair" in page
    assert '<td class="number place"></td>' in page


def test_the_table_by_version_is_made_again_of_the_games(bay: Course, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(bay.league.settings.results, results)
    seats = "SELECT game, seat, version, rank, failure FROM league_seats ORDER BY 1, 2"
    before_loss = Games(results).rows(seats)
    with open_games(results) as store:
        store.write(lambda connection: connection.execute("DELETE FROM league_seats WHERE game % 3 = 0"))
    assert Games(results).lacks_seats()
    open_games(results).close()
    assert Games(results).rows(seats) == before_loss


def test_finals_of_a_league_for_four_are_for_four(bay: Course, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(bay.folder, folder)
    result = CliRunner().invoke(tiltyard, ["league", "finals", str(folder), "--no-run"])
    assert result.exit_code == 0, result.output
    tournament = load_tournament(folder / "finals.yaml").tournament
    assert (tournament.field.seats, len(tournament.teams)) == (4, 6)


def test_versions_are_compared_where_all_others_sat_in_the_same_seats(bay: Course, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(bay.folder, folder)
    copy = load_league(folder)
    steady = enter(copy, "Blue", STEADY)
    old = Games(copy.settings.results).of_version(2)[0]
    seats = tuple(steady if version == 2 else version for version in old.versions)
    with closing(InlineExecutor()) as executor, closing(Service(copy, executor, 1)) as service:
        service.begin()
        service.playing.return_games.append(Seats(versions=seats, map=old.map))
        service.playing.fill(service.fit, 1)
        service.playing.store_finished(0.0)
    page = sign_in(make_app(copy.settings), folder, "Blue").get("/me/versions/2").text
    assert "Games against the same opponents, on the same map and in the same seats" in page
    row = page.partition("What changed since version 1")[2]
    assert re.search(r'4th of 4 crash of Blue v1</td><td><strong class="better">(?:shared )?(?:1st|2nd|3rd) of 4</strong>', row)
    assert row.count('<a href="/teams/') == 3


@pytest.mark.parametrize(
    ("claim", "failed"),
    [
        (GameResult(2, "", 9, (), ranks=(2, 1, 3, 4)), 2),
        (GameResult(0, "", 9, ()), 4),
        (GameResult(3, "", 9, ()), 0),
        # Who is named the winner is before the one that has the first place beside it.
        (GameResult(1, "", 9, (), ranks=(1, 1, 3, 3)), 0),
    ],
)
def test_a_game_is_rated_as_in_a_tournament(claim: GameResult, failed: int, tmp_path: Path) -> None:
    faults = (Fault(failed, Termination.CRASH, "", 3),) if failed else ()
    winner, ranks = judge(claim, faults, 4)
    outcome = Outcome(teams=("1", "2", "3", "4"), map="m", winner=winner, ranks=ranks, faults=faults)
    with closing(open_games(tmp_path)) as store:
        store.write(game_writer(Seats(versions=(1, 2, 3, 4), map="m"), "key", outcome))
    as_names = {tuple(tuple(map(str, group)) for group in order): count for order, count in Games(tmp_path).orders().items()}
    assert as_names == count_orders([outcome])
    assert not failed or next(iter(as_names))[-1] == (str(failed),)


def test_another_answer_is_tried_in_a_game_of_four(bay: Course) -> None:
    """Blue's code fails in it, and nobody else hears what it said."""
    with Database(bay.folder) as database:
        rows = database.rows("SELECT versions.id, teams.name FROM versions JOIN teams ON teams.id = team")
        versions = {row["name"]: row["id"] for row in rows}
        teams = {row["name"]: row["id"] for row in database.rows("SELECT * FROM teams")}
    red, blue = versions["Red"], versions["Blue"]
    game = next(game for game in Games(bay.league.settings.results).last(100) if {red, blue} <= set(game.versions))
    stored = stored_game(bay.league, game.place)
    seat, failing = game.versions.index(red) + 1, game.versions.index(blue) + 1
    every, _ = possible_answers(stored, seat)
    decision = next(each for each in every if each.others)
    point = decision.turn, decision.part
    for team, expected in (("Red", ""), ("Blue", "my own mistake")):
        own = own_seats(bay.league, f"team {teams[team]}", game.place)
        course, _ = tried_course(stored, seat, point, decision.others[0], own)
        assert course.outcome.message == ""
        (fault,) = course.outcome.faults
        assert fault.seat == failing
        assert expected in fault.message if expected else not fault.message
        assert b"my own mistake" not in zlib.decompress(course.replay)
