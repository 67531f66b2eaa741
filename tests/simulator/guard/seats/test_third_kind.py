"""A kind of seat that only these tests know: played in every holding, traced, and under a GameManager in a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.made_specs import made_spec, spec_with
from tests.programs.seat_kinds import sealed_guard
from tests.simulator.guard.managers.managing import compared, held

from tiltyard_checks.faults.conversation_replay import replay_conversation
from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game, GameInterface, GameMaps
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.seats.kinds import kind_of
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import Arena

AUCTION = Path(sealed_guard.__file__).with_name("auction.py")
MESSAGES = {
    "careful": "",
    "crashing": "bid raised ValueError: no more with (1, 3, 1)",
    "boasting": "bid 1000",
    "lying": "bid returned a string ('a lot'), expected a number",
    "absent": "create returned NoneType, not a Bidder",
}


@pytest.fixture(scope="module")
def auction() -> Mapping[str, Reference]:
    registry = Registry.from_paths([AUCTION])
    assert not registry.failures(), registry.failures()
    return {entry.name: entry.reference for kind in (ALGORITHM, GAME, MANAGER) for entry in registry.all(kind)}


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with Arena() as open_arena:
        yield open_arena


def spec_of(auction: Mapping[str, Reference], first: str, manager: str = "auctioneer") -> MatchSpec:
    algorithms = (auction[first], auction["careful"])
    return made_spec(
        game=auction["auction"],
        manager=auction[manager],
        map=MapSource("none", b""),
        teams=algorithms,
        log=True,
        trace=True,
    )


@pytest.mark.parametrize("manager", ["auctioneer", "strict-auctioneer"])
@pytest.mark.parametrize("first", MESSAGES)
def test_a_match_is_the_same_however_its_code_is_held(
    arena: Arena, auction: Mapping[str, Reference], first: str, manager: str
) -> None:
    spec = spec_of(auction, first, manager)
    inline = arena.play(spec)
    assert inline.outcome.manager_fault is None
    assert [fault.message for fault in inline.outcome.faults] == ([MESSAGES[first]] if MESSAGES[first] else [])
    assert len(inline.evidence.requests) == 2
    assert len(inline.evidence.views) == 8, "each seat is shown a hand of its own in each round"
    for isolation in (Isolation.PROCESS, Isolation.SANDBOX):
        for seats in Isolation:
            assert compared(arena.play(held(spec, isolation, seats))) == compared(inline)
        assert compared(arena.play(held(spec, Isolation.INLINE, isolation))) == compared(inline)


def test_a_failed_seat_passes_or_raises(arena: Arena, auction: Mapping[str, Reference]) -> None:
    idle = arena.play(spec_of(auction, "crashing"))
    assert idle.evidence.requests[0] == (1, 0, ("5", "9", "0", "0"))
    raising = arena.play(spec_of(auction, "crashing", "strict-auctioneer"))
    assert raising.evidence.requests[0] == (1, 0, ("5", "9"))
    assert raising.evidence.claim.log.count("raised bid raised ValueError") == 2


def test_a_fault_can_be_replayed(arena: Arena, auction: Mapping[str, Reference]) -> None:
    spec = spec_of(auction, "crashing")
    record = arena.play(held(spec, Isolation.INLINE, Isolation.PROCESS))
    replayed = replay_conversation(record.evidence.accounts[0].conversation, record.outcome.faults[0], Limits())
    assert (replayed.difference, replayed.questions) == ("", 4)
    assert isinstance(replayed.error, ValueError)


def test_a_kind_that_nobody_has_added(auction: Mapping[str, Reference]) -> None:
    class CupsInterface(GameInterface):
        pass

    game: Game[None] = Game(
        name="dice", seats=range(1, 2), maps=GameMaps(lambda name, data, seats: None), interface=CupsInterface()
    )
    with pytest.raises(UserError, match="the game dice has an interface of an unknown kind: CupsInterface"):
        kind_of(game)


def test_a_team_without_an_answer_in_time(arena: Arena, auction: Mapping[str, Reference], tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(AUCTION.read_text().replace("self.bids += 1", "while True: pass"))
    registry = Registry.from_paths([slow])
    team = registry.find(ALGORITHM, "careful").reference
    spec = spec_with(
        spec_of(auction, "careful"),
        teams=(team, auction["careful"]),
        limits=(Limits(move_seconds=0.1),) * 2,
        isolations=(Isolation.SANDBOX, Isolation.INLINE),
    )
    (fault,) = arena.play(spec).outcome.faults
    assert (fault.seat, fault.termination, fault.round) == (1, Termination.TIMEOUT, 1)
