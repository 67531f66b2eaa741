"""Teams that share a place that matters play for it; the games decide nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, ended, tournament_of

from tiltyard_contest.placed_teams import placed_teams
from tiltyard_contest.stages import stage_document
from tiltyard_contest.tie_break_games import tie_break_games
from tiltyard_contest.trf import trf_text
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Registry
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.running.tables import TABLES, standings, tables_of
from tiltyard_tournaments.running.tournament import TeamAbsence, Tournament
from tiltyard_tournaments.standings.lots import drawn_order
from tiltyard_tournaments.standings.scoring import TIE_BREAK_MATCH
from tiltyard_tournaments.store import Store
from tiltyard_tournaments.store.drawn_rounds import read_rounds
from tiltyard_tournaments.tournament_file.document import read_document


def cup(registry: Registry, folder: Path, name: str = "round-robin", teams: int = 4, cuts: tuple[int, ...] = (1,)) -> Tournament:
    folder.mkdir(exist_ok=True)
    tournament = tournament_of(registry, name, teams, maps=2, folder=folder, options={"rounds": 2} if name == "swiss" else {})
    rules = replace(tournament.rules, tie_breaks=("wins", "match"), cuts=cuts)
    return replace(tournament, rules=rules, tie_break_games=tie_break_games)


def drawn_but_tie_breaks(spec: MatchSpec) -> MatchRecord:
    """All games are drawn, but in tie-break matches the first in the alphabet wins."""
    names = spec.input.names
    return ended(names.index(min(names)) + 1 if spec.place.stage == TIE_BREAK_MATCH else 0)


def drawn(spec: MatchSpec) -> MatchRecord:
    return ended(0)


def run(tournament: Tournament, executor: ShuffledExecutor) -> Schedule:
    with Store(tournament.folder) as store:
        return run_tournament(tournament, store, executor, Heard())


def tie_breaks(schedule: Schedule) -> list[tuple[tuple[str, ...], str, int]]:
    return [(each.teams, each.map, each.game) for each in schedule.records if each.stage == TIE_BREAK_MATCH]


def places(tournament: Tournament, schedule: Schedule) -> list[tuple[int, str]]:
    return [(line.place, line.team) for line in standings(tournament, schedule)]


@pytest.mark.parametrize("name", ["round-robin", "swiss", "pools"])
def test_who_shares_the_first_place_plays_for_it(registry: Registry, tmp_path: Path, name: str) -> None:
    tournament = cup(registry, tmp_path, name)
    schedule = run(tournament, ShuffledExecutor(drawn_but_tie_breaks))
    games = tie_breaks(schedule)
    # Each pair in both orders of seats, on one map and with a seed that no other game has.
    assert len(games) == len(set(games)) == 12
    assert len({(map_, game) for _, map_, game in games}) == 1
    assert games[0][2] > max(each.game for each in schedule.records if each.stage != TIE_BREAK_MATCH)
    assert places(tournament, schedule) == [(1, "ann"), (2, "bob"), (3, "cat"), (4, "dan")]
    # Points and every other table are as if there had been none.
    plain = replace(tournament, tie_break_games=None)
    with Store(tmp_path) as store:
        before = follow(plain, store.ended_as).schedule
    others = [each for each in TABLES if each not in ("standings", "games")]
    assert tables_of(tournament, schedule, others) == tables_of(plain, before, others)
    assert [line.score for line in standings(tournament, schedule)] == [line.score for line in standings(plain, before)]
    assert len(tables_of(tournament, schedule, ["games"])[0].rows) == len(before.records) + 12
    if name == "swiss":
        codes = [line[89:] for line in trf_text(tournament, schedule).splitlines() if line.startswith("001")]
        assert codes == [line[89:] for line in trf_text(plain, before).splitlines() if line.startswith("001")]
        with Store(tmp_path) as store:
            assert len(read_rounds(store, "swiss", by_stage=True)) == 2


def test_after_two_games_more_lots_decide(registry: Registry, tmp_path: Path) -> None:
    tournament = cup(registry, tmp_path, teams=2)
    schedule = run(tournament, ShuffledExecutor(drawn))
    assert [teams for teams, _, _ in tie_breaks(schedule)] == [("ann", "bob"), ("bob", "ann")] * 2
    assert len({map_ for _, map_, _ in tie_breaks(schedule)}) == 2
    by_lot = [("ann", "bob")[number] for number in drawn_order(tournament.field.seed, ("ann", "bob"))]
    assert places(tournament, schedule) == [(1, by_lot[0]), (2, by_lot[1])]


def test_a_place_that_matters_for_nothing_stays_shared(registry: Registry, tmp_path: Path) -> None:
    """ann wins all; of the others, nobody is at a cut, or all are."""

    def ann_wins(spec: MatchSpec) -> MatchRecord:
        names = spec.input.names
        if "ann" in names:
            return ended(names.index("ann") + 1)
        return drawn_but_tie_breaks(spec)

    first = cup(registry, tmp_path / "first")
    schedule = run(first, ShuffledExecutor(ann_wins))
    assert not tie_breaks(schedule)
    assert places(first, schedule) == [(1, "ann"), (2, "bob"), (2, "cat"), (2, "dan")]
    third = cup(registry, tmp_path / "third", cuts=(1, 3))
    schedule = run(third, ShuffledExecutor(ann_wins))
    assert len(tie_breaks(schedule)) == 6
    assert places(third, schedule)[2:] == [(3, "cat"), (4, "dan")]
    assert [team.label for team in placed_teams(third, 0, 3).teams] == ["ann", "bob", "cat"]
    assert not placed_teams(third, 0, 3).notes
    # Who has left does not go on, so nobody plays against it.
    left = replace(cup(registry, tmp_path / "left", cuts=(3,)), absences=(TeamAbsence(third.teams[3], 99),))
    assert not tie_breaks(run(left, ShuffledExecutor(ann_wins)))


def test_each_group_has_its_own_cut(registry: Registry, tmp_path: Path) -> None:
    tournament = cup(registry, tmp_path, "groups")
    schedule = run(tournament, ShuffledExecutor(drawn_but_tie_breaks))
    groups = [sorted(tournament.names[team] for team in teams) for _, teams in tournament.format.groups]
    assert {frozenset(teams) for teams, _, _ in tie_breaks(schedule)} == set(map(frozenset, groups))
    assert [team for place, team in places(tournament, schedule) if place == 1] == [names[0] for names in groups]


@pytest.mark.parametrize("stop", [14, 20])
def test_a_run_that_was_stopped_goes_on_with_the_same_tie_breaks(registry: Registry, tmp_path: Path, stop: int) -> None:
    """In the first of the tie-break batches, and in the second."""
    whole = run(cup(registry, tmp_path / "whole", teams=3), ShuffledExecutor(drawn))
    tournament = cup(registry, tmp_path / "stopped", teams=3)
    assert stop < len(whole.records) == 12 + 12
    with pytest.raises(KeyboardInterrupt):
        run(tournament, ShuffledExecutor(drawn, 3, stop_after=stop))
    again = run(tournament, ShuffledExecutor(drawn, 4))
    assert tie_breaks(again) == tie_breaks(whole)
    assert places(tournament, again) == places(tournament, whole)
    with Store(tournament.folder) as store:
        assert tie_breaks(follow(tournament, store.ended_as).schedule) == tie_breaks(whole)


@pytest.mark.parametrize(
    ("stages", "cuts"),
    [
        ("  - {name: finals, teams: {from: groups, top: 4}}\n", [1, 4]),
        ("  - {name: finals, teams: [{from: groups, top: 4}, x]}\n  - {name: l, teams: {from: groups, after: 6}}\n", [1, 4, 6]),
        ("  - {name: finals}\n", [1]),
    ],
)
def test_the_last_place_that_goes_on_matters(tmp_path: Path, stages: str, cuts: list[int]) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(f"stages:\n  - {{name: groups}}\n{stages}")
    assert stage_document(read_document(file), file, "groups").data["cuts"] == cuts
    file.write_text(f"stages:\n  - {{name: groups, cuts: [2]}}\n{stages}")
    assert stage_document(read_document(file), file, "groups").data["cuts"] == [2]
