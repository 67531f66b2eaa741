"""Visitors who ask why a team lost a game: one question after the other, few of each visitor, and each is answered once for all."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tiltyard_engine.errors import UserError
from tiltyard_site.explained.explained import explained_path
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_web_play.orders import MACHINE_SECONDS, BusyError, HourlyBudget, address_of, take_order, whole_numbers
from tiltyard_whatif.analysis.idle_process import IdleProcess
from tiltyard_whatif.analysis.losses import explain_for_site
from tiltyard_whatif.stored import LostGame, StoredGames, stored_games

EXPLAIN: Final = "/why/"
CPU_SECONDS: Final = 20.0
"""In which a game is explained for a visitor."""
MOST_WAITING: Final = 8
"""Questions of all visitors."""
LEAST_CHARGED: Final = 1.0
"""Seconds that any question counts."""
MOST_REMEMBERED: Final = 1000
"""Answered questions, whose answers lie beside the store anyway."""
Explain = Callable[[int, int], float]
"""Explains a game by its number, for a seat; the CPU seconds that it took."""


@dataclass(slots=True)
class DeskQuestion:
    """What a visitor asked about a game and a seat."""

    address: str
    problem: str = ""
    """Why it can't be answered, once that is known."""


class ExplainDesk:
    """Answers questions in a thread of its own.

    Args:
        explain: finds an answer.
        budget: what each address may use.
    """

    def __init__(self, explain: Explain, budget: HourlyBudget | None = None) -> None:
        self._explain = explain
        self._budget = budget or HourlyBudget(MACHINE_SECONDS)
        self._news = threading.Condition()
        self._waiting: OrderedDict[tuple[int, int], DeskQuestion] = OrderedDict()
        """The first one is being answered."""
        self._answered: OrderedDict[tuple[int, int], DeskQuestion] = OrderedDict()
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="why did it lose", daemon=True)
        self._thread.start()

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for an answer."""
        return bool(self._waiting)

    def ask(self, address: str, number: int, seat: int) -> dict[str, Any]:
        """Ask, or ask how far it is.

        Args:
            address: where the visitor is.
            number: the game's on the site.
            seat: of the team that lost, from 1.

        Raises:
            UserError: it can't be answered, or there is no room for it.
        """
        place = number, seat
        with self._news:
            question = self._answered.get(place)
            if question is not None and question.problem:
                # Whoever asks again after that begins anew.
                del self._answered[place]
                raise UserError(question.problem)
            if question is not None:
                return {"state": "done"}
            if place not in self._waiting:
                self._admit(address)
                self._waiting[place] = DeskQuestion(address)
                self._news.notify_all()
            before = list(self._waiting).index(place)
            return {"state": "waiting", "before": before} if before else {"state": "working"}

    def close(self) -> None:
        """Take no more questions."""
        with self._news:
            self._is_closed = True
            self._news.notify_all()

    def _admit(self, address: str) -> None:
        if self._is_closed:
            raise BusyError("the server is being stopped")
        if any(question.address == address for question in self._waiting.values()):
            raise BusyError("a question from your address is being answered: wait until it is done")
        self._budget.check(address)
        if len(self._waiting) >= MOST_WAITING:
            raise BusyError(f"{MOST_WAITING} questions are waiting; try again in a few minutes")

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._is_closed)
                if self._is_closed:
                    return
                place, question = next(iter(self._waiting.items()))
            seconds, problem = 0.0, ""
            try:
                seconds = self._explain(*place)
            except UserError as error:
                problem = str(error)
            with self._news:
                question.problem = problem
                self._budget.charge(question.address, max(LEAST_CHARGED, seconds))
                self._answered[place] = self._waiting.pop(place)
                while len(self._answered) > MOST_REMEMBERED:
                    self._answered.popitem(last=False)


def explain_stored(options: TournamentOptions, process: IdleProcess, number: int, seat: int) -> float:
    """Explain a game of a tournament, unless it is explained already; the CPU seconds that it took.

    Raises:
        UserError: there is no such game, the team won it, or nobody can say why it lost.
    """
    with stored_games(options) as games:
        lost = lost_game(games, number, seat)
        if explained_path(games.tournament.folder, *lost.place).is_file():
            return 0.0
        explained = explain_for_site(process, games, lost, CPU_SECONDS)
    return explained.cpu_seconds


def lost_game(games: StoredGames, number: int, seat: int) -> LostGame:
    """A game by its number on the site, which the team of a seat didn't win.

    Raises:
        UserError: it is none.
    """
    for lost in games.lost():
        if lost.spec.place.number + 1 == number and lost.seat == seat:
            return lost
    raise UserError(f"game {number}: player {seat} didn't lose it, or its code has changed since")


def explain_routes(desk: ExplainDesk) -> list[Route]:
    """The route at which visitors ask."""
    return [Route(EXPLAIN, partial(_ask, desk), methods=["POST"])]


async def _ask(desk: ExplainDesk, request: Request) -> Response:
    return await take_order(request, lambda order: desk.ask(address_of(request), *whole_numbers(order, "match", "seat")))
