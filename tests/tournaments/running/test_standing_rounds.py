"""A round that was drawn is a fact: changes of teams, maps and settings change only later rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tournaments.formats.playing import by_chance as chance_of
from tests.tournaments.formats.playing import field_of, result_of
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, by_chance, tournament_of

from tiltyard_engine.formats import Absence, FixtureResult
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import PairingEnding
from tiltyard_tournaments.formats.swiss import Swiss, SwissOptions
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.running.standing_rounds import with_rounds, with_standing_rounds
from tiltyard_tournaments.running.tables import byes_of, standings
from tiltyard_tournaments.running.tournament import Disqualification, TeamAbsence, Tournament
from tiltyard_tournaments.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as opened:
        yield opened


def swiss(registry: Registry, teams: int, maps: int = 1, rounds: int = 0) -> Tournament:
    """Of five rounds of two games a meeting, or three where there are few teams, or as many as are asked for."""
    options = {"rounds": rounds or (5 if teams > 4 else 3)}
    return tournament_of(registry, "swiss", teams, maps, options=options)


def play(tournament: Tournament, store: Store, matches: int | None = None) -> Schedule:
    """Play on; ``matches`` stops the run after so many."""
    standing = with_standing_rounds(tournament, store)
    try:
        return run_tournament(standing, store, ShuffledExecutor(by_chance(7), ahead=1, stop_after=matches), Heard())
    except KeyboardInterrupt:
        return follow(with_standing_rounds(tournament, store), store.ended_as).schedule


def pairings(schedule: Schedule, rounds: int) -> dict[tuple[str, ...], str]:
    """Who met whom in the first rounds, by seats and map, and who won."""
    first = {f"round {number}" for number in range(1, rounds + 1)}
    return {(*each.teams, each.map, each.stage): each.winner_name or "" for each in schedule.records if each.stage in first}


def opponents(schedule: Schedule, stage: str) -> set[str]:
    return {team for each in schedule.records if each.stage == stage for team in each.teams}


def endings(tournament: Tournament, schedule: Schedule, team: str) -> dict[str, PairingEnding]:
    return {each.stage: each.ending for each in byes_of(tournament, schedule) if each.teams == (team,)}


def without(tournament: Tournament, registry: Registry, name: str) -> Tournament:
    """The tournament as its file has it when the file of a team has vanished."""
    teams = tuple(team for team in tournament.teams if team.label != name)
    return replace(tournament, teams=teams, field=replace(tournament.field, teams=tuple(team.label for team in teams)))


@pytest.mark.parametrize("is_old", [False, True], ids=["new store", "store of 0.2.0"])
def test_a_late_team_changes_only_what_is_not_drawn(registry: Registry, store: Store, is_old: bool) -> None:
    before = play(swiss(registry, 6, rounds=3), store)
    if is_old:
        store.write(lambda connection: connection.execute("DELETE FROM rounds"))
    late = with_standing_rounds(swiss(registry, 7), store)
    assert late.round_notes == ("rounds 1 to 3 stay as drawn; gus joins in round 4 with 0 points",)
    schedule = play(swiss(registry, 7), store)
    assert pairings(schedule, 3) == pairings(before, 3)
    assert set(endings(late, schedule, "gus")) >= {"round 1", "round 2", "round 3"}
    assert endings(late, schedule, "gus")["round 1"] is PairingEnding.LATE
    assert len(schedule.records) == 30
    # Following sees what the run saw, and nothing is missing.
    standing = with_standing_rounds(swiss(registry, 7), store)
    progress = follow(standing, store.ended_as)
    assert progress.missing == ()
    assert pairings(progress.schedule, 5) == pairings(schedule, 5)


def test_who_comes_after_the_last_round_plays_if_there_are_more(registry: Registry, store: Store) -> None:
    play(swiss(registry, 4, rounds=2), store)
    (note,) = with_standing_rounds(swiss(registry, 5, rounds=2), store).round_notes
    assert note == (
        "rounds 1 to 2 stay as drawn; eve comes too late: it plays only with more rounds, or after a new draw (--redraw)"
    )
    (note,) = with_standing_rounds(swiss(registry, 5, rounds=3), store).round_notes
    assert note == "rounds 1 to 2 stay as drawn; eve joins in round 3 with 0 points"


def test_fewer_rounds_than_were_drawn_change_nothing(registry: Registry, store: Store) -> None:
    play(swiss(registry, 4, rounds=2), store)
    assert with_standing_rounds(swiss(registry, 4, rounds=2), store).round_notes == ()
    fewer = with_standing_rounds(swiss(registry, 4, rounds=1), store)
    assert fewer.round_notes == ("rounds 1 to 2 stay as drawn; rounds: 1 changes nothing",)
    assert len(follow(fewer, store.ended_as).schedule.records) == 8
    (note,) = with_standing_rounds(swiss(registry, 5, rounds=1), store).round_notes
    late = "eve comes too late: it plays only with more rounds, or after a new draw (--redraw)"
    assert note == f"rounds 1 to 2 stay as drawn; rounds: 1 changes nothing; {late}"


def test_points_of_a_late_team(registry: Registry, store: Store) -> None:
    cup = swiss(registry, 5)
    late = TeamAbsence(cup.teams[4], 1, 2, PairingEnding.LATE, 2.0)
    cup = with_rounds(replace(cup, absences=(late,)))
    schedule = play(cup, store)
    own = endings(cup, schedule, "eve")
    assert [own[f"round {number}"] for number in (1, 2)] == [PairingEnding.LATE] * 2
    assert [each.scores for each in byes_of(cup, schedule) if each.ending is PairingEnding.LATE] == [(2.0,), ()]
    assert "eve" not in opponents(schedule, "round 1") | opponents(schedule, "round 2")
    assert not any(endings(cup, schedule, team) for team in ["ann", "bob"] if "round 1" in endings(cup, schedule, team))
    first_two = [each for each in byes_of(cup, schedule) if each.stage in ("round 1", "round 2") and each.teams != ("eve",)]
    assert first_two == [], "an even number of teams was there"


def test_a_team_with_a_bye_in_a_round_that_was_interrupted_does_not_come_late(registry: Registry, store: Store) -> None:
    cup = swiss(registry, 3, maps=2)
    play(cup, store, matches=1)
    assert with_standing_rounds(cup, store).round_notes == ()
    play(cup, store, matches=5)
    assert with_standing_rounds(cup, store).round_notes == ()


def test_a_team_that_is_gone_keeps_its_games_and_comes_back(registry: Registry, store: Store) -> None:
    whole = swiss(registry, 6)
    before = play(swiss(registry, 6, rounds=2), store)
    cup = with_standing_rounds(without(whole, registry, "bob"), store)
    (note,) = cup.round_notes
    assert note == (
        "rounds 1 to 2 stay as drawn; bob is no longer among the teams: its 4 games count, and it isn't paired from round 3 on"
        " unless it comes back"
    )
    shown = follow(cup, store.ended_as)
    assert {line.team: line.score.games for line in standings(cup, shown.schedule)}["bob"] == 4
    schedule = play(without(swiss(registry, 6, rounds=3), registry, "bob"), store)
    assert pairings(schedule, 2) == pairings(before, 2)
    assert "bob" not in opponents(schedule, "round 3")
    assert endings(cup, schedule, "bob")["round 3"] is PairingEnding.ABSENT
    # Its files are back: it plays on, and the round without it stands too.
    back = play(whole, store)
    assert with_standing_rounds(whole, store).missing_teams == frozenset()
    assert "bob" in opponents(back, "round 4")
    assert pairings(back, 3) == pairings(follow(with_standing_rounds(whole, store), store.ended_as).schedule, 3)
    assert endings(whole, back, "bob") == {"round 3": PairingEnding.ABSENT}


@pytest.mark.parametrize("kind", ["withdraw", "now", "disqualify"])
def test_who_leaves_is_paired_no_more_and_nobody_sits_out_for_it(registry: Registry, store: Store, kind: str) -> None:
    whole = swiss(registry, 5)
    play(swiss(registry, 5, rounds=2), store)
    bob = whole.teams[1]
    left = {
        "withdraw": replace(whole, absences=(TeamAbsence(bob, 3),)),
        "now": replace(whole, absences=(TeamAbsence(bob, 0),)),
        "disqualify": replace(whole, disqualified=(Disqualification(bob, "it cheated"),)),
    }[kind]
    schedule = play(left, store)
    standing = with_standing_rounds(left, store)
    for stage in ("round 3", "round 4", "round 5"):
        assert opponents(schedule, stage) == {"ann", "cat", "dan", "eve"}
        assert [each.teams for each in byes_of(standing, schedule) if each.stage == stage] == [("bob",)]
    assert not any(record.is_forfeit for record in schedule.records)


def test_games_of_a_drawn_round_that_were_not_played_are_walkovers(registry: Registry, store: Store) -> None:
    whole = swiss(registry, 4)
    play(whole, store, matches=2)
    left = replace(whole, absences=tuple(TeamAbsence(team, 0) for team in whole.teams[:1]))
    schedule = play(left, store)
    own = [each for each in schedule.records if "ann" in each.teams]
    assert {each.ending for each in own} == {PairingEnding.PLAYED, PairingEnding.WALKOVER}
    assert {each.stage for each in own} == {"round 1"}


def test_a_struck_team_leaves_its_opponents_a_bye_in_rounds_that_stand(registry: Registry, store: Store) -> None:
    whole = swiss(registry, 4)
    before = play(swiss(registry, 4, rounds=1), store)
    cup = replace(without(whole, registry, "bob"), disqualified=(Disqualification(whole.teams[1], "it cheated", "strike"),))
    schedule = play(cup, store)
    kept = {names for names in pairings(before, 1) if "bob" not in names}
    assert set(pairings(schedule, 1)) == kept
    (other,) = {name for names in pairings(before, 1) if "bob" in names for name in names[:2]} - {"bob"}
    assert endings(with_standing_rounds(cup, store), schedule, other)["round 1"] is PairingEnding.BYE
    assert "bob" not in {line.team for line in standings(with_standing_rounds(cup, store), schedule)}


def twice(tournament: Tournament, *labels: str) -> Tournament:
    """The tournament with ann's code under each of these names, in place of ann; as a file has it, the first one is no twin."""
    first, others = tournament.teams[0], tournament.teams[1:]
    twins = [replace(first, shown=label, twin=label if place else "") for place, label in enumerate(labels)]
    teams = (*twins, *others)
    return replace(tournament, teams=teams, field=replace(tournament.field, teams=tuple(team.label for team in teams)))


