"""What the package contributes, and that the catalogue is that of the installed OpenSpiel."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: there is no wheel for this Python")

from tiltyard_engine.registry.checks import problem_of
from tiltyard_openspiel import plugin
from tiltyard_openspiel.boards import CUT, Recording, board_rows
from tiltyard_openspiel.catalogue import listings
from tiltyard_openspiel.theme import PIECES, theme_of


def test_the_catalogue_is_that_of_openspiel() -> None:
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    playable = {
        name
        for name, kind in kinds.items()
        if kind.default_loadable and kind.dynamics != pyspiel.GameType.Dynamics.MEAN_FIELD and kind.max_num_players >= 2
    }
    # Its only map is for one player.
    assert listings().keys() == playable - {"pathfinding"}
    for name, listing in listings().items():
        assert listing.parameters.items() <= kinds[name].parameter_specification.items()
        assert kinds[name].min_num_players <= listing.least <= listing.most <= kinds[name].max_num_players


def test_every_record_is_sound_and_none_needs_openspiel() -> None:
    records: list[tuple[str, Any]] = [("games", record) for record in plugin.games()]
    assert len(records) >= 90
    records += [("game_managers", record) for record in plugin.game_managers()]
    records += [("algorithms", record) for record in plugin.algorithms()]
    records += [("maps", record) for record in plugin.maps()]
    assert [problem for hook, record in records if (problem := problem_of(hook, record))] == []
    code = "import sys; from tiltyard_openspiel import plugin; list(plugin.games()); print('pyspiel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


class Kept:
    """Keeps the start, and the last frame's changes."""

    active = True

    def start(self, width: int, height: int, squares: list[str]) -> None:
        self.width, self.height, self.squares = width, height, list(squares)

    def frame(self, changes: list[tuple[int, str]], actions: object = (), scores: object = (), notes: object = ()) -> None:
        for square, token in changes:
            self.squares[square] = token


@pytest.mark.parametrize(
    "name", sorted(PIECES.keys() - {"laser_tag", "markov_soccer", "lines_of_action", "nine_mens_morris", "pentago"})
)
def test_pieces_have_the_colour_of_who_moves_them(name: str) -> None:
    """But where pieces turn, or players are named beside the board."""
    state, generator, styles = pyspiel.load_game(name).new_initial_state(), random.Random(2), theme_of(name).styles
    seats: set[int] = set()
    for _ in range(12):
        if state.is_terminal():
            break
        before, mover = board_rows(state), state.current_player() + 1
        state.apply_action(generator.choice(state.legal_actions()))
        pairs = [pair for rows in zip(before, board_rows(state)) for pair in zip(*rows)]
        placed = {styles[new].seat for old, new in pairs if old != new and new in styles}
        assert placed <= {mover}
        seats |= placed
    assert seats == {1, 2}


def test_positions_of_games_like_chess_are_boards() -> None:
    state = pyspiel.load_game("chess").new_initial_state()
    rows = ["".join(row) for row in board_rows(state)]
    assert rows == ["rnbqkbnr", "pppppppp", *["........"] * 4, "PPPPPPPP", "RNBQKBNR"]

    class Promoted:
        def __str__(self) -> str:
            return "lns1k1snl/1r5b1/9/4+P4/9/9/9/1B5R1/LNSGKGSNL b 2P 7"

    assert list(board_rows(Promoted())[3]) == ["."] * 4 + ["P+"] + ["."] * 4
    assert theme_of("shogi").styles["P+"].ring


def test_what_does_not_fit_is_cut() -> None:
    """The size is that of a game at random, here one that ends soon."""

    class Text:
        text = "one\ntwo"

        def __str__(self) -> str:
            return self.text

        def returns(self) -> list[float]:
            return [0.0, 0.0]

    kept, state = Kept(), Text()
    recording = Recording(kept, pyspiel.load_game("tic_tac_toe"), state)  # type: ignore[arg-type]
    assert (kept.width, kept.height) == (3, 3)
    state.text = "a longer line\n2\n3\n4"
    recording.move(state, [])
    assert "".join(kept.squares) == f"a {CUT}2  {CUT}  "
