"""The one move that a program made, found by comparing what it was given with what it wrote. Whatever else differs is named.

All of what a program may change: one square in the placement phase, two in the movement phase, its own score; and with its first
penguin one new row at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

from tiltyard_penguins import rules
from tiltyard_penguins.board_files import BoardFile, PlayerRow
from tiltyard_penguins.positions import PLACEMENT, place_name
from tiltyard_penguins.rules import Board, way_verdict


class BreachError(Exception):
    """A program changed what it may not change; says what and where."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a program did, legal in every respect."""

    target: int
    origin: int = -1
    row: PlayerRow | None = None
    """The row that it added, with its first penguin."""
    keeps_fish_digit: bool = False
    """Whether it left the number of fish standing under the penguin: many do, and it is of no consequence."""


def find_change(before: BoardFile, after: BoardFile, own: PlayerRow | None, phase: str, penguins: int) -> Change | None:
    """What the program did; None where it changed nothing.

    Args:
        before: the canonical state that it was given.
        after: what it wrote.
        own: its row in ``before``, None before its first penguin.
        phase: ``placement`` or ``movement``.
        penguins: how many each player places.

    Raises:
        BreachError: the rules do not allow it.
    """
    if (after.rows, after.columns) != (before.rows, before.columns):
        sizes = f"{before.rows} x {before.columns} to {after.rows} x {after.columns}"
        raise BreachError(f"the board was resized from {sizes}")
    if (before.cells, before.players) in ((after.cells, after.players), (after.canonical().cells, after.players)):
        return None
    row = _new_row(before, after, own)
    number = row.number if own is None else own.number
    squares = _Squares(before, after, number)
    change = squares.placement(penguins) if phase == PLACEMENT else squares.slide()
    _check_score(row, own, before.cells[change.target] // 10)
    return Change(change.target, change.origin, row if own is None else None, change.keeps_fish_digit)


def _new_row(before: BoardFile, after: BoardFile, own: PlayerRow | None) -> PlayerRow:
    """The program's own row as it wrote it. All other rows must be as they were."""
    for index, row in enumerate(before.players):
        if index >= len(after.players):
            raise BreachError(f"{_row_of(row, own)} is missing")
        _compare_rows(row, after.players[index], own)
    added = after.players[len(before.players) :]
    if own is not None:
        if added:
            raise BreachError(f"added a row of another player: '{added[0].name} {added[0].number} {added[0].score}'")
        return next(row for row in after.players if row.number == own.number)
    if not added:
        raise BreachError("added no row of its own at the end of the file")
    if len(added) > 1:
        raise BreachError(f"added {len(added)} rows instead of one")
    return added[0]


def _compare_rows(row: PlayerRow, now: PlayerRow, own: PlayerRow | None) -> None:
    who = _who(row, own)
    if now.name != row.name and now.number != row.number:
        raise BreachError(f"{_row_of(row, own)} was replaced or moved")
    if now.number != row.number:
        raise BreachError(f"the number of {who} was changed from {row.number} to {now.number}")
    if now.name != row.name:
        raise BreachError(f"the ID of {who} was changed from '{row.name}' to '{now.name}'")
    if now.score != row.score and not _is_own(row, own):
        raise BreachError(f"the score of {who} was changed from {row.score} to {now.score}")


def _row_of(row: PlayerRow, own: PlayerRow | None) -> str:
    return "its own row" if _is_own(row, own) else f"the row of {_who(row, own)}"


def _who(row: PlayerRow, own: PlayerRow | None) -> str:
    return "its own row" if _is_own(row, own) else f"player {row.number} ('{row.name}')"


def _is_own(row: PlayerRow, own: PlayerRow | None) -> bool:
    return own is not None and row.number == own.number


def _check_score(row: PlayerRow, own: PlayerRow | None, fish: int) -> None:
    expected = fish + (own.score if own is not None else 0)
    if row.score != expected:
        before = own.score if own is not None else 0
        raise BreachError(f"wrong score: {row.score}, expected {before} + {fish} = {expected}")


class _Squares:
    """The squares that differ before and after a turn, sorted by what happened there."""

    def __init__(self, before: BoardFile, after: BoardFile, number: int) -> None:
        self._before, self._after, self._number = before, after, number
        self._board = Board(before.rows, before.columns, before.cells)
        self._arrivals: list[int] = []
        """Where an own penguin stands now and did not before."""
        self._departures: list[int] = []
        """Where one stood and does not now."""
        other: list[int] = []
        for square, (was, now) in enumerate(zip(before.cells, after.cells)):
            if was == now:
                continue
            if now % 10 == number != was % 10:
                self._arrivals.append(square)
            elif was % 10 == number != now % 10:
                self._departures.append(square)
            else:
                other.append(square)
        if other:
            raise BreachError(self._name(other[0]))

    def _name(self, square: int) -> str:
        """What was done to a square that the player had no business with."""
        was, now = self._before.cells[square], self._after.cells[square]
        where = self._place(square)
        if was % 10 and now % 10 == was % 10:
            return f"wrote {now // 10} fish under the penguin of player {was % 10} at {where}"
        if was % 10:
            return f"removed the penguin of player {was % 10} at {where}"
        if now % 10:
            return f"put a penguin of player {now % 10}, which is not its own, at {where}"
        if was == 0:
            return f"turned water into a floe at {where}"
        if now == 0 and self._arrivals and self._departures:
            return f"the floe at {where} is gone too: it moved twice, or removed the floe"
        if now == 0:
            return f"removed the floe at {where}"
        return f"changed the fish at {where} from {was // 10} to {now // 10}"

    def _place(self, square: int) -> str:
        return place_name(square, self._before.columns)

    def placement(self, penguins: int) -> Change:
        """One penguin more, on a floe with one fish."""
        if self._departures:
            raise BreachError(f"moved its penguin at {self._place(self._departures[0])} in the placement phase")
        if not self._arrivals:
            raise BreachError("changed rows but placed no penguin")
        number = len(self._board.penguins[self._number])
        if number + len(self._arrivals) > penguins:
            raise BreachError(f"placed more than {penguins} penguins, one of them at {self._place(self._arrivals[-1])}")
        if len(self._arrivals) > 1:
            raise BreachError(f"placed {len(self._arrivals)} penguins at once")
        (target,) = self._arrivals
        verdict = self._board.placement_verdict(target)
        if verdict != rules.LEGAL:
            raise BreachError(f"placed a penguin at {self._place(target)}: {rules.WHY[verdict]}")
        return Change(target, keeps_fish_digit=self._keeps_fish_digit(target))

    def slide(self) -> Change:
        """A penguin from one floe, which is gone, to another one in line."""
        if not self._arrivals and not self._departures:
            raise BreachError("changed rows but moved no penguin")
        if len(self._arrivals) > 1 and not self._departures:
            raise BreachError(f"added {len(self._arrivals)} penguins in the movement phase")
        if len(self._arrivals) > 1 or len(self._departures) > 1:
            raise BreachError(f"moved more than one penguin: {len(self._departures)} left and {len(self._arrivals)} arrived")
        if not self._departures:
            raise BreachError(f"a penguin arrived at {self._place(self._arrivals[0])}, but none left a floe")
        if not self._arrivals:
            raise BreachError(f"its penguin at {self._place(self._departures[0])} vanished")
        (origin,), (target,) = self._departures, self._arrivals
        self._check_slide(origin, target)
        if self._after.cells[origin]:
            raise BreachError(f"the floe that it left at {self._place(origin)} is still there")
        return Change(target, origin, keeps_fish_digit=self._keeps_fish_digit(target))

    def _check_slide(self, origin: int, target: int) -> None:
        squares = self._board.squares
        verdict = self._board.move_verdict(self._number, origin, target)
        if verdict == rules.LEGAL:
            return
        what = f"moved from {self._place(origin)} to {self._place(target)}"
        if verdict == rules.NOT_STRAIGHT:
            raise BreachError(f"teleported: {what}, {rules.WHY[verdict]}")
        if verdict in (rules.ON_WATER, rules.ON_PENGUIN):
            raise BreachError(f"{what}: {rules.WHY[verdict]}")
        over = "water" if way_verdict(squares, self._board.columns, origin, target) == rules.OVER_WATER else "a penguin"
        raise BreachError(f"jumped over {over}: {what}")

    def _keeps_fish_digit(self, target: int) -> bool:
        """Whether fish are written under the penguin that arrived: as many as it took, or it is a breach."""
        fish_after, fish_before = self._after.cells[target] // 10, self._before.cells[target] // 10
        if fish_after not in (0, fish_before):
            raise BreachError(f"wrote {fish_after} fish under its penguin at {self._place(target)}, where there were {fish_before}")
        return bool(fish_after)
