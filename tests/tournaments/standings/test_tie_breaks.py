from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.tournaments.made_matches import NAMES, NO_RESULT, duel, fault, many, scored

from tiltyard_engine.match_record import Outcome, bye
from tiltyard_engine.results import Termination
from tiltyard_tournaments.standings.ranking import Rules, rank
from tiltyard_tournaments.standings.scoring import Scoring
from tiltyard_tournaments.standings.tie_breaks import TIE_BREAKS, collect

CHESS = Scoring(1, 0.5, 0)
SWISS = [
    # Three rounds of five; points: ant 2.5, bee 2, cat 1.5, dog 1, emu 2 (a bye and a forfeit of dog).
    duel("ant", "bee", 1, stage="round 1"),
    duel("cat", "dog", 0, stage="round 1"),
    bye("emu", stage="round 1"),
    duel("ant", "cat", 0, stage="round 2"),
    duel("emu", "dog", 1, "m", fault(2, Termination.FORFEIT), stage="round 2"),
    bye("bee", stage="round 2"),
    duel("ant", "emu", 1, stage="round 3"),
    duel("bee", "cat", 1, stage="round 3"),
    duel("dog", "cat", 0, stage="round 3"),
]
TEAMS = (*NAMES, "emu")


def values(name: str, matches: Sequence[Outcome], group: Sequence[str] = TEAMS, scoring: Scoring = CHESS) -> list[float]:
    found = TIE_BREAKS[name].values(collect(TEAMS, matches, scoring), group)
    return [float(found[team]) for team in group]


def split(name: str, matches: Sequence[Outcome], group: Sequence[str], scoring: Scoring = CHESS) -> list[list[str]]:
    return TIE_BREAKS[name].split(collect(TEAMS, matches, scoring), group)


def test_the_swiss_is_what_its_comment_says() -> None:
    scores = collect(TEAMS, SWISS, CHESS).scores
    assert [float(scores[team].points) for team in TEAMS] == [2.5, 2, 1.5, 1, 2]


def test_wins_with_byes_and_forfeits_of_others() -> None:
    assert values("wins", SWISS) == [2, 2, 0, 0, 2]


def test_buchholz_takes_byes_and_forfeits_as_meetings_with_an_equal() -> None:
    # ant: bee 2, cat 1.5, emu 2; bee: ant 2.5, itself 2, cat 1.5; cat: dog twice 2, ant 2.5, bee 2;
    # dog: cat twice 3, itself 1; emu: itself twice 4, ant 2.5
    assert values("buchholz", SWISS) == [5.5, 6, 6.5, 4, 6.5]
    assert values("buchholz-cut-1", SWISS) == [4, 4.5, 5.5, 3, 4.5]
    assert values("buchholz-median", SWISS) == [2, 2, 3, 1.5, 2]


def test_buchholz_counts_an_opponent_once_a_stage() -> None:
    twice = [match for each in SWISS for match in (each, replace(each, place=each.place + 100))]
    points = {team: float(score.points) for team, score in collect(TEAMS, twice, CHESS).scores.items()}
    assert values("buchholz", twice)[0] == points["bee"] + points["cat"] + points["emu"]


def test_buchholz_cut_of_a_single_opponent_is_nothing() -> None:
    assert values("buchholz-cut-1", [duel("ant", "bee", 1)])[:2] == [0, 0]
    assert values("buchholz-median", [duel("ant", "bee", 1)])[:2] == [0, 0]


def test_a_failed_manager_is_a_meeting_with_an_equal() -> None:
    void = duel("ant", "bee", 0, "m", NO_RESULT)
    assert values("buchholz", [void, duel("bee", "cat", 1), duel("ant", "cat", 1)])[0] == 1


def test_sonneborn_berger() -> None:
    # ant: bee 2 + half of cat 0.75 + emu 2; bee: cat 1.5 + the bye 2; cat: half of dog twice 1 + half of ant 1.25;
    # dog: half of cat twice 1.5; emu: the bye 2 + the forfeit 2
    assert values("sonneborn-berger", SWISS) == [4.75, 3.5, 2.25, 1.5, 4]


