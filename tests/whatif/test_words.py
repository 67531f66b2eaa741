"""What is said of a match of tanks: whose tanks were destroyed otherwise, and where."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.whatif.games import match_of

from tiltyard_site.explained.explained import summary_lines, team_summary
from tiltyard_whatif.chance import Frequency
from tiltyard_whatif.explained_files import explained_of
from tiltyard_whatif.explaining import Explanation, Kind
from tiltyard_whatif.findings import Findings
from tiltyard_whatif.page import page
from tiltyard_whatif.playing import Rematch
from tiltyard_whatif.search import trial_of, turns_of
from tiltyard_whatif.stored import StoredGame
from tiltyard_whatif.words import as_json, sentences


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    """Of a match that one answer would have won."""
    point, seat = (9, 2), 1
    with Rematch(match_of("tanks", ["coyote", "bramble"], "narrow-pass"), seat) as rematch:
        recorded = rematch.play(lists=True)
        turns = turns_of(recorded.decisions, rematch, "key")
        turn = next(turn for turn in turns if turn.decision.point == point)
        trial, _ = trial_of(rematch, recorded.replay, point, "get battle info")
        turn.trials[trial.answer] = trial
        game = StoredGame(rematch.spec, recorded.outcome, recorded.replay)
        findings = Findings(turns, 0.0, recorded.margin(seat))
        better = rematch.play({point: trial.answer})
        return Explanation(game, seat, recorded, findings, Kind.MISTAKE, tuple(findings.moments()), (better,))


def test_a_better_answer_says_who_was_destroyed_and_who_was_not(explanation: Explanation) -> None:
    because = "tank 2 of bramble is destroyed in turn 22, and tank 1 of coyote is not destroyed in turn 9"
    text = "\n".join(sentences(explanation))
    assert f"Player 1 won with 2 tanks still alive. With it, {because}. Of the 1 other answer tried here, 1 would" in text
    assert "This answer decided the match:\n  turn 9, tank 3 (its 2nd): coyote answered" in text
    assert as_json(explanation)["moments"][0]["because"] == because
    assert because in page(explanation)


def test_a_better_answer_in_a_game_of_chance_may_be_a_worse_one(explanation: Explanation) -> None:
    told = "a better one here may be worse with different dice. --seeds 30 tells."
    assert told not in "\n".join(sentences(explanation))
    by_chance = replace(explanation, has_chance=True)
    assert told in "\n".join(sentences(by_chance))
    assert told in page(by_chance)
    counted = replace(by_chance, frequencies=((Frequency(1, 30), Frequency(2, 30)),))
    assert told not in "\n".join(sentences(counted))


def test_all_matches_say_where_the_tanks_of_a_team_were_destroyed(explanation: Explanation) -> None:
    expected = "Its tanks were destroyed on narrow-pass at: column 5, row 6 (2 times); column 6, row 6 (2 times)."
    assert expected in list(summary_lines(team_summary([explained_of(explanation)] * 2, "coyote")))
    other = explained_of(replace(explanation, seat=2, kind=Kind.OPEN, moments=(), continuations=()))
    assert not any("destroyed" in line for line in summary_lines(team_summary([other], "bramble")))
