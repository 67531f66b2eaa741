"""Fingerprints stay what they are whatever is done to names, layout and comments; a hostile file is read as quickly as any."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.intake.similarity.works import LANGUAGES, PYTHON, named, program, write

from tiltyard_engine.errors import UserError
from tiltyard_intake.similarity.class_comparison import read_work
from tiltyard_intake.similarity.fingerprints import (
    FEWEST_KINDS,
    MOST_BYTES,
    PASSAGE,
    WINDOW,
    Fingerprints,
    winnowed,
)
from tiltyard_intake.similarity.tokens import lexer_of, text_of, tokens_of

NAMES = st.lists(st.from_regex(r"q[a-z_]{1,12}[0-9]?", fullmatch=True), min_size=6, max_size=6, unique=True)
FIRST = ("one", "two", "three", "four", "five", "six")


def words(name: str, text: str) -> list[str]:
    lexer = lexer_of(name, text.encode)
    assert lexer is not None
    return tokens_of(text_of(name, text.encode()), lexer).words


def one(tmp_path: Path, name: str, text: str) -> Fingerprints:
    return read_work(write(tmp_path / "work", {name: text}) / name)


@pytest.mark.parametrize("name", LANGUAGES)
@given(names=NAMES, comment=st.text("abc xyz", max_size=20), seed=st.integers(0, 1000))
def test_names_layout_and_comments_change_nothing(name: str, names: list[str], comment: str, seed: int) -> None:
    source, remark = LANGUAGES[name]
    changed = named(source, names)
    chance = random.Random(seed)
    if name.endswith(".py"):
        # Blocks are made of layout here: only how deep they are can change.
        changed = changed.replace("    ", " " * chance.choice((1, 2, 8)))
        changed = re.sub(r"\n", lambda match: chance.choice(("\n", f" {remark.format(comment)}", "\n\n")), changed)
    else:
        blank = ("  ", "\n", "\t", f" {remark.format(comment)} ") if name != "bot.go" else ("  ", " ", "\t")
        changed = re.sub(" +", lambda match: chance.choice(blank), changed)
    assert words(name, changed) == words(name, named(source, FIRST))
    assert words(name, changed.replace("%", "/")) != words(name, named(source, FIRST))


def test_c_is_the_same_under_another_ending(tmp_path: Path) -> None:
    text = program(range(5))
    assert one(tmp_path, "a.c", text).hashes == one(tmp_path, "b.cpp", text).hashes == one(tmp_path, "c.h", text).hashes != b""


def test_a_notebook_and_a_script_are_the_same_as_a_file(tmp_path: Path) -> None:
    code = "\n".join(named(PYTHON, FIRST) for _ in range(3))
    cells = [{"cell_type": "markdown", "source": ["for it"]}, {"cell_type": "code", "source": code.splitlines(keepends=True)}]
    made = one(tmp_path, "bot.py", code)
    assert made.digests
    assert one(tmp_path, "bot.ipynb", json.dumps({"cells": cells})).digests == made.digests
    assert one(tmp_path, "bot", f"#!/usr/bin/env python3\n{code}").digests == made.digests
    assert one(tmp_path, "bad.ipynb", "{").hashes == b""
    assert not one(tmp_path, "notes", code).files


@given(st.lists(st.integers(0, 40), min_size=PASSAGE + WINDOW - 1, max_size=60), st.lists(st.integers(0, 40), max_size=40))
def test_what_is_long_enough_is_always_noticed(passage: list[int], before: list[int]) -> None:
    """The promise of winnowing, but for passages of few different tokens."""
    there = {value for _, value in winnowed(passage)}
    elsewhere = {value for _, value in winnowed([*before, *passage])}
    varied = all(len(set(passage[at : at + PASSAGE])) >= FEWEST_KINDS for at in range(len(passage) - PASSAGE + 1))
    assert there & elsewhere or not varied


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    made = one(tmp_path, "a.c", "\n" * 100 + program([1]) + "\r\n\r\n" * 50 + program([2]))
    places = memoryview(made.places).cast("i").tolist()
    firsts, lasts = places[2::4], places[3::4]
    count = len(program([1]).splitlines())
    second = 100 + count + 100
    assert min(firsts) == 101
    assert {first for first in firsts if first > 100 + count} <= set(range(second, second + count))
    assert second < max(lasts) <= second + count


@pytest.mark.parametrize("text", ["a ", "a(", "0,", "x\n", '"', "/*"])
def test_the_same_sign_again_and_again_gives_few_fingerprints(text: str, tmp_path: Path) -> None:
    assert len(one(tmp_path, "a.c", text * 20_000).hashes) <= 8


def test_of_a_large_work_the_small_files_are_read(tmp_path: Path) -> None:
    files = {"library.hpp": "int x;\n" * MOST_BYTES, "bot.cpp": program(range(3)), "map.txt": "x" * 100}
    made = read_work(write(tmp_path / "work", files))
    assert (made.files, made.left_out) == (("bot.cpp",), ("library.hpp",))


def test_a_damaged_zip_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK nothing")
    with pytest.raises(UserError, match=r"x\.zip: cannot be read"):
        read_work(tmp_path / "x.zip")
