"""The referee: who is asked, what they are shown, what chance does, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: there is no wheel for this Python")

from tests.openspiel_playouts import GAMES, differing

from tiltyard_engine.match import Match
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.replay import ReplayRecorder
from tiltyard_engine.results import GameResult, Termination
from tiltyard_engine.seat_kinds.turn_seats import InlineTurnPort, PortTurnSeat
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_openspiel.algorithms import MctsPlayer, RandomPlayer
from tiltyard_openspiel.catalogue import listings
from tiltyard_openspiel.manager import FAULT, MOVE_LIMIT, OVER, SpielGameManager
from tiltyard_openspiel.map_files import read_map, truncate
from tiltyard_openspiel.positions import SpielPosition

Create = Callable[[int], TurnAlgorithm[SpielPosition, int]]


class Watching(TurnAlgorithm[SpielPosition, int]):
    """Takes the first legal action, or a fixed one, and keeps all that it is shown."""

    def __init__(self, fixed: int | None = None) -> None:
        self.fixed = fixed
        self.shown: list[SpielPosition] = []

    def choose(self, position: SpielPosition) -> int:
        self.shown.append(position)
        return position.actions[0] if self.fixed is None else self.fixed


def play(
    game: str, players: Sequence[Create], text: str = "{}", seed: int = 1, rounds: int | None = None
) -> tuple[GameResult, ReplayRecorder]:
    start = read_map(game, "a map", text.encode(), len(players))
    seats = [
        PortTurnSeat[SpielPosition, int](
            number, f"player {number}", InlineTurnPort(number, TurnTeam("a", "openspiel/a", create), int)
        )
        for number, create in enumerate(players, start=1)
    ]
    recorder = ReplayRecorder("a game")
    if rounds is not None:
        start = truncate(start, rounds)
    result = SpielGameManager().run(Match(map=start, map_name="a map", seats=seats, seed=seed, recorder=recorder, verbose=True))
    return result, recorder


@pytest.mark.parametrize("half", [0, 1])
def test_playouts_end_as_openspiel_ends_them(half: int) -> None:
    games = GAMES[half::2]
    assert len(games) >= 20
    assert [line for game in games for line in differing(listings()[game], 8, listings()[game].least)] == []


@pytest.mark.parametrize(("game", "seats"), [("kuhn_poker", 9), ("goofspiel", 5), ("pig", 3), ("tarok", 4)])
def test_playouts_of_many_players(game: str, seats: int) -> None:
    assert list(differing(listings()[game], 5, seats)) == []


def test_an_illegal_action_loses_for_who_chose_it() -> None:
    result, recorder = play("tic_tac_toe", [lambda seat: Watching(0), lambda seat: Watching(0)])
    assert (result.winner, result.ranks, result.reason, result.rounds) == (1, (1, 2), FAULT, 1)
    (fault,) = result.faults
    assert (fault.seat, fault.termination) == (2, Termination.ILLEGAL_MOVE)
    assert fault.message == "0 is not a legal action; legal: 1, 2, 3, 4, 5, 6, 7, 8"
    assert recorder.replay.rows_after(1) == result.final_state == ("x..", "...", "...")


def test_all_are_asked_before_anything_happens_at_once() -> None:
    last = Watching()
    result, _ = play("matching_pennies_3p", [lambda seat: Watching(7), lambda seat: Watching(-1), lambda seat: last])
    assert [fault.seat for fault in result.faults] == [1, 2]
    assert (result.winner, result.ranks, result.rounds) == (3, (2, 2, 1), 0)
    (shown,) = last.shown
    assert shown.history == ()
    assert (shown.player, shown.actions, shown.action_strings) == (2, (0, 1), ("Heads", "Tails"))


def test_chance_comes_from_the_seed_and_is_told() -> None:
    players = [RandomPlayer, RandomPlayer]
    again = [play("backgammon", players, seed=seed) for seed in (5, 5, 6)]
    assert again[0][0] == again[1][0] != again[2][0]
    assert again[0][1].replay == again[1][1].replay
    first, second = again[0][1].replay.frames[0].actions
    assert next(word for word in (first, second) if word).startswith("chance: chance outcome ")
    assert "chance: " in again[0][0].log


def test_a_seed_of_the_game_itself_comes_from_the_match() -> None:
    """In these games OpenSpiel draws where nobody sees it, by default from the time."""
    for game in ("negotiation", "tarok"):
        players = [RandomPlayer] * listings()[game].least
        results = [play(game, players, seed=seed)[0] for seed in (1, 1, 2)]
        assert results[0] == results[1] != results[2]


def test_players_see_nothing_of_what_is_hidden() -> None:
    """With the same card, what a player is shown first does not depend on the other's card."""
    by_card: dict[str, set[SpielPosition]] = {}
    others: dict[str, set[str]] = {}
    for seed in range(40):
        one, two = Watching(), Watching()
        play("kuhn_poker", [lambda seat, one=one: one, lambda seat, two=two: two], seed=seed)  # type: ignore[misc]
        card = one.shown[0].information_state
        by_card.setdefault(card, set()).add(one.shown[0])
        others.setdefault(card, set()).add(two.shown[0].information_state)
    assert len(by_card) == 3
    assert {len(positions) for positions in by_card.values()} == {1}
    assert {len(cards) for cards in others.values()} == {2}
    assert {position.history for positions in by_card.values() for position in positions} == {None}


