from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.made_matches import NAMES, NO_RESULT, duel, duels, many, orders

from tiltyard_engine.match_record import Outcome, bye
from tiltyard_engine.results import PairingEnding
from tiltyard_tournaments.standings.scoring import Scoring, number, points
from tiltyard_tournaments.standings.tally import meetings, tally

SCORINGS = st.sampled_from([Scoring(), Scoring(1, 0.5, 0), Scoring(places=(0.1, 0.2, 0.7)), Scoring(by="score")])


@given(duels(with_byes=False))
@settings(deadline=None)
def test_wins_are_losses(matches: list[Outcome]) -> None:
    table = tally(NAMES, matches, Scoring()).values()
    counted = [match for match in matches if match.counts]
    assert sum(score.wins for score in table) == sum(score.losses for score in table)
    assert sum(score.games for score in table) == 2 * len(counted)
    assert sum(score.points for score in table) == sum(3 if match.winner else 2 for match in counted)


@given(st.one_of(duels(), orders()), SCORINGS, st.data())
@settings(deadline=None)
def test_sums_are_exact_and_do_not_depend_on_the_order(matches: list[Outcome], scoring: Scoring, data: st.DataObject) -> None:
    table = tally(NAMES, matches, scoring)
    assert table == tally(NAMES, data.draw(st.permutations(matches)), scoring)
    for name in NAMES:
        single = [points(match, scoring)[seat] for match in matches for seat, team in enumerate(match.teams) if team == name]
        assert table[name].points == (Fraction(float(sum(single))) if scoring.by == "score" else sum(single))


def test_a_strange_team_is_an_error() -> None:
    with pytest.raises(ValueError, match="aren't in the tournament: emu"):
        tally(NAMES, [duel("ant", "emu", 1)], Scoring())


def test_differences_are_against_the_average_of_the_opponents() -> None:
    table = tally(NAMES, [many(1, 2, 3, 3, scores=(9, 4, 1, 1))], Scoring())
    assert [table[name].score_difference for name in NAMES] == [7, Fraction(1, 3), Fraction(-11, 3), Fraction(-11, 3)]


def test_huge_scores_do_not_overflow() -> None:
    matches = [many(1, 2, scores=(1.5e308, -1.5e308))] * 2
    score = tally(NAMES, matches, Scoring(by="score"))["ant"]
    assert score.points == 2 * Fraction(1.5e308)
    assert number(score.score_difference) == 4 * int(1.5e308)


@pytest.mark.parametrize(
    ("ending", "byes", "points"),
    [(PairingEnding.BYE, 1, 3), (PairingEnding.HALF_POINT_BYE, 1, 1), (PairingEnding.LATE, 0, 2), (PairingEnding.ABSENT, 0, 0)],
)
def test_a_round_without_an_opponent_is_no_game(ending: PairingEnding, byes: int, points: float) -> None:
    rest = bye("ant", stage="round 1", ending=ending, points=2 if ending is PairingEnding.LATE else 0)
    assert rest.ending is ending
    score = tally(NAMES, [rest, duel("ant", "bee", 2)], Scoring())["ant"]
    assert (score.games, score.wins, score.byes, float(score.points)) == (1, 0, byes, points)
    assert float(tally(NAMES, [rest], Scoring(by="score"))["ant"].points) == (2 if ending is PairingEnding.LATE else 0)


def test_a_bye_of_several_games_is_one_bye() -> None:
    score = tally(NAMES, [bye("ant", stage="round 1"), bye("ant", stage="round 1")], Scoring())["ant"]
    assert (score.byes, score.games, int(score.points)) == (1, 0, 6)


def test_meetings_keep_their_matches_even_those_that_do_not_count() -> None:
    void = Outcome(teams=("bee", "ant"), map="m", winner=0, ranks=(1, 1), faults=(NO_RESULT,), key="k1", place=1)
    found = meetings([duel("ant", "bee", 1, place=2), void, duel("bee", "ant", 0, place=0)])
    assert found["ant", "bee"].record == "1-1-0"
    assert [match.place for match in found["ant", "bee"].matches] == [0, 1, 2]
    assert found["bee", "ant"].matches[1].key == "k1"
    assert meetings([void])["ant", "bee"].record == ""


def test_among_more_everybody_meets_everybody() -> None:
    found = meetings([many(1, 2, 2, 4)])
    assert [found["bee", other].record for other in ("ant", "cat", "dog")] == ["0-0-1", "0-1-0", "1-0-0"]


@given(st.one_of(duels(), orders()))
@settings(deadline=None)
def test_meetings_mirror_each_other(matches: list[Outcome]) -> None:
    found = meetings(matches)
    for (one, other), meeting in found.items():
        mirrored = found[other, one]
        assert (meeting.wins, meeting.ties, meeting.losses) == (mirrored.losses, mirrored.ties, mirrored.wins)
        assert meeting.share + mirrored.share == meeting.games
