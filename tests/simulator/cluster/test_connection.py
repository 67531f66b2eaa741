from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_simulator.cluster.connection import Tls, connect


@pytest.mark.parametrize("address", ["lab:8786", "http://lab:8786", "tcp://lab", "tcp://:8786", "tcp://lab:port", ""])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(UserError, match="expected the address that 'dask scheduler' prints, such as tcp://HOST:8786"):
        connect(address)


def test_nobody_answers() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(UserError) as raised:
        connect("tcp://127.0.0.1:9", seconds=0.2)
    assert str(raised.value).startswith("tcp://127.0.0.1:9: no Dask scheduler answers there within 0 s")
    assert "Check that 'dask scheduler' is running" in str(raised.value)


def test_tls_wants_all_of_its_files(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.write_text("")
    with pytest.raises(UserError, match="--cluster-tls-cert and --cluster-tls-key are missing"):
        connect("tls://lab:8786", Tls(ca))
    with pytest.raises(UserError, match="--cluster-tls-key is missing"):
        connect("tls://lab:8786", Tls(ca, ca))
    with pytest.raises(UserError, match=r"--cluster-tls-cert .*gone.pem: cannot be read: No such file"):
        connect("tls://lab:8786", Tls(ca, tmp_path / "gone.pem", ca))
    with pytest.raises(UserError, match="--cluster-tls-ca is for an encrypted cluster: tls://lab:8786"):
        connect("tcp://lab:8786", Tls(ca, ca, ca))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError) as raised:
        connect("tcp://lab:8786")
    assert str(raised.value) == "--cluster needs dask.distributed, which is not installed: pip install 'tiltyard[cluster]'"


def test_dask_is_imported_where_it_is_asked_for() -> None:
    """It takes longer than all else together."""
    code = "import sys, tiltyard_tournaments.cli.run, tiltyard_simulator.cluster.executor; print('distributed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
