"""What the games' own programs do where nobody reads their output, or the disk is full: the same as ``tiltyard``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tiltyard_advance.programs import advance
from tiltyard_penguins.programs import penguins, penguins_master
from tiltyard_tanks import tanks_game

CALLS: list[tuple[Callable[[list[str]], int], str]] = [
    (advance.main, "--help"),
    (advance.main, "name"),
    (penguins.main, "--help"),
    (penguins.main, "name"),
    (penguins_master.main, "--help"),
    (tanks_game.main, "--help"),
]


def status(call: Callable[[list[str]], int], word: str, descriptor: int, monkeypatch: pytest.MonkeyPatch) -> int:
    with os.fdopen(descriptor, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        return call([word])


@pytest.mark.parametrize(("call", "word"), CALLS)
def test_a_reader_that_goes_away(call: Callable[[list[str]], int], word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    assert status(call, word, writing, monkeypatch) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(("call", "word"), CALLS)
def test_a_full_disk(
    call: Callable[[list[str]], int], word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(call, word, os.open("/dev/full", os.O_WRONLY), monkeypatch) == 2
    assert capsys.readouterr().err.endswith(": No space left on device\n")
