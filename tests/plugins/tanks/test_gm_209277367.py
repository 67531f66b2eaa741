"""The GameManager of one team: what its own text says, and the reference rules where it is silent."""

from __future__ import annotations

import io
import random
from dataclasses import replace

import pytest
from tests.plugins.tanks.games import Played, a_map, births, play, play_teams, scripted

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import TankTeam
from tiltyard_engine.results import Termination
from tiltyard_engine.tanks import Player, SatelliteView, TankAlgorithm
from tiltyard_tanks import plugin
from tiltyard_tanks.battle import Battle
from tiltyard_tanks.conformance import ScriptedTank
from tiltyard_tanks.gm_209277367 import NAME, RULES, GameManager209277367, StackBoard, coloured
from tiltyard_tanks.rules import DIALECTS


def play_gm(rows: list[str], *scripts: str, steps: int = 100, shells: int = 10) -> Played:
    return play(rows, *scripts, steps=steps, shells=shells, manager=GameManager209277367())


def a_board(rows: list[str]) -> StackBoard:
    return StackBoard(Battle(tuple(rows), 1, 2, RULES))


def last(played: Played) -> str:
    return played.lines[-1]


def test_registered_name_and_log_name() -> None:
    managers = {manager.name: manager for manager in plugin.game_managers()}
    assert managers["GM_209277367_322542887"].log_suffix == ""
    assert {manager.log_suffix for name, manager in managers.items() if name != NAME} == {".txt"}
    assert isinstance(managers[NAME].create(), GameManager209277367)


# The turn


def test_new_shell_appears_in_front_and_flies_two_squares_in_the_same_turn() -> None:
    played = play_gm(["      1", "2      "], "S", steps=2)
    assert (played.board(1), played.final) == (["   *  1", "2      "], [" *    1", "2      "])


def test_tanks_act_one_after_the_other() -> None:
    """Who is first in birth order moves first: out of the way, or into the one that would have left."""
    assert play_gm([" 11 ", "   2"], "F", "F", steps=1).final == ["11  ", "   2"]
    assert play_gm(["22  ", "   1"], "F", "F").lines == ["MoveForward (killed), MoveForward (killed), DoNothing"]


def test_requests_are_judged_when_it_is_the_tanks_turn() -> None:
    """The first tank shoots the weak wall down, the second steps through in the same turn."""
    played = play_gm(["#1 ", "2  ", "   "], "SDDDDS", "LDDDDF", steps=6)
    assert last(played) == "Shoot, MoveForward"


def test_destroyed_tanks_do_not_act() -> None:
    played = play_gm(["21  "], "S", "S")
    assert played.lines == ["Shoot, Shoot (killed)"]


def test_tank_leaves_before_the_shell_beside_it_moves() -> None:
    played = play_gm(["2    1", "      "], "RF", "S", steps=2)
    assert last(played) == "MoveForward, DoNothing"


def test_backing_up_and_cooldown_are_the_references() -> None:
    rows, script = ["1    #", "2     "], "BDDBBSSSSSSBFF"
    reference = play(rows, script, steps=14)
    assert play_gm(rows, script, steps=14).lines == reference.lines


# Views


def test_views_show_the_last_round() -> None:
    played = play_gm(["  1 ", "2   "], "FG", "GG", steps=2)
    assert played.views == [["  1 ", "%   "], [" %  ", "2   "], [" 1  ", "%   "]]


def test_view_is_answered_when_it_is_the_tanks_turn() -> None:
    """A tank destroyed earlier in the turn gets none, one destroyed later in it got one."""
    assert play_gm(["21  "], "S", "G").views == []
    assert play_gm(["21  "], "G", "S").views == [["%1  "]]


def test_views_show_no_signs_of_this_manager() -> None:
    """Two shells and a weakened wall look like a shell and a wall."""
    rows = ["    1 ", "      ", "     2", " 1    ", "      ", "      ", "      "]
    played = play_gm(rows, "DS", "DDG", "RS", steps=3)
    assert played.views == [[" *  1 ", "      ", "     %", " 1    ", "      ", "      ", "      "]]
    played = play_gm(["2 #1 ", "    1"], "DG", "S", "", steps=2)
    assert played.tokens(1) == ["22", "#w", "16", "16"]
    assert played.views == [["% #1 ", "    1"]]


# Shells


def test_two_shells_share_a_square_and_fly_on() -> None:
    rows = ["    1 ", "      ", "     2", " 1    ", "      ", "      ", "      "]
    played = play_gm(rows, "DS", "", "RS", steps=3)
    assert played.tokens(2) == ["*^", "16", "22", "10"]
    assert played.board(2)[0] == " *  1 "
    assert played.tokens(3) == ["16", "*6", "22", "10", "*0"]


