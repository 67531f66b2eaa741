"""Which process that can't run ends the whole league."""

from __future__ import annotations

import time

import pytest

from tiltyard_league.service import supervisor
from tiltyard_league.service.supervisor import HOPELESS, Supervisor

# A module of the standard library that ends with this status, as its option is unknown.
CANNOT_RUN = ("json.tool", "--no-such-option")
PATIENCE = 60.0


@pytest.mark.parametrize(("short", "status"), [(1000.0, HOPELESS), (-1.0, 0)])
def test_what_fails_at_its_start_ends_all_and_what_ran_before_is_started_again(
    monkeypatch: pytest.MonkeyPatch, short: float, status: int
) -> None:
    monkeypatch.setattr(supervisor, "LONG_SECONDS", short)
    supervisor_of_one = Supervisor({"steward": CANNOT_RUN})
    (child,) = supervisor_of_one._children
    supervisor_of_one._look_after(child)
    process = child.process
    assert process is not None
    process.wait(PATIENCE)
    assert supervisor_of_one._look_after(child) == status
    assert child.process is None
    assert (child.due > 0.0) == (status == 0)
    assert time.monotonic() + supervisor.LONGEST_PAUSE >= child.due
