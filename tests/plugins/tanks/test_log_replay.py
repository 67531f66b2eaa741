"""Games rebuilt from their output files, and files that the rules cannot have written."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.plugins.tanks.games import a_map, births, play

from tiltyard_engine.errors import MapError, NotFoundError
from tiltyard_engine.replay import LogError, Replay
from tiltyard_tanks.log_replay import read_log
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.rules import DIALECTS

ROWS = ["1    2", "  ##  ", "2  @ 1"]
"""Birth order: player 1, player 2, player 2, player 1."""
MAP = a_map(ROWS, max_steps=9, num_shells=2)
GAME = play(ROWS, "RDDDDDL", "BBBBBB", "GFFF", "SLSGD", steps=9, shells=2)
LINES = GAME.result.log.splitlines()


def without_names(replay: Replay) -> Replay:
    """A file does not tell the players' names, and a recorder at work does not know how the game will end."""
    return replace(replay, seats=(), message="")


def error_in(lines: list[str], tank_map: TankMap = MAP) -> LogError:
    with pytest.raises(LogError) as caught:
        read_log(tank_map, "\n".join(lines) + "\n")
    return caught.value


def changed(line: int, old: str, new: str) -> list[str]:
    """The good file with one thing changed in one of its lines."""
    assert old in LINES[line - 1]
    return [*LINES[: line - 1], LINES[line - 1].replace(old, new, 1), *LINES[line:]]


def test_the_game_of_these_tests_has_everything() -> None:
    """What is damaged below is there to be damaged."""
    assert LINES == [
        "RotateRight90, MoveBackward, GetBattleInfo, Shoot",
        "DoNothing, MoveBackward (ignored), MoveForward, RotateLeft90",
        "DoNothing, MoveBackward (ignored), MoveForward (killed), Shoot (ignored)",
        "DoNothing, MoveBackward, killed, GetBattleInfo",
        "DoNothing, MoveBackward, killed, DoNothing",
        "DoNothing, MoveBackward, killed, DoNothing",
        "RotateLeft90, DoNothing, killed, DoNothing",
        "DoNothing, DoNothing, killed, DoNothing",
        "DoNothing, DoNothing, killed, DoNothing",
        "Tie, reached max steps = 9, player 1 has 2 tanks, player 2 has 1 tanks",
    ]


# Round trips


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32))
def test_every_game_rebuilds_to_what_was_recorded(dialect: str, seed: int) -> None:
    chance = random.Random(seed)
    players = chance.choice([2, 2, 3, 5])
    tanks = "".join(str(player) for player in range(1, players + 1))
    width, height = chance.randint(3, 9), chance.randint(2, 7)
    rows = ["".join(chance.choice("        ##@" + tanks) for _ in range(width)) for _ in range(height)]
    scripts = ["".join(chance.choice("FFBLRlrSSSGD") for _ in range(60)) for _ in births(rows)]
    steps, shells = chance.choice([0, 7, 120]), chance.randint(0, 4)
    played = play(rows, *scripts, steps=steps, shells=shells, players=players, rules=dialect)
    rebuilt = read_log(a_map(rows, steps, shells, players), played.result.log, dialect)
    assert without_names(rebuilt) == without_names(played.replay)
    assert rebuilt.message == played.result.message
    assert rebuilt.seats == tuple(f"player {player}" for player in range(1, players + 1))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", " \t\n"),
        lambda text: text.removesuffix("\n"),
        lambda text: text + "\n \r\n",
        lambda text: text.replace(", ", ","),
        lambda text: text.replace(", ", "  ,\t"),
        lambda text: text.replace(" (", "("),
    ],
    ids=["CRLF", "trailing spaces", "no last newline", "empty lines at the end", "no spaces", "many spaces", "no space in front"],
)
def test_harmless_differences_of_form(spoil: Callable[[str], str]) -> None:
    assert without_names(read_log(MAP, spoil(GAME.result.log))) == without_names(GAME.replay)


def test_game_without_a_round() -> None:
    replay = read_log(a_map(["1 1"]), "Player 1 won with 2 tanks still alive\n")
    assert (replay.frames, replay.message) == ([], "Player 1 won with 2 tanks still alive")
    assert replay.rows_after(0) == ("1 1",)


def test_unknown_rules() -> None:
    with pytest.raises(NotFoundError, match="no tank dialect is called 'referense'; did you mean reference"):
        read_log(MAP, GAME.result.log, "referense")


# Damaged files


