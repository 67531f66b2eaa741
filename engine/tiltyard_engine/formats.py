"""Tournament formats: who meets whom, as numbers, decided by the field, the options and the results alone.

A format sees no algorithms and plays nothing. It is asked for a batch of fixtures, the host plays them in
any order, in parallel or not, and asks again with all results, until a batch is empty. Because each batch is
a pure function of all earlier results, a tournament that was interrupted goes on as if nothing had happened.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, TypeVar

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.match import NoOptions
from tiltyard_engine.results import PairingEnding

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Absence:
    """Rounds in which a team is not paired. Those that were drawn are facts; of others the tournament file says it."""

    team: int
    """By place in ``Field.teams``."""
    first: int
    """From 1."""
    last: int | None = None
    """None: to the end."""
    ending: PairingEnding = PairingEnding.ABSENT
    points: float = 0.0
    """What the team has for all of them, by ``PairingEnding.LATE``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Everything about a tournament that a format may know before anything is played."""

    teams: tuple[str, ...]
    """Names in the order of the tournament file; formats speak of teams by their places here, from 0."""
    maps: tuple[str, ...]
    """Names in the order of the tournament file; spoken of by place too."""
    seats: int = 2
    """Players a match."""
    games: int = 1
    """How many games, each with a seed of its own, the same teams play on the same map in the same seats."""
    seed: int = 0
    """The tournament's, for formats that draw lots."""
    win_points: float = 3.0
    """What a won match is worth, for formats that count byes."""
    draw_points: float = 1.0
    """What a drawn one is worth, for half-point byes."""
    absences: tuple[Absence, ...] = ()
    """For formats whose ``draws`` is ``rounds``."""
    rounds_drawn: int = 0
    """So many rounds stand as they were drawn, perhaps with other maps and options than these."""
    carried: Mapping[str, float] = field(default_factory=dict)
    """Points that teams bring from an earlier tournament, by name."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match to be played. No two fixtures of a tournament have the same seats, map and game."""

    seats: tuple[int, ...]
    """Teams by place in ``Field.teams``, seat 1 first; no team twice."""
    map: int
    game: int = 0
    """Which of the games on this map. The seed comes from map and game, so equal numbers meet equal conditions."""
    stage: str = ""
    """What this part of the tournament is called, such as ``round 3`` or ``final``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureResult:
    """The result of a fixture."""

    fixture: Fixture
    winner: int
    """A seat from 1; 0 is a tie, or no result."""
    ranks: tuple[int, ...]
    """A place a seat, 1 is best, equal places shared."""
    scores: tuple[float, ...] = ()
    """The game's own score a seat; empty where it has none."""
    points: tuple[float, ...] = ()
    """What each seat gets for it by the tournament's scoring."""
    counts: bool = True
    """False: there is no result, such as where the GameManager failed. It is not played again."""
    digest: str = ""
    """A fingerprint of how the match went: equal for two that went the same way move by move. Empty: not known."""


@dataclass(frozen=True, slots=True)
class Bye:
    """A team that has no opponent in a stage: because nobody is left to meet, or for another reason."""

    team: int
    stage: str
    games: int = 0
    """How many matches it stands for, each with the points that ``ending`` gives. It is no game itself."""
    ending: PairingEnding = PairingEnding.BYE
    points: float = 0.0
    """What the team has for it, by ``PairingEnding.LATE``."""


# Without slots: Python 3.11 can't make BracketMeeting[str](...) of a frozen class that has some.
@dataclass(frozen=True, slots=True)
class BracketMeeting(Generic[T]):
    """A place of a bracket in which two teams meet, or one has nobody to meet."""

    stage: str
    teams: tuple[T, ...] = ()
    """Those that are known so far, at most two. Formats speak of them by their places, publishers get names."""
    winner: T | None = None
    """Who goes on; None: not decided. A team alone that goes on has a bye."""
    note: str = ""
    """What decided, where games did not."""


@dataclass(frozen=True, slots=True)
class Bracket(Generic[T]):
    """Meetings that lead to each other, for whoever draws them."""

    name: str
    """Empty, where there is only one."""
    columns: tuple[tuple[BracketMeeting[T] | None, ...], ...]
    """From the first round to the last, each from top to bottom. A column has as many places as the next one, whose teams come
    from the same line, or twice as many: then winners of neighbours meet. None: a place where nobody plays."""

    def with_names(self: Bracket[int], names: Sequence[str]) -> Bracket[str]:
        """With names in place of numbers of teams."""
        columns = (tuple(_with_names(meeting, names) if meeting else None for meeting in column) for column in self.columns)
        return Bracket(self.name, tuple(columns))


def _with_names(meeting: BracketMeeting[int], names: Sequence[str]) -> BracketMeeting[str]:
    winner = None if meeting.winner is None else names[meeting.winner]
    return BracketMeeting(meeting.stage, tuple(names[team] for team in meeting.teams), winner, meeting.note)


class TournamentFormat(ABC):
    """One tournament's schedule. Its methods are pure: equal arguments, equal answers, whatever was asked before.

    ``results`` has the results of all batches so far in the order in which the format gave the fixtures. For ``next_batch`` they
    are complete; the other methods are also asked while the last batch is being played, when some of its results are missing.
    """

    draws: ClassVar[Literal["", "rounds", "all"]] = ""
    """What stands once it was drawn. ``rounds``: each batch is a round, and results of it may be of other teams, maps and options
    than the field's. ``all``: with the first batch, everything that the format was made with. Empty: nothing."""

    challengers: Sequence[int] = ()
    """Teams that all others meet, such as a gauntlet's; empty: the format treats all alike."""

    groups: Sequence[tuple[str, Sequence[int]]] = ()
    """(name, teams) of parts of the field that each have a table of their own; empty: all are in one."""

    @abstractmethod
    def next_batch(self, results: Sequence[FixtureResult]) -> Sequence[Fixture]:
        """What is to be played next, in an order that keeps the table readable; empty: the tournament is over."""

    def placings(self, results: Sequence[FixtureResult]) -> Sequence[Sequence[int]] | None:
        """All teams as groups of equals, best first, after these results; None: points decide."""
        return None

    def byes(self, results: Sequence[FixtureResult]) -> Sequence[Bye]:
        """The byes of all stages up to the one that is to be played next or is being played."""
        return ()

    def brackets(self, results: Sequence[FixtureResult]) -> Sequence[Bracket[int]]:
        """What is to be drawn of a format in which teams go out; the first one leads to the winner. Empty: there is none."""
        return ()

    def expected_games(self) -> tuple[int, int] | None:
        """The fewest and the most matches that the tournament can take; None: not known."""
        return None

    def notes(self, results: Sequence[FixtureResult]) -> Sequence[str]:
        """Lines for people on what these results show, to stand below the standings."""
        return ()


@dataclass(frozen=True, slots=True)
class Format:
    """A tournament format that can be chosen by name."""

    name: str
    create: Callable[[Field, Any], TournamentFormat]
    """``create(field, options)``; raises UserError where the format cannot be played so, such as with too many seats."""
    options: type[Any] = NoOptions
    """A frozen dataclass whose fields have types of YAML and defaults, made with :func:`option`."""
    description: str = ""


def option(default: T, description: str, ge: float | None = None, le: float | None = None) -> T:
    """A field of an options dataclass: its default, what it means, and its least and greatest value.

    The words are kept in the field's metadata under these names, where the host finds them for errors, help and schemas.
    """
    limits = {name: value for name, value in (("ge", ge), ("le", le)) if value is not None}
    # The type says what the instance holds, as that of dataclasses.field does.
    return field(default=default, metadata={"description": description, **limits})
