"""The referee over algorithms in the same process: order, ends, ties, faults."""

from __future__ import annotations

import pytest
from tests.plugins.penguins.matches import BOARD, Create, FirstPlayer, play, the_map

from tiltyard_engine.replay import ReplayRecorder
from tiltyard_engine.results import Termination
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins.algorithms import GreedyPlayer, RandomPlayer
from tiltyard_penguins.map_generator import MapOptions, generate_board
from tiltyard_penguins.positions import MOVEMENT, PASS, PLACEMENT, Move, PenguinsPosition


class Scripted(FirstPlayer):
    """Plays like the first player, but for one turn; remembers what it was shown."""

    def __init__(self, turn: int, answer: object) -> None:
        self.turn, self.answer = turn, answer
        self.seen: list[PenguinsPosition] = []

    def choose(self, position: PenguinsPosition) -> Move:
        self.seen.append(position)
        return self.answer if len(self.seen) == self.turn else super().choose(position)  # type: ignore[return-value]


def first(seat: int) -> TurnAlgorithm[PenguinsPosition, Move]:
    return FirstPlayer()


def scripted(turn: int = 0, answer: object = None) -> tuple[Scripted, Create]:
    algorithm = Scripted(turn, answer)
    return algorithm, lambda seat: algorithm


def test_a_whole_match_by_hand() -> None:
    board = the_map("1 5\n10 20 10 30 10\npenguins=1\n")
    result = play([first, first], board)
    # 1 on the first, 2 on the third floe; 1 takes two fish, 2 three and then one.
    assert (result.winner, result.ranks, result.scores, result.rounds) == (2, (2, 1), (3.0, 5.0), 5)
    assert (result.reason, result.final_state) == ("NO_MOVES", ("~A~~B",))
    assert result.message == "player2 won: player1 3, player2 5"
    assert result.log.splitlines() == [
        "1. 1 player1: placed a penguin at row 1, column 1, 1 fish",
        "2. 2 player2: placed a penguin at row 1, column 3, 1 fish",
        "3. 1 player1: moved from row 1, column 1 to row 1, column 2, 2 fish",
        "4. 2 player2: moved from row 1, column 3 to row 1, column 4, 3 fish",
        "5. 2 player2: moved from row 1, column 4 to row 1, column 5, 1 fish",
        "player2 won: player1 3, player2 5",
    ]


@pytest.mark.parametrize("players", range(1, 10))
def test_one_to_nine_players(players: int) -> None:
    board = generate_board(MapOptions(10, 10, 2), players, players)
    result = play([GreedyPlayer, RandomPlayer, first] * 3, board)
    assert not result.faults
    assert sorted(result.scores, reverse=True)[0] == result.scores[result.ranks.index(1)]
    few = play([GreedyPlayer] * players, board)
    assert (len(few.scores), few.faults) == (players, ())


def test_equal_scores_share_the_place() -> None:
    result = play([first, first, first], the_map("3 4\n10 20 00 10\n00 00 00 20\n10 00 00 00\npenguins=1\n"))
    assert (result.scores, result.ranks, result.winner) == ((3.0, 3.0, 1.0), (1, 1, 3), 0)
    assert result.message == "Shared by player1 and player2: player1 3, player2 3, player3 1"


def test_too_few_floes_end_the_placement_early() -> None:
    result = play([first, first], the_map("1 4\n10 20 20 10\npenguins=3\n"))
    assert (result.faults, result.scores) == ((), (3.0, 3.0))


def test_strict_asks_those_who_are_done_and_lenient_does_not() -> None:
    board = the_map("1 5\n10 20 10 30 10\npenguins=1\n")
    (strict, create_strict), (lenient, create_lenient) = scripted(), scripted()
    play([create_strict, first], board)
    play([create_lenient, first], board, lenient=True)
    assert [position.phase for position in strict.seen] == [PLACEMENT] * 2 + [MOVEMENT] * 3
    assert [position.phase for position in lenient.seen] == [PLACEMENT, MOVEMENT]


def test_what_a_player_is_shown() -> None:
    algorithm, create = scripted()
    play([first, create, first], the_map("1 7\n10 20 10 30 10 20 10\npenguins=1\n"), lenient=True)
    start, move = algorithm.seen
    assert (start.phase, start.player, start.order, start.penguins) == (PLACEMENT, 2, (2, 3, 1), 1)
    assert [(row.name, row.number, row.score) for row in start.players] == [("player1", 1, 1)]
    assert start.cells == bytes([1, 20, 10, 30, 10, 20, 10])
    assert (move.phase, move.cells) == (MOVEMENT, bytes([0, 1, 2, 30, 3, 20, 10]))
    assert [row.score for row in move.players] == [3, 1, 1]


