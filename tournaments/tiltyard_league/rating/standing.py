"""The standing: worked out by the service from what was played, and kept in a file that can be removed at any time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from tiltyard_simulator.output.result_files import write_over
from tiltyard_tournaments.ratings import beyond_ratings

if TYPE_CHECKING:
    # The web process reads standings, and makes none: it needs no numpy.
    from tiltyard_league.rating.fit import Counts, Fit, Results

PROVISIONAL: Final = 100.0
"""A rating whose interval is wider than ± this many Elo points is provisional."""
_VERSION: Final = re.compile(r"\{(\d+)\}")
STANDING: Final = "standing.json"
FROZEN: Final = "standing-frozen.json"
"""What the public sees while the league is frozen."""


class StandingLine(msgspec.Struct, frozen=True, kw_only=True):
    """A team in the standing."""

    team: int
    version: int
    rating: float
    """Elo points above the pinned team of the staff."""
    error: float
    """Half the width of the 95 % interval."""
    games: int
    wins: int
    """Games in which it was first alone; in games of more than two, too."""
    ties: int
    """Games in which it shared the first place."""
    losses: int
    mean_place: float = 0.0
    """In games of more than two: the mean of its places; those that share places have the middle of them. 0: no games."""
    share: float = 0.0
    """In games of more than two: the share of opponents before whom it finished, from 0 to 1; ties are halves."""

    @property
    def is_provisional(self) -> bool:
        """Whether too little is known of it."""
        return self.error > PROVISIONAL


class LeagueStanding(msgspec.Struct, frozen=True, kw_only=True):
    """All teams with a version that plays, best first."""

    made_at: str = ""
    games: int = 0
    """Rated games that it rests on."""
    complete: bool = False
    """Whether all that play have met on all maps."""
    lines: list[StandingLine] = []
    fit: str = ""
    """Whether one number a team fits the games of two, in a sentence with ``{7}`` for version 7; empty: nothing is known."""
    earlier: dict[str, list[float]] = {}
    """Rating and error of versions that have stopped playing, by their numbers."""

    def place_of(self, team: int) -> int:
        """A team's place, from 1; 0 if it has none."""
        return next((place for place, line in enumerate(self.lines, start=1) if line.team == team), 0)

    def line_of(self, team: int) -> StandingLine | None:
        """A team's line; None if it has none."""
        return next((line for line in self.lines if line.team == team), None)

    def rating_of(self, version: int) -> tuple[float, float] | None:
        """Rating and error of a version, whether it plays or not."""
        for line in self.lines:
            if line.version == version:
                return line.rating, line.error
        rating = self.earlier.get(str(version))
        return None if rating is None else (rating[0], rating[1])


class _Tally:
    """What a version has done in its games."""

    def __init__(self) -> None:
        self.results = [0, 0, 0]
        self.places = self.shares = 0.0

    def add(self, result: int, count: int, place: float = 0.0, share: float = 0.0) -> None:
        """Add games with a result (0: first alone, 1: shared the first place, 2: neither), a place and a share of opponents."""
        self.results[result] += count
        self.places += count * place
        self.shares += count * share

    def line(self, team: int, version: int, rating: tuple[float, float]) -> StandingLine:
        games = sum(self.results)
        wins, ties, losses = self.results
        return StandingLine(
            team=team,
            version=version,
            rating=round(rating[0], 6),
            error=round(rating[1], 6),
            games=games,
            wins=wins,
            ties=ties,
            losses=losses,
            mean_place=round(self.places / max(1, games), 6),
            share=round(self.shares / max(1, games), 6),
        )


def make_standing(
    fit: Fit,
    counts: Counts,
    active: Mapping[int, int],
    pin: int,
    *,
    made_at: str,
    complete: bool = False,
    results: Results | None = None,
    is_tested: bool = True,
) -> LeagueStanding:
    """The standing.

    Args:
        fit: of all versions.
        counts: of all rated games of two.
        active: the version that plays, by team.
        pin: the version whose rating is 0.
        made_at: the time.
        complete: whether there is nothing more to play.
        results: of all rated games of more than two.
        is_tested: whether to find out if one number a team fits, which takes a second with a hundred teams.
    """
    tallies: dict[int, _Tally] = defaultdict(_Tally)
    for (one, other), own_counts in counts.items():
        for result, count in enumerate(own_counts):
            tallies[one].add(result, count)
            tallies[other].add(2 - result, count)
    for order, count in (results or {}).items():
        seats, before = sum(map(len, order)), 0
        for group in order:
            place = before + (1 + len(group)) / 2
            for version in group:
                tallies[version].add(2 if before else int(len(group) > 1), count, place, (seats - place) / (seats - 1))
            before += len(group)
    lines = [tallies[version].line(team, version, fit.rating(version, pin)) for team, version in active.items()]
    playing = set(active.values())
    earlier = {
        str(version): [round(each, 1) for each in fit.rating(version, pin)] for version in fit.place if version not in playing
    }
    return LeagueStanding(
        made_at=made_at,
        games=sum(map(sum, counts.values())) + sum((results or {}).values()),
        complete=complete,
        fit=_fit_note(counts, playing) if is_tested else "",
        lines=sorted(lines, key=lambda line: (-line.rating, line.team)),
        earlier=earlier,
    )


def with_names(sentence: str, names: Mapping[int, str]) -> str:
    """The sentence of ``LeagueStanding.fit`` for a reader, by what each version is called; empty if one has no name here."""
    versions = versions_in(sentence)
    return _VERSION.sub(lambda match: names[int(match[1])], sentence) if versions <= names.keys() else ""


def versions_in(sentence: str) -> set[int]:
    """The versions that the sentence of ``LeagueStanding.fit`` speaks of."""
    return {int(number) for number in _VERSION.findall(sentence)}


def _fit_note(counts: Counts, playing: Set[int]) -> str:
    """Of the versions that play now: who met those before them says nothing about these."""
    own = {(f"{{{one}}}", f"{{{other}}}"): count for (one, other), count in counts.items() if {one, other} <= playing}
    more = beyond_ratings() if own else None
    return str(more.counts_note(own)) if more else ""


def write_standing(folder: Path, standing: LeagueStanding, name: str = STANDING) -> None:
    """Write it; a reader sees the old one or the new one.

    Raises:
        UserError: it cannot be written.
    """
    write_over(folder / name, msgspec.json.encode(standing).decode())


def read_standing(folder: Path, names: Sequence[str] = (STANDING,)) -> LeagueStanding:
    """The first that is there; an empty one if none is, or if it is damaged: it is written again soon."""
    for name in names:
        try:
            return msgspec.json.decode((folder / name).read_bytes(), type=LeagueStanding)
        except (OSError, msgspec.MsgspecError):
            continue
    return LeagueStanding()
