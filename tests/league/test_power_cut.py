"""What a league shows and acknowledges survives a power cut: games, and what was built of a version that plays."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import count
from pathlib import Path

from tests.league.made_league import IDLE
from tests.power_cut import Disk, noting

from tiltyard_engine.errors import UserError
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games
from tiltyard_league.submissions.checker import TEAMS, VERSIONS

ROOT = Path(__file__).parents[2]
COURSE = """
import sys
from contextlib import closing
from pathlib import Path
from tests.league.made_league import enter, make_league
from tiltyard_league.submissions.checker import Checker, leave_report
from tiltyard_league.submissions.upload import receive_upload
from tiltyard_league.database.database import Database
from tiltyard_league.service.main import Service
from tiltyard_simulator.play.executor import InlineExecutor

league = make_league(Path(sys.argv[1]), maps=2)
folder = league.settings.folder
enter(league, "Red", "coyote")
with receive_upload(folder, 10**6, 0) as upload:
    upload.write(Path(sys.argv[2]).read_bytes())
with closing(Checker(league)) as checker:
    leave_report(folder, 101, checker.check(101, upload.digest, "idle.py"))
print("checked", flush=True)
with closing(InlineExecutor()) as executor, closing(Service(league, executor, 1)) as service:
    service.begin()
    while service.games.totals()[0] < 12:
        service.step(0.0)
        print(f"games {service.games.totals()[0]}", flush=True)
"""


def games_on(folder: Path) -> int:
    """How many games are in a league's folder; none if there is no store yet."""
    try:
        return Games(folder / "results").totals()[0]
    except UserError:
        return 0


def test_what_a_league_shows_is_on_the_disk(tmp_path: Path) -> None:
    notes, course, numbers = tmp_path / "notes", tmp_path / "course", count()
    (tmp_path / "idle.py").write_text(IDLE)
    process = subprocess.run(
        [sys.executable, "-c", COURSE, course, tmp_path / "idle.py"],
        cwd=ROOT,
        env={**os.environ, **noting(course, notes), "TILTYARD_ISOLATION": "inline"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    disk, most = Disk(course.resolve()), 0
    for text in disk.follow(notes):
        for line in text.splitlines():
            if line == "checked":
                left = disk.restore(tmp_path / f"left-{next(numbers)}") / VERSIONS / "101"
                assert (left / "report.msgpack").stat().st_size > 0
                assert [path.read_text() for path in (left / TEAMS).rglob("*.py")] == [IDLE]
            elif line.startswith("games "):
                number = int(line.removeprefix("games "))
                if number > most:
                    most = number
                    left = disk.restore(tmp_path / f"left-{next(numbers)}")
                    assert games_on(left) >= number
                    with Database(left) as database:
                        assert database.rows("SELECT id FROM versions")
    assert most == 12
