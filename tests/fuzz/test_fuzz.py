"""Every reader takes some damaged inputs; and the tool notices what it is there for."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fuzz import trial
from tests.fuzz.__main__ import READERS
from tests.fuzz.trial import Reader, try_reader

from tiltyard_engine.errors import UserError

INPUTS = 4


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_no_input_ends_in_a_traceback(reader: Reader) -> None:
    trials = try_reader(reader, seed=3, first=0, most=INPUTS)
    assert [f"{finding.number}: {finding.problem}\n{finding.trace}" for finding in trials.findings] == []
    assert trials.tried == INPUTS


def refuse() -> None:
    raise UserError("not what was expected")


def stumble() -> None:
    raise KeyError("a key")


@pytest.mark.parametrize(
    ("does", "problem"),
    [
        (refuse, ""),
        (stumble, "KeyError"),
        (lambda: bytearray(2 * trial.MOST_BYTES), "MemoryError"),
        (lambda: time.sleep(60), "no end"),
        (lambda: all(itertools.repeat(True)), "no end"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "SIGSEGV"),
    ],
)
def test_what_is_found(does: Callable[[], object], problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(data: bytes, folder: Path) -> None:
        if folder.name == "1":
            does()

    if problem == "no end":
        monkeypatch.setattr(trial, "MOST_SECONDS", 0.5)
    reader = Reader(name="made", samples=lambda: [b"sample"], read=read)
    trials = try_reader(reader, seed=1, first=0, most=3)
    assert trials.tried == 3
    assert [(finding.number, finding.problem) for finding in trials.findings] == ([(1, problem)] if problem else [])


def test_the_same_seed_gives_the_same_inputs() -> None:
    for reader in READERS:
        assert [reader.input(5, number) for number in range(4)] == [reader.input(5, number) for number in range(4)]
    (reader, *_) = READERS
    assert [reader.input(5, number) for number in range(9)] != [reader.input(6, number) for number in range(9)]
