from __future__ import annotations

from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec
from tiltyard_tournaments.played import bye, played_matches
from tiltyard_tournaments.standings import by_map, standings


def named(name: str) -> Reference:
    return Reference("algorithm", name, "g", Source(name, Origin.FILE, f"/{name}.py"))


def game(winner: int, data: bytes, *faults: Fault) -> tuple[MatchSpec, MatchOutcome]:
    spec = MatchSpec(named("g"), named("judge"), MapSource("m", data), (named("ant"), named("bee")))
    return spec, MatchOutcome(GameResult(winner, "x", 9, (), message="said"), winner, (1, 2), faults)


def test_two_maps_of_one_name_stay_apart() -> None:
    matches = played_matches([game(1, b"1"), game(2, b"2"), game(1, b"1")])
    assert [(match.map, match.number) for match in matches] == [("m", 0), ("m (2)", 1), ("m", 2)]
    assert by_map(("ant", "bee"), matches).rows == (("m", 6, 0), ("m (2)", 0, 3))


def test_a_match_that_all_forfeited_or_whose_manager_failed_counts_for_nothing() -> None:
    nobody = game(0, b"", *(Fault(seat, Termination.FORFEIT, "boom") for seat in (1, 2)))
    failed = game(0, b"", Fault(0, Termination.CRASH, "boom"))
    rows = standings(("ant", "bee"), played_matches([nobody, failed])).rows
    assert [row[2:4] for row in rows] == [(0, 0), (0, 0)]
    assert [row[-2:] for row in rows] == [(0, 1), (0, 1)]


def test_a_bye_has_one_team_that_wins() -> None:
    assert bye("ant", 3, "round 1").teams == ("ant",)
    assert standings(("ant",), [bye("ant")]).rows[0][2:5] == (3, 1, 1)
