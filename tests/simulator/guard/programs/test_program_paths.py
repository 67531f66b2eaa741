"""What a program may read is its own and the system's, whatever its manifest claims."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.making import install

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.guard.confinement.readable_paths import forget
from tiltyard_simulator.guard.programs.program_paths import on_dotnet, paths_for_program


def team(folder: Path | str, command: tuple[str, ...] = ("./bot",), readable: tuple[str, ...] = ()) -> ProgramTeam:
    return ProgramTeam(name="bot", game="none", command=command, folder=str(folder), readable=readable)


def manifest(folder: Path) -> Source:
    return Source(name="bot", origin=Origin.PROGRAM, value=str(folder / "program.toml"), folder=str(folder))


def test_its_folder_and_the_system(tmp_path: Path) -> None:
    paths = paths_for_program(team(tmp_path / "bot"), manifest(tmp_path / "bot"))
    assert str(tmp_path / "bot") in paths.readable
    assert "/usr" in paths.readable
    for path in paths.readable:
        assert not tmp_path.is_relative_to(path)
        assert path not in ("/", "/etc", "/home", "/root", "/proc", "/tmp")


def test_a_bare_command_reads_the_files_that_it_names_alone(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("")
    bare = team("", command=("python3", str(tmp_path / "bot.py"), str(tmp_path)))
    own = set(paths_for_program(bare, Source(name="bot", origin=Origin.PROGRAM, value="words")).readable) - set(
        paths_for_program(team("", command=("true",)), Source(name="bot", origin=Origin.PROGRAM, value="true")).readable
    )
    assert own == {str(tmp_path / "bot.py")}


def test_software_that_a_manifest_may_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bot"
    assert "/opt/jdk" in paths_for_program(team(folder, readable=("/opt/jdk",)), manifest(folder)).readable
    wanted = team(folder, readable=(str(tmp_path / "other"),))
    for claim in (wanted, team(folder, readable=("/opt/../root",)), team(folder, readable=("/",))):
        with pytest.raises(
            UserError, match=r"the program 'bot' wants to read .*\. A manifest may only name paths below /usr, /opt"
        ):
            paths_for_program(claim, manifest(folder))
    monkeypatch.setenv("TILTYARD_READABLE", f"/nowhere:{tmp_path / 'other'}")
    assert str(tmp_path / "other") in paths_for_program(wanted, manifest(folder)).readable


@pytest.mark.parametrize("variable", ["TILTYARD_DOTNET", "PATH"])
def test_the_organisers_dotnet_is_found_wherever_it_lies(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net" / "shared").mkdir(parents=True)
    (tmp_path / "net" / "dotnet").write_text("#!/bin/sh\n")
    (tmp_path / "net" / "dotnet").chmod(0o755)
    folder, net = tmp_path / "bot", str(tmp_path / "net")
    plays, other = team(folder, command=("dotnet", "Bot.dll")), team(folder)
    monkeypatch.delenv("TILTYARD_DOTNET", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv(variable, net)
    assert on_dotnet(plays).command == (f"{net}/dotnet", "Bot.dll")
    assert net in paths_for_program(plays, manifest(folder)).readable
    # Nobody else is given it.
    assert on_dotnet(other) is other
    assert net not in paths_for_program(other, manifest(folder)).readable


def test_a_link_to_others_files_is_no_software(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(UserError, match="wants to read"):
        paths_for_program(team(folder, readable=(str(folder / "link"),)), manifest(folder))


@pytest.mark.parametrize(
    ("origin", "value", "folder", "claimed", "allowed"),
    [
        (Origin.PACKAGE, "{0}/package", "", "{0}/package/robots", True),
        (Origin.PACKAGE, "{0}/package", "", "{0}/other", False),
        (Origin.PACKAGE, "{0}/package", "", "{0}", False),
        (Origin.PROJECT, "module", "{0}/project/src", "{0}/project/src/robots", True),
        (Origin.PROJECT, "module", "{0}/project/src", "{0}/other", False),
        (Origin.FILE, "{0}/bot.py", "", "{0}", False),
        (Origin.FILE, "{0}/bot.py", "", "{0}/robots", False),
        (Origin.INSTALLED, "module", "", "{0}", False),
    ],
)
def test_a_plugins_program_lies_in_the_plugin(
    tmp_path: Path, origin: Origin, value: str, folder: str, claimed: str, allowed: bool
) -> None:
    source = Source(name="bot", origin=origin, value=value.format(tmp_path), distribution="nobody", folder=folder.format(tmp_path))
    claim = team(claimed.format(tmp_path))
    if allowed:
        assert claim.folder in paths_for_program(claim, source).readable
    else:
        with pytest.raises(UserError, match=r"claims the folder .*, which doesn't belong to its plugin"):
            paths_for_program(claim, source)


def test_an_installed_distributions_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = install(tmp_path, "robots-inc", "1.0", {"robots": "robots_inc"})
    (tmp_path / "robots_inc" / "bin").mkdir(parents=True)
    (tmp_path / "robots_inc" / "__init__.py").write_text("")
    (folder / "RECORD").write_text("robots_inc/__init__.py,,\nrobots_inc/bin/bot,,\n")
    (tmp_path / "robots_inc" / "bin" / "bot").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    try:
        source = Source(name="robots", origin=Origin.INSTALLED, value="robots_inc", distribution="robots-inc", version="1.0")
        claim = team(tmp_path / "robots_inc" / "bin")
        assert claim.folder in paths_for_program(claim, source).readable
    finally:
        monkeypatch.undo()
        forget()