@pytest.mark.parametrize("name", ["swiss", "knockout"])
@pytest.mark.parametrize("stay", [("ann",), ("ann 2",), ("ann 2", "ann"), ("ann 2", "ann 3")])
def test_two_teams_with_the_same_code_stay_apart_when_the_first_one_leaves(
    registry: Registry, store: Store, name: str, stay: tuple[str, ...]
) -> None:
    cup = swiss(registry, 3, rounds=1) if name == "swiss" else tournament_of(registry, "knockout", 3, options={"best_of": 1})
    before = play(twice(cup, "ann", "ann 2"), store)
    standing = with_standing_rounds(twice(cup, *stay), store)
    # The code of the one that is gone, under a new name, is a team that was renamed.
    gone = {"ann", "ann 2"} - set(stay) if "ann 3" not in stay else set()
    assert {team.label for team in standing.missing_teams} == gone
    assert len(set(standing.teams)) == len(standing.teams)
    for label in ("ann", "ann 2"):
        assert f"{label} is no longer among the teams: its " in " ".join(standing.round_notes) or label not in gone
    again = follow(standing, store.ended_as)
    assert {record.key for record in before.records} <= {record.key for record in again.schedule.records}
    assert len(pairings(again.schedule, 1)) == len(pairings(before, 1))


