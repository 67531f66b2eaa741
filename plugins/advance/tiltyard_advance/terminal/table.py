"""Advance as people play it: ``c8 c7``, with a letter where squares are not enough, as in ``b8 b7 b`` for a wall."""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar, Final

from tiltyard_advance.algorithms import CHAMPION, choose_board
from tiltyard_advance.board_files import BoardFileError, read_board_file
from tiltyard_advance.manager import material
from tiltyard_advance.map_files import PLIES
from tiltyard_advance.moves import changed_places, describe_move, piece_name, place_name
from tiltyard_advance.positions import SIDES, AdvancePosition, Turn, turn_after
from tiltyard_advance.rules import BUILD, CHARACTERS, CONVERT, EMPTY, GENERAL, MOVE, PLACES, SHOOT, SIZE, SQUARES, SWAP, WALL, Board
from tiltyard_advance.terminal.drawing import ALARM, LEGEND, STRONG, View, draw_board, paint_side
from tiltyard_engine.results import GameResult
from tiltyard_kit.terminal.console import Console
from tiltyard_kit.terminal.playable_game import (
    QUESTION_COMMANDS,
    TABLE_COMMANDS,
    UNDO,
    NoMoveError,
    PastMove,
    PlayableGame,
    TableScene,
    Words,
)
from tiltyard_kit.terminal.squares import read_square

ACTIONS: Final = {"m": MOVE, "b": BUILD, "s": SHOOT, "x": SWAP, "c": CONVERT}
"""By the letter that may follow the squares of a move: what it does."""
LETTERS: Final = {action: letter for letter, action in ACTIONS.items()}
KINDS: Final = {BUILD: "walls ", SHOOT: "shoots ", SWAP: "changes with ", CONVERT: "converts "}
"""How moves but those of the usual kind are listed."""
SQUARE: Final = "([a-i][1-9])"
MOVE_TEXT: Final = re.compile(rf"{SQUARE}(?:[\s\-x>]*{SQUARE})?(?:\s*([a-z]))?\Z")
WIDEST: Final = 78
"""Columns of a line of moves."""
LAST_SHOWN: Final = 3
"""The number of moves listed beside the board."""
BESIDE: Final = 36
"""Columns that are left beside the board in eighty."""
FLIP: Final = {"flip": "turn the board around"}


def words_for(move: int) -> Words:
    """Origin, target and letter of a move."""
    return place_name(PLACES[move >> 8 & 255]), place_name(PLACES[move & 255]), LETTERS[move >> 16]


def move_of(words: Words) -> int:
    """The move whose origin, target and letter these are."""
    origin, target, letter = words
    return ACTIONS[letter] << 16 | SQUARES[place_of(origin)] << 8 | SQUARES[place_of(target)]


def place_of(name: str) -> int:
    """The place that a square is; -1: it is none."""
    return read_square(name, SIZE, SIZE)


@lru_cache(maxsize=1)
def turns_by_words(text: str, side: int) -> Mapping[Words, Turn]:
    """The boards after all legal moves, by the words of the moves."""
    board = Board(text)
    return MappingProxyType({words_for(move): turn_after(board, move) for move in board.legal_moves(side)})


