"""Which file is the product, by its name and its first bytes, and what becomes of it."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Final

import pytest

from tiltyard_engine.recipes import Product
from tiltyard_simulator.guard.programs.held_build import BuildFile
from tiltyard_simulator.intake.products import Found, choose, file_stem, put, results_of, why_not

PROCESSOR: Final = {"x86_64": 62, "aarch64": 183}.get(os.uname().machine, 62)
PROGRAM: Final = Product(form="program", patterns=("**/*",), contents="executable", avoids=("test",), prefers=("auto",))
LIBRARY: Final = Product(form="file", patterns=("**/Algorithm*.so", "**/*.so"), contents="library", name="Algorithm_{team}.so")


def elf(kind: int = 3, processor: int = PROCESSOR) -> bytes:
    return b"\x7fELF\x02\x01\x01" + bytes(9) + kind.to_bytes(2, "little") + processor.to_bytes(2, "little") + bytes(44)


def found(*names: str, head: bytes | None = None) -> list[Found]:
    return [Found(name, f"out/{name}", elf() if head is None else head) for name in names]


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
        (elf(kind=1), "a was built for another processor, or is not a finished program"),
        (elf(processor=40), "a was built for another processor, or is not a finished program"),
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
