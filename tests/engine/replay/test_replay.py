"""A replay is a start board and what each round changed."""

from __future__ import annotations

import itertools
import pickle

from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.match import Match
from tiltyard_engine.replay import Frame, NullRecorder, Replay, ReplayRecorder

WIDTH, HEIGHT = 3, 2
tokens = st.sampled_from([" ", "#", "#w", "1>", "1<", "*"])
boards = st.lists(tokens, min_size=WIDTH * HEIGHT, max_size=WIDTH * HEIGHT)


def rows_of(board: list[str]) -> tuple[str, ...]:
    """The plain view of a board of tokens."""
    plain = "".join(token[0] for token in board)
    return tuple(plain[row * WIDTH : (row + 1) * WIDTH] for row in range(HEIGHT))


@given(st.lists(boards, min_size=1, max_size=6))
def test_boards_come_back_as_they_were_recorded(played: list[list[str]]) -> None:
    recorder = ReplayRecorder("nim", ["ant", "bee"], "small")
    recorder.start(WIDTH, HEIGHT, played[0])
    for before, after in itertools.pairwise(played):
        recorder.frame([(square, token) for square, token in enumerate(after) if token != before[square]])
    replay = recorder.replay
    plain = [
        tuple("".join(token[0] for token in board[row * WIDTH : (row + 1) * WIDTH]) for row in range(HEIGHT)) for board in played
    ]
    assert [replay.squares_after(number) for number in range(len(played))] == played
    assert [replay.rows_after(number) for number in range(len(played))] == plain
    assert list(replay.all_rows()) == plain
    assert (replay.seats, replay.title, replay.game) == (("ant", "bee"), "small", "nim")


def test_a_frame_holds_all_that_was_said() -> None:
    recorder = ReplayRecorder("nim")
    recorder.start(1, 1, [" "])
    recorder.frame([(0, "#")], ["Shoot"], [1.0], ["boom"])
    recorder.frame([])
    assert recorder.replay.frames == [Frame(((0, "#"),), ("Shoot",), (1.0,), ("boom",)), Frame(())]


def test_looking_at_a_round_leaves_the_replay_alone() -> None:
    replay = Replay(game="nim", width=1, height=1, squares=(" ",), frames=[Frame(((0, "#"),))])
    assert replay.squares_after(1) == ["#"]
    assert replay.squares_after(0) == [" "]
    assert pickle.loads(pickle.dumps(replay)) == replay


def test_a_match_is_not_recorded_unless_asked() -> None:
    match: Match[str, object] = Match(map="map", map_name="name", seats=[])  # type: ignore[type-var]
    assert isinstance(match.recorder, NullRecorder)
    assert not match.recorder.active
    assert (match.seed, match.verbose) == (0, False)
    match.recorder.start(1, 1, [" "])
    match.recorder.frame([])
    assert ReplayRecorder("nim").active
