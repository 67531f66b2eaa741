"""How files hold a match's spec: its four values side by side, in the form of version 0.2.0; stores and fault folders do."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any, Final

import msgspec

from tiltyard_engine.registry import Reference
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import MANAGER_LIMITS, Limits
from tiltyard_simulator.match.spec import Holding, MapSource, MatchInput, MatchSpec, Place, Recording
from tiltyard_simulator.match.verdict import OnCrash

NAMES_IN_FILES: Final = {"teams": "algorithms", "log": "verbose", "replay": "record", "number": "place"}
"""What files call some fields."""


class SpecForm(msgspec.Struct, frozen=True, kw_only=True, rename=NAMES_IN_FILES):
    """A ``MatchSpec`` as files hold it. The order of the fields is that of the bytes; new ones go to the end, with a default."""

    game: Reference
    manager: Reference
    map: MapSource
    teams: tuple[Reference, ...]
    seed: int = 0
    log: bool = False
    replay: bool = False
    trace: bool = False
    kept_view: tuple[int, int, int] | None = None
    rounds: int | None = None
    idle_on_fault: bool = False
    on_crash: OnCrash = OnCrash.FORFEIT
    isolations: tuple[Isolation, ...] = ()
    limits: tuple[Limits, ...] = ()
    together: bool = False
    manager_isolation: Isolation = Isolation.INLINE
    manager_limits: Limits = MANAGER_LIMITS
    measure: bool = False
    watch_infos: bool = False
    watch_denials: bool = False
    key: str = ""
    digests: tuple[str, ...] = ()
    number: int = 0
    game_number: int = 0
    stage: str = ""

    @property
    def spec(self) -> MatchSpec:
        """The match, as it can be played."""
        return MatchSpec(**{part: kind(**dict(zip(names, values(self)))) for part, kind, names, values in _PARTS})

    @property
    def names(self) -> tuple[str, ...]:
        """The teams' labels, as a ``MatchInput`` has them."""
        return tuple(team.label for team in self.teams)


def form_of(spec: MatchSpec) -> SpecForm:
    """A match as files hold it."""
    values = {name: value for part, _, names, get in _PARTS for name, value in zip(names, get(getattr(spec, part)))}
    return SpecForm(**values)


def _part(name: str, kind: type[Any]) -> tuple[str, type[Any], tuple[str, ...], attrgetter[Any]]:
    names = tuple(field.name for field in fields(kind))
    return name, kind, names, attrgetter(*names)


_PARTS: Final = [_part("input", MatchInput), _part("holding", Holding), _part("recording", Recording), _part("place", Place)]
"""Of each of the four values: its name in a spec, what makes it, its fields' names, and what gets their values."""
