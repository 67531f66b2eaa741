"""What holds for each robot, in any position that a game can reach."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.plugins.filler.algorithms.positions_reached import play_on, reached

from tiltyard_engine.match import Match
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat
from tiltyard_filler.manager import FillerGameManager, FillerSeat
from tiltyard_filler.map_files import FillerMap, read_map
from tiltyard_filler.pieces import PieceGenerator
from tiltyard_filler.plugin import algorithms, maps
from tiltyard_filler.positions import FillerPosition, Piece, Placement
from tiltyard_filler.rules import LEGAL, Board, legal_placements

ROBOTS = {team.name: team for team in algorithms()}
MAPS = {file.name: read_map(file.name, file.data) for file in maps()}
every_robot = pytest.mark.parametrize("name", ROBOTS)


def play(first: str, second: str, board: FillerMap, seed: int) -> GameResult:
    seats: list[FillerSeat] = [
        InlineTurnSeat(number, ROBOTS[name], Placement) for number, name in enumerate((first, second), start=1)
    ]
    match: Match[FillerMap, FillerSeat] = Match(map=board, map_name="test", seats=seats, seed=seed, verbose=True)
    return FillerGameManager().run(match)


def make(team: TurnTeam, position: FillerPosition) -> Placement:
    answer = team.create(position.player).choose(position)
    assert isinstance(answer, Placement)
    return answer


@every_robot
@given(position=reached())
@settings(max_examples=30, deadline=None)
def test_it_places_the_piece_where_that_is_possible_and_else_says_0_0(name: str, position: FillerPosition) -> None:
    legal = legal_placements(position.board, position.width, position.height, position.player, position.piece.offsets)
    answer = make(ROBOTS[name], position)
    assert (answer.x, answer.y) in (legal or [(0, 0)])


@every_robot
@given(position=reached())
@settings(max_examples=20, deadline=None)
def test_it_answers_the_same_position_the_same_way(name: str, position: FillerPosition) -> None:
    assert make(ROBOTS[name], position) == make(ROBOTS[name], position)


@every_robot
@pytest.mark.parametrize("size", [(40, 4), (3, 60), (1, 30), (99, 100)])
def test_it_plays_on_boards_of_any_form(name: str, size: tuple[int, int]) -> None:
    width, height = size
    cells = bytearray(b"." * (width * height))
    cells[0], cells[-1] = b"@$"
    for turns in (0, 1, 30):
        position = play_on(bytes(cells), width, height, turns, 5)
        legal = legal_placements(position.board, width, height, position.player, position.piece.offsets)
        answer = make(ROBOTS[name], position)
        assert (answer.x, answer.y) in (legal or [(0, 0)])


@every_robot
def test_it_plays_the_same_game_again(name: str) -> None:
    board = MAPS["ribbon"]
    assert play(name, "nearest", board, 11) == play(name, "nearest", board, 11)


def test_the_champion_wins() -> None:
    """In either seat; nothing in a game is left to chance but its pieces."""
    assert play("champion", "nearest", MAPS["map00"], 11_000_003).winner == 1
    assert play("heat", "champion", MAPS["map00"], 27_000_001).winner == 2


def solo(name: str, board: FillerMap, seed: int) -> float:
    """The share of the free squares that player 1 fills where player 2 never places anything."""
    pieces = PieceGenerator(seed, board.width, board.height)
    game = Board(board.width, board.height, board.cells)
    robot = ROBOTS[name].create(1)
    while True:
        piece = pieces.draw()
        answer = robot.choose(
            FillerPosition(width=board.width, height=board.height, board=bytes(game.cells), piece=piece, player=1)
        )
        if game.play(1, piece.offsets, answer.x, answer.y) != LEGAL:
            return (game.counts[1] - board.cells.count(b"@")) / board.cells.count(b".")


def test_the_champion_fills_its_own_part_tightly() -> None:
    # Its own wall keeps the enemy out, and is ragged, so that all pieces can be put to it.
    walled = FillerMap(20, 15, (b".........@$$$$$$$$$$" + b"........@@$$$$$$$$$$") * 7 + b".........@$$$$$$$$$$")
    shares, others = ([solo(name, walled, seed * 1_000_003) for seed in range(1, 11)] for name in ("champion", "voronoi"))
    assert sum(shares) > 0.95 * len(shares)
    assert sum(shares) > sum(others)


def test_the_champion_knows_when_it_is_alone() -> None:
    """An enemy whose last piece has become plain, with no new one, is out: nothing is disputed then."""
    cells = bytearray(b"." * 300)
    piece = Piece(1, 2, b"OO")
    cells[150], cells[257:260] = 0x24, b"aaa"
    champion = ROBOTS["champion"].create(2)
    assert champion.choose(FillerPosition(width=20, height=15, board=bytes(cells), piece=piece, player=2)) == Placement(10, 7)
    cells[257:260] = b"@@@"
    assert champion.choose(FillerPosition(width=20, height=15, board=bytes(cells), piece=piece, player=2)) == Placement(10, 6)
