"""One replay form for every game: a start board, panels or both, then for each round what changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import ContractError, MapError
from tiltyard_engine.replay.panels import Panel, checked_panels


@dataclass(frozen=True, slots=True)
class Frame:
    """What one round (or ply) changed."""

    changes: tuple[tuple[int, str], ...] = ()
    """(square, token) pairs; a square is ``y * width + x``."""
    actions: tuple[str, ...] = ()
    """What each actor did, in the game's fixed order of actors."""
    scores: tuple[float, ...] = ()
    """The score a seat after the round."""
    notes: tuple[str, ...] = ()
    """Events worth a mark on the time line, such as a tank's death."""
    panels: tuple[Panel, ...] = ()
    """The panels that are new, or another now; all others stay as they were."""


@dataclass(slots=True, kw_only=True)
class Replay:
    """A recorded match: the board of ``width`` x ``height`` tokens at the start, and its frames.

    A game without a board has a width and height of 0; its panels show it.
    """

    game: str
    width: int
    height: int
    squares: tuple[str, ...]
    """Row by row. A token's first character is the game's plain view of the square."""
    seats: tuple[str, ...] = ()
    """Names of the players, seat 1 first."""
    title: str = ""
    message: str = ""
    """How the match ended, for people."""
    frames: list[Frame] = field(default_factory=list)
    views: list[tuple[int, int, int]] = field(default_factory=list)
    """What players were shown: (round, seat, square), the board as it was before the round with ``%`` on the square; with the
    square -1 it was something else."""
    panels: tuple[Panel, ...] = ()
    """Those at the start."""

    @property
    def shows_anything(self) -> bool:
        """Whether there is anything to look at."""
        return bool(self.squares or self.panels or self.frames)

    def squares_after(self, round_number: int) -> list[str]:
        """The board's tokens after round ``round_number``; 0 is the start."""
        squares = list(self.squares)
        for frame in self.frames[:round_number]:
            for square, token in frame.changes:
                squares[square] = token
        return squares

    def rows_after(self, round_number: int) -> tuple[str, ...]:
        """The plain view, a string a row, after round ``round_number``."""
        return self._rows("".join(token[0] for token in self.squares_after(round_number)))

    def all_rows(self) -> Iterator[tuple[str, ...]]:
        """The plain view at the start and after each round, one after the other."""
        plain = [token[0] for token in self.squares]
        yield self._rows("".join(plain))
        for frame in self.frames:
            for square, token in frame.changes:
                plain[square] = token[0]
            yield self._rows("".join(plain))

    def _rows(self, plain: str) -> tuple[str, ...]:
        # A game without a board has no rows, and its width is 0.
        return tuple(plain[start : start + self.width] for start in range(0, len(plain), self.width or 1))


SHAPES = ("block", "broken block", "tank", "wreck", "shell", "shells", "mine", "disc", "nothing")
"""What a square may be drawn as. Tanks and discs take the ``background`` colour and their mark the ``foreground``; all others
are foreground."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareStyle:
    """How a viewer draws a token."""

    glyph: str
    """Two terminal columns."""
    plain: str
    """Two ASCII characters, for terminals without Unicode."""
    foreground: str = ""
    """``#rrggbb``; if this and ``background`` are empty, the colour of its ``seat``, else the viewer's own."""
    background: str = ""
    """``#rrggbb`` of the ground, and of discs and tanks themselves. If it is empty, these have the foreground's colour or that of
    their seat, and their mark is black or white."""
    label: str = ""
    """What it is, in words, for legends and screen readers."""
    shape: str = ""
    """For viewers that draw: one of :data:`SHAPES`; empty or unknown: the glyph is written."""
    turn: int = 0
    """Eighths of a turn that the shape is turned clockwise; unturned shapes point up."""
    mark: str = ""
    """A character written on the shape."""
    seat: int = 0
    """Whose piece it is, from 1; 0: nobody's."""
    floor: str = ""
    """``#rrggbb`` of the square under the shape, such as where the last move was; empty for the viewer's own."""
    ring: str = ""
    """``#rrggbb`` of a ring around the shape, such as for what is in danger."""
    dot: str = ""
    """``#rrggbb`` of a dot in the upper right corner, such as for what is protected."""


