"""The games of tiltyard as PettingZoo environments, and trained policies as teams.

::

    import tiltyard_gym

    environment = tiltyard_gym.parallel_env("tanks", map="back-yard", opponents={2: "acorn"})

- ``env`` and ``parallel_env`` make environments, to train agents in; ``single_env`` makes one of Gymnasium's, for a single agent.
- ``policy_team`` makes a team of what was learned.

A team needs numpy and no PettingZoo, so what makes environments is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tiltyard_gym.policies import Policy, policy_team

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from tiltyard_gym.gymnasium_env import SingleEnv
    from tiltyard_gym.tank_env import TankEnv

__all__ = ["Policy", "env", "parallel_env", "policy_team", "single_env"]


def env(
    game: str,
    map: str = "",  # noqa: A002 -- the word that everybody uses
    *,
    opponents: Mapping[int, str] | None = None,
    players: int = 0,
    manager: str = "",
    rewards: str = "ranks",
    render_mode: str | None = None,
    trust: Sequence[str] = (),
) -> AECEnv:
    """A game in which agents act one after the other, in PettingZoo's AEC API.

    Every seat without an opponent is an agent: ``player_1``, ``player_2`` and so on. In tanks every tank is one, such as
    ``player_1_tank_0``, and this is the environment of ``parallel_env``, converted by PettingZoo.

    Args:
        game: its name: ``filler``, ``openspiel/connect_four``.
        map: the name of an installed map or a map file; may be left out if the game has only one.
        opponents: who plays the other seats, by seat from 1: installed teams, files or folders of teams, programs. As everywhere,
            code that is neither tiltyard's own nor trusted runs in a sandbox.
        players: the number of seats; 0: that of the map, or else the game's usual number.
        manager: the GameManager; empty: the game's default one.
        rewards: ``ranks``: at the end 1 for the winner, -1 for the last, 0 for a tie, others in between; ``scores``: by how much
            the own score grew; ``lead``: by how much it grew more than the mean of all others' scores.
        render_mode: ``ansi`` (text), ``human`` (prints it after each step) or ``rgb_array``.
        trust: files and folders of games, whose code then runs in this process; see ``TILTYARD_TRUST``.

    Raises:
        UserError: something of it doesn't exist or can't be used, or the game has no encoding for agents.
    """
    from tiltyard_gym.seating import Seating
    from tiltyard_gym.turn_env import TurnEnv

    seating = Seating(
        game, map, dict(opponents or {}), players, manager=manager, rewards=rewards, render_mode=render_mode, trust=trust
    )
    if seating.has_tanks:
        from pettingzoo.utils.conversions import parallel_to_aec

        from tiltyard_gym.tank_env import TankEnv

        return parallel_to_aec(TankEnv(seating))
    return TurnEnv(seating)


def parallel_env(
    game: str = "tanks",
    map: str = "",  # noqa: A002 -- as above
    *,
    opponents: Mapping[int, str] | None = None,
    players: int = 0,
    manager: str = "",
    rewards: str = "ranks",
    render_mode: str | None = None,
    trust: Sequence[str] = (),
) -> TankEnv:
    """A game in which all agents act at once, in PettingZoo's parallel API: tanks. See ``env`` for arguments and errors."""
    from tiltyard_gym.seating import Seating
    from tiltyard_gym.tank_env import TankEnv

    seating = Seating(
        game, map, dict(opponents or {}), players, manager=manager, rewards=rewards, render_mode=render_mode, trust=trust
    )
    return TankEnv(seating)


def single_env(
    game: str,
    map: str = "",  # noqa: A002 -- as above
    *,
    opponents: Mapping[int, str],
    players: int = 0,
    manager: str = "",
    rewards: str = "ranks",
    render_mode: str | None = None,
    trust: Sequence[str] = (),
) -> SingleEnv:
    """A match with one agent, in Gymnasium's API: all other seats have opponents, and in tanks the agent's side has one tank.

    See ``env`` for arguments and errors.
    """
    from tiltyard_gym.gymnasium_env import SingleEnv

    environment = env(
        game, map, opponents=opponents, players=players, manager=manager, rewards=rewards, render_mode=render_mode, trust=trust
    )
    return SingleEnv(environment)
