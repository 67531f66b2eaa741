"""The commands of whoever runs a league, called in this process."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import socket
import sqlite3
import tarfile
import time
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.league.conftest import Course
from tests.league.made_league import FILE, IDLE, make_folder, make_league, play
from typer.testing import CliRunner, Result

from tiltyard_league.cli.league import SERVED_AT
from tiltyard_league.database.database import Database
from tiltyard_league.database.tokens import holder_of
from tiltyard_league.database.versions import active_versions
from tiltyard_league.league_file.loading import load_league
from tiltyard_league.rating.standing import read_standing
from tiltyard_league.submissions.upload import NEW
from tiltyard_simulator.guard.policy import Confinement, Level
from tiltyard_tournaments.cli.start import app
from tiltyard_tournaments.tournament_file.resolution import load_tournament


def run(*words: str | Path, status: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(word) for word in words])
    if status == 0 and result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == status, result.output
    return result


def fails(*words: str | Path) -> str:
    """What a command says that a user's mistake ends."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is not None
    return str(result.exception)


@pytest.fixture
def copy(course: Course, tmp_path: Path) -> Path:
    """The course that was played, to be changed."""
    shutil.copytree(course.folder, tmp_path / "copy")
    return tmp_path / "copy"


def test_a_new_league_can_be_loaded_as_it_is_and_is_not_written_over(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    result = run("new", "league", folder, "--title", "It's ours: 2026")
    assert f"tiltyard league serve {folder}" in result.stdout
    league = load_league(folder)
    assert league.settings.title == "It's ours: 2026"
    assert len(league.tournament.maps) == 24
    assert league.pin.name == "acorn"
    assert "already exists" in fails("new", "league", folder)


def test_a_roster_prints_a_link_for_each_new_team_once(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "course")
    (tmp_path / "students.csv").write_text("name,id,group\nAnn,0017,Red\nBob,0018,Blue\n")
    assert "new team: Blue" in run("league", "roster", folder, tmp_path / "students.csv", "--dry-run").stderr
    first = run("league", "roster", folder, tmp_path / "students.csv")
    rows = list(csv.DictReader(first.stdout.splitlines()))
    assert [row["team"] for row in rows] == ["Blue", "Red"]
    assert run("league", "roster", folder, tmp_path / "students.csv").stdout == ""
    with Database(folder) as database:
        tokens = [row["link"].rpartition("/")[2] for row in rows]
        assert all(holder_of(database, token, "invite") for token in tokens)
        again = run("league", "invite", folder, "0017").stdout.strip()
        assert again.startswith("http://localhost:8000/join/")
        assert "set 'address'" in first.stderr
        database.set_fact(SERVED_AT, "http://localhost:8123")
        assert run("league", "invite", folder, "0018").stdout.startswith("http://localhost:8123/join/")
        assert holder_of(database, tokens[1], "invite") is None
        assert len(run("league", "roster", folder, tmp_path / "students.csv", "--new-links").stdout.splitlines()) == 3
        # Whose link was ended, since somebody went, gets a new one, and no other team does.
        (tmp_path / "fewer.csv").write_text("name,id,group\nAnn,0017,Red\nBob,0018,Red\n")
        would = run("league", "roster", folder, tmp_path / "fewer.csv", "--dry-run")
        assert "Blue: its invite link would stop working, as a person who left may have it" in would.stderr
        fewer = run("league", "roster", folder, tmp_path / "fewer.csv")
        assert "Blue: its invite link stopped working" in fewer.stderr
        assert fewer.stdout == ""
        assert [line.split(",")[0] for line in run("league", "roster", folder, tmp_path / "students.csv").stdout.split()] == [
            *("team", "Blue", "Red")
        ]
        assert holder_of(database, again.rpartition("/")[2], "invite") is None
    assert "Rod" in fails("league", "invite", folder, "Rod")
    assert "--staff" in fails("league", "invite", folder)
    assert "no league here" in fails("league", "roster", tmp_path, tmp_path / "students.csv")


def test_what_is_wrong_in_the_file_is_told_with_its_line(tmp_path: Path) -> None:
    folder = make_folder(
        tmp_path / "course",
        file="game: tanks\nteams: [acorn, bramble]\nmaps: [maps/*.txt]\nleague:\n  uploads-per-day: 3\n",
    )
    text = fails("league", "serve", folder)
    assert "league.yaml:5: league.uploads-per-day: unknown key; did you mean uploads-a-day?" in text
    (folder / "league.yaml").write_text(
        "teams: [acorn, bramble]\nmaps: [maps/*.txt]\nplayers: 3\n"
        "league: {deadline: soon, pin: nobody, address: league.example.edu, allow: [numpy, scipy 2],\n  wheels: nowhere,\n"
        "  packages: maps}\n"
    )
    text = fails("league", "serve", folder)
    assert "league.address: expected the address of the league, such as https://" in text
    assert "league.deadline: 'soon' isn't a time" in text
    assert "league.yaml:4: league.allow[2]: 'scipy 2' isn't a package that can be allowed; expected a name such as numpy" in text
    assert f"league.yaml:5: league.wheels: {folder / 'nowhere'}: cannot be read" in text
    assert f"league.yaml:6: league.packages: {folder / 'maps'}: has none of the folders python, cargo" in text
    assert "nothing was started" in text


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system has no tzset()")
def test_a_deadline_that_is_there_twice_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path / "course", file=FILE + "  deadline: 2026-10-25 02:30\n")
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    try:
        text = fails("league", "serve", folder)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "league.deadline: '2026-10-25 02:30' exists twice" in text
    assert "write '2026-10-25 02:30+02:00' (CEST) or '2026-10-25 02:30+01:00' (CET)" in text
    assert not (folder / "league.sqlite").exists()


