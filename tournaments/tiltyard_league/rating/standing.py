"""The standing: worked out by the service from what was played, and kept in a file that can be removed at any time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from tiltyard_simulator.output.result_files import write_over

if TYPE_CHECKING:
    # The web process reads standings, and makes none: it needs no numpy.
    from tiltyard_league.rating.fit import Counts, Fit

PROVISIONAL: Final = 100.0
"""A rating whose interval is wider than ± this many Elo points is provisional."""
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
    ties: int
    losses: int

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


def make_standing(
    fit: Fit, counts: Counts, active: Mapping[int, int], pin: int, *, made_at: str, complete: bool = False
) -> LeagueStanding:
    """The standing.

    Args:
        fit: of all versions.
        counts: of all rated games.
        active: the version that plays, by team.
        pin: the version whose rating is 0.
        made_at: the time.
        complete: whether there is nothing more to play.
    """
    tallies: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for (one, other), (wins, ties, losses) in counts.items():
        for version, own in ((one, (wins, ties, losses)), (other, (losses, ties, wins))):
            for place, number in enumerate(own):
                tallies[version][place] += number
    lines = []
    for team, version in active.items():
        rating, error = fit.rating(version, pin)
        wins, ties, losses = tallies[version]
        lines.append(
            StandingLine(
                team=team,
                version=version,
                rating=round(rating, 6),
                error=round(error, 6),
                games=wins + ties + losses,
                wins=wins,
                ties=ties,
                losses=losses,
            )
        )
    playing = set(active.values())
    earlier = {
        str(version): [round(each, 1) for each in fit.rating(version, pin)] for version in fit.place if version not in playing
    }
    return LeagueStanding(
        made_at=made_at,
        games=sum(map(sum, counts.values())),
        complete=complete,
        lines=sorted(lines, key=lambda line: (-line.rating, line.team)),
        earlier=earlier,
    )


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
