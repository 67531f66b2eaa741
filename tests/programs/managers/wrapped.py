"""The shipped dialects as strangers would write them: some record and log, some do neither, one never agrees with itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count

from tiltyard_engine import GameManager, GameResult, Manager, Match, NullRecorder, TankSeat, hookimpl
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.rules import DIALECTS, Rules

RUNS = count()


class Recorded(GameManager[TankMap, TankSeat]):
    def __init__(self, rules: Rules) -> None:
        self.inner = TanksGameManager(rules)

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        return self.inner.run(match)


class Silent(Recorded):
    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        return self.inner.run(replace(match, recorder=NullRecorder(), verbose=False))


class NeedsSteps(Silent):
    """Cannot play no rounds at all, which nobody asks of it but those who look for a difference."""

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        if match.map.max_steps == 0:
            raise ZeroDivisionError("no steps")
        return super().run(match)


class OtherLength(GameManager[TankMap, TankSeat]):
    """Plays some rounds more, or less, than the map says."""

    def __init__(self, more: int, inner: type[Recorded]) -> None:
        self.more = more
        self.inner = inner(DIALECTS["reference"][0])

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        return self.inner.run(replace(match, map=replace(match.map, max_steps=max(0, match.map.max_steps + self.more))))


class Boasting(Silent):
    """Claims a round that nobody was asked in."""

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        result = super().run(match)
        return replace(result, rounds=result.rounds + 1)


class Fickle(Silent):
    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        result = super().run(match)
        mark = str(next(RUNS))
        return replace(result, final_state=(mark, *result.final_state[1:]))


@hookimpl
def game_managers() -> Iterator[Manager]:
    for name, (rules, _) in DIALECTS.items():
        yield Manager(name=f"recorded-{name}", game="tanks", create=partial(Recorded, rules))
        yield Manager(name=f"silent-{name}", game="tanks", create=partial(Silent, rules))
        yield Manager(name=f"needs-steps-{name}", game="tanks", create=partial(NeedsSteps, rules))
    for kind, inner in (("recorded", Recorded), ("silent", Silent)):
        yield Manager(name=f"{kind}-longer", game="tanks", create=partial(OtherLength, 1, inner))
        yield Manager(name=f"{kind}-shorter", game="tanks", create=partial(OtherLength, -1, inner))
    yield Manager(name="boasting", game="tanks", create=partial(Boasting, DIALECTS["reference"][0]))
    yield Manager(name="fickle", game="tanks", create=partial(Fickle, DIALECTS["reference"][0]))
