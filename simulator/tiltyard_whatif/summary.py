"""All matches of a tournament that a team didn't win: how it lost them, where, and by which answers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_whatif.destroyed import destructions
from tiltyard_whatif.explaining import Explanation, Kind, explain
from tiltyard_whatif.playing import point_in_words
from tiltyard_whatif.stored import StoredGame
from tiltyard_whatif.words import HONEST

MOST_GAMES: Final = 3
"""So many matches are worth a look."""
MOST_ANSWERS: Final = 5
MOST_SQUARES: Final = 5
_NUMBER: Final = re.compile(r"\S*\d\S*")


@dataclass(frozen=True, slots=True)
class Loss:
    """A match that a team didn't win."""

    game: StoredGame
    seat: int
    explanation: Explanation | None
    problem: str = ""
    """Why it could not be explained."""

    @property
    def opponents(self) -> str:
        """Whom the team met."""
        return " - ".join(name for seat, name in enumerate(self.game.spec.input.names, start=1) if seat != self.seat)


def losses(
    games: Sequence[StoredGame],
    team: str,
    folder: Path,
    cpu_seconds: float,
    *,
    workers: int = 1,
    tell: Callable[[str], object] = lambda line: None,
) -> Iterator[Loss]:
    """Explain matches one by one. Each gets an equal share of the time that is left.

    Args:
        games: the matches.
        team: who is to know.
        folder: the tournament's output folder.
        cpu_seconds: for all of them together.
        workers: processes that try answers at once.
        tell: gets a match's title before it is looked at.
    """
    left = cpu_seconds
    for number, game in enumerate(games):
        seat = game.seat_of(team)
        tell(game.spec.input.title)
        try:
            explanation = explain(game, seat, folder, max(0.0, left) / (len(games) - number), workers=workers)
        except UserError as error:
            yield Loss(game, seat, None, str(error))
        else:
            left -= explanation.cpu_seconds
            yield Loss(game, seat, explanation)


def kind_of_answer(text: str) -> str:
    """An answer without what differs from place to place: ``column 3`` and ``column 4`` are of one kind."""
    return " ".join(_NUMBER.sub("…", text).split())


def rows(lost: Sequence[Loss]) -> list[tuple[str | int, ...]]:
    """A row for each match."""
    table: list[tuple[str | int, ...]] = []
    for loss in lost:
        place = loss.game.spec.place.number + 1
        about = (place, one_line(loss.opponents), one_line(loss.game.spec.input.map.name))
        if loss.explanation is None:
            table.append((*about, "not explained", "", "", ""))
            continue
        moment = next(iter(loss.explanation.moments), None)
        answers = (
            ("", "", "")
            if moment is None
            else (
                point_in_words(moment.turn.decision.point).removeprefix("turn "),
                one_line(moment.turn.decision.answer),
                one_line(moment.best.answer),
            )
        )
        table.append((*about, loss.explanation.kind.value, *answers))
    return table


HEADERS: Final = ("match", "opponent", "map", "how", "turn", "answer", "better")


def conclusions(lost: Sequence[Loss], team: str) -> Iterator[str]:
    """What the matches have in common, in sentences."""
    explained = [loss.explanation for loss in lost if loss.explanation is not None]
    kinds = Counter(explanation.kind for explanation in explained)
    yield (
        f"{one_line(team)} didn't win {counted(len(lost), 'match', 'matches')}: {kinds[Kind.MISTAKE]} by one mistake,"
        f" {kinds[Kind.MANY]} by no single one, {kinds[Kind.LOST] + kinds[Kind.OPEN]} in which nothing helped that was tried,"
        f" {kinds[Kind.FAULT]} by a fault ({HONEST})."
    )
    for what, of in (("opponent", lambda loss: loss.opponents), ("map", lambda loss: loss.game.spec.input.map.name)):
        yield f"By {what}: {_counts(lost, of)}."
    yield from _lost_tanks(lost)
    costs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for explanation in explained:
        for moment in explanation.moments[:1]:
            costs[kind_of_answer(moment.turn.decision.answer), kind_of_answer(moment.best.answer)].append(moment.cost)
    dearest = sorted(costs.items(), key=lambda item: (-sum(item[1]), item[0]))[:MOST_ANSWERS]
    for (answer, better), each in dearest:
        yield f"  '{one_line(answer)}' instead of '{one_line(better)}': {counted(len(each), 'match', 'matches')}"
    best = sorted((each for each in explained if each.moments), key=lambda each: -each.moments[0].cost)[:MOST_GAMES]
    if best:
        yield f"Look at match {', '.join(str(each.game.spec.place.number + 1) for each in best)} first."
    problems = Counter(loss.problem for loss in lost if loss.problem)
    for problem, number in problems.items():
        yield f"not explained: {counted(number, 'match', 'matches')}: {one_line(problem)}"


def _lost_tanks(lost: Sequence[Loss]) -> Iterator[str]:
    """Where the team's tanks were destroyed, map by map."""
    by_map: dict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    for loss in lost:
        replay = loss.game.replay
        by_map[loss.game.spec.input.map.name].update(
            divmod(each.square, replay.width) for each in destructions(replay) if each.seat == loss.seat and each.square is not None
        )
    for name, squares in by_map.items():
        if squares:
            most = "; ".join(
                f"column {column}, row {row}" + (f" ({number} times)" if number > 1 else "")
                for (row, column), number in squares.most_common(MOST_SQUARES)
            )
            yield f"Its tanks were destroyed on {one_line(name)} at: {most}."


def _counts(lost: Sequence[Loss], of: Callable[[Loss], Any]) -> str:
    return ", ".join(f"{one_line(name)} {number}" for name, number in Counter(map(of, lost)).most_common())
