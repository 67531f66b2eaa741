"""The reference rules on boards made by hand: moving, meeting, walls, mines, backing up, shooting.

Player 1 starts to the left, player 2 to the right. Scripts are given in birth order, a letter a round.
"""

from __future__ import annotations

import pytest
from tests.plugins.tanks.games import Played, play


def column(played: Played, tank: int = 0) -> list[str]:
    """What one tank did, round by round."""
    return [line.split(", ")[tank] for line in played.lines]


# The torus


def test_tanks_cross_every_edge() -> None:
    rows = ["1 3", "   ", " 42"]
    played = play(rows, "F", "F", "F", "F", players=4, steps=1)
    assert played.final == [" 41", "   ", "2 3"]


def test_diagonal_steps_cross_a_corner() -> None:
    played = play(["1   ", "    ", "  2 "], "rF", steps=2)
    assert played.final == ["    ", "    ", "  21"]


def test_shell_goes_round_the_board_and_kills_its_own_tank() -> None:
    played = play(["1     ", "2     "], "S")
    assert [played.board(number)[0] for number in range(1, 5)] == ["1    *", "1  *  ", "1*    ", "      "]
    assert column(played) == ["Shoot", "DoNothing", "DoNothing", "DoNothing (killed)"]
    assert played.result.winner == 2


def test_on_a_board_of_one_column_a_shot_hits_the_shooter() -> None:
    played = play(["1", " ", "2"], "S")
    assert played.final == [" ", " ", "2"]


def test_on_a_board_of_one_column_a_step_leads_nowhere() -> None:
    played = play(["1", " ", "2"], "F", steps=1)
    assert (played.final, column(played)) == (["1", " ", "2"], ["MoveForward"])


# Shells


def test_new_shell_is_one_square_ahead_and_then_flies_two_a_round() -> None:
    played = play(["       1", "2       "], "S", steps=3)
    assert [played.board(number)[0] for number in (1, 2, 3)] == ["      *1", "    *  1", "  *    1"]


def test_shells_meet_half_way() -> None:
    """They are next to each other after the first half of round 2."""
    played = play(["2    1"], "S", "S", steps=2)
    assert played.board(1) == ["2*  *1"]
    assert played.board(2) == ["2    1"]


def test_shells_meet_on_a_square() -> None:
    played = play(["2   1"], "S", "S", steps=2)
    assert played.board(1) == ["2* *1"]
    assert played.board(2) == ["2   1"]


def test_shells_that_cross_at_an_angle_in_different_squares_fly_on() -> None:
    """One flies left along the row, the other up through the column that the first has just left."""
    played = play(["    ", "    ", "    ", "    ", "   1", "  3 ", "2   "], "DS", "S", players=3, steps=3)
    assert played.tokens(2) == ["*0", "*6", "16", "30", "22"]
    assert played.tokens(3) == ["*0", "*6", "16", "30", "22"]


def test_three_shells_in_one_square_are_all_gone() -> None:
    played = play(["2   1", "     ", "  3  "], "S", "S", "S", players=3, steps=2)
    assert played.board(1) == ["2* *1", "  *  ", "  3  "]
    assert played.board(2) == ["2   1", "     ", "  3  "]


def test_shell_kills_and_is_spent() -> None:
    played = play(["2  1"], "D", "S")
    assert played.lines == ["DoNothing, Shoot", "DoNothing (killed), DoNothing"]
    assert played.final == ["   1"]
    assert played.result.message == "Player 1 won with 1 tanks still alive"


def test_dead_in_the_first_half_neither_fires_nor_steps() -> None:
    """The shell arrives from two squares away in the first half of round 3."""
    for action, title in (("S", "Shoot"), ("F", "MoveForward")):
        played = play(["2   1"], "DD" + action, "S")
        assert column(played)[2] == f"{title} (killed)"
        assert played.final == ["    1"]


# Tanks


def test_tanks_meet_half_way() -> None:
    played = play(["21  "], "F", "F")
    assert played.lines == ["MoveForward (killed), MoveForward (killed)"]
    assert (played.final, played.result.message) == (["    "], "Tie, both players have zero tanks")


def test_tanks_that_enter_one_square_die() -> None:
    assert play(["2 1"], "F", "F").final == ["   "]


def test_tank_that_enters_a_standing_tanks_square_dies_with_it() -> None:
    assert play(["21  "], "F", "").final == ["    "]


