"""The matches of a tournament's fixtures, with keys: what is the same in many of them is worked out once."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.formats import Fixture
from tiltyard_engine.match_record import Interned
from tiltyard_engine.registry import Reference
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import KeyMaker
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MatchSpec, Place
from tiltyard_tournaments.running.tournament import Tournament


@dataclass(frozen=True, slots=True)
class _Seat:
    """How a team plays, whatever its seat and opponents."""

    reference: Reference
    isolation: Isolation
    limits: Limits


class SpecMaker:
    """Makes the matches of a tournament.

    Args:
        tournament: whose matches.
        remember: whether each match is kept, for those who ask for all of them again and again.
    """

    def __init__(self, tournament: Tournament, remember: bool = False) -> None:
        self.tournament = tournament
        self._specs: dict[Fixture, MatchSpec] | None = {} if remember else None
        self._keys = KeyMaker()
        self._seats: dict[int, _Seat] = {}
        self._seeds: dict[tuple[int, int], int] = {}
        self._example: MatchSpec | None = None
        """A match of the tournament, for all that does not depend on the fixture."""
        self._one = Interned().one

    def spec(self, fixture: Fixture, place: int) -> MatchSpec:
        """The match of a fixture, with its key and this place in the schedule. As ``Tournament.spec``, but quicker.

        Raises:
            UserError: a plugin's files cannot be read, or its code cannot be confined on this machine.
        """
        if self._specs is None:
            return self._spec(fixture, place)
        spec = self._specs.get(fixture)
        if spec is None or spec.place.number != place:
            spec = self._specs[fixture] = self._spec(fixture, place)
        return spec

    def batch(self, fixtures: Sequence[Fixture], first: int) -> list[MatchSpec]:
        """The matches of fixtures that follow each other in the schedule, of which the first has this place; errors as ``spec``."""
        return [self.spec(fixture, first + at) for at, fixture in enumerate(fixtures)]

    def _spec(self, fixture: Fixture, place: int) -> MatchSpec:
        seats = [self._seats.get(team) or self._seat(fixture, team) for team in fixture.seats]
        example = self._example
        assert example is not None
        isolations, limits = tuple([seat.isolation for seat in seats]), tuple([seat.limits for seat in seats])
        spec = MatchSpec(
            replace(
                example.input,
                map=self.tournament.maps[fixture.map],
                teams=tuple([seat.reference for seat in seats]),
                seed=self._seed(fixture),
            ),
            self._one(replace(example.holding, isolations=isolations, limits=limits)),
            example.recording,
            Place(number=place, game_number=fixture.game, stage=self._one(fixture.stage)),
        )
        return self._keys.with_key(spec)

    def _seat(self, fixture: Fixture, team: int) -> _Seat:
        # Its first match is made in the long way, which also finds out whether it may be played here at all.
        example = self.tournament.spec(fixture)
        self._example = self._example or example
        seat = fixture.seats.index(team)
        new = _Seat(example.input.teams[seat], example.holding.isolations[seat], example.holding.limits[seat])
        return self._seats.setdefault(team, new)

    def _seed(self, fixture: Fixture) -> int:
        which = fixture.map, fixture.game
        if which not in self._seeds:
            self._seeds[which] = self.tournament.seed_of(fixture)
        return self._seeds[which]
