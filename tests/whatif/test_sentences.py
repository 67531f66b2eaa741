"""What is said of a match that its team lost, whatever the game and however many play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.whatif.games import CONNECT_FOUR, match_of

from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_site.explained.explained import summary_lines, team_summary
from tiltyard_whatif.explained_files import explained_of
from tiltyard_whatif.explaining import Explanation, Kind, explain
from tiltyard_whatif.playing import Rematch
from tiltyard_whatif.stored import StoredGame
from tiltyard_whatif.words import result_in_words, sentences

STUBBORN = """
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl

class Stubborn(TurnAlgorithm):
    def __init__(self, seat):
        pass
    def choose(self, position):
        own = [column for column in range(7) if any(row[column] == "1" for row in position.rows)]
        expected = all(column <= position.columns[0] for column in own)
        return position.columns[0] if expected else 99

@hookimpl
def algorithms():
    yield TurnTeam("stubborn", "connect-four", Stubborn)
"""
HIGHEST = """
from dataclasses import dataclass
from tiltyard_engine import TurnAlgorithm
from tiltyard_engine.rules import Ending, Picture, Rules, game_hooks

@dataclass(frozen=True)
class Said:
    numbers: tuple[int, ...] = ()

class Highest(Rules[Said, int]):
    def start(self, board, seats, chance) -> Said:
        return Said()
    def to_move(self, position):
        return [1, 2, 3]
    def legal(self, position, seat):
        return range(4 if seat == 1 else 5)
    def play(self, position, answers, chance) -> Said:
        return Said(tuple(answers[seat] for seat in (1, 2, 3)))
    def outcome(self, position):
        if not position.numbers:
            return None
        return Ending(ranks=tuple(1 + sum(other > own for other in position.numbers) for own in position.numbers), message="over")
    def draw(self, position, names):
        return Picture(["".join(map(str, position.numbers)) or "..."])

class Zero(TurnAlgorithm[Said, int]):
    number = 0
    def __init__(self, seat):
        pass
    def choose(self, position: Said) -> int:
        return self.number

class Two(Zero):
    number = 2

class Four(Zero):
    number = 4

games, algorithms, maps = game_hooks(
    "highest", Highest(), read=lambda name, data, seats: None, maps={"one": b"one"}, seats=range(3, 4),
    players={"zero": Zero, "two": Two, "four": Four},
)
"""


def explained(spec: MatchSpec, folder: Path) -> Explanation:
    """All about seat 1 of a match."""
    with Rematch(spec, 1) as rematch:
        recorded = rematch.play(lists=True)
    return explain(StoredGame(spec, recorded.outcome, recorded.replay), 1, folder, 30.0)


@pytest.fixture
def three(tmp_path: Path) -> Explanation:
    """Of one question to each of three players, after which the first is the last."""
    (tmp_path / "highest.py").write_text(HIGHEST)
    return explained(match_of("highest", ["zero", "two", "four"], "one", tmp_path / "highest.py"), tmp_path)


def test_a_team_that_fails_by_itself_after_other_answers_is_told(tmp_path: Path) -> None:
    file = tmp_path / "stubborn.py"
    file.write_text(STUBBORN)
    spec = match_of("connect-four", [f"{file}:stubborn", "four-careful"], "standard", CONNECT_FOUR, file)
    explanation = explained(spec, tmp_path)
    trials = explanation.findings.trials
    failed = explanation.findings.failures["illegal move"]
    assert failed > trials / 2
    how_often = f"In {failed} of the {trials} tries stubborn failed by itself afterwards (illegal move)"
    sentence = f"{how_often}, so this says little about the answers."
    assert sentence in list(sentences(explanation))
    row = explained_of(explanation)
    assert sentence in row.lines
    assert row.has_faults
    both = f"In {2 * failed} of the {2 * trials} tries stubborn failed by itself"
    assert any(line.startswith(both) for line in summary_lines(team_summary([row, row], "stubborn")))
    # What was written down is as good as what was tried.
    assert explained(spec, tmp_path).findings.failures == explanation.findings.failures


def test_an_answer_that_only_betters_the_place_says_the_place(three: Explanation) -> None:
    text = "\n".join(sentences(three))
    assert result_in_words(three.recorded.outcome, 1) == "zero came 3rd of 3: over"
    assert "With '3', it would have come 2nd instead of 3rd at once: over" in text
    assert text.endswith("(W win, + a better place, - nothing better, . none tried): +")
    assert "failed by itself" not in text
    assert [turn.mark for turn in explained_of(three).turns] == ["+"]


def test_one_answer_alone_is_not_called_several(three: Explanation) -> None:
    many = replace(three, kind=Kind.MANY)
    assert "\nOnly this answer would have changed the result:\n" in "\n".join(sentences(many))
    row = explained_of(many)
    assert row.reason == "one turn"
    assert "1 in which one other answer would have helped. " in team_summary([row], "zero").headline
    for turn in many.findings.turns:
        turn.trials.pop("1")
    assert "\nOnly this one of the answers that were tried would have changed the result:\n" in "\n".join(sentences(many))


def test_where_nothing_helped_no_answer_gives_a_better_result(three: Explanation) -> None:
    lost = replace(three, kind=Kind.LOST, moments=(), continuations=())
    assert "The match was lost from the start: no other answer of zero gives a better result." in list(sentences(lost))