def test_other_maps_are_for_later_rounds(registry: Registry, store: Store) -> None:
    before = play(swiss(registry, 4, maps=2, rounds=2), store)
    cup = swiss(registry, 4, maps=1)
    assert with_standing_rounds(cup, store).round_notes == (
        "rounds 1 to 2 stay as drawn; from round 3 on, no games are played on m1",
    )
    schedule = play(cup, store)
    assert pairings(schedule, 2) == pairings(before, 2)
    assert {record.map for record in schedule.records if record.stage > "round 2"} == {"m0"}


@pytest.mark.parametrize(
    ("total", "words"),
    [
        (3, "from round 3 on, games are played on the new version of m0"),
        (2, "changes of maps (m0) count only with more rounds, or after a new draw (--redraw)"),
    ],
)
def test_a_map_that_was_edited_is_told(registry: Registry, store: Store, total: int, words: str) -> None:
    play(swiss(registry, 4, rounds=2), store)
    now = swiss(registry, 4, rounds=total)
    assert with_standing_rounds(now, store).round_notes == ()
    assert with_standing_rounds(edited(now), store).round_notes == (f"rounds 1 to 2 stay as drawn; {words}",)


def edited(cup: Tournament) -> Tournament:
    """With a line more in each map."""
    return replace(cup, maps=tuple(replace(source, data=source.data + b"\n") for source in cup.maps))


def test_another_seed_plays_nothing_again(registry: Registry, store: Store) -> None:
    cup = swiss(registry, 4)
    before = play(swiss(registry, 4, rounds=2), store)
    schedule = play(replace(cup, field=replace(cup.field, seed=99)), store)
    assert pairings(schedule, 2) == pairings(before, 2)
    assert {record.key for record in before.records} <= {record.key for record in schedule.records}


def test_a_new_draw(registry: Registry, store: Store) -> None:
    play(swiss(registry, 6, rounds=3), store)
    store.remove_rounds()
    assert with_standing_rounds(swiss(registry, 7), store).rounds == ()
    schedule = play(swiss(registry, 7), store)
    assert "gus" in opponents(schedule, "round 2") | opponents(schedule, "round 1")


