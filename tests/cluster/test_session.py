"""An answer is fetched until it is there: a machine that is lost while it sends one leaves nothing in its place."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from tiltyard_cluster import session
from tiltyard_cluster.machine import MachineTask, TaskKind
from tiltyard_cluster.session import Session

ANSWERED = {"status": "OK", "data": {"chunk": b"played"}}
CUT_OFF = {"status": "OK", "data": {"chunk": None}}
UNREACHABLE = {"status": "error", "keys": ["chunk"]}


@pytest.mark.parametrize(
    ("responses", "first_status"),
    [
        ([ANSWERED], "finished"),
        ([CUT_OFF, ANSWERED], "finished"),
        ([UNREACHABLE, CUT_OFF, ANSWERED], "finished"),
        ([ANSWERED], "lost"),
    ],
    ids=["at once", "cut off on its way", "unreachable and cut off", "lost before it was fetched"],
)
def test_an_answer_is_fetched_until_it_is_there(
    responses: list[dict[str, Any]], first_status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "AGAIN_SECONDS", 0.0)
    left, statuses = [*responses], ["finished", first_status]

    async def gather(keys: list[str]) -> dict[str, Any]:
        assert keys == ["chunk"]
        return left.pop(0)

    future: Any = SimpleNamespace(key="chunk", status="pending")

    async def until_it_ends() -> None:
        future.status = statuses.pop() if statuses else "finished"

    async def follow() -> Any:
        running: list[asyncio.Future[None]] = []
        loop = SimpleNamespace(add_callback=lambda follow, task: running.append(asyncio.ensure_future(follow(task))))
        opened = Session(SimpleNamespace(scheduler=SimpleNamespace(address="tcp://here", gather=gather), loop=loop))
        future._state = SimpleNamespace(wait=until_it_ends, exception=None)
        machine: Any = SimpleNamespace(address="tcp://machine")
        await opened._follow(MachineTask(machine, TaskKind.PLAY, future=future))
        while (answer := opened.next(0.0)) is None:
            await asyncio.sleep(0)
        await asyncio.gather(*running)
        return answer

    # Where a test of this process has started a browser, a loop runs in the main thread for good.
    with ThreadPoolExecutor(1) as thread:
        _, answer = thread.submit(lambda: asyncio.run(asyncio.wait_for(follow(), 60))).result()
    assert answer == b"played"
    assert left == []
