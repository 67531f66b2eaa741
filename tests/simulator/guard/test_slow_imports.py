"""What a user is told of slow imports, and how often."""

from __future__ import annotations

import pytest
from tests.simulator.guard.conftest import WriteTeams, open_tanks

from tiltyard_simulator.guard import slow_imports
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.slow_imports import SlowImports, print_note
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import LONG_WAIT, Limits


def test_each_is_told_once_and_only_what_takes_long() -> None:
    told: list[str] = []
    imports = SlowImports(told.append)
    for seconds in (LONG_WAIT - 1, LONG_WAIT + 2.4, LONG_WAIT + 3):
        imports.waits("many.py", seconds)
    for seconds in (0.1, 11.76, 12.0):
        imports.is_repeated("many.py", seconds, "it keeps files open")
    assert told == [
        "importing many.py takes long: 12 s so far",
        "many.py is imported again for each match, which takes 11.8 s of CPU time: it keeps files open",
    ]


def test_what_several_workers_say_is_printed_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_imports, "_PRINTED", set())
    for text in ("importing a1.py takes long: 10 s so far", "importing a1.py takes long: 11 s so far", "importing a2.py: 10 s"):
        print_note(text)
    assert capsys.readouterr().err == "note: importing a1.py takes long: 10 s so far\nnote: importing a2.py: 10 s\n"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(), "its code can't be loaded, or keeps a file open"),
        (Limits(processes=4), "with limit processes=4 it may have threads, and a process with threads can't be copied"),
    ],
)
def test_an_import_that_each_match_does_is_told_with_its_reason(
    write_teams: WriteTeams, monkeypatch: pytest.MonkeyPatch, limits: Limits, reason: str
) -> None:
    monkeypatch.setattr(slow_imports, "DEAR_SECONDS", 0.0001)
    teams = write_teams("kept = open(__file__)\n@hookimpl\ndef algorithms():\n    yield team('unfit')\n")
    told: list[str] = []
    with CellPool(tell=told.append) as cells:
        if cells.confinement.level == "C":
            pytest.skip("this machine confines at level C")
        for _ in range(2):
            open_tanks(cells, 1, teams["unfit"], Isolation.SANDBOX, limits=limits).create_tank(0)
            cells.end_match()
    assert len(told) == 1
    assert told[0].startswith("hostile.py is imported again for each match")
    assert told[0].endswith(reason)
