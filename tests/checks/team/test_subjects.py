from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.conftest import WriteMap

from tiltyard_checks.team.steps import StepMark
from tiltyard_checks.team.subjects import CheckOptions, find_team, own_frames, subject
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference, Registry
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

PROCESS = IsolationPolicy(Isolation.PROCESS)


def test_a_team_that_is_there(registry: Registry, programs: Path) -> None:
    team, step = find_team(CheckOptions("acorn"), Finder(registry))
    assert team is not None
    assert (step.mark, step.detail) == (StepMark.OK, f"'acorn' for tanks, from acorn (tiltyard-acorn {version('tiltyard-acorn')})")
    team, step = find_team(CheckOptions(f"{programs}/teams/sound.py:idler"), Finder(registry))
    assert team is not None
    assert step.detail == f"'idler' for tanks, from {programs}/teams/sound.py"


def test_a_team_that_cannot_be_used_is_a_failed_step(registry: Registry, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def below():\n    return 1 / 0\n\n\nbelow()\n")
    team, step = find_team(CheckOptions(str(path)), Finder(registry))
    assert (team, step.mark) == (None, StepMark.FAILED)
    assert "cannot be imported: ZeroDivisionError: division by zero (broken.py, line 2)" in step.detail
    lines = step.traceback.splitlines()
    assert lines[:2] == ["Traceback (most recent call last):", f'  File "{path}", line 5, in <module>']
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert find_team(CheckOptions(f"{path}:x"), Finder(registry))[1].mark is StepMark.FAILED
    path.write_text("")
    other = tmp_path / "empty.py"
    other.write_text("x = 1\n")
    assert "contributes nothing" in find_team(CheckOptions(str(other)), Finder(registry))[1].detail


@pytest.mark.parametrize(
    ("text", "message"),
    [("nobody", "no algorithm is called 'nobody'"), ("no/such.py", "no such file"), ("reference", "no algorithm is called")],
)
def test_nothing_to_check_is_a_users_mistake(registry: Registry, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        find_team(CheckOptions(text), Finder(registry))


def test_several_teams_in_one_file(registry: Registry, programs: Path) -> None:
    with pytest.raises(UserError, match="contains several"):
        find_team(CheckOptions(f"{programs}/teams/sound.py"), Finder(registry))


def test_what_it_is_checked_in(registry: Registry, teams: Mapping[str, Reference]) -> None:
    chosen = subject(teams["idler"], CheckOptions("", isolation_policy=PROCESS), Finder(registry))
    assert (chosen.mirror.input.manager.name, chosen.mirror.input.map.name, len(chosen.mirror.input.teams)) == (
        "reference",
        "open-field",
        2,
    )
    assert [sample.name for sample in chosen.samples] == ["acorn", "bramble", "coyote", "dragoon"]
    assert (chosen.isolation, chosen.sample_isolation) == (Isolation.PROCESS, Isolation.INLINE)
    (acorn, *others) = chosen.samples
    assert list(subject(acorn, CheckOptions("", isolation_policy=PROCESS), Finder(registry)).samples) == others


def test_a_strangers_manager_is_held_as_one(registry: Registry, teams: Mapping[str, Reference], programs: Path) -> None:
    strangers = CheckOptions("", manager=f"{programs}/managers/faulty.py:exit", isolation_policy=IsolationPolicy(unconfined=True))
    assert subject(teams["idler"], strangers, Finder(registry)).mirror.holding.manager_isolation is Isolation.SANDBOX
    own = subject(teams["idler"], CheckOptions("", isolation_policy=IsolationPolicy(unconfined=True)), Finder(registry))
    assert own.mirror.holding.manager_isolation is Isolation.INLINE


def test_what_is_wanted(registry: Registry, teams: Mapping[str, Reference], programs: Path, write_map: WriteMap) -> None:
    limits = LimitChanges({"move_seconds": 0.3}, {"idler": {"match_seconds": 7}})
    isolation_policy = IsolationPolicy(Isolation.PROCESS, limits)
    wanted = CheckOptions("", "sudden-end", str(write_map()), (f"{programs}/teams/sound.py:spinner", "acorn"), isolation_policy)
    chosen = subject(teams["idler"], wanted, Finder(registry))
    assert (chosen.mirror.input.manager.name, chosen.mirror.input.map.name, [sample.name for sample in chosen.samples]) == (
        "sudden-end",
        "duel",
        ["spinner", "acorn"],
    )
    assert (chosen.mirror.holding.limits_of(1).move_seconds, chosen.mirror.holding.limits_of(2).match_seconds) == (0.3, 7)
    assert chosen.sample_isolation is Isolation.PROCESS


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (CheckOptions("", game_map="nowhere", isolation_policy=PROCESS), "no map is called 'nowhere'"),
        (CheckOptions("", manager="refrence", isolation_policy=PROCESS), "did you mean reference"),
        (CheckOptions("", against=("nobody",), isolation_policy=PROCESS), "no algorithm is called 'nobody'"),
        (
            CheckOptions("", isolation_policy=IsolationPolicy(Isolation.PROCESS, LimitChanges({}, {"acorn": {"move_seconds": 1}}))),
            "no team in",
        ),
    ],
)
def test_mistakes(registry: Registry, teams: Mapping[str, Reference], wanted: CheckOptions, message: str) -> None:
    with pytest.raises(UserError, match=message):
        subject(teams["idler"], wanted, Finder(registry))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (CheckOptions("zzz", game_map="narrow-pass"), r"known: acorn, .*dragoon"),
        (CheckOptions("zzz", against=("voronoi",)), r"known: champion, greedy, heat, mcts, nearest, random, voronoi$"),
        (CheckOptions("acron", game="filler"), r"known: champion, greedy, heat, mcts, nearest, random, voronoi$"),
        (CheckOptions("acron"), r"did you mean acorn\?$"),
        # Nor is one that plays many games named once for each.
        (CheckOptions("zzz"), r"known: (?!.*mcts.*mcts).*; champion, heat, nearest, voronoi for filler; .*acorn, .* for tanks$"),
    ],
)
def test_only_names_of_the_right_game_are_offered(registry: Registry, options: CheckOptions, message: str) -> None:
    with pytest.raises(UserError, match="no algorithm is called " + repr(options.text) + "; " + message):
        find_team(options, Finder(registry))


def test_own_frames_of_nothing() -> None:
    assert own_frames("") == ""
    assert own_frames('Traceback:\n  File "x.py", line 1\n    x\nError: y') == 'Traceback:\n  File "x.py", line 1\n    x\nError: y'
