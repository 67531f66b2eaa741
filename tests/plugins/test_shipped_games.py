"""The games of the project have all properties that tiltyard checks of any game."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.plugins.advance.boards import sparse

from tiltyard_advance.board_files import write_board_file
from tiltyard_engine import MapFile
from tiltyard_engine.host import Host
from tiltyard_engine.registry import Registry, Selection
from tiltyard_kit.game_check.bench.parts import GameParts, parts_in, parts_of
from tiltyard_kit.testing import Mark, check_game

pytest_plugins = ["tiltyard_kit.testing"]

HIDES_NOTHING = {"hidden values"}
NO_TRUNCATION = {"truncation"}
TANKS = {"positions", "answers", "illegal answers", "guesses"}
"""Whose types the engine has, and whose rules show all to all."""
FEW_PIECES = MapFile("few", "advance", write_board_file(sparse("Ga9", "gi1", "Ze5", "me3", "Zb2", "zh8")), 2)


def with_teams(game: str, *teams: str) -> GameParts:
    """The game with some of its algorithms. All are tried where other answers are needed, and strong ones search for seconds."""
    parts = parts_of(game)
    return replace(parts, teams=tuple(map(parts.team, teams)))


def not_passed(game: str | GameParts, host: Host, *players: str, game_map: str | MapFile = "") -> set[str]:
    """The properties that do not apply; that of the sandbox depends on the machine."""
    outcomes = check_game(game, players=players, map=game_map, host=host)
    return {outcome.name for outcome in outcomes if outcome.mark is not Mark.PASSED and "sandbox" not in outcome.name}


def test_tanks(game_host: Host) -> None:
    assert not_passed("tanks", game_host, "bramble", "coyote") == HIDES_NOTHING | TANKS


def test_advance(game_host: Host) -> None:
    teams = [f"advance-level-{level}" for level in (4, 5, 6)]
    assert not_passed(with_teams("advance", *teams), game_host, *teams[:2], game_map=FEW_PIECES) == HIDES_NOTHING


def test_filler(game_host: Host) -> None:
    assert not_passed("filler", game_host, "nearest", "heat") == HIDES_NOTHING | NO_TRUNCATION


def test_penguins(game_host: Host) -> None:
    teams = ("penguins-greedy", "penguins-random")
    assert not_passed(with_teams("penguins", *teams), game_host, *teams) == HIDES_NOTHING | NO_TRUNCATION


def test_a_game_of_openspiel(game_host: Host) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: there is no wheel for this Python")
    # Where tests run, the plugin with its hundred games is blocked for all others.
    parts = parts_in(Registry.installed(Selection(only=frozenset(["openspiel"]))), "openspiel/kuhn_poker")
    outcomes = check_game(parts, host=game_host)
    assert {outcome.name for outcome in outcomes if outcome.mark is Mark.PASSED} >= {"same seed", "illegal answers", "truncation"}
