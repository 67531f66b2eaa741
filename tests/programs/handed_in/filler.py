"""Answers with the first legal place."""

import sys


def fits(board: list[str], piece: list[str], x: int, y: int, mine: str) -> bool:
    own = 0
    for down, cells in enumerate(piece):
        for right, cell in enumerate(cells):
            row, column = y + down, x + right
            if cell != "O":
                continue
            if not (0 <= row < len(board) and 0 <= column < len(board[0])):
                return False
            if board[row][column] in mine:
                own += 1
            elif board[row][column] != ".":
                return False
    return own == 1


def answer(board: list[str], piece: list[str], mine: str) -> tuple[int, int]:
    for y in range(-len(piece), len(board)):
        for x in range(-len(piece[0]), len(board[0])):
            if fits(board, piece, x, y, mine):
                return x, y
    return 0, 0


def main() -> None:
    mine = "@a" if "p1" in sys.stdin.readline() else "$s"
    while line := sys.stdin.readline():
        height = int(line.split()[2].rstrip(":"))
        sys.stdin.readline()
        board = [sys.stdin.readline().split()[1] for _ in range(height)]
        high = int(sys.stdin.readline().split()[2].rstrip(":"))
        piece = [sys.stdin.readline().strip() for _ in range(high)]
        print(*answer(board, piece, mine), flush=True)


main()
