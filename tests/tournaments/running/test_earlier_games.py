"""Games that another version of tiltyard, of the game or of a team has played."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from tests.made_specs import spec_with
from tests.tournaments.running.made_runs import by_chance, tournament_of

from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import labelled
from tiltyard_tournaments.publishers.results import tournament_results
from tiltyard_tournaments.running.earlier_games import SETTINGS, OtherVersions
from tiltyard_tournaments.running.schedule import Schedule, follow, games_to_play_again, progress_to_show
from tiltyard_tournaments.running.tables import tables_of
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store

PLAY = by_chance(1)


def of_version(reference: Reference, version: str) -> Reference:
    return replace(reference, source=replace(reference.source, version=version))


def before_upgrade(tournament: Tournament) -> Tournament:
    """The tournament as tiltyard 0.0.1 had it."""
    return replace(
        tournament,
        game=of_version(tournament.game, "0.0.1"),
        manager=of_version(tournament.manager, "0.0.1"),
        teams=tuple(of_version(team, "0.0.1") if team.source.version else team for team in tournament.teams),
    )


def handed_in(tournament: Tournament, folder: Path, name: str = "bob") -> Tournament:
    """The tournament with a team of that name in a file."""
    file = folder / f"{name}.py"
    file.write_text("# first\n")
    source = Source(name=name, origin=Origin.FILE, value=str(file))
    teams = tuple(replace(team, source=source) if team.name == name else team for team in tournament.teams)
    return replace(tournament, teams=teams)


def keep(store: Store, specs: Iterable[MatchSpec]) -> None:
    for spec in specs:
        store.add(spec.place.key, spec, labelled(PLAY(spec), spec))


def play(tournament: Tournament, store: Store) -> Schedule:
    while (progress := follow(tournament, store.ended_as)).missing:
        keep(store, progress.missing)
    return progress.schedule


@pytest.fixture
def tournament(registry: Registry, tmp_path: Path) -> Tournament:
    """12 games; two of them between each pair of teams."""
    return tournament_of(registry, folder=tmp_path)


@pytest.mark.parametrize("format_name", ["round-robin", "swiss"])
def test_after_an_upgrade_the_tables_are_those_of_before(registry: Registry, tmp_path: Path, format_name: str) -> None:
    now = tournament_of(registry, format_name, folder=tmp_path)
    before = before_upgrade(now)
    with Store(tmp_path) as store:
        played = play(before, store)
        progress = progress_to_show(now, store)
        assert tables_of(now, progress.schedule) == tables_of(before, played)
        assert progress.missing == ()
        versions = f"tiltyard (0.0.1, now {now.game.source.version})"
        assert progress.earlier == OtherVersions(len(played.records), (versions,))
        # Everything that is kept of a game is found by its key.
        assert {spec.place.key for spec in progress.schedule.matches} == store.keys()
        note = f"{len(played.records)} games were played with a different version of {versions}."
        assert note in tournament_results(now, progress, lambda: nullcontext(store)).notes
        # A run is as strict as ever.
        assert follow(now, store.ended_as).schedule.records == []
        assert games_to_play_again(now, store) == progress.earlier
        assert not progress_to_show(before, store).earlier
        assert not games_to_play_again(before, store)


def test_a_game_that_was_played_again_takes_the_place_of_the_earlier_one(tournament: Tournament) -> None:
    with Store(tournament.folder) as store:
        play(before_upgrade(tournament), store)
        batch = Schedule(tournament=tournament).next_batch()
        keep(store, batch[:5])
        progress = progress_to_show(tournament, store)
        assert [spec.place.key for spec in progress.schedule.matches[:5]] == [spec.place.key for spec in batch[:5]]
        assert (len(progress.schedule.records), progress.earlier.games) == (12, 7)
        keep(store, batch[5:])
        assert not progress_to_show(tournament, store).earlier


def test_of_several_earlier_versions_the_last_counts(tournament: Tournament) -> None:
    with Store(tournament.folder) as store:
        play(replace(tournament, game=of_version(tournament.game, "0.0.2")), store)
        last = play(before_upgrade(tournament), store)
        assert [spec.place.key for spec in progress_to_show(tournament, store).schedule.matches] == [
            spec.place.key for spec in last.matches
        ]


@pytest.mark.parametrize("upgraded", [False, True])
def test_games_of_a_team_that_has_changed_never_count(tournament: Tournament, tmp_path: Path, upgraded: bool) -> None:
    now = handed_in(tournament, tmp_path)
    with Store(tmp_path) as store:
        play(before_upgrade(now) if upgraded else now, store)
        assert len(progress_to_show(now, store).schedule.records) == 12
        (tmp_path / "bob.py").write_text("# second\n")
        code_digest.cache_clear()
        progress = progress_to_show(now, store)
        assert len(progress.missing) == 6
        assert all("bob" in spec.input.names for spec in progress.missing)
        assert not any("bob" in record.teams for record in progress.schedule.records)
        assert progress.earlier.games == (6 if upgraded else 0)
        again = games_to_play_again(now, store)
        assert again.games == (12 if upgraded else 6)
        assert "team bob" in again.parts
        # Whoever brings the first version back has its games again.
        (tmp_path / "bob.py").write_text("# first\n")
        code_digest.cache_clear()
        assert len(progress_to_show(now, store).schedule.records) == 12


def test_the_oldest_stores_do_not_say_which_code_a_team_had(tournament: Tournament, tmp_path: Path) -> None:
    now = handed_in(tournament, tmp_path)
    with Store(tmp_path) as store:
        keep(store, [spec_with(spec, digests=()) for spec in Schedule(tournament=before_upgrade(now)).next_batch()])
        progress = progress_to_show(now, store)
        assert progress.missing == ()
        assert progress.earlier.parts[1:] == ("perhaps of team bob",)
        play(now, store)
        (tmp_path / "bob.py").write_text("# second\n")
        code_digest.cache_clear()
        # It has changed since newer games were played, which is known.
        assert len(progress_to_show(now, store).missing) == 6


def test_a_store_with_too_few_digests_is_read(tournament: Tournament) -> None:
    with Store(tournament.folder) as store:
        keep(store, [spec_with(spec, digests=("x",)) for spec in Schedule(tournament=before_upgrade(tournament)).next_batch()])
        assert len(progress_to_show(tournament, store).schedule.records) == 12


def test_teams_of_one_registered_name_are_kept_apart(tournament: Tournament) -> None:
    names = ("ann", "bob", "cat", "dan")
    # One code under two limits is two contestants.
    teams = tuple(replace(team, name="bot", shown=name) for team, name in zip(tournament.teams, names, strict=True))
    limits = LimitChanges(for_teams={name: {"move_seconds": 1.0 + number} for number, name in enumerate(names)})
    now = replace(tournament, teams=teams, isolation_policy=replace(tournament.isolation_policy, limits=limits))
    with Store(tournament.folder) as store:
        played = play(before_upgrade(now), store)
        assert progress_to_show(now, store).schedule.records == played.records


def test_a_team_may_be_called_otherwise_now(tournament: Tournament) -> None:
    with Store(tournament.folder) as store:
        play(before_upgrade(tournament), store)
        renamed = replace(tournament, teams=tuple(replace(team, shown=team.name.title()) for team in tournament.teams))
        records = progress_to_show(renamed, store).schedule.records
    assert len(records) == 12
    assert {name for record in records for name in record.teams} == {"Ann", "Bob", "Cat", "Dan"}


def test_under_other_settings(tournament: Tournament) -> None:
    policy = replace(tournament.isolation_policy, limits=LimitChanges({"move_seconds": 9.0}))
    with Store(tournament.folder) as store:
        play(tournament, store)
        assert progress_to_show(replace(tournament, isolation_policy=policy), store).earlier == OtherVersions(12, (SETTINGS,))
        # What is another tournament stays one.
        other = replace(tournament, field=replace(tournament.field, seed=5))
        assert progress_to_show(other, store).schedule.records == []
        assert not games_to_play_again(other, store)


def test_what_was_given_in_python_has_no_versions(tournament: Tournament) -> None:
    given = replace(tournament.manager, source=Source(name="mine", origin=Origin.GIVEN, value="1"))
    now = replace(tournament, manager=replace(given, source=replace(given.source, value="2")))
    with Store(tournament.folder) as store:
        play(replace(tournament, manager=given), store)
        assert progress_to_show(now, store).schedule.records == []


@pytest.mark.parametrize(
    ("found", "note"),
    [
        (OtherVersions(), ""),
        (OtherVersions(1, ("the game nim",)), "1 game was played with a different version of the game nim"),
        (
            OtherVersions(2, (SETTINGS,)),
            "2 games were played with different settings, such as limits, or a different version of tiltyard",
        ),
        (
            OtherVersions(2, (SETTINGS, "team a")),
            "2 games were played with a different version of team a, or with different settings",
        ),
        (
            OtherVersions(9, tuple(f"team {number}" for number in range(14))),
            f"9 games were played with a different version of {', '.join(f'team {number}' for number in range(12))} and 2 more",
        ),
    ],
)
def test_in_words(found: OtherVersions, note: str) -> None:
    assert found.note == note
