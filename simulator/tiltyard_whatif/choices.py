"""Which answers a team may give in a turn, and how people write them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from tiltyard_engine.errors import UserError, some_of
from tiltyard_engine.records import Game, TankInterface
from tiltyard_engine.rules import Rules
from tiltyard_engine.tanks import ActionRequest

SAMPLES: Final = 24
"""How many answers are drawn where a game has too many to list."""


class Choices(ABC):
    """The answers of a game. A view is what the team was shown in that turn."""

    lists_all: bool = True
    """Whether ``texts`` are all that are legal."""

    @abstractmethod
    def texts(self, view: Any, seat: int) -> list[str]:
        """Those that are legal, each once; where a game can't list them, some of them."""

    @abstractmethod
    def text(self, answer: Any, view: Any, seat: int) -> str:
        """An answer in words."""

    @abstractmethod
    def answer(self, text: str, view: Any, seat: int) -> Any:
        """The legal answer of these words.

        Raises:
            ValueError: there is none, or several begin so; the message says which there are.
        """


class RuledChoices(Choices):
    """Those of a game that states its rules."""

    def __init__(self, rules: Rules[Any, Any]) -> None:
        self._rules = rules
        self.lists_all = rules.lists_answers

    def _position(self, view: Any, seat: int) -> Any:
        # What fits the view has the same legal answers, whatever it shows otherwise.
        return self._rules.guess(view, seat, Random(0))

    def texts(self, view: Any, seat: int) -> list[str]:
        rules, position, chance = self._rules, self._position(view, seat), Random(0)
        if rules.lists_answers:
            answers: Sequence[Any] = rules.legal(position, seat)
        else:
            answers = [rules.sample(position, seat, chance) for _ in range(SAMPLES)]
        return list(dict.fromkeys(rules.to_text(each, position, seat) for each in answers))

    def text(self, answer: Any, view: Any, seat: int) -> str:
        try:
            return self._rules.to_text(answer, self._position(view, seat), seat)
        except Exception:
            # An answer that isn't legal need not have words.
            return str(answer)

    def answer(self, text: str, view: Any, seat: int) -> Any:
        position = self._position(view, seat)
        answer = self._rules.from_text(text, position, seat)
        if not self._rules.is_legal(position, seat, answer):
            raise ValueError(self._rules.refusal(position, seat, answer))
        return answer


class TankChoices(Choices):
    """The nine actions of a tank, all of which are legal at any time."""

    _ACTIONS: Final = {action.name.lower().replace("_", " "): action for action in ActionRequest}

    def texts(self, view: Any, seat: int) -> list[str]:
        return list(self._ACTIONS)

    def text(self, answer: Any, view: Any, seat: int) -> str:
        return next((text for text, action in self._ACTIONS.items() if action == answer), str(answer))

    def answer(self, text: str, view: Any, seat: int) -> Any:
        typed = " ".join(text.lower().replace("_", " ").split())
        exact = [name for name in self._ACTIONS if name == typed]
        alike = exact or [name for name in self._ACTIONS if typed and (name.startswith(typed) or name.split()[-1] == typed)]
        if len(alike) != 1:
            raise ValueError(f"{text!r} is not an action of a tank; legal: {some_of(list(self._ACTIONS))}")
        return self._ACTIONS[alike[0]]


def choices_of(game: Game[Any]) -> Choices:
    """The answers of a game.

    Raises:
        UserError: the game doesn't say which answers there are.
    """
    if isinstance(game.interface, TankInterface):
        return TankChoices()
    if not isinstance(game.rules, Rules):
        raise UserError(f"{game.name} doesn't state its rules (Game.rules), so the other possible answers aren't known")
    if not game.rules.can_guess:
        raise UserError(f"{game.name} hides something and has no guess(), so a view doesn't tell which answers are legal")
    return RuledChoices(game.rules)
