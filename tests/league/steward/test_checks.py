"""The process that checks: one for many versions, and another one where it ends."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from tests.league.made_league import make_league

from tiltyard_league.handing_in.receiving import receiving
from tiltyard_league.records.database import Database
from tiltyard_league.records.versions import add_version
from tiltyard_league.steward import checks
from tiltyard_league.steward.checks import Checks

PATIENCE = 120.0


def hand_in(folder: Path, text: bytes) -> int:
    with receiving(folder, 10**7, 0) as upload:
        upload.write(text)
    with Database(folder) as database, database.writing():
        add_version(database, 1, upload=upload.digest, name="a.txt", size=1, member=None, note="", late=False)
        return database.number("SELECT max(id) FROM versions")


def settle(checks: Checks) -> None:
    end = time.monotonic() + PATIENCE
    while not checks.step():
        assert time.monotonic() < end, "never settled"
        time.sleep(0.01)


def test_a_process_checks_one_version_after_the_other_and_is_replaced_when_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_league(tmp_path / "course", maps=1).settings.folder
    told: list[tuple[str, dict[str, Any]]] = []
    numbers = [hand_in(folder, b"nothing that plays %d" % number) for number in range(2)]
    with Database(folder) as database:
        made = Checks(folder, database, False, lambda event, **fields: told.append((event, fields)))
        try:
            settle(made)
            settle(made)
            first = made._process
            assert first is not None
            assert first.number == 2
            # It ends in the middle of a check, whose version is then checked from the start, in another one.
            numbers.append(hand_in(folder, b"nothing that plays either"))
            made.step()
            assert made.running == numbers[2]
            first.process.kill()
            settle(made)
            assert made._process is not first
            states = [row["state"] for row in database.rows("SELECT state FROM versions WHERE upload != '' ORDER BY id")]
            assert states == ["refused"] * 3
            events = [event for event, fields in told if fields["version"] == numbers[2]]
            assert events == ["check begun", "check ended without a result", "check begun", "check ended"]
            # Its memory is given back when nobody has handed in for a while.
            monkeypatch.setattr(checks, "IDLE_SECONDS", 0.0)
            made.step()
            assert made._process is None
        finally:
            made.stop()
