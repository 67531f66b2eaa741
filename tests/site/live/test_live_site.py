from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.end_to_end.background import wait_until
from tests.made_specs import spec_with
from tests.tournaments.running.made_runs import by_chance, tournament_of

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import labelled
from tiltyard_site.explained.explained import Explained, explained_path
from tiltyard_site.live import live_site
from tiltyard_site.live.live_site import LiveSite
from tiltyard_site.pages import site_data as publishers_site
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store

PLAY = by_chance(1)


@pytest.fixture
def tournament(registry: Registry, tmp_path: Path) -> Tournament:
    return tournament_of(registry, folder=tmp_path, maps=2)


def keep(store: Store, *specs: MatchSpec) -> None:
    for spec in specs:
        store.add(spec.place.key, spec, labelled(PLAY(spec), spec))


def version(site: LiveSite) -> str:
    state = json.loads(site.file("live.json") or b"")
    return str(state["version"])


def test_only_a_store_that_changed_is_looked_through(tournament: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = Schedule(tournament=tournament).next_batch()
    site = LiveSite(lambda: tournament)
    assert b"of 24" in (site.file("index.html") or b"")
    first = version(site)
    with Store(tournament.folder) as store:
        site.bring_up_to_date()
        assert version(site) == first
        keep(store, *batch[:3])
        site.bring_up_to_date()
        second = version(site)
        assert second != first
        page = site.file("index.html")
        asked: list[str] = []
        stored = Store.record_as

        def record_as(self: Store, spec: MatchSpec) -> object:
            asked.append(spec.place.key)
            return stored(self, spec)

        monkeypatch.setattr(Store, "record_as", record_as)
        for _ in range(3):
            site.bring_up_to_date()
            assert site.file("index.html") is page
        assert (version(site), asked) == (second, [])
        keep(store, batch[5])
        site.bring_up_to_date()
        # What is known is not read again.
        assert asked == [batch[5].place.key]
    assert json.loads(site.file("live.json") or b"")["played"] == 4


def counted(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[object]:
    """What a function returned, each time that it was called."""
    found: list[object] = []
    function = getattr(owner, name)

    def noting(*arguments: object) -> object:
        found.append(function(*arguments))
        return found[-1]

    monkeypatch.setattr(owner, name, noting)
    return found


def test_tables_are_made_when_a_page_asks_for_them_and_once(tournament: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = Schedule(tournament=tournament).next_batch()
    results = counted(monkeypatch, live_site, "tournament_results")
    fits = counted(monkeypatch, publishers_site, "rate")
    site = LiveSite(lambda: tournament)
    # Whoever starts the server hears what is wrong.
    assert (len(results), fits) == (1, [])
    with Store(tournament.folder) as store:
        for spec in batch[:4]:
            keep(store, spec)
            site.bring_up_to_date()
    state = json.loads(site.file("live.json") or b"")
    assert (state["played"], state["planned"], state["text"]) == (4, 24, "Live: 4 of 24 games")
    assert (len(results), fits) == (1, [])
    rows = json.loads((site.file("data/games.js") or b"").partition(b",")[2].rstrip(b");\n"))["rows"]
    # The list of games needs no ratings.
    assert (len(rows), len(results), fits) == (4, 2, [])
    for page in ("index.html", "index.html", "matches.html", f"data/matches-{(batch[0].place.number + 1) // 200}.js"):
        assert site.file(page)
    assert (len(results), len(fits)) == (2, 1)


def test_open_pages_hear_how_many_games_there_are_before_their_tables_are_made_anew(tournament: Tournament) -> None:
    batch = Schedule(tournament=tournament).next_batch()
    site = LiveSite(lambda: tournament)
    edition = site._edition
    assert edition is not None
    # As if its tables had taken very long.
    edition.seconds = 1e9
    first = version(site)
    with Store(tournament.folder) as store:
        keep(store, batch[0])
        site.bring_up_to_date()
        assert json.loads(site.file("live.json") or b"")["played"] == 1
        assert (version(site), edition.has_rested(1)) == (first, False)
        keep(store, *batch[1:])
        site.bring_up_to_date()
    # Nothing comes after the last one, so that is shown in any case.
    assert version(site) != first
    assert json.loads(site.file("live.json") or b"")["complete"]


def test_pages_that_cannot_be_made_anew_stay_as_they_were(tournament: Tournament, tmp_path: Path) -> None:
    logo = tmp_path / "logo.svg"
    logo.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    pictured = replace(tournament, publication=replace(tournament.publication, logo=logo))
    site = LiveSite(lambda: pictured)
    page = site.file("index.html")
    logo.unlink()
    with Store(tournament.folder) as store:
        keep(store, Schedule(tournament=tournament).next_batch()[0])
        site.bring_up_to_date()
        assert site.file("index.html") == page
        with pytest.raises(UserError, match="cannot be read"):
            site.bring_up_to_date()
        logo.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
        keep(store, Schedule(tournament=tournament).next_batch()[1])
        wait_until(lambda: _is_up_to_date(site))
    assert site.file("index.html") != page


def _is_up_to_date(site: LiveSite) -> bool:
    with suppress(UserError):
        site.bring_up_to_date()
    return site._edition is site._newest


def test_a_site_that_cannot_be_made_at_all_is_told_at_once(tournament: Tournament, tmp_path: Path) -> None:
    pictured = replace(tournament, publication=replace(tournament.publication, logo=tmp_path / "none.svg"))
    with pytest.raises(UserError, match="cannot be read"):
        LiveSite(lambda: pictured)


def test_after_a_long_look_comes_a_long_pause(tournament: Tournament) -> None:
    site = LiveSite(lambda: tournament)
    with Store(tournament.folder) as store:
        keep(store, *Schedule(tournament=tournament).next_batch())
    busy = site.bring_up_to_date()
    assert busy > 0
    assert site.bring_up_to_date() < busy


def test_what_is_hidden_is_not_served(tournament: Tournament) -> None:
    hidden = replace(tournament, publication=replace(tournament.publication, hide=frozenset(["replays", "output", "faults"])))
    batch = Schedule(tournament=tournament).next_batch()
    with Store(tournament.folder) as store:
        keep(store, batch[0])
    site = LiveSite(lambda: hidden)
    for folder in ("replays", "outputs"):
        assert site.file(f"{folder}/{batch[0].place.key}.js") is None
    assert site.file("data/matches-7.js") == b'Tiltyard.register("matches-7",{});\n'
    assert site.file("data/matches-x.js") is None


def test_another_version_of_the_file_is_loaded_when_it_plays(tournament: Tournament, registry: Registry) -> None:
    other = replace(tournament_of(registry, folder=tournament.folder, teams=2), title="Other cup")
    loads = iter([tournament, other])
    site = LiveSite(lambda: next(loads))
    with Store(tournament.folder) as store:
        keep(store, Schedule(tournament=tournament).next_batch()[0])
        site.bring_up_to_date()
        # No match that the first version knows.
        stranger = Schedule(tournament=other).next_batch()[1]
        keep(store, spec_with(stranger, key="0" * 64))
        site.bring_up_to_date()
    assert b"Other cup" in (site.file("index.html") or b"")


def test_what_an_earlier_version_played_is_shown_until_it_is_played_again(tournament: Tournament) -> None:
    source = replace(tournament.game.source, version="0.0.1")
    earlier = replace(tournament, game=replace(tournament.game, source=source))
    batch = Schedule(tournament=tournament).next_batch()
    # It is loaded only once.
    loads = iter([tournament])
    with Store(tournament.folder) as store:
        keep(store, *Schedule(tournament=earlier).next_batch())
        site = LiveSite(lambda: next(loads))
        state = json.loads(site.file("live.json") or b"")
        assert (state["played"], state["complete"]) == (24, False)
        assert state["text"].startswith("Complete: 24 games, 24 of them played with a different version of tiltyard (0.0.1, now ")
        assert b"24 games were played with a different version of tiltyard (0.0.1, now " in (site.file("index.html") or b"")
        keep(store, *batch[:4])
        site.bring_up_to_date()
        state = json.loads(site.file("live.json") or b"")
        assert (state["played"], "20 of them played" in state["text"]) == (24, True)
        keep(store, *batch[4:])
        site.bring_up_to_date()
    state = json.loads(site.file("live.json") or b"")
    assert (state["text"], state["complete"]) == ("Complete: 24 games", True)


def test_the_file_is_loaded_again_when_only_other_settings_play(tournament: Tournament) -> None:
    policy = replace(tournament.isolation_policy, limits=LimitChanges({"move_seconds": 9.0}))
    changed = replace(tournament, isolation_policy=policy)
    loads = iter([tournament, changed])
    site = LiveSite(lambda: next(loads))
    with Store(tournament.folder) as store:
        keep(store, Schedule(tournament=changed).next_batch()[0])
        site.bring_up_to_date()
    assert site.tournament is changed
    assert json.loads(site.file("live.json") or b"")["text"] == "Live: 1 of 24 games"


def test_an_explanation_comes_to_the_site_and_games_are_explained_only_when_all_were_played(tournament: Tournament) -> None:
    site = LiveSite(lambda: tournament)
    batch = Schedule(tournament=tournament).next_batch()
    lost = next(spec for spec in batch if PLAY(spec).outcome.winner)
    with Store(tournament.folder) as store:
        keep(store, lost)
        site.bring_up_to_date()
        assert site.idle_stamp() is None
        keep(store, *(spec for spec in batch if spec is not lost))
    site.bring_up_to_date()
    assert site.idle_stamp() is not None
    before, seat, number = version(site), 3 - PLAY(lost).outcome.winner, lost.place.number + 1
    # Whoever asked on the page of the game waits for this.
    assert site.file(f"data/why-{number}.js") == f'Tiltyard.register("why-{number}",{{}});\n'.encode()
    explained = Explained(
        key=lost.place.key,
        number=number,
        seat=seat,
        team=lost.input.names[seat - 1],
        opponents="other",
        map="meadow",
        kind="mistake",
    )
    path = explained_path(tournament.folder, explained.key, seat)
    path.parent.mkdir(parents=True)
    path.write_bytes(msgspec.json.encode(explained))
    site.bring_up_to_date()
    assert version(site) != before