def test_parameters_that_hide_something_hide_the_history() -> None:
    for text, is_open in (("{}", True), ('{"imp_info": true}', False)):
        one = Watching()
        play("goofspiel", [lambda seat, one=one: one, RandomPlayer], text)  # type: ignore[misc]
        assert [position.history is not None for position in one.shown] == [is_open] * len(one.shown)


def test_what_a_position_has() -> None:
    one = Watching()
    play("connect_four", [lambda seat: one, RandomPlayer], '{"rows": 5, "columns": 4}')
    first, second = one.shown[:2]
    assert (first.game, first.player, first.actions, first.action_strings) == (
        "connect_four(columns=4,rows=5)",
        0,
        (0, 1, 2, 3),
        ("x0", "x1", "x2", "x3"),
    )
    assert first.observation == "....\n" * 5
    assert first.observation_shape == (3, 5, 4)
    assert len(first.observation_tensor) == 60
    assert first.legal_actions_mask == (1, 1, 1, 1)
    assert (first.history, second.history is not None and second.history[0]) == ((), 0)


def test_a_shortened_match_has_the_returns_so_far() -> None:
    result, recorder = play("connect_four", [RandomPlayer, RandomPlayer], rounds=3)
    assert (result.reason, result.rounds, result.winner, result.scores) == (MOVE_LIMIT, 3, 0, (0.0, 0.0))
    assert len(recorder.replay.frames) == 3
    assert result.message == "Draw, 0 : 0"


def test_mcts_beats_random_and_knows_what_it_cannot_play() -> None:
    result, _ = play("connect_four", [RandomPlayer, lambda seat: MctsPlayer(200, seat)])
    assert (result.winner, result.reason, result.message) == (2, OVER, "Player 2 won, -1 : 1")
    result, _ = play("pig", [lambda seat: MctsPlayer(50, seat), RandomPlayer], '{"winscore": 30}')
    assert result.reason == OVER
    result, _ = play("kuhn_poker", [lambda seat: MctsPlayer(50, seat), RandomPlayer])
    assert [fault.message for fault in result.faults] == [
        "choose raised ValueError: MCTS plays only games that hide nothing; these parameters make the game hide something"
    ]


def test_sides_win_together() -> None:
    result, _ = play("euchre", [RandomPlayer] * 4, seed=3)
    assert result.winner == 0
    assert sorted(result.ranks) == [1, 1, 3, 3]
    winners = [seat for seat, rank in enumerate(result.ranks, start=1) if rank == 1]
    assert result.message.startswith(f"Players {winners[0]} and {winners[1]} share first place, ")