class AdvanceTable(PlayableGame[AdvancePosition, Turn]):
    """The board, with the names, the material and the last moves beside it.

    Args:
        plies: of the whole game.
        is_turned: whether black sits below.
    """

    ways = """\
c8 c7     the piece on c8 acts on c7: moves, takes, shoots, converts, swaps
b8 b7 b   add a letter if it can do two things: m move, b build a wall
c8        show what the piece on c8 can do"""
    legend = LEGEND
    commands: ClassVar[Mapping[str, str]] = {
        **QUESTION_COMMANDS,
        UNDO: "take back your last move and the reply to it",
        **FLIP,
        **TABLE_COMMANDS,
    }
    short: ClassVar[Mapping[str, str]] = {**PlayableGame.short, "m": "moves", "h": "hint", "b": "board", "f": "flip", "s": "save"}
    meanings: ClassVar[Mapping[str, str]] = {"m": "move", "b": "build a wall"}
    choice_help = "where to? (Enter goes back)"
    thinking = "{name} is thinking ..."

    def __init__(self, plies: int = PLIES, is_turned: bool = False) -> None:
        self._plies, self._is_turned = plies, is_turned

    # Words

    def moves(self, scene: TableScene[AdvancePosition]) -> Mapping[Words, Turn]:
        return turns_by_words(scene.position.board, scene.position.side)

    def split(self, text: str) -> Words:
        parts = MOVE_TEXT.match(text.strip().lower())
        if parts is None:
            raise NoMoveError(f"cannot understand '{text:.40}'; type a move as c8 c7, or ? for help")
        return tuple(part for part in parts.groups() if part)

    def join(self, words: Words) -> str:
        return " ".join(words).removesuffix(f" {LETTERS[MOVE]}")

    def words_of(self, scene: TableScene[AdvancePosition], answer: Turn) -> Words | None:
        try:
            return super().words_of(scene, Turn(read_board_file(answer.board.encode("utf-8", "replace"))))
        except BoardFileError:
            return None

    def explain(self, scene: TableScene[AdvancePosition], words: Words) -> str:
        board, side = Board(scene.position.board), scene.position.side
        where, there, letter = (*words, "", "")[:3]
        origin, target = SQUARES[place_of(where)], place_of(there)
        content = board.squares[origin]
        name = piece_name(content)
        if content in (EMPTY, WALL):
            return f"{where} is {'empty' if content == EMPTY else 'a wall'}; choose one of your own pieces"
        if int(content > GENERAL) != side:
            return f"the {name} on {where} is your opponent's"
        if not there:
            return f"the {name} on {where} has no legal move"
        if letter and (others := self.fitting_moves(scene, words[:2])):
            return f"the {name} cannot do '{letter}' there; it can: {' or '.join(move[2] for move in others)}"
        reach: list[int] = []
        board.add_moves(origin, reach)
        if any(PLACES[move & 255] == target for move in reach):
            return f"{where} {there} would leave your General in danger"
        if target >= 0 and board.is_protected(SQUARES[target], 1 - side) and board.squares[SQUARES[target]] not in (EMPTY, WALL):
            return f"the {name} on {where} cannot act on {there}; a Sentinel protects what is there"
        return f"the {name} on {where} cannot act on {there}; type {where} to see what it can do"

    # What is shown

    def draw(self, scene: TableScene[AdvancePosition], console: Console) -> Sequence[str]:
        position, palette = scene.position, console.palette
        board = Board(position.board)
        view = View(
            changed=changed_places(scene.steps[-1].position.board, position.board) if scene.steps else (),
            targets=[place_of(move[1]) for move in (self.fitting_moves(scene, scene.prefix) if scene.prefix else ())],
            origin=place_of(scene.prefix[0]) if scene.prefix else -1,
            is_turned=self._is_turned,
        )
        lines = draw_board(board, view, palette, () if scene.moment == "preview" else self.beside(scene, console))
        is_warned = scene.moment == "question" and board.in_danger(position.side)
        return [*lines, palette.paint("Your General is in danger.", ALARM)] if is_warned else lines

    def beside(self, scene: TableScene[AdvancePosition], console: Console) -> Sequence[str]:
        """What stands beside the board."""
        palette, steps, board = console.palette, scene.steps, Board(scene.position.board)
        whose = "" if scene.moment == "end" else f", {scene.position.colour} to move"
        number = f"Move {min(len(steps), self._plies - 1) // 2 + 1} of {self._plies // 2}{whose}"
        lines = [palette.paint(number, STRONG)]
        for side, name in enumerate(scene.names.values()):
            own = f"{name[: BESIDE - 12]:{BESIDE - 12}}{material(board, side):4}"
            lines.append(f"{paint_side(palette, f' {SIDES[side]} ', side)} {own}")
        lines.append("")
        for index, step in list(enumerate(steps))[-LAST_SHOWN:]:
            lines.append(f"{index // 2 + 1}. {step.position.colour} {self._action(step.position, step.words)}"[:BESIDE])
        lines += [""] * (5 + LAST_SHOWN - 1 - len(lines))
        first, second, third = LEGEND.split("   ")
        return [*lines, f"{first}   {second}", f"{third}   ? for help"]

    def after(self, scene: TableScene[AdvancePosition], words: Words) -> AdvancePosition:
        return replace(scene.position, board=self.answer(scene, words).board)

    def last_position(self, result: GameResult) -> AdvancePosition:
        return AdvancePosition("".join(result.final_state), side=0)

    def question(self, scene: TableScene[AdvancePosition]) -> str:
        return f"{scene.position.colour}>"

    def describe(self, position: AdvancePosition, words: Words) -> str:
        board, rival = Board(position.board), 1 - position.side
        board.make(move_of(words))
        danger = f"; {SIDES[rival]}'s General is in danger" if board.in_danger(rival) else ""
        return f"{self._action(position, words)}{danger}"

    def list_moves(self, scene: TableScene[AdvancePosition], moves: Sequence[Words]) -> Sequence[str]:
        squares = Board(scene.position.board).squares
        lines: list[str] = []
        for where in sorted({move[0] for move in moves}, key=place_of):
            targets: dict[str, list[str]] = {}
            for _, there, letter in (move for move in moves if move[0] == where):
                content = squares[SQUARES[place_of(there)]]
                takes = "" if content == EMPTY else "takes a wall " if content == WALL else "takes "
                targets.setdefault(KINDS.get(ACTIONS[letter], takes), []).append(there)
            parts = "; ".join(f"{kind}{' '.join(places)}" for kind, places in targets.items())
            piece = CHARACTERS[squares[SQUARES[place_of(where)]]]
            lines += textwrap.wrap(f"{piece} {where}: {parts}", WIDEST, subsequent_indent="      ")
        return lines

    def hint(self, scene: TableScene[AdvancePosition]) -> str:
        position = scene.position
        board = choose_board(position.board, position.side, CHAMPION, random.Random(0))
        words = self.words_of(scene, Turn(board)) or ()
        return f"the champion would play {self.join(words)}: {self._action(position, words)}"

    def tell(self, step: PastMove[AdvancePosition], name: str, console: Console) -> str:
        return f"{step.position.colour}: {self._action(step.position, step.words)}"

    def obey(self, command: str) -> None:
        self._is_turned = not self._is_turned

    def _action(self, position: AdvancePosition, words: Words) -> str:
        return describe_move(Board(position.board), move_of(words))
