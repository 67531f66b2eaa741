"""OpenSpiel's games by the engine's contract for rules: a position is one of its states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from tiltyard_engine.replay.panels import TextPanel
from tiltyard_engine.rules import Ending, Picture, Rules
from tiltyard_openspiel.boards import board_rows
from tiltyard_openspiel.catalogue import listings
from tiltyard_openspiel.map_files import SpielMap
from tiltyard_openspiel.playing import LARGEST_SEED, Chance, Views, apply_history, import_openspiel, legal_actions, load_game
from tiltyard_openspiel.positions import SpielPosition


class SpielState:
    """A state of OpenSpiel's, which nobody changes, and what it takes to show it to players."""

    __slots__ = ("state", "views")

    def __init__(self, state: Any, views: Views) -> None:
        self.state, self.views = state, views

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpielState) and self.state.serialize() == other.state.serialize()

    def __hash__(self) -> int:
        return hash(self.state.serialize())

    def __deepcopy__(self, memo: object) -> SpielState:
        return SpielState(self.state.clone(), self.views)


class SpielRules(Rules[SpielState, int]):
    """Any game of OpenSpiel: actions are its numbers, chance nodes are drawn, and returns are the scores."""

    def start(self, board: SpielMap, seats: int, chance: Random) -> SpielState:
        listing, parameters = listings()[board.game], dict(board.parameters)
        game = load_game(listing, parameters, chance.randrange(LARGEST_SEED))
        state = game.new_initial_state()
        Chance(chance).play(state)
        return SpielState(state, Views(game, str(load_game(listing, parameters))))

    def to_move(self, position: SpielState) -> Sequence[int]:
        state = position.state
        if not state.is_simultaneous_node():
            return [state.current_player() + 1]
        return [player + 1 for player in range(state.num_players()) if legal_actions(state, player)]

    def legal(self, position: SpielState, seat: int) -> Sequence[int]:
        return legal_actions(position.state, seat - 1)

    def play(self, position: SpielState, answers: Mapping[int, int], chance: Random) -> SpielState:
        state = position.state.clone()
        if state.is_simultaneous_node():
            state.apply_actions([answers.get(player + 1, 0) for player in range(state.num_players())])
        else:
            state.apply_action(answers[state.current_player() + 1])
        Chance(chance).play(state)
        return SpielState(state, position.views)

    def outcome(self, position: SpielState) -> Ending | None:
        return Ending() if position.state.is_terminal() else None

    def view(self, position: SpielState, seat: int) -> SpielPosition:
        return position.views.of(position.state, seat - 1)

    def guess(self, view: SpielPosition, seat: int, chance: Random) -> SpielState:
        if view.history is None:
            raise NotImplementedError(f"{view.game} hides something, and OpenSpiel can't make a state from what a player sees")
        game = import_openspiel().load_game(view.game)
        state = game.new_initial_state()
        apply_history(state, view.history)
        return SpielState(state, Views(game, view.game))

    def scores(self, position: SpielState) -> Sequence[float]:
        returns: list[float] = position.state.returns()
        return returns

    def draw(self, position: SpielState, names: Sequence[str]) -> Picture:
        rows = board_rows(position.state)
        width = max(map(len, rows), default=0)
        return Picture([[*row, *" " * (width - len(row))] for row in rows])

    def draw_view(self, view: SpielPosition, seat: int, names: Sequence[str]) -> Picture:
        if view.history is not None:
            return self.draw(self.guess(view, seat, Random(0)), names)
        return Picture(panels=[TextPanel(names[seat - 1], (view.observation or view.information_state).splitlines())])

    def to_text(self, answer: int, position: SpielState, seat: int) -> str:
        text: str = position.state.action_to_string(seat - 1, answer)
        return text


class HidingSpielRules(SpielRules):
    """Of a game that hides something. What a player sees tells what it may do, but nobody can look ahead from it.

    OpenSpiel draws what is hidden again only from the whole state (``resample_from_infostate``), which a player hasn't got. So the
    guess is the view itself: it has the legal answers and their words, and can't be played on.
    """

    @property
    def can_look_ahead(self) -> bool:
        """Whether a guess can be played on: never."""
        return False

    def guess(self, view: SpielPosition, seat: int, chance: Random) -> Any:
        return view

    def to_move(self, position: SpielState | SpielPosition) -> Sequence[int]:
        return [position.player + 1] if isinstance(position, SpielPosition) else super().to_move(position)

    def legal(self, position: SpielState | SpielPosition, seat: int) -> Sequence[int]:
        return position.actions if isinstance(position, SpielPosition) else super().legal(position, seat)

    def outcome(self, position: SpielState | SpielPosition) -> Ending | None:
        return None if isinstance(position, SpielPosition) else super().outcome(position)

    def view(self, position: SpielState | SpielPosition, seat: int) -> SpielPosition:
        return position if isinstance(position, SpielPosition) else super().view(position, seat)

    def to_text(self, answer: int, position: SpielState | SpielPosition, seat: int) -> str:
        if isinstance(position, SpielPosition):
            return position.action_strings[position.actions.index(answer)] if answer in position.actions else str(answer)
        return super().to_text(answer, position, seat)
