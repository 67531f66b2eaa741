from __future__ import annotations

import importlib.util
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tiltyard_cluster.connection import Tls, connect
from tiltyard_engine.errors import UserError


@pytest.mark.parametrize("address", ["lab:8786", "http://lab:8786", "tcp://lab", "tcp://:8786", "tcp://lab:port", ""])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(UserError, match="expected the address that 'dask scheduler' prints, such as tcp://HOST:8786"):
        connect(address)


def test_importing_it_imports_no_asyncio(tmp_path: Path) -> None:
    """Every run imports it, and most have no cluster."""
    code = "import sys, tiltyard_cluster.connection; sys.exit('asyncio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0


def test_nobody_answers() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(UserError) as raised:
        connect("tcp://127.0.0.1:9", seconds=0.2)
    assert str(raised.value).startswith("tcp://127.0.0.1:9: no Dask scheduler answers there within 0 s")
    assert "Check that 'dask scheduler' is running" in str(raised.value)


def test_trying_again_leaves_nothing_behind() -> None:
    """A league tries for days."""
    pytest.importorskip("distributed")

    def try_once() -> tuple[int, int]:
        with pytest.raises(UserError):
            connect("tcp://127.0.0.1:9", seconds=0.1)
        return threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))

    try_once()
    assert try_once() == try_once()


def test_a_scheduler_that_never_answers_is_not_waited_for() -> None:
    """It stands still: the system takes connections on its behalf."""
    pytest.importorskip("distributed")
    with socket.create_server(("127.0.0.1", 0)) as deaf, pytest.raises(UserError, match="no Dask scheduler answers there"):
        connect(f"tcp://127.0.0.1:{deaf.getsockname()[1]}", seconds=0.5)


# Starts a scheduler that says that it is older, connects with it, and sends it much.
OLD_SCHEDULER = """
import asyncio, sys, threading
import distributed, distributed.versions

async def serve(ready):
    async with distributed.Scheduler(host="127.0.0.1", port=0, dashboard_address=None) as scheduler:
        ready(scheduler.address)
        await asyncio.Event().wait()

if __name__ == "__main__":
    if sys.argv[1:]:
        here = distributed.versions.get_versions
        def get_versions(packages=None):
            found = here(packages)
            found["packages"]["distributed"] = "2020.1.0"
            found["packages"]["msgpack"] = "0.1"
            return found
        distributed.versions.get_versions = get_versions
        import distributed.scheduler, distributed.node
        distributed.node.get_versions = get_versions
        distributed.scheduler.get_versions = get_versions
        asyncio.run(serve(lambda address: print(address, flush=True)))
    import subprocess
    from tiltyard_cluster.connection import connect
    scheduler = subprocess.Popen([sys.executable, __file__, "old"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    address = scheduler.stdout.readline().strip()
    client = connect(address, say=print)
    client.submit(len, b"x" * (11 << 20), key="much")
    scheduler.kill()
    scheduler.wait()
    import time
    while client.status == "running":
        time.sleep(0.05)
    client.close(timeout=2)
"""


def test_dasks_own_words_never_reach_the_screen(tmp_path: Path) -> None:
    """A table of versions, a graph that is too large for its taste, a connection that was lost: one sentence is ours."""
    pytest.importorskip("distributed")
    (tmp_path / "old.py").write_text(OLD_SCHEDULER)
    done = subprocess.run([sys.executable, "old.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    assert re.fullmatch(
        r"tcp://127\.0\.0\.1:\d+: its scheduler runs Dask 2020\.1\.0, this machine [\d.]+\. If machines don't answer, install the"
        r" same version everywhere: pip install 'distributed==[\d.]+'",
        line,
    )


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
    code = "import sys, tiltyard_tournaments.cli.run, tiltyard_cluster.executor; print('distributed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