ILLEGAL = [
    (1, Move(1), "placed a penguin at row 1, column 2: a penguin can only be placed on a floe with exactly one fish"),
    (1, Move(8), "placed a penguin at row 2, column 3: there is no floe"),
    (1, Move(99), "placed a penguin at row 17, column 4: the square is outside the board"),
    (1, Move(6, 0), "moved from row 1, column 1 to row 2, column 1 in the placement phase"),
    (1, PASS, "passed, but it could place a penguin"),
    (1, Move(0, number=12), "took the number 12, which is not free"),
    (1, Move(0, name="two words"), "took the ID 'two words', which is not a single word"),
    (3, Move(7), "no move was possible, but it placed a penguin at row 2, column 2"),
    (4, Move(1), "placed a penguin at row 1, column 2 in the movement phase"),
    (4, Move(6, 29), "moved from row 5, column 6 to row 2, column 1: the penguin belongs to another player"),
    (4, Move(7, 0), "moved from row 1, column 1 to row 2, column 2: start and target are not in the same row or column"),
    (4, PASS, "passed, but it could move"),
]


@pytest.mark.parametrize(("turn", "answer", "message"), ILLEGAL)
def test_illegal_answers_are_named(turn: int, answer: Move, message: str) -> None:
    _, create = scripted(turn, answer)
    result = play([create, lambda seat: LastPlayer()], the_map())
    (fault,) = result.faults
    assert (fault.seat, fault.termination, fault.round, fault.message) == (1, Termination.ILLEGAL_MOVE, turn, message)
    assert (result.winner, result.ranks) == (2, (2, 1))


class LastPlayer(FirstPlayer):
    """The last placement, the first move."""

    def choose(self, position: PenguinsPosition) -> Move:
        board = position.board()
        if position.phase == PLACEMENT and board.one_fish and len(board.penguins[position.player]) < position.penguins:
            return Move(board.placements()[-1])
        return super().choose(position)


def test_an_answer_of_another_type_and_a_crash_are_faults_too() -> None:
    _, garbage = scripted(2, "north")

    def broken(seat: int) -> FirstPlayer:
        raise ValueError("no")

    result = play([garbage, broken, first], the_map(BOARD.replace("20", "10")))
    assert [(fault.seat, fault.termination) for fault in result.faults] == [(1, Termination.PROTOCOL), (2, Termination.CRASH)]
    assert result.ranks == (2, 3, 1)


def test_penguins_of_a_forfeit_stay_as_obstacles() -> None:
    # The first one answers nonsense in the movement phase and stands between the second one and the three fish.
    _, create = scripted(3, Move(99, 98))
    result = play([create, first], the_map("1 5\n20 10 10 20 30\npenguins=1\n"), lenient=True)
    assert not result.faults
    _, create = scripted(2, Move(99, 98))
    result = play([first, create], the_map("1 5\n10 10 30 30 30\npenguins=1\n"), lenient=True)
    assert result.final_state == ("AB333",)
    assert (result.winner, result.scores, result.ranks) == (1, (1.0, 1.0), (1, 2))


def test_whoever_fails_ranks_below_all_who_finish_whatever_the_score() -> None:
    _, late = scripted(5, PASS)
    _, early = scripted(1, PASS)
    board = generate_board(MapOptions(8, 8, 2), 1, 4)
    result = play([late, GreedyPlayer, early, RandomPlayer], board)
    assert result.ranks[0] == 3
    assert result.ranks[2] == 4
    assert {result.ranks[1], result.ranks[3]} == {1, 2}


def test_all_can_fail() -> None:
    _, one = scripted(3, PASS)
    _, two = scripted(4, PASS)
    result = play([one, two], the_map(), lenient=True)
    assert (result.reason, result.winner, result.ranks) == ("FAULT", 2, (2, 1))


def test_what_viewers_are_shown() -> None:
    recorder = ReplayRecorder("penguins", ["a", "b"])
    _, create = scripted(2, PASS)
    result = play([first, create], the_map("1 5\n10 20 10 30 10\npenguins=1\n"), lenient=True, recorder=recorder)
    replay = recorder.replay
    assert (replay.width, replay.height, replay.squares) == (5, 1, ("1", "2", "1", "3", "1"))
    assert [frame.changes for frame in replay.frames] == [
        ((0, "A"),),
        ((2, "B"),),
        ((0, "~"), (1, "A")),
        ((2, "Bx"),),
    ]
    assert replay.frames[2].scores == (3.0, 1.0)
    assert replay.frames[2].actions[0] == "(1, 1) to (1, 2), 2 fish"
    assert replay.frames[3].notes == ("player2 is out: illegal move: passed, but it could move",)
    assert replay.rows_after(4) == result.final_state == ("~AB31",)
    # Tables and viewers count the same rounds.
    assert result.rounds == len(replay.frames) == 4