def test_sonneborn_berger_among_more_is_by_pairs() -> None:
    # Points by win, tie and loss: ant 3, others 0; then ant loses to nobody and beats teams without points.
    assert values("sonneborn-berger", [many(1, 2, 3), many(3, 1, 2)], NAMES[:3], Scoring()) == [3, 3, 3]


def test_own_scores_and_their_difference() -> None:
    match = scored(duel("ant", "bee", 1), 7.0, 4.0)
    assert values("score", [match, match])[:2] == [14, 8]
    assert values("score-difference", [match, match])[:2] == [6, -6]


def test_fewer_faults_are_better_and_forfeits_are_faults() -> None:
    games = [duel("ant", "bee", 2, "m", fault(1)), duel("cat", "bee", 2, "m", fault(1, Termination.FORFEIT))]
    assert split("faults", games, ("ant", "bee", "cat", "dog")) == [["bee", "dog"], ["ant", "cat"]]


class TestHeadToHead:
    def test_counts_games_among_the_tied_alone(self) -> None:
        games = [duel("ant", "bee", 1), duel("dog", "ant", 1), duel("bee", "dog", 1), duel("ant", "bee", 0)]
        assert values("head-to-head", games, ("ant", "bee")) == [1.5, 0.5]
        assert split("head-to-head", games, ("ant", "bee")) == [["ant"], ["bee"]]

    def test_a_circle_stays_tied(self) -> None:
        circle = [duel("ant", "bee", 1), duel("bee", "cat", 1), duel("cat", "ant", 1)]
        assert split("head-to-head", circle, NAMES[:3]) == [list(NAMES[:3])]

    def test_where_not_all_met_only_the_unreachable_comes_first(self) -> None:
        games = [duel("ant", "bee", 1), duel("ant", "cat", 1)]
        assert split("head-to-head", games, NAMES[:3]) == [["ant"], ["bee", "cat"]]

    def test_where_not_all_met_the_reachable_stays_tied(self) -> None:
        games = [duel("ant", "bee", 1), duel("bee", "cat", 1)]
        assert split("head-to-head", games, NAMES[:3]) == [list(NAMES[:3])]

    def test_own_scores_have_no_greatest_win(self) -> None:
        own = Scoring(by="score")
        games = [scored(duel("ant", "bee", 1), 9, 1), scored(duel("ant", "cat", 1), 9, 2)]
        assert split("head-to-head", games, NAMES[:3], own) == [list(NAMES[:3])]
        assert split("head-to-head", [*games, duel("bee", "cat", 0)], NAMES[:3], own) == [["ant"], ["cat"], ["bee"]]


@pytest.mark.parametrize("name", TIE_BREAKS)
def test_every_tie_break_is_described_and_takes_no_games(name: str) -> None:
    tie_break = TIE_BREAKS[name]
    assert tie_break.name == name
    assert tie_break.description
    assert tie_break.values.__doc__
    assert name == "lots" or split(name, [], NAMES) == [list(NAMES)]


def test_lots_and_the_organisers_order_decide_what_nothing_else_does() -> None:
    matches = [duel("ant", "bee", 0), duel("cat", "dog", 0)]
    one, other = ([line.team for line in rank(NAMES, matches, Rules(tie_breaks=("lots",), seed=seed))] for seed in (1, 2))
    assert sorted(one) == sorted(other) == list(NAMES)
    assert one != other
    lines = rank(NAMES, matches, Rules(tie_breaks=("lots",), seed=1))
    assert [line.place for line in lines] == [1, 2, 3, 4]
    assert [line.tie_breaks["lots"] for line in lines] == [1, 2, 3, 4], "lots are shown"
    ordered = rank(NAMES, matches, Rules(tie_breaks=("order",), order=("dog", "bee")))
    assert [(line.place, line.team) for line in ordered] == [(1, "dog"), (2, "bee"), (3, "ant"), (3, "cat")]
