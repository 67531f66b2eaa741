from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tiltyard_cluster.remote_worker import NO_CORE, claim_core
from tiltyard_simulator.play.executor import usable_cores


def test_each_claim_is_of_another_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    claims = [claim_core() for _ in range(len(usable_cores()) + 1)]
    assert [claim.core for claim in claims] == [*usable_cores(), NO_CORE]
    claims[0].give_back()
    claims[0].give_back()
    again = claim_core()
    assert again.core == usable_cores()[0]
    for claim in (*claims, again):
        claim.give_back()
