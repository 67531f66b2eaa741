"""What a league writes can be read by its owner alone, whatever the umask is, and an older league's files are mended."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.league.cli.test_league import run
from tests.league.made_league import IDLE, enter, make_league, play
from tests.league.private_files import open_umask, read_by_others  # noqa: F401 -- a fixture

from tiltyard_league.database.private import own_paths
from tiltyard_league.league_file.loading import load_league
from tiltyard_league.service.setup import set_up


@pytest.mark.usefixtures("open_umask")
def test_nobody_else_can_read_what_commands_of_a_league_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a league that is served, another test looks at what it writes while its processes are killed."""
    league = make_league(tmp_path / "course", maps=1)
    folder = league.settings.folder
    monkeypatch.chdir(tmp_path)
    (tmp_path / "students.csv").write_text("name,id,group\nAnn Ash,0017,Red\nEve Elm,0021,\n")
    assert "/join/" in run("league", "roster", folder, "students.csv").stdout
    assert read_by_others(folder) == []
    enter(league, "Red", IDLE)
    play(league)
    # What was played here has the umask of this process. The league's own processes have another one.
    set_up(league)
    assert read_by_others(folder) == []
    run("league", "backup", folder, tmp_path / "backup.tar.gz")
    assert read_by_others(folder) == []
    run("league", "finals", folder, "--no-run")
    assert (folder / "finalists").is_dir()
    assert read_by_others(folder) == []
    run("league", "unpack-backup", tmp_path / "backup.tar.gz", tmp_path / "elsewhere")
    assert read_by_others(tmp_path / "elsewhere") == []


@pytest.mark.usefixtures("open_umask")
def test_what_an_older_tiltyard_left_open_is_closed_at_the_start_which_is_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    league = make_league(tmp_path / "course", maps=1)
    folder = league.settings.folder
    outside = tmp_path / "outside"
    outside.write_text("somebody else's")
    (folder / "maps" / "shared").touch()
    for name in ("versions/1/teams/sub", "versions/1/intake", "results/faults", "finals/site", "uploads-without-a-version"):
        (folder / name).mkdir(parents=True)
        (folder / name / "file").write_text("secret")
    for name in ("league.sqlite-wal", "league.sqlite.damaged-1", "standing-frozen.json", "results/tournament.sqlite-shm"):
        (folder / name).touch()
    (folder / "versions" / "1" / "python").symlink_to(outside)
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o777 if path.is_dir() or path.name == "file" else 0o666)
    before = len(read_by_others(folder))
    assert before > 15
    (folder / "league.sqlite-wal").unlink()
    (folder / "results" / "tournament.sqlite-shm").unlink()
    assert "others on this machine can read" in run("league", "doctor", folder, status=1).stdout
    capfd.readouterr()
    set_up(load_league(folder))
    assert read_by_others(folder) == []
    assert "other users could read files of the league; now only their owner can" in capfd.readouterr().out
    # What may be run stays so for its owner, and nothing else is touched.
    assert (folder / "versions/1/teams/sub/file").stat().st_mode & 0o777 == 0o700
    assert (folder / "maps" / "shared").stat().st_mode & 0o777 == 0o666
    assert outside.stat().st_mode & 0o777 == 0o666
    set_up(load_league(folder))
    assert capfd.readouterr().out == ""


def test_a_store_elsewhere_is_closed_without_what_lies_beside_it(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("tournament.sqlite", "tournament.sqlite-wal", "notes.txt"):
        (elsewhere / name).touch()
    (tmp_path / "course").mkdir()
    names = [path.name for path in own_paths(tmp_path / "course", elsewhere)]
    assert names == ["tournament.sqlite", "tournament.sqlite-wal"]
