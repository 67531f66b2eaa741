"""A match with one agent as an environment in Gymnasium's API: all others are played by teams."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from tiltyard_engine.errors import UserError


class SingleEnv(gymnasium.Env[Any, Any]):
    """What a PettingZoo environment with a single agent shows that agent.

    Args:
        environment: in the AEC API.

    Raises:
        UserError: it has several agents.
    """

    def __init__(self, environment: Any) -> None:
        agents = environment.possible_agents
        if len(agents) != 1:
            environment.close()
            names = ", ".join(agents)
            raise UserError(f"the match has {len(agents)} agents ({names}), expected one: give all other seats to opponents")
        self._environment = environment
        self._agent: str = agents[0]
        self.metadata = environment.metadata
        self.render_mode = environment.render_mode
        self.observation_space = environment.observation_space(self._agent)
        self.action_space = environment.action_space(self._agent)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin another match. After one with a seed, those without one are determined by it too."""
        super().reset(seed=seed)
        self._environment.reset(seed=seed, options=options)
        observation, _, _, _, info = self._environment.last()
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, and let all others act until the agent is asked again."""
        self._environment.step(action)
        observation, reward, terminated, truncated, info = self._environment.last()
        return observation, float(reward), terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, as MaskablePPO of sb3-contrib asks for it."""
        observation = self._environment.observe(self._agent)
        if isinstance(observation, dict):
            return np.asarray(observation["action_mask"], np.bool_)
        return np.ones(self._environment.action_space(self._agent).n, np.bool_)

    def render(self) -> Any:
        """The board: text, an array of pixels, or nothing where it is printed."""
        return self._environment.render()

    def close(self) -> None:
        """End the match, and the processes of opponents."""
        self._environment.close()
