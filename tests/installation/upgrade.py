"""What an older tiltyard left on a disk is read by this one, and a league that it began is played on.

No version was tagged before 0.3.0, so commits stand for versions. Of 0.1.0 there are two: the first whose ``tiltyard run`` played
into a store, so that its store has the oldest format, and the first that had leagues. RELEASING.md says how tags take their place.

What those leave is always the same. With TILTYARD_PASTS, a folder, it is kept there for the next time.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import dev
from release.builds import build, extract
from release.errors import ReleaseError
from release.git import git
from release.metadata import ROOT
from tests.installation.environments import WANTED, Installation, InstallationError
from tests.ports import free_port

DISTRIBUTIONS: Final = ("engine", ".", "plugins/tanks", "plugins/acorn", "plugins/bramble")
CUP: Final = "title: A cup\ngame: tanks\nteams: [acorn, bramble]\nmaps: [narrow-pass]\n"
STUDENTS: Final = "name,id,group\nAnn Ash,0017,Red\nCid Cedar,0019,Blue\n"
STAFF_GAMES: Final = 2
"""The staff's two teams meet on one map from both sides."""
TEAM_GAMES: Final = 4
"""A student's team meets each of them so."""
MAKE_LEAGUE: Final = """\
tiltyard new league LEAGUE
sed -i 's/count: 24/count: 1/; s|^  # address: .*|  address: http://localhost:PORT|' LEAGUE/league.yaml
tiltyard league roster LEAGUE students.csv > links.csv
"""
HAND_IN: Final = """\
tiltyard new team thunder
until python -c 'ANSWERS' PORT 2> /dev/null || ! kill -0 $server; do sleep 0.5; done
tiltyard hand-in thunder --to "$(grep ^Red links.csv | cut -d, -f2)"
"""
SERVE: Final = """\
tiltyard league serve LEAGUE --port PORT --workers 1 > log 2>&1 & server=$!
MEANWHILE
until python -c 'HAS_PLAYED' LEAGUE GAMES 2> /dev/null || ! kill -0 $server; do sleep 0.5; done
kill -INT $server; wait $server; cat log
"""
ANSWERS: Final = """\
import sys, urllib.request
urllib.request.urlopen(f"http://localhost:{sys.argv[1]}/status.json", timeout=60)
"""
HAS_PLAYED: Final = """\
import sqlite3, sys
games = sqlite3.connect(f"file:{sys.argv[1]}/results/tournament.sqlite?mode=ro", uri=True)
sys.exit(games.execute("SELECT count(*) FROM league_games").fetchone()[0] < int(sys.argv[2]))
"""
"""What fails is asked again and again, so it must cost little: a command of tiltyard would take a second of CPU time each time."""
KEPT_PASTS: Final = "TILTYARD_PASTS"
HOME: Final = "home.tar"
SAID: Final = "said.json"


@dataclass(frozen=True)
class Past:
    """A commit that stands for an older version, and what it leaves."""

    version: str
    commit: str
    has_store: bool = True
    has_league: bool = True
    hands_in: bool = True
    """Whether a student's team is in its league; older ones have a different command for that."""

    @property
    def cup(self) -> str:
        """Its tournament file."""
        return f"cup-{self.commit}.yaml"

    @property
    def league(self) -> str:
        """The folder of its league."""
        return f"league-{self.commit}"

    @property
    def games(self) -> int:
        """How many games its league has."""
        return STAFF_GAMES + TEAM_GAMES * self.hands_in


PASTS: Final = (
    Past("0.1.0", "4c4f3d7", has_league=False),
    Past("0.1.0", "8714a66", has_store=False, hands_in=False),
    Past("0.2.0", "523e11b"),
)


def upgrade(installation: Installation, wheels: Path, scratch: Path) -> str:
    """Play cups and leagues with older versions, install the present one over them, and use both.

    Args:
        installation: one with third parties' packages alone.
        wheels: the folder with the present wheels.
        scratch: an empty folder.

    Returns:
        What was done.

    Raises:
        InstallationError: something that was there before can't be read any more, or says something else.
    """
    for past in PASTS:
        try:
            git("cat-file", "-e", f"{past.commit}^{{commit}}")
        except ReleaseError:
            return f"upgrades are not tried: this clone has no commit {past.commit}"
    left = scratch / "left"
    kept = Path(os.environ[KEPT_PASTS]) / _fingerprint(installation) if os.environ.get(KEPT_PASTS) else None
    if kept is not None and kept.is_dir():
        shutil.copytree(kept, left)
        kept.touch()
        with tarfile.open(left / HOME) as tar:
            extract(tar, installation.home, "tar")
        _install(installation, left / PASTS[-1].commit)
    else:
        _play_pasts(installation, left, scratch)
        if kept is not None:
            dev.keep(left, kept)
    said = json.loads((left / SAID).read_text())
    cups = {past: [(name, winner) for name, winner in said[past.cup]] for past in PASTS if past.has_store}
    leagues = {past: said[past.league] for past in PASTS if past.has_league}
    installation.install("--no-index", "--find-links", str(wheels), "--upgrade", WANTED)
    for past, games in cups.items():
        _check_cup(installation, past, games)
    for past, export in leagues.items():
        _check_league(installation, past, export)
    stores = " and ".join(f"{past.version} ({len(games)} games)" for past, games in cups.items())
    courses = " and ".join(f"{past.version} ({past.games} games)" for past in leagues)
    return f"stores of {stores} are kept, leagues of {courses} too and played on"


