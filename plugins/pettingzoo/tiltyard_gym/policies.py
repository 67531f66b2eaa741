"""A learned policy as a team: a function of an observation takes the place that an algorithm has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiltyard_engine.learning import TankEncoding, TankMemory, TurnEncoding
from tiltyard_engine.records import PlayerArguments, TankTeam, TurnTeam
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_gym.arrays import Array, array_of, mask_of
from tiltyard_gym.rules_encoding import RulesEncoding

Policy: TypeAlias = Callable[[Array, NDArray[np.int8]], int]
"""``policy(observation, action_mask)``: the number of an action, from the arrays that the game's environment shows its agents."""


def policy_team(
    name: str,
    game: str,
    encoding: TurnEncoding[Any, Any, Any] | TankEncoding[Any] | RulesEncoding,
    policy: Policy,
    description: str = "",
) -> TankTeam | TurnTeam:
    """A team that plays as ``policy`` says.

    Args:
        name: of the team.
        game: its name: ``tanks``.
        encoding: the game's, such as ``tiltyard_tanks.encoding.ENCODING``; for a game that states its rules and has none,
            ``RulesEncoding(rules, board, seats)``.
        policy: always asked with a legal action left; the rules judge what it answers.
        description: a line for people.
    """
    if isinstance(encoding, TurnEncoding | RulesEncoding):
        return TurnTeam(name, game, partial(PolicyPlayer, encoding, policy), description)
    return TankTeam(name, BriefingPlayer, partial(PolicyTank, encoding, partial(_decide, policy)), game, description)


class PolicyPlayer(TurnAlgorithm[Any, Any]):
    """Answers positions as a policy says."""

    def __init__(self, encoding: TurnEncoding[Any, Any, Any] | RulesEncoding, policy: Policy, seat: int) -> None:
        self._encoding = encoding.at(seat) if isinstance(encoding, RulesEncoding) else encoding
        self._policy = policy

    def choose(self, position: Any) -> Any:
        """The move that the policy chooses for a position."""
        observation = self._encoding.observe(position)
        return self._encoding.answer(position, int(self._policy(array_of(observation), mask_of(observation))))


def _decide(policy: Policy, tank: PolicyTank) -> int:
    assert tank.memory is not None
    observation = tank.memory.observe()
    return int(policy(array_of(observation), mask_of(observation)))


class Briefing(BattleInfo):
    """The whole board, and what the Player was told about the match: a tank isn't told that itself."""

    def __init__(self, rows: Sequence[str], arguments: PlayerArguments) -> None:
        self.rows = rows
        self.arguments = arguments


class BriefingPlayer(Player):
    """Shows its tanks all that it sees."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self._arguments = (x, y, max_steps, num_shells)

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Hand the whole board to the tank that asked."""
        width, height = self._arguments[:2]
        tank.update_battle_info(Briefing(satellite_view.get_rows(width, height), self._arguments))


class PolicyTank(TankAlgorithm):
    """Looks around first, which also tells it how large the board is; from then on does what is decided for it.

    Args:
        encoding: the game's.
        decide: called with the tank, which has a memory by then; returns the number of an action.
    """

    def __init__(
        self, encoding: TankEncoding[Any], decide: Callable[[PolicyTank], int], player_index: int, tank_index: int
    ) -> None:
        self.index = player_index, tank_index
        self.memory: TankMemory | None = None
        """None until it has seen the board."""
        self._encoding = encoding
        self._decide = decide
        self._rounds = 0

    def get_action(self) -> ActionRequest:
        """Look around first; then do what is decided for this round."""
        self._rounds += 1
        if self.memory is None:
            return ActionRequest.GET_BATTLE_INFO
        action = ActionRequest(self._decide(self))
        self.memory.acted(action)
        return action

    def update_battle_info(self, info: BattleInfo) -> None:
        """Remember the board, and on the first call make up for the rounds before it."""
        assert isinstance(info, Briefing)
        if self.memory is None:
            self.memory = self._encoding.memory(*self.index, info.arguments)
            for _ in range(self._rounds):
                self.memory.acted(ActionRequest.GET_BATTLE_INFO)
        self.memory.saw(info.rows)
