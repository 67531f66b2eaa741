"""Which teams of a class are said to answer alike, and of which nothing can be said."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from tests.alike.made_classes import MATCHES, POSITIONS, answers_of, asked, changed

from tiltyard_alike.answer_table import PairWeights, answer_table
from tiltyard_alike.asking import TeamAnswers
from tiltyard_alike.comparison import FEWEST_TEAMS, AlikePair, compare
from tiltyard_alike.evidence import MOST_OF_A_MATCH, MOST_OF_A_PAIR, SharedAnswers

CLASS = {f"t{number}": answers_of(number) for number in range(12)}


def named(pairs: list[AlikePair]) -> set[tuple[str, str]]:
    return {(pair.one, pair.other) for pair in pairs}


def test_independent_teams_are_no_hint() -> None:
    comparison = compare(asked(CLASS), list(CLASS))
    assert comparison.hints == []
    assert (comparison.teams, comparison.positions, comparison.too_few) == (12, MATCHES * POSITIONS, 0)
    assert len(comparison.pairs) == 66
    assert comparison.not_compared == ()


@pytest.mark.parametrize("every", [10**9, 100])
def test_a_copy_is_a_hint_and_so_is_one_with_some_other_answers(every: int) -> None:
    teams = {**CLASS, "copy": changed(CLASS["t3"], every)}
    comparison = compare(asked(teams), list(teams))
    assert named(comparison.hints) == {("t3", "copy")}
    (pair,) = comparison.hints
    assert pair.compared == MATCHES * POSITIONS
    assert pair.compared - pair.equal == (1 if every > 100 else 3)
    assert pair.usual < 0.3
    low, high = pair.interval
    assert low <= pair.difference <= high < 0.1 < pair.nearest


def test_copies_of_many_teams_do_not_hide_each_other() -> None:
    teams = {**CLASS, **{f"copy{number}": CLASS[f"t{number}"] for number in range(5)}}
    comparison = compare(asked(teams), list(teams))
    assert named(comparison.hints) == {(f"t{number}", f"copy{number}") for number in range(5)}


def test_a_group_that_shares_one_program_is_named_as_a_whole() -> None:
    teams = {**CLASS, "a": CLASS["t1"], "b": CLASS["t1"], "c": CLASS["t1"]}
    comparison = compare(asked(teams), list(teams))
    assert len(comparison.hints) == 6
    assert {name for pair in comparison.hints for name in (pair.one, pair.other)} == {"t1", "a", "b", "c"}


def test_what_a_sample_answers_as_well_does_not_count() -> None:
    sample = answers_of("sample")
    # Both have changed the sample a little, each in its own way.
    chance = Random(1)

    def own(answers: list[list[str]]) -> list[list[str]]:
        return [[text if chance.random() < 0.7 else f"{chance.randrange(7)}" for text in match] for match in answers]

    teams = {**CLASS, "one": own(sample), "other": own(sample), "sample": sample}
    pairs = [compare(asked(teams), list(teams), samples).pairs for samples in (frozenset[str](), frozenset({"sample"}))]
    without, with_sample = ({frozenset((pair.one, pair.other)): pair for pair in each} for each in pairs)
    both = frozenset(("one", "other"))
    assert without[both].difference < 0.5 < with_sample[both].difference
    assert not any("sample" in pair for pair in with_sample)


def test_a_team_that_answers_by_chance_cannot_be_compared() -> None:
    teams = {**CLASS, "moody": answers_of("moody")}
    comparison = compare(asked(teams, {"moody": answers_of("moody again")}), list(teams))
    ((name, why),) = comparison.not_compared
    assert name == "moody"
    assert why.startswith("it gave a different answer when it was asked again, at ")
    assert why.endswith(f" of {POSITIONS} positions")
    assert not any("moody" in (pair.one, pair.other) for pair in comparison.pairs)


def test_a_team_that_seldom_answers_otherwise_is_compared_by_the_rest() -> None:
    teams = {**CLASS, "copy": CLASS["t3"]}
    comparison = compare(asked(teams, {"copy": changed(CLASS["t3"], 30)}), list(teams))
    (pair,) = comparison.hints
    assert pair.equal == pair.compared == MATCHES * POSITIONS - 2


def test_a_team_that_failed_early_cannot_be_compared() -> None:
    failure = TeamAnswers((None,) * POSITIONS, 0.1, "crash: choose raised ValueError")
    matches = [msgspec.structs.replace(match, answers={**match.answers, "t0": failure}) for match in asked(CLASS)]
    ((name, why),) = compare(matches, list(CLASS)).not_compared
    assert (name, why) == ("t0", f"it answered 0 of {MATCHES * POSITIONS} positions: crash: choose raised ValueError")


def test_nothing_is_said_where_nearly_all_answer_the_same() -> None:
    teams = {f"t{number}": [["same"] * POSITIONS for _ in range(MATCHES)] for number in range(12)}
    comparison = compare(asked(teams), list(teams))
    assert comparison.pairs == ()
    assert comparison.too_few == 66


def test_two_of_very_few_teams_are_no_hint() -> None:
    teams = {f"t{number}": answers_of(number) for number in range(FEWEST_TEAMS - 2)} | {"copy": answers_of(0)}
    comparison = compare(asked(teams), list(teams))
    assert comparison.hints == []
    assert comparison.pairs[0].equal == comparison.pairs[0].compared


def test_games_that_one_of_them_has_played_do_not_count() -> None:
    matches = [msgspec.structs.replace(match, teams=("t0", "t1")) if at == 0 else match for at, match in enumerate(asked(CLASS))]
    pairs = {(pair.one, pair.other): pair for pair in compare(matches, list(CLASS)).pairs}
    assert pairs["t0", "t2"].compared == pairs["t0", "t1"].compared == (MATCHES - 1) * POSITIONS
    assert pairs["t2", "t3"].compared == MATCHES * POSITIONS


def test_a_rare_answer_tells_more_than_a_usual_one() -> None:
    teams = {f"t{number}": [["usual"] * POSITIONS for _ in range(MATCHES)] for number in range(10)}
    teams["t0"] = teams["t1"] = [["rare", *["usual"] * (POSITIONS - 1)] for _ in range(MATCHES)]
    table = answer_table(asked(teams), list(teams))
    weights = PairWeights(table).of(0, 1).weights
    assert weights[0] == pytest.approx(2.89, abs=0.01)  # log(9 / 0.5), of eight others
    # log(9 / 8.5) is too little to count.
    assert weights[1] == 0.0
    # Whoever differs from all has the information of both answers.
    assert PairWeights(table).of(0, 2).weights[0] == pytest.approx((1.79 + 0.16) / 2, abs=0.02)


def test_the_evidence_of_a_pair_is_what_hardly_anybody_else_answers() -> None:
    copy = [[*match] for match in CLASS["t3"]]
    for match in copy:
        match[7] = "unheard of"
    teams = {**CLASS, "t3": copy, "copy": copy}
    matches = asked(teams)
    (pair,) = compare(matches, list(teams)).hints
    answers = SharedAnswers(matches, list(teams)).of(pair)
    assert len(answers) == MOST_OF_A_PAIR
    assert sum(each.answer == "unheard of" for each in answers) >= MATCHES - MOST_OF_A_MATCH
    first = next(each for each in answers if each.answer == "unheard of")
    assert first.position.turn == 8
    assert sum(count for _, count in first.others) == 11
    assert all(text != "unheard of" for text, _ in first.others)
