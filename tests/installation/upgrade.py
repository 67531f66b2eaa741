"""What an older tiltyard left on a disk is read by this one.

No version was tagged before 0.2.0. Two commits stand for 0.1.0: the first whose ``tiltyard run`` played into a store, so that its
store has the oldest format, and the first that had leagues. RELEASING.md says how tags take their place.
"""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from pathlib import Path
from typing import Final

from release.builds import build
from release.errors import ReleaseError
from release.git import git
from release.metadata import ROOT
from tests.installation.environments import WANTED, Installation, InstallationError
from tests.ports import free_port

WITH_STORES: Final = "4c4f3d7"
WITH_LEAGUES: Final = "8714a66"
DISTRIBUTIONS: Final = ("engine", ".", "plugins/tanks", "plugins/acorn", "plugins/bramble")

CUP: Final = "title: A cup\ngame: tanks\nteams: [acorn, bramble]\nmaps: [narrow-pass]\n"
STUDENTS: Final = "name,id,group\nAnn Ash,0017,Red\nCid Cedar,0019,Blue\n"
MADE_LEAGUE: Final = """\
tiltyard new league course && sed -i 's/count: 24/count: 1/' course/league.yaml
tiltyard league roster course students.csv
tiltyard league serve course --port PORT --workers 1 > log 2>&1 & server=$!
until tiltyard league export course | grep -q '"kind":"game"' || ! kill -0 $server; do sleep 1; done
kill -INT $server; wait $server; cat log
"""


def upgrade(installation: Installation, wheels: Path, scratch: Path) -> str:
    """Play a cup and a league with older versions, install the present one over them, and read both.

    Args:
        installation: one with third parties' packages alone.
        wheels: the folder with the present wheels.
        scratch: an empty folder.

    Returns:
        What was done.

    Raises:
        InstallationError: something that was there before can't be read any more, or says something else.
    """
    for commit in (WITH_STORES, WITH_LEAGUES):
        try:
            git("cat-file", "-e", f"{commit}^{{commit}}")
        except ReleaseError:
            return f"upgrades are not tried: this clone has no commit {commit}"
    home = installation.home
    (home / "cup.yaml").write_text(CUP)
    (home / "students.csv").write_text(STUDENTS)
    installation.hand_over()
    _install(installation, WITH_STORES, scratch)
    installation.run("tiltyard run cup.yaml")
    games = winners(installation.run("tiltyard export cup.yaml"))
    _install(installation, WITH_LEAGUES, scratch)
    installation.run(MADE_LEAGUE.replace("PORT", str(free_port())))
    league = installation.run("tiltyard league export course")

    installation.install("--no-index", "--find-links", str(wheels), "--upgrade", WANTED)
    kept = winners(installation.run("tiltyard export cup.yaml --all"))
    if not games or kept != games:
        raise InstallationError(f"a store of {WITH_STORES} had {games}; after the upgrade it has {kept}")
    tables = winners(installation.run("tiltyard export cup.yaml 2> note"))
    if tables != games or "a different version of tiltyard (0.1.0, now" not in (note := installation.run("cat note")):
        raise InstallationError(f"after the upgrade the tables have {tables} instead of {games}, and say {note!r}")
    installation.run("tiltyard run cup.yaml")
    if (now := winners(installation.run("tiltyard export cup.yaml --all"))) != sorted(games * 2):
        raise InstallationError(f"after the upgrade the cup was played on, and the store has {now} instead of twice {games}")
    # As on a server it is brought up to date by whatever writes it first; and its teams are known by the list.
    links = installation.run("tiltyard league roster course students.csv 2> note")
    if links or "no new team" not in (note := installation.run("cat note")):
        raise InstallationError(f"after the upgrade of a league, its list of students has links {links!r}, and says {note!r}")
    if (now_league := installation.run("tiltyard league export course")) != league:
        raise InstallationError(f"a league of {WITH_LEAGUES} was\n{league}\nand is after the upgrade\n{now_league}")
    shown = installation.run("tiltyard league status course").splitlines()[0]
    return f"a store of {WITH_STORES} keeps its {len(games)} games, a league of {WITH_LEAGUES} too ({shown.partition(',')[0]})"


def _install(installation: Installation, commit: str, scratch: Path) -> None:
    """Install the project as it was, from wheels made of that commit."""
    source = scratch / commit
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(source, filter="data")
    made = build(source / "wheels", [source / name for name in DISTRIBUTIONS])
    installation.install("--no-deps", "--force-reinstall", *(str(path) for path in made if path.suffix == ".whl"))


def winners(export: str) -> list[tuple[str, int]]:
    """Each exported match: its map, and who won."""
    found = [json.loads(line) for line in export.splitlines()]
    return sorted((line["map"], line["winner"]) for line in found if line["kind"] == "match")
