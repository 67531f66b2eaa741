"""What teams hand in as TOML, and what it may cost to read it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.making import write

from tiltyard_engine.errors import UserError, show
from tiltyard_engine.registry.toml_files import read_toml

LARGEST = 1 << 16


def test_a_sound_file(tmp_path: Path) -> None:
    text = '[project]\nname = "x"\n[project.entry-points."a.b"]\none = "two:three"\nsize = -9223372036854775808\n'
    path = write(tmp_path / "a.toml", text)
    assert read_toml(path, LARGEST) == {
        "project": {"name": "x", "entry-points": {"a.b": {"one": "two:three", "size": -(2**63)}}},
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a=" + "[" * 60_000, "a.toml: lists or tables nested too deeply"),
        ("a=" + "{a=" * 20_000, "a.toml: lists or tables nested too deeply"),
        ("a=" + "[" * 40 + "]" * 40, "a.toml: lists or tables nested too deeply"),
        ("a." * 30 + "b=1", "a.toml: lists or tables nested too deeply"),
        ("a." * 30_000 + "b=1", "a.toml: a key of more than 32 parts"),
        ("'a' . " * 9_000 + "b=1", "a.toml: a key of more than 32 parts"),
        ("[" + '"a\\"".' * 8_000 + "b]\n" + "c=1\n" * 10, "a.toml: a key of more than 32 parts"),
        ("a=0x" + "f" * 60_000, "a.toml: an integer of more than 64 bits"),
        ("a=" + "9" * 60_000, "a.toml: "),
        ("a=1\n" * 2, "a.toml: Cannot overwrite a value"),
        ("x" * 70_000, "a.toml: more than 65536 bytes"),
    ],
)
def test_what_would_take_the_readers_time_or_stack(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        read_toml(write(tmp_path / "a.toml", text), LARGEST)
    assert str(caught.value).startswith(reason)


def test_a_long_word_is_no_long_key(tmp_path: Path) -> None:
    text = "a" * 60_000
    assert read_toml(write(tmp_path / "a.toml", f"a='{text}'"), LARGEST) == {"a": text}


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.toml")
    with pytest.raises(UserError, match=r"^a\.toml: not a regular file$"):
        read_toml(tmp_path / "a.toml", LARGEST)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^a\.toml: cannot be read: No such file or directory$"):
        read_toml(tmp_path / "a.toml", LARGEST)


PARTS = (*"ab=.[]{}\"'\\\n,1f-_x: #\x00\xff", "a.", "[[", "0x", "1e", "'''", "\n[a]\n")


@settings(max_examples=200, deadline=2_000)
@given(st.lists(st.sampled_from(PARTS), max_size=200))
def test_whatever_is_read_can_be_shown(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.toml"
    path.write_bytes("".join(parts).encode("latin-1"))
    with contextlib.suppress(UserError):
        assert show(read_toml(path, LARGEST)).startswith("an object ({")
