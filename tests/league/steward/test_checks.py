"""The process that checks: one for many versions, and another one where it ends."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from tests.league.made_league import make_league

from tiltyard_league.handing_in.checking import folder_of
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


def give_up(checks: Checks) -> None:
    """Until nothing is checked; the disk is full, so that nothing else is begun."""
    end = time.monotonic() + PATIENCE
    while checks.running:
        assert not checks.step(has_room=False)
        assert time.monotonic() < end, "never ended"
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
            # What fails while the disk is full says nothing about the version.
            numbers.append(hand_in(folder, b"nothing that plays either"))
            made.step(has_room=False)
            assert made.running == 0
            made.step()
            give_up(made)
            assert database.number("SELECT count(*) FROM versions WHERE state = 'received'") == 1
            # It ends in the middle of a check, whose version is then checked from the start, in another one.
            made.step()
            assert made.running == numbers[2]
            assert made._process is not None
            made._process.process.kill()
            settle(made)
            assert made._process is not first
            states = [row["state"] for row in database.rows("SELECT state FROM versions WHERE upload != '' ORDER BY id")]
            assert states == ["refused"] * 3
            events = [event for event, fields in told if fields["version"] == numbers[2]]
            assert events == ["check begun", "check begun", "check ended without a result", "check begun", "check ended"]
            # What was unpacked of those that were refused is gone.
            assert [number for number in numbers if folder_of(folder, number).exists()] == []
            # Its memory is given back when nobody has handed in for a while.
            monkeypatch.setattr(checks, "IDLE_SECONDS", 0.0)
            made.step()
            assert made._process is None
            # What is withdrawn during a check that then ends without a result stays so.
            withdrawn = hand_in(folder, b"withdrawn")
            made.step()
            assert made._process is not None
            database.run("UPDATE versions SET state = 'withdrawn' WHERE id = ?", withdrawn)
            made._process.process.kill()
            give_up(made)
            made.step()
            assert made.running == 0
            assert database.number("SELECT count(*) FROM versions WHERE state = 'withdrawn'") == 1
        finally:
            made.stop()