def test_two_shells_share_a_square_above_a_mine_and_leave_it() -> None:
    rows = [" @  1 ", "      ", "     2", " 1    ", "      ", "      ", "      "]
    played = play_gm(rows, "DS", "", "RS", steps=3)
    assert (played.board(2)[0], played.board(3)[0]) == (" *  1 ", " @  1*")


def test_opposite_shells_destroy_each_other_on_a_square() -> None:
    played = play_gm(["2  @  1"], "S", "S", steps=1)
    assert played.final == ["2     1"]


def test_opposite_shells_destroy_each_other_half_way() -> None:
    played = play_gm(["2 @@ 1"], "S", "S", steps=1)
    assert played.final == ["2 @@ 1"]


def test_third_shell_takes_two_others_along() -> None:
    """Three shells come together above a mine: from the right, from below, and along the diagonal."""
    rows = [" @  1 ", "      ", "     2", " 1  1 ", "      ", "      ", "      "]
    played = play_gm(rows, "DS", "", "RS", "rS", steps=2)
    assert played.final == ["    1 ", "      ", "     2", " 1  1 ", "      ", "      ", "      "]


def test_shot_into_a_shell_coming_the_other_way() -> None:
    """The shell rests right in front of the tank when its turn comes."""
    played = play_gm(["2   1 "], "S", "DS", steps=2)
    assert (played.board(1), played.final) == (["2  *1 "], ["2   1 "])


def test_wall_weakens_and_falls() -> None:
    played = play_gm(["2   #1"], "", "SDDDDS", steps=6)
    assert [played.tokens(number) for number in (1, 6)] == [["22", "#w", "16"], ["22", "16"]]


def test_two_shells_on_a_weak_wall_are_both_gone() -> None:
    """They arrive together: neither flies through the gap that the other makes."""
    board = a_board(["1  #", "2   "])
    board.battle.ground[3] = 2
    board.shells = {2: [2], 7: [0]}
    board.advance_shells()
    assert (board.rows(), board.shells) == (("1   ", "2   "), {})


def test_shell_meets_one_of_two_half_way_and_the_other_flies_on() -> None:
    board = a_board(["      ", "1    2"])
    board.shells = {2: [2, 4], 3: [6]}
    board.advance_shells()
    assert board.shells == {8: [4]}


# Losses and their marks


def test_tank_that_moves_onto_a_shell_is_destroyed_and_marked_for_one_round() -> None:
    played = play_gm(["2   1 ", "     1"], "S", "DF", "DDGG", steps=4)
    assert played.lines[1] == "DoNothing, MoveForward (killed), DoNothing"
    assert [played.tokens(number) for number in (1, 2, 3)] == [["22", "*2", "16", "16"], ["22", "1a", "16"], ["22", "16"]]
    assert played.views == [["2  1  ", "     %"], ["2     ", "     %"]]


def test_marks_of_player_two() -> None:
    played = play_gm(["2   1 "], "DF", "S", steps=2)
    assert played.tokens(1) == ["22", "*6", "16"]
    assert (played.tokens(2), played.final) == (["2b", "16"], [" 2  1 "])


def test_tank_destroyed_by_a_shot_from_the_next_square_is_marked_for_one_round() -> None:
    played = play_gm(["21  ", "   1"], "S", "", "", steps=2)
    assert (played.tokens(1), played.board(1)) == (["22", "1c", "16"], ["21  ", "   1"])
    assert played.tokens(2) == ["22", "16"]
    assert play_gm(["21  "], "D", "S").replay.squares_after(1)[0] == "2d"


def test_final_state_shows_marks_as_tanks_but_counts_only_the_living() -> None:
    result = play_gm(["21  "], "S").result
    assert (result.final_state, result.remaining_tanks, result.winner) == (("21  ",), (0, 1), 2)


def test_wreck_is_met_by_nobody() -> None:
    """A shell flies over the mark, and the mark is seen again below it."""
    board = a_board(["2   ", "   1"])
    board.marks = {2: "a"}
    board.shells = {1: [2]}
    board.advance_shells()
    assert board.rows() == ("2 * ", "   1")
    board.advance_shells()
    assert board.rows() == ("2 a*", "   1")


def test_tanks_that_meet_and_mines_leave_no_marks() -> None:
    assert play_gm(["21  "], "F").final == ["    "]
    assert play_gm(["2 @1"], "", "F").final == ["2   "]


def test_shell_that_flies_into_a_tank_leaves_no_mark() -> None:
    played = play_gm(["2  1"], "S")
    assert (played.lines, played.final) == (["Shoot, DoNothing (killed)"], ["2   "])


# Ends, log, result


def test_ends_are_the_references() -> None:
    for row, steps, shells in [("1  2", 100, 0), ("1  2", 3, 0), ("1  2", 0, 5), ("1 1", 9, 5), ("  ", 9, 5)]:
        reference = play([row], steps=steps, shells=shells).result
        assert play_gm([row], steps=steps, shells=shells).result == reference


