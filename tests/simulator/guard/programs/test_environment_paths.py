"""Commands that pip installed into virtual environments play as programs, and open nothing else to anybody."""

from __future__ import annotations

import shutil
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltyard_engine.host import Host
from tiltyard_engine.programs import Call, ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.guard.programs.program_paths import paths_for_program, paths_of_environment, why_not_found
from tiltyard_simulator.play.host import GuardHost

BIN = Path(sys.executable).parent
PENGUINS = BIN / "penguins"
ADVANCE = BIN / "advance"
needs_commands = pytest.mark.skipif(
    not (PENGUINS.is_file() and ADVANCE.is_file()), reason="the plugins' commands are not installed"
)


@pytest.fixture(scope="module")
def guard() -> Iterator[Host]:
    with GuardHost() as host:
        yield host


def script(path: Path, first_line: str, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first_line}\n{text}")
    path.chmod(0o755)
    return path


def environment(folder: Path, home: str = "/usr/bin", version: str = "3.11.2") -> Path:
    """Something that looks like one."""
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\nversion = {version}\n")
    return folder


def called(guard: Host, program: Path, *words: str, folder: str = "") -> Call:
    """A call of the program, named by its path, or within a folder."""
    command = (f"./{program.name}",) if folder else (str(program),)
    with guard.open_program(
        ProgramTeam(name="team", game="penguins", command=command, folder=folder), {"startup_seconds": 300.0}
    ) as opened:
        opened.begin(300, "asked")
        return opened.call(words, {}, ())


@needs_commands
@pytest.mark.parametrize("has_folder", [True, False])
def test_an_installed_command_plays_under_guard(guard: Host, has_folder: bool) -> None:
    call = called(guard, PENGUINS, "name", folder=str(BIN) if has_folder else "")
    assert (call.exit_code, call.stdout, call.stderr) == (0, b"tiltyard\n", b"")
    assert b"advance white|black" in called(guard, ADVANCE, "--help", folder=str(BIN) if has_folder else "").stdout


@needs_commands
def test_it_does_not_read_other_plugins() -> None:
    team = ProgramTeam(name="penguins", game="penguins", command=(str(PENGUINS),))
    found = paths_for_program(team, Source(name="penguins", origin=Origin.PROGRAM, value=""))
    hidden = " ".join(found.hidden)
    assert "advance" in hidden
    assert "acorn" in hidden
    assert "penguins" not in hidden.replace(str(Path(sys.prefix).parent), "")


def test_a_command_of_another_environment(guard: Host, tmp_path: Path) -> None:
    folder = tmp_path / "there"
    venv.create(folder, symlinks=True, with_pip=False)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "mine.py").write_text("import json\nprint(json.dumps('played'))\n")
    program = script(folder / "bin" / "robot", f"#!{folder}/bin/python", "import mine\n")
    for within in ("", str(folder / "bin")):
        call = called(guard, program, folder=within)
        assert (call.exit_code, call.stdout, call.stderr) == (0, b'"played"\n', b"")


def test_a_script_elsewhere_opens_no_environment(tmp_path: Path) -> None:
    folder = environment(tmp_path / "there")
    program = script(tmp_path / "handed_in" / "robot", f"#!{folder}/bin/python")
    assert paths_of_environment(str(program)) is None
    inside = script(folder / "bin" / "robot", f"#!{folder}/bin/python")
    team = ProgramTeam(name="robot", game="penguins", command=(str(inside),), folder=str(tmp_path / "handed_in"))
    found = paths_for_program(team, Source(name="robot", origin=Origin.PROGRAM, value="", folder=str(tmp_path / "handed_in")))
    assert str(folder) not in found.readable, "a manifest may not name somebody else's command"


@pytest.mark.parametrize(
    "form", ["#!{}/bin/python3", "#! {}/bin/python3", "#!/bin/sh\n'''exec' {}/bin/python3 \"$0\" \"$@\"\n' '''"]
)
def test_both_forms_of_the_first_line(tmp_path: Path, form: str) -> None:
    folder = environment(tmp_path / "there")
    program = script(folder / "bin" / "robot", form.format(folder))
    found = paths_of_environment(str(program))
    assert found is not None
    assert found.readable[0] == str(folder)


@pytest.mark.parametrize("first_line", ["", "#!/usr/bin/env python3", "#!/bin/sh", "\x7fELF", "#!python", "#!/a\0b/python"])
def test_what_is_no_installed_command(tmp_path: Path, first_line: str) -> None:
    folder = environment(tmp_path / "there")
    program = str(script(folder / "bin" / "robot", first_line))
    assert paths_of_environment(program) is None
    assert why_not_found(program, [str(folder), "/usr", "/bin"]) == ""
    assert paths_of_environment(str(folder / "bin" / "missing")) is None


def test_a_folder_that_is_no_python_is_not_opened_as_one(tmp_path: Path) -> None:
    secret = tmp_path / "home" / "bin"
    secret.mkdir(parents=True)
    folder = environment(tmp_path / "there", str(secret))
    program = script(folder / "bin" / "robot", f"#!{folder}/bin/python")
    assert paths_of_environment(str(program)).readable == (str(folder),)  # type: ignore[union-attr]


def test_the_python_that_it_was_made_from_is_opened(tmp_path: Path) -> None:
    base = tmp_path / "base"
    (base / "bin").mkdir(parents=True)
    (base / "lib" / "python3.12").mkdir(parents=True)
    (base / "lib" / "python3.12" / "os.py").touch()
    (base / "private").mkdir()
    folder = environment(tmp_path / "there", str(base / "bin"), "3.12.1")
    found = paths_of_environment(str(script(folder / "bin" / "robot", f"#!{folder}/bin/python")))
    assert found is not None
    assert found.readable == (str(folder), str(base / "bin"), str(base / "lib"))
    shutil.rmtree(base / "lib")
    assert paths_of_environment(str(folder / "bin" / "robot")).readable == (str(folder),)  # type: ignore[union-attr]
