"""The GameManager ``GM_209277367_322542887`` of assignment 3, made from the text that its team wrote about it.

Its tanks act one after the other, then the shells fly two squares; two shells may share a square. What the
text leaves open is decided by the reference rules: see docs/reference/gm-209277367.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TextIO

from tiltyard_engine.errors import UserError
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.results import GameResult
from tiltyard_engine.seats import TankSeat
from tiltyard_tanks.battle import EMPTY, MINE, WALL, WEAK_WALL, Battle
from tiltyard_tanks.manager import BattleWatcher, BoardView, claim, create_tanks
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.rounds import Referee
from tiltyard_tanks.rules import Order, Rules

NAME: Final = "GM_209277367_322542887"

RULES: Final = Rules(order=Order.ONE_BY_ONE, shell_start=3)
"""For what is shared with the reference: judging, cooldown, backing up and the ends of the game."""

GROUND: Final = [" ", "@", "$", "#"]
SHELL: Final = "*"
STACK: Final = "^"
RAMMED_SHELL: Final = ["", "a", "b"]
"""By player: where a tank of theirs moved onto a shell in this round."""
SHOT_AT_ONCE: Final = ["", "c", "d"]
"""By player: where a tank of theirs was destroyed by a shell just fired from the next square."""

SHOWN: Final = {"$": "#", STACK: SHELL, "a": "1", "b": "2", "c": "1", "d": "2"}
"""What others see in place of this manager's own characters."""

COLORS: Final = {"1": 94, "2": 32, "#": 37, "$": 90, "@": 31, SHELL: 33}
"""ANSI colours: bright blue, green, white, gray, red, yellow; everything else as the terminal has it."""


class GameManager209277367(GameManager[TankMap, TankSeat]):
    """Plays two-player matches. With a ``screen`` it prints the coloured board there at the start and after each turn."""

    def __init__(self, screen: TextIO | None = None) -> None:
        self._screen = screen

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        """Play the match. A failed seat loses its tanks in the round of its fault."""
        if len(match.seats) != 2:
            raise UserError(f"{NAME} only plays matches of two players; this match has {len(match.seats)}")
        tank_map = match.map
        battle = Battle(tank_map.grid, tank_map.num_shells, 2, RULES)
        board = StackBoard(battle)
        handles = create_tanks(battle.owner, match.seats)
        watcher = _StackWatcher(board, match) if match.verbose or match.recorder.active else None

        def answer(tank: int) -> None:
            view = BoardView(board.snapshot, battle.width, battle.height, battle.square[tank])
            match.seats[battle.owner[tank] - 1].player.update_tank_with_battle_info(handles[tank], view)

        def act() -> None:
            board.forget_marks()
            for tank in range(len(battle.owner)):
                if not battle.died[tank]:
                    board.perform(tank, referee.requests[tank])
                    referee.answer_asks()
                    battle.asks = []
            board.advance_shells()
            board.advance_shells()
            board.take_snapshot()
            self._show(board)

        referee = Referee(battle, list(match.seats), handles, tank_map.max_steps, answer=answer, watcher=watcher, act=act)
        self._show(board)
        reason = referee.play()
        log = watcher.log if watcher is not None and match.verbose else None
        return claim(battle, reason, tank_map.max_steps, log, board.shown_rows())

    def _show(self, board: StackBoard) -> None:
        if self._screen is not None:
            self._screen.write(coloured(board.rows()) + "\n")


def coloured(rows: Iterable[str]) -> str:
    """A board in this manager's own characters as text for a terminal with colours, a line each row."""
    return "".join("".join(_coloured(character) for character in row) + "\n" for row in rows)


def _coloured(character: str) -> str:
    color = COLORS.get(character)
    return character if color is None else f"\x1b[{color}m{character}\x1b[0m"


