"""The service's loop in this process, with games that are really played."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from tests.engine.making import write
from tests.league.conftest import Course
from tests.league.made_league import CRASHING, FILE, IDLE, enter, make_league, play, sign_in
from tests.made_records import changed

from tiltyard_league.cli.backup import export_lines
from tiltyard_league.database import staff
from tiltyard_league.database.clock import now
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games, Seats
from tiltyard_league.database.state import read_state
from tiltyard_league.database.teams import find_team
from tiltyard_league.league_file.loading import load_league
from tiltyard_league.matchmaking.fixtures import before
from tiltyard_league.rating.fit import fit_versions
from tiltyard_league.rating.standing import FROZEN, read_standing
from tiltyard_league.service.game_writing import open_games
from tiltyard_league.service.main import Service
from tiltyard_league.service.playing import Playing
from tiltyard_league.web.app import make_app
from tiltyard_simulator.play.arena import void
from tiltyard_simulator.play.executor import InlineExecutor
from tiltyard_simulator.play.failure_watch import MOST_FAILURES, MOST_VOIDS
from tiltyard_tournaments.store import Store


def games_of(folder: Path) -> list[tuple[tuple[int, ...], str]]:
    return sorted((game.versions, game.map) for game in Games(folder / "results").last(1000) if game.kind == "rated")


def request(database: Database, *, team: int, version: int, opponent: int, game_map: str) -> None:
    database.run(
        "INSERT INTO requests (team, version, opponent, map, asked_at, state, reason) VALUES (?, ?, ?, ?, ?, 'open', '')",
        *(team, version, opponent, game_map, now()),
    )


def test_all_meet_on_all_maps_and_the_standing_is_the_fit_of_the_export(course: Course) -> None:
    games = games_of(course.folder)
    assert len(games) == course.games == Games(course.league.settings.results).newest() == 4 * 3 * 2
    standing = read_standing(course.folder)
    assert standing.complete
    assert standing.games == course.games
    lines = [json.loads(json.dumps(line)) for line in export_lines(course.folder)]
    counts: dict[tuple[int, int], list[int]] = {}
    for game in (line for line in lines if line["kind"] == "game" and line["why"] == "rated" and line["counts"]):
        one, other = sorted((game["version_1"], game["version_2"]))
        seat = 0 if not game["winner"] else game["winner"] if game["version_1"] == one else 3 - game["winner"]
        counts.setdefault((one, other), [0, 0, 0])[{1: 0, 0: 1, 2: 2}[seat]] += 1
    versions = [(line["id"], line["team"]) for line in lines if line["kind"] == "version" and line["plays"]]
    fit = fit_versions(before(versions), {pair: (won, tied, lost) for pair, (won, tied, lost) in sorted(counts.items())})
    acorn = next(line["id"] for line in lines if line["kind"] == "team" and line["name"] == "acorn")
    pin = next(version for version, team in versions if team == acorn)
    for line in standing.lines:
        assert (line.rating, line.error) == tuple(round(value, 6) for value in fit.rating(line.version, pin))
    assert course.league.tournament.maps[0].name in {game[1] for game in games}


def test_a_steward_that_ends_at_any_game_goes_on_and_nothing_counts_twice(tmp_path: Path) -> None:
    league = make_league(tmp_path / "course")
    enter(league, "Red", "coyote")
    total = 0
    for _ in range(3):
        # As after a kill: all that is known is in the databases.
        total = play(load_league(tmp_path / "course"), 3)
    (tmp_path / "course" / "standing.json").unlink()
    total = play(load_league(tmp_path / "course"))
    assert len(games_of(tmp_path / "course")) == total == 3 * 2 * 2
    # A game that was kept twice would have taken the place of the first one, and a number of its own.
    assert Games(league.settings.results).newest() == total
    one_piece = make_league(tmp_path / "other")
    enter(one_piece, "Red", "coyote")
    play(one_piece)
    here, there = (read_standing(tmp_path / name) for name in ("course", "other"))
    assert here.lines == there.lines


def test_what_staff_want_with_a_game_is_done_and_ratings_follow(tmp_path: Path) -> None:
    league = make_league(tmp_path / "course", maps=1)
    red = enter(league, "Red", "coyote")
    play(league)
    folder = league.settings.folder
    games = Games(league.settings.results)
    first, second = games.game(1), games.game(2)
    assert first is not None
    assert second is not None
    with Database(folder) as database:
        staff.override(database, first.key, "void", "a mistake", "test")
        staff.override(database, second.key, "rerun", "", "test")
    play(league)
    voided = games.game(1)
    assert voided is not None
    assert voided.voided
    assert games.game(2) is None
    again = games.of_key(second.key)
    assert [(game.versions, game.map) for game in again] == [(second.versions, second.map)]
    assert again[0].place > second.place
    assert read_standing(folder).games == 5
    # A game of two that don't play any more is played again as well, and what else is wanted of it is done with the new one.
    latest = enter(league, "Red", IDLE)
    third = next(game for game in reversed(games.last(10)) if red in game.versions and game.key != first.key)
    with Database(folder) as database:
        staff.override(database, first.key, "restore", "", "test")
        staff.override(database, third.key, "rerun", "", "test")
        staff.override(database, third.key, "void", "", "test")
    play(league)
    play(league)
    assert latest in {line.version for line in read_standing(folder).lines}
    (after,) = games.of_key(third.key)
    assert (after.versions, after.map, after.place > third.place, after.voided) == (third.versions, third.map, True, True)
    assert games.totals() == (10, 9)


def test_a_game_that_is_played_again_is_there_whenever_the_steward_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league(tmp_path / "course", maps=1)
    play(league)
    games = Games(league.settings.results)
    game = games.last(1)[0]
    with Database(league.settings.folder) as database:
        staff.override(database, game.key, "rerun", "", "test")

    def open_wishes() -> int:
        with Database(league.settings.folder) as database:
            return database.number("SELECT count(*) FROM overrides WHERE done_at = ''")

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for owner, where in ((Store, "add"), (Playing, "settle_override")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, where, killed)
            with pytest.raises(KeyboardInterrupt):
                play(league)
        assert (open_wishes(), [(each.versions, each.map) for each in games.of_key(game.key)]) == (1, [(game.versions, game.map)])
    before = games.of_key(game.key)[0].ended_at
    play(league)
    assert open_wishes() == 0
    assert games.of_key(game.key)[0].ended_at > before > game.ended_at
    # One that can't be played stays as it is, and the log says why.
    with monkeypatch.context() as patch:
        patch.setattr(InlineExecutor, "_play", lambda self, spec: changed(void(spec, 1, "the machine broke"), place=spec.place))
        with Database(league.settings.folder) as database:
            staff.override(database, game.key, "rerun", "", "test")
            play(league)
            row = database.row("SELECT about FROM log WHERE what = 'game not played again'")
    assert row is not None
    assert "the machine broke" in row["about"]
    assert (open_wishes(), games.totals()) == (0, (2, 2))


def test_a_version_that_fails_again_and_again_gives_way_to_the_one_before(tmp_path: Path) -> None:
    league = make_league(tmp_path / "course", file=FILE.replace("quarantine: 100", "quarantine: 3"))
    good = enter(league, "Red", "coyote")
    bad = enter(league, "Red", CRASHING)
    play(league)
    folder = league.settings.folder
    with Database(folder) as database:
        row = database.row("SELECT * FROM versions WHERE id = ?", bad)
        assert row is not None
        assert row["state"] == "disabled"
        assert "failed in 3 games" in row["reason"]
        log = database.row("SELECT * FROM log WHERE what = 'version disabled'")
        assert log is not None
        # A process that was killed between a game and this sees it at its next start.
        database.run("UPDATE versions SET state = 'accepted' WHERE id = ?", bad)
        play(league)
        assert database.number("SELECT count(*) FROM versions WHERE id = ? AND state = 'disabled'", bad) == 1
        # What was before staff enabled it doesn't count.
        staff.enable_version(database, row, "test")
    play(league, 2)
    with Database(folder) as database:
        assert database.number("SELECT count(*) FROM versions WHERE id = ? AND state = 'accepted'", bad) == 1
        staff.disable_version(database, row, "", "test")
    play(league)
    standing = read_standing(folder)
    assert {line.version for line in standing.lines} > {good}
    assert bad not in {line.version for line in standing.lines}
    assert standing.rating_of(bad) is not None


def test_equal_code_of_two_teams_is_played_once(tmp_path: Path) -> None:
    league = make_league(tmp_path / "course", maps=1)
    red = enter(league, "Red", IDLE)
    play(league)
    games = Games(league.settings.results)
    damaged = next(game for game in games.last(10) if red in game.versions)
    with open_games(league.settings.results) as store:
        store.write(lambda connection: connection.execute("UPDATE matches SET outcome = x'c1' WHERE key = ?", (damaged.key,)))
        blue = enter(league, "Blue", IDLE)
        play(league)
        # What can't be read any more was played again.
        assert store.record(damaged.key) is not None
    assert len(games.of_key(damaged.key)) == 2
    with closing(InlineExecutor()) as executor, closing(Service(league, executor, 2)) as service:
        service.begin()
        # Also if both would be played at the same moment.
        for kind in ("requested 1", "requested 2"):
            versions = (red, blue) if kind == "requested 1" else (blue, red)
            service.playing.return_games.append(Seats(versions=versions, map="duel0", kind=kind))
        with open_games(league.settings.results) as store:
            store.remove(games.between(red, blue)[0].key)
        service.playing.fill(service.fit, 2)
        assert [len(match.games) for match in service.playing.in_flight.values()] == [2]
        service.playing.store_finished(0.0)
    assert len(games.rows("SELECT place FROM league_games WHERE kind != 'rated'")) == 2
    rows = games.rows("SELECT key, count(*) FROM league_games GROUP BY key HAVING count(*) > 1")
    assert len(rows) >= 4
    assert games.number("SELECT count(*) FROM matches") < games.totals()[0]
    lines = [line for line in read_standing(league.settings.folder).lines if line.games == 6]
    assert len(lines) == 4


def test_what_a_team_asks_for_is_played_and_counts_for_nobody(tmp_path: Path) -> None:
    league = make_league(tmp_path / "course", maps=1, file=FILE.replace("quarantine: 100", "quarantine: 5"))
    version = enter(league, "Red", CRASHING)
    play(league)
    folder = league.settings.folder
    rated = read_standing(folder).games
    with Database(folder) as database:
        bot = database.number("SELECT id FROM versions WHERE upload = ''")
        for game_map in ("duel0", "no such map", "duel0"):
            request(database, team=1, version=version, opponent=bot, game_map=game_map)
    # All have met on all maps: nobody waits for other games.
    play(league)
    with Database(folder) as database:
        states = [(row["state"], row["reason"]) for row in database.rows("SELECT state, reason FROM requests ORDER BY id")]
    assert states == [("played", ""), ("refused", "the league has no map 'no such map' now"), ("played", "")]
    games = Games(league.settings.results)
    assert [game.kind for game in games.last(100) if game.kind != "rated"] == ["requested 3", "requested 1"]
    # Not even towards the faults after which a version stops playing: rivals ask for games too.
    assert [len(games.of_version(version)), games.number("SELECT count(*) FROM league_games WHERE fault")] == [4, 6]
    assert version in {line.version for line in read_standing(folder).lines}
    assert read_standing(folder).games == rated


def test_files_that_are_gone_stop_nobody_else(tmp_path: Path) -> None:
    league = make_league(tmp_path / "course", maps=1)
    version = enter(league, "Red", IDLE)
    enter(league, "Blue", "coyote")
    unreadable = enter(league, "Dot Dogwood", "coyote")
    with Database(league.settings.folder) as database:
        database.run("UPDATE versions SET entry = x'c1' WHERE id = ?", unreadable)
    # What was handed in as well: of that they would be made again.
    for folder in (league.settings.folder / "versions" / str(version), league.settings.folder / "uploads"):
        for path in folder.rglob("*"):
            if path.is_file():
                path.unlink()
    fresh = load_league(league.settings.folder)
    assert play(fresh) == 3 * 2
    assert not {version, unreadable} & {line.version for line in read_standing(league.settings.folder).lines}
    with closing(InlineExecutor()) as executor, closing(Service(fresh, executor, 1)) as service:
        service.begin()
        service.write_state()
    assert {str(version), str(unreadable)} == set(read_state(league.settings.folder).broken)


def test_a_changed_team_of_the_staff_is_a_new_version(tmp_path: Path) -> None:
    league = make_league(tmp_path / "course", maps=1)
    folder = league.settings.folder
    play(league)
    (folder / "league.yaml").write_text(FILE.replace("[acorn, bramble]", "[acorn, coyote]"))
    changed = load_league(folder)
    play(changed)
    with Database(folder) as database:
        assert find_team(database, "bramble")["state"] == "gone"
        assert find_team(database, "acorn")["state"] == "active"
    assert len(read_standing(folder).lines) == 2
    assert len(read_standing(folder).earlier) == 1


def test_while_it_is_frozen_the_standing_of_that_moment_is_kept(tmp_path: Path) -> None:
    league = make_league(tmp_path / "course", maps=1)
    first, second = enter(league, "Red", IDLE), enter(league, "Red", "coyote")
    folder = league.settings.folder
    play(league)
    with Database(folder) as database:
        # It plays an earlier version, which has had no game yet.
        database.run("UPDATE teams SET chosen = ? WHERE name = 'Red'", first)
        staff.set_frozen(database, True, "test")
        frozen_at = database.fact("frozen_at")
    play(league)
    enter(league, "Blue", "coyote")
    play(league)
    frozen, whole = read_standing(folder, [FROZEN]), read_standing(folder)
    assert (frozen.made_at, frozen.games, whole.games) == (frozen_at, 6, 6 + 4 + 6)
    assert {first} < {line.version for line in frozen.lines} < {line.version for line in whole.lines}
    # The past is told with who had the last game then, whatever plays now and whatever was played again since.
    with Database(folder) as database:
        for game in Games(league.settings.results).of_version(second):
            staff.override(database, game.key, "rerun", "", "test")
    play(league)
    with closing(InlineExecutor()) as executor, closing(Service(league, executor, 1)) as service:
        service.begin()
        assert first in {line.version for line in service.standing_at(now()).lines}
    # Frozen again before the service has looked, it is the standing of the second time.
    with Database(folder) as database:
        staff.set_frozen(database, False, "test")
        staff.set_frozen(database, True, "test")
    play(league)
    assert read_standing(folder, [FROZEN]).games == 16
    with Database(folder) as database:
        staff.set_frozen(database, False, "test")
        staff.set_closed(database, True, "test")
    enter(league, "Dot Dogwood", IDLE)
    assert play(league) == 16
    assert not (folder / FROZEN).exists()


def test_replays_of_old_games_go_and_those_with_faults_stay(tmp_path: Path) -> None:
    league = make_league(tmp_path / "course", file=FILE + "  replays-kept: 1\n")
    enter(league, "Red", CRASHING)
    enter(league, "Blue", "coyote")
    play(league)
    with closing(InlineExecutor()) as executor, closing(Service(league, executor, 1)) as service:
        service.begin()
        # As if some games had been won without a fault, by a version whose newest games were others.
        as_if = "UPDATE league_games SET fault = 0 WHERE place IN (SELECT game FROM league_seats WHERE version = 2)"
        service.store.write(lambda connection: connection.execute(as_if))
        removed = service.upkeep.remove_old_replays()
        assert removed > 0
        assert service.upkeep.remove_old_replays() == 0
        keys = {key for (key,) in service.games.rows("SELECT key FROM matches WHERE replay IS NOT NULL")}
        faulty = {game.key for game in service.games.last(100) if game.fault}
        assert faulty <= keys
        newest = service.games.last(1)[0]
        assert newest.key in keys
        # So does the last win of each against each other one, with which the end of the season is told.
        last = reversed(service.games.last(100))
        won = {(game.versions[game.winner - 1], sum(game.versions)): game for game in last if game.winner}
        assert {game.key for game in won.values()} <= keys
        assert [game for game in won.values() if not game.fault and game.place < newest.place - 4]
        service.upkeep.look_around()


def test_a_machine_that_spoils_a_game_again_and_again_charges_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league(tmp_path / "course", maps=1)
    monkeypatch.setattr(InlineExecutor, "_play", lambda self, spec: changed(void(spec, 1, "the machine broke"), place=spec.place))
    assert play(league) == 2
    games = Games(league.settings.results)
    assert games.totals() == (2, 0)
    assert games.number("SELECT count(*) FROM voids") == 2
    assert read_standing(league.settings.folder).games == 0


FAILING = """
from tiltyard_engine import Manager, hookimpl
from tiltyard_tanks.manager import TanksGameManager

