"""All matches of a tournament that a team didn't win: how it lost them, where, and by which answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_site.explained.explained import Explained
from tiltyard_whatif.explained_files import explained_of, unexplained
from tiltyard_whatif.explaining import Explanation, explain
from tiltyard_whatif.stored import StoredGame


@dataclass(frozen=True, slots=True)
class Loss:
    """A match that a team didn't win."""

    game: StoredGame
    seat: int
    explanation: Explanation | None
    problem: str = ""
    """Why it could not be explained."""

    @property
    def row(self) -> Explained:
        """As tables and pages show it."""
        return unexplained(self.game, self.seat, self.problem) if self.explanation is None else explained_of(self.explanation)


def losses(
    games: Sequence[StoredGame],
    team: str,
    folder: Path,
    cpu_seconds: float,
    *,
    workers: int = 1,
    tell: Callable[[int, str], object] = lambda number, line: None,
) -> Iterator[Loss]:
    """Explain matches one by one. Each gets an equal share of the time that is left.

    Args:
        games: the matches.
        team: who is to know.
        folder: the tournament's output folder.
        cpu_seconds: for all of them together.
        workers: processes that try answers at once.
        tell: hears how many matches were looked at, which one is, and how many answers were tried in it.
    """
    left = cpu_seconds
    for number, game in enumerate(games):
        seat = game.seat_of(team)
        title, seconds = game.spec.input.title, max(0.0, left) / (len(games) - number)

        def tell_tried(tried: int, possible: int, spent: float, place: int = number, title: str = title) -> None:
            tell(place, f"{title}: {tried:,} of {possible:,} answers")

        tell(number, title)
        try:
            explanation = explain(game, seat, folder, seconds, workers=workers, tell=tell_tried)
        except UserError as error:
            yield Loss(game, seat, None, str(error))
        else:
            left -= explanation.cpu_seconds
            yield Loss(game, seat, explanation)


def rows(lost: Sequence[Explained]) -> list[tuple[str | int, ...]]:
    """A row for each match."""
    table: list[tuple[str | int, ...]] = []
    for each in lost:
        answers = next(((one.place, one_line(one.answer), one_line(one.better)) for one in each.moments), ("", "", ""))
        table.append((each.number, one_line(each.opponents), one_line(each.map), each.reason, *answers))
    return table


HEADERS: Final = ("match", "opponent", "map", "reason", "turn", "answer", "better")