def test_tanks_of_one_player_die_in_one_square_too() -> None:
    assert play([" 11", "  2"], "D", "F").final == ["   ", "  2"]


def test_tanks_in_a_line_move_together() -> None:
    played = play([" 111", "2   "], "F", "F", "F", steps=1)
    assert played.final == ["111 ", "2   "]


# Tanks against shells and shots


def test_tank_meets_a_shell_half_way() -> None:
    """The shell is on the next square after the first half of round 3."""
    played = play(["2    1"], "DDF", "S")
    assert column(played)[2] == "MoveForward (killed)"
    assert played.final == ["     1"]


def test_tank_outruns_no_shell_but_may_leave_its_line() -> None:
    """Standing still it would die in the second half of round 3."""
    assert play(["2    1", "      "], "DDD", "S").result.rounds == 3
    played = play(["2    1", "      "], "RDF", "S", steps=3)
    assert played.final == ["*    1", "2     "]


def test_shots_meet_half_way() -> None:
    """Tanks that face each other spend their shells and live."""
    played = play(["21  "], "SDDDDS", "S", shells=1, steps=6)
    assert played.board(1) == ["21  "]
    assert column(played) == ["Shoot", *["DoNothing"] * 4, "Shoot (ignored)"]


def test_shot_kills_a_tank_that_steps_into_it_and_is_spent() -> None:
    played = play(["21  "], "F", "S")
    assert played.lines == ["MoveForward (killed), Shoot"]
    assert played.final == [" 1  "]


def test_shot_meets_a_shell_half_way_and_the_tank_lives() -> None:
    played = play(["2    1"], "DDS", "S", steps=3)
    assert played.lines[-1] == "Shoot, DoNothing"
    assert played.final == ["2    1"]


def test_shot_and_shell_meet_in_the_square_in_front() -> None:
    played = play(["2   1"], "DS", "S", steps=2)
    assert (played.board(1), played.board(2)) == (["2  *1"], ["2   1"])


def test_tank_follows_its_own_shell_unharmed() -> None:
    played = play(["    1", "2    "], "SF", steps=2)
    assert played.final == [" * 1 ", "2    "]


# Walls and mines


def test_wall_weakens_and_falls() -> None:
    played = play(["2  #1"], "", "SDDDDS", steps=6)
    assert played.tokens(1) == ["22", "#w", "16"]
    assert [played.board(number) for number in (0, 1, 5, 6)] == [["2  #1"], ["2  #1"], ["2  #1"], ["2   1"]]


def test_two_shells_fell_a_whole_wall_at_once() -> None:
    assert play(["2#1 "], "S", "S", steps=1).final == ["2 1 "]


def test_two_shells_on_a_weak_wall_are_both_gone() -> None:
    played = play(["2#1 "], "DDDDDS", "SDDDDS", steps=6)
    assert played.tokens(5) == ["22", "#w", "16"]
    assert played.board(6) == ["2 1 "]


def test_step_into_a_wall_is_ignored() -> None:
    played = play(["2 #1"], "", "F", steps=1)
    assert (played.lines, played.final) == (["DoNothing, MoveForward (ignored)"], ["2 #1"])


def test_requests_are_judged_on_the_board_at_the_start_of_the_round() -> None:
    """The wall falls in round 6, but whoever wants to step there has to wait for round 7."""
    played = play(["2#1 "], "DDDDDFF", "SDDDDS", steps=7)
    assert column(played)[5:] == ["MoveForward (ignored)", "MoveForward"]


def test_mine_kills_and_is_gone() -> None:
    played = play(["2 @1 "], "", "F")
    assert (played.lines, played.final) == (["DoNothing, MoveForward (killed)"], ["2    "])


def test_shell_passes_above_a_mine() -> None:
    played = play(["2    @1"], "", "S", steps=2)
    assert (played.board(1), played.board(2)) == (["2    *1"], ["2  * @1"])


def test_shells_that_meet_above_a_mine_take_it_along() -> None:
    assert play(["2 @ 1"], "S", "S", steps=2).final == ["2   1"]


def test_shells_that_meet_half_way_leave_mines_alone() -> None:
    assert play(["2 @@ 1"], "S", "S", steps=2).final == ["2 @@ 1"]