class Failing(TanksGameManager):
    def run(self, match):
        if FLAG.exists():
            return super().run(match)
        raise ValueError("no rules today")

from pathlib import Path
FLAG = Path(__file__).with_name("mended")

@hookimpl
def game_managers():
    yield Manager(name="failing", game="tanks", create=Failing)
"""


def test_a_manager_that_fails_every_game_ends_the_games_until_one_succeeds(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    write(folder / "failing.py", FAILING)
    league = make_league(folder, file=f"{FILE}manager: ./failing.py\ntrust: [failing.py]\n")
    for team in ("Red", "Blue", "Dot Dogwood"):
        enter(league, team, IDLE)
    with closing(InlineExecutor()) as executor, closing(Service(league, executor, 1)) as service:
        service.begin()
        while not service.playing.stopped:
            service.step(0.0)
        again = service.games.totals()[0]
        # Equal code makes two games of one match; all would be 40.
        assert MOST_FAILURES <= again <= 2 * MOST_VOIDS
        for _ in range(3):
            service.step(0.0)
        assert service.games.totals()[0] == again
        service.write_state()
        reason = "no result: the GameManager failed: crash: run() raised ValueError: no rules today"
        assert read_state(folder).stopped == reason
        staff_member = sign_in(make_app(league.settings), folder, None)
        assert f"the GameManager failed in all of the first ones: {reason}. Fix it" in staff_member.get("/staff").text
        # Whatever was wrong, and however staff have mended it, a game that is played again shows it.
        (folder / "mended").touch()
        staff.override(service.database, service.games.last(1)[0].key, "rerun", "", "test")
        while service.playing.stopped:
            service.step(0.0)
        service.step(0.0)
        assert service.playing.in_flight or service.games.totals()[0] > again
        service.write_state()
    assert "the GameManager failed" not in staff_member.get("/staff").text