class StackBoard:
    """A battle's tanks, walls and mines, with shells that may fly two on a square, and marks of this round's losses."""

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.shells: dict[int, list[int]] = {}
        """Square to the headings of the one or two shells there; two are never opposite."""
        self.marks: dict[int, str] = {}
        """Wrecks of the last round: only to be seen, nothing meets them."""
        self.snapshot: list[str] = []
        """The board after the last round, square by square, as others see it."""
        self.take_snapshot()

    # What a turn does

    def forget_marks(self) -> None:
        """The wrecks of the round before are cleared away."""
        self.marks = {}

    def perform(self, tank: int, request: int) -> None:
        """Judge one tank's request on the board as the tanks before it left it, and carry it out."""
        battle = self.battle
        battle.judge([tank], [request])
        for stepping, heading in battle.steps:
            self._step(stepping, battle.next_square[heading][battle.square[stepping]])
        for firing in battle.fires:
            self._fire(firing)
        battle.steps = []
        battle.fires = []

    def _step(self, tank: int, target: int) -> None:
        battle = self.battle
        del battle.tank_at[battle.square[tank]]
        rams_tank = target in battle.tank_at
        rams_shell = target in self.shells
        if rams_tank:
            battle.kill_at(target)
        battle.tank_at[target] = tank
        battle.square[tank] = target
        if rams_shell:
            del self.shells[target]
            self.marks[target] = RAMMED_SHELL[battle.owner[tank]]
        if rams_tank or rams_shell or battle.ground[target] == MINE:
            battle.kill_at(target)
            battle.ground[target] = EMPTY

    def _fire(self, tank: int) -> None:
        """The new shell meets at once what is on the next square."""
        battle = self.battle
        battle.spend_shell(tank)
        heading = battle.heading[tank]
        target = battle.next_square[heading][battle.square[tank]]
        if target in battle.tank_at:
            self.marks[target] = SHOT_AT_ONCE[battle.owner[battle.tank_at[target]]]
        self._enter(target, [*self.shells.pop(target, []), heading])

    def advance_shells(self) -> None:
        """Move all shells by one square at the same time, then let those collide that share a square."""
        before = self.shells
        entering: dict[int, list[int]] = {}
        for square, headings in before.items():
            for heading in headings:
                target = self.battle.next_square[heading][square]
                meets_half_way = heading ^ 4 in before.get(target, [])
                if not meets_half_way:
                    entering.setdefault(target, []).append(heading)
        self.shells = {}
        for square, headings in entering.items():
            self._enter(square, headings)

    def _enter(self, square: int, headings: list[int]) -> None:
        """Let the shells with these headings meet each other and whatever is on the square."""
        battle = self.battle
        kind = battle.ground[square]
        if kind >= WEAK_WALL:
            battle.ground[square] = WEAK_WALL if kind == WALL and len(headings) == 1 else EMPTY
        elif square in battle.tank_at:
            battle.kill_at(square)
            battle.ground[square] = EMPTY
        elif len(headings) > 2 or (len(headings) == 2 and headings[0] == headings[1] ^ 4):
            battle.ground[square] = EMPTY
        else:
            self.shells[square] = headings

    # What is seen

    def take_snapshot(self) -> None:
        """Keep the board for the views of the next round."""
        self.snapshot = [self.public_character(square) for square in range(len(self.battle.ground))]

    def character(self, square: int) -> str:
        """The square in this manager's own characters; a shell hides what is below it."""
        if square in self.shells:
            return SHELL if len(self.shells[square]) == 1 else STACK
        tank = self.battle.tank_at.get(square, -1)
        if tank >= 0:
            return str(self.battle.owner[tank])
        return self.marks.get(square, GROUND[self.battle.ground[square]])

    def public_character(self, square: int) -> str:
        """The square as everybody else sees it."""
        character = self.character(square)
        return SHOWN.get(character, character)

    def token(self, square: int) -> str:
        """A replay's token: as the reference manager's; two shells are ``*^``, wrecks ``1a``, ``2b``, ``1c``, ``2d``."""
        character = self.character(square)
        if character == SHELL:
            return SHELL + str(self.shells[square][0])
        if character != "$" and character in SHOWN:
            return SHOWN[character] + character
        return self.battle.token(square)

    def rows(self) -> tuple[str, ...]:
        """The board in this manager's own characters."""
        return self._rows([self.character(square) for square in range(len(self.battle.ground))])

    def shown_rows(self) -> tuple[str, ...]:
        """The board as everybody else sees it."""
        return self._rows([self.public_character(square) for square in range(len(self.battle.ground))])

    def _rows(self, characters: Sequence[str]) -> tuple[str, ...]:
        width = self.battle.width
        return tuple("".join(characters[start : start + width]) for start in range(0, len(characters), width))


class _StackWatcher(BattleWatcher):
    """Takes the replay's tokens from the manager's own board."""

    def __init__(self, board: StackBoard, match: Match[TankMap, TankSeat]) -> None:
        self._board = board
        super().__init__(board.battle, match.recorder, match.verbose)

    def token(self, battle: Battle, square: int) -> str:
        return self._board.token(square)

    def touched(self, battle: Battle) -> Iterable[int]:
        return range(len(battle.ground))