def test_a_port_that_is_taken_is_told_before_anything_starts(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "course")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        text = fails("league", "serve", folder, "--port", str(port))
    assert f"127.0.0.1:{port}: cannot listen on this address" in text
    assert not (folder / "league.sqlite").exists()


def test_a_machine_that_cannot_confine_code_starts_no_league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path / "course")
    monkeypatch.setattr(
        "tiltyard_simulator.guard.confinement.probes.probe_confinement", lambda: Confinement(Level.C, (), advice=("no",))
    )
    assert "can't confine code from outside" in fails("league", "serve", folder)
    assert not (folder / "league.sqlite").exists()
    assert load_league(folder, unconfined=True).tournament.isolation_policy.refusal() == ""


def test_status_and_grades(course: Course, tmp_path: Path) -> None:
    text = run("league", "status", course.folder).stdout
    assert f"Course: {course.games} games" in text
    assert "acorn" in text
    lines = run("league", "surprises", course.folder).stdout.splitlines()
    assert lines[0].startswith("A reason to look closer, never a verdict")
    assert any(line.startswith("acorn 1 ") or " acorn 1 " in line for line in lines)
    assert not any("  look  " in line for line in lines)
    rows = list(csv.DictReader(run("league", "grades", course.folder).stdout.splitlines()))
    assert [row["id"] for row in rows] == ["0017", "0018", "0019", "0020"]
    assert rows[0]["team"] == "Red"
    assert rows[3]["place"] == ""
    file = tmp_path / "grades.ods"
    assert run("league", "grades", course.folder, "--ods", file).stdout == f"{file}\n"
    assert zipfile.is_zipfile(file)
    assert "cannot be written" in fails("league", "grades", course.folder, "--ods", tmp_path / "no" / "grades.ods")


