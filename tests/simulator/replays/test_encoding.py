from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import DUEL, map_text
from tests.made_specs import made_spec

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_engine.replay import Frame, Replay
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.replays.encoding import decode, encode
from tiltyard_simulator.replays.files import record_replay

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TOKEN = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
SMALL = Replay(
    game="tanks",
    width=2,
    height=1,
    squares=("1E", " "),
    seats=("a", "b"),
    title="duel",
    message="Tie",
    frames=[Frame(((0, " "), (1, "1E")), ("MoveForward",), (1.0, 0.5), ("moved",))],
)


@st.composite
def replays(draw: st.DrawFn) -> Replay:
    width, height = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    size = width * height
    changes = st.lists(st.tuples(st.integers(0, size - 1), TOKEN), max_size=4).map(tuple)
    scores = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=3).map(tuple)
    frames = st.lists(st.builds(Frame, changes, TEXTS, scores, TEXTS), max_size=4)
    squares = tuple(draw(st.lists(TOKEN, min_size=size, max_size=size)))
    return Replay(
        game=draw(TEXT),
        width=width,
        height=height,
        squares=squares,
        seats=draw(TEXTS),
        title=draw(TEXT),
        message=draw(TEXT),
        frames=draw(frames),
    )


@given(replays())
def test_a_replay_comes_back_as_it_was(replay: Replay) -> None:
    data = encode(replay)
    assert decode(data) == replay
    assert encode(decode(data)) == data
    assert data.count(b"\n") == 1 + len(replay.frames)


def test_the_form_is_the_documented_one() -> None:
    assert encode(SMALL).decode().splitlines() == [
        (
            '{"format":"tiltyard replay","version":1,"game":"tanks","title":"duel","seats":["a","b"],"message":"Tie",'
            '"width":2,"height":1,"squares":["1E"," "]}'
        ),
        '[[[0," "],[1,"1E"]],["MoveForward"],[1.0,0.5],["moved"]]',
    ]
    quiet = replace(SMALL, frames=[Frame(()), Frame(((0, "#"),)), Frame((), (), (), ("x",))])
    assert encode(quiet).decode().splitlines()[1:] == ["[]", '[[[0,"#"]]]', '[[],[],[],["x"]]']


def test_a_match_is_kept_whole(tanks: Reference, reference_manager: Reference, teams: dict[str, Reference]) -> None:
    source = MapSource("duel", map_text(DUEL, 20, 5).encode())
    spec = made_spec(game=tanks, manager=reference_manager, map=source, teams=(teams["shooter"], teams["spinner"]), replay=True)
    replay = record_replay(play_match(spec))
    assert replay is not None
    assert decode(encode(replay)) == replay
    assert len(replay.frames) == 3


HEADER = encode(replace(SMALL, frames=[])).decode().rstrip("\n")


def changed(**changes: object) -> str:
    return json.dumps({**json.loads(HEADER), **changes})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: Input data was truncated"),
        ("hello", "line 1: JSON is malformed"),
        ("{}", 'line 1: not the first line of a replay: expected "format":"tiltyard replay"'),
        ("[]", "line 1: Expected `object`, got `array`"),
        (changed(version=3), "line 1: of version 3 of the format; this tiltyard reads versions 1 and 2"),
        (changed(height=2), "line 1: 2 squares, expected width x height: 2 x 2"),
        (changed(width=0), "line 1: a board of 0 x 1 squares"),
        (changed(squares=["", "x"]), "line 1: an empty token on the board"),
        (changed(seats=[1]), r"line 1: Expected `str`, got `int` - at `$.seats[0]`"),
        (f'{HEADER}\n[]\n[[[2,"#"]]]\n', "line 3: square 2 is not on the board: expected 0 to 1"),
        (f'{HEADER}\n[[[0,""]]]\n', "line 2: an empty token on square 0"),
        (f'{HEADER}\n[[[0,"#"]]', "line 2: Input data was truncated"),
        (f"{HEADER}\n\n[]\n", "line 2: Input data was truncated"),
        (f"{HEADER}\n[[],[],[],[],[],[]]\n", "line 2: Expected `array` of at most length 5"),
    ],
)
def test_what_is_no_replay_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(UserError) as raised:
        decode(text.encode(), "cup.replay")
    assert str(raised.value).startswith(f"cup.replay, {message}")


@pytest.mark.parametrize(
    ("replay", "message"),
    [
        (replace(SMALL, squares=("1E",)), "the start: 1 squares"),
        (replace(SMALL, frames=[Frame(()), Frame((), (), (float("nan"),))]), "round 2: a score of nan"),
        (replace(SMALL, frames=[Frame(((7, "#"),))]), "round 1: square 7"),
        (replace(SMALL, frames=[Frame((), (3,))]), "round 1: 3 is not a string"),  # type: ignore[arg-type]
        (replace(SMALL, message="\udc80"), "the start: 'utf-8' codec can't encode"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(replay: Replay, message: str) -> None:
    with pytest.raises(UserError, match="the replay of duel cannot be written: ") as raised:
        encode(replay)
    assert message in str(raised.value)


def test_the_documented_example_can_be_read() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "replays.md"
    example = page.read_text(encoding="utf-8").split("```json\n")[1].split("```")[0]
    replay = decode(example.encode())
    assert encode(replay).decode() == example
    assert [replay.rows_after(number) for number in range(4)] == [("1 ",), (" 1",), (" 1",), ("  ",)]
