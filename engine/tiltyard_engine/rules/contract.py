"""What the author of a game writes: its rules, as pure functions over a position."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from random import Random
from typing import Any, Generic

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import kind_of, some_of
from tiltyard_engine.records import GameRules
from tiltyard_engine.replay.panels import Panel
from tiltyard_engine.results import ranks_of, winner_of
from tiltyard_engine.turns import A, P


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ended by the rules."""

    ranks: tuple[int, ...] = ()
    """The place of each seat: 1 is best, equal places are shared (1, 2, 2, 4). Empty: as ``Rules.scores`` says."""
    reason: str = "OVER"
    """The game's own word, such as ``LINE``."""
    message: str = ""
    """One line for people. Empty: who won, or that nobody did."""
    rounds: int | None = None
    """How many rounds the match had; None: as many as ``Rules.play`` was called for."""

    @classmethod
    def won_by(cls, seat: int, seats: int = 2, reason: str = "OVER", message: str = "") -> Ending:
        """One seat won, and all others are equal; seat 0 is a tie of all."""
        ranks = tuple(1 if seat in (0, number) else 2 for number in range(1, seats + 1))
        return cls(ranks, reason, message)


@dataclass(frozen=True, slots=True)
class Picture:
    """What replays and terminals show of a position."""

    rows: Sequence[Sequence[str]] = ()
    """The board's tokens, row by row from the top, all rows equally long. A string is a row of tokens of one character. The game's
    theme says how each token is drawn. Empty: there is no board."""
    panels: Sequence[Panel] = ()
    """What is shown beside the board, or instead of it."""
    notes: Sequence[str] = ()
    """What happened on the way to this position that is worth a mark on the time line."""
    actions: Sequence[str] | None = None
    """What each seat did on the way to this position; None: its answer, as ``Rules.to_text`` writes it."""


