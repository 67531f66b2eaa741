"""Which recipe fits a tree, where its root is, and what is said where none fits."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import plant

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.recipes import Part, Product, Recipe, Way
from tiltyard_intake.recipes.recognition import recipes_of, recognise, what_it_holds
from tiltyard_intake.trees import source_files
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

PART: Final = Part(title="it", ways=(Way(title="by hand"),), product=Product(form="file", patterns=("*",)))


def recipe(
    name: str, *wants: str, order: int = 100, rejects: tuple[str, ...] = (), mentions: tuple[str, ...] = (), game: str = ""
) -> Recipe:
    return Recipe(name=name, title=name, wants=wants, parts=(PART,), order=order, rejects=rejects, mentions=mentions, game=game)


MAKE: Final = recipe("make", "Makefile", "**/*.c", order=10)
BARE: Final = recipe("bare", "*.c", order=20, rejects=("*.cs",))


def test_the_more_special_recipe_comes_first_whatever_the_order_they_are_given_in(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"hw/Makefile": "", "hw/src/main.c": "", "hw/src/deep/Makefile": ""})
    for known in ([MAKE, BARE], [BARE, MAKE]):
        found = recognise(tree, known)
        assert found.recipe is MAKE
        assert (found.root, found.others) == ("hw", ("bare",))
        assert found.files == ["Makefile", "src/deep/Makefile", "src/main.c"]


@pytest.mark.parametrize(
    ("files", "root", "note"),
    [
        (["T2/a.c", "T6/a.c", "T10/a.c", "T11/readme.md", "notes/a.c"], "T10", "T2/a.c and 2 more"),
        (["v1.2/a.c", "v1.10/a.c", "x9/y/a.c"], "v1.10", "v1.2/a.c and 1 more"),
        (["b/a.c", "a/a.c"], "a", "b/a.c"),
        (["team7/a.c", "team7/b/a.c"], "team7", ""),
        (["a.c", "b2/a.c"], "", ""),
    ],
)
def test_the_last_of_numbered_folders_counts_and_what_was_left_is_told(
    files: list[str], root: str, note: str, tmp_path: Path
) -> None:
    found = recognise(plant(tmp_path, dict.fromkeys(files, "")), [MAKE, BARE])
    told = f"only the folder {root}/ was taken, not {note} outside of it; to choose another, hand in only that one"
    assert (found.root, found.notes) == (root, (told,) if note else ())


def test_a_submodule_without_files_is_named(tmp_path: Path) -> None:
    modules = '[submodule "libft"]\n\tpath = libft\n\turl = git@host:libft.git\n[submodule "there"]\n    path=there/\n'
    found = recognise(plant(tmp_path, {"bot/.gitmodules": modules, "bot/a.c": "", "bot/there/b.c": ""}), [BARE])
    told = "these git submodules have no files, since a download leaves them out: bot/libft; hand in their files too"
    assert found.lacks == told


def test_an_organiser_may_force_one(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"Makefile": "", "src/main.c": ""})
    found = recognise(tree, [MAKE, BARE], forced="bare")
    assert (found.recipe, found.root) == (BARE, "src")
    with pytest.raises(NotFoundError, match=r"'bear'.*bare"):
        recognise(tree, [MAKE, BARE], forced="bear")


def test_what_a_game_brings_comes_before_what_is_for_every_game(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"main.c": ""})
    general, own = recipe("a", "*.c"), recipe("z", "*.c", game="penguins")
    assert recognise(tree, [general, own]).recipe is own


def test_a_mention_tells_two_trees_of_the_same_files_apart(tmp_path: Path) -> None:
    plugin = recipe("plugin", "*.py", mentions=("tiltyard_engine",))
    assert recognise(plant(tmp_path / "a", {"bot.py": "import tiltyard_engine"}), [plugin]).recipe is plugin
    found = recognise(plant(tmp_path / "b", {"bot.py": "print()"}), [plugin])
    assert found.reason == "holds Python sources (bot.py); no .py file imports tiltyard_engine, so this is not a team"
    assert recognise(found.tree, [plugin], game="tanks").reason.endswith("so this is not a team for tanks")


@pytest.mark.parametrize(
    ("files", "reason"), [({"tank.py": "\n"}, "tank.py is empty"), ({"a.py": "", "b.py": ""}, "a.py, b.py are empty")]
)
def test_an_empty_file_is_told_to_be_empty(tmp_path: Path, files: dict[str, str], reason: str) -> None:
    plugin = recipe("plugin", "*.py", mentions=("tiltyard_engine",))
    assert recognise(plant(tmp_path, files), [plugin]).reason.partition("; ")[2] == reason


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"Bot.cs": "", "a/Other.cs": ""}, "holds C# sources (Bot.cs and 1 more); expected make; or bare"),
        (
            {"x/Makefile": ""},
            "holds no sources and no programs, only 1 without an ending; to be read as make, it needs *.c",
        ),
        (
            {"b.c": "", "a.cs": ""},
            "holds C# sources (a.cs) and C sources (b.c); to be read as bare, it needs a folder without a.cs",
        ),
        ({"report.pdf": "", "b.pdf": ""}, "holds no sources and no programs, only 2 .pdf; expected make; or bare"),
        ({".git/config": ""}, "holds no files"),
    ],
)
def test_why_none_fits_is_said_in_plain_words(files: dict[str, str], reason: str, tmp_path: Path) -> None:
    found = recognise(plant(tmp_path, files), [MAKE, BARE])
    assert (found.recipe, found.reason) == (None, reason)


@pytest.mark.parametrize(("name", "advice"), [("bot.pyw", "rename it to bot.py"), ("lib/bot.pyc", "use its source, bot.py")])
def test_what_is_almost_python_says_what_to_do(name: str, advice: str, tmp_path: Path) -> None:
    registry = open_registry(IsolationPolicy())
    found = recognise(plant(tmp_path, {name: "", "notes.txt": ""}), recipes_of(registry, "tanks"))
    assert found.recipe is None
    assert found.reason.endswith(advice)


@pytest.mark.parametrize(
    ("name", "head", "reason"),
    [
        ("solution/robot", b"\xcf\xfa\xed\xfe", "robot was built for macOS; this machine needs one for Linux, or the sources"),
        ("game.exe", b"MZ\x90", "game.exe was built for Windows; this machine needs one for Linux, or the sources"),
        (
            "Bot.java",
            b"class Bot {}",
            (
                "holds Java sources (Bot.java); expected sources in C, C#, C++, Go, Python or Rust, or a notebook,"
                " or compiled files (.dll, .exe), or a program"
            ),
        ),
    ],
)
def test_what_cannot_run_here_is_told_as_such(name: str, head: bytes, reason: str, tmp_path: Path) -> None:
    registry = open_registry(IsolationPolicy())
    found = recognise(plant(tmp_path, {name: head + bytes(40)}), recipes_of(registry, "filler"))
    assert found.recipe is None
    assert reason in found.reason
    assert "ELF" not in found.reason


def test_programs_and_scripts_without_an_ending_are_told(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"robot": b"\x7fELF" + bytes(40), "run": "#!/bin/sh\n", "map00": "."})
    assert what_it_holds(["map00", "robot", "run"], tree) == "holds programs (robot) and scripts (run)"


def test_links_and_what_tools_leave_are_no_files(tmp_path: Path) -> None:
    tree = plant(
        tmp_path / "tree",
        {"main.c": "", "build/CMakeFiles/3/x.c": "", "__MACOSX/._main.c": "", "rs/Cargo.toml": "", "rs/target/a.rs": ""},
    )
    (tree / "link.c").symlink_to(tree / "main.c")
    (tree / "up").symlink_to(tmp_path)
    assert recognise(tree, [BARE]).names == ("main.c", "rs/Cargo.toml")


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_files, "MOST_FILES", 3)
    with pytest.raises(UserError, match="more than 3 files"):
        recognise(plant(tmp_path, {f"{number}.c": "" for number in range(4)}), [BARE])


@pytest.mark.parametrize(
    ("game", "has", "lacks"),
    [
        ("tanks", {"tanks-assignment-3", "tanks-cpp", "python-file"}, {"rust-cargo", "penguins-c", "python-program"}),
        ("penguins", {"penguins-c", "python-file", "python-program", "rust-cargo"}, {"tanks-cpp", "filler-solution"}),
        ("filler", {"filler-solution", "rust-cargo", "go-module", "prebuilt"}, {"penguins-c"}),
        ("advance", {"csharp-files", "csharp-project", "mono-prebuilt"}, {"penguins-c", "tanks-cpp"}),
    ],
)
def test_each_game_has_its_recipes(game: str, has: set[str], lacks: set[str]) -> None:
    names = {each.name for each in recipes_of(open_registry(IsolationPolicy()), game)}
    assert has <= names
    assert not lacks & names