def test_single_teams_and_games(copy: Path) -> None:
    assert "Blue stops playing" in run("league", "disable", copy, "Blue", "--reason", "see me").stdout
    os.utime(copy / "steward.json", (0, 0))
    text = run("league", "void", copy, "1", "--reason", "a mistake").stdout
    assert text == "game 1 is void; ratings follow when the league runs\n"
    os.utime(copy / "steward.json")
    assert run("league", "restore", copy, "1").stdout == "game 1 counts again; ratings follow within seconds\n"
    assert run("league", "rerun", copy, "2").stdout == "game 2 is played again within seconds\n"
    assert "frozen since 20" in run("league", "freeze", copy).stdout
    assert "frozen since" in run("league", "status", copy).stdout
    run("league", "unfreeze", copy)
    run("league", "enable", copy, "Blue")
    run("league", "close", copy)
    run("league", "close", copy, "--open")
    with Database(copy) as database:
        assert [row["what"] for row in database.rows("SELECT what FROM overrides ORDER BY id")] == ["void", "restore", "rerun"]
        actions = [row["what"] for row in database.rows("SELECT what FROM log WHERE who = 'command line' ORDER BY id")]
    assert actions == [
        *("team disabled", "game void", "game restore", "game rerun", "frozen", "unfrozen", "team enabled", "closed", "opened"),
    ]
    assert "no game 9999" in fails("league", "void", copy, "9999")
    assert "--yes" in fails("league", "forget", copy)
    (copy / "links.csv").touch()
    with closing(sqlite3.connect(copy / "league.sqlite")) as reader:
        # The league runs, and a page is being made.
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM members").fetchall()
        text = run("league", "forget", copy, "--yes").stdout
        assert "4 people" in text
        assert "league.sqlite-wal until the league is stopped" in text
        assert text.endswith("delete them yourself: links.csv\n")
    with closing(sqlite3.connect(copy / "league.sqlite")) as other:
        other.execute("SELECT * FROM facts").fetchall()
        assert "-wal" not in run("league", "forget", copy, "--yes").stdout
        assert not [path for path in copy.glob("league.sqlite*") if b"Dogwood" in path.read_bytes()]


def test_the_export_names_nobody(course: Course) -> None:
    from tiltyard_league.cli.backup import export_lines

    lines = list(export_lines(course.folder))
    text = json.dumps(lines)
    assert [kind for kind in ("league", "team", "version", "game") if not any(line["kind"] == kind for line in lines)] == []
    assert not [name for name in ("Ann Ash", '"Red"', "0017") if name in text]


