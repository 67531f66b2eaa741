"""Whole programs in languages with runtimes of their own, in the sandbox: bots of Advance are marked, robots of Filler play."""

from __future__ import annotations

import contextlib
import csv
import json
import os
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.plugins.advance.marked_bots import small_pack
from tests.simulator.guard.programs.runtimes import BUILDERS, PLAYERS, Built, NotHereError, dotnet

from tiltyard_simulator.guard.programs.program_paths import ORGANISERS_VARIABLE

CUP = """
game: filler
teams: [robots]
maps: [board]
format: {name: swiss, rounds: 1, seats: balanced}
"""


def manifest(game: str, built: Built) -> str:
    return f"game = {json.dumps(game)}\ncommand = {json.dumps(built.command)}\n"


@pytest.fixture
def languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runtimes that are here: for each the same program is built as bots/NAME of Advance and robots/NAME of Filler."""
    found: list[str] = []
    for name in PLAYERS:
        folder = tmp_path / "bots" / name
        folder.mkdir(parents=True)
        try:
            built = BUILDERS[name](folder, "bot")
        except NotHereError:
            folder.rmdir()
            continue
        robot = tmp_path / "robots" / name
        robot.mkdir(parents=True)
        for file in folder.iterdir():
            os.link(file, robot / file.name)
        (folder / "program.toml").write_text(manifest("advance", built))
        (robot / "program.toml").write_text(manifest("filler", built))
        found.append(name)
    if len(found) < 2:
        pytest.skip(f"fewer than two of {', '.join(PLAYERS)} are here, with a compiler")
    with contextlib.suppress(NotHereError):
        monkeypatch.setenv(ORGANISERS_VARIABLE, str(dotnet()))
    return found


def test_bots_are_marked_and_robots_play(tmp_path: Path, languages: list[str], run_command: RunCommand) -> None:
    small_pack(tmp_path / "tests", levels=(4,))
    # Each takes a zygote of its own, which costs more than the bot, so two are enough: .NET and Java, if they are here.
    bots = languages[:2]
    options = ["--tests", "tests", "--games", "0", "--workers", "1", "--output", "marks"]
    done = run_command("tiltyard", "mark", "advance", *(f"bots/{name}" for name in bots), *options)
    assert done.returncode == 0, done
    marks = json.loads((tmp_path / "marks" / "report.json").read_text())["bots"]
    # In a position of level 4 only one move is legal.
    assert {bot["bot"]: bot["percent"] for bot in marks} == dict.fromkeys((f"bots/{name}" for name in bots), 50.0)

    (tmp_path / "board").write_text("@.........\n" + "..........\n" * 8 + ".........$\n")
    (tmp_path / "cup.yaml").write_text(CUP)
    done = run_command("tiltyard", "run", "cup.yaml", "--workers", "1", "--format", "csv")
    assert done.returncode == 0, done
    rows = list(csv.DictReader(done.stdout.split("\n\n")[1].splitlines()))
    assert sorted(row["algorithm"] for row in rows) == sorted(languages)
    # Each plays once; with an odd number, one has nobody to meet.
    assert sum(row["games"] == "1" for row in rows) >= len(rows) // 2 * 2
    assert {(row["faults"], row["forfeits"]) for row in rows} == {("0", "0")}, done
