"""What one command has found out is read by the next: only for the same key, and only if nobody else can have written it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_simulator.match.own_cache import FRESH, FRESH_VARIABLE, cached, code_state, comes_back, digest_of

KEY = digest_of(["one"])


class Commands:
    """Commands that want the same value, and how often it was made."""

    def __init__(self) -> None:
        self.made = 0

    def next(self, key: str = KEY, value: str = "value", *, is_sound: bool = True) -> str:
        """What the next command gets."""

        def make() -> str:
            self.made += 1
            return value

        return cached("values", key, make, is_sound=lambda value: is_sound, pack=str.encode, unpack=bytes.decode)


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delenv(FRESH_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tiltyard" / "values"


def test_a_value_is_made_once_for_a_key(file: Path) -> None:
    commands = Commands()
    assert [commands.next(), commands.next(), commands.made] == ["value", "value", 1]
    assert file.stat().st_mode & 0o777 == 0o600
    assert (commands.next(digest_of(["two"]), "other"), commands.made) == ("other", 2)
    # The file has the last one alone.
    assert (commands.next(), commands.made) == ("value", 3)


def test_what_may_not_be_kept_is_made_again(file: Path) -> None:
    commands = Commands()
    assert [commands.next(is_sound=False), commands.next(), commands.made] == ["value", "value", 2]


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_could_have_written_is_not_read(file: Path, mode: int) -> None:
    commands = Commands()
    commands.next()
    file.write_bytes(KEY.encode() + b"forged")
    assert commands.next() == "forged"
    file.chmod(mode)
    assert (commands.next(), commands.made) == ("value", 2)


@pytest.mark.parametrize("data", [b"", KEY.encode()[:9], KEY.encode() + b"\xff"])
def test_a_damaged_file_is_made_again(file: Path, data: bytes) -> None:
    commands = Commands()
    commands.next()
    file.write_bytes(data)
    assert [commands.next(), commands.next(), commands.made] == ["value", "value", 2]


def test_nothing_is_kept_where_all_is_to_be_fresh(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FRESH_VARIABLE, FRESH)
    commands = Commands()
    assert [commands.next(), commands.next(), commands.made] == ["value", "value", 2]
    assert not file.exists()


def test_texts_that_are_cut_elsewhere_have_another_digest() -> None:
    assert len({digest_of(parts) for parts in (["ab", "c"], ["a", "bc"], ["abc"], ["a", "b", "c"], ["abc", ""])}) == 5


def test_the_files_of_a_package_are_part_of_its_codes_state() -> None:
    state = list(code_state(["tiltyard_simulator.match"]))
    assert any("/own_cache.py " in stamp for stamp in state)
    assert not any("__pycache__" in stamp for stamp in state)


def test_a_value_that_comes_back_as_another_is_seen() -> None:
    is_whole = comes_back(lambda value: str(value).encode(), lambda data: data.decode())
    assert is_whole("1")
    assert not is_whole(1)  # type: ignore[arg-type]
