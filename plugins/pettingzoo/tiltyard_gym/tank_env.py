"""Tanks as an environment: every tank is an agent, and all act at once."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from tiltyard_engine.errors import UserError
from tiltyard_engine.learning import TankEncoding
from tiltyard_engine.match_record import PlayedMatch
from tiltyard_engine.records import TankInterface, TankTeam
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.tank_seats import InlineTankPort
from tiltyard_gym.arrays import Array, array_of
from tiltyard_gym.board import BoardRecorder
from tiltyard_gym.match_thread import MatchEnd, MatchThread
from tiltyard_gym.policies import BriefingPlayer, PolicyTank
from tiltyard_gym.seating import Seating
from tiltyard_gym.turn_env import render

TankIndex = tuple[int, int]
"""Player from 1, and the tank's index within the player from 0."""


class _AgentTanks:
    """The tanks of all agents, and what they are to do in this round."""

    def __init__(self, thread: MatchThread) -> None:
        self.tanks: dict[TankIndex, PolicyTank] = {}
        self.actions: dict[TankIndex, int] = {}
        self._thread = thread

    def create(self, encoding: TankEncoding[Any], player_index: int, tank_index: int) -> PolicyTank:
        """Make a tank that waits for its agent's action in each round."""
        tank = PolicyTank(encoding, self.decide, player_index, tank_index)
        self.tanks[player_index, tank_index] = tank
        return tank

    def decide(self, tank: PolicyTank) -> int:
        """Called in the match: the action of this round. The first tank that is asked in a round waits for those of all."""
        if tank.index not in self.actions:
            self.actions = self._thread.ask(None)
        return self.actions.pop(tank.index)


class TankEnv(ParallelEnv):  # type: ignore[misc]  # PettingZoo is not typed
    """A battle. Agents are ``player_1_tank_0`` and so on: the player's seat, and the tank's index from 0 within the player.

    In the first round every tank looks around; agents decide from the second one on. From then on an agent knows only what its tank
    knows: to see the board again it has to choose GET_BATTLE_INFO, as in every match. A tank may ask for anything, so there are no
    masks: what isn't possible does nothing. At the end ``infos`` holds each agent's ``rank``, the ``message`` of the match, and the
    ``fault`` if its seat had one.
    """

    def __init__(self, seating: Seating) -> None:
        if not isinstance(seating.game.encoding, TankEncoding) or not isinstance(seating.game.interface, TankInterface):
            raise UserError(f"players of {seating.game.name} don't act at once: use tiltyard_gym.env for it")
        self._seating = seating
        self._encoding = seating.game.encoding
        self._interface = seating.game.interface
        self.metadata = seating.metadata
        self.render_mode = seating.render_mode
        self._owners = list(seating.game.encoding.owners(seating.board))
        self._indexes: dict[str, TankIndex] = {}
        """By agent."""
        self._places: dict[str, int] = {}
        """By agent, its tank's place in a frame's actions."""
        created = [0] * (seating.players + 1)
        for place, owner in enumerate(self._owners):
            if owner in seating.agents:
                agent = f"player_{owner}_tank_{created[owner]}"
                self._indexes[agent], self._places[agent] = (owner, created[owner]), place
            created[owner] += 1
        self.possible_agents = sorted(self._indexes, key=self._indexes.__getitem__)
        self.observation_spaces = dict.fromkeys(self.possible_agents, seating.box)
        self.action_spaces = {agent: spaces.Discrete(seating.actions) for agent in self.possible_agents}
        self._agent_tanks = _AgentTanks(seating.thread)
        self._recorder = BoardRecorder()
        self._scores: tuple[float, ...] = ()
        self.record: PlayedMatch | None = None
        """The record of the last match that was played to its end."""
        self._blank = np.zeros(seating.box.shape, np.uint8)
        self.agents: list[str] = []
        weakref.finalize(self, seating.thread.stop)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's space, which is the same object each time: what is drawn from it depends on its seed."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's space, which is the same object each time: what is drawn from it depends on its seed."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, dict[str, Any]]]:
        """Begin another match. After one with a seed, those without one are determined by it too."""
        self._agent_tanks, self._recorder = _AgentTanks(self._seating.thread), BoardRecorder()
        self._scores = ()
        self.agents = self.possible_agents[:]
        ports = {seat: self._port(seat) for seat in self._seating.agents}
        event = self._seating.begin(seed, ports, self._recorder)
        if isinstance(event, MatchEnd):
            raise UserError(f"the match was over before any agent was asked: {event.record.message}")
        self._scores = self._recorder.scores
        return {agent: self._observation(agent) for agent in self.agents}, {agent: {} for agent in self.agents}

    def _port(self, seat: int) -> InlineTankPort:
        tank = partial(self._agent_tanks.create, self._encoding)
        team = TankTeam(f"agent {seat}", BriefingPlayer, tank, self._seating.game.name)
        arguments = self._interface.player_arguments(self._seating.board)
        return InlineTankPort(seat, team, arguments, self._seating.thread.raise_again)

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Array], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play a round with an action for each agent.

        Raises:
            ValueError: an agent has no action, or one that is not in its action space.
        """
        for agent in self.agents:
            if agent not in actions or not 0 <= int(actions[agent]) < self._seating.actions:
                raise ValueError(f"the action {actions.get(agent)} of {agent} is not one of {self.action_space(agent)}")
        if not self.agents:
            return {}, {}, {}, {}, {}
        seating, acting = self._seating, self.agents
        event = seating.thread.answer({self._indexes[agent]: int(actions[agent]) for agent in acting})
        record = event.record if isinstance(event, MatchEnd) else None
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in acting}
        is_void = False
        if record is None:
            grown = seating.growth(self._scores, self._recorder.scores)
            self.agents = [agent for agent in acting if not self._is_lost(agent)]
        else:
            grown = seating.last_rewards(self._scores, record)
            self.record = record
            infos = {agent: seating.info_of(self._indexes[agent][0], record) for agent in acting}
            is_void = any(fault.termination is Termination.VOID for fault in record.faults)
            self.agents = []
        self._scores = self._recorder.scores or self._scores
        rewards = {agent: grown[self._indexes[agent][0]] for agent in acting}
        terminations = {agent: agent not in self.agents for agent in acting}
        if self.render_mode == "human":
            self.render()
        observations = {agent: self._observation(agent) for agent in acting}
        if is_void:
            return observations, rewards, dict.fromkeys(acting, False), terminations, infos
        return observations, rewards, terminations, dict.fromkeys(acting, False), infos

    def _is_lost(self, agent: str) -> bool:
        """Whether its tank is dead: by what was recorded of the round, or because it wasn't asked."""
        actions = self._recorder.actions
        if len(actions) == len(self._owners) and self._encoding.is_lost(actions[self._places[agent]]):
            return True
        index = self._indexes[agent]
        return index in self._agent_tanks.actions and self._agent_tanks.tanks[index].memory is not None

    def _observation(self, agent: str) -> Array:
        """What its tank knows; 0 everywhere if it has not seen the board yet."""
        tank = self._agent_tanks.tanks.get(self._indexes[agent])
        return self._blank.copy() if tank is None or tank.memory is None else array_of(tank.memory.observe())

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board: text, an array of pixels, or nothing where it is printed."""
        return render(self._recorder, self._seating)

    def close(self) -> None:
        """End the match, and the processes of opponents."""
        self._seating.thread.stop()
