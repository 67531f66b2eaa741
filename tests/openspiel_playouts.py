"""Hold tiltyard's games of OpenSpiel against OpenSpiel itself: ``python -m tests.openspiel_playouts``.

Each playout goes twice over the same random choices of the players: through tiltyard's referee and its seats, and through a loop of
OpenSpiel's own kind that knows nothing of tiltyard. Both must come to the same returns in the same number of moves. Chance is drawn
in both by the same rule, each in its own code.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tiltyard_engine.match import Match
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.seat_kinds.turn_seats import InlineTurnPort, PortTurnSeat
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_openspiel.catalogue import Listing, listings
from tiltyard_openspiel.manager import SpielGameManager
from tiltyard_openspiel.map_files import DEFAULT_MAP, SpielMap, read_map
from tiltyard_openspiel.positions import SpielPosition

GAMES: Final = (
    "backgammon",
    "bargaining",
    "blotto",
    "breakthrough",
    "checkers",
    "clobber",
    "coin_game",
    "connect_four",
    "coop_box_pushing",
    "dark_hex",
    "dots_and_boxes",
    "dou_dizhu",
    "einstein_wurfelt_nicht",
    "euchre",
    "first_sealed_auction",
    "go_fish",
    "goofspiel",
    "hanabi",
    "hearts",
    "kuhn_poker",
    "latent_ttt",
    "leduc_poker",
    "liars_dice",
    "mancala",
    "markov_soccer",
    "matching_pennies_3p",
    "matrix_pd",
    "matrix_rps",
    "negotiation",
    "nim",
    "oh_hell",
    "oshi_zumo",
    "othello",
    "oware",
    "pentago",
    "phantom_ttt",
    "repeated_leduc_poker",
    "sheriff",
    "skat",
    "snake",
    "spades",
    "tarok",
    "tic_tac_toe",
    "tiny_bridge_4p",
    "tiny_hanabi",
    "trade_comm",
    "ultimate_tic_tac_toe",
    "universal_poker",
)
"""Those with a short playout: with hidden information, with chance, with simultaneous moves, for up to four players."""


class Scripted(TurnAlgorithm[SpielPosition, int]):
    """Chooses as the reference does."""

    def __init__(self, seed: int, seat: int) -> None:
        self._choices = random.Random(f"{seed} {seat - 1}")

    def choose(self, position: SpielPosition) -> int:
        return self._choices.choice(position.actions)


def by_tiltyard(listing: Listing, start: SpielMap, seed: int, seats: int) -> tuple[tuple[float, ...], int]:
    """The returns of a playout and its moves."""
    players = [
        PortTurnSeat[SpielPosition, int](
            seat,
            f"player {seat}",
            InlineTurnPort(seat, TurnTeam("scripted", listing.game, lambda number: Scripted(seed, number)), int),
        )
        for seat in range(1, seats + 1)
    ]
    result = SpielGameManager().run(Match(map=start, map_name="default", seats=players, seed=seed))
    if result.faults:
        raise AssertionError(f"{listing.name}, seed {seed}: {result.faults}")
    return result.scores, result.rounds


def by_openspiel(listing: Listing, seed: int, seats: int) -> tuple[tuple[float, ...], int]:
    """The same without tiltyard's referee, seats, maps or views."""
    import pyspiel

    parameters: dict[str, Any] = {listing.players: seats} if listing.players else {}
    if "rng_seed" in listing.parameters:
        parameters["rng_seed"] = seed
    game = pyspiel.load_game(listing.name, parameters)
    state, moves = game.new_initial_state(), 0
    chance = random.Random(seed)
    choices = [random.Random(f"{seed} {player}") for player in range(seats)]
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(_drawn(chance, state.chance_outcomes()))
            continue
        moves += 1
        if state.is_simultaneous_node():
            legal = [state.legal_actions(player) for player in range(seats)]
            state.apply_actions([choices[player].choice(legal[player]) if legal[player] else 0 for player in range(seats)])
        else:
            state.apply_action(choices[state.current_player()].choice(state.legal_actions()))
    return tuple(state.returns()), moves


def _drawn(chance: random.Random, outcomes: Sequence[tuple[int, float]]) -> int:
    """The first outcome at which the sum of the probabilities is above a number from 0 to the whole sum."""
    point, reached = chance.random() * sum(probability for _, probability in outcomes), 0.0
    for action, probability in outcomes:
        reached += probability
        if point < reached:
            return action
    return outcomes[-1][0]


def differing(listing: Listing, playouts: int, seats: int) -> Iterator[str]:
    """What differs, a line for each playout that does."""
    start = read_map(listing.name, "default", DEFAULT_MAP, seats)
    for seed in range(playouts):
        ours, theirs = by_tiltyard(listing, start, seed, seats), by_openspiel(listing, seed, seats)
        if ours != theirs:
            yield f"{listing.name} with {seats} players, seed {seed}: tiltyard {ours}, OpenSpiel {theirs}"


def main() -> None:
    """Compare, and end with status 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES, help="OpenSpiel's short names; default: those with a short playout")
    parser.add_argument("--playouts", type=int, default=1000, help="of each game")
    chosen = parser.parse_args()
    found: list[str] = []
    for game in chosen.games:
        listing, began = listings()[game], time.perf_counter()
        lines = list(differing(listing, chosen.playouts, listing.least))
        took = time.perf_counter() - began
        print(f"{game}: {chosen.playouts} playouts, {len(lines)} differ, {took:.1f} s ({listing.about or 'open'})", flush=True)
        found += lines
    print("\n".join(found) or f"{len(chosen.games)} games: all playouts end alike")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
