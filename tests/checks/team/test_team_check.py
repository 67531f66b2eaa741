from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conftest import map_text
from tests.made_specs import made_spec, spec_with
from tests.simulator.guard.conftest import HEAD

from tiltyard_checks.team.steps import Step, StepMark
from tiltyard_checks.team.team_check import Subject, check
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator.guard.cells.messages import ENCODER, WatchInfos
from tiltyard_simulator.guard.cells.team_client import TeamClient
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import Arena

SOURCE = MapSource("duel", map_text(("            ", " 1  1 #   2 2", "            "), 12, 5).encode())
OPENING = ["loads", "tanks", "answers", "limits"]

TEAMS = """
import os, time

class Asking(Tank):
    def get_action(self):
        self.rounds += 1
        return ActionRequest.GET_BATTLE_INFO if self.rounds % 3 == 1 else self.misbehave()

class Keeping(Asking):
    def update_battle_info(self, info):
        self.last = info

class Copying(Asking):
    def update_battle_info(self, info):
        self.last = vars(info)

class Chancy(Asking):
    def misbehave(self):
        return ActionRequest(2 + os.urandom(1)[0] % 4)

class Addressed(Asking):
    "Goes by where in memory it lies."
    def misbehave(self):
        return ActionRequest(2 + (id(self) >> (12 + self.rounds % 24)) % 4)

class Slow(Asking):
    def misbehave(self):
        until = time.process_time() + 0.08
        while self.rounds == 2 and time.process_time() < until:
            pass
        return ActionRequest.DO_NOTHING

class Endless(Asking):
    def misbehave(self):
        while True:
            pass

class Late(Tank):
    "Crashes as player 2 in its second match only if it meets somebody who shoots: after some rounds."
    def get_action(self):
        self.rounds += 1
        if self.rounds == 2:
            print("about to fail")
            raise LookupError("second round")
        return ActionRequest.SHOOT

class Threaded(Tank):
    def get_action(self):
        import threading
        threading.Thread(target=print).start()

class Parsing(Tank):
    def get_action(self):
        import json
        return json.loads("{")

class NoTank(Tank):
    def __init__(self, player_index, tank_index):
        raise OSError("no tank")

class NoPlayer(Commander):
    def __init__(self, *arguments):
        raise OSError("no player")

@hookimpl
def algorithms():
    for kind in (Asking, Keeping, Copying, Chancy, Addressed, Slow, Endless, Late, Threaded, Parsing, NoTank):
        yield team(kind.__name__.lower(), tank=kind)
    yield team("noplayer", player=NoPlayer)
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Reference]:
    path = tmp_path_factory.mktemp("teams") / "checked.py"
    path.write_text(HEAD + TEAMS)
    return {entry.name: entry.reference for entry in Registry.from_paths([path]).all(ALGORITHM)}


@pytest.fixture
def subject(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> Subject:
    mirror = made_spec(game=tanks, manager=reference_manager, map=SOURCE, teams=(teams["idler"],) * 2)
    return Subject(mirror=spec_with(mirror, isolations=(Isolation.PROCESS,) * 2))


Steps = Callable[..., dict[str, Step]]


@pytest.fixture(scope="module")
def arenas() -> Iterator[tuple[Arena, Arena]]:
    """As for who checks many teams."""
    with Arena() as one, Arena() as other:
        yield one, other


@pytest.fixture
def steps(arenas: tuple[Arena, Arena]) -> Steps:
    """``steps(subject, team)``: those of a check, by name; further arguments change its matches."""

    def checked(subject: Subject, team: Reference | None = None, **changes: Any) -> dict[str, Step]:
        mirror = spec_with(subject.mirror, teams=(team or subject.team,) * 2, **changes)
        return {step.name: step for step in check(replace(subject, mirror=mirror), arenas)}

    return checked


def marks(found: Mapping[str, Step]) -> dict[str, StepMark]:
    return {name: step.mark for name, step in found.items()}


def test_a_sound_team(steps: Steps, subject: Subject, written: Mapping[str, Reference], registry: Registry) -> None:
    sample = registry.find(ALGORITHM, "acorn").reference
    found = steps(replace(subject, samples=(sample,)), written["copying"], isolations=(Isolation.SANDBOX,) * 2)
    names = [*OPENING, "deterministic", "BattleInfo", "acorn", "start-up time", "time a move", "match time", "memory"]
    assert marks(found) == dict.fromkeys(names, StepMark.OK)
    assert found["tanks"].detail == "2 created"
    assert found["answers"].detail.endswith(" questions in 12 rounds against itself on duel")
    assert "; sandboxed (level " in found["loads"].detail
    assert re.fullmatch(r"given out \d+ times, and never kept", found["BattleInfo"].detail)
    assert " as player 1 (" in found["acorn"].detail
    assert " as player 2 (" in found["acorn"].detail
    assert found["time a move"].numbers["calls"] > 50


def test_a_team_that_keeps_its_info(steps: Steps, subject: Subject, written: Mapping[str, Reference]) -> None:
    found = steps(subject, written["keeping"])
    assert {name for name, mark in marks(found).items() if mark is not StepMark.OK} == {"BattleInfo"}
    step = found["BattleInfo"]
    assert step.mark is StepMark.FAILED
    assert step.detail.endswith("tank 0 keeps its BattleInfo after update_battle_info returned: self.last")
    assert "copy what the tank needs" in step.advice


def test_a_team_that_never_asks(steps: Steps, subject: Subject) -> None:
    assert steps(subject)["BattleInfo"].detail == "no tank asked for it in this match"


@pytest.mark.parametrize("name", ["chancy", "addressed"])
def test_chance(steps: Steps, subject: Subject, written: Mapping[str, Reference], name: str) -> None:
    long = MapSource("duel", map_text(("            ", " 1  1 #   2 2", "            "), 60, 5).encode())
    found = steps(subject, written[name], map=long)
    assert found["deterministic"].mark is StepMark.FAILED
    assert found["deterministic"].detail.startswith("the same match played again differs from round ")
    assert "tank " in found["deterministic"].detail
    assert found["deterministic"].difference is not None


def test_each_match_is_played_so_often(arenas: tuple[Arena, Arena], subject: Subject, written: Mapping[str, Reference]) -> None:
    def steps_of(subject: Subject, times: int) -> dict[str, Step]:
        return {step.name: step for step in check(subject, arenas, times)}

    by_chance = replace(subject, samples=(written["copying"], written["chancy"]))
    found = steps_of(by_chance, 4)
    assert found["deterministic"].detail == "played 4 times: the same requests, views and replay, byte for byte"
    assert found["copying"].detail.endswith(" rounds, the same 4 times)")
    # Whoever is checked can't help what the other team does.
    assert found["chancy"].mark is StepMark.WARNING
    told = r"as player 1: the same match played again differs from round \d+ on, because of chancy: tank "
    assert re.match(told, found["chancy"].detail)
    met = replace(subject, samples=(written["copying"],))
    alone, once, often = (
        steps_of(matches, times)["time a move"].numbers["calls"] for matches, times in ((subject, 1), (met, 1), (met, 4))
    )
    # Against itself it plays twice in any case.
    assert often == 4 * (once - alone) + 2 * alone


@pytest.mark.parametrize(
    ("name", "step", "detail"),
    [
        ("noplayer", "loads", "crash: creating the Player raised OSError: no player"),
        ("notank", "tanks", "crash: creating tank 0 raised OSError: no tank"),
        ("late", "answers", "crash (round 2): get_action raised LookupError: second round"),
    ],
)
def test_what_fails_first(
    steps: Steps, subject: Subject, written: Mapping[str, Reference], name: str, step: str, detail: str
) -> None:
    found = steps(replace(subject, samples=(subject.team,)), written[name])
    place = OPENING.index(step)
    assert [found[each].mark for each in OPENING] == [StepMark.OK] * place + [StepMark.FAILED] + [StepMark.SKIPPED] * (3 - place)
    assert {found[each].mark for each in ("deterministic", "BattleInfo", "idler")} == {StepMark.SKIPPED}
    failed = found[step]
    assert failed.detail == detail
    assert "Error" in failed.traceback
    assert failed.output == (b"about to fail\n" if name == "late" else b"")
    assert failed.match is not None
    assert failed.match[1].outcome.faults


def test_a_team_that_the_limit_of_processes_stops(steps: Steps, subject: Subject, written: Mapping[str, Reference]) -> None:
    found = steps(subject, written["threaded"], isolations=(Isolation.SANDBOX,) * 2)
    told = "\n".join(map(str, found.values()))
    assert "--limit processes=N allows more" in told
    assert "start no threads or processes, or ask the organiser for a higher limit" in told
    assert "crash the interpreter" not in told


def test_the_place_is_in_the_teams_own_code(steps: Steps, subject: Subject, written: Mapping[str, Reference]) -> None:
    found = steps(subject, written["parsing"])["answers"]
    assert "decoder.py" in found.traceback
    line = 1 + Path(written["parsing"].source.value).read_text().splitlines().index('        return json.loads("{")')
    assert found.advice == f"the team's code failed in checked.py, line {line}; the frames after it are a library's"


def test_limits(steps: Steps, subject: Subject, written: Mapping[str, Reference]) -> None:
    limits = (Limits(move_seconds=0.12),) * 2
    endless = steps(subject, written["endless"], limits=limits)
    assert (endless["answers"].mark, endless["limits"].mark, endless["time a move"].mark) == (
        StepMark.OK,
        StepMark.FAILED,
        StepMark.FAILED,
    )
    assert endless["limits"].detail.startswith("timeout (round 2): get_action used 0.")
    assert "debug" in endless["limits"].advice
    slow = steps(subject, written["slow"], limits=limits)
    assert (slow["limits"].mark, slow["time a move"].mark) == (StepMark.OK, StepMark.WARNING)


def test_a_fault_against_a_sample(
    steps: Steps, subject: Subject, teams: Mapping[str, Reference], written: Mapping[str, Reference]
) -> None:
    found = steps(replace(subject, samples=(teams["crasher"],)))
    assert found["crasher"].mark is StepMark.WARNING
    assert "crasher itself failed: crash" in found["crasher"].detail
    assert "won as player 1" in found["crasher"].detail


def test_a_manager_that_fails(steps: Steps, subject: Subject, managers: Mapping[str, Reference]) -> None:
    found = steps(subject, manager=managers["late-crash"])
    assert found["answers"].mark is StepMark.FAILED or found["loads"].mark is StepMark.FAILED
    failed = next(step for step in found.values() if step.mark is StepMark.FAILED)
    assert failed.detail.startswith("the GameManager late-crash: crash")
    assert "the team didn't cause this" in failed.advice


def test_inline(steps: Steps, subject: Subject, written: Mapping[str, Reference]) -> None:
    found = steps(subject, written["keeping"], isolations=(Isolation.INLINE,) * 2)
    assert marks(found) == {
        **dict.fromkeys(OPENING, StepMark.OK),
        "deterministic": StepMark.OK,
        "BattleInfo": StepMark.SKIPPED,
        "times": StepMark.SKIPPED,
    }


def test_games_by_turns(steps: Steps, nim: Mapping[str, Reference]) -> None:
    mirror = made_spec(
        game=nim["nim"],
        manager=nim["referee"],
        map=MapSource("heap", b"21"),
        teams=(nim["perfect"],) * 2,
        isolations=(Isolation.PROCESS,) * 2,
    )
    subject = Subject(mirror=mirror, samples=(nim["slow"],), sample_isolation=Isolation.PROCESS)
    found = steps(subject)
    names = [
        "loads",
        "starts",
        "answers",
        "limits",
        "deterministic",
        "slow",
        "start-up time",
        "time a move",
        "match time",
        "memory",
    ]
    assert marks(found) == dict.fromkeys(names, StepMark.OK)
    assert found["slow"].detail.startswith("won as player 1 (")
    chancy = steps(subject, nim["chancy"])
    assert chancy["deterministic"].mark is StepMark.FAILED
    crasher = steps(subject, nim["crasher"])
    assert crasher["answers"].detail == "crash (round 3): choose raised ValueError: boom"
    assert crasher["answers"].output == b"this is turn 1\nthis is turn 2\nthis is turn 3\n"
    cheat = steps(subject, nim["cheat"])
    assert cheat["answers"].detail.startswith("illegal move (round 1): takes 4 of 21 sticks")
    assert cheat["answers"].advice == "the rules of the game forbid this move"


def test_a_team_is_asked_the_same_bytes_in_a_check_and_in_a_game(
    steps: Steps, subject: Subject, written: Mapping[str, Reference], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it could behave in checks alone."""
    asked: dict[TeamClient, list[bytes]] = {}
    exchange = TeamClient.exchange

    def noted(cell: TeamClient, request: msgspec.Struct, seconds: float, doing: str) -> bytes:
        answer = exchange(cell, request, seconds, doing)
        if type(request) is WatchInfos:
            # Nothing of the team is there yet.
            assert cell not in asked
            assert not cell.process.import_seconds
        else:
            asked.setdefault(cell, []).append(ENCODER.encode(request))
        return answer

    monkeypatch.setattr(TeamClient, "exchange", noted)
    team = written["copying"]
    mirror = spec_with(subject.mirror, teams=(team, team), isolations=(Isolation.SANDBOX,) * 2)
    with Arena() as arena:
        arena.play(mirror)
    in_game = list(asked.values())
    asked.clear()
    assert marks(steps(subject, team, isolations=mirror.holding.isolations))["BattleInfo"] is StepMark.OK
    # The first match, again, and once more to look for a BattleInfo that is kept.
    assert len(in_game) == 2
    assert list(asked.values()) == in_game * 3