def test_a_knockout_stands_as_a_whole(registry: Registry, store: Store) -> None:
    whole = tournament_of(registry, "knockout", 4, options={"best_of": 1})
    before = play(whole, store, matches=2)
    changed = tournament_of(registry, "knockout", 5, maps=2, options={"best_of": 3})
    changed = without(changed, registry, "ann")
    standing = with_standing_rounds(changed, store)
    note, options = standing.round_notes
    assert note == (
        "the draw of the knockout stays; eve comes too late: it plays only after a new draw (--redraw);"
        " ann is no longer among the teams: its 1 game counts, and it loses the others unless it comes back;"
        " changes of maps (m1) count only after a new draw (--redraw)"
    )
    assert options == "the knockout keeps the options that it was drawn with"
    schedule = play(changed, store)
    assert pairings(before, 9).items() <= pairings(schedule, 9).items()
    assert {each.key for each in before.records} <= {each.key for each in schedule.records}
    played = {each.key for each in before.records}
    assert {each.ending for each in schedule.records if "ann" in each.teams and each.key not in played} == {PairingEnding.WALKOVER}
    assert "eve" not in standing.names


def test_half_point_byes_count_as_draws_and_leave_the_others_even(registry: Registry, store: Store) -> None:
    cup = swiss(registry, 5)
    absence = TeamAbsence(cup.teams[0], 2, 2, PairingEnding.HALF_POINT_BYE)
    cup = with_rounds(replace(cup, absences=(absence,)))
    schedule = play(cup, store)
    assert endings(cup, schedule, "ann")["round 2"] is PairingEnding.HALF_POINT_BYE
    assert [each.teams for each in byes_of(cup, schedule) if each.stage == "round 2"] == [("ann",)]


@pytest.mark.parametrize(
    ("name", "options"), [("knockout", {"best_of": 1}), ("double-elimination", {"best_of": 1}), ("round-robin", {})]
)
def test_who_leaves_another_format_gives_walkovers(registry: Registry, store: Store, name: str, options: dict[str, int]) -> None:
    cup = tournament_of(registry, name, options=options)
    schedule = play(replace(cup, absences=(TeamAbsence(cup.teams[0], 2),)), store)
    first = schedule.records[0].stage
    own = [each for each in schedule.records if "ann" in each.teams]
    assert {each.ending for each in own if each.stage == first} == {PairingEnding.PLAYED}
    assert {each.ending for each in own if each.stage != first} <= {PairingEnding.WALKOVER}
    assert name == "knockout" or any(each.stage != first for each in own)


@given(st.integers(4, 12), st.data())
@settings(deadline=None, max_examples=25)
def test_nobody_absent_is_paired_and_byes_are_given_only_when_odd(count: int, data: st.DataObject) -> None:
    rounds = 4 if count > 4 else 3
    kinds = st.sampled_from((PairingEnding.ABSENT, PairingEnding.LATE, PairingEnding.HALF_POINT_BYE))
    drawn = data.draw(
        st.lists(st.tuples(st.integers(0, count - 1), st.integers(1, rounds), kinds), max_size=4, unique_by=lambda each: each[0])
    )
    ends = {PairingEnding.ABSENT: None, PairingEnding.LATE: 0, PairingEnding.HALF_POINT_BYE: 1}
    absences = []
    for team, number, kind in drawn:
        first, last = (1, number - 1) if kind is PairingEnding.LATE else (number, number if ends[kind] else None)
        absences += [Absence(team, first, last, kind)] if last is None or last >= first else []
    field = replace(field_of(count), absences=tuple(absences))
    cup = Swiss(field, SwissOptions(rounds, seats="balanced"))
    met: Counter[frozenset[int]] = Counter()
    results: list[FixtureResult] = []
    salt = data.draw(st.integers(0, 999))
    for number in range(1, rounds + 1):
        batch = cup.next_batch(results)
        away = {each.team for each in absences if each.first <= number <= (each.last or rounds)}
        if count - len(away) < 2:
            assert batch == [], "with fewer than two there, it is over"
            return
        playing = [team for fixture in batch for team in fixture.seats]
        assert not away.intersection(playing)
        assert len(set(playing)) == len(playing) == (count - len(away)) // 2 * 2
        byes = [each for each in cup.byes(results) if each.stage == f"round {number}"]
        assert [each.team for each in byes if each.ending is PairingEnding.BYE] == (
            [team for team in range(count) if team not in away and team not in playing] if playing else []
        )
        met.update(frozenset(fixture.seats) for fixture in batch)
        results += [result_of(fixture, chance_of(salt)(fixture)) for fixture in batch]
    # Whoever is there in all rounds has met at most half of the others: a pairing without a repeat exists (Dirac).
    assert absences or count < 8 or max(met.values()) == 1
