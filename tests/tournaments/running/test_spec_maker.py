"""The matches of fixtures, made quickly: the same as made one by one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.made_specs import spec_with
from tests.tournaments.running.made_runs import tournament_of

from tiltyard_engine.registry import Registry, Source
from tiltyard_simulator.match import key as key_module
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.key import KeyMaker, match_key, with_key
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_tournaments.running.spec_maker import SpecMaker


def test_the_same_as_one_by_one(registry: Registry) -> None:
    tournament = tournament_of(registry, teams=5, maps=2)
    limits = LimitChanges(for_teams={"bob": {"move_seconds": 2.5}})
    tournament = replace(tournament, isolation_policy=replace(tournament.isolation_policy, limits=limits))
    maker = SpecMaker(tournament)
    for place, fixture in enumerate(tournament.format.next_batch([])):
        expected = with_key(tournament.spec(fixture).at(place))
        assert maker.spec(fixture, place) == expected
        assert expected.place.key == match_key(expected)


def test_files_are_looked_at_once_a_plugin(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = tournament_of(registry, teams=6, maps=2)
    asked: list[object] = []

    def counted(source: Source, without: tuple[str, ...] = ()) -> str:
        asked.append(source)
        return code_digest(source, without)

    monkeypatch.setattr(key_module, "code_digest", counted)
    monkeypatch.setattr(key_module, "digest_without_loader", counted)
    maker = SpecMaker(tournament)
    fixtures = tournament.format.next_batch([])
    for place, fixture in enumerate(fixtures):
        maker.spec(fixture, place)
    # Six teams, the game and the GameManager, each for its key and for its digest.
    assert len(asked) == 16 < len(fixtures)


def test_a_key_maker_tells_equal_looking_plugins_apart(registry: Registry) -> None:
    tournament = tournament_of(registry)
    keys = KeyMaker()
    first, second = tournament.format.next_batch([])[:2]
    for fixture in (first, second, first):
        spec = tournament.spec(fixture)
        assert keys.key(spec) == match_key(spec)
        assert keys.key(spec_with(spec, seed=1)) == match_key(spec_with(spec, seed=1)) != match_key(spec)


def test_remembered_matches_are_made_once(registry: Registry) -> None:
    tournament = tournament_of(registry)
    (fixture, *_) = tournament.format.next_batch([])
    maker = SpecMaker(tournament, remember=True)
    assert maker.spec(fixture, 3) is maker.spec(fixture, 3)
    assert maker.spec(fixture, 4).place.number == 4
    assert SpecMaker(tournament).spec(fixture, 3) is not SpecMaker(tournament).spec(fixture, 3)
