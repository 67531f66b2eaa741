"""The output file of assignment 2: a line a round, and the result line."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.results import GameResult
from tiltyard_engine.tanks import ACTION_TITLES
from tiltyard_tanks.battle import DO_NOTHING, Battle
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.rules import Reason


def round_actions(battle: Battle, requests: Sequence[int]) -> list[str]:
    """What each tank did in the round just played, in birth order; ``requests`` has -1 where none came."""
    actions: list[str] = []
    for tank, died in enumerate(battle.died):
        if died and died != battle.round:
            actions.append("killed")
            continue
        request = requests[tank]
        text = ACTION_TITLES[request if request >= 0 else DO_NOTHING]
        if tank in battle.ignored:
            text += " (ignored)"
        if died:
            text += " (killed)"
        actions.append(text)
    return actions


def result_line(reason: str, winner: int, remaining: Sequence[int], max_steps: int) -> str:
    """The output file's last line. With more than two players the wording is the natural extension of the text."""
    both = "both" if len(remaining) == 2 else "all"
    if winner:
        return f"Player {winner} won with {remaining[winner - 1]} tanks still alive"
    if reason == Reason.ALL_TANKS_DEAD:
        return f"Tie, {both} players have zero tanks"
    if reason == Reason.ZERO_SHELLS:
        return f"Tie, {both} players have zero shells for 40 steps"
    counts = ", ".join(f"player {player} has {count} tanks" for player, count in enumerate(remaining, start=1))
    return f"Tie, reached max steps = {max_steps}, {counts}"


def describe(tank_map: TankMap, result: GameResult) -> str:
    """The result line of anyone's claim; a GameManager that leaves the tank counts out gets its own message."""
    if len(result.remaining_tanks) < max(2, result.winner):
        return result.message or f"winner {result.winner}, {result.reason}"
    return result_line(result.reason, result.winner, result.remaining_tanks, tank_map.max_steps)
