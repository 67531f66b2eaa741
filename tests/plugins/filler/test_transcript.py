from __future__ import annotations

import pytest
from tests.plugins.filler.recorded import recorded_file
from tests.plugins.filler.test_engine import EXECS, FIRST, Played, Script, end
from tests.plugins.filler.test_manager import OPEN, random_robot
from tests.plugins.filler.test_manager import Played as PlayedMatch

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Replay
from tiltyard_filler.transcript import is_transcript, read_transcript
from tiltyard_kit.conformance import list_of, read_json

PRINTED = EXECS + b"".join(
    [
        FIRST[0] + b"-> Answer (@): 0 0\n\n",
        FIRST[1] + b"-> Answer ($): 9 9\n\n",
        FIRST[1] + b"-> Answer (@): 0 1\n\n",
    ]
)
OF_42 = b"""\
# -------------- VM  version 1.1 ------------- #
launched bots/one
$$$ exec p1 : [bots/one]
launched bots/two
$$$ exec p2 : [bots/two]
Plateau 2 5:
    01234
000 O....
001 ....X
Piece 1 2:
**
<got (O): [0, 0]
Plateau 2 5:
    01234
000 oo...
001 ....X
Piece 1 3:
**.
<got (X): [1, 3]
Plateau 2 5:
    01234
000 OO...
001 ...xx
Piece 1 2:
**
<got (O): [1, 1]
Piece 1 2:
**
<got (X): [9, 9]
== O fin: 1
== X fin: 1
"""


def read(text: bytes) -> Replay:
    replay, frames = read_transcript(text.splitlines(keepends=True))
    replay.frames.extend(frames)
    return replay


def test_the_subjects_engine() -> None:
    replay = read(PRINTED + end(3, 1, "Player1 won!"))
    assert replay.seats == ("one", "two")
    assert replay.rows_after(0) == ("@....", ".....", ".....", ".....", "....$")
    assert replay.rows_after(1)[:2] == ("a....", "a....")
    assert replay.rows_after(3) == ("@....", "a....", "a....", ".....", "....$")
    assert [frame.scores for frame in replay.frames] == [(2, 1), (2, 1), (3, 1)]
    assert [frame.actions for frame in replay.frames] == [
        ("O/O at 0 0", "has O/O to place"),
        ("has O/O to place", "O/O at 9 9: out, a cell lies outside the board"),
        ("O/O at 0 1", ""),
    ]
    assert replay.frames[1].notes == ("player 2 is out",)
    assert (replay.title, replay.message) == ("seed: 42", "Player1 won! 3 : 1 cells")


def test_frames_come_with_the_lines_of_the_next_turn() -> None:
    lines = iter(PRINTED.splitlines(keepends=True))
    _, frames = read_transcript(lines)
    next(frames)
    assert next(lines) == b"\n"
    next(frames)
    assert next(lines) == b"\n"
    assert [frame.actions for frame in frames] == [("O/O at 0 1", "")]


def test_who_plays_on_alone_has_the_next_piece() -> None:
    text = PRINTED + FIRST[1] + b"-> Answer (@): 9 9\n\n"
    assert read(text).frames[2].actions == ("O/O at 0 1; has O/O to place", "")


def test_a_text_that_breaks_off_is_shown_as_far_as_it_goes() -> None:
    _, frames = read_transcript((PRINTED + b"Anfield 5 5:\n").splitlines(keepends=True))
    assert [next(frames).scores for _ in range(3)] == [(2, 1), (2, 1), (3, 1)]
    with pytest.raises(UserError, match="in the middle of a board"):
        next(frames)


def test_recorded_games() -> None:
    for record in list_of(read_json(recorded_file("games.json.gz")), "games or pieces")[:6]:
        assert isinstance(record, dict)
        replay = read(record["stdout"].encode())
        last = record["stdout"].rpartition("Anfield")[2].splitlines()
        # Two turns that place nothing end every game; the last board was printed before the second.
        assert replay.rows_after(len(replay.frames) - 1) == tuple(row[4:] for row in last[2 : 2 + replay.height])
        first, second = (int(score) for score in replay.frames[-1].scores)
        assert replay.message.endswith(f"{first} : {second} cells")


def test_a_replay_of_a_match_shows_the_same_boards() -> None:
    played = PlayedMatch(random_robot(1), random_robot(2), board=OPEN)
    answers = [played.result.log.splitlines()[turn::2] for turn in (0, 1)]
    assert len(answers[0]) > 5
    assert played.replay.rows_after(len(played.replay.frames)) == played.result.final_state


def test_what_ends_a_game_without_a_result() -> None:
    replay = read(Played(Script(b"what?\n"), Script()).output)
    assert replay.frames[0].notes == ("player 1 failed",)
    assert replay.frames[0].actions == ("no answer: 'what?'", "")
    assert replay.message == "The game has no result: a robot failed"


def test_the_engine_of_42() -> None:
    assert is_transcript(OF_42)
    replay = read(OF_42)
    assert replay.seats == ("one", "two")
    assert [replay.rows_after(turn) for turn in range(5)] == [
        ("@....", "....$"),
        ("aa...", "....$"),
        ("@@...", "...ss"),
        ("@@...", "...ss"),
        ("@@...", "...ss"),
    ]
    assert [frame.notes for frame in replay.frames] == [(), (), ("player 1 is out",), ("player 2 is out",)]
    assert replay.frames[0].actions == ("OO at 0 0", "has OO. to place")
    assert replay.frames[1].actions == ("has OO to place", "OO. at 3 1")
    assert replay.message == "Pieces placed: O 1, X 1"


def test_a_board_that_is_not_what_the_rules_make_it_is_shown_as_it_is_printed() -> None:
    text = PRINTED.replace(b"001 a....", b"001 a...@")
    replay = read(text)
    assert replay.rows_after(2)[1] == "a...@"
    assert replay.frames[1].scores == (3, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (EXECS + b"seed: 42\n", "there is no board"),
        (EXECS + FIRST[0][:33], "the input ends after line 5, in the middle of a board"),
        (EXECS + FIRST[0].replace(b"000 @....", b"000 @...!"), "line 5: expected a row of the board of 5 characters"),
        (PRINTED + FIRST[0].replace(b"5 5", b"5 4"), "the board was 5 x 5, but is now 5 x 4"),
        (EXECS + b"Anfield 99999 1:\n", "99999 is too large"),
        (EXECS + b"Anfield " + b"9" * 5000 + b" 1:\n", "line 3: a number of 5000 digits is too large"),
        (PRINTED + b"-> Answer (@): -" + b"9" * 5000 + b" 0\n", "a number of 5000 digits is too large"),
        (OF_42.replace(b"[9, 9]", b"[9, " + b"9" * 5000 + b"]"), "a number of 5000 digits is too large"),
        (PRINTED + b"Piece 3 1:\nOO\n", "expected a row of the piece of 3 characters, got 'OO'"),
    ],
)
def test_what_is_not_printed_by_an_engine(text: bytes, message: str) -> None:
    with pytest.raises(UserError) as caught:
        read(text)
    assert message in str(caught.value)


def test_an_answer_as_42s_engine_prints_it_below_a_board_of_the_subjects() -> None:
    replay = read(EXECS + FIRST[0].partition(b"Piece")[0] + b"<got (O): [0, 0]\n")
    assert [frame.notes for frame in replay.frames] == [("player 1 is out",)]


def test_other_texts() -> None:
    assert not is_transcript(b"hello\nAnfield 3 3:\n")
    assert not is_transcript(b" $$$ exec p1 : [x]\n")
