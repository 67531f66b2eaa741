"""One clean folder out of what a team handed in: unpacked, without junk, no deeper than needed, and told what was left out."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.intake.made_archives import files_below, zipped, zipped_as
from tests.intake.made_exports import write_all

from tiltyard_engine.errors import UserError
from tiltyard_intake.archives.bounds import Bounds
from tiltyard_intake.archives.member import HandedInFile
from tiltyard_intake.archives.unpack_errors import Cause, UnpackError
from tiltyard_intake.trees.team_tree import Tree, make_tree

BESIDE = "archives next to other files are not unpacked"
CSHARP = {
    "Bot/Bot.sln": b"",
    "Bot/Bot/Bot.csproj": b"",
    "Bot/Bot/Program.cs": b"",
    "Bot/Bot/bin/Debug/Bot.dll": b"MZ",
    "Bot/Bot/obj/Bot.pdb": b"",
    "Bot/.vs/state": b"",
    "__MACOSX/Bot/._Bot.sln": b"",
}


def tree_of(tmp_path: Path, files: Mapping[str, bytes]) -> Tree:
    """The tree of a team that handed in one archive."""
    (tmp_path / "ann.zip").write_bytes(zipped(files))
    return make_tree([HandedInFile(tmp_path / "ann.zip", "ann.zip")], tmp_path / "teams" / "ann")


def contents(tree: Tree) -> list[str]:
    return sorted(files_below(tree.folder))


@pytest.mark.parametrize(
    ("files", "left", "notes"),
    [
        ({"main.cpp": b""}, ["main.cpp"], []),
        ({"a/b/main.cpp": b""}, ["main.cpp"], ["taken from the folder 'a'", "taken from the folder 'b'"]),
        (
            CSHARP,
            ["Bot.sln", "Bot/Bot.csproj", "Bot/Program.cs"],
            [
                "left out: .vs (1 file)",
                "left out: __MACOSX (1 file)",
                "taken from the folder 'Bot'",
                "left out: Bot/bin/ (made by a build, 1 file)",
                "left out: Bot/obj/ (made by a build, 1 file)",
            ],
        ),
        # A browser numbers what is downloaded again; data may be numbered by the team.
        (
            {"bot.py": b"1", "bot (1).py": b"2", "bot (12).py": b"3", "map (1).txt": b"", "map.txt": b"", "part (1).py": b""},
            ["bot.py", "map (1).txt", "map.txt", "part (1).py"],
            ["'bot (12).py' counts instead of 'bot.py', 'bot (1).py', as a later download"],
        ),
        (
            {"bot.zip": b"broken", "bot (1).zip": zipped({"a.py": b""})},
            ["a.py"],
            ["'bot (1).zip' counts instead of 'bot.zip', as a later download"],
        ),
        (
            {"Bot.PY": b"", "lib/Tank.CPP": b"", "Tank.H": b""},
            ["Bot.py", "Tank.H", "lib/Tank.cpp"],
            ["'Bot.PY' is called 'Bot.py' here", "'Tank.CPP' is called 'Tank.cpp' here"],
        ),
        ({"main.CPP": b"", "Makefile": b"bot:\n\tg++ main.CPP"}, ["Makefile", "main.CPP"], []),
        # Nothing but what a build made is what the team has.
        ({"Bot/Bot.csproj": b"", "Bot/bin/Bot.dll": b""}, ["Bot.csproj", "bin/Bot.dll"], ["taken from the folder 'Bot'"]),
        ({"build/libbot.so": b"", "bot.h": b"", "bot.txt": b""}, ["bot.h", "bot.txt", "build/libbot.so"], []),
        (
            {"main.cpp": b"", "build/CMakeCache.txt": b"", "cmake-build-debug/a/b.o": b"", "bin/run.sh": b""},
            ["bin/run.sh", "main.cpp"],
            ["left out: build/ (made by a build, 1 file)", "left out: cmake-build-debug/ (made by a build, 1 file)"],
        ),
        (
            {"Cargo.toml": b"", "src/main.rs": b"", "target/debug/bot": b""},
            ["Cargo.toml", "src/main.rs"],
            ["left out: target/ (made by a build, 1 file)"],
        ),
        ({"target/a.py": b"", "b.py": b""}, ["b.py", "target/a.py"], []),
        (
            {"bot.py": b"", "__pycache__/bot.pyc": b"", "env/pyvenv.cfg": b"", "env/lib/x.py": b"", ".idea/x.xml": b""},
            ["bot.py"],
            [
                "left out: .idea (1 file)",
                "left out: __pycache__ (1 file)",
                "left out: env/ (a Python environment, 2 files)",
            ],
        ),
        (
            {"index.js": b"", "node_modules/a/x.js": b"", "node_modules/b/x.js": b"", ".git/HEAD": b"", ".DS_Store": b""},
            ["index.js"],
            ["left out: .DS_Store (1 file)", "left out: .git (1 file)", "left out: node_modules (2 files)"],
        ),
        (
            {"report.pdf": b"", "README.txt": b"", "bot/main.cpp": b""},
            ["main.cpp"],
            ["left out: README.txt, report.pdf (beside the folder 'bot')", "taken from the folder 'bot'"],
        ),
        # A package's modules may import it by its name.
        ({"README.md": b"", "bot/__init__.py": b"", "bot/play.py": b""}, ["README.md", "bot/__init__.py", "bot/play.py"], []),
        ({"inner.zip": zipped({"main.cpp": b""}), "report.pdf": b""}, ["main.cpp", "report.pdf"], []),
        ({"a.zip": zipped({"x.py": b""}), "b.zip": zipped({"x.py": b""})}, ["a/x.py", "b/x.py"], []),
        # Courses ask for a students.txt, and people lay folders with pictures beside that.
        (
            {"inner.zip": zipped({"main.cpp": b""}), "students.txt": b"", "docs/plot.csv": b"", "notes": b"by hand"},
            ["docs/plot.csv", "main.cpp", "notes", "students.txt"],
            [],
        ),
        (
            {"work/inner.zip": zipped({"in.tar": zipped({"main.cpp": b""}), "more.txt": b""}), "docs/a.txt": b"", "b.txt": b""},
            ["b.txt", "docs/a.txt", "work/main.cpp", "work/more.txt"],
            [],
        ),
        # What begins as a program does is the work, and then an archive is its data.
        *(
            ({"bot": head, "data.zip": zipped({"x": b""})}, ["bot", "data.zip"], [f"{BESIDE}: data.zip"])
            for head in (b"\x7fELF", b"#!/bin/sh")
        ),
        ({"src/Bot.class": b"", "a.zip": zipped({"x": b""})}, ["a.zip", "src/Bot.class"], [f"{BESIDE}: a.zip"]),
        # Names that only a file system without upper and lower case takes for one.
        ({"README.md": b"1", "readme.md": b"2", "a/x.py": b"", "A/y.py": b""}, ["A/y.py", "README.md", "a/x.py", "readme.md"], []),
        ({"Bot.cs": b"1", "bot.cs": b"2"}, ["Bot.cs", "bot.cs"], []),
        (
            {"bot.py": b"", "data.zip": zipped({"x": b""})},
            ["bot.py", "data.zip"],
            [f"{BESIDE}: data.zip"],
        ),
        ({"bot.jar": zipped({"x": b""})}, ["bot.jar"], []),
    ],
)
def test_what_is_left_and_told(files: Mapping[str, bytes], left: list[str], notes: list[str], tmp_path: Path) -> None:
    tree = tree_of(tmp_path, files)
    assert contents(tree) == left
    assert sorted(tree.notes) == sorted(notes)
    assert tree.files == len(left)
    assert sorted(path.name for path in (tmp_path / "teams").iterdir()) == ["ann"]


def test_junk_of_a_kind_is_told_once(tmp_path: Path) -> None:
    files = {f"{folder}/{name}": b"" for folder in "abc" for name in ("x.py", "._x.py", "__pycache__/x.pyc", ".DS_Store")}
    tree = tree_of(tmp_path, files)
    assert contents(tree) == ["a/x.py", "b/x.py", "c/x.py"]
    assert tree.notes == ("left out: .DS_Store (3 files)", "left out: ._* (3 files)", "left out: __pycache__ (3 files)")


def test_many_folders_are_told_in_one_note(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"x.py": b"", "a.txt": b"", **{f"{number}/build/x": b"" for number in range(8)}})
    assert contents(tree) == ["a.txt", "x.py"]
    assert tree.notes == ("left out: 0/build/, 1/build/, 2/build/, 3/build/, 4/build/ and 3 more (made by a build, 8 files)",)


def test_a_folder_of_the_export_and_its_archive(tmp_path: Path) -> None:
    export = write_all(tmp_path / "Ann_1_assignsubmission_file_", {"bot.tar": zipped({"bot/main.cpp": b""}), "notes.md": b""})
    tree = make_tree([HandedInFile(export, "")], tmp_path / "ann")
    assert contents(tree) == ["main.cpp"]
    assert tree.notes == ("left out: notes.md (beside the folder 'bot')", "taken from the folder 'bot'")


def test_several_sources_lie_side_by_side_with_their_own_names(tmp_path: Path) -> None:
    files = write_all(tmp_path / "in", {"ann_1_234_main.cpp": b"1", "ann_1_235_tank.h": b"2", "Ann_1_file_/main.cpp": b"3"})
    sources = [
        HandedInFile(files / "ann_1_234_main.cpp", "main.cpp"),
        HandedInFile(files / "ann_1_235_tank.h", "tank.h"),
        HandedInFile(files / "Ann_1_file_", ""),
    ]
    tree = make_tree(sources, tmp_path / "ann")
    assert files_below(tree.folder) == {"main.cpp": b"3", "main_2.cpp": b"1", "tank.h": b"2"}
    assert tree.notes == ("'main.cpp' was handed in twice: one is called 'main_2.cpp' here",)


def test_a_prebuilt_file_stays_executable(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.write_bytes(b"\x7fELF")
    bot.chmod(0o700)
    tree = make_tree([HandedInFile(bot, "bot")], tmp_path / "ann")
    assert os.access(tree.folder / "bot", os.X_OK)
    (tmp_path / "a.zip").write_bytes(zipped_as(stat.S_IFREG | 0o700, "bin/bot", b"\x7fELF"))
    tree = make_tree([HandedInFile(tmp_path / "a.zip", "a.zip")], tmp_path / "bob")
    assert os.access(tree.folder / "bot", os.X_OK)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "ann.zip: contains no files to use; send the project"),
        ({"__MACOSX/x": b"", ".git/HEAD": b""}, "ann.zip: contains no files to use; send the project"),
        ({"a.zip": b"text"}, "a.zip: is not an archive, though its name says so; send a zip"),
        (
            {"1.zip": zipped({"2.zip": zipped({"3.zip": zipped({"x": b""})})})},
            "3.zip: contains archives in archives, more than 3 deep; send one zip",
        ),
    ],
)
def test_nothing_is_left_of_what_cannot_be_used(files: Mapping[str, bytes], message: str, tmp_path: Path) -> None:
    with pytest.raises(UnpackError) as raised:
        tree_of(tmp_path, files)
    assert str(raised.value) == message
    assert list((tmp_path / "teams").iterdir()) == []


def test_archives_in_archives_count_together(tmp_path: Path) -> None:
    inner = zipped({"x": os.urandom(3_000)})
    (tmp_path / "a.zip").write_bytes(zipped({"a.zip": inner, "b.zip": inner}))
    with pytest.raises(UnpackError) as raised:
        make_tree([HandedInFile(tmp_path / "a.zip", "a.zip")], tmp_path / "ann", bounds=Bounds(size=10_000))
    assert raised.value.cause is Cause.TOO_LARGE


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    with pytest.raises(UserError, match="already exists; expected a new folder"):
        make_tree([HandedInFile(tmp_path / "x.py", "x.py")], tmp_path / "ann")


NAMES = st.lists(
    st.sampled_from(["a", "B", "src", "build", "bin", "x.py", "Bot.csproj", ".git", "__init__.py", "readme.md"]), max_size=4
)


@given(files=st.dictionaries(NAMES.map("/".join), st.sampled_from([b"", b"x", zipped({"y.py": b""})]), max_size=8))
def test_sources_are_never_left_out(files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Of whatever is handed in, each source that isn't below a folder of junk or of a build is in the tree."""
    folder = tmp_path_factory.mktemp("tree")
    wanted = sum(name.endswith(".py") and not {".git", "build", "bin"} & set(name.split("/")[:-1]) for name in files)
    try:
        tree = tree_of(folder, files)
    except UnpackError as error:
        allowed = {Cause.NOTHING, Cause.FILE_AND_FOLDER, Cause.TWICE, Cause.BAD_NAME}
        if error.cause not in allowed:
            raise
    else:
        assert sum(name.endswith(".py") for name in contents(tree)) >= wanted
