"""What only shows results runs no code of teams, and needs no files of theirs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.conftest import DUEL, RunCommand, map_text
from tests.fork_server import shared_server
from tests.intake.making import TANK_PLUGIN

from tiltyard_tournaments.store import Store

CUP = """
title: Cup
game: tanks
teams: [teams/, own/single.py, acorn]
maps: [m.txt]
trust: [own/single.py]
"""
MARKING = "from pathlib import Path\n\nwith Path({mark!r}).open('a') as mark:\n    mark.write(__name__ + '\\n')\n"
RAISING = "raise RuntimeError('this must not run')\n"
READS = (
    ("status", "cup.yaml"),
    ("standings", "cup.yaml"),
    ("export", "cup.yaml"),
    ("replay", "cup.yaml", "--match", "1"),
    ("watch", "cup.yaml", "--match", "1", "--every-round"),
    ("publish", "cup.yaml", "-o", "site", "-p", "csv"),
)
Read = Callable[..., list[tuple[str, str]]]


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament that was played, of teams that leave a mark when they are imported, where they can."""
    place = tmp_path_factory.mktemp("played")
    (place / "m.txt").write_text(map_text(DUEL, 4, 5))
    (place / "teams").mkdir()
    (place / "own").mkdir()
    mark = MARKING.format(mark=str(place / "mark")) if request.param == "inline" else ""
    for name in ("teams/red", "teams/blue", "own/single"):
        (place / f"{name}.py").write_text(mark + TANK_PLUGIN.replace("NAME", Path(name).name))
    # Who can't be loaded stays what it was, too.
    (place / "teams" / "broken.py").write_text("nothing = 1\n")
    (place / "cup.yaml").write_text(f"{CUP}isolation: {request.param}\n")
    done = shared_server().run("tiltyard", ["run", "cup.yaml"], place, seconds=60)
    if "isolation is not possible" in done.stderr or "not loaded" in done.stderr:
        pytest.skip("teams can't be confined here")
    assert done.returncode == 0, done.stderr
    assert bool(mark) == (place / "mark").exists()
    (place / "mark").unlink(missing_ok=True)
    return place


@pytest.fixture
def cup(played: Path, tmp_path: Path) -> Path:
    """A copy of it, in which a test may change what it wants; marks are left beside the original."""
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path


in_both_ways = pytest.mark.parametrize("played", ["inline", "sandbox"], indirect=True)


@pytest.fixture
def read(cup: Path, played: Path, run_command: RunCommand) -> Read:
    """Runs all that reads: what each prints, and what it says besides."""

    def run_all(commands: Sequence[Sequence[str]] = READS) -> list[tuple[str, str]]:
        said: list[tuple[str, str]] = []
        for words in commands:
            done = run_command("tiltyard", *words)
            assert done.returncode == 0, done.stderr
            said.append((done.stdout, done.stderr))
        assert not (played / "mark").exists()
        return said

    return run_all


@in_both_ways
def test_all_is_read_from_the_store(cup: Path, read: Read) -> None:
    wanted = read()
    assert "done: 12 games, complete" in wanted[0][0]
    assert not any("note:" in said for _, said in wanted)
    assert "broken" in wanted[1][0]
    # The files that are gone are missed, and told of.
    shutil.rmtree(cup / "teams")
    (cup / "own" / "single.py").unlink()
    for (printed, said), (printed_before, said_before) in zip(read(), wanted, strict=True):
        assert printed == printed_before
        assert "note: the files of blue, red are gone; their games count as they were played\n" in said
        assert "note: the files of single are gone" in said
        assert said.endswith(said_before)


@in_both_ways
def test_what_has_changed_since_is_told_without_a_look_at_it(cup: Path, played: Path, read: Read, run_command: RunCommand) -> None:
    (cup / "teams" / "red.py").write_text(RAISING)
    (cup / "teams" / "green.py").write_text(RAISING)
    shown = read()
    for _, said in shown:
        assert "note: the code of red has changed since the last run\n" in said
        assert "note: teams/ has something new since the last run: green.py\n" in said
    assert "left: 6 games" in shown[0][0]
    # A run looks at all of it.
    done = run_command("tiltyard", "run", "cup.yaml")
    assert "this must not run" in done.stderr
    (played / "mark").unlink(missing_ok=True)
    shown = read(READS[:2])
    assert not any("note:" in said for _, said in shown)
    assert "done: 6 games, complete" in shown[0][0]


@pytest.mark.parametrize("played", ["inline"], indirect=True)
def test_teams_are_found_where_the_file_lies_now(
    cup: Path, run_command: RunCommand, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "place"
    shutil.move(cup, other)
    cup.mkdir()
    done = run_command("tiltyard", "status", "cup.yaml", cwd=other)
    assert (done.returncode, done.stderr) == (0, "")
    assert "done: 12 games, complete" in done.stdout


@pytest.mark.parametrize("played", ["sandbox"], indirect=True)
def test_without_a_note_in_the_store_teams_are_looked_at(cup: Path, run_command: RunCommand) -> None:
    """As in a store of an older version."""
    with Store(cup / "cup") as store:
        store.set_teams({})
    done = run_command("tiltyard", "status", "cup.yaml")
    assert "done: 12 games, complete" in done.stdout
    with Store(cup / "cup") as store:
        store.set_teams({"teams/": b"damaged"})
    assert run_command("tiltyard", "status", "cup.yaml").stdout == done.stdout
