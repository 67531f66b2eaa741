"""Games of turns as environments: the agent that the rules ask is the one that acts."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from tiltyard_engine.learning import Observation, TurnEncoding
from tiltyard_engine.match_record import PlayedMatch
from tiltyard_engine.records import TurnInterface, TurnTeam
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.turn_seats import InlineTurnPort
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_gym.arrays import MaskedArray, array_of, mask_of
from tiltyard_gym.board import BoardRecorder
from tiltyard_gym.match_thread import MatchEnd, MatchThread
from tiltyard_gym.seating import Seating


class _AgentSeat(TurnAlgorithm[Any, Any]):
    """Hands each position to whoever trains the agent."""

    def __init__(self, thread: MatchThread, positions: dict[int, Any], seat: int) -> None:
        self._thread = thread
        self._positions = positions
        self._seat = seat

    def start(self, position: Any) -> None:
        self._positions[self._seat] = position

    def choose(self, position: Any) -> Any:
        self._positions[self._seat] = position
        return self._thread.ask(self._seat)


class TurnEnv(AECEnv):  # type: ignore[misc]  # PettingZoo is not typed
    """Any game of turns. Agents are ``player_1``, ``player_2`` and so on, by seat.

    ``observe`` gives an agent the last position that it was shown, with the actions that are legal if it is asked now. An action
    that isn't legal goes to the rules like any other answer: it is a fault of the seat, which usually loses. At the end ``infos``
    holds each agent's ``rank``, the ``message`` of the match, and the ``fault`` if the agent had one.
    """

    def __init__(self, seating: Seating) -> None:
        assert isinstance(seating.game.interface, TurnInterface)
        self._seating = seating
        self._answer_type: type[Any] = seating.game.interface.answer_type or object
        self.metadata = seating.metadata
        self.render_mode = seating.render_mode
        self._seats = {f"player_{seat}": seat for seat in seating.agents}
        self._encodings: dict[int, TurnEncoding[Any, Any, Any]] = {seat: seating.encoding(seat) for seat in seating.agents}
        self._names = {seat: name for name, seat in self._seats.items()}
        self.possible_agents = list(self._seats)
        masks = spaces.Box(0, 1, (seating.actions,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": seating.box, "action_mask": masks}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(seating.actions) for agent in self.possible_agents}
        self._positions: dict[int, Any] = {}
        """By seat, the last position."""
        self._observations: dict[int, tuple[Any, Observation]] = {}
        """By seat, the last position that was observed, and what was seen of it."""
        self._recorder = BoardRecorder()
        self.record: PlayedMatch | None = None
        """The record of the last match that was played to its end."""
        self._seat_to_move = 0
        """The seat that the rules wait for; 0: the match is over."""
        self.agents: list[str] = []
        weakref.finalize(self, seating.thread.stop)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's space, which is the same object each time: what is drawn from it depends on its seed."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's space, which is the same object each time: what is drawn from it depends on its seed."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin another match. After one with a seed, those without one are determined by it too."""
        self._positions.clear()
        self._observations.clear()
        self._recorder = BoardRecorder()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._scores: tuple[float, ...] = ()
        self.agent_selection = self.agents[0]
        ports = {seat: self._port(seat) for seat in self._names}
        self._take(self._seating.begin(seed, ports, self._recorder))
        self._accumulate_rewards()

    def _port(self, seat: int) -> InlineTurnPort[Any, Any]:
        thread, positions = self._seating.thread, self._positions
        team = TurnTeam(f"agent {seat}", self._seating.game.name, lambda number: _AgentSeat(thread, positions, number))
        return InlineTurnPort(seat, team, self._answer_type, thread.raise_again)

    def observe(self, agent: str) -> MaskedArray:
        """What the agent knows, in new arrays. Its mask is 0 everywhere if it isn't asked now."""
        seat = self._seats[agent]
        position = self._positions[seat]
        cached = self._observations.get(seat)
        if cached is None or cached[0] is not position:
            cached = position, self._encodings[seat].observe(position)
            self._observations[seat] = cached
        mask = mask_of(cached[1]) if seat == self._seat_to_move else np.zeros(self._seating.actions, np.int8)
        return {"observation": array_of(cached[1]), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Answer for ``agent_selection``.

        Raises:
            ValueError: the action is not in the action space; or one is given for an agent whose match is over.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not 0 <= int(action) < self._seating.actions:
            raise ValueError(f"the action {action} of {agent} is not one of {self.action_space(agent)}")
        seat = self._seats[agent]
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._take(self._seating.thread.answer(self._encodings[seat].answer(self._positions[seat], int(action))))
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _take(self, event: Any) -> None:
        """What the match handed out: the seat of the next agent, or its end."""
        seating = self._seating
        if not isinstance(event, MatchEnd):
            self._seat_to_move = event
            self.agent_selection = self._names[event]
            self.infos = {agent: {} for agent in self.agents}
            rewards = seating.growth(self._scores, self._recorder.scores)
            self._scores = self._recorder.scores or self._scores
        else:
            self._seat_to_move = 0
            self.record = record = event.record
            is_void = any(fault.termination is Termination.VOID for fault in record.faults)
            (self.truncations if is_void else self.terminations).update(dict.fromkeys(self.agents, True))
            self.infos = {agent: seating.info_of(self._seats[agent], record) for agent in self.agents}
            rewards = seating.last_rewards(self._scores, record)
            self.agent_selection = self.agents[0]
        self.rewards.update({self._names[seat]: reward for seat, reward in rewards.items()})

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board: text, an array of pixels, or nothing where it is printed."""
        return render(self._recorder, self._seating)

    def close(self) -> None:
        """End the match, and the processes of opponents."""
        self._seating.thread.stop()


def render(recorder: BoardRecorder, seating: Seating) -> str | NDArray[np.uint8] | None:
    """The board in an environment's render mode."""
    if seating.render_mode == "rgb_array":
        return recorder.picture(seating.game.display.theme)
    if seating.render_mode == "human":
        print(recorder.text())
        return None
    return recorder.text() if seating.render_mode == "ansi" else None
