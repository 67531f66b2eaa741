"""Asking a team again what it was asked in a match, in a cell as in the match: the code may be a stranger's."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from tiltyard_checks.faults.conversation_replay import ReplayedConversation, answer_in_words, answers_back, doing, is_same
from tiltyard_engine.match_record import Exchange
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.messages import REPLIES, REQUESTS, Failure
from tiltyard_simulator.guard.cells.team_client import TeamClient
from tiltyard_simulator.guard.cells.wire import CellError
from tiltyard_simulator.guard.seats.kinds import team_of_message
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec

Printed = Callable[[bytes], None]
NOT_LOOKED: Final = "the Player did not look at its view, but in the match it did"
LOOKED: Final = "the Player looks at its view, but in the match it did not, so there is no board to show"


def replay_in_cell(
    spec: MatchSpec,
    seat: int,
    exchanges: Sequence[Exchange],
    isolation: Isolation,
    *,
    on_output: Printed,
    last_question: Callable[[int, str], None],
) -> ReplayedConversation:
    """Ask a seat's team all its recorded questions in a cell with the limits of the match, until it fails or there are no more.

    Args:
        spec: the match.
        seat: from 1.
        exchanges: the record of the seat.
        isolation: that of the cell.
        on_output: called with what the team prints, as it comes.
        last_question: called before the question with which the record ends: its number, and what the team does.

    Raises:
        ZygoteLostError: no cell can be had: the machine's fault.
    """
    with CellPool(reserve=0) as cells:
        cells.watch_infos = spec.holding.watch_infos
        team, limits = spec.input.teams[seat - 1].with_needs(), spec.holding.limits_of(seat)
        cells.preload([spec.input.game, team])
        cell = cells.take(team.source, limits, isolation, (spec.input.game.source,))
        replay = _CellReplay(cell, exchanges, on_output)
        while replay.left and not replay.has_failed:
            request = replay.next()
            if len(replay.left) == 1:
                last_question(replay.questions + 1, doing(request))
            kind = team_of_message(request)
            replay.ask(request, limits.move_seconds if kind is None else kind.seconds(request, limits))
        cell.retire()
        replay.print_new()
        return replay.result()


class _CellReplay:
    """The questions that are left, and how those before them were answered."""

    def __init__(self, cell: TeamClient, exchanges: Sequence[Exchange], on_output: Printed) -> None:
        self.left = deque(exchanges)
        self.questions = 0
        self._recorded = len(exchanges)
        self._cell = cell
        self._on_output, self._position = on_output, 0
        self._difference = ""
        self._reply: Any = None
        self._error: CellError | None = None

    @property
    def has_failed(self) -> bool:
        return self._error is not None or self._failure is not None

    @property
    def _failure(self) -> Failure | None:
        """How the team's code failed, as its cell reports it, which may come with answers to a part of the question."""
        failure = getattr(self._reply, "failure", None)
        return failure if isinstance(failure, Failure) else None

    def next(self) -> msgspec.Struct:
        request: msgspec.Struct = REQUESTS.decode(self.left[0].question)
        return request

    def ask(self, request: msgspec.Struct, seconds: float) -> None:
        """Ask the next question, and compare the answer."""
        exchange = self.left.popleft()
        if answers_back(request) and not self._asks_back():
            # The team's code goes on without the board that it was shown in the match.
            self._differ(request, NOT_LOOKED)
            return
        self.questions += 1
        self._exchange(request, seconds, exchange.answer)
        while self._asks_back() and not (self.left and answers_back(self.next())):
            self._differ(request, LOOKED)
            kind = team_of_message(self._reply)
            assert kind is not None
            assert kind.no_back_answer is not None
            self._exchange(kind.no_back_answer, seconds, b"")

    def _asks_back(self) -> bool:
        kind = None if self._reply is None else team_of_message(self._reply)
        return kind is not None and type(self._reply) is kind.back_question

    def _exchange(self, request: msgspec.Struct, seconds: float, recorded: bytes) -> None:
        what, self._reply = doing(request), None
        try:
            answer = self._cell.exchange(request, seconds, what)
            self._reply = self._cell.decode_as(REPLIES, answer, what)
        except CellError as error:
            self._error = error
        else:
            if recorded and not is_same(self._reply, recorded):
                self._differ(request, f"the answer is {answer_in_words(answer)}, in the match it was {answer_in_words(recorded)}")
        self.print_new()

    def print_new(self) -> None:
        """Pass on what the team has printed since the last call."""
        output = self._cell.read_output()
        if len(output) > self._position:
            self._on_output(output[self._position :])
            self._position = len(output)

    def _differ(self, request: msgspec.Struct, how: str) -> None:
        if not self._difference:
            self._difference = f"question {self.questions} ({doing(request)}): {how}"

    def result(self) -> ReplayedConversation:
        return ReplayedConversation(self.questions, self._recorded, self._difference, self._failure, self._error)