def test_a_backup_is_one_file_and_the_league_goes_on_elsewhere(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, elsewhere = tmp_path / "league.tar.gz", tmp_path / "elsewhere" / "course"
    before = read_standing(copy)
    assert "choose a file outside the folder" in fails("league", "backup", copy, copy / "league.tar.gz")
    other = tmp_path / "moodle.tar.gz"
    other.write_bytes(gzip.compress(b"handed in"))
    assert "exists and isn't a backup of a league" in fails("league", "backup", copy, other)
    assert gzip.decompress(other.read_bytes()) == b"handed in"
    upload_names = {f"uploads/{path.name}" for path in (copy / "uploads").iterdir()}
    for name in ("a-vanishing", "b-whole", f"{NEW}half"):
        (copy / "uploads" / name).write_text(name)
    (copy / "versions" / "999").mkdir()
    find = tarfile.TarFile.gettarinfo

    def vanish(archive: tarfile.TarFile, name: Any = None, arcname: Any = None, fileobj: Any = None) -> tarfile.TarInfo:
        """As if the league removed a file, and a folder, between their being listed and their being read."""
        for path in (copy / "uploads" / "a-vanishing", copy / "maps-of-last-year" / "a.txt"):
            path.unlink(missing_ok=True)
        return find(archive, name, arcname, fileobj)

    (copy / "maps-of-last-year").mkdir()
    (copy / "maps-of-last-year" / "a.txt").write_text("x")
    monkeypatch.setattr(tarfile.TarFile, "gettarinfo", vanish)
    for _ in range(2):
        run("league", "backup", copy, file)
    with tarfile.open(file) as archive:
        names = archive.getnames()
    assert {name for name in names if name.startswith("uploads/")} == upload_names | {"uploads/b-whole"}
    assert "maps-of-last-year" in names
    # Of a version that never played nothing is needed.
    assert {name.split("/")[1] for name in names if name.startswith("versions/")} == {"2"}
    assert file.stat().st_mode & 0o077 == 0
    size = sum(path.stat().st_size for path in copy.rglob("*") if path.is_file())
    assert file.stat().st_size <= 1.2 * size
    assert [path.name for path in copy.iterdir() if path.name.startswith((".", "tmp"))] == []
    elsewhere.parent.mkdir()
    run("league", "unpack-backup", file, elsewhere)
    # All that was built lies at another place now.
    shutil.rmtree(copy)
    play(load_league(elsewhere))
    assert read_standing(elsewhere).lines == before.lines
    assert "already exists" in fails("league", "unpack-backup", file, elsewhere)
    with tarfile.open(tmp_path / "other.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("somebody's"))
    other_archive = (tmp_path / "other.tar.gz").read_bytes()
    for broken in (b"nothing", other_archive, file.read_bytes()[: file.stat().st_size // 2]):
        (tmp_path / "no.tar.gz").write_bytes(broken)
        assert "isn't a backup" in fails("league", "unpack-backup", tmp_path / "no.tar.gz", tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("has_filters", [False, *([True] if hasattr(tarfile, "data_filter") else [])])
@pytest.mark.parametrize(("name", "link"), [("../evil", ""), ("{}/evil", ""), ("a/../../evil", ""), ("evil", "/etc/passwd")])
def test_nothing_of_a_backup_comes_to_lie_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, link: str, has_filters: bool
) -> None:
    # Python 3.11.3 and older have none.
    if not has_filters:
        monkeypatch.delattr(tarfile, "data_filter", raising=False)
    member = tarfile.TarInfo(name.format(tmp_path))
    member.type, member.linkname = (tarfile.SYMTYPE, link) if link else (tarfile.REGTYPE, "")
    with tarfile.open(tmp_path / "evil.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("league.yaml"))
        archive.addfile(member)
    fails("league", "unpack-backup", tmp_path / "evil.tar.gz", tmp_path / "new" / "league")
    assert [path.name for path in tmp_path.rglob("*") if "evil" in path.name] == ["evil.tar.gz"]


def test_finals_are_an_ordinary_tournament_of_the_versions_that_play(copy: Path) -> None:
    result = run("league", "finals", copy, "--format", "{name: swiss, rounds: 2}", "--seed", "9", "--no-run")
    file = Path(result.stdout.strip())
    document = yaml.safe_load(file.read_text())
    assert (document["seed"], document["format"]) == (9, {"name": "swiss", "rounds": 2})
    text = file.read_text()
    # The first command froze the versions; another one changes nothing.
    run("league", "finals", copy, "--seed", "9", "--no-run")
    assert file.read_text() == text
    assert "was made with the seed 9" in fails("league", "finals", copy, "--seed", "8", "--no-run")
    with Database(copy) as database:
        assert database.number("SELECT count(*) FROM log WHERE what = 'finals'") == 1
    names = {team["name"] for team in document["teams"]}
    assert {"acorn", "bramble"} < names
    assert not {"Red", "Blue"} & names
    assert "not YAML" in fails("league", "finals", make_folder(copy / "more"), "--format", "{", "--no-run")


def test_finals_can_be_loaded(copy: Path) -> None:
    # Maps that the file names lie beside the league's file.
    run("league", "finals", copy, "--no-run")
    tournament = load_tournament(copy / "finals.yaml").tournament
    assert tournament.field.seed != load_league(copy).tournament.field.seed
    assert len(tournament.teams) == 4
    assert [source.name for source in tournament.maps] == ["duel0", "duel1"]


STAGES = """\
maps: [maps/duel1.txt]
stages:
  - {name: groups, format: {name: groups, groups: 2, pots: seeds}}
  - {name: last, format: double-elimination, teams: {from: groups, top: 1, of: each group}}
"""


def test_finals_may_have_stages_and_are_seeded_by_rating(copy: Path, tmp_path: Path) -> None:
    file = tmp_path / "stages.yaml"
    for text, words in (
        (STAGES.replace("name: last", "name: groups"), "stages.yaml:4: stages[2].name: two stages are called 'groups'"),
        (STAGES.replace("from: groups", "from: group"), "did you mean groups?"),
        (STAGES.replace("groups: 2,", "groups: 9,"), "stages.yaml:3: format"),
        (STAGES.replace("duel1", "duel9"), "stages.yaml:1: maps[1]"),
        (f"teams: [acorn]\n{STAGES}", "stages.yaml:1: teams: the teams are the versions that play now; leave this key out"),
        ("maps: [maps/duel1.txt]\n", "stages.yaml:1: stages: expected the key 'stages'"),
    ):
        file.write_text(text)
        told = fails("league", "finals", copy, "--stages", file, "--no-run")
        assert words in told, told
        assert not (copy / "finals.yaml").exists()
    file.write_text(STAGES)
    assert "--stages and --format" in fails("league", "finals", copy, "--stages", file, "--format", "swiss", "--no-run")
    finals = Path(run("league", "finals", copy, "--stages", file, "--no-run").stdout.strip())
    document = yaml.safe_load(finals.read_text())
    assert "format" not in document
    with Database(copy) as database:
        names = {row["id"]: row["pseudonym"] or row["team_name"] for row in active_versions(database)}
    best = [names[line.version] for line in read_standing(copy).lines]
    assert [team["name"] for team in document["teams"]] == best
    run("league", "finals", copy, "--stages", file, "--no-run")
    file.write_text(STAGES.replace("groups: 2", "groups: 1"))
    assert "was made with other stages" in fails("league", "finals", copy, "--stages", file, "--no-run")
    stage = load_tournament(finals, stage="groups").tournament
    assert (stage.title, [source.name for source in stage.maps]) == ("Course: finals: groups", ["duel1"])


def test_finals_copy_what_staff_have_written_themselves(tmp_path: Path) -> None:
    file = FILE.replace("[acorn, bramble]", "[acorn, bots/mine.py]")
    folder = tmp_path / "course"
    (folder / "bots").mkdir(parents=True)
    (folder / "bots" / "mine.py").write_text(IDLE)
    play(make_league(folder, file=file), 1)
    run("league", "finals", folder, "--no-run")
    (folder / "bots" / "mine.py").unlink()
    teams = load_tournament(folder / "finals.yaml").tournament.teams
    assert [team.label for team in teams] == ["acorn", "idle"]


def test_a_league_is_for_two_to_nine_players_if_its_game_is(tmp_path: Path) -> None:
    text = "game: penguins\nteams: [penguins-greedy, penguins-champion, penguins-random]\nmaps: [small-bay]\n"
    folder = make_folder(tmp_path / "course", file=text)
    assert (load_league(folder).tournament.field.seats, load_league(folder).settings.players) == (2, 2)
    for line, problem in (
        ("players: 3", ""),
        ("players: 4", "league.yaml:2: teams: expected at least 4 usable teams, one for each player of a match, found 3"),
        ("players: 12", "league.yaml:4: players: a league plays games of 2 to 9, got 12"),
        ("players: many", "league.yaml:4: players: a league plays games of 2 to 9, got 'many'"),
        ("players: true", "league.yaml:4: players: a league plays games of 2 to 9, got True"),
    ):
        (folder / "league.yaml").write_text(f"{text}{line}\n")
        if problem:
            message = fails("league", "serve", folder)
            assert problem in message
            assert "1 problem; nothing was started" in message
        else:
            assert (load_league(folder).tournament.field.seats, load_league(folder).settings.players) == (3, 3)
    (folder / "league.yaml").write_text("game: advance\nteams: [nobody]\nmaps: [nowhere]\nplayers: 3\n")
    assert "league.yaml:4: players: advance is for exactly 2 players, got 3\n" in fails("league", "serve", folder)


def test_a_new_league_for_four_has_teams_enough_for_a_game(tmp_path: Path) -> None:
    run("new", "league", tmp_path / "bay", "--game", "penguins", "--players", "4")
    tournament = load_league(tmp_path / "bay").tournament
    assert (tournament.field.seats, len(tournament.teams)) == (4, 4)
    text = (tmp_path / "bay" / "league.yaml").read_text()
    assert "# Every pair of versions meets on each map as often as a game has players.\n# When all are played, " in text
    assert "is for exactly 2 players, got 3" in fails("new", "league", tmp_path / "other", "--game", "advance", "--players", "3")
