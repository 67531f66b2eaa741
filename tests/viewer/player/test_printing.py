from __future__ import annotations

import io

import pytest
from tests.viewer.samples import THEME, walk

from tiltyard_engine.replay import Frame, Theme
from tiltyard_viewer.player.play import Display, watch

GROWTH = [
    "scores by round",
    "7                                                                       111111",
    "                                                             111111111111",
    "                                                   11111111111",
    "                                        111111111111",
    "                             111111111111",
    "                   11111111111",
    "        ************2222222222222222222222222222222222222222222222222222222222",
    "0",
]


class Utf8Pipe(io.StringIO):
    encoding = "utf-8"


def test_a_pipe_gets_the_final_board_and_how_it_ended() -> None:
    stdout = Utf8Pipe()
    watch(walk(7, 4, 2), THEME, stdout=stdout)
    assert stdout.getvalue().splitlines() == [
        "ants a walk",
        "round 7",
        "1 ann: 7   2 bo: 0.5",
        "1 Walk   2 Wait",
        "  ┌0───────┐",
        "0 │        │",
        "1 │      a→│",
        "  └────────┘",
        "",
        "ann won by walking",
    ]


def test_how_the_scores_grew_is_printed_where_the_game_says_so() -> None:
    stdout = Utf8Pipe()
    watch(walk(7, 4, 2), Theme(styles=THEME.styles, seat_colors=THEME.seat_colors, prints_growth=True), stdout=stdout)
    assert stdout.getvalue().splitlines()[8:] == ["", *GROWTH, "", "ann won by walking"]


def test_every_round_can_be_printed() -> None:
    stdout = io.StringIO()
    watch(walk(7, 4, 2), THEME, Display(every_round=True), stdout=stdout)
    lines = stdout.getvalue().splitlines()
    assert [line for line in lines if line.startswith("round")] == [f"round {number}" for number in range(8)]
    assert lines.count("lap 1") == 1
    assert stdout.getvalue().isascii()


def test_arriving_frames_are_printed_as_they_come() -> None:
    stdout = io.StringIO()
    replay = walk(2)
    seen: list[bool] = []

    def arriving() -> list[Frame]:
        return walk(5).frames[2:]

    def frames() -> object:
        for number, frame in enumerate(arriving(), start=3):
            yield frame
            seen.append(f"round {number}\n" in stdout.getvalue())
        replay.message = "came late"

    watch(replay, THEME, Display(every_round=True), frames=frames(), stdout=stdout)  # type: ignore[arg-type]
    assert seen == [True] * 3
    assert stdout.getvalue().endswith("came late\n")


def test_what_the_frames_raise_comes_out() -> None:
    with pytest.raises(EOFError):
        watch(walk(1), THEME, frames=iter(_Broken()), stdout=io.StringIO())


class _Broken:
    def __iter__(self) -> _Broken:
        return self

    def __next__(self) -> Frame:
        raise EOFError


def test_untrusted_text_is_neutralised() -> None:
    stdout = Utf8Pipe()
    hostile = "\x1b]0;owned\x07\x1b[31mevil\nround 99"
    replay = walk(1, title=hostile, seats=(hostile,))
    replay.game = replay.message = hostile
    replay.frames.append(Frame(((0, hostile),), (hostile,), (), (hostile,)))
    watch(replay, None, Display(every_round=True), stdout=stdout)
    assert "\x1b" not in stdout.getvalue()
    assert "\x07" not in stdout.getvalue()
    assert "evil round 99" in stdout.getvalue()
    assert "\nround 99" not in stdout.getvalue()


def test_colors_can_be_forced_into_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    stdout = Utf8Pipe()
    watch(walk(1), THEME, Display(color=True), stdout=stdout)
    assert "\x1b[38;5;" in stdout.getvalue()


@pytest.mark.parametrize("speed", [0, -1, float("nan")])
def test_a_speed_that_is_none_is_refused(speed: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        watch(walk(1), THEME, Display(speed=speed), stdout=io.StringIO())
