"""OpenSpiel's games by the engine's contract for rules: those that hide something are played from what a player sees."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: there is no wheel for this Python")

from typer.testing import CliRunner

from tiltyard_engine.records import Game, Record, TurnTeam
from tiltyard_engine.registry import Registry, Selection
from tiltyard_engine.rules.derived import with_derived
from tiltyard_kit.game_check.bench.parts import parts_in
from tiltyard_kit.testing import check_game
from tiltyard_kit_commands.play_group import app
from tiltyard_openspiel import plugin

PROPERTIES = ["rules", "legal answers", "guesses", "answers in words"]


@pytest.mark.parametrize("name", ["kuhn_poker", "phantom_ttt", "connect_four", "matching_pennies_3p"])
def test_they_keep_the_contract(name: str) -> None:
    check_game(parts_in(Registry.installed(Selection(only=frozenset(["openspiel"]))), f"openspiel/{name}"), only=PROPERTIES)


def test_partners_look_ahead_where_nothing_is_hidden() -> None:
    records: list[Record] = [*plugin.games(), *plugin.game_managers(), *plugin.algorithms()]
    partners: dict[str, set[str]] = {}
    for team in with_derived(records):
        if isinstance(team, TurnTeam) and team.is_partner:
            partners.setdefault(team.game, set()).add(team.name)
    assert partners["openspiel/connect_four"] == {"random", "greedy", "mcts"}
    assert partners["openspiel/kuhn_poker"] == {"random"}
    assert len(partners) == sum(isinstance(record, Game) for record in records)


def test_a_game_with_hidden_cards_is_played_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILTYARD_BLOCK", "")
    result = CliRunner().invoke(app, ["openspiel/kuhn_poker", "--seed", "3"], input="moves\nhint\nbet\nbet\nbet\n")
    assert result.exit_code == 0, result.exception
    assert "Pass, Bet" in result.output
    assert "nobody can look ahead here" in result.output
    assert "you> bet\nrandom: " in result.output
    assert " won, " in result.output


def test_a_partner_draws_from_what_it_sees() -> None:
    rules = plugin.HIDING_RULES
    (kuhn,) = (game for game in plugin.games() if game.name == "openspiel/kuhn_poker")
    state = rules.start(kuhn.maps.read("default", b"{}", 2), 2, Random(1))
    view = rules.view(state, 1)
    assert rules.legal(rules.guess(view, 1, Random(1)), 1) == (0, 1)
    assert not rules.can_look_ahead
