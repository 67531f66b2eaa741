"""Runs that an event loop watches: matches as they end, and nothing left when somebody leaves."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import DUEL, map_text
from tests.own_loop import in_own_thread

import tiltyard_tournaments as tiltyard
from tiltyard_engine import ActionRequest, BattleInfo, MapFile, TankAlgorithm
from tiltyard_simulator.play import workers
from tiltyard_simulator.play.worker_process import start_worker
from tiltyard_tournaments.library.cup import Cup
from tiltyard_tournaments.library.stream import RunThread

DUEL_MAP = MapFile("duel", "tanks", map_text(DUEL, 20, 5).encode())
STARTED = threading.Event()


class Endless(TankAlgorithm):
    def get_action(self) -> ActionRequest:
        STARTED.set()
        while True:
            pass

    def update_battle_info(self, info: BattleInfo) -> None:
        pass


@pytest.fixture
def cup(tmp_path: Path) -> Cup:
    (tmp_path / "duel.txt").write_text(map_text(DUEL, 20, 5))
    return tiltyard.tournament(
        teams=["acorn", "bramble", "coyote"], maps=tmp_path / "duel.txt", game="tanks", output=tmp_path / "cup", games=20
    )


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The worker processes that are started."""
    found: list[Any] = []

    def start(*arguments: Any, **options: Any) -> Any:
        found.append(real(*arguments, **options))
        return found[-1]

    real = start_worker
    monkeypatch.setattr(workers, "start_worker", start)
    return found


def test_matches_come_while_the_loop_goes_on(cup: Cup, capsys: pytest.CaptureFixture[str]) -> None:
    async def watch() -> list[str]:
        seen = []
        async with aclosing(cup.stream()) as matches:
            async for match in matches:
                seen.append(repr(match))
                if len(seen) == 3:
                    break
        return seen

    first = in_own_thread(asyncio.run, watch())
    assert all(text.startswith("<") and " on duel: " in text for text in first)
    done = cup.status().done
    assert 3 <= done < 120

    async def rest() -> list[bool]:
        return [match.played async for match in cup.stream()]

    played = in_own_thread(asyncio.run, rest())
    assert (played.count(False), len(played)) == (done, 120)
    assert capsys.readouterr().out == ""


def test_cancelling_ends_the_workers(cup: Cup, started: list[Any]) -> None:
    async def begin() -> None:
        heard = asyncio.Event()

        async def watch() -> None:
            async for _ in cup.stream(workers=2):
                heard.set()

        task = asyncio.create_task(watch())
        await heard.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    before = threading.active_count()
    in_own_thread(asyncio.run, begin())
    assert threading.active_count() <= before
    assert len(started) == 2
    assert [process.wait() for process in started] == [-9, -9], "they were killed, and are known to be dead"
    assert 1 <= cup.status().done < 120


def test_an_endless_loop_in_an_object_is_stopped() -> None:
    async def begin() -> None:
        async def watch() -> None:
            async for _ in tiltyard.tournament(teams=[Endless, "acorn"], maps=[DUEL_MAP]).stream():
                pytest.fail("it never ends")

        STARTED.clear()
        task = asyncio.create_task(watch())
        assert await asyncio.to_thread(STARTED.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    in_own_thread(asyncio.run, begin())


def test_errors_of_the_run_come_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cup = tiltyard.tournament(teams=["acorn", "bramble"], maps="narrow-pass", output=tmp_path / "file" / "cup")

    async def watch() -> None:
        async for _ in cup.stream():
            pytest.fail("nothing can be played")

    with pytest.raises(tiltyard.UserError, match="cannot be made"):
        in_own_thread(asyncio.run, watch())


def test_inside_a_loop_and_from_its_threads() -> None:
    async def both() -> list[str]:
        here = tiltyard.play(["acorn", "bramble"], DUEL_MAP)
        there = await asyncio.to_thread(tiltyard.play, ["acorn", "bramble"], DUEL_MAP)
        return [here.message, there.message]

    one, other = in_own_thread(asyncio.run, both())
    assert one == other


def test_stopping_what_is_over_does_nothing() -> None:
    ended: list[bool] = []
    thread = RunThread(lambda: None, lambda: ended.append(True))
    thread.start()
    thread.join()
    thread.stop()
    assert ended == [True]