def _fingerprint(installation: Installation) -> str:
    """A digest of all that decides what older versions leave."""
    digest = hashlib.sha256(repr((installation.user, installation.with_bubblewrap)).encode())
    digest.update(subprocess.run([installation.python, "-VV"], capture_output=True, check=True).stdout)
    for path in (dev.LOCK, Path(__file__), Path(__file__).with_name("environments.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _play_pasts(installation: Installation, left: Path, scratch: Path) -> None:
    """Play with each older version, and write down what it leaves: the home, what it said of it, and the wheels of the last."""
    (installation.home / "students.csv").write_text(STUDENTS)
    said: dict[str, list[tuple[str, int]] | str] = {}
    for past in PASTS:
        _build(past.commit, left / past.commit, scratch)
        _install(installation, left / past.commit)
        if past.has_store:
            said[past.cup] = _play_cup(installation, past)
        if past.has_league:
            said[past.league] = _play_league(installation, past)
    (left / SAID).write_text(json.dumps(said))
    with tarfile.open(left / HOME, "w") as tar:
        tar.add(installation.home, ".")


def _play_cup(installation: Installation, past: Past) -> list[tuple[str, int]]:
    (installation.home / past.cup).write_text(CUP)
    installation.hand_over()
    installation.run(f"tiltyard run {past.cup}")
    if not (games := winners(installation.run(f"tiltyard export {past.cup}"))):
        raise InstallationError(f"a cup of {past.version} has no games")
    return games


def _play_league(installation: Installation, past: Past) -> str:
    installation.hand_over()
    text = MAKE_LEAGUE + _serving(past, past.games, HAND_IN if past.hands_in else "")
    said = installation.run(text.replace("LEAGUE", past.league).replace("PORT", str(free_port())))
    export = installation.run(f"tiltyard league export {past.league}")
    if len(league_games(export)) != past.games:
        raise InstallationError(f"a league of {past.version} has not {past.games} games\n{said}\n{export}")
    return export


def _serving(past: Past, games: int, meanwhile: str = "") -> str:
    text = SERVE.replace("MEANWHILE", meanwhile.rstrip()).replace("GAMES", str(games)).replace("LEAGUE", past.league)
    return text.replace("HAS_PLAYED", HAS_PLAYED).replace("ANSWERS", ANSWERS)


def _check_cup(installation: Installation, past: Past, games: list[tuple[str, int]]) -> None:
    """Its tables are as they were and say why, and a run adds its own games to those."""
    for words, expected in (("--all", ""), ("", f"a different version of tiltyard ({past.version}, now")):
        shown = winners(installation.run(f"tiltyard export {past.cup} {words} 2> note"))
        if shown != games or expected not in (note := installation.run("cat note")):
            raise InstallationError(f"a store of {past.version} had {games}; after the upgrade it has {shown}, and says {note!r}")
    installation.run(f"tiltyard run {past.cup}")
    if (now := winners(installation.run(f"tiltyard export {past.cup} --all"))) != sorted(games * 2):
        raise InstallationError(f"after the upgrade the cup was played on, and the store has {now} instead of twice {games}")


def _check_league(installation: Installation, past: Past, export: str) -> None:
    """Its people, versions and games are as they were. The staff's teams are new code, and meet all on the map once more."""
    # As on a server it is brought up to date by whatever writes it first; and its teams are known by the list.
    links = installation.run(f"tiltyard league roster {past.league} students.csv 2> note")
    if links or "no new team" not in (note := installation.run("cat note")):
        raise InstallationError(f"after the upgrade of a league, its list of students has links {links!r}, and says {note!r}")
    before = league_games(export)
    if (kept := league_games(installation.run(f"tiltyard league export {past.league}"))) != before:
        raise InstallationError(f"a league of {past.version} was\n{before}\nand is after the upgrade\n{kept}")
    said = installation.run(_serving(past, 2 * past.games).replace("PORT", str(free_port())))
    now = league_games(installation.run(f"tiltyard league export {past.league}"))
    if len(now) != 2 * past.games or not set(before) <= set(now):
        raise InstallationError(f"a league of {past.version} that was played on has after the upgrade\n{now}\n{said}")


def _build(commit: str, wheels: Path, scratch: Path) -> None:
    """Make wheels of the project as it was."""
    source = scratch / commit
    archive = subprocess.run(["git", "archive", commit, *DISTRIBUTIONS], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        extract(tar, source)
    build(wheels, [source / name for name in DISTRIBUTIONS])


def _install(installation: Installation, wheels: Path) -> None:
    installation.install("--no-deps", "--force-reinstall", *map(str, sorted(wheels.glob("*.whl"))))


def winners(export: str) -> list[tuple[str, int]]:
    """Each exported match: its map, and who won."""
    found = [json.loads(line) for line in export.splitlines()]
    return sorted((line["map"], line["winner"]) for line in found if line["kind"] == "match")


def league_games(export: str) -> list[str]:
    """The games of a league's export, line by line."""
    return sorted(line for line in export.splitlines() if '"kind":"game"' in line)