def test_ignored_and_killed_are_both_logged() -> None:
    played = play_gm(["2  1#"], "S", "RRF")
    assert played.lines == ["Shoot, RotateRight90 (killed)"]
    played = play_gm(["2  #1", "    1"], "", "DF", "RS", steps=2)
    assert last(played) == "DoNothing, MoveForward (ignored) (killed), Shoot"


def test_more_than_two_players_are_refused() -> None:
    with pytest.raises(UserError, match=f"{NAME} only plays matches of two players; this match has 3"):
        play(["123"], players=3, manager=GameManager209277367())


# Faults


def test_failed_team_vanishes_in_the_round_of_its_fault() -> None:
    board = ["1  ", "   ", "2 1", "   "]
    views: list[list[str]] = []
    good = scripted(["", "G", ""], list(births(board)), views)[1]
    bad = TankTeam("bad", good.player, lambda player, index: 1 / 0)  # type: ignore[arg-type]
    played, seats = play_teams(a_map(board), [bad, good], GameManager209277367())
    assert played.lines == ["DoNothing (killed), GetBattleInfo, DoNothing (killed)"]
    assert views == [["1  ", "   ", "% 1", "   "]]
    assert (played.result.winner, played.final) == (2, ["   ", "   ", "2  ", "   "])
    assert seats[0].fault is not None
    assert seats[0].fault.termination is Termination.CRASH


def test_team_that_fails_to_answer_vanishes_at_once() -> None:
    """Its second tank would act later in the same turn, but is gone by then."""
    board = ["1  ", "   ", "2 1", "   "]
    views: list[list[str]] = []
    watching = scripted(["", "G"], list(births(board)), views)[1]
    scripts = ["G", "S"]

    class Failing(Player):
        def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
            raise ValueError("no idea")

    bad = TankTeam("bad", Failing, lambda player, index: ScriptedTank(scripts[index]))
    played, seats = play_teams(a_map(board), [bad, watching], GameManager209277367())
    assert played.lines == ["GetBattleInfo (killed), GetBattleInfo, Shoot (killed)"]
    assert views == [["1  ", "   ", "% 1", "   "]]
    assert played.final == ["   ", "   ", "2  ", "   "]
    assert seats[0].fault is not None
    assert seats[0].fault.round == 1


# Compared with the dialect that is nearest


def test_with_a_single_shell_it_plays_as_one_by_one_with_shells_that_start_at_once() -> None:
    """Stacks need two shells: with one in the whole game, the shared rules decide everything."""
    rules = replace(DIALECTS["one-by-one"][0], shell_start=3)
    chance = random.Random(7)
    for _ in range(150):
        width, height = chance.randint(2, 7), chance.randint(1, 6)
        rows = ["".join(chance.choice("     ##@12") for _ in range(width)) for _ in range(height)]
        tanks = len(list(births(rows)))
        scripts = ["".join(chance.choice("FFFBBLRlrD") for _ in range(30)) for _ in range(tanks)]
        if scripts:
            shooter = chance.randrange(tanks)
            scripts[shooter] = scripts[shooter][:5] + "S" + scripts[shooter][5:]
        other = play(rows, *scripts, steps=40, shells=1, rules=rules)
        played = play_gm(rows, *scripts, steps=40, shells=1)
        assert played.result.log == other.result.log
        if not any(token[1:] in ("a", "b", "c", "d") for token in played.tokens(played.result.rounds)):
            assert played.final == other.final


def test_random_games_come_to_an_end() -> None:
    chance = random.Random(9)
    for _ in range(150):
        width, height = chance.randint(1, 7), chance.randint(1, 6)
        rows = ["".join(chance.choice("     #@12") for _ in range(width)) for _ in range(height)]
        scripts = ["".join(chance.choice("FFBLRlrSSSSG") for _ in range(60)) for _ in births(rows)]
        played = play_gm(rows, *scripts, steps=70)
        assert played.result.rounds == len(played.lines)
        assert tuple(played.final) == played.replay.rows_after(played.result.rounds)
        assert set("".join(played.final)) <= set(" #@*12")
        for view in played.views:
            assert set("".join(view)) <= set(" #@*12%")


# The coloured board


def test_colours() -> None:
    assert coloured(["1 2#", "$@*^"]) == (
        "\x1b[94m1\x1b[0m \x1b[32m2\x1b[0m\x1b[37m#\x1b[0m\n\x1b[90m$\x1b[0m\x1b[31m@\x1b[0m\x1b[33m*\x1b[0m^\n"
    )


def test_board_is_printed_where_it_was_asked_for() -> None:
    screen = io.StringIO()
    play(["2  #1"], "", "S", steps=1, manager=GameManager209277367(screen))
    assert screen.getvalue() == coloured(["2  #1"]) + "\n" + coloured(["2  $1"]) + "\n"


def test_nothing_is_printed_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    play_gm(["2  #1"], "", "S", steps=1)
    assert capsys.readouterr() == ("", "")
