from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.engine.making import write

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import match_key
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.on_crash import OnCrash
from tiltyard_simulator.match.spec import MapSource, MatchSpec


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, tmp_path: Path) -> MatchSpec:
    source = Source(name="bot", origin=Origin.FILE, value=str(write(tmp_path / "bot.py", "x = 1\n")))
    teams = tuple(Reference(kind="algorithm", name=name, game="tanks", source=source) for name in ("ann", "bob"))
    return MatchSpec(game=tanks, manager=reference_manager, map=MapSource("duel", map_text(DUEL, 5, 5).encode()), algorithms=teams)


def test_the_key_depends_on_what_the_result_depends_on(spec: MatchSpec) -> None:
    one, two = spec.algorithms
    others = [
        replace(spec, seed=1),
        replace(spec, rounds=3),
        replace(spec, idle_on_fault=True),
        replace(spec, on_crash=OnCrash.IDLE),
        replace(spec, on_crash=OnCrash.VOID),
        replace(spec, algorithms=(two, one)),
        replace(spec, algorithms=(one, one)),
        replace(spec, map=replace(spec.map, name="other")),
        replace(spec, map=replace(spec.map, data=b"x")),
        replace(spec, isolations=(Isolation.INLINE, Isolation.SANDBOX)),
        replace(spec, limits=(Limits(), Limits(move_seconds=3.0))),
        replace(spec, manager_isolation=Isolation.SANDBOX),
        replace(spec, manager_isolation=Isolation.SANDBOX, manager_limits=Limits()),
    ]
    keys = [match_key(other) for other in [spec, *others]]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 32 for key in keys)


def test_the_key_does_not_depend_on_what_is_only_wanted_of_a_match(spec: MatchSpec) -> None:
    wanted = replace(spec, verbose=True, record=True, trace=True, measure=True)
    defaults = replace(spec, isolations=(Isolation.INLINE,) * 2, limits=(Limits(),) * 2, on_crash=OnCrash.FORFEIT)
    unused = replace(spec, manager_limits=Limits())
    assert {match_key(spec), match_key(unused), match_key(wanted), match_key(defaults)} == {match_key(spec)}


def digest(path: Path, origin: Origin) -> str:
    code_digest.cache_clear()
    return code_digest(Source(name="team", origin=origin, value=str(path), folder=str(path)))


def test_the_digest_of_a_folder_is_that_of_its_code(tmp_path: Path) -> None:
    team = tmp_path / "team"
    write(team / "__init__.py", "x = 1\n")
    write(team / "deep" / "brain.py", "y = 2\n")
    before = digest(team, Origin.PACKAGE)
    write(team / "__pycache__" / "brain.pyc", "whatever")
    write(team / ".git" / "index", "whatever")
    assert digest(team, Origin.PACKAGE) == before
    moved = shutil.copytree(team, tmp_path / "elsewhere" / "team")
    assert digest(moved, Origin.PACKAGE) == before
    write(team / "deep" / "brain.py", "y = 3\n")
    changed = digest(team, Origin.PACKAGE)
    (team / "deep" / "brain.py").rename(team / "deep" / "mind.py")
    assert len({before, changed, digest(team, Origin.PACKAGE)}) == 3


def test_every_file_of_an_installed_plugin_counts(tanks: Reference) -> None:
    assert len(code_digest(tanks.source)) == 32
    other = replace(tanks.source, distribution="tiltyard-acorn")
    assert code_digest(tanks.source) != code_digest(other)


def test_code_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        digest(write(tmp_path / "gone" / "bot.py", "x").parent / "none.py", Origin.FILE)
