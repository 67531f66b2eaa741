from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.filler.boards import is_legal, positions

from tiltyard_filler.positions import OWN_CELLS, FillerPosition
from tiltyard_filler.rules import LEGAL, NOT_CONNECTED, ON_ENEMY, OUTSIDE, OVERLAPS, Board, legal_placements

NEAR = st.integers(-6, 10)


def board_of(position: FillerPosition) -> Board:
    return Board(position.width, position.height, position.board)


@given(positions(), NEAR, NEAR)
def test_a_verdict_is_what_the_rule_says(position: FillerPosition, x: int, y: int) -> None:
    verdict = board_of(position).verdict(position.player, position.piece.offsets, x, y)
    assert (verdict == LEGAL) == is_legal(position, x, y)


@given(positions())
def test_all_legal_placements_are_found_row_by_row(position: FillerPosition) -> None:
    found = legal_placements(position.board, position.width, position.height, position.player, position.piece.offsets)
    everywhere = [(x, y) for y in range(-5, position.height) for x in range(-5, position.width)]
    assert found == [(x, y) for x, y in everywhere if is_legal(position, x, y)]


@given(positions(), NEAR, NEAR)
def test_an_answer_changes_what_it_says_and_nothing_else(position: FillerPosition, x: int, y: int) -> None:
    board, player = board_of(position), position.player
    plain, last = OWN_CELLS[player]
    before = [plain if cell == last else cell for cell in position.board]
    counts = list(board.counts)
    verdict = board.play(player, position.piece.offsets, x, y)
    placed = {(y + row) * position.width + x + column for column, row in position.piece.offsets} if verdict == LEGAL else set()
    assert list(board.cells) == [last if square in placed else cell for square, cell in enumerate(before)]
    counts[player] += max(0, len(placed) - 1)
    assert board.counts == counts
    assert board.counts[1:] == [sum(board.cells.count(cell) for cell in OWN_CELLS[each]) for each in (1, 2)]
    unchanged = set(range(len(before))) - set(board.changed)
    assert all(board.cells[square] == position.board[square] for square in unchanged)


@given(positions(), st.tuples(NEAR, NEAR, NEAR, NEAR))
def test_the_last_piece_is_small_until_the_same_players_next_answer(
    position: FillerPosition, xy: tuple[int, int, int, int]
) -> None:
    board, player = board_of(position), position.player
    offsets = position.piece.offsets
    board.play(player, offsets, xy[0], xy[1])
    own = [cell for cell in board.cells if cell == OWN_CELLS[player][1]]
    board.play(3 - player, offsets, xy[2], xy[3])
    assert [cell for cell in board.cells if cell == OWN_CELLS[player][1]] == own
    board.play(player, offsets, -99, -99)
    assert OWN_CELLS[player][1] not in board.cells


def test_each_reason_to_refuse() -> None:
    board = Board(4, 1, b".@a$")
    pair = [(0, 0), (1, 0)]
    verdicts = [board.verdict(1, pair, x, 0) for x in (-1, 0, 1, 2, 3)]
    assert verdicts == [OUTSIDE, LEGAL, OVERLAPS, ON_ENEMY, OUTSIDE]
    assert Board(4, 1, b"..@.").verdict(1, pair, 0, 0) == NOT_CONNECTED
    assert board.verdict(1, pair, 1 << 80, -(1 << 80)) == OUTSIDE


def test_a_large_shape_meets_more_own_cells_than_a_byte_counts() -> None:
    board = b"@" * 400
    assert legal_placements(board, 20, 20, 1, [(index % 20, index // 20) for index in range(400)]) == []
    assert legal_placements(b"@" + b"." * 399, 20, 20, 1, [(index % 20, index // 20) for index in range(400)]) == [(0, 0)]


def test_a_shape_without_cells_goes_nowhere() -> None:
    assert legal_placements(b"@...", 2, 2, 1, []) == []
