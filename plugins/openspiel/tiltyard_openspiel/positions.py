"""What a team is shown. Its answer is one of the legal actions, OpenSpiel's number of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SpielPosition:
    """A state of a game as one player may see it; see OpenSpiel's own documentation of a game for what stands in its tensors."""

    game: str
    """The game with its parameters, as ``pyspiel.load_game`` takes it: ``connect_four(rows=5)``."""
    player: int
    """Who is shown it, as OpenSpiel counts: seat 1 is player 0."""
    actions: tuple[int, ...]
    """What the player may do, ascending. Empty in ``start`` for those who do not move first."""
    action_strings: tuple[str, ...]
    """The same in OpenSpiel's words."""
    distinct_actions: int
    """All actions of the game are below this number."""
    observation: str = ""
    """What the player sees now; empty where the game has no such text."""
    observation_tensor: tuple[float, ...] = ()
    """The same in numbers, flat; empty where the game has none."""
    observation_shape: tuple[int, ...] = ()
    """The shape of the tensor."""
    information_state: str = ""
    """All that the player has seen and done since the start; empty where the game has no such text."""
    information_state_tensor: tuple[float, ...] = ()
    """The same in numbers, flat; empty where the game has none."""
    information_state_shape: tuple[int, ...] = ()
    """The shape of the tensor."""
    history: tuple[int, ...] | None = None
    """Every action so far, those of chance too, if the game hides nothing; with it the state can be made again. None: it hides
    something."""

    @property
    def legal_actions_mask(self) -> tuple[int, ...]:
        """For every action of the game whether the player may do it now: 1 or 0."""
        legal = frozenset(self.actions)
        return tuple(int(action in legal) for action in range(self.distinct_actions))
