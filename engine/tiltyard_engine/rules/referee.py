"""The GameManager of every game that states its rules.

Faults are judged by one rule for two and for more players: who fails, or answers what isn't legal, is out. The others play on if
the rules say from where (``Rules.without``); else the match ends there. Who failed comes after everybody else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.replay.panels import Panel, PlotPanel
from tiltyard_engine.results import GameResult, SeatFault, Termination, winner_of
from tiltyard_engine.rules.contract import Ending, Picture, Rules, verdict
from tiltyard_engine.seats import TurnSeat

FAULT: Final = "FAULT"
"""The reason of a match that ended because a seat failed."""
MOVE_LIMIT: Final = "MOVE_LIMIT"
"""The reason of a match that the rules didn't end in time."""


@dataclass(frozen=True, slots=True)
class ShortMatch:
    """A map whose match ends early: see ``GameMaps.truncate``."""

    board: Any
    moves: int


class RulesGameManager(GameManager[Any, TurnSeat[Any, Any]]):
    """Plays one match by a game's rules."""

    def __init__(self, rules: Rules[Any, Any]) -> None:
        self._rules = rules

    def run(self, match: Match[Any, TurnSeat[Any, Any]]) -> GameResult:
        """Ask whoever has to move, until the rules or a fault end the match."""
        return _Game(self._rules, match).play()


class _Game:
    def __init__(self, rules: Rules[Any, Any], match: Match[Any, TurnSeat[Any, Any]]) -> None:
        self._rules = rules
        self._seats = match.seats
        board, self._most_moves = match.map, rules.most_moves
        if isinstance(board, ShortMatch):
            board, self._most_moves = board.board, min(board.moves, rules.most_moves)
        self._chance = Random(match.seed)
        self._position = rules.start(board, len(match.seats), self._chance)
        self._recording = _Recording(rules, match, self._position) if match.recorder.active else None
        self._log: list[str] | None = [] if match.verbose else None
        self._moves = 0

    def play(self) -> GameResult:
        rules, is_over = self._rules, self._start()
        ending = rules.outcome(self._position)
        while ending is None and not is_over and self._moves < self._most_moves:
            is_over = self._move()
            ending = rules.outcome(self._position)
        return self._result(None if is_over else ending)

    def _start(self) -> bool:
        """Show every seat its first position. Whether the match is over, because a seat failed."""
        position = self._position
        for seat in self._seats:
            try:
                seat.start(self._rules.view(position, seat.index))
            except SeatFault:
                if self._leave(seat):
                    return True
        return False

    def _move(self) -> bool:
        """Ask everybody who has to move, then play their answers. Whether the match is over, because a seat failed."""
        rules, position = self._rules, self._position
        answers: dict[int, Any] = {}
        failed: list[TurnSeat[Any, Any]] = []
        movers = [self._seats[number - 1] for number in rules.to_move(position)]
        still_in = [seat for seat in movers if seat.fault is None]
        if movers and not still_in:
            raise ValueError(f"to_move() names player {movers[0].index}, who is out: without() must let others move")
        for seat in still_in:
            number = seat.index
            try:
                answer = seat.choose(rules.view(position, number))
                if not rules.is_legal(position, number, answer):
                    raise seat.charge(Termination.ILLEGAL_MOVE, rules.refusal(position, number, answer))
            except SeatFault:
                failed.append(seat)
            else:
                answers[number] = answer
        if failed:
            # All were asked before anybody goes, so that nobody's answer depends on who is asked first.
            ends = [self._leave(seat) for seat in failed]
            if any(ends) or not answers:
                return any(ends)
        self._moves += 1
        before, self._position = self._position, rules.play(self._position, answers, self._chance)
        if self._log is not None or self._recording is not None:
            texts = {number: rules.to_text(answer, before, number) for number, answer in answers.items()}
            if self._log is not None:
                self._log += [f"player {number}: {text}\n" for number, text in texts.items()]
            if self._recording is not None:
                self._recording.add(self._position, texts)
        return False

    def _leave(self, seat: TurnSeat[Any, Any]) -> bool:
        """Go on without a seat that has failed. Whether the match is over by that."""
        assert seat.fault is not None
        if self._log is not None:
            self._log.append(f"player {seat.index} is out: {seat.fault.termination.value}\n")
        position = self._rules.without(self._position, seat.index)
        if position is None or all(each.fault is not None for each in self._seats):
            return True
        self._position = position
        if self._recording is not None:
            self._recording.leave(position, seat.index, seat.fault.termination)
        return False

    def _result(self, ending: Ending | None) -> GameResult:
        rules, position = self._rules, self._position
        failed = [seat.index for seat in self._seats if seat.fault is not None]
        ranks = rules.ranks(position, ending, len(self._seats), failed)
        winner = winner_of(ranks)
        if ending is not None:
            reason, message = ending.reason, ending.message or verdict(ranks)
        elif failed:
            reason = FAULT
            message = f"Player {winner} won by a fault" if winner else f"{verdict(ranks)}: not all players could go on"
        else:
            reason, message = MOVE_LIMIT, f"{verdict(ranks)} after {self._moves} moves"
        rounds = self._moves if ending is None or ending.rounds is None else ending.rounds
        scores = tuple(map(float, rules.scores(position)))
        log = "".join([*self._log, f"{message}\n"]) if self._log is not None else ""
        picture = rules.draw(position, [seat.name for seat in self._seats]) or Picture()
        board = tuple("".join(token[0] for token in row) for row in picture.rows)
        return GameResult(winner, reason, rounds, board, ranks=ranks, scores=scores, message=message, log=log)


class _Recording:
    """Takes down what changes from picture to picture."""

    def __init__(self, rules: Rules[Any, Any], match: Match[Any, TurnSeat[Any, Any]], position: Any) -> None:
        self._rules = rules
        self._recorder = match.recorder
        self._names = [seat.name for seat in match.seats]
        picture = rules.draw(position, self._names) or Picture()
        self._squares = [token for row in picture.rows for token in row]
        self._panels = {panel.title: panel for panel in picture.panels}
        self._actions: dict[int, str] = {}
        width = len(picture.rows[0]) if picture.rows else 0
        self._recorder.start(width, len(picture.rows), self._squares, picture.panels)

    def add(self, position: Any, texts: Mapping[int, str]) -> None:
        """What the answers led to, which are given in words."""
        self._actions.update(texts)
        self._show(position, self._rules.draw(position, self._names))

    def leave(self, position: Any, seat: int, termination: Termination) -> None:
        """A seat is out, and the others play on."""
        self._actions[seat] = f"is out: {termination.value}"
        self._show(position, self._rules.draw(position, self._names) or Picture())

    def _show(self, position: Any, picture: Picture | None) -> None:
        if picture is None:
            return
        squares = [token for row in picture.rows for token in row] or self._squares
        changes = [(square, token) for square, (token, before) in enumerate(zip(squares, self._squares)) if token != before]
        actions: Sequence[str] = [self._actions.get(seat, "") for seat in range(1, len(self._names) + 1)]
        scores = [float(score) for score in self._rules.scores(position)]
        self._recorder.frame(changes, picture.actions or actions, scores, picture.notes, self._new_panels(picture.panels))
        self._squares, self._actions = squares, {}

    def _new_panels(self, panels: Sequence[Panel]) -> list[Panel]:
        """Those that differ from what stands, and all plots: each gives the values of its own round."""
        new = [panel for panel in panels if isinstance(panel, PlotPanel) or self._panels.get(panel.title) != panel]
        self._panels.update({panel.title: panel for panel in new})
        return new
