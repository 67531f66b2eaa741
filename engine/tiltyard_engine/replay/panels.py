"""What a frame shows besides a board, or instead of one: lines of text, cards, a table, numbers that are plotted by round.

Panels are plain values. Sequences are kept as tuples, so a list that changes later changes nothing that was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from tiltyard_engine.data_classes import dataclass

MOST_PANELS: Final = 24
"""With different titles in one match."""
MOST_SEATS: Final = 9
MOST_HIDDEN: Final = 9999
LARGEST_VALUE: Final = 1e15


class Panel:
    """What the four kinds of panels have in common: a title."""

    __slots__ = ()
    title: str


@dataclass(frozen=True, slots=True)
class TextPanel(Panel):
    """Lines of text, each character as wide as every other."""

    title: str
    """Its name. A later panel with the same title takes its place."""
    lines: Sequence[str]
    seat: int = 0
    """Whose it is, from 1, which is shown in that seat's colour; 0: nobody's."""

    def __post_init__(self) -> None:
        _keep(self, lines=_texts(self.lines))
        _check(self.title, self.seat)


@dataclass(frozen=True, slots=True)
class CardsPanel(Panel):
    """A hand of cards, a deck, what lies on the table."""

    title: str
    """As in :class:`TextPanel`."""
    cards: Sequence[str]
    """Those that can be seen, such as ``("7♣", "K♥")``."""
    hidden: int = 0
    """How many more lie face down. A replay does not say what they are."""
    seat: int = 0
    """Whose they are, from 1; 0: nobody's."""

    def __post_init__(self) -> None:
        _keep(self, cards=_texts(self.cards))
        _check(self.title, self.seat)
        if not 0 <= self.hidden <= MOST_HIDDEN:
            raise ValueError(f"the panel '{self.title}' has {self.hidden} hidden cards: expected 0 to {MOST_HIDDEN}")


@dataclass(frozen=True, slots=True)
class TablePanel(Panel):
    """A table that is shown beside the board."""

    title: str
    """As in :class:`TextPanel`."""
    headers: Sequence[str]
    """Of its columns; empty: it has none."""
    rows: Sequence[Sequence[str]]
    """Cells from the left; missing ones are empty."""
    column_seats: Sequence[int] = ()
    """Whose each column is, from 1; 0: nobody's."""
    row_seats: Sequence[int] = ()
    """Whose each row is, from 1; 0: nobody's."""
    seat: int = 0
    """Whose the whole table is."""

    def __post_init__(self) -> None:
        _keep(self, headers=_texts(self.headers), rows=tuple(map(_texts, self.rows)))
        _keep(self, column_seats=tuple(self.column_seats), row_seats=tuple(self.row_seats))
        _check(self.title, self.seat, *self.column_seats, *self.row_seats)


@dataclass(frozen=True, slots=True)
class PlotPanel(Panel):
    """Numbers after a round. Viewers draw them as lines over the rounds up to the one that is shown."""

    title: str
    """As in :class:`TextPanel`."""
    values: Sequence[float]
    """One for each line. A round without this panel keeps them."""
    names: Sequence[str] = ()
    """Of the lines; empty: the names of the seats."""
    seats: Sequence[int] = ()
    """Whose each line is, from 1; 0: nobody's. Empty: the first is seat 1's, the second seat 2's, and so on."""

    def __post_init__(self) -> None:
        _keep(self, values=tuple(map(float, self.values)), names=_texts(self.names), seats=tuple(self.seats))
        _check(self.title, *self.seats)
        if self.seats and len(self.seats) != len(self.values):
            raise ValueError(f"the panel '{self.title}' has {len(self.values)} values, but {len(self.seats)} seats")
        for value in self.values:
            if not abs(value) <= LARGEST_VALUE:
                limits = f"-{LARGEST_VALUE:g} to {LARGEST_VALUE:g}"
                raise ValueError(f"the panel '{self.title}' has the value {value}: expected {limits}")

    @property
    def owners(self) -> tuple[int, ...]:
        """The seat of each line; 0 where it is nobody's."""
        seats = self.seats or range(1, len(self.values) + 1)
        return tuple(seat if seat <= MOST_SEATS else 0 for seat in seats)


KINDS: Final = (TextPanel, CardsPanel, TablePanel, PlotPanel)


def checked_panels(panels: Iterable[Panel]) -> tuple[Panel, ...]:
    """The panels that a GameManager gave.

    Raises:
        TypeError: one of them is something else.
    """
    result = tuple(panels)
    for panel in result:
        if not isinstance(panel, KINDS):
            raise TypeError(f"a panel is a {type(panel).__name__}: expected a {', a '.join(kind.__name__ for kind in KINDS)}")
    return result


def _keep(panel: Any, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(panel, name, value)


def _texts(value: Sequence[str]) -> tuple[str, ...]:
    # A string is a sequence of strings too, and then everybody would wonder.
    return (value,) if isinstance(value, str) else tuple(map(str, value))


def _check(title: object, *seats: int) -> None:
    if not (isinstance(title, str) and title):
        raise ValueError("a panel has no title")
    for seat in seats:
        if not 0 <= seat <= MOST_SEATS:
            raise ValueError(f"the panel '{title}' belongs to seat {seat}: expected 1 to {MOST_SEATS}, or 0 for nobody")
