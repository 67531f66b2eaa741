"""Games that are worth watching: the one beside the standings, then upsets and games that are long for their map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from tiltyard_site.pages.match_scripts import Listed

HIGHLIGHTS: Final = 3
LONG_GAME: Final = 2
"""A long game has at least this many times the median rounds of the decided games on its map."""


@dataclass(frozen=True, slots=True)
class Highlight:
    """A game, and why to watch it."""

    kind: str
    game: Listed


def highlights(listed: Sequence[Listed], teams: Sequence[str]) -> list[Highlight]:
    """Upsets, then games that are long for their map; ``teams`` in the order of the standings. Equal results give equal games."""
    place = {team: number for number, team in enumerate(teams)}
    upsets: list[tuple[int, Listed]] = []
    decided: list[Listed] = []
    rounds: dict[str, list[int]] = {}
    for entry in listed:
        match = entry.match
        if entry.replay and match.counts and match.winner and not (match.faults or match.forfeited):
            winner = place[match.teams[match.winner - 1]]
            gap = max(winner - place[name] for name in match.teams)
            if gap > 0:
                upsets.append((-gap, entry))
            rounds.setdefault(match.map, []).append(match.rounds)
            decided.append(entry)
    chosen = [Highlight("Upset", entry) for _, entry in sorted(upsets, key=lambda one: (one[0], one[1].id))[:HIGHLIGHTS]]
    usual = {name: median(numbers) for name, numbers in rounds.items()}
    long = [entry for entry in decided if entry.match.rounds >= LONG_GAME * usual[entry.match.map]]
    for entry in sorted(long, key=lambda one: (-one.match.rounds, one.id)):
        if len(chosen) >= 2 * HIGHLIGHTS:
            break
        if all(entry is not other.game for other in chosen):
            chosen.append(Highlight("Long game", entry))
    return chosen


def game_to_watch(
    listed: Sequence[Listed], places: Mapping[str, str], chosen: Sequence[Highlight], is_over: bool, is_knockout: bool
) -> Highlight | None:
    """The one beside the standings: while more is to come the latest, then the last of the final, an upset, or the leaders'."""
    shown = [entry for entry in listed if entry.replay and entry.match.counts]
    if not shown:
        return None
    if not is_over:
        return Highlight("Latest game", shown[-1])
    if is_knockout:
        finals = [entry for entry in shown if entry.match.stage == "final"]
        return Highlight("The final", finals[-1]) if finals else Highlight("Latest game", shown[-1])
    if chosen:
        return chosen[0]
    leaders = {team for team, place in places.items() if place in ("1", "2")}
    between = [entry for entry in shown if set(entry.match.teams) <= leaders]
    return Highlight("The two at the top", between[-1]) if between else Highlight("Latest game", shown[-1])
