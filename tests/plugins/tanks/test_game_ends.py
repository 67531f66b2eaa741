"""How games start, what a view shows, and how games end: results, result lines, ranks."""

from __future__ import annotations

from tests.plugins.tanks.games import a_map, play, play_teams

from tiltyard_engine.records import TankTeam
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_tanks.manager import BoardView, TanksGameManager

# The start


def test_start_headings_of_nine_players() -> None:
    """Left, right, up, down, up-left, down-right, up-right, down-left, left; 0 is up, then clockwise."""
    played = play(["123456789"], players=9, steps=1)
    assert played.tokens(0) == ["16", "22", "30", "44", "57", "63", "71", "85", "96"]


def test_side_without_tanks_loses_before_the_first_round() -> None:
    result = play(["1 1"]).result
    assert (result.winner, result.reason, result.rounds) == (1, "ALL_TANKS_DEAD", 0)
    assert (result.remaining_tanks, result.ranks) == ((2, 0), (1, 2))
    assert result.log == "Player 1 won with 2 tanks still alive\n"
    assert play(["2"], steps=0).result.message == "Player 2 won with 1 tanks still alive"


def test_no_tanks_at_all_is_a_tie() -> None:
    result = play([" @#"]).result
    assert (result.winner, result.reason, result.rounds) == (0, "ALL_TANKS_DEAD", 0)
    assert result.log == "Tie, both players have zero tanks\n"


def test_one_of_three_without_tanks_is_last_and_the_others_play() -> None:
    result = play(["1  3"], steps=2, players=3).result
    assert (result.rounds, result.ranks) == (2, (1, 3, 1))
    assert result.message == "Tie, reached max steps = 2, player 1 has 1 tanks, player 2 has 0 tanks, player 3 has 1 tanks"


# The end


def test_max_steps() -> None:
    result = play(["1  2", " 2  "], steps=3).result
    assert (result.winner, result.reason, result.rounds, result.ranks) == (0, "MAX_STEPS", 3, (1, 1))
    assert result.message == "Tie, reached max steps = 3, player 1 has 1 tanks, player 2 has 2 tanks"


def test_no_steps_at_all() -> None:
    result = play(["1  2"], "F", steps=0).result
    assert (result.reason, result.rounds, result.final_state) == ("MAX_STEPS", 0, ("1  2",))
    assert result.log == "Tie, reached max steps = 0, player 1 has 1 tanks, player 2 has 1 tanks\n"


def test_win_in_the_last_round_is_a_win() -> None:
    result = play(["@1", "2 "], "F", steps=1).result
    assert (result.winner, result.reason, result.rounds) == (2, "ALL_TANKS_DEAD", 1)


def test_without_any_shells_the_game_ends_after_round_41() -> None:
    result = play(["1  2"], shells=0).result
    assert (result.winner, result.reason, result.rounds) == (0, "ZERO_SHELLS", 41)
    assert result.message == "Tie, both players have zero shells for 40 steps"


def test_max_steps_go_before_zero_shells() -> None:
    assert play(["1  2"], shells=0, steps=41).result.reason == "MAX_STEPS"
    assert play(["1  2"], shells=0, steps=42).result.reason == "ZERO_SHELLS"


def test_forty_rounds_after_the_last_shell_was_fired() -> None:
    """The last shot is fired in round 3."""
    rows = ["1#", "#2"]
    assert play(rows, "S", "DDS", shells=1).result.rounds == 43


def test_shells_of_dead_tanks_do_not_count() -> None:
    """One of the two tanks of player 1 drives onto a mine in round 2; it alone had shells left."""
    rows = ["1 # ", "@1  ", "#2  "]
    played = play(rows, "S", "DF", "S", shells=1)
    assert (played.result.reason, played.result.rounds) == ("ZERO_SHELLS", 42)


def test_ranks_follow_the_round_of_the_last_loss() -> None:
    rows = ["@1  ", "2@  ", "3  4"]
    result = play(rows, "DF", "F", players=4, steps=3).result
    assert (result.winner, result.ranks) == (0, (3, 4, 1, 1))


def test_ranks_of_players_lost_in_the_same_round_are_equal() -> None:
    rows = ["@1  ", "2@  ", "3   "]
    result = play(rows, "F", "F", players=3).result
    assert (result.winner, result.ranks, result.remaining_tanks) == (3, (2, 2, 1), (0, 0, 1))


def test_words_for_more_than_two_players() -> None:
    assert play(["123"], shells=0, players=3).result.message == "Tie, all players have zero shells for 40 steps"
    assert play(["   "], players=3).result.message == "Tie, all players have zero tanks"


def test_log_of_a_whole_game() -> None:
    played = play(["2   1", "     ", "2    "], "DDF", "S", "LDG", steps=4)
    assert played.result.log == (
        "DoNothing, Shoot, RotateLeft90\n"
        "DoNothing, DoNothing, DoNothing\n"
        "MoveForward (killed), DoNothing, GetBattleInfo\n"
        "killed, DoNothing, DoNothing\n"
        "Tie, reached max steps = 4, player 1 has 1 tanks, player 2 has 1 tanks\n"
    )


# Views


def test_view_is_the_board_at_the_end_of_the_previous_round() -> None:
    played = play(["  1 ", "2   "], "FF", "GGG", steps=3)
    assert played.views == [["  1 ", "%   "], [" 1  ", "%   "], ["1   ", "%   "]]


def test_view_shows_weak_walls_as_walls_and_shells_instead_of_mines() -> None:
    played = play(["  #1", "  @1", "2   "], "SG", "SG", "DG", steps=2)
    assert played.views == [["  #%", "  *1", "2   "], ["  #1", "  *%", "2   "], ["  #1", "  *1", "%   "]]


def test_killed_in_the_first_half_gets_no_answer() -> None:
    played = play(["2   1"], "DDG", "S")
    assert (played.lines[-1], played.views) == ("GetBattleInfo (killed), DoNothing", [])


def test_killed_in_the_second_half_got_an_answer() -> None:
    played = play(["2    1"], "DDG", "S")
    assert (played.lines[-1], played.views) == ("GetBattleInfo (killed), DoNothing", [["% *  1"]])


def test_all_are_asked_before_anyone_is_answered() -> None:
    events: list[str] = []

    class Asking(TankAlgorithm):
        def __init__(self, player_index: int, tank_index: int) -> None:
            self.name = f"{player_index}.{tank_index}"

        def get_action(self) -> ActionRequest:
            events.append(f"ask {self.name}")
            return ActionRequest.GET_BATTLE_INFO

        def update_battle_info(self, info: BattleInfo) -> None:
            events.append(f"tell {self.name}")

    class Telling(Player):
        def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
            tank.update_battle_info(BattleInfo())

    team = TankTeam("asking", Telling, Asking)
    play_teams(a_map(["2 1", " 2 "], max_steps=1), [team, team], TanksGameManager())
    assert sorted(events[:3]) == ["ask 1.0", "ask 2.0", "ask 2.1"]
    assert events[3:] == ["tell 2.0", "tell 1.0", "tell 2.1"]


def test_outside_of_a_view() -> None:
    view = BoardView(list("1  2"), 2, 2, 3)
    assert view.get_rows(3, 3) == ["1 &", " %&", "&&&"]
    assert view.get_rows(1, 1) == ["1"]
    assert [view.get_object_at(x, y) for x, y in ((1, 1), (2, 0), (0, 2), (-1, 0), (0, -1))] == ["%", "&", "&", "&", "&"]
