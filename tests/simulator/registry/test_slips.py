"""What people mean who name a path or a GameManager that isn't there, or a file of a package, or one that can't be started."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.whatif.games import CONNECT_FOUR, match_of

from tiltyard_checks.team.subjects import package_around
from tiltyard_engine.errors import UserError
from tiltyard_engine.errors.named_paths import near_path
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator.registry.finder import Finder


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("maps/duel.txt", "thunder/pyproject.toml", "thunder/thunder/__init__.py", "thunder/thunder/tank.py"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("maps/duels.txt", "maps/duel.txt"),
        ("mapss/duel.txt", "maps/duel.txt"),
        ("mapss", "maps"),
        ("thundr/thunder/tank.py", "thunder/thunder/tank.py"),
        ("thunder/thundr", "thunder/thunder"),
        ("mapss/other.txt", ""),
        ("maps/fortress.txt", ""),
        ("maps/duel.txt", ""),
        ("maps/duel.txt/x", ""),
    ],
)
def test_a_path_that_leads_nowhere_may_be_a_slip(here: Path, name: str, near: str) -> None:
    assert near_path(Path(name)) == (near and f"; did you mean {near}?")
    assert near_path(here / name) == (near and f"; did you mean {here / near}?")


def test_it_is_said_wherever_a_map_or_a_team_is_named(registry: Registry) -> None:
    finder = Finder(registry)
    meant = r"; did you mean (maps|maps/duel\.txt|thunder)\?"
    for look in (
        lambda: finder.map("maps/duels.txt"),
        lambda: finder.map("mapss"),
        lambda: finder.maps(["maps/duels.txt"], registry.game("tanks"), 2),
        lambda: finder.plugin("./thundr", ALGORITHM, "tanks"),
        lambda: finder.plugin("thundr", ALGORITHM, "tanks"),
        lambda: finder.plugins("./thundr", ALGORITHM, "tanks"),
        lambda: finder.teams("thundr", "tanks"),
        lambda: finder.match(["acorn", "./thundr"], "back-yard"),
        lambda: finder.match(["./thundr", "./thundr"], "maps/duels.txt"),
    ):
        with pytest.raises(UserError) as caught:
            look()
        assert re.search(meant, str(caught.value)), caught.value


def test_a_file_of_a_package_stands_for_no_team(registry: Registry) -> None:
    assert package_around(Path("thunder/thunder/tank.py")) == Path("thunder")
    assert package_around(Path("thunder/thunder/__init__.py")) is None
    assert package_around(Path("maps/duel.txt")) is None
    Path("thunder/pyproject.toml").unlink()
    assert package_around(Path("thunder/thunder/tank.py")) == Path("thunder/thunder")
    with pytest.raises(UserError, match=r"; it is a part of a package: name its folder, thunder/thunder$"):
        Finder(registry).plugin("thunder/thunder/tank.py", ALGORITHM, "tanks")


def test_a_program_that_is_not_executable(registry: Registry) -> None:
    for name, head in (("script", b"#!/bin/sh\n"), ("binary", b"\x7fELF")):
        Path(name).write_bytes(head)
        with pytest.raises(UserError, match=f"; to play this program, run 'chmod \\+x {name}'"):
            Finder(registry).plugin(f"./{name}", ALGORITHM, "tanks")
    with pytest.raises(UserError) as caught:
        Finder(registry).plugin("maps/duel.txt", ALGORITHM, "tanks")
    assert "chmod" not in str(caught.value)


def test_game_managers_of_other_games_are_not_offered(registry: Registry) -> None:
    finder = Finder(registry)
    for algorithms, maps in ((["acorn", "bramble"], []), ([], ["back-yard"])):
        with pytest.raises(UserError, match=r"^no game manager is called 'our'; known: GM_.*, zero-shells-all$") as caught:
            finder.referee(manager="our", algorithms=algorithms, maps=maps)
        assert "penguins" not in str(caught.value)
    with pytest.raises(UserError, match=r"advance for advance; .* for tanks$"):
        finder.referee(manager="our")


@pytest.mark.parametrize(
    ("name", "hint"), [("greedyy", r"did you mean greedy\?"), ("someone", "known: four-careful, four-random, greedy, mcts, random")]
)
def test_sparring_partners_may_be_meant_too(name: str, hint: str) -> None:
    with pytest.raises(UserError, match=f"no algorithm is called '{name}'; {hint}"):
        match_of("connect-four", [name, "four-careful"], "standard", CONNECT_FOUR)
