"""Programs as teams: manifests, folders of them, and bare commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.making import reasons, row_of, write

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Registry, load_source, path_sources
from tiltyard_engine.registry.lookup import choose
from tiltyard_engine.registry.manifests import bare_program
from tiltyard_engine.registry.registry import ALGORITHM

WHOLE = """\
name = "strong"
game = "filler"
command = ["java", "-cp", ".", "Robot"]
files = ["weights.txt"]
readable = ["/opt/jdk"]
protocol = "42"
description = "plays well"

[environment]
THREADS = "2"
"""
PLAIN = 'game = "filler"\ncommand = ["./robot"]\n'


def program(folder: Path, text: str = PLAIN) -> Path:
    write(folder / "program.toml", text)
    return folder


def executable(path: Path) -> Path:
    write(path, "#!/bin/sh\n").chmod(0o755)
    return path


def test_a_whole_manifest(tmp_path: Path) -> None:
    (source,) = path_sources(program(tmp_path / "robot", WHOLE))
    plugin = load_source(source)
    assert reasons(plugin) == []
    assert plugin.records == [
        ProgramTeam(
            name="strong",
            game="filler",
            command=("java", "-cp", ".", "Robot"),
            folder=str(tmp_path / "robot"),
            files=("weights.txt",),
            readable=("/opt/jdk",),
            environment=(("THREADS", "2"),),
            protocol="42",
        )
    ]
    assert plugin.file == str(tmp_path / "robot" / "program.toml")


def test_a_short_manifest_is_named_after_its_folder(tmp_path: Path) -> None:
    folder = program(tmp_path / "thunder")
    for path in (folder, folder / "program.toml"):
        (entry,) = Registry.from_paths([path]).all(ALGORITHM, "filler")
        assert entry.name == "thunder"
        assert entry.reference.program == entry.contribution.program == entry.reference.load()


def test_a_folder_of_programs_and_plugins(tmp_path: Path) -> None:
    program(tmp_path / "b")
    program(tmp_path / "a")
    program(tmp_path / "broken", "game = ")
    write(tmp_path / "c.py", "")
    registry = Registry.from_paths([tmp_path])
    assert [entry.name for entry in registry.all(ALGORITHM)] == ["a", "b"]
    row = row_of(registry, "broken")
    assert row.status == "failed"
    assert row.reason.startswith("program.toml: Invalid value (at ")
    assert row.file == str(tmp_path / "broken" / "program.toml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('command = ["./robot"]', 'program.toml: game is missing, such as game = "filler"'),
        ('game = "filler"', 'program.toml: command is missing, such as command = ["./robot"]'),
        ('game = "filler"\ncommand = []', "program.toml: command is missing"),
        ('game = "filler"\ncommand = "./robot"', "program.toml: command is './robot', expected a list of strings"),
        ('game = "filler"\ncommand = [1]', "program.toml: command is [1], expected a list of strings"),
        (PLAIN + "name = 3", "program.toml: name is 3, expected a string"),
        (PLAIN + 'comand = ["x"]', "program.toml: unknown key 'comand'; did you mean command?"),
        (PLAIN + "zzz = 1", "program.toml: unknown key 'zzz'; known: name, game, command"),
        (PLAIN + "environment = {A = 1}", "program.toml: environment is {'A': 1}, expected a table of strings"),
        (PLAIN + 'environment = {"A B" = "1"}', "environment is a tuple ((('A B', '1'),)), expected pairs"),
        (PLAIN + 'name = "a:b"', "the name 'a:b' is not a valid name: use 1 to 64 printable characters, none of / "),
        (PLAIN + 'name = " a"', "the name ' a' is not a valid name"),
        (PLAIN + 'name = "a\\u202eb"', "the name 'a\\u202eb' is not a valid name"),
        (PLAIN + 'name = "-a"', "the name '-a' is not a valid name"),
        (PLAIN + f'name = "{"a" * 65}"', "the name 'aaaa"),
        (PLAIN + 'files = ["../other"]', "files: '../other' is not in the program's folder"),
        (PLAIN + 'files = ["/etc/passwd"]', "files: '/etc/passwd' is not in the program's folder"),
        (PLAIN + 'readable = ["jdk"]', "readable: 'jdk' is not an absolute path"),
        (
            PLAIN + 'readable = ["/usr/../home/someone"]',
            "readable: '/usr/../home/someone' contains '..'; write the path without it",
        ),
        (PLAIN + "name." + "a." * 20 + "a = 1", "program.toml: lists or tables nested too deeply"),
        (PLAIN + "name = 0x" + "f" * 60_000, "program.toml: an integer of more than 64 bits"),
        ("x" * 70_000, "program.toml: more than 65536 bytes"),
        ('game = "filler\\u0000"\ncommand = ["a\\u0000"]', "the game 'filler\\x00' is not a valid name"),
    ],
)
def test_what_is_wrong_with_a_manifest(tmp_path: Path, text: str, reason: str) -> None:
    (source,) = path_sources(program(tmp_path / "robot", text))
    plugin = load_source(source)
    assert plugin.records == []
    (found,) = reasons(plugin)
    assert found.startswith(reason)


@pytest.mark.parametrize("name", ["müller", "Team Rocket", "日本", "4th of May!", "a.b+c_d"])
def test_a_team_may_be_called_as_people_are(tmp_path: Path, name: str) -> None:
    for folder, text in ((tmp_path / "robot", PLAIN + f'name = "{name}"\n'), (tmp_path / name, PLAIN)):
        (entry,) = Registry.from_paths([program(folder, text)]).all(ALGORITHM, "filler")
        assert entry.name == name


def test_a_folder_whose_name_is_no_name_has_one_all_the_same(tmp_path: Path) -> None:
    (entry,) = Registry.from_paths([program(tmp_path / "--a=b:c,d")]).all(ALGORITHM, "filler")
    assert entry.name == "a-b-c-d"


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    folder = program(tmp_path / "robot")
    (folder / "program.toml").write_bytes(b"\xff\xfe")
    (source,) = path_sources(folder)
    assert reasons(load_source(source))[0].startswith("program.toml: 'utf-8' codec can't decode")


def test_an_executable_file_is_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(tmp_path / "my robot.sh")
    monkeypatch.chdir(tmp_path)
    for text in ("./my robot.sh", str(tmp_path / "my robot.sh"), "'./my robot.sh' --fast"):
        reference = choose(text, ALGORITHM, Registry(), "filler")
        assert (reference.name, reference.game) == ("my-robot", "filler")
        assert reference.program is not None
        assert reference.program.command[0] == str(tmp_path / "my robot.sh")
        assert reference.program.folder == ""
        assert reference.load() is reference.program


def test_an_interpreter_and_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "bot.py", "")
    monkeypatch.chdir(tmp_path)
    reference = choose("sh bot.py --depth 3", ALGORITHM, Registry(), "filler")
    assert reference.name == "bot"
    assert reference.program is not None
    assert reference.program.command == ("sh", str(tmp_path / "bot.py"), "--depth", "3")


@pytest.mark.parametrize(
    "text", ["./missing", "no-such-interpreter bot.py", "./notes.txt", "'unbalanced", "bot.py", "./bot.py", "./"]
)
def test_what_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    executable(tmp_path / "bot.py")
    write(tmp_path / "notes.txt", "")
    monkeypatch.chdir(tmp_path)
    assert bare_program(text, "filler") is None


def test_a_file_that_is_not_executable_says_what_would_be(tmp_path: Path) -> None:
    write(tmp_path / "robot", "#!/bin/sh\n")
    with pytest.raises(
        UserError, match=r"robot: not a plugin: expected .* an executable file; to play this program, run 'chmod \+x .*robot'$"
    ):
        choose(str(tmp_path / "robot"), ALGORITHM, Registry(), "filler")


def test_a_bare_word_is_an_installed_name_before_it_is_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(tmp_path / "robot")
    monkeypatch.chdir(tmp_path)
    assert choose("robot", ALGORITHM, Registry(), "filler").program is not None
    installed = Registry.from_paths([program(tmp_path / "installed", PLAIN + 'name = "robot"')])
    assert choose("robot", ALGORITHM, installed, "filler").source.folder == str(tmp_path / "installed")
    assert choose("./robot", ALGORITHM, installed, "filler").source.folder == ""


def test_a_plugin_may_yield_programs(tmp_path: Path) -> None:
    text = """
        from pathlib import Path
        from tiltyard_engine import ProgramTeam, hookimpl

        @hookimpl
        def algorithms():
            yield ProgramTeam(name="robot", game="filler", command=("./robot",), folder=str(Path(__file__).parent))
            yield ProgramTeam(name="relative", game="filler", command=("./robot",), folder="folder")
            yield ProgramTeam(name="empty", game="filler", command=())
            yield ProgramTeam(name="list", game="filler", command=["./robot"])
        """
    registry = Registry.from_paths([write(tmp_path / "robots" / "__init__.py", text).parent])
    (entry,) = registry.entries
    assert entry.reference.program is not None
    assert entry.reference.program.folder == str(tmp_path / "robots")
    assert [(row.name, row.reason) for row in registry.failures()] == [
        ("relative", "folder is 'folder', expected an absolute path"),
        ("empty", "command is empty, expected the program and its arguments"),
        ("list", "command is a list (['./robot']), expected a tuple of strings"),
    ]
