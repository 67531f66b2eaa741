"""The course's marks: levels, where it stops, games, flags."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.plugins.advance.boards import sparse

from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.marks import Answer, BotMark, Game, LevelResult, levels_of, may_play

BOARD = sparse("Ge9", "ge1", "Za5")


def result(level: int, passed: int, tests: int = 50) -> LevelResult:
    test = LevelTest(level, 0, BOARD, BOARD)
    return LevelResult(level, [Answer(test=test, passed=number < passed, reason="", message="") for number in range(tests)])


def mark(*passed: int, wins: int | None = None, games: int = 100) -> BotMark:
    found = BotMark(label="bot", levels=[result(level, each) for level, each in zip((4, 5, 6, 7), passed)])
    if wins is not None:
        found.games = [
            Game(number=number + 1, side=number % 2, outcome="won" if number < wins else "lost", message="")
            for number in range(games)
        ]
    return found


@pytest.mark.parametrize(
    ("passed", "percent"),
    [
        ([0], 0),
        ([1], 1),
        ([49], 49),
        ([50, 0], 50),
        ([50, 1], 50.3),
        ([50, 49], 64.7),
        ([50, 50, 0], 65),
        ([50, 50, 1], 65.2),
        ([50, 50, 49], 74.8),
        ([50, 50, 50, 0], 75),
        ([50, 50, 50, 49], 84.8),
        ([50, 50, 50, 50], 85),
    ],
)
def test_each_test_counts_as_the_course_says(passed: Sequence[int], percent: float) -> None:
    assert mark(*passed).percent() == pytest.approx(percent)


@pytest.mark.parametrize(
    ("wins", "percent", "with_quarter"),
    [(0, 85, 85), (30, 85, 85), (31, 85.5, 85.25), (59, 99.5, 92.25), (60, 100, 92.5), (90, 100, 100), (100, 100, 100)],
)
def test_each_win_beyond_thirty_adds(wins: int, percent: float, with_quarter: float) -> None:
    found = mark(50, 50, 50, 50, wins=wins)
    assert (found.percent(), found.percent(0.25)) == (percent, with_quarter)
    assert found.reached_honour == (wins >= 90)


def test_other_numbers_of_games_count_as_if_there_were_a_hundred() -> None:
    found = mark(50, 50, 50, 50, wins=20, games=50)
    assert (found.wins_in_hundred, found.percent()) == (40.0, 90.0)
    assert found.count("won", 0) + found.count("won", 1) == found.count("won") == 20


def test_other_numbers_of_tests_share_the_same_percents() -> None:
    found = BotMark(label="bot", levels=[result(4, 2, 2), result(5, 1, 2)])
    assert found.percent() == 57.5


def test_levels_of_a_pack_end_at_the_first_that_it_lacks() -> None:
    def pack(*levels: int) -> list[LevelTest]:
        return [LevelTest(level, 0, BOARD, BOARD) for level in levels]

    assert levels_of(pack(4, 5, 6, 7)) == [4, 5, 6, 7]
    assert levels_of(pack(7, 5, 4)) == [4, 5]
    assert levels_of(pack(5)) == []


def test_games_are_for_those_who_passed_all_levels() -> None:
    assert may_play(mark(50, 50, 50, 50))
    assert not may_play(mark(50, 50, 50, 49))
    assert not may_play(mark(50, 50, 50))


def test_hidden_tests_flag_but_do_not_count() -> None:
    found = mark(50, 50, 50, 40)
    before = found.percent()
    found.hidden = [result(4, 50), result(5, 49), result(6, 0), result(7, 35)]
    flags = found.flags()
    assert found.percent() == before
    assert [flag[:8] for flag in flags] == ["level 5:", "level 6:"]
    assert "passes 50 of 50 public tests, but only 0 of 50 hidden tests" in flags[1]
    found.hidden = [result(7, 20)]
    assert [flag[:8] for flag in found.flags()] == ["level 7:"]


def crashes(*messages: str, stderr: str = "") -> BotMark:
    test = LevelTest(4, 0, BOARD, BOARD)
    answers = [Answer(test=test, passed=False, reason="CRASH", message=message, stderr=stderr) for message in messages]
    return BotMark(label="bot", levels=[LevelResult(4, answers)])


def test_a_bot_that_always_ends_in_the_same_way_never_started() -> None:
    end = "crash: choose: the program exited with code {}"
    found = crashes(
        end.format(134), f"{end.format(134)}: 0x7ffd", stderr="starting\nFailed to create CoreCLR, HRESULT: 0x80070008\nbye"
    )
    assert (found.same_end, found.is_final) == (end.format(134), False)
    assert found.complaint == "Failed to create CoreCLR, HRESULT: 0x80070008"
    # One test says too little, a board changes what a bot does, and an exception is the bot's own.
    assert crashes(end.format(1)).is_final
    assert crashes(end.format(1), "crash: choose: the program was killed by SIGSEGV").is_final
    assert crashes(*["crash: choose: NameError: name 'x' is not defined"] * 3).is_final
    assert crashes(*["timeout: choose: used 31 s of CPU time, the limit is 30"] * 3).is_final
    assert mark(50).is_final


def test_a_failure_of_the_machine_makes_a_mark_not_final() -> None:
    found = mark(50)
    found.levels[0].answers.append(Answer(test=LevelTest(4, 0, BOARD, BOARD), passed=False, reason="", message="", is_void=True))
    assert (found.voids, mark(50).voids) == (1, 0)
