"""Who goes on from a tournament to a later one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.tournaments.running.made_runs import Heard, Play, ShuffledExecutor, ended, tournament_of, void

from tiltyard_contest.formats.meetings import seeded_places
from tiltyard_contest.placed_teams import across_groups, placed_teams
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.tournament import Disqualification, TeamAbsence, Tournament
from tiltyard_tournaments.standings.lots import drawn_order
from tiltyard_tournaments.store import Store


def first_in_the_alphabet(spec: MatchSpec) -> int:
    names = spec.input.names
    return names.index(min(names)) + 1


@pytest.fixture
def cup(registry: Registry, tmp_path: Path) -> Tournament:
    return tournament_of(registry, teams=5, folder=tmp_path)


def play(tournament: Tournament, come_of: Play) -> None:
    with Store(tournament.folder) as store:
        run_tournament(tournament, store, ShuffledExecutor(come_of), Heard())


def names(tournament: Tournament, after: int = 0, top: int | None = None) -> list[str]:
    return [team.label for team in placed_teams(tournament, after, top).teams]


def test_places_decide_and_who_left_makes_room(cup: Tournament) -> None:
    play(cup, lambda spec: ended(first_in_the_alphabet(spec)))
    assert names(cup) == ["ann", "bob", "cat", "dan", "eve"]
    assert names(cup, top=2) == ["ann", "bob"]
    assert names(cup, after=2, top=4) == ["cat", "dan"]
    assert not placed_teams(cup, 0, 2).notes
    ann, bob, *_ = cup.teams
    assert names(replace(cup, disqualified=(Disqualification(ann, "late"),)), top=2) == ["bob", "cat"]
    assert names(replace(cup, absences=(TeamAbsence(bob, 0),)), top=2) == ["ann", "cat"]
    assert "has only 5 teams that can advance, not 8" in placed_teams(cup, 0, 8).notes[0]


def test_lots_decide_who_shares_the_last_place(cup: Tournament) -> None:
    play(cup, lambda spec: ended(0))
    by_lot = [cup.names[number] for number in drawn_order(cup.field.seed, cup.names)]
    assert names(cup, top=2) == by_lot[:2]
    (note,) = placed_teams(cup, 0, 2).notes
    assert note == f"{', '.join(by_lot)} share place 1 of Cup; lots were drawn, which put {', '.join(by_lot[:2])} ahead"


def test_nobody_goes_on_before_it_is_over(cup: Tournament) -> None:
    with pytest.raises(UserError, match="Cup has not begun"):
        placed_teams(cup)
    with Store(cup.folder) as store, pytest.raises(KeyboardInterrupt):
        run_tournament(cup, store, ShuffledExecutor(lambda spec: ended(1), ahead=1, stop_after=3), Heard())
    with pytest.raises(UserError, match="Cup is not over: 17 games are still to be played"):
        placed_teams(cup)
    play(cup, lambda spec: void())
    with pytest.raises(UserError, match="Cup is not over: 17 games"):
        placed_teams(cup)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 8])
@pytest.mark.parametrize("top", [1, 2, 3, 4])
def test_those_of_a_group_meet_late(registry: Registry, count: int, top: int) -> None:
    team = tournament_of(registry, teams=2).teams[0]
    groups = [[replace(team, shown=f"{group}{place}") for place in range(top)] for group in range(count)]
    seeds = across_groups(groups)
    assert [each.label for each in seeds[:count]] == [f"{group}0" for group in range(count)]
    assert [each.label[-1] for each in seeds] == [str(place) for place in range(top) for _ in range(count)]
    line = [seeds[seed].label[0] if seed >= 0 else "" for seed in seeded_places(len(seeds))]
    half = len(line) // 2
    if top == 2:
        assert set(line[:half]) | set(line[half:]) >= set(map(str, range(count)))
        assert all(line[:half].count(str(group)) == 1 for group in range(count))
    if top > 1:
        assert all(one != other for one, other in zip(line[::2], line[1::2]))


def test_the_best_of_each_group_go_on(registry: Registry, tmp_path: Path) -> None:
    cup = tournament_of(registry, "groups", teams=5, folder=tmp_path)
    play(cup, lambda spec: ended(first_in_the_alphabet(spec)))
    one, other = (sorted(cup.names[team] for team in teams) for _, teams in cup.format.groups)

    def best(tournament: Tournament, top: int) -> list[str]:
        return [team.label for team in placed_teams(tournament, 0, top, of_each_group=True).teams]

    assert best(cup, 2) == [one[0], other[0], one[1], other[1]]
    ann = cup.teams[cup.names.index(one[0])]
    assert best(replace(cup, disqualified=(Disqualification(ann, "late"),)), 1) == [one[1], other[0]]
    assert sorted(names(cup, top=2)) == sorted([one[0], other[0]])
    (note,) = placed_teams(cup, 0, 3, of_each_group=True).notes
    assert note == f"group {'A' if len(one) == 2 else 'B'} of Cup has only 2 teams that can advance, not 3"
