"""A policy as a team plays as it does in its environment, and in a sandbox as anywhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: there is no wheel for this Python")

import numpy as np
from tests.made_specs import made_spec

import tiltyard_gym
from tiltyard_engine.match import Match
from tiltyard_engine.records import TankTeam, TurnTeam
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.seat_kinds.tank_seats import InlineTankPort, PortTankSeat
from tiltyard_engine.seat_kinds.turn_seats import InlineTurnPort, PortTurnSeat
from tiltyard_filler import encoding as filler_encoding
from tiltyard_filler.manager import FillerGameManager
from tiltyard_filler.map_files import read_map as read_filler_map
from tiltyard_filler.positions import Placement
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import play_match
from tiltyard_tanks import encoding as tanks_encoding
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import player_arguments, read_map

WriteMap = Callable[..., Path]
FILLER = b".....\n.@...\n.....\n...$.\n.....\n"
FIVE_LINES = """\
import numpy as np
from tiltyard_engine import hookimpl
from tiltyard_gym import policy_team
from tiltyard_tanks.encoding import ENCODING

@hookimpl
def algorithms():
    yield policy_team("summing", "tanks", ENCODING, lambda observation, mask: int(observation.sum()) * 7 % int(mask.sum()))
"""


def summing(observation: Any, mask: Any) -> int:
    """Any legal action, as the numbers of the observation say."""
    legal = np.flatnonzero(mask)
    return int(legal[int(observation.sum()) * 7 % len(legal)])


def test_a_team_plays_turns_as_its_policy_does(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_bytes(FILLER)
    environment = tiltyard_gym.env("filler", str(tmp_path / "small.txt"), rewards="scores")
    environment.reset(seed=5)
    for agent in environment.agent_iter():
        observation, _, terminated, _, _ = environment.last()
        environment.step(None if terminated else summing(observation["observation"], observation["action_mask"]))
        if not environment.agents:
            assert agent in environment.possible_agents
    record = environment.unwrapped.record
    environment.close()
    team = tiltyard_gym.policy_team("summing", "filler", filler_encoding.ENCODING, summing)
    assert isinstance(team, TurnTeam)
    seats = [PortTurnSeat[Any, Any](seat, "summing", InlineTurnPort(seat, team, Placement)) for seat in (1, 2)]
    result = FillerGameManager().run(Match(map=read_filler_map("small", FILLER), map_name="small", seats=seats, seed=record.seed))
    assert (result.message, result.final_state) == (record.message, record.claim.final_state)


@pytest.fixture
def board(write_map: WriteMap) -> Path:
    return write_map("yard.txt", ["1 #  ", "    @", "  #  ", "@  2 "], steps=40)


def test_a_team_plays_tanks_as_its_policy_does(board: Path, tmp_path: Path, tanks: Any, reference_manager: Any) -> None:
    environment = tiltyard_gym.parallel_env(map=str(board))
    observations, _ = environment.reset(seed=1)
    while environment.agents:
        actions = {agent: summing(observations[agent], np.ones(9)) for agent in environment.agents}
        observations, *_ = environment.step(actions)
    record = environment.record
    environment.close()
    assert record is not None
    assert record.claim.rounds > 5
    team = tiltyard_gym.policy_team("summing", "tanks", tanks_encoding.ENCODING, summing)
    assert isinstance(team, TankTeam)
    start = read_map("yard", board.read_bytes(), 2)
    seats = [PortTankSeat(seat, "summing", InlineTankPort(seat, team, player_arguments(start))) for seat in (1, 2)]
    assert TanksGameManager().run(Match(map=start, map_name="yard", seats=seats)) == record.claim

    # The same as a file of five lines, in a sandbox.
    (tmp_path / "summing.py").write_text(FIVE_LINES)
    (entry,) = Registry.from_paths([tmp_path / "summing.py"]).all(ALGORITHM)
    spec = made_spec(
        game=tanks,
        manager=reference_manager,
        map=MapSource("yard", board.read_bytes()),
        teams=(entry.reference, entry.reference),
        isolations=(Isolation.SANDBOX, Isolation.SANDBOX),
    )
    confined = play_match(spec)
    assert confined.outcome.faults == ()
    assert confined.evidence.claim == record.claim


def test_a_team_needs_no_pettingzoo() -> None:
    code = "import sys, tiltyard_gym; tiltyard_gym.policy_team; print({'pettingzoo', 'gymnasium'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