class Rules(GameRules, ABC, Generic[P, A]):
    """A game's rules. ``P`` is the type of its positions, and ``A`` that of its answers: frozen dataclasses, or plain values.

    No method changes what it is given, and none keeps anything: all that a match depends on is in its position. ``chance`` is the
    only source of chance. Seats are numbered from 1.

    Five methods are the rules. The others have a default, and are written only where it doesn't fit.
    """

    most_moves: int = 10_000
    """A match that isn't over after so many calls of ``play`` ends there, and the scores decide."""

    @abstractmethod
    def start(self, board: Any, seats: int, chance: Random) -> P:
        """The first position.

        Args:
            board: the map, as the game's ``maps.read`` returned it.
            seats: how many players there are.
            chance: what the match's seed gives.
        """

    @abstractmethod
    def to_move(self, position: P) -> Collection[int]:
        """The seats that answer now: one in a game by turns, several where all decide at once.

        It is asked only while there is no ``outcome``.
        """

    def legal(self, position: P, seat: int) -> Sequence[A]:
        """All answers that a seat may give now. A game that has too many to list writes ``is_legal`` and ``sample`` instead."""
        raise NotImplementedError(f"{type(self).__name__} lists no answers")

    @abstractmethod
    def play(self, position: P, answers: Mapping[int, A], chance: Random) -> P:
        """The position after the answers, by seat. All of ``to_move`` answered legally, but for seats that left just now."""

    @abstractmethod
    def outcome(self, position: P) -> Ending | None:
        """How the match ended; None: it goes on."""

    # Answers

    def is_legal(self, position: P, seat: int, answer: A) -> bool:
        """Whether a seat may give this answer now. It is of the right type."""
        return answer in self.legal(position, seat)

    def sample(self, position: P, seat: int, chance: Random) -> A:
        """One of the answers that a seat may give now, at random."""
        return chance.choice(self.legal(position, seat))

    def refusal(self, position: P, seat: int, answer: A) -> str:
        """Why an answer isn't legal, for whoever gave it."""
        refused = f"{_brief(answer)} is not a legal answer"
        if not self.lists_answers:
            return refused
        return f"{refused}; legal: {some_of([_brief(each) for each in self.legal(position, seat)]) or 'none'}"

    @property
    def lists_answers(self) -> bool:
        """Whether the game has ``legal``."""
        return type(self).legal is not Rules.legal

    # What players see

    def view(self, position: P, seat: int) -> Any:
        """What a seat is shown of a position; by default all of it. Its return type must be annotated."""
        return position

    def guess(self, view: Any, seat: int, chance: Random) -> P:
        """A position that a seat with this view could be in: what it can't see is drawn at random.

        A game that hides something writes it, so that sparring partners can look ahead. ``check-game`` holds it to ``view``: a
        position that was guessed gives the same view again, and the same legal answers.
        """
        if self.hides:
            raise NotImplementedError(f"{type(self).__name__} hides something, and says with no guess() what it may be")
        position: P = view
        return position

    @property
    def hides(self) -> bool:
        """Whether the game has a ``view`` of its own."""
        return type(self).view is not Rules.view

    @property
    def can_guess(self) -> bool:
        """Whether a view tells the legal answers: it shows all, or the game has a ``guess``."""
        return not self.hides or type(self).guess is not Rules.guess

    @property
    def can_look_ahead(self) -> bool:
        """Whether what ``guess`` returns can be played on."""
        return self.can_guess

    # How a match stands

    def scores(self, position: P) -> Sequence[float]:
        """The score of each seat, more is better; empty in a game that has none. Who looks one move ahead looks at these."""
        return ()

    def without(self, position: P, seat: int) -> P | None:
        """The position from which all others play on when a seat has failed: it is asked no more. None: the match ends."""
        return None

    # For people

    def draw(self, position: P, names: Sequence[str]) -> Picture | None:
        """What to show of a position; ``names`` are the players', seat 1 first.

        None: nothing new, so what was answered here belongs to the round that the next picture ends.
        """
        return Picture()

    def draw_view(self, view: Any, seat: int, names: Sequence[str]) -> Picture | None:
        """What to show the player of a seat at a terminal. None: the fields of the view."""
        return None if self.hides else self.draw(view, names)

    def to_text(self, answer: A, position: P, seat: int) -> str:
        """An answer to a position in words, as it stands in replays and as a person may type it."""
        if isinstance(answer, Enum):
            return answer.name.lower().replace("_", " ")
        return " ".join(map(str, answer)) if isinstance(answer, tuple) else str(answer)

    def from_text(self, text: str, position: P, seat: int) -> A:
        """The answer that a person typed: an answer's text, its last word, or the beginning of one alone.

        Raises:
            ValueError: it is none, or could be several. The message says so.
        """
        typed = " ".join(text.lower().split())
        texts = {self.to_text(answer, position, seat): answer for answer in self.legal(position, seat)}
        ways = (str.__eq__, lambda word, start: word.split()[-1:] == [start], str.startswith)
        for is_meant in ways:
            matches = [text for text in texts if typed and is_meant(text.lower(), typed)]
            if len(matches) == 1:
                return texts[matches[0]]
        raise ValueError(f"{typed!r} is not a legal answer; legal: {some_of(list(texts)) or 'none'}")

    # For agents in training

    def answers(self, board: Any) -> Sequence[A]:
        """All answers that can ever be legal on a map, in an order that stays. Empty: what is legal in games at random."""
        return ()

    def features(self, view: Any, seat: int) -> Any:
        """A view as numbers: an array, or lists of the same shape for all views. None: all that is in it, one after the other."""
        return None

    # What follows

    def ranks(self, position: P, ending: Ending | None, seats: int, failed: Collection[int] = ()) -> tuple[int, ...]:
        """The place of each seat. Who has failed comes after all others; where the match had no ending, the scores decide."""
        if ending is not None and ending.ranks:
            orders: Sequence[float] = [-rank for rank in ending.ranks]
        else:
            orders = self.scores(position) or (0.0,) * seats
        return ranks_of(orders, failed)


def verdict(ranks: Sequence[int], tie: str = "Tie") -> str:
    """Who won, in words. Several may have, where players are on one side."""
    if set(ranks) == {1}:
        return tie
    if winner_of(ranks):
        return f"Player {winner_of(ranks)} won"
    best = [str(seat) for seat, rank in enumerate(ranks, start=1) if rank == 1]
    return f"Players {', '.join(best[:-1])} and {best[-1]} share first place"


def _brief(answer: object) -> str:
    """An answer in a message. It is a team's, so its own words for itself may fail."""
    try:
        return f"{answer!r:.60}"
    except Exception:
        return kind_of(answer)
