"""Who plays in a folder of submissions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_simulator.registry.finder import Finder

PLUGIN = """
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl

class First(TurnAlgorithm):
    def choose(self, position):
        return position

algorithms = hookimpl(lambda: [TurnTeam("first", "nim", lambda seat: First())], specname="algorithms")
"""


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    program(tmp_path / "alone")
    program(tmp_path / "bob" / "bot")
    (tmp_path / "bob" / "data.txt").write_text("its own")
    program(tmp_path / "carol" / "start")
    program(tmp_path / "carol" / "other")
    (tmp_path / "carol" / "program.toml").write_text('game = "nim"\ncommand = ["./start"]\n')
    (tmp_path / "dora.py").write_text(PLUGIN)
    return tmp_path


def test_programs_manifests_and_plugins_are_found_by_name(folder: Path) -> None:
    found = Finder(Registry()).submissions(folder, "nim")
    assert [label for label, _ in found.players] == ["alone", "bob", "carol", "dora.py"]
    alone, bob, carol, dora = (reference for _, reference in found.players)
    assert alone.program is not None
    assert (alone.program.command, alone.program.folder) == ((str(folder / "alone"),), "")
    assert bob.program is not None
    assert (bob.program.command, bob.program.folder, bob.name) == (("./bot",), str(folder / "bob"), "bob")
    assert carol.program is not None
    assert carol.program.command == ("./start",)
    assert (dora.program, dora.name) == (None, "first")
    assert found.left_out == []


def test_who_is_left_out_is_told_with_the_reason(folder: Path) -> None:
    (folder / "readme.md").write_text("hello")
    (folder / "two").mkdir()
    program(folder / "two" / "one")
    program(folder / "two" / "other")
    (folder / "nothing").mkdir()
    (folder / "broken.py").write_text("def (:")
    (folder / ".hidden").write_text("")
    (folder / "tanks.py").write_text(PLUGIN.replace('"nim"', '"tanks"'))
    found = Finder(Registry()).submissions(folder, "nim")
    assert [label for label, _ in found.players] == ["alone", "bob", "carol", "dora.py"]
    reasons = "\n".join(found.left_out)
    assert len(found.left_out) == 5
    assert "readme.md: not executable; if it is a program, run 'chmod +x" in reasons
    assert "two: contains 2 executable files (one, other), expected one, or a program.toml that says what to run" in reasons
    assert "nothing: contains no executable file, expected one" in reasons
    assert "broken.py: cannot be imported" in reasons
    assert "tanks.py: contributes no algorithm for nim" in reasons


def test_a_folder_that_is_one_program(tmp_path: Path) -> None:
    program(tmp_path / "ada" / "bot")
    (tmp_path / "ada" / "table.bin").write_text("1")
    ((label, reference),) = Finder(Registry()).submissions(tmp_path / "ada", "nim").players
    assert (label, reference.name) == ("ada/bot", "ada")
    assert reference.program is not None
    assert reference.program.folder == str(tmp_path / "ada")


def test_a_folder_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be listed: No such file"):
        Finder(Registry()).submissions(tmp_path / "missing", "nim")
