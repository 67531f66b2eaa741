"""Matches for plugins' commands: found, keyed, played and judged like any others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tiltyard_advance.algorithms import OwnPlayer
from tiltyard_advance.positions import AdvancePosition, Turn
from tiltyard_engine.errors import UserError
from tiltyard_engine.host import Host, HostMatch, own_player
from tiltyard_engine.host.plain_host import PlainHost
from tiltyard_engine.match_record import PlayedMatch
from tiltyard_engine.replay import NullRecorder, ReplayRecorder
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.seat_ports import PortFailure
from tiltyard_engine.seat_kinds.turn_seats import TurnPort
from tiltyard_simulator.guard.cells.zygote import Zygote
from tiltyard_simulator.play.host import GuardHost

MAP = b"..g......\n" + b".........\n" * 7 + b"......G..\n"


@pytest.fixture
def host() -> Iterator[Host]:
    with GuardHost() as opened:
        yield opened


def match(host: Host, *words: str, seed: int = 1, data: bytes = MAP) -> HostMatch:
    players = tuple(host.find_player(word, "advance") for word in words)
    return HostMatch(game="advance", manager="advance", map_name="map", map_data=data, players=players, seed=seed)


def in_order(records: Iterable[PlayedMatch]) -> list[PlayedMatch]:
    """Without times, and what a busy machine did."""
    return sorted((replace(record, seconds=0.0, incidents=()) for record in records), key=lambda record: record.place)


def crashing(folder: Path) -> str:
    path = folder / "crashes"
    path.write_text("#!/bin/sh\necho oh dear >&2\nexit 3\n")
    path.chmod(0o755)
    return str(path)


def test_matches_are_played_and_told_with_their_keys(host: Host) -> None:
    wanted = [match(host, "advance-level-4", "advance-level-4", seed=seed) for seed in (1, 2)]
    played = in_order(host.play(wanted, workers=2))
    assert [record.key for record in played] == host.keys(wanted)
    assert len(set(host.keys(wanted))) == 2
    assert in_order(host.play(wanted[:1])) == played[:1]
    assert list(host.play([])) == []


def test_what_a_schedule_has_started_serves_the_next_one(host: Host, tmp_path: Path, zygotes: list[Zygote]) -> None:
    wanted = [match(host, "advance-level-4", crashing(tmp_path), seed=seed) for seed in (1, 2)]
    cores = os.sched_getaffinity(0)

    def play() -> list[tuple[int, int]]:
        return [(record.seed, record.winner) for record in host.play(wanted, workers=1)]

    assert play() == play() == [(1, 1), (2, 1)]
    assert len(zygotes) == 1
    host.close()
    assert not zygotes[0].is_alive
    assert os.sched_getaffinity(0) == cores
    # Another one meanwhile has all that it needs for itself, and what was broken off leaves nothing.
    with closing(host.play(wanted, workers=1)) as broken_off:
        assert next(broken_off).seed == 1
        assert play() == [(1, 1), (2, 1)]
        assert len(zygotes) == 3
    assert [zygote.is_alive for zygote in zygotes] == [False, False, True]


def test_as_many_workers_as_are_asked_for_play(host: Host) -> None:
    wanted = [match(host, "advance-level-4", "advance-level-4", seed=seed) for seed in (1, 2, 3)]
    assert isinstance(host, GuardHost)
    pids: list[set[int]] = []
    for workers in (2, 2, 3, 1):
        assert len(list(host.play(wanted, workers=workers))) == 3
        (executor,) = host._executors.values()
        pids.append({worker.process.pid for worker in getattr(executor, "_workers", {}).values()})
    assert [len(each) for each in pids] == [2, 2, 3, 0]
    assert pids[0] == pids[1]
    assert not pids[1] & pids[2]


def test_a_fault_loses_whatever_the_host_knows_of_it(host: Host, tmp_path: Path) -> None:
    wanted = match(host, "advance-level-4", crashing(tmp_path))
    (record,) = host.play([wanted])
    (fault,) = record.faults
    assert (record.winner, fault.seat, fault.termination) == (1, 2, Termination.CRASH)
    assert record.accounts[1].output == b"oh dear\n"
    assert len(record.accounts) == 2
    assert not record.is_void


def test_limits_are_part_of_the_key(host: Host, tmp_path: Path) -> None:
    wanted = [match(host, crashing(tmp_path), "advance-level-4")]
    assert host.keys(wanted) != host.keys(wanted, {"move_seconds": 7.0})
    with pytest.raises(UserError, match="move_second"):
        host.keys(wanted, {"move_second": 7.0})


def test_a_player_that_there_is_not(host: Host) -> None:
    with pytest.raises(UserError, match="advance-level-9"):
        host.find_player("advance-level-9", "advance")


def test_a_map_that_cannot_be_read(host: Host) -> None:
    with pytest.raises(UserError, match="wrong number of characters"):
        list(host.play([match(host, "advance-level-4", "advance-level-4", data=b"...")]))


def test_submissions_are_found_as_in_the_registry(host: Host, tmp_path: Path) -> None:
    crashing(tmp_path)
    ((label, reference),) = host.find_submissions(str(tmp_path), "advance").players
    assert (label, reference.game) == (f"{tmp_path.name}/crashes", "advance")


class Mirror(TurnPort[AdvancePosition, Turn]):
    """A seat that a command holds itself: answers like an algorithm, and can fail like one."""

    def __init__(self, side: int) -> None:
        self.own = OwnPlayer("6", side + 1)
        self.fails_at = -1
        self.error: BaseException | None = None

    def start(self, position: AdvancePosition) -> None:
        self.own.start(position)

    def choose(self, position: AdvancePosition) -> Turn:
        if position.ply == self.fails_at and self.error is not None:
            raise self.error
        return self.own.choose(position)


def test_a_caller_can_hold_seats_itself(host: Host) -> None:
    usual = match(host, "advance-level-6", "advance-level-6", seed=3)
    mixed = replace(usual, players=(own_player("mine", "advance"), usual.players[1]))
    (expected,) = host.play([usual], workers=1)
    recorder = ReplayRecorder("advance")
    record = host.play_with(mixed, {1: Mirror(0)}, recorder)
    assert (record.claim, record.seed, record.teams) == (expected.claim, 3, ("mine", "advance-level-6"))
    assert len(recorder.replay.frames) == record.claim.rounds > 2
    failing = Mirror(0)
    failing.fails_at, failing.error = 2, PortFailure(Termination.ILLEGAL_MOVE, "gave up")
    record = host.play_with(mixed, {1: failing}, ReplayRecorder("advance"))
    assert [(fault.seat, fault.message) for fault in record.faults] == [(1, "gave up")]
    assert record.winner == 2
    failing.error = LookupError("not the team's fault")
    record = host.play_with(replace(mixed, seed=4), {1: failing}, ReplayRecorder("advance"))
    assert [(fault.seat, fault.termination) for fault in record.faults] == [(0, Termination.CRASH)]


def test_what_a_match_needs_is_found_by_name(host: Host, tmp_path: Path) -> None:
    assert host.find_game("filler").name == "filler"
    assert host.find_manager("", "filler") == "filler"
    assert host.find_manager("filler-42", "filler") == "filler-42"
    assert (host.find_map("", "advance").name, host.find_map("", "advance").seats) == ("advance-start", 2)
    (tmp_path / "own.txt").write_bytes(MAP)
    found = host.find_map(str(tmp_path / "own.txt"), "advance")
    assert (found.name, found.data, found.seats) == ("own", MAP, 0)
    with pytest.raises(UserError, match=r"^name a map of filler: close-quarters, "):
        host.find_map("", "filler")


def test_a_plain_host_plays_no_matches() -> None:
    with PlainHost() as plain:
        for ask in (
            lambda: plain.find_player("x", "advance"),
            lambda: plain.find_submissions("x", "advance"),
            lambda: plain.take_in("x", "advance", Path("folder")),
            lambda: plain.keys([]),
            lambda: plain.play([]),
            lambda: plain.find_game("advance"),
            lambda: plain.find_manager("", "advance"),
            lambda: plain.find_map("", "advance"),
            lambda: plain.play_with(HostMatch(game="", manager="", map_name="", map_data=b"", players=()), {}, NullRecorder()),
        ):
            with pytest.raises(UserError, match="simulator, which is not installed"):
                ask()
