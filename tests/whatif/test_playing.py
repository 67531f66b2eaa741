"""A match is played again with another answer put in, in any game and in any holding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.plugins.advance.boards import sparse
from tests.plugins.penguins.matches import PYTHON
from tests.whatif.games import CONNECT_FOUR, PENGUIN_PROGRAM, four, held, match_of

from tiltyard_advance.board_files import write_board_file
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.replays.encoding import encode
from tiltyard_simulator.replays.files import record_replay
from tiltyard_whatif.playing import Course, OtherwiseError, Rematch, check_same, first_difference


def few_pieces() -> MatchSpec:
    """A short game of Advance."""
    spec = match_of("advance", ["random", "greedy"], "advance-start")
    board = write_board_file(sparse("Ga9", "gi1", "Ze5", "me3", "Zb2", "zh8"))
    return replace(spec, input=replace(spec.input, map=MapSource("few", board)))


GAMES: dict[str, Callable[[], MatchSpec]] = {
    "connect four": four,
    "tanks": lambda: match_of("tanks", ["bramble", "acorn"], "city-blocks"),
    "filler": lambda: match_of("filler", ["nearest", "heat"], "map00"),
    "penguins": lambda: match_of("penguins", ["penguins-random", "penguins-greedy"], "small-bay"),
    "advance": few_pieces,
}


def courses(spec: MatchSpec, seat: int = 1) -> tuple[Course, Course, int]:
    """The match as it was and with another answer in its middle, and the turn of that."""
    with Rematch(spec, seat) as rematch:
        recorded = rematch.play(lists=True)
        decisions = [each for each in recorded.decisions if len(rematch.choices.texts(each.view, seat)) > 1]
        decision = decisions[len(decisions) // 2]
        same = rematch.play({decision.point: decision.answer})
        assert encode(same.replay) == encode(recorded.replay)
        for text in rematch.choices.texts(decision.view, seat):
            other = rematch.play({decision.point: text})
            if text != decision.answer and first_difference(recorded.replay, other.replay) is not None:
                return recorded, other, decision.turn
    raise AssertionError("no other answer changes anything")


def recorded_by(spec: MatchSpec) -> MatchRecord:
    record = play_match(spec)
    assert not record.outcome.faults
    return record


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_the_recorded_one_up_to_the_turn_and_another_one_from_there(game: str) -> None:
    spec = GAMES[game]()
    replay = record_replay(recorded_by(spec))
    assert replay is not None
    recorded, other, turn = courses(spec)
    assert encode(recorded.replay) == encode(replay)
    assert first_difference(replay, other.replay) == turn
    assert other.outcome.faults == ()
    points = recorded.outcome.scores or recorded.outcome.remaining
    assert [recorded.margin(seat) for seat in (1, 2)] == ([points[0] - points[1], points[1] - points[0]] if points else [0, 0])


def test_all_holdings_come_to_the_same() -> None:
    for game in ("connect four", "tanks"):
        inline = courses(GAMES[game]())
        apart = courses(held(GAMES[game](), Isolation.PROCESS))
        assert [encode(course.replay) for course in inline[:2]] == [encode(course.replay) for course in apart[:2]]
        assert inline[2] == apart[2]


@pytest.mark.skipif(probe_confinement().level is Level.C, reason="this machine can't confine code")
def test_a_sandboxed_match_takes_another_answer_as_well() -> None:
    inline, confined = courses(four()), courses(held(four(), Isolation.SANDBOX))
    assert encode(inline[1].replay) == encode(confined[1].replay)
    assert confined[1].outcome.held == (f"sandbox, level {probe_confinement().level}",) * 2


def test_a_program_that_runs_anew_for_each_move_plays_on(tmp_path: Path) -> None:
    folder = tmp_path / "honest"
    folder.mkdir()
    for name in ("honest.py", "link.py"):
        (folder / name).write_text((PENGUIN_PROGRAM.parent / name).read_text())
    command = f'["{PYTHON}", "-S", "-B", "{folder / "honest.py"}"]'
    (folder / "program.toml").write_text(f'game = "penguins"\ncommand = {command}\n')
    cove = tmp_path / "cove.txt"
    cove.write_text("3 4\n10 20 10 10\n30 10 10 20\n10 20 30 10\npenguins=1\n")
    spec = held(match_of("penguins", [str(folder), "penguins-random"], str(cove)), Isolation.PROCESS)
    replay = record_replay(recorded_by(spec))
    recorded, other, turn = courses(spec)
    assert replay is not None
    assert encode(recorded.replay) == encode(replay)
    assert first_difference(replay, other.replay) == turn


def test_a_team_is_asked_as_ever_where_another_answer_is_put_in(tmp_path: Path) -> None:
    team = tmp_path / "noting.py"
    asked = tmp_path / "asked"
    team.write_text(
        f"from pathlib import Path\nimport sys\nsys.path.insert(0, {str(CONNECT_FOUR.parent)!r})\n"
        "from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl\n"
        "class Noting(TurnAlgorithm):\n"
        "    def __init__(self, seat):\n        pass\n"
        "    def choose(self, position):\n"
        f"        with open({str(asked)!r}, 'a') as file:\n            file.write('x')\n"
        "        return position.columns[0]\n"
        "@hookimpl\ndef algorithms():\n    yield TurnTeam('noting', 'connect-four', Noting)\n"
    )
    spec = match_of("connect-four", [str(team), "four-careful"], "standard", CONNECT_FOUR, team)
    with Rematch(spec, 1) as rematch:
        recorded = rematch.play(lists=True)
        asked.write_text("")
        other = rematch.play({(3, 1): "column 5"})
    assert recorded.replay.frames[2].actions[0] == "column 0"
    assert other.replay.frames[2].actions[0] == "column 5"
    assert len(asked.read_text()) == sum(bool(frame.actions[0]) for frame in other.replay.frames)


def test_what_cant_be_put_in_is_refused() -> None:
    with Rematch(four(), 1) as rematch:
        with pytest.raises(UserError, match="'column 9' is not a legal answer; legal: column 0, column 1"):
            rematch.play({(3, 1): "column 9"})
        with pytest.raises(UserError, match="four-random gives no answer in turn 4"):
            rematch.play({(4, 1): "column 1"})


def test_a_match_that_comes_out_otherwise_is_told() -> None:
    recorded, other, turn = courses(four())
    check_same(recorded.replay, other, before=turn)
    with pytest.raises(OtherwiseError, match=f"The first difference: round {turn}"):
        check_same(recorded.replay, other)
    with pytest.raises(OtherwiseError):
        check_same(recorded.replay, other, before=turn + 1)
    renamed = replace(recorded, replay=replace(recorded.replay, seats=("x", "y")))
    check_same(recorded.replay, renamed)
