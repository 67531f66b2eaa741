"""The referee: asks the seats, lets OpenSpiel keep the rules and chance come from the match's seed."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.errors import some_of
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.results import Fault, GameResult, SeatFault, Termination
from tiltyard_engine.rules.contract import verdict
from tiltyard_engine.seats import TurnSeat
from tiltyard_openspiel.boards import Recording
from tiltyard_openspiel.catalogue import listings
from tiltyard_openspiel.map_files import SpielMap
from tiltyard_openspiel.playing import Chance, Views, legal_actions, load_game
from tiltyard_openspiel.positions import SpielPosition

OVER: Final = "OVER"
"""The game ended by its rules."""
FAULT: Final = "FAULT"
MOVE_LIMIT: Final = "MOVE_LIMIT"
"""The most moves that OpenSpiel says a game can have were played, or those that were asked for."""
DRAW: Final = "Draw"
NOTHING_TO_DO: Final = 0
"""What OpenSpiel is told for a player without a legal action where all others move at once."""

SpielSeat = TurnSeat[SpielPosition, int]


class SpielGameManager(GameManager[SpielMap, SpielSeat]):
    """Plays any game of OpenSpiel. Its returns are the scores, and the highest wins."""

    def run(self, match: Match[SpielMap, SpielSeat]) -> GameResult:
        """Play the match. A seat that fails ends it."""
        game = _Game(match)
        game.play()
        return game.result()


class _Game:
    def __init__(self, match: Match[SpielMap, SpielSeat]) -> None:
        start = match.map
        self._seats = match.seats
        self._verbose = match.verbose
        self._log: list[str] = []
        self._faults: list[Fault] = []
        self._moves = 0
        listing, parameters = listings()[start.game], dict(start.parameters)
        game = load_game(listing, parameters, match.seed)
        self._most_moves = min(game.max_game_length(), start.most_moves if start.most_moves is not None else game.max_game_length())
        self._views = Views(game, str(load_game(listing, parameters)))
        self._chance = Chance(match.seed)
        self._state = game.new_initial_state()
        self._happened = self._let_chance_act()
        self._recording: Recording | None = None
        if match.recorder.active:
            self._recording = Recording(match.recorder, load_game(listing, parameters, match.seed), self._state)

    def play(self) -> None:
        """Until the game is over or a seat fails."""
        for seat in self._seats:
            try:
                seat.start(self._views.of(self._state, seat.index - 1))
            except SeatFault as failed:
                self._faults.append(failed.fault)
        while not (self._faults or self._state.is_terminal() or self._moves >= self._most_moves):
            self._move()

    def _move(self) -> None:
        """Ask whoever has to move, before anything happens; then play what they answered."""
        state = self._state
        movers = self._movers()
        answers = {player: self._ask(player) for player in movers}
        if self._faults:
            return
        actions = {player: answer for player, answer in answers.items() if answer is not None}
        events = [
            f"chance: {', '.join(self._happened)}; " * (bool(self._happened) and player in movers)
            for player in range(len(self._seats))
        ]
        for player, action in actions.items():
            events[player] += state.action_to_string(player, action)
        if state.is_simultaneous_node():
            state.apply_actions([actions.get(player, NOTHING_TO_DO) for player in range(len(self._seats))])
        else:
            state.apply_action(actions[movers[0]])
        self._moves += 1
        if self._verbose:
            self._log += [f"player {player + 1}: {events[player]}\n" for player in movers]
        self._happened = self._let_chance_act()
        if self._happened and state.is_terminal():
            events[movers[-1]] += f"; chance: {', '.join(self._happened)}"
        if self._recording is not None:
            self._recording.move(state, events)

    def _let_chance_act(self) -> list[str]:
        happened = self._chance.play(self._state)
        if self._verbose:
            self._log += [f"chance: {each}\n" for each in happened]
        return happened

    def _movers(self) -> list[int]:
        """Players, from 0, who have to move now."""
        if not self._state.is_simultaneous_node():
            return [self._state.current_player()]
        return [player for player in range(len(self._seats)) if legal_actions(self._state, player)]

    def _ask(self, player: int) -> int | None:
        """A seat's answer if it is legal; a fault is noted, so that those who move at the same time are asked all the same."""
        seat, position = self._seats[player], self._views.of(self._state, player)
        try:
            action = seat.choose(position)
            if action not in position.actions:
                legal = some_of([str(each) for each in position.actions])
                raise seat.charge(Termination.ILLEGAL_MOVE, f"{action} is not a legal action; legal: {legal}")
        except SeatFault as failed:
            self._faults.append(failed.fault)
            return None
        return action

    def result(self) -> GameResult:
        """The claim: ranks by the returns. Those who failed are behind all others, who are equal."""
        returns = tuple(float(value) for value in self._state.returns())
        failed = {fault.seat for fault in self._faults}
        orders = [-1.0 if seat.index in failed else 0.0 for seat in self._seats] if failed else returns
        ranks = tuple(1 + sum(other > own for other in orders) for own in orders)
        winner = ranks.index(1) + 1 if ranks.count(1) == 1 else 0
        message = f"{verdict(ranks, DRAW)}, {' : '.join(f'{value:g}' for value in returns)}"
        log = "".join([*self._log, f"{message}\n"]) if self._verbose else ""
        reason = FAULT if failed else OVER if self._state.is_terminal() else MOVE_LIMIT
        board = tuple(str(self._state).splitlines())
        return GameResult(
            winner, reason, self._moves, board, ranks=ranks, scores=returns, message=message, faults=tuple(self._faults), log=log
        )