def test_tank_shell_and_mine_in_one_square_are_all_gone() -> None:
    """The tank steps down onto the mine as the shell comes in from the right."""
    played = play(["2     ", "@    1"], "RDF", "S", steps=3)
    assert (played.board(2), played.final) == (["2     ", "@ *  1"], ["      ", "     1"])


# Backing up


BACK = ["1    ", "2    "]


def test_backing_up_takes_two_rounds_of_waiting_and_then_none() -> None:
    played = play(BACK, "BDDBBD", steps=6)
    assert [played.board(number)[0].index("1") for number in range(1, 7)] == [0, 0, 1, 2, 3, 3]
    assert column(played) == [
        "MoveBackward",
        "DoNothing (ignored)",
        "DoNothing (ignored)",
        "MoveBackward",
        "MoveBackward",
        "DoNothing",
    ]


def test_any_other_request_ends_the_series_of_steps_back() -> None:
    played = play(BACK, "BDDDBDDD", steps=8)
    assert [played.board(number)[0].index("1") for number in range(3, 9)] == [1, 1, 1, 1, 2, 2]


@pytest.mark.parametrize("script", ["BFF", "BDFF"])
def test_forward_cancels(script: str) -> None:
    played = play([" 1   ", "2    "], script, steps=len(script))
    assert played.final == ["1    ", "2    "]
    assert column(played)[-2:] == ["MoveForward", "MoveForward"]
    assert played.board(len(script) - 1) == [" 1   ", "2    "]


def test_forward_that_cancels_may_face_a_wall() -> None:
    assert column(play(["#1   ", "2    "], "BF", steps=2)) == ["MoveBackward", "MoveForward"]


@pytest.mark.parametrize(
    ("letter", "title"),
    [
        ("B", "MoveBackward"),
        ("L", "RotateLeft90"),
        ("R", "RotateRight90"),
        ("l", "RotateLeft45"),
        ("r", "RotateRight45"),
        ("S", "Shoot"),
        ("G", "GetBattleInfo"),
        ("D", "DoNothing"),
    ],
)
def test_all_else_is_ignored_while_waiting(letter: str, title: str) -> None:
    played = play(BACK, "B" + letter * 2, steps=3)
    assert column(played) == ["MoveBackward", f"{title} (ignored)", f"{title} (ignored)"]
    assert played.views == []
    assert played.tokens(3) == ["16", "22"]
    assert played.final == [" 1   ", "2    "]


def test_wall_behind_stops_the_step_and_the_waiting_starts_anew() -> None:
    played = play(["1#   ", "2    "], "BDDBDD", steps=6)
    assert column(played)[2:] == ["DoNothing (ignored)", "MoveBackward", "DoNothing (ignored)", "DoNothing (ignored)"]
    assert played.final == ["1#   ", "2    "]


def test_wall_behind_ends_a_series_of_steps_back() -> None:
    played = play(["1 #  ", "2    "], "BDDBBDD", steps=7)
    assert column(played)[3:] == ["MoveBackward (ignored)", "MoveBackward", "DoNothing (ignored)", "DoNothing (ignored)"]


def test_shot_that_is_ignored_ends_a_series_of_steps_back() -> None:
    played = play(["1     #", "2      "], "SBDDSBD", steps=7)
    assert column(played)[4:] == ["Shoot (ignored)", "MoveBackward", "DoNothing (ignored)"]


def test_step_back_onto_a_mine() -> None:
    assert play(["1@  ", "2   "], "BDD").final == ["    ", "2   "]


# Shooting


def test_next_shot_is_allowed_five_rounds_later() -> None:
    assert column(play(["1#", "2 "], "SSSSSSS", steps=7)) == ["Shoot", *["Shoot (ignored)"] * 4, "Shoot", "Shoot (ignored)"]


def test_cooldown_runs_while_waiting_to_back_up() -> None:
    assert column(play(["1   #", "2    "], "SBDDFS", steps=6))[5] == "Shoot"


def test_without_shells_a_shot_is_ignored() -> None:
    assert column(play(["1#", "2 "], "SDDDDS", steps=6, shells=1))[5] == "Shoot (ignored)"


@pytest.mark.parametrize(("letter", "heading"), [("L", 4), ("R", 0), ("l", 5), ("r", 7)])
def test_turns(letter: str, heading: int) -> None:
    assert play(["1  2"], letter, steps=1).tokens(1) == [f"1{heading}", "22"]