@pytest.mark.parametrize(
    ("line", "old", "new", "message"),
    [
        (2, ", RotateLeft90", "", "expected the actions of 4 tanks, got 3"),
        (2, "DoNothing", "DoNothing, DoNothing", "expected the actions of 4 tanks, got 5"),
        (1, "GetBattleInfo", "GetBatleInfo", "column 3 (tank 2 of player 2), 'GetBatleInfo': 'GetBatleInfo' is not an action"),
        (1, "Shoot", "Shoot (lost)", "'Shoot (lost)' is not an action; known: MoveForward, MoveBackward, "),
        (1, "Shoot", "", "'' is not an action"),
        (1, "Shoot", "Shoot (ignored)", "the file says it was ignored, but by the rules it is performed: expected 'Shoot'"),
        (
            3,
            "MoveBackward (ignored)",
            "MoveBackward",
            "the file says it was performed, but by the rules it is ignored: expected 'MoveBackward (ignored)'",
        ),
        (3, " (killed)", "", "the file says it survived, but by the rules it is killed: expected 'MoveForward (killed)'"),
        (
            1,
            "Shoot",
            "Shoot (killed)",
            "column 4 (tank 2 of player 1), 'Shoot (killed)': the file says it was killed, but by the rules it survives",
        ),
        (4, "killed", "DoNothing", "acts here, but by the rules it was killed in round 3"),
        (5, "killed", "DoNothing (killed)", "acts here, but by the rules it was killed in round 3"),
        (
            2,
            "DoNothing",
            "killed",
            "column 1 (tank 1 of player 1), 'killed': is dead before this round, but by the rules it is alive",
        ),
        (
            10,
            "2 tanks",
            "3 tanks",
            "the result is 'Tie, reached max steps = 9, player 1 has 3 tanks, player 2 has 1 tanks', but by ",
        ),
        (
            10,
            "player 2 has 1",
            "player 2 has 2",
            "but by the rules it is 'Tie, reached max steps = 9, player 1 has 2 tanks, player 2 has 1",
        ),
    ],
)
def test_damaged_line_is_named(line: int, old: str, new: str, message: str) -> None:
    error = error_in(changed(line, old, new))
    assert isinstance(error, MapError)
    assert error.line == line
    assert str(error).startswith(f"line {line}: ")
    assert message in str(error)


def test_only_the_first_bad_line_counts() -> None:
    """A changed action is noticed where it first makes a difference: without its shell nobody dies."""
    error = error_in(changed(1, "Shoot", "DoNothing"))
    assert error.line == 3
    assert (
        "column 3 (tank 2 of player 2), 'MoveForward (killed)': the file says it was killed, but by the rules it survives"
        in str(error)
    )


def test_game_that_ends_too_early() -> None:
    error = error_in([*LINES[:4], LINES[-1]])
    assert str(error) == f"line 5: the game ends here with '{LINES[-1]}', but by the rules it continues after round 4"


def test_file_that_stops() -> None:
    assert str(error_in(LINES[:4])) == "line 5: the file ends here, but by the rules the game continues after round 4"
    assert str(error_in([])) == "line 1: the file ends here, but by the rules the game continues after round 0"


def test_game_that_goes_on_after_its_end() -> None:
    error = error_in([*LINES[:9], LINES[8], LINES[9]])
    assert str(error) == f"line 10: the game continues here, but by the rules it is over: expected '{LINES[9]}'"


def test_missing_result_line() -> None:
    assert str(error_in(LINES[:9])) == f"line 10: the file ends without its result line: expected '{LINES[9]}'"


def test_text_after_the_result() -> None:
    assert str(error_in([*LINES, "", "more"])) == "line 11: expected nothing after the result line, got ''"


def test_empty_line_in_between() -> None:
    assert str(error_in([*LINES[:2], "", *LINES[2:]])) == "line 3: expected the actions of 4 tanks, got 1: ''"


def test_other_rules_find_their_own_first_line() -> None:
    """A shot in the fifth round after the last one: too early for the reference, in time for a shorter cooldown."""
    rows = ["1    2", "######"]
    played = play(rows, "LSDDDS", steps=6, rules="short-cooldown")
    assert read_log(a_map(rows, 6), played.result.log, "short-cooldown").frames == played.replay.frames
    assert error_in(played.result.log.splitlines(), a_map(rows, 6)).line == 6


def test_lost_team_is_hinted_at() -> None:
    """A team's failure is no rule of the game, but explains why all its tanks vanish together."""
    error = error_in([*LINES[:3], "DoNothing, MoveBackward (killed), killed, GetBattleInfo", LINES[-1]])
    assert str(error).endswith("expected 'MoveBackward'; a team that fails loses all its tanks at once")


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_is_wrong_a_line_is_named(data: st.DataObject) -> None:
    """A file may be damaged in any way: it is either still the same game, or one of its lines is to blame."""
    text = GAME.result.log
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 40, len(text))))
    new = data.draw(st.text(alphabet=st.sampled_from(" ,\n\r\0é()kSMThot"), max_size=6) | st.sampled_from(LINES))
    spoiled = text[:start] + new + text[end:]
    outcome = rebuilt_or_error(spoiled)
    if isinstance(outcome, Replay):
        assert outcome.message == LINES[-1]
        return
    assert 1 <= outcome.line <= len(spoiled.splitlines()) + 1
    assert outcome.replay is not None
    assert len(outcome.replay.frames) <= outcome.line


def rebuilt_or_error(text: str) -> Replay | LogError:
    try:
        return read_log(MAP, text)
    except LogError as error:
        return error


# The game up to the bad line


def test_game_up_to_an_unplayable_line_is_kept() -> None:
    error = error_in(changed(4, "GetBattleInfo", "Nothing"))
    assert error.replay is not None
    assert error.replay.frames == GAME.replay.frames[:3]
    assert error.replay.squares == GAME.replay.squares


def test_round_that_the_rules_play_otherwise_is_kept_with_a_note() -> None:
    error = error_in(changed(3, " (killed)", ""))
    assert error.replay is not None
    *before, last = error.replay.frames
    ruled = GAME.replay.frames[2]
    assert before == GAME.replay.frames[:2]
    assert last == replace(ruled, notes=(*ruled.notes, str(error)))


def test_whole_game_is_kept_when_only_the_result_is_wrong() -> None:
    error = error_in(changed(10, "1", "2"))
    assert error.replay is not None
    assert error.replay.frames == GAME.replay.frames


def test_start_is_kept_when_nothing_can_be_read() -> None:
    error = error_in(["hello"])
    assert error.replay is not None
    assert error.replay.rows_after(0) == tuple(ROWS)
