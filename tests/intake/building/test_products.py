"""Which file is the product, by its name and its first bytes, and what becomes of it."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Final

import pytest
from tests.intake.made_archives import files_below
from tests.intake.making import file_size_limit

from tiltyard_engine.recipes import Product
from tiltyard_intake.building import products
from tiltyard_intake.building.products import LIST, Result, put, remove_unfinished, results_of
from tiltyard_intake.recipes.product_choice import Candidate, choose, why_not
from tiltyard_intake.trees.file_names import file_stem
from tiltyard_simulator.guard.programs.build_client import BuildFile

PROCESSOR: Final = {"x86_64": 62, "aarch64": 183}.get(os.uname().machine, 62)
PROGRAM: Final = Product(form="program", patterns=("**/*",), contents="executable", avoids=("test",), prefers=("auto",))
LIBRARY: Final = Product(form="file", patterns=("**/Algorithm*.so", "**/*.so"), contents="library", name="Algorithm_{team}.so")


def elf(kind: int = 3, processor: int = PROCESSOR) -> bytes:
    return b"\x7fELF\x02\x01\x01" + bytes(9) + kind.to_bytes(2, "little") + processor.to_bytes(2, "little") + bytes(44)


def found(*names: str, head: bytes | None = None) -> list[Candidate]:
    return [Candidate(name, f"out/{name}", elf() if head is None else head) for name in names]


@pytest.mark.parametrize(
    ("product", "names", "best"),
    [
        (PROGRAM, ("b", "a"), "a"),
        (PROGRAM, ("deep/a", "b"), "b"),
        (PROGRAM, ("a", "deep/auto"), "deep/auto"),
        (PROGRAM, ("a_test", "z"), "z"),
        (PROGRAM, ("build/CMakeFiles/3.25/CompilerIdC/a.out", "build/z"), "build/z"),
        (PROGRAM, ("lib.so.1", "z"), "z"),
        (LIBRARY, ("aaa.so", "x/Algorithm_1.so"), "x/Algorithm_1.so"),
        (LIBRARY, ("aaa.so",), "aaa.so"),
    ],
)
def test_the_best_of_several_is_taken(product: Product, names: tuple[str, ...], best: str) -> None:
    assert [each.name for each in choose(product, found(*names))] == [best]


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (elf(kind=1), "a is one part of a program, which is not linked yet; hand in the finished program, or the sources"),
        (elf(kind=4), "a is not a program, which is expected here; hand in that, or the sources"),
        (elf(processor=40), f"a was built for another processor than this machine's {os.uname().machine}; hand in the sources"),
        (b"MZ" + bytes(62), "a was built for Windows; this machine needs one for Linux, or the sources"),
        (b"\xcf\xfa\xed\xfe" + bytes(60), "a was built for macOS; this machine needs one for Linux, or the sources"),
        (b"version https://git-lfs.github.com/spec/v1", "a is a Git LFS pointer, not the file itself"),
        (b"#!/bin/sh", ""),
        (b"", ""),
    ],
)
def test_what_is_no_program_for_this_machine_is_named(head: bytes, reason: str) -> None:
    files = found("a", head=head)
    assert choose(PROGRAM, files) == []
    assert why_not(PROGRAM, files) == reason
    # Where a recipe fits for another reason, a sound program is not blamed.
    assert why_not(PROGRAM, found("a")) == ""


def test_a_product_may_need_a_file_beside_it() -> None:
    product = Product(form="program", patterns=("**/*.dll",), beside=("{stem}.json",))
    files = found("a/lib.dll", "a/bot.dll", "a/bot.json", "lib.json")
    assert [each.name for each in choose(product, files)] == ["a/bot.dll"]


def test_a_program_s_manifest_takes_any_name() -> None:
    team = 'Ann "the\\best" M\u00fcller'
    results = {
        each.name: each.file for each in results_of(PROGRAM, team, "nim", {"x/bot": BuildFile(b"b")}, {"data": BuildFile(b"d")})
    }
    assert sorted(results) == ["Ann_the_best_M\u00fcller/" + name for name in (".intake.json", "bot", "program.toml")]
    manifest = tomllib.loads(results["Ann_the_best_M\u00fcller/program.toml"].data.decode())
    assert manifest == {"name": team, "game": "nim", "command": ["./bot"]}


@pytest.mark.parametrize(
    ("team", "stem"), [("a b", "a_b"), ("../x", "x"), ("--", "team"), ("m\u00fcller", "m\u00fcller"), ("a/b", "a_b")]
)
def test_names_of_teams_are_safe_in_files(team: str, stem: str) -> None:
    assert file_stem(team) == stem


def test_a_list_of_files_removes_nothing_outside_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "keep").write_text("mine")
    (tmp_path / "anna").mkdir()
    (tmp_path / "anna" / "old").write_text("")
    (tmp_path / "anna" / ".intake.json").write_text(json.dumps(["../keep", str(tmp_path / "keep"), "old", 3]))
    put(results_of(PROGRAM, "anna", "nim", {"bot": BuildFile(b"b")}, {}), tmp_path)
    assert (tmp_path / "keep").exists()
    assert sorted(path.name for path in (tmp_path / "anna").iterdir()) == [".intake.json", "bot", "program.toml"]
    assert os.access(tmp_path / "anna" / "bot", os.X_OK)


def folder_of(**files: str) -> list[Result]:
    product = Product(form="folder", patterns=())
    return results_of(product, "anna", "tanks", {}, {name: BuildFile(text.encode()) for name, text in files.items()})


def test_a_folder_changes_as_a_whole_and_what_others_put_there_stays(tmp_path: Path) -> None:
    (place,) = put(folder_of(one="first", two="first"), tmp_path)
    (place / "mine.txt").write_text("the lecturer's")
    assert put(folder_of(two="second"), tmp_path) == [place]
    found = files_below(place)
    assert found.pop(LIST)
    assert found == {"two": b"second", "mine.txt": b"the lecturer's"}
    assert [path.name for path in tmp_path.iterdir()] == ["anna"]


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_folder_that_cannot_be_written_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool
) -> None:
    def refuse(*_: str) -> None:
        raise OSError("not on this file system")

    if not can_exchange:
        monkeypatch.setattr(products, "exchange", refuse)
    put(folder_of(one="first"), tmp_path)
    put(folder_of(one="second", two="second"), tmp_path)
    before = files_below(tmp_path)
    assert before["anna/one"] == b"second"
    with file_size_limit(1000), pytest.raises(OSError, match="File too large"):
        put(folder_of(one="third", two="x" * 5000), tmp_path)
    assert files_below(tmp_path) == before


def test_what_was_not_whole_when_it_was_killed_is_removed(tmp_path: Path) -> None:
    put(folder_of(one="first"), tmp_path)
    for name in (".new-abc/one", "anna/.new-def", "game_managers/.new-ghi"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("half")
    remove_unfinished(tmp_path)
    assert sorted(files_below(tmp_path)) == [f"anna/{LIST}", "anna/one"]
