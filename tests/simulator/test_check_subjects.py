from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.conftest import WriteMap

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference, Registry
from tiltyard_simulator.check_steps import Mark
from tiltyard_simulator.check_subjects import Wanted, find, own_frames, subject
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import LimitChanges
from tiltyard_simulator.guard.trust import Holding

PROCESS = Holding(Isolation.PROCESS)


def test_a_team_that_is_there(registry: Registry, programs: Path) -> None:
    team, step = find(Wanted("acorn"), registry)
    assert team is not None
    assert (step.mark, step.detail) == (Mark.OK, "'acorn' for tanks, from acorn (tiltyard-acorn 0.1.0)")
    team, step = find(Wanted(f"{programs}/teams/sound.py:idler"), registry)
    assert team is not None
    assert step.detail == f"'idler' for tanks, from {programs}/teams/sound.py"


def test_a_team_that_cannot_be_used_is_a_failed_step(registry: Registry, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def below():\n    return 1 / 0\n\n\nbelow()\n")
    team, step = find(Wanted(str(path)), registry)
    assert (team, step.mark) == (None, Mark.FAILED)
    assert "cannot be imported: ZeroDivisionError: division by zero (broken.py, line 2)" in step.detail
    lines = step.traceback.splitlines()
    assert lines[:2] == ["Traceback (most recent call last):", f'  File "{path}", line 5, in <module>']
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert find(Wanted(f"{path}:x"), registry)[1].mark is Mark.FAILED
    path.write_text("")
    other = tmp_path / "empty.py"
    other.write_text("x = 1\n")
    assert "contributes nothing" in find(Wanted(str(other)), registry)[1].detail


@pytest.mark.parametrize(
    ("text", "message"),
    [("nobody", "no algorithm is called 'nobody'"), ("no/such.py", "no such file"), ("reference", "no algorithm is called")],
)
def test_nothing_to_check_is_a_users_mistake(registry: Registry, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        find(Wanted(text), registry)


def test_several_teams_in_one_file(registry: Registry, programs: Path) -> None:
    with pytest.raises(UserError, match="registers several"):
        find(Wanted(f"{programs}/teams/sound.py"), registry)


def test_what_it_is_checked_in(registry: Registry, teams: Mapping[str, Reference]) -> None:
    chosen = subject(teams["idler"], Wanted("", holding=PROCESS), registry)
    assert (chosen.manager.name, chosen.map.name, chosen.seats) == ("reference", "open-field", 2)
    assert [sample.name for sample in chosen.samples] == ["acorn", "bramble", "coyote", "dragoon"]
    assert (chosen.isolation, chosen.sample_isolation) == (Isolation.PROCESS, Isolation.INLINE)
    (acorn, *others) = chosen.samples
    assert list(subject(acorn, Wanted("", holding=PROCESS), registry).samples) == others


def test_a_strangers_manager_is_held_as_one(registry: Registry, teams: Mapping[str, Reference], programs: Path) -> None:
    strangers = Wanted("", manager=f"{programs}/managers/faulty.py:exit", holding=Holding(unconfined=True))
    assert subject(teams["idler"], strangers, registry).manager_isolation is Isolation.SANDBOX
    own = subject(teams["idler"], Wanted("", holding=Holding(unconfined=True)), registry)
    assert own.manager_isolation is Isolation.INLINE


def test_what_is_wanted(registry: Registry, teams: Mapping[str, Reference], programs: Path, write_map: WriteMap) -> None:
    limits = LimitChanges({"move_seconds": 0.3}, {"idler": {"match_seconds": 7}})
    holding = Holding(Isolation.PROCESS, limits)
    wanted = Wanted("", "sudden-end", str(write_map()), (f"{programs}/teams/sound.py:spinner", "acorn"), holding)
    chosen = subject(teams["idler"], wanted, registry)
    assert (chosen.manager.name, chosen.map.name, [sample.name for sample in chosen.samples]) == (
        "sudden-end",
        "duel",
        ["spinner", "acorn"],
    )
    assert (chosen.limits.move_seconds, chosen.limits.match_seconds) == (0.3, 7)
    assert chosen.sample_isolation is Isolation.PROCESS


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (Wanted("", game_map="nowhere", holding=PROCESS), "no map is called 'nowhere'"),
        (Wanted("", manager="refrence", holding=PROCESS), "did you mean reference"),
        (Wanted("", against=("nobody",), holding=PROCESS), "no algorithm is called 'nobody'"),
        (Wanted("", holding=Holding(Isolation.PROCESS, LimitChanges({}, {"acorn": {"move_seconds": 1}}))), "no team in"),
    ],
)
def test_mistakes(registry: Registry, teams: Mapping[str, Reference], wanted: Wanted, message: str) -> None:
    with pytest.raises(UserError, match=message):
        subject(teams["idler"], wanted, registry)


def test_own_frames_of_nothing() -> None:
    assert own_frames("") == ""
    assert own_frames('Traceback:\n  File "x.py", line 1\n    x\nError: y') == 'Traceback:\n  File "x.py", line 1\n    x\nError: y'
