"""An intake that is stopped anywhere goes on: nothing is lost or built twice, nobody is half there, nothing is left behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.classes.kills import half_teams, kept_builds, left_running
from tests.end_to_end.background import PATIENCE, Start, commands_in, wait_until
from tests.intake.making import plant, tank_plugin

from tiltyard_intake.report.team_report import read_report

TEAMS = 5
WORDS = ("intake", "handed-in", "--game", "tanks")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """``start(workers)`` starts an intake of a small class, with a folder for temporary files of its own."""
    for number in range(TEAMS):
        files = {"mine/__init__.py": "from .team import algorithms\n", "mine/team.py": tank_plugin("tank")}
        plant(tmp_path / "handed-in" / f"team-{number}", files)
    (tmp_path / "tmp").mkdir()
    with commands_in(tmp_path, TMPDIR=str(tmp_path / "tmp")) as run:
        yield lambda workers="1": run("tiltyard", *WORDS, "-w", workers)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_it_goes_on_where_it_was_stopped(how: signal.Signals, start: Start, tmp_path: Path) -> None:
    reports, teams, temporary = (tmp_path / name for name in ("teams.intake", "teams", "tmp"))
    process = start("2" if how is signal.SIGINT else "1")
    wait_until(lambda: len(kept_builds(reports)) >= 2 or process.poll() is not None)
    if how is signal.SIGKILL:
        process.kill()
    else:
        # Another one is refused, and says by whom. This one waits for it.
        process.send_signal(signal.SIGSTOP)
        second = start()
        _, err = second.communicate(timeout=PATIENCE)
        assert second.returncode == 2
        assert f"teams.intake: process {process.pid} is already taking a class in; wait until it ends, or stop it" in err
        os.killpg(process.pid, how)
        process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert err.endswith("stopped; finished works are saved: run the same command again to resume\n")
        # A process of the sandbox may remove its own folder a moment later.
        wait_until(lambda: not list(temporary.iterdir()))
    wait_until(lambda: not left_running(temporary))
    assert list(half_teams(teams)) == []
    before = kept_builds(reports)
    assert 2 <= len(before) < TEAMS
    again = start()
    out, err = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, err
    assert f"{TEAMS} handed in: {TEAMS} play" in out
    after = kept_builds(reports)
    assert len(after) == TEAMS
    assert {digest: after[digest] for digest in before} == before
    assert sorted(path.name for path in teams.glob("[!.]*")) == [f"team-{number}" for number in range(TEAMS)]
    report = read_report(reports)
    assert report is not None
    assert sum(each.is_reused for each in report.teams) == len(before)
    assert list(temporary.iterdir()) == []
