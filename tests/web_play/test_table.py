"""One game with a person: asked, answered, taken back, resigned, left; nothing hidden is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from tests.web_play.conftest import MakeVenue, asked, ended, questions, texts

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import PlayedMatch
from tiltyard_engine.replay import Recorder
from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.seat_kinds.seat_ports import SeatPort
from tiltyard_web_play.table import GameTable, GameTableOptions
from tiltyard_web_play.venue import PERSON, HostVenue

DUEL = b"duel\nMaxSteps = 50\nNumShells = 5\nRows = 1\nCols = 12\n1     2     \n"


class Tables:
    """Tables that end with the test."""

    def __init__(self) -> None:
        self.opened: list[GameTable] = []

    def open(self, venue: HostVenue, *names: str, options: GameTableOptions | None = None, seed: int = 1) -> GameTable:
        seat = names.index(PERSON) + 1
        player = venue.player(names, seat, venue.maps[0], seed)
        table = GameTable(venue.game, names, seat, player.play, options=options, on_end=player.close)
        self.opened.append(table)
        return table


@pytest.fixture
def tables() -> Iterator[Tables]:
    made = Tables()
    yield made
    for table in made.opened:
        table.close()
        table.join(30)


def test_a_game_is_played_to_its_end_and_has_a_replay(make_venue: MakeVenue, tables: Tables) -> None:
    table = tables.open(make_venue("connect-four", "four-random"), PERSON, "four-random")
    assert table.replay() is None
    for question in questions(table):
        # Always the same column while there is room: four in a column sooner or later, or the other side wins.
        table.give(question.number, [texts(question)[0]])
    assert "won with four in a line" in ended(table)
    replay = table.replay()
    assert replay is not None
    assert len(replay.frames) == len(table.news())
    assert replay.message == ended(table)


def test_an_old_page_and_a_wrong_answer_change_nothing(make_venue: MakeVenue, tables: Tables) -> None:
    table = tables.open(make_venue("connect-four", "four-random"), PERSON, "four-random")
    asked(table, 1)
    for number, answers, message in (
        (1, ["column 9"], "not a legal answer"),
        (1, ["column 1", "column 2"], "this is not an answer to the question"),
        (1, ["x" * 5000], "this is not an answer to the question"),
        (2, ["column 1"], "gone on meanwhile"),
    ):
        with pytest.raises(UserError, match=message):
            table.give(number, answers)
    table.give(1, ["column 1"])
    with pytest.raises(UserError, match="gone on meanwhile"):
        table.give(1, ["column 2"])
    asked(table, 2)
    assert table.news()[0] == (1, "you: column 1")
    with pytest.raises(UserError, match="gone on meanwhile"):
        table.give(1, ["column 1"])
    with pytest.raises(UserError, match="gone on meanwhile"):
        table.resign(1)


def test_moves_are_taken_back_one_after_the_other(make_venue: MakeVenue, tables: Tables) -> None:
    table = tables.open(make_venue("connect-four", "four-careful"), PERSON, "four-careful")
    asked(table, 1)
    with pytest.raises(UserError, match="no move of yours"):
        table.take_back(1)
    for number in (1, 2):
        asked(table, number)
        table.give(number, ["column 0"])
    asked(table, 3)
    before = table.news()
    table.take_back(3)
    asked(table, 2)
    assert table.news() == before[:2]
    table.give(2, ["column 0"])
    asked(table, 3)
    assert table.news() == before
    table.take_back(3)
    asked(table, 2)
    table.take_back(2)
    asked(table, 1)
    assert table.news() == []


def test_a_game_that_forbids_it_takes_nothing_back(make_venue: MakeVenue, tables: Tables) -> None:
    table = tables.open(
        make_venue("connect-four", "four-random"), PERSON, "four-random", options=GameTableOptions(takes_back=False)
    )
    asked(table, 1)
    table.give(1, ["column 0"])
    asked(table, 2)
    with pytest.raises(UserError, match="no move can be taken back"):
        table.take_back(2)


def test_who_resigns_loses(make_venue: MakeVenue, tables: Tables) -> None:
    table = tables.open(make_venue("connect-four", "four-random"), "four-random", PERSON)
    asked(table, 1)
    table.resign(1)
    assert ended(table) == "Player 1 won by a fault"
    result = table.look()[3]
    assert result is not None
    assert [(fault.seat, fault.message) for fault in result.faults] == [(2, "resigned")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (GameTableOptions(clock_seconds=0.2), "all 0.2 s of the clock are used up"),
        (GameTableOptions(idle_seconds=0.2), "did not answer for 0.2 s"),
        (GameTableOptions(clock_seconds=100, idle_seconds=0.2), "did not answer for 0.2 s"),
        (GameTableOptions(clock_seconds=0.2, idle_seconds=100), "all 0.2 s of the clock are used up"),
    ],
)
def test_clocks_and_who_has_left(make_venue: MakeVenue, tables: Tables, options: GameTableOptions, message: str) -> None:
    table = tables.open(make_venue("connect-four", "four-random"), PERSON, "four-random", options=options)
    ended(table)
    result = table.look()[3]
    assert result is not None
    assert [fault.message for fault in result.faults] == [message]


def test_tanks_are_commanded_together_and_can_win(make_venue: MakeVenue, tables: Tables) -> None:
    table = tables.open(make_venue("tanks", "acorn", maps={"duel": DUEL}), "acorn", PERSON)
    question = asked(table, 1)
    assert question.units == (0,)
    assert table.tank_squares() == {0: 6}
    with pytest.raises(UserError, match="'jump' is not an action"):
        table.give(1, ["jump"])
    for question in questions(table):
        table.give(question.number, ["shoot"])
    assert "Player" in ended(table)


def test_a_hand_of_cards_is_shown_to_its_player_alone(make_venue: MakeVenue, tables: Tables) -> None:
    table = tables.open(make_venue("high-card", "random"), PERSON, "random")
    question = asked(table, 1)
    _, board, _, _, _ = table.look()
    assert "cards" in str(board.panels)
    assert "hand of" not in str(board.panels)
    assert table.news() == []
    table.give(1, [texts(question)[0]])
    question = asked(table, 2)
    assert table.news() == []
    table.resign(2)
    ended(table)
    assert "random: " in str(table.news())


def test_several_play_and_several_decide_at_once(make_venue: MakeVenue, tables: Tables) -> None:
    race = tables.open(make_venue("pig-race", "random", "greedy"), "random", PERSON, "greedy")
    assert "hold" in texts(asked(race, 1))
    race.give(1, ["hold"])
    asked(race, 2)
    both = tables.open(make_venue("dilemma", "random"), PERSON, "random")
    question = asked(both, 1)
    both.give(1, [texts(question)[1]])
    asked(both, 2)
    assert "you: " in both.news()[0][1]


def test_a_match_that_cannot_be_played_says_why(make_venue: MakeVenue, tables: Tables) -> None:
    venue = make_venue("connect-four", "four-random")

    def fail(ports: Mapping[int, SeatPort], recorder: Recorder) -> PlayedMatch:
        raise ZeroDivisionError("no luck")

    table = GameTable(venue.game, (PERSON, "four-random"), 1, fail)
    assert ended(table) == "the game can't go on: ZeroDivisionError: no luck"


@pytest.mark.parametrize(("tells", "expected"), [(True, "a secret"), (False, "")])
def test_what_others_code_said_is_told_only_where_it_may_be(make_venue: MakeVenue, tells: bool, expected: str) -> None:
    def fail(ports: Mapping[int, SeatPort], recorder: Recorder) -> PlayedMatch:
        recorder.start()
        recorder.frame(notes=("player 2: crash: a secret",))
        faults = (Fault(2, Termination.CRASH, "a secret"), Fault(1, Termination.FORFEIT, "resigned"))
        return PlayedMatch(teams=(PERSON, "other"), map="m", winner=1, ranks=(1, 2), faults=faults, message="a secret")

    game = make_venue("connect-four", "four-random").game
    table = GameTable(game, (PERSON, "other"), 1, fail, options=GameTableOptions(tells_faults=tells))
    assert ended(table) == expected
    result, replay = table.look()[3], table.replay()
    assert result is not None
    assert replay is not None
    assert [fault.message for fault in result.faults] == [expected, "resigned"]
    assert replay.message == expected
    assert replay.frames[0].notes == (f"player 2: crash: {expected}".rstrip(" :"),)
