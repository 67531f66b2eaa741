from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import WriteMap
from tests.engine.making import team_source
from typer.testing import CliRunner

from tiltyard_checks.command.doctor import app as doctor
from tiltyard_engine.errors import UserError
from tiltyard_matchups.commands.competition import app
from tiltyard_simulator.guard.confinement.probes import probe_confinement

LOOPING = team_source("looping", "endless", action="while True:\n    pass")


@pytest.fixture
def folder(tmp_path: Path, write_map: WriteMap, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_map("maps/a.txt")
    (tmp_path / "teams").mkdir()
    (tmp_path / "teams" / "looping.py").write_text(LOOPING)
    return tmp_path


@pytest.mark.parametrize(("isolation", "words_for_it"), [("process", "own process"), ("sandbox", "sandboxed (level ")])
def test_a_team_that_loops_is_timed_out(folder: Path, isolation: str, words_for_it: str) -> None:
    words = ["--maps", "maps", "-a", "teams", "-w", "1", "--isolation", isolation, "--limit", "move_seconds=0.05"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0
    assert ": timeout: " in done.stdout
    assert f"Isolation: endless, looping {words_for_it}" in done.stdout


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("move_seconds", "--limit move_seconds: expected NAME=NUMBER or TEAM:NAME=NUMBER, such as move_seconds=2"),
        ("loop:move_seconds=1", "no team in --limit is called 'loop'; did you mean looping"),
        ("move_second=1", "no limit in --limit is called 'move_second'; did you mean move_seconds"),
        ("move_seconds=-1", "--limit: move_seconds must be a number above 0, found -1.0"),
        ("memory_bytes=inf", "--limit: memory_bytes must be a number above 0, found inf"),
        ("memory_bytes=nan", "--limit: memory_bytes must be a number above 0, found nan"),
    ],
)
def test_wrong_limits(folder: Path, limit: str, message: str) -> None:
    done = CliRunner().invoke(app, ["--maps", "maps", "-a", "teams", "--limit", limit])
    assert isinstance(done.exception, UserError)
    assert message in str(done.exception)


def test_doctor_tells_the_level() -> None:
    done = CliRunner().invoke(doctor, ["-f", "csv"])
    assert done.exit_code == 0
    assert f"\nlevel,{probe_confinement().level}," in done.stdout
    assert "\nPython starts,yes," in done.stdout


def test_doctor_names_a_mistake_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTYARD_ISOLATION", "A")
    done = CliRunner().invoke(doctor, [])
    assert isinstance(done.exception, UserError)
    assert "must be one of inline, process, sandbox, found 'A'; the level of the sandbox is set by" in str(done.exception)
