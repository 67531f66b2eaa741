"""A team is asked the positions of a match that others played: in any game and holding, from the start, with what it remembers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.whatif.games import CONNECT_FOUR, four, held, match_of

from tiltyard_alike.asking import AskedCourse, Questioner, TeamAnswers, asking
from tiltyard_engine.records import Game
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec

GAMES: dict[str, Callable[[], MatchSpec]] = {
    "connect four": four,
    "tanks": lambda: match_of("tanks", ["bramble", "acorn"], "back-yard"),
    "filler": lambda: match_of("filler", ["nearest", "heat"], "map00"),
    "penguins": lambda: match_of("penguins", ["penguins-random", "penguins-greedy"], "small-bay"),
}
TEAM = """
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl

class Counts(TurnAlgorithm):
    def __init__(self, seat):
        self.turns = 0
    def choose(self, position):
        self.turns += 1
        return position.columns[self.turns % len(position.columns)]

class Fails(Counts):
    def choose(self, position):
        if self.turns == 3:
            raise ValueError("no idea")
        return super().choose(position)

@hookimpl
def algorithms():
    yield TurnTeam("counts", "connect-four", Counts)
    yield TurnTeam("fails", "connect-four", Fails)
"""


def asked(
    spec: MatchSpec, team: int, change: Callable[[MatchSpec], MatchSpec] = lambda spec: spec
) -> tuple[AskedCourse, TeamAnswers]:
    """The match, and what one of its two teams answers in all seats."""
    with Questioner(spec.input.game.load_as(Game)) as questioner:
        course = questioner.course(spec)
        return course, questioner.ask(asking(spec, spec.input.teams[team], change), course)


@pytest.mark.parametrize("game", GAMES)
def test_a_team_answers_in_its_own_seat_as_it_did_and_in_the_other_one_as_it_would(game: str) -> None:
    spec = GAMES[game]()
    for team in (0, 1):
        course, answers = asked(spec, team)
        assert len(course.positions) > 10
        assert {position.seat for position in course.positions} == {1, 2}
        own: list[bool] = []
        others: list[bool] = []
        for position, answer in zip(course.positions, answers.answers, strict=True):
            (own if position.seat == team + 1 else others).append(answer == position.answer)
        assert all(own)
        assert not all(others)
        assert answers.problem == ""


def test_a_team_that_remembers_is_asked_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "team.py"
    path.write_text(TEAM)
    spec = match_of("connect-four", [f"{path}:counts", "four-careful"], "standard", CONNECT_FOUR, path)
    course, answers = asked(spec, 0)
    assert [answer for position, answer in zip(course.positions, answers.answers) if position.seat == 1] == [
        position.answer for position in course.positions if position.seat == 1
    ]


def test_a_team_that_fails_answers_nothing_from_there_on(tmp_path: Path) -> None:
    path = tmp_path / "team.py"
    path.write_text(TEAM)
    spec = four()
    with Questioner(spec.input.game.load_as(Game)) as questioner:
        course = questioner.course(spec)
        other = match_of("connect-four", [f"{path}:fails"] * 2, "standard", CONNECT_FOUR, path)
        answers = questioner.ask(asking(spec, other.input.teams[0], lambda each: each), course)
    # Both seats have answered three times.
    assert [answer is not None for answer in answers.answers] == [True] * 6 + [False] * (len(course.positions) - 6)
    assert answers.problem.startswith("crash: choose raised ValueError")


def test_a_tank_that_fails_answers_nothing_from_there_on(tmp_path: Path) -> None:
    path = tmp_path / "team.py"
    path.write_text(
        "from tiltyard_acorn.player import AcornPlayer\nfrom tiltyard_acorn.tank import AcornTank\n"
        "from tiltyard_engine import TankTeam, hookimpl\n"
        "class Tank(AcornTank):\n"
        "    def get_action(self):\n"
        "        if self.round == 5:\n            raise ValueError('no idea')\n"
        "        return super().get_action()\n"
        "@hookimpl\ndef algorithms():\n    yield TankTeam('fails', player=AcornPlayer, tank=Tank)\n"
    )
    spec = match_of("tanks", ["bramble", "acorn"], "back-yard")
    other = match_of("tanks", [str(path)] * 2, "back-yard", path)
    with Questioner(spec.input.game.load_as(Game)) as questioner:
        course = questioner.course(spec)
        answers = questioner.ask(asking(spec, other.input.teams[0], lambda each: each), course)
    turns = {position.turn for position, answer in zip(course.positions, answers.answers) if answer is not None}
    assert max(turns) <= 6
    assert len(answers.answers) == len(course.positions)
    assert "ValueError" in answers.problem


def test_where_a_match_goes_another_way_its_answers_do_not_count(tmp_path: Path) -> None:
    """As in a game with a chance that no seed governs."""
    path = tmp_path / "wide.txt"
    path.write_text("8 6")
    wide = match_of("connect-four", ["four-careful"] * 2, str(path), CONNECT_FOUR)
    spec = four()
    with Questioner(spec.input.game.load_as(Game)) as questioner:
        course = questioner.course(spec)
        answers = questioner.ask(wide, course)
    assert [answer is not None for answer in answers.answers] == [True] + [False] * (len(course.positions) - 1)
    assert answers.problem == "the match goes another way from round 1 on"


@pytest.mark.skipif(probe_confinement().level is not Level.A, reason="needs sandboxes of level A")
def test_a_team_in_a_sandbox_answers_as_in_this_process() -> None:
    spec = four()

    def sandboxed(each: MatchSpec) -> MatchSpec:
        return held(each, Isolation.SANDBOX)

    _, inline = asked(spec, 1)
    _, apart = asked(spec, 1, sandboxed)
    assert apart.answers == inline.answers


def test_a_program_is_asked_as_well(tmp_path: Path) -> None:
    folder = tmp_path / "program"
    folder.mkdir()
    robot = folder / "robot.py"
    # It counts its turns, and answers all of them with a place that is hardly legal.
    robot.write_text(
        "import sys\nturn = 0\nfor line in sys.stdin:\n    if line.startswith('Piece'):\n        turn += 1\n"
        "        [sys.stdin.readline() for _ in range(int(line.split()[2][:-1]))]\n        print(turn, turn, flush=True)\n"
    )
    (folder / "program.toml").write_text(f'game = "filler"\ncommand = ["{sys.executable}", "{robot}"]\n')
    spec = match_of("filler", ["nearest", "nearest"], "map00")
    program = match_of("filler", [str(folder)] * 2, "map00", folder).input.teams[0]
    with Questioner(spec.input.game.load_as(Game)) as questioner:
        course = questioner.course(spec)
        answers = questioner.ask(asking(spec, program, lambda each: held(each, Isolation.PROCESS)), course)
    counts = [[answer for position, answer in zip(course.positions, answers.answers) if position.seat == seat] for seat in (1, 2)]
    assert sum(map(len, counts)) == len(course.positions)
    for each in counts:
        assert len(set(each)) == len(each) > 10
