"""Which matches are asked and in which order, when it is enough, and what is asked again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.tournaments.made_matches import fault
from tests.whatif.games import four

from tiltyard_alike.question_list import AskingLimits, QuestionResult, ask_all, matches_to_ask, questions
from tiltyard_engine.match_record import Outcome
from tiltyard_simulator.match.key import with_key
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy


def made(*teams: str) -> tuple[MatchSpec, Outcome]:
    """A match of teams that are called so."""
    spec = four()
    named = tuple(replace(spec.input.teams[0], shown=team) for team in teams)
    key = "-".join(teams)
    return (
        replace(spec, input=replace(spec.input, teams=named), place=replace(spec.place, key=key)),
        Outcome(teams=teams, map="m", winner=1, ranks=(1, 2)),
    )


def test_all_teams_come_equally_early_and_games_with_faults_not_at_all() -> None:
    names = "abcdefgh"
    games = [made(one, other) for one in names for other in names if one < other]
    faulty = made("a", "x")
    games.append((faulty[0], replace(faulty[1], faults=(fault(1),))))
    order = matches_to_ask([spec for spec, _ in games], [outcome for _, outcome in games])
    assert len(order) == 28
    early = [name for spec in order[:8] for name in spec.input.names]
    assert max(map(early.count, names)) <= 3
    assert matches_to_ask([], []) == []


@pytest.fixture
def specs() -> list[MatchSpec]:
    """Two matches, of which the first is put to everybody twice."""
    return [with_key(four()), with_key(four("four-careful", "four-random"))]


def asked(specs: list[MatchSpec], folder: Path, limits: AskingLimits) -> list[QuestionResult]:
    teams = {team.label: team for team in specs[0].input.teams}
    results: list[QuestionResult] = []
    policy = IsolationPolicy(None)
    specs_and_teams = questions(specs, teams, policy, folder)
    # As in the spec, all is inline.
    own = [
        replace(each, askings=tuple((name, digest, replace(spec, holding=specs[0].holding)) for name, digest, spec in each.askings))
        for each in specs_and_teams
    ]
    ask_all(own, specs[0].input.game, limits, 1, lambda result, spent: results.append(result))
    return results


def test_the_first_match_is_put_to_all_twice_and_nothing_is_asked_again(specs: list[MatchSpec], tmp_path: Path) -> None:
    first, second = asked(specs, tmp_path, AskingLimits())
    assert first.is_whole
    assert second.is_whole
    assert set(first.match.answers) == set(first.match.again) == {"four-random", "four-careful"}
    assert second.match.again == {}
    assert first.match.answers["four-careful"].answers == first.match.again["four-careful"].answers
    again = asked(specs, tmp_path, AskingLimits())
    assert [each.seconds for each in again] == [0.0, 0.0]
    assert [each.match for each in again] == [first.match, second.match]


def test_it_ends_when_it_is_enough(specs: list[MatchSpec], tmp_path: Path) -> None:
    assert len(asked(specs, tmp_path / "positions", AskingLimits(positions=1))) == 1
    (result,) = asked(specs, tmp_path / "seconds", AskingLimits(cpu_seconds=1e-9))
    assert not result.is_whole
    assert result.match.answers == {}
    # With more time it goes on there.
    assert all(each.is_whole for each in asked(specs, tmp_path / "seconds", AskingLimits()))


def test_what_was_answered_to_other_positions_is_asked_again(specs: list[MatchSpec], tmp_path: Path) -> None:
    asked(specs[:1], tmp_path, AskingLimits())
    (file,) = (tmp_path / "alike").iterdir()
    notes = msgspec.json.decode(file.read_bytes())
    notes["positions"][0][3] = "another answer"
    notes["answers"].popitem()
    file.write_bytes(msgspec.json.encode(notes))
    (result,) = asked(specs[:1], tmp_path, AskingLimits())
    assert result.seconds > 0
    assert result.match.positions[0].answer != "another answer"
    assert len(result.match.answers) == len(result.match.again) == 2
    file.write_text("damaged")
    assert asked(specs[:1], tmp_path, AskingLimits())[0].match.positions == result.match.positions