@dataclass(frozen=True, slots=True)
class FigureStyle:
    """How to find figures in what actors did: words such as ``.OO/OO.``, rows of squares with slashes between them.

    Viewers draw the figure that follows the word ``after``, and write the size of all others.
    """

    empty: str
    """The character of a square that is not part of the figure."""
    taken: str
    """The character of one that is."""
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """How a game's tokens look, and what they are called."""

    styles: Mapping[str, SquareStyle]
    seat_colors: tuple[str, ...] = ()
    """``#rrggbb`` a seat, seat 1 first."""
    figures: FigureStyle | None = None
    """None: what actors did is text alone."""
    prints_growth: bool = False
    """Whether how the scores grew belongs below the last board where a match is printed, as into a pipe."""
    column_names: tuple[str, ...] = ()
    """What the game's own words call its columns, from the left; empty: viewers count them from 0."""
    row_names: tuple[str, ...] = ()
    """What they call its rows, from the top. A name is as short as the largest number would be."""


class Recorder(ABC):
    """Takes a match down as it is played."""

    active: bool = True
    """False where nobody will look: a manager then need not work out what changed."""
    is_watched: bool = True
    """False where nobody has seen a match before it ends: if the machine fails, it can start again."""

    @abstractmethod
    def start(self, width: int = 0, height: int = 0, squares: Sequence[str] = (), panels: Sequence[Panel] = ()) -> None:
        """The start board, ``width * height`` tokens row by row, and the panels; a game without a board gives these alone."""

    @abstractmethod
    def frame(
        self,
        changes: Iterable[tuple[int, str]] = (),
        actions: Sequence[str] = (),
        scores: Sequence[float] = (),
        notes: Sequence[str] = (),
        panels: Sequence[Panel] = (),
    ) -> None:
        """One round: see :class:`Frame`."""


class LogError(MapError):
    """An output file that the chosen rules cannot have written."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        """The first bad line, from 1; one past the last where a line is missing."""
        self.replay: Replay | None = None
        """The game up to there. Where the rules could play the bad line, its round is the last, the error among its notes."""


def board_problem(width: int, height: int, squares: Sequence[str]) -> str:
    """Why these can't be the start board, or an empty string."""
    has_size = min(width, height) >= 1 or (width, height) == (0, 0)
    if has_size and len(squares) == width * height and all(squares):
        return ""
    return f"the recorded board has {len(squares)} squares, expected {width} x {height} with a token each, row by row"


def changes_problem(changes: Iterable[tuple[int, str]], width: int, height: int) -> str:
    """Why these can't be a round's changes, or an empty string."""
    size = width * height
    for square, token in changes:
        if not (0 <= square < size and token):
            return f"a recorded change puts '{token:.20}' on square {square} of a board of {width} x {height}"
    return ""


class NullRecorder(Recorder):
    """Keeps nothing. What it is told must be right all the same: whether a match is recorded decides nothing about its result."""

    active = False
    _width = _height = 0

    def start(self, width: int = 0, height: int = 0, squares: Sequence[str] = (), panels: Sequence[Panel] = ()) -> None:
        """Check the start board and panels.

        Raises:
            ContractError: they are no board.
        """
        _require(board_problem(width, height, squares))
        checked_panels(panels)
        self._width, self._height = width, height

    def frame(
        self,
        changes: Iterable[tuple[int, str]] = (),
        actions: Sequence[str] = (),
        scores: Sequence[float] = (),
        notes: Sequence[str] = (),
        panels: Sequence[Panel] = (),
    ) -> None:
        """Check a round.

        Raises:
            ContractError: it does not fit the board.
        """
        frame = Frame(tuple(changes), tuple(actions), tuple(scores), tuple(notes), tuple(panels))
        _require(changes_problem(frame.changes, self._width, self._height))
        checked_panels(frame.panels)
        self._keep(frame)

    def _keep(self, frame: Frame) -> None:
        """Take a round that was checked."""


class ReplayRecorder(NullRecorder):
    """Builds a :class:`Replay` in memory."""

    active = True

    def __init__(self, game: str, seats: Sequence[str] = (), title: str = "") -> None:
        self.replay = Replay(game=game, width=0, height=0, squares=(), seats=tuple(seats), title=title)

    def start(self, width: int = 0, height: int = 0, squares: Sequence[str] = (), panels: Sequence[Panel] = ()) -> None:
        """Take the start board and panels; errors as for a :class:`NullRecorder`."""
        super().start(width, height, squares, panels)
        self.replay.panels = checked_panels(panels)
        self.replay.width, self.replay.height, self.replay.squares = width, height, tuple(squares)

    def _keep(self, frame: Frame) -> None:
        self.replay.frames.append(frame)


def _require(problem: str) -> None:
    if problem:
        raise ContractError(problem)
